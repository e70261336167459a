// Package pods is the page of all pods, or of those of one node.
package pods

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodefacts"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page of all pods, or of those of one node.
type Page struct {
	list.Page[*model.Pod, *model.Pod]
	node   string           // "" is all
	facts  *nodefacts.Facts // of the node; nil for all
	phases Phases           // of the rows
}

// New is the page of all pods.
func New(h page.Host) *Page { return NewOf(h, "") }

// NewOf is the page of one node's pods.
func NewOf(h page.Host, node string) *Page {
	p := &Page{node: node}
	p.Host, p.Self, p.Noun = h, p, "pod"
	p.Natural, p.Rows, p.Born = func() []*model.Pod { return ofPlace(p) }, same, (*model.Pod).Since
	p.Fields = func() *query.Fields[*model.Pod] {
		return query.PodFields(h.Observed().AsOf(), h.Observed().Snapshot)
	}
	p.Table = table.New(podID, columns(p)...)
	if node != "" {
		p.facts = nodefacts.New(h, p, node)
		p.Around.Head = p.facts
	}
	p.Table.There = func(pod *model.Pod) (*model.Pod, bool) {
		now, ok := h.Observed().Snapshot.PodNamed(pod.Object.Namespace, pod.Object.Name)
		return now, ok && podID(now) == podID(pod)
	}
	return p
}

// same are the rows of a list that shows what it filters.
func same(rows []*model.Pod) []*model.Pod { return rows }

func podID(p *model.Pod) string { return string(p.Object.UID) }

// ofPlace are the pods of the namespace, and of the node. They are counted here,
// once a snapshot.
func ofPlace(p *Page) []*model.Pod {
	all := p.Host.Observed().Snapshot.Pods
	if p.node != "" {
		all = nil
		if node, ok := p.Host.Observed().Snapshot.Node(p.node); ok {
			all = node.Pods
		}
	}
	all = page.InNamespace(all, p.Host.Namespace())
	p.Table.Columns[0].Head = nameHead(p)
	p.phases.Count(all)
	return all
}

func columns(p *Page) []table.Column[*model.Pod] {
	h := p.Host
	text := func(text func(*model.Pod) string) func(*model.Pod) table.Cell {
		return func(p *model.Pod) table.Cell { return table.Cell{Text: text(p)} }
	}
	columns := []table.Column[*model.Pod]{
		{Head: nameHead(p), Field: "name", Flex: true, Names: true, Min: 26, Text: text(func(p *model.Pod) string { return page.PodName(h, p) })},
		{Head: "READY", Field: "ready", Extra: true, Gap: 1, Right: true, Text: readyCell},
		{Head: "STATUS", Field: "status", Gap: 1, Min: 17, Max: 30, State: true, Text: statusCell},
		{Head: "QOS", Field: "qos", Extra: true, Gap: 1, Min: 5, Text: text((*model.Pod).ShortQOS)},
		{Head: "NODE", Field: "node", Gap: 1, Min: 10, Max: 20, Names: true, Text: text(func(p *model.Pod) string { return h.Observed().NodeName(p.Object.Spec.NodeName) })},
		{Head: "AGE", Field: "age", Ticks: true, Extra: true, Gap: 1, Min: 4, Right: true, Text: text(func(p *model.Pod) string { return h.Observed().Since(p.Since()) })},
	}
	columns = append(columns, page.OwnColumns(h, h.Observed().Columns.Pods, func(p *model.Pod) metav1.Object { return p.Object })...)
	return append(columns, []table.Column[*model.Pod]{
		{Head: "PRIO", Field: "prio", From: 100, Gap: 1, Right: true, Text: text(func(p *model.Pod) string { return strconv.Itoa(int(p.Priority())) })},
		{Head: "RESTARTS", Field: "restarts", From: 100, Gap: 1, Right: true, Text: text(func(p *model.Pod) string { return strconv.Itoa(int(p.Restarts)) })},
		{Head: "CPU", Field: "cpu", From: 120, Gap: 1, Right: true, Text: text(func(p *model.Pod) string { return figures.Cores(p.Requests.MilliCPU) })},
		{Head: "USED", Field: "cpu.used", From: 120, Gap: 1, Right: true, Text: text(func(p *model.Pod) string {
			return h.Observed().Used(p, func(u model.Amount) string { return figures.Cores(u.MilliCPU) })
		})},
		{Head: "MEM", Field: "mem", From: 120, Right: true, Text: text(func(p *model.Pod) string { return figures.Memory(p.Requests.Memory) })},
		{Head: "USED", Field: "mem.used", From: 120, Gap: 1, Right: true, Text: text(func(p *model.Pod) string {
			return h.Observed().Used(p, func(u model.Amount) string { return figures.Memory(u.Memory) })
		})},
		{Head: "LIMITS", From: 200, Right: true, Text: text(func(p *model.Pod) string { return figures.Limits(*p.Limits) })},
		{Head: "IP", Field: "ip", From: 200, Text: text(func(p *model.Pod) string { return p.Object.Status.PodIP })},
		{Head: "OWNER", Field: "owner", From: 200, Max: 40, Names: true, Text: text(func(p *model.Pod) string { return p.Owner.String() })},
	}...)
}

