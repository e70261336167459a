// Package priorities is the page of PriorityClasses: the pods of each, and which may
// preempt which; and the page of the scheduler's queue.
package priorities

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// resource is what the page lists.
const resource = "priorityclasses"

// Page is the page of PriorityClasses.
type Page struct {
	computed.Page[inventory.Priority]
}

type row = inventory.Priority

// New is the page of all PriorityClasses.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "PriorityClass", name, columns(func() time.Time { return h.Observed().AsOf() })...)
	p.Path, p.Keys = []string{"priorities"}, page.Keys(keymap.Open, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Preview)
	p.Lists = resource
	p.Resources = []string{resource}
	p.Compute = func(s *model.Snapshot, o *model.Objects, _ time.Time) []row {
		classes, why := model.ListOf[*schedulingv1.PriorityClass](o, resource)
		return inventory.Priorities(s, classes, why == "")
	}
	p.Around.Below = p.below
	figure := func(of func(row) *int) func(row) (int64, bool) {
		return func(r row) (int64, bool) {
			if of(r) == nil {
				return 0, false
			}
			return int64(*of(r)), true
		}
	}
	p.Fields = computed.FieldsOf(name,
		query.Words("name", name),
		query.Number("value", query.Integer, func(r row) (int64, bool) { return int64(r.Value), true }),
		query.Number("running", query.Integer, figure(func(r row) *int { return r.Running })),
		query.Number("pending", query.Integer, figure(func(r row) *int { return r.Pending })),
		query.Words("policy", func(r row) string { return string(r.PreemptionPolicy) }),
		query.Words("description", func(r row) string { return r.Description }),
	)
	return p
}

// name is the class's; pods without one have "no class".
func name(r row) string { return classWord(r.Name) }

func classWord(name string) string {
	if name == "" {
		return "no class"
	}
	return name
}

func columns(now func() time.Time) []table.Column[row] {
	figure := func(of func(row) *int) func(row) table.Cell {
		return func(r row) table.Cell {
			if n := of(r); n != nil {
				return table.Cell{Text: model.FormatCount(*n)}
			}
			return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
		}
	}
	return []table.Column[row]{
		{Head: "NAME", Field: "name", Names: true, Min: 16, Max: 40, State: true, Text: nameCell},
		{Head: "VALUE", Field: "value", Gap: 1, Min: 11, Right: true, Text: func(r row) table.Cell { return table.Cell{Text: strconv.Itoa(int(r.Value))} }},
		{Head: "ON NODES", Field: "running", Gap: 1, Right: true, Text: figure(func(r row) *int { return r.Running })},
		{Head: "PENDING", Field: "pending", Gap: 1, Right: true, Text: figure(func(r row) *int { return r.Pending })},
		{Head: "PREEMPTS", Field: "policy", Gap: 2, Min: 8, Text: policyCell},
		{Head: "DESCRIPTION", Field: "description", Gap: 1, Min: 12, Flex: true, Text: func(r row) table.Cell { return descriptionCell(r, now()) }},
	}
}

func nameCell(r row) table.Cell {
	if r.Name == "" {
		return table.Cell{Text: name(r), Tone: tone.Dim}
	}
	return table.Cell{Text: name(r)}
}

func policyCell(r row) table.Cell {
	if r.PreemptionPolicy == corev1.PreemptNever {
		return table.Cell{Text: "never", Tone: tone.Dim}
	}
	return table.Cell{Text: "lower"}
}

// descriptionCell says first which class is the global default, and how old it is: pods from before do not have it.
func descriptionCell(r row, now time.Time) table.Cell {
	if r.GlobalDefault {
		said := "global default"
		if r.Object != nil && !r.Object.CreationTimestamp.IsZero() {
			said = "default (" + model.FormatAge(r.Object.CreationTimestamp.Time, now) + ")"
		}
		if r.Description != "" {
			said += ": " + r.Description
		}
		return table.Cell{Text: said}
	}
	switch {
	case r.Exists != nil && !*r.Exists && r.Name != "":
		return table.Cell{Text: "deleted; pods still have it", Tone: tone.Warning}
	}
	return table.Cell{Text: r.Description}
}

// Answer counts the classes and names the default, and what is first in the queue.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	classes, fallback, pending, known := 0, "no global default", 0, true
	for _, r := range p.Natural() {
		if r.Object != nil {
			classes++
		}
		if r.GlobalDefault {
			fallback = "the global default is " + r.Name
		}
		known = known && r.Queue != nil
		pending += len(r.Queue)
	}
	words := grammar.Count(classes, "PriorityClass", "PriorityClasses") + "; " + model.Clean(fallback) + ". "
	switch {
	case !known:
		words += "How many pods have no node is unknown."
	case pending == 0:
		words += "No pods without a node."
	default:
		words += grammar.Count(pending, "pod has", "pods have") + " no node."
	}
	return p.Query().Filtered(words, width)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok || r.Object == nil {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: resource + ".scheduling.k8s.io", Name: r.Name, UID: r.Object.UID}, Copy: r.Name}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	r, ok := p.Table.Selected()
	switch {
	case do != keymap.Describe && do != keymap.YAML && do != keymap.Copy:
	case !ok:
		return "no PriorityClass is selected."
	case r.Object == nil:
		return "there is no such PriorityClass."
	}
	return ""
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return p.Page.Places() | keymap.OnPriority }

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if do == keymap.Open {
		class := ""
		if r, ok := p.Table.Selected(); ok && len(r.Queue) > 0 {
			class = r.Queue[0].Namespace + "/" + r.Queue[0].Name
		}
		return p.Host.Open(NewQueue(p.Host, class))
	}
	return p.Page.Act(do)
}
