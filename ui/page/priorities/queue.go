package priorities

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// QueuePage is the page of the pending pods without a node, in the scheduler's order.
type QueuePage struct {
	computed.Page[inventory.Queued]
	first func(queued) bool // the pod that is selected once the rows are there
}

type queued = inventory.Queued

// NewQueue is the page of the queue with a pod selected, by namespace/name; "" is the first.
func NewQueue(h page.Host, pod string) *QueuePage {
	p := &QueuePage{}
	p.Begin(h, p, "pod", podName, p.columns()...)
	p.Path = []string{"priorities", "queue"}
	p.Keys = page.Keys(keymap.Open, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort)
	p.Compute = func(s *model.Snapshot, _ *model.Objects, _ time.Time) []queued { return inventory.Queue(s) }
	p.NamespaceOf = func(q queued) string { return q.Namespace }
	all := p.Natural
	p.Natural = func() []queued {
		rows := all()
		at := slices.IndexFunc(p.Table.Columns, func(c table.Column[queued]) bool { return c.Field == schedulerField })
		column := &p.Table.Columns[at]
		if column.From, column.Max = schedulerFrom(rows), schedulerMost; p.Width < cells.WideFrom {
			column.Max = schedulerLeast
		}
		return rows
	}
	p.first = func(q queued) bool { return podName(q) == pod }
	p.Fields = computed.FieldsOf(podName,
		query.Number("place", query.Integer, func(q queued) (int64, bool) { return int64(q.Place), true }),
		query.Words("name", func(q queued) string { return q.Name }),
		query.Words("ns", func(q queued) string { return q.Namespace }),
		query.Number("prio", query.Integer, func(q queued) (int64, bool) { return int64(q.Pod.Priority()), true }),
		query.Words("class", func(q queued) string { return q.Pod.Object.Spec.PriorityClassName }),
		query.Words("state", func(q queued) string { return stateWord(q.State) }),
		query.Words("nominated", func(q queued) string { return q.Nominated }),
		query.Words("scheduler", func(q queued) string { return q.Scheduler }),
	)
	return p
}

const (
	// schedulerField is the column of the scheduler.
	schedulerField = "scheduler"
	// schedulerMost is its width at most, schedulerLeast where it stands beside few columns.
	schedulerMost, schedulerLeast = 20, 11
)

// schedulerFrom is the width from which the scheduler is a column: each has a queue of its own, so
// that a place says nothing without its name where there are several.
func schedulerFrom(rows []queued) int {
	if slices.ContainsFunc(rows, func(q queued) bool { return q.Scheduler != rows[0].Scheduler }) {
		return 0
	}
	return cells.WideFrom
}

func podName(q queued) string { return q.Namespace + "/" + q.Name }

func (p *QueuePage) columns() []table.Column[queued] {
	text := func(text func(queued) string) func(queued) table.Cell {
		return func(q queued) table.Cell { return table.Cell{Text: text(q)} }
	}
	return []table.Column[queued]{
		{Head: "PLACE", Field: "place", Right: true, Text: text(func(q queued) string { return strconv.Itoa(q.Place) })},
		{Head: "NAMESPACE/POD", Field: "name", Names: true, Flex: true, Min: 20, Text: text(podName)},
		{Head: "PRIO", Field: "prio", Gap: 1, Min: 6, Right: true, Text: text(func(q queued) string { return strconv.Itoa(int(q.Pod.Priority())) })},
		{Head: "AGE", Gap: 1, Min: 4, Right: true, Ticks: true, Text: text(func(q queued) string { return p.Host.Observed().Since(q.Pod.Since()) })},
		{Head: "STATE", Field: "state", Gap: 1, Min: 13, State: true, Text: func(q queued) table.Cell { return table.Cell{Text: stateWord(q.State), Tone: stateTone(q.State)} }},
		{Head: "NOMINATED", Field: "nominated", Gap: 1, Min: 10, Max: 20, Names: true, Text: text(func(q queued) string { return p.Host.Observed().NodeName(q.Nominated) })},
		{Head: "SCHEDULER", Field: schedulerField, Gap: 1, Min: 9, Max: schedulerMost, From: cells.WideFrom, Keep: 1, Text: text(func(q queued) string { return q.Scheduler })},
		{Head: "CLASS", Field: "class", From: cells.WideFrom, Max: 30, Text: text(func(q queued) string { return q.Pod.Object.Spec.PriorityClassName })},
	}
}

// Update implements page.View.
func (p *QueuePage) Update(msg tea.Msg) tea.Cmd {
	if p.Objects == nil { // no rows came yet
		p.Seeks = p.first
	}
	return p.Page.Update(msg)
}

// Answer counts the queued pods by their state.
func (p *QueuePage) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	if why := p.Host.Observed().NotRead("pods"); why != "" {
		return "Pods are unknown: " + why + "."
	}
	rows := p.Natural()
	if len(rows) == 0 {
		return "No pods without a node."
	}
	return p.Query().Filtered(queueWords(rows, width-cells.Width(p.Query().Keeps())), width)
}

// queueWords count queued pods, and those of them that are for other schedulers, by their
// state. They fit width cells if possible: the longest of the words about schedulers that fit.
func queueWords(rows []queued, width int) string {
	others, names := 0, map[string]bool{}
	for i := range rows {
		if name := rows[i].Scheduler; name != corev1.DefaultSchedulerName {
			others++
			names[name] = true
		}
	}
	pods, states := model.FormatCount(len(rows))+" without a node", ": "+stateWords(rows)+"."
	if others == 0 {
		return pods + states
	}
	long := ", " + model.FormatCount(others) + grammar.Agree(len(names), " for another scheduler", " for other schedulers")
	said := []string{long}
	if len(names) > 1 || others < len(rows) { // each has a place 1
		said = []string{long + " (places per scheduler)", ", places per scheduler", ", per scheduler"}
	}
	for _, by := range said {
		if cells.Width(pods+by+states) <= width {
			return pods + by + states
		}
	}
	return pods + states
}

// Selected implements page.View.
func (p *QueuePage) Selected() page.Selection {
	q, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(q.Pod)
}

// Places implements page.View.
func (p *QueuePage) Places() keymap.Place {
	return p.Page.Places() | keymap.OnPod | keymap.PodFacts
}

// Off implements page.View.
func (p *QueuePage) Off(do keymap.Action) string {
	return page.OffPod(p.Host.Observed(), do, p.Table.SelectedGone(), p.Selected())
}
