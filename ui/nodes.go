package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// nodes is the page of all nodes.
type nodes struct{ list[*model.Node] }

func newNodes(a *App) *nodes {
	n := &nodes{}
	n.app, n.self = a, n
	n.natural = func() []*model.Node { return a.snapshot.Nodes }
	n.table = newTable(nodeID, n.columns()...)
	return n
}

func nodeID(n *model.Node) string { return n.Name + "/" + string(n.Object.UID) }

func (n *nodes) columns() []column[*model.Node] {
	a := n.app
	text := func(head string, from int, text func(*model.Node) string) column[*model.Node] {
		return column[*model.Node]{head: head, from: from, text: func(n *model.Node) cell { return cell{text: text(n)} }}
	}
	return []column[*model.Node]{
		{head: "NAME", min: 10, max: 30, names: true, text: func(n *model.Node) cell { return cell{text: a.nodeName(n.Name)} }},
		{head: "STATUS", min: 14, max: 24, state: true, text: nodeStatus},
		{head: "CPU FREE", min: 9, right: true, text: func(n *model.Node) cell {
			return cell{text: freeOf(freeCPU(n), n.Allocatable.MilliCPU)}
		}, order: func(a, b *model.Node) int { return cmp.Compare(freeCPU(b), freeCPU(a)) }},
		{head: "MEM FREE", min: 9, right: true, text: func(n *model.Node) cell {
			return cell{text: model.FormatMemoryOf(freeMemory(n), n.Allocatable.Memory)}
		}, order: func(a, b *model.Node) int { return cmp.Compare(freeMemory(b), freeMemory(a)) }},
		{head: "TAINTS", flex: true, text: func(n *model.Node) cell { return cell{text: n.Taints} }},
		{head: "PODS", gap: 1, min: 6, from: 100, right: true, text: func(n *model.Node) cell {
			return cell{text: fmt.Sprintf("%d/%d", len(n.Pods), n.Allocatable.Pods)}
		}, order: func(a, b *model.Node) int { return cmp.Compare(len(b.Pods), len(a.Pods)) }},
		{
			head: "AGE", from: 100, min: 4, right: true,
			text: func(n *model.Node) cell { return cell{text: a.since(n.Object.CreationTimestamp.Time)} },
			order: func(a, b *model.Node) int {
				return b.Object.CreationTimestamp.Compare(a.Object.CreationTimestamp.Time)
			},
		},
		text("ZONE", 120, func(n *model.Node) string { return n.Zone }),
		{head: "CPU", from: 120, min: barWidth, text: a.cpuBar, order: func(a, b *model.Node) int {
			return cmp.Compare(share(b.Requested.MilliCPU, b.Allocatable.MilliCPU), share(a.Requested.MilliCPU, a.Allocatable.MilliCPU))
		}},
		{head: "MEMORY", from: 120, min: barWidth, text: a.memoryBar, order: func(a, b *model.Node) int {
			return cmp.Compare(share(b.Requested.Memory, b.Allocatable.Memory), share(a.Requested.Memory, a.Allocatable.Memory))
		}},
		text("POOL", 200, func(n *model.Node) string { return n.Pool }),
		text("INSTANCE", 200, func(n *model.Node) string { return n.Instance }),
		text("VERSION", 200, func(n *model.Node) string { return n.Version }),
		text("LIMITS", 200, func(n *model.Node) string { return limits(n.Limits) }),
	}
}

func freeCPU(n *model.Node) int64    { return max(n.Allocatable.MilliCPU-n.Requested.MilliCPU, 0) }
func freeMemory(n *model.Node) int64 { return max(n.Allocatable.Memory-n.Requested.Memory, 0) }

func nodeStatus(n *model.Node) cell {
	made := cell{text: n.Status}
	switch {
	case n.Ready != corev1.ConditionTrue:
		made.tone = bad
	case n.Cordoned || len(n.Pressure) > 0:
		made.tone = warning
	default:
		made.tone = good
	}
	return made
}

func (n *nodes) crumbs() []string { return []string{"nodes"} }