func nameHead(p *Page) string {
	if p.Host.Namespace() != "" {
		return "NAME"
	}
	return "NAMESPACE/NAME"
}

func readyCell(p *model.Pod) table.Cell {
	return table.Cell{Text: fmt.Sprintf("%d/%d", p.Ready, p.Total)}
}

func statusCell(p *model.Pod) table.Cell {
	made := table.Cell{Text: p.Status}
	switch {
	case p.Failing():
		made.Tone = tone.Bad
	case p.Waits || p.Object.Status.Phase == corev1.PodPending:
		made.Tone = tone.Warning
	case p.Object.Status.Phase == corev1.PodSucceeded:
		made.Tone = tone.Dim
	}
	return made
}

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if p.facts == nil {
		return p.Page.Update(msg)
	}
	if _, snapshot := msg.(page.SnapshotMsg); snapshot {
		p.Resize(p.Width, p.Height) // the node may have other facts
	}
	return tea.Batch(p.Page.Update(msg), p.facts.Update(msg))
}

// Leave cancels what nobody will look at.
func (p *Page) Leave() {
	if p.facts != nil {
		p.facts.Leave()
	}
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	if p.node == "" {
		return []string{"pods"}
	}
	return []string{"pods", p.Host.Observed().NodeName(p.node)}
}

// Answer counts the pods by their phase.
func (p *Page) Answer(width int) string {
	if p.Host.Observed().IsReading() {
		return p.Host.ReadingWords()
	}
	if words := p.Query().NothingKept(); words != "" {
		return words
	}
	if why := p.Host.Observed().NotRead("pods"); why != "" {
		return "Pods are unknown: " + why + "."
	}
	if words := p.elsewhere(); words != "" {
		return words
	}
	return p.Query().Filtered(p.phases.Words(), width)
}

// elsewhere says that all pods of the node are of other namespaces than the one that is shown; ""
// otherwise.
func (p *Page) elsewhere() string {
	node, ok := p.Host.Observed().Snapshot.Node(p.node)
	namespace := p.Host.Namespace()
	if !ok || namespace == "" || len(p.phases.pods) > 0 || len(node.Pods) == 0 {
		return ""
	}
	if len(node.Pods) == 1 {
		return "Its only pod is not in namespace " + model.Clean(namespace) + "."
	}
	return "None of its " + model.FormatCount(len(node.Pods)) + " pods is in namespace " + model.Clean(namespace) + "."
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	pod, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(pod)
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	places := keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
	if p.node != "" {
		places |= keymap.AroundPods
	}
	return places
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	if p.node != "" {
		return page.Keys(keymap.Open, keymap.Evict, keymap.Label, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.GoNode, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Mark, keymap.More)
	}
	return page.Keys(keymap.Open, keymap.Evict, keymap.Label, keymap.GoNode, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Mark, keymap.More, keymap.Fit)
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	return page.OffPod(p.Host.Observed(), do, p.Table.SelectedGone(), p.Selected())
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if cmd, done := p.ActList(do); done {
		return cmd
	}
	return p.Host.ActOn(do, p.Selected())
}

// Targets implements page.Targeter: the selected or marked pods, and the node that the page is about.
func (p *Page) Targets() page.Targets {
	rows, gone := p.Table.Acted()
	t := page.Targets{Pods: rows, Marked: len(p.Table.Marks) > 0}
	if node, ok := p.Host.Observed().Snapshot.Node(p.node); ok {
		t.Nodes, t.Around = []*model.Node{node}, true
	}
	if gone {
		t.Gone = page.AbsentPod(p.Host.Observed(), rows[0], rows[0].FullName())
	}
	return t
}

// ShowsUsage reports whether the columns of what is used are drawn, or the node's facts.
func (p *Page) ShowsUsage() bool {
	return p.Width >= 120 || p.Table.Wide || p.facts != nil && p.Around.HasHead()
}
