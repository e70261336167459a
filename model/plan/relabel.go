package plan

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// relabel says which running pods' rules named the labels of nodes that become
// others: the pods stay, but would not be placed there again.
func relabel(changes []Change, on *model.Snapshot) []string {
	var homeless, moved []string
	changed, keys := map[string]bool{}, map[string]bool{}
	for _, change := range changes {
		node, ok := on.Node(change.Target.Name)
		if change.Target.Resource != "nodes" || !ok || node.Object == nil {
			continue
		}
		labels := slices.DeleteFunc(slices.Clone(change.Edits), func(e Edit) bool { return !isLabel(e.Path) })
		then := edited(node.Object, labels)
		if len(labels) == 0 || then == nil {
			continue
		}
		for _, edit := range labels {
			changed[edit.Path[2]] = true
		}
		for _, pod := range node.Pods {
			switch key := spreadBy(pod.Object, labels); {
			case placed(pod.Object, node.Object) && !placed(pod.Object, then):
				homeless = append(homeless, model.Clean(pod.FullName()))
			case key != "":
				keys[key] = true
				moved = append(moved, model.Clean(pod.FullName()))
			}
		}
	}
	var sentences []string
	if n := len(homeless); n > 0 {
		sentences = append(sentences, fmt.Sprintf("%s %s, but would not be placed there again, for %s rules name %s: %s.",
			CountPods(n), grammar.Agree(n, "stays", "stay"), grammar.Agree(n, "its", "their"), joinKeys(changed), namesOf(homeless)))
	}
	if n := len(moved); n > 0 {
		sentences = append(sentences, fmt.Sprintf("%s %s, but %s counted otherwise: %s spread or gather pods by %s: %s.",
			CountPods(n), grammar.Agree(n, "stays", "stay"), grammar.Agree(n, "is", "are"), grammar.Agree(n, "its rules", "their rules"), joinKeys(keys), namesOf(moved)))
	}
	return sentences
}

func isLabel(path []string) bool {
	return len(path) == 3 && path[0] == "metadata" && path[1] == "labels"
}

// placed says whether the pod's nodeSelector and required node affinity take the
// node, by the scheduler's own matching.
func placed(pod *corev1.Pod, node *corev1.Node) bool {
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return err == nil && matches
}

// spreadBy is the key among the labels that the pod spreads, gathers or keeps its
// distance by; "" without one.
func spreadBy(pod *corev1.Pod, labels []Edit) string {
	for _, key := range topologyKeys(pod) {
		if slices.ContainsFunc(labels, func(e Edit) bool { return e.Path[2] == key }) {
			return key
		}
	}
	return ""
}

// topologyKeys are the keys of the pod's spread constraints and required terms of
// inter-pod affinity.
func topologyKeys(pod *corev1.Pod) []string {
	var keys []string
	for i := range pod.Spec.TopologySpreadConstraints {
		keys = append(keys, pod.Spec.TopologySpreadConstraints[i].TopologyKey)
	}
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return keys
	}
	var terms []corev1.PodAffinityTerm
	if affinity.PodAffinity != nil {
		terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	if affinity.PodAntiAffinity != nil {
		terms = append(terms, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	for i := range terms {
		keys = append(keys, terms[i].TopologyKey)
	}
	return keys
}

func joinKeys(keys map[string]bool) string {
	var names []string
	for key := range keys {
		names = append(names, model.Clean(key))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