// answer counts the nodes and the room on those that take pods.
func (n *nodes) answer(width int) string {
	a := n.app
	if a.isReading() && len(a.snapshot.Nodes) == 0 {
		return a.readingWords()
	}
	words := nodeCounts(a.snapshot.Nodes)
	if n.barsShown() {
		words = spread(words, "█ used  ▒ requested  · free", width-12)
	}
	return words
}

// barsShown reports whether the columns with bars are drawn.
func (n *nodes) barsShown() bool { return n.width >= 120 || n.table.wide }

// nodeCounts counts nodes by whether they are ready, and the room on the ready
// ones that are not cordoned.
func nodeCounts(all []*model.Node) string {
	ready, cordoned := 0, 0
	others := map[string]int{}
	var cpu, bytes int64
	for _, n := range all {
		if n.Ready == corev1.ConditionTrue {
			ready++
		} else {
			others[notReady(n)]++
		}
		if n.Cordoned {
			cordoned++
		}
		if n.Ready == corev1.ConditionTrue && !n.Cordoned {
			cpu += freeCPU(n)
			bytes += freeMemory(n)
		}
	}
	words := fmt.Sprintf("%s: %d Ready", count(len(all), "node", "nodes"), ready)
	if cordoned > 0 {
		words += fmt.Sprintf(" (%d cordoned)", cordoned)
	}
	for _, word := range []string{"NotReady", "Unknown"} {
		if k := others[word]; k > 0 {
			words += fmt.Sprintf(", %d %s", k, word)
		}
	}
	return fmt.Sprintf("%s. Room: cpu %d, memory %s.", words, cpu/1000, memory(bytes))
}

func notReady(n *model.Node) string {
	if n.Ready == corev1.ConditionFalse {
		return "NotReady"
	}
	return "Unknown"
}

func (n *nodes) selected() selection {
	node, ok := n.table.selected()
	if !ok {
		return selection{}
	}
	return selection{ref: model.Ref{Resource: "nodes", Name: node.Name, UID: node.Object.UID}, node: node, copy: node.Name}
}

func (n *nodes) places() place { return everywhere | lists | onNode }

func (n *nodes) footer() []footKey {
	return keys(doOpen, doDescribe, doYAML, doFilter, doSort, doMark, doWide, doPalette)
}

func (n *nodes) off(do action) string {
	node, ok := n.table.selected()
	switch do {
	case doOpen, doDescribe, doYAML, doCopy:
		if !ok {
			return "no node is selected."
		}
		if n.table.selectedGone() {
			return node.Name + " is gone."
		}
	}
	return ""
}

func (n *nodes) act(do action) tea.Cmd {
	if cmd, done := n.actList(do); done {
		return cmd
	}
	if do == doOpen {
		return n.app.open(newPodsOf(n.app, n.selected().node.Name))
	}
	return n.app.actOn(do, n.selected())
}

// note tells the selected node's taints, if they are cut, and since when it is not ready.
func (n *nodes) note() string {
	node, ok := n.table.selected()
	if head, _, _ := n.table.cutText(); !ok || head == "" {
		return ""
	} else if head != "TAINTS" {
		return n.list.note()
	}
	var taints []string
	for _, t := range node.Object.Spec.Taints {
		if t.Key != corev1.TaintNodeUnschedulable {
			taints = append(taints, strings.TrimPrefix(t.ToString(), "node.kubernetes.io/"))
		}
	}
	words := n.app.nodeName(node.Name) + " taints: " + strings.Join(taints, ", ")
	return model.Clean(words + n.taintedFor(node))
}

// taintedFor says how long the node has its taints, where all of them tell the same.
func (n *nodes) taintedFor(node *model.Node) string {
	ages := map[string]bool{}
	for _, t := range node.Object.Spec.Taints {
		if t.TimeAdded == nil {
			return ""
		}
		ages[n.app.since(t.TimeAdded.Time)] = true
	}
	if len(ages) != 1 {
		return ""
	}
	for age := range ages {
		switch len(node.Object.Spec.Taints) {
		case 1:
			return ", for " + age
		case 2:
			return ", both for " + age
		}
		return ", all for " + age
	}
	return ""
}
