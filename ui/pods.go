package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// pods is the page of all pods, or of those of one node.
type pods struct {
	list.Page[*model.Pod, *model.Pod]
	app    *App
	node   string // "" is all
	phases phases // of the rows
}

func newPods(a *App) *pods { return newPodsOf(a, "") }

// newPodsOf is the page of one node's pods.
func newPodsOf(a *App, node string) *pods {
	p := &pods{node: node}
	p.app, p.Host, p.Self, p.Noun = a, &a.host, p, "pod"
	p.Natural, p.Rows, p.Born = p.ofPlace, same, (*model.Pod).Since
	p.Fields = func() *query.Fields[*model.Pod] { return query.PodFields(a.observed.AsOf(), a.observed.Snapshot) }
	p.Table = table.New(podID, p.columns()...)
	p.Table.There = func(pod *model.Pod) (*model.Pod, bool) {
		now, ok := a.observed.Snapshot.PodNamed(pod.Object.Namespace, pod.Object.Name)
		return now, ok && podID(now) == podID(pod)
	}
	return p
}

// same are the rows of a list that shows what it filters.
func same[R any](rows []R) []R { return rows }

func podID(p *model.Pod) string { return string(p.Object.UID) }

// ofPlace are the pods of the namespace, and of the node. They are counted here,
// once a snapshot.
func (p *pods) ofPlace() []*model.Pod {
	all := p.app.observed.Snapshot.Pods
	if p.node != "" {
		all = nil
		if node, ok := p.app.observed.Snapshot.Node(p.node); ok {
			all = node.Pods
		}
	}
	all = page.InNamespace(all, p.app.namespace())
	p.Table.Columns[0].Head = p.nameHead()
	p.phases.count(all)
	return all
}

func (p *pods) columns() []table.Column[*model.Pod] {
	a := p.app
	text := func(text func(*model.Pod) string) func(*model.Pod) table.Cell {
		return func(p *model.Pod) table.Cell { return table.Cell{Text: text(p)} }
	}
	return []table.Column[*model.Pod]{
		{Head: p.nameHead(), Field: "name", Flex: true, Names: true, Min: 26, Text: text(func(p *model.Pod) string { return page.PodName(&a.host, p) })},
		{Head: "READY", Field: "ready", Extra: true, Gap: 1, Right: true, Text: readyCell},
		{Head: "STATUS", Field: "status", Gap: 1, Min: 17, Max: 30, State: true, Text: statusCell},
		{Head: "QOS", Field: "qos", Extra: true, Gap: 1, Min: 5, Text: text((*model.Pod).ShortQOS)},
		{Head: "NODE", Field: "node", Gap: 1, Min: 10, Max: 20, Names: true, Text: text(func(p *model.Pod) string { return a.observed.NodeName(p.Object.Spec.NodeName) })},
		{Head: "AGE", Field: "age", Ticks: true, Extra: true, Gap: 1, Min: 4, Right: true, Text: text(func(p *model.Pod) string { return a.observed.Since(p.Since()) })},
		{Head: "PRIO", Field: "prio", From: 100, Gap: 1, Right: true, Text: text(func(p *model.Pod) string { return strconv.Itoa(int(p.Priority())) })},
		{Head: "RESTARTS", Field: "restarts", From: 100, Gap: 1, Right: true, Text: text(func(p *model.Pod) string { return strconv.Itoa(int(p.Restarts)) })},
		{Head: "CPU", Field: "cpu", From: 120, Gap: 1, Right: true, Text: text(func(p *model.Pod) string { return figures.Cores(p.Requests.MilliCPU) })},
		{Head: "USED", Field: "cpu.used", From: 120, Gap: 1, Right: true, Text: text(func(p *model.Pod) string {
			return a.observed.Used(p, func(u model.Amount) string { return figures.Cores(u.MilliCPU) })
		})},
		{Head: "MEM", Field: "mem", From: 120, Right: true, Text: text(func(p *model.Pod) string { return figures.Memory(p.Requests.Memory) })},
		{Head: "USED", Field: "mem.used", From: 120, Gap: 1, Right: true, Text: text(func(p *model.Pod) string {
			return a.observed.Used(p, func(u model.Amount) string { return figures.Memory(u.Memory) })
		})},
		{Head: "LIMITS", From: 200, Right: true, Text: text(func(p *model.Pod) string { return figures.Limits(p.Limits) })},
		{Head: "IP", Field: "ip", From: 200, Text: text(func(p *model.Pod) string { return p.Object.Status.PodIP })},
		{Head: "OWNER", Field: "owner", From: 200, Max: 40, Names: true, Text: text(func(p *model.Pod) string { return p.Owner.String() })},
	}
}

func (p *pods) nameHead() string {
	if p.app.namespace() != "" {
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
	case p.Object.Status.Phase == corev1.PodFailed || strings.Contains(p.Status, "Err") || strings.Contains(p.Status, "BackOff"):
		made.Tone = tone.Bad
	case p.Waits || p.Object.Status.Phase == corev1.PodPending:
		made.Tone = tone.Warning
	case p.Object.Status.Phase == corev1.PodSucceeded:
		made.Tone = tone.Dim
	}
	return made
}

func (p *pods) Crumbs() []string {
	if p.node == "" {
		return []string{"pods"}
	}
	return []string{"pods", p.app.observed.NodeName(p.node)}
}

// Answer counts the pods by their phase.
func (p *pods) Answer(width int) string {
	if p.app.observed.IsReading() {
		return p.app.contexts.readingWords()
	}
	if words := p.NothingKept(); words != "" {
		return words
	}
	if why := p.app.observed.NotRead("pods"); why != "" {
		return "Pods are unknown: " + why + "."
	}
	return p.Filtered(p.phases.words(), width)
}

func (p *pods) Selected() page.Selection {
	pod, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(pod)
}

func (p *pods) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
}

func (p *pods) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.Evict, keymap.Label, keymap.GoNode, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Mark, keymap.More)
}

func (p *pods) Off(do keymap.Action) string {
	return page.OffPod(&p.app.observed, do, p.Table.SelectedGone(), p.Selected())
}

func (p *pods) Act(do keymap.Action) tea.Cmd {
	if cmd, done := p.ActList(do); done {
		return cmd
	}
	return p.app.opener.actOn(do, p.Selected())
}
