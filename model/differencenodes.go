package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// nodes notes new, deleted and changed nodes. Both lists are in the order of names.
func (d *Difference) nodes(was, is *Snapshot) {
	before := map[string]*Node{}
	for _, n := range was.Nodes {
		before[n.Name] = n
	}
	note := func(n *Node, words ...string) {
		if len(words) > 0 {
			d.Nodes = append(d.Nodes, NodeChange{n.Name, words})
		}
	}
	for _, n := range is.Nodes {
		old, there := before[n.Name]
		delete(before, n.Name)
		switch {
		case !there:
			note(n, "new, "+n.Status, "allocatable "+n.Allocatable.String())
		case old.Object.UID != n.Object.UID:
			note(n, "deleted and created again, "+n.Status, "allocatable "+n.Allocatable.String())
		default:
			note(n, nodeWords(old, n)...)
		}
	}
	for _, n := range before {
		note(n, "deleted", "had "+n.Allocatable.String())
	}
	slices.SortFunc(d.Nodes, func(a, b NodeChange) int { return strings.Compare(a.Name, b.Name) })
}

// nodeWords are the changes of a node, those that reject pods first.
func nodeWords(was, is *Node) (words []string) {
	before, _, _ := strings.Cut(was.Status, ",")
	now, _, _ := strings.Cut(is.Status, ",")
	if before != now { // a NotReady node whose kubelet falls silent stays NotReady
		words = append(words, before+" → "+now)
	}
	if was.Cordoned != is.Cordoned {
		word := "uncordoned"
		if is.Cordoned {
			word = "cordoned"
		}
		words = append(words, word)
	}
	words = append(words, changesOf(was.shortTaints(), is.shortTaints(), "taint %s added", "taint %s removed")...)
	words = append(words, changesOf(was.Pressure, is.Pressure, "%s started", "%s ended")...)
	if before, now := was.Allocatable.String(), is.Allocatable.String(); before != now {
		words = append(words, "allocatable "+now+", was "+before)
	}
	if before, now := was.Allocatable.Pods, is.Allocatable.Pods; before != now {
		words = append(words, fmt.Sprintf("allows %d pods, was %d", now, before))
	}
	return append(words, labelWords(was.Object.Labels, is.Object.Labels)...)
}

// shortTaints are the node's taints without the domain of Kubernetes' own, the
// cordon's left out.
func (n *Node) shortTaints() []string {
	var texts []string
	for _, taint := range n.SortedTaints() {
		if !n.isCordon(taint) {
			texts = append(texts, taintKey(taint)+":"+string(taint.Effect))
		}
	}
	return texts
}

// changesOf words what was added to a list and what was removed.
func changesOf(was, is []string, added, removed string) (words []string) {
	for _, one := range is {
		if !slices.Contains(was, one) {
			words = append(words, fmt.Sprintf(added, one))
		}
	}
	for _, one := range was {
		if !slices.Contains(is, one) {
			words = append(words, fmt.Sprintf(removed, one))
		}
	}
	return words
}

// labelWords word the changes of labels.
func labelWords(was, is map[string]string) (words []string) {
	names := maps.Clone(was)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, had := was[name]
		now, has := is[name]
		switch {
		case !had:
			words = append(words, "label "+name+"="+now+" added")
		case !has:
			words = append(words, "label "+name+"="+before+" removed")
		case before != now:
			words = append(words, "label "+name+"="+now+", was "+before)
		}
	}
	return words
}
