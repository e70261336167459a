// Package nodes is the page of all nodes, or of some that another page names together.
package nodes

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Page is the page of all nodes.
type Page struct {
	list.Page[*model.Node, *model.Node]
	draw    drawing
	counts  counts
	unready unready
	devices devices
	warns   warnings.Watch
}

// New is the page of all nodes.
func New(h page.Host) *Page {
	n := &Page{}
	n.Host, n.Self, n.Noun, n.Rows = h, n, "node", n.arranged
	n.draw = drawing{host: h, usage: n.ShowsUsage, devices: &n.devices}
	n.devices.page = n
	n.Around.Above = func() string { return n.counts.gauges(h, n.Width) }
	n.Around.Below, n.Around.Most = n.preview, previewRows
	n.unready.page = n
	n.warns = warnings.Watch{Host: h, Self: n, On: warnings.Nodes}
	n.Around.After = func(rows int) []string { return warningLines(n, rows) }
	n.Settled = n.unready.follow
	n.Born = born
	n.Fields = func() *query.Fields[*model.Node] {
		return query.NodeFields(h.Observed().AsOf(), h.Observed().Snapshot.Usage)
	}
	n.Natural = func() []*model.Node { return h.Observed().Snapshot.Nodes }
	n.Table = table.New(ID, n.draw.columns()...)
	n.Table.Own = table.Rising // of names
	n.Table.There = func(node *model.Node) (*model.Node, bool) {
		now, ok := h.Observed().Snapshot.Node(node.Name)
		return now, ok && ID(now) == ID(node)
	}
	return n
}

// born is when the youngest age began that a row shows: the node's, or that of not being
// Ready.
func born(n *model.Node) time.Time {
	if since := n.ReadySince; n.Ready != corev1.ConditionTrue && since.After(n.Object.CreationTimestamp.Time) {
		return since
	}
	return n.Object.CreationTimestamp.Time
}

// Resize implements page.View.
func (n *Page) Resize(width, height int) {
	n.Page.Resize(width, height)
	n.reshape()
}

// ID tells a node from one of the same name.
func ID(n *model.Node) string { return n.Name + "/" + string(n.Object.UID) }

// Crumbs implements page.View.
func (n *Page) Crumbs() []string { return []string{"nodes"} }

// Answer counts the nodes by their state, and those that are full.
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
	bars := n.ShowsUsage() && !h.Large() // large figures have none
	room := width
	if bars {
		room -= cells.Width(legend("", 0)) + 13 // as far as it is spread
	}
	var words string
	if n.Query().Keeps() == "" {
		lead := n.warns.Lead()
		words = lead + n.counts.wordsWith(n.warns.Soon(), room-cells.Width(lead))
		words = n.warns.After(words, room)
	} else {
		words = filtered(n, room)
	}
	if bars {
		words = cells.Spread(words, legend(h.Observed().Snapshot.Status.MetricsNote, width-12-cells.Width(words)), width-12)
	}
	return words
}

// filtered is an answer with a filter in force: how many match comes before pressure, and what else is
// counted besides.
func filtered(n *Page, room int) string {
	words := n.Query().Filtered(n.counts.words(room), room)
	for _, fewer := range []string{n.counts.calm, n.counts.brief} {
		if cells.Width(words) <= room {
			return words
		}
		words = n.Query().Filtered(fewer, room)
	}
	return words
}

// warningLines are what limits the cluster, in full, after the last row of the list.
func warningLines(n *Page, rows int) []string {
	if n.Query().Keeps() != "" {
		return nil
	}
	return n.warns.Lines(n.Table.Width, rows)
}

// legend explains the bars. note says why usage is unknown, and is part of it if room
// cells are enough: the answer comes first, and ! lists the reason.
func legend(note string, room int) string {
	const requested = "█ requested  "
	if note == "" {
		return requested + "╎ used"
	}
	if words := requested + "used: ? (" + model.Clean(note) + ")"; cells.Width(words)+2 <= room {
		return words
	}
	return requested + "used: ?"
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
	made := page.Keys(keymap.Open, keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.NodeMap, keymap.Label, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Mark, keymap.Wide)
	if n.Width < moreFrom { // the map has its place
		return made
	}
	return append(made, page.Key{Do: keymap.More})
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
			return page.AbsentNode(n.Host.Observed(), node, node.Name)
		}
	}
	return ""
}

// Update implements page.View.
func (n *Page) Update(msg tea.Msg) tea.Cmd {
	return tea.Batch(n.unready.update(msg), n.devices.update(msg), n.warns.Update(msg), n.Page.Update(msg), n.unready.follow())
}

// Act implements page.View.
func (n *Page) Act(do keymap.Action) tea.Cmd {
	if cmd, done := n.ActList(do); done {
		return tea.Batch(cmd, n.unready.follow())
	}
	switch do {
	case keymap.Open:
		return n.Host.OpenPods(n.Selected().Node.Name)
	case keymap.NodeMap:
		return n.Host.Open(nodemap.New(n.Host, nodemap.Source{
			Crumbs: n.Self.Crumbs(), All: n.Natural, Filter: n.InForce, At: n.Selected().Ref.Name,
		}))
	}
	return n.Host.ActOn(do, n.Selected())
}

// Note is the selected node's taints, if they are cut, and how long it has them.
func (n *Page) Note() string {
	node, ok := n.Table.Selected()
	all := n.Table.CutCells()
	if !ok || len(all) == 0 || all[len(all)-1].Head != "TAINTS" {
		return n.Page.Note()
	}
	var taints []string
	for _, t := range node.Object.Spec.Taints {
		if t.Key != corev1.TaintNodeUnschedulable {
			taints = append(taints, strings.TrimPrefix(t.ToString(), "node.kubernetes.io/"))
		}
	}
	words := n.Host.Observed().NodeName(node.Name) + " taints: " + strings.Join(taints, ", ")
	return page.WithHidden(model.Clean(words+taintedFor(n.Host.Observed(), node)), list.Hidden(&n.Page), n.Width)
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
	t := page.Targets{Nodes: rows, Marked: len(n.Table.Marks) > 0}
	if gone {
		t.Gone = page.AbsentNode(n.Host.Observed(), rows[0], rows[0].Name)
	}
	return t
}

// ShowsUsage reports whether usage is drawn in the bars.
func (n *Page) ShowsUsage() bool {
	return n.Table.Wide || n.Width >= usageFrom && !n.Host.Large()
}
