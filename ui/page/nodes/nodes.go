// Package nodes is the page of all nodes, or of some that another page names together.
package nodes

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page of all nodes.
type Page struct {
	list.Page[*model.Node, *model.Node]
}

// New is the page of all nodes.
func New(h page.Host) *Page {
	n := &Page{}
	n.Host, n.Self, n.Noun, n.Rows = h, n, "node", same
	n.Born = func(n *model.Node) time.Time { return n.Object.CreationTimestamp.Time }
	n.Fields = func() *query.Fields[*model.Node] {
		return query.NodeFields(h.Observed().AsOf(), h.Observed().Snapshot.Usage)
	}
	n.Natural = func() []*model.Node { return h.Observed().Snapshot.Nodes }
	n.Table = table.New(ID, n.columns()...)
	n.Table.There = func(node *model.Node) (*model.Node, bool) {
		now, ok := h.Observed().Snapshot.Node(node.Name)
		return now, ok && ID(now) == ID(node)
	}
	return n
}

// same are the rows of a list that shows what it filters.
func same(rows []*model.Node) []*model.Node { return rows }

// ID tells a node from one of the same name.
func ID(n *model.Node) string { return n.Name + "/" + string(n.Object.UID) }

func (n *Page) columns() []table.Column[*model.Node] {
	h := n.Host
	text := func(text func(*model.Node) string) func(*model.Node) table.Cell {
		return func(n *model.Node) table.Cell { return table.Cell{Text: text(n)} }
	}
	return []table.Column[*model.Node]{
		{Head: "NAME", Field: "name", Min: 10, Max: 30, Names: true, Text: text(func(n *model.Node) string { return h.Observed().NodeName(n.Name) })},
		{Head: "STATUS", Field: "status", Min: 14, Max: 24, State: true, Text: nodeStatus},
		{Head: "CPU FREE", Field: "cpu.free", Min: 9, Right: true, Text: text(func(n *model.Node) string { return figures.FreeOf(figures.FreeCPU(n), n.Allocatable.MilliCPU) })},
		{Head: "MEM FREE", Field: "mem.free", Extra: true, Min: 9, Right: true, Text: text(func(n *model.Node) string {
			return model.FormatMemoryOf(figures.FreeMemory(n), n.Allocatable.Memory)
		})},
		{Head: "TAINTS", Field: "taint", Flex: true, Text: text(func(n *model.Node) string { return n.Taints })},
		{Head: "PODS", Field: "pods", Gap: 1, Min: 6, From: 100, Right: true, Text: text(func(n *model.Node) string {
			return fmt.Sprintf("%d/%d", len(n.Pods), n.Allocatable.Pods)
		})},
		{Head: "AGE", Field: "age", Ticks: true, From: 100, Min: 4, Right: true, Text: text(func(n *model.Node) string { return h.Observed().Since(n.Object.CreationTimestamp.Time) })},
		{Head: "ZONE", Field: "zone", From: 120, Text: text(func(n *model.Node) string { return n.Zone })},
		{Head: "CPU", Field: "cpu", From: 120, Min: barWidth, Text: func(n *model.Node) table.Cell { return cpuBar(h.Observed(), n) }},
		{Head: "MEMORY", Field: "mem", From: 120, Min: barWidth, Text: func(n *model.Node) table.Cell { return memoryBar(h.Observed(), n) }},
		{Head: "POOL", Field: "pool", From: 200, Text: text(func(n *model.Node) string { return n.Pool })},
		{Head: "INSTANCE", Field: "instance", From: 200, Text: text(func(n *model.Node) string { return n.Instance })},
		{Head: "VERSION", Field: "version", From: 200, Text: text(func(n *model.Node) string { return n.Version })},
		{Head: "LIMITS", From: 200, Text: text(func(n *model.Node) string { return figures.Limits(n.Limits) })},
	}
}

func nodeStatus(n *model.Node) table.Cell {
	made := table.Cell{Text: n.Status}
	switch {
	case n.Ready != corev1.ConditionTrue:
		made.Tone = tone.Bad
	case n.Cordoned || len(n.Pressure) > 0:
		made.Tone = tone.Warning
	default:
		made.Tone = tone.Good
	}
	return made
}

// Crumbs implements page.View.
func (n *Page) Crumbs() []string { return []string{"nodes"} }

// Answer counts the nodes, and the free capacity of those that accept pods.
func (n *Page) Answer(width int) string {
	h := n.Host
	if h.Observed().IsReading() && len(h.Observed().Snapshot.Nodes) == 0 {
		return h.ReadingWords()
	}
	if words := n.Query().NothingKept(); words != "" {
		return words
	}
	if why := h.Observed().NotRead("nodes"); why != "" {
		return "Nodes are unknown: " + why + "."
	}
	words := n.Query().Filtered(nodeCounts(h.Observed().Snapshot.Nodes), width)
	if n.ShowsUsage() {
		words = cells.Spread(words, n.legend(width-12-cells.Width(words)), width-12)
	}
	return words
}

