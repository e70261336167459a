package ui

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

// nodes is the page of all nodes.
type nodes struct {
	list.Page[*model.Node, *model.Node]
	app *App
}

func newNodes(a *App) *nodes {
	n := &nodes{}
	n.app, n.Host, n.Self, n.Noun, n.Rows = a, &a.host, n, "node", same
	n.Born = func(n *model.Node) time.Time { return n.Object.CreationTimestamp.Time }
	n.Fields = func() *query.Fields[*model.Node] {
		return query.NodeFields(a.observed.AsOf(), a.observed.Snapshot.Usage)
	}
	n.Natural = func() []*model.Node { return a.observed.Snapshot.Nodes }
	n.Table = table.New(nodeID, n.columns()...)
	n.Table.There = func(node *model.Node) (*model.Node, bool) {
		now, ok := a.observed.Snapshot.Node(node.Name)
		return now, ok && nodeID(now) == nodeID(node)
	}
	return n
}

// goNode opens Nodes with the node of that name selected.
func (o *opener) goNode(name string) tea.Cmd {
	if _, ok := o.app.observed.Snapshot.Node(name); !ok {
		return o.app.said.say("There is no node " + name + ".")
	}
	o.app.pages.nodes.Seeks = func(n *model.Node) bool { return n.Name == name }
	return o.app.history.open(o.app.pages.nodes)
}

func nodeID(n *model.Node) string { return n.Name + "/" + string(n.Object.UID) }

func (n *nodes) columns() []table.Column[*model.Node] {
	a := n.app
	text := func(text func(*model.Node) string) func(*model.Node) table.Cell {
		return func(n *model.Node) table.Cell { return table.Cell{Text: text(n)} }
	}
	return []table.Column[*model.Node]{
		{Head: "NAME", Field: "name", Min: 10, Max: 30, Names: true, Text: text(func(n *model.Node) string { return a.observed.NodeName(n.Name) })},
		{Head: "STATUS", Field: "status", Min: 14, Max: 24, State: true, Text: nodeStatus},
		{Head: "CPU FREE", Field: "cpu.free", Min: 9, Right: true, Text: text(func(n *model.Node) string { return figures.FreeOf(freeCPU(n), n.Allocatable.MilliCPU) })},
		{Head: "MEM FREE", Field: "mem.free", Extra: true, Min: 9, Right: true, Text: text(func(n *model.Node) string {
			return model.FormatMemoryOf(freeMemory(n), n.Allocatable.Memory)
		})},
		{Head: "TAINTS", Field: "taint", Flex: true, Text: text(func(n *model.Node) string { return n.Taints })},
		{Head: "PODS", Field: "pods", Gap: 1, Min: 6, From: 100, Right: true, Text: text(func(n *model.Node) string {
			return fmt.Sprintf("%d/%d", len(n.Pods), n.Allocatable.Pods)
		})},
		{Head: "AGE", Field: "age", Ticks: true, From: 100, Min: 4, Right: true, Text: text(func(n *model.Node) string { return a.observed.Since(n.Object.CreationTimestamp.Time) })},
		{Head: "ZONE", Field: "zone", From: 120, Text: text(func(n *model.Node) string { return n.Zone })},
		{Head: "CPU", Field: "cpu", From: 120, Min: barWidth, Text: func(n *model.Node) table.Cell { return cpuBar(&a.observed, n) }},
		{Head: "MEMORY", Field: "mem", From: 120, Min: barWidth, Text: func(n *model.Node) table.Cell { return memoryBar(&a.observed, n) }},
		{Head: "POOL", Field: "pool", From: 200, Text: text(func(n *model.Node) string { return n.Pool })},
		{Head: "INSTANCE", Field: "instance", From: 200, Text: text(func(n *model.Node) string { return n.Instance })},
		{Head: "VERSION", Field: "version", From: 200, Text: text(func(n *model.Node) string { return n.Version })},
		{Head: "LIMITS", From: 200, Text: text(func(n *model.Node) string { return figures.Limits(n.Limits) })},
	}
}

func freeCPU(n *model.Node) int64 {
	return max(n.Free(func(r *model.Resources) int64 { return r.MilliCPU }), 0)
}

func freeMemory(n *model.Node) int64 {
	return max(n.Free(func(r *model.Resources) int64 { return r.Memory }), 0)
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

func (n *nodes) Crumbs() []string { return []string{"nodes"} }

// Answer counts the nodes, and the free capacity of those that accept pods.
func (n *nodes) Answer(width int) string {
	a := n.app
	if a.observed.IsReading() && len(a.observed.Snapshot.Nodes) == 0 {
		return a.contexts.readingWords()
	}
	if words := n.NothingKept(); words != "" {
		return words
	}
	if why := a.observed.NotRead("nodes"); why != "" {
		return "Nodes are unknown: " + why + "."
	}
	words := n.Filtered(nodeCounts(a.observed.Snapshot.Nodes), width)
	if n.barsShown() {
		words = cells.Spread(words, n.legend(width-12-cells.Width(words)), width-12)
	}
	return words
}

// legend explains the bars, and says why usage is unknown if room cells are enough
// for that: the answer comes first, and ! lists the reason.
func (n *nodes) legend(room int) string {
	const rest = "  ▒ requested  · free"
	note := n.app.observed.Snapshot.Status.MetricsNote
	if note == "" {
		return "█ used" + rest
	}
	if words := "used: ? (" + model.Clean(note) + ")" + rest; cells.Width(words)+2 <= room {
		return words
	}
	return "used: ?" + rest
}

// barsShown reports whether the columns with bars are drawn.
func (n *nodes) barsShown() bool { return n.Width >= 120 || n.Table.Wide }

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
			cpu = model.Sum(cpu, freeCPU(n))
			bytes = model.Sum(bytes, freeMemory(n))
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

func (n *nodes) Selected() page.Selection {
	node, ok := n.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: "nodes", Name: node.Name, UID: node.Object.UID}, Node: node, Copy: node.Name}
}

func (n *nodes) Places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnNode }

func (n *nodes) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Mark, keymap.Wide, keymap.More)
}

func (n *nodes) Off(do keymap.Action) string {
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

func (n *nodes) Act(do keymap.Action) tea.Cmd {
	if cmd, done := n.ActList(do); done {
		return cmd
	}
	if do == keymap.Open {
		return n.app.history.open(newPodsOf(n.app, n.Selected().Node.Name))
	}
	return n.app.opener.actOn(do, n.Selected())
}

// Note is the selected node's taints, if they are cut, and how long it has them.
func (n *nodes) Note() string {
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
	words := n.app.observed.NodeName(node.Name) + " taints: " + strings.Join(taints, ", ")
	return model.Clean(words + n.taintedFor(node))
}

// taintedFor says how long the node has its taints, where that is the same for all.
func (n *nodes) taintedFor(node *model.Node) string {
	ages := map[string]bool{}
	for _, t := range node.Object.Spec.Taints {
		if t.TimeAdded == nil {
			return ""
		}
		ages[n.app.observed.Since(t.TimeAdded.Time)] = true
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