// legend explains the bars, and says why usage is unknown if room cells are enough
// for that: the answer comes first, and ! lists the reason.
func (n *Page) legend(room int) string {
	const rest = "  ▒ requested  · free"
	note := n.Host.Observed().Snapshot.Status.MetricsNote
	if note == "" {
		return "█ used" + rest
	}
	if words := "used: ? (" + model.Clean(note) + ")" + rest; cells.Width(words)+2 <= room {
		return words
	}
	return "used: ?" + rest
}

// nodeCounts counts nodes by whether they are ready, and sums the free capacity of
// the ready ones that are not cordoned.
func nodeCounts(all []*model.Node) string {
	ready, cordoned := 0, 0
	others := map[string]int{}
	var cpu, bytes int64
	usable := 0
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
			usable++
			cpu = model.Sum(cpu, figures.FreeCPU(n))
			bytes = model.Sum(bytes, figures.FreeMemory(n))
		}
	}
	states := []string{fmt.Sprintf("%s: %d Ready", figures.Count(len(all), "node", "nodes"), ready)}
	if cordoned > 0 {
		states[0] += fmt.Sprintf(" (%d cordoned)", cordoned)
	}
	for _, word := range []string{"NotReady", "Unknown"} {
		if k := others[word]; k > 0 {
			states = append(states, fmt.Sprintf("%d %s", k, word))
		}
	}
	free := "Free"
	if usable < len(all) { // those that are Ready and not cordoned
		free = "Free on " + model.FormatCount(usable)
	}
	return fmt.Sprintf("%s. %s: cpu %d, memory %s.", strings.Join(states, ", "), free, cpu/1000, model.FormatMemory(bytes, model.Down))
}

func notReady(n *model.Node) string {
	if n.Ready == corev1.ConditionFalse {
		return "NotReady"
	}
	return "Unknown"
}

// Selected implements page.View.
func (n *Page) Selected() page.Selection {
	node, ok := n.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: "nodes", Name: node.Name, UID: node.Object.UID}, Node: node, Copy: node.Name}
}

// Places implements page.View.
func (n *Page) Places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnNode }

// Footer implements page.View.
func (n *Page) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Mark, keymap.Wide, keymap.More)
}

// Off implements page.View.
func (n *Page) Off(do keymap.Action) string {
	node, ok := n.Table.Selected()
	switch do {
	case keymap.Open, keymap.Explain, keymap.Describe, keymap.YAML, keymap.Copy:
		if !ok {
			return "no node is selected."
		}
		if n.Table.SelectedGone() {
			return node.Name + " is gone."
		}
	}
	return ""
}

// Act implements page.View.
func (n *Page) Act(do keymap.Action) tea.Cmd {
	if cmd, done := n.ActList(do); done {
		return cmd
	}
	if do == keymap.Open {
		return n.Host.OpenPods(n.Selected().Node.Name)
	}
	return n.Host.ActOn(do, n.Selected())
}

// Note is the selected node's taints, if they are cut, and how long it has them.
func (n *Page) Note() string {
	node, ok := n.Table.Selected()
	all := n.Table.CutCells()
	if !ok || len(all) == 0 {
		return ""
	}
	if all[len(all)-1].Head != "TAINTS" {
		return n.Page.Note()
	}
	var taints []string
	for _, t := range node.Object.Spec.Taints {
		if t.Key != corev1.TaintNodeUnschedulable {
			taints = append(taints, strings.TrimPrefix(t.ToString(), "node.kubernetes.io/"))
		}
	}
	words := n.Host.Observed().NodeName(node.Name) + " taints: " + strings.Join(taints, ", ")
	return model.Clean(words + taintedFor(n.Host.Observed(), node))
}

// taintedFor says how long the node has its taints, where that is the same for all.
func taintedFor(o *page.Observed, node *model.Node) string {
	ages := map[string]bool{}
	for _, t := range node.Object.Spec.Taints {
		if t.TimeAdded == nil {
			return ""
		}
		ages[o.Since(t.TimeAdded.Time)] = true
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

// Targets implements page.Targeter: the selected or marked nodes.
func (n *Page) Targets() page.Targets {
	rows, gone := n.Table.Acted()
	t := page.Targets{Nodes: rows}
	if gone {
		t.Gone = rows[0].Name
	}
	return t
}

// ShowsUsage reports whether the columns with bars are drawn.
func (n *Page) ShowsUsage() bool { return n.Width >= 120 || n.Table.Wide }
