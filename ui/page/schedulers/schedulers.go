// Package schedulers is the page of the schedulers and controllers: who holds the Lease of
// each, and whether it is running.
package schedulers

import (
	"strconv"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

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
const resource = "leases"

// Page is the page of the schedulers and controllers.
type Page struct {
	computed.Page[row]
}

// row is a component as the page shows it.
type row struct {
	inventory.Leader
	age string // since its Lease was renewed, when Leases were listed; "" without one
}

// New is the page of all schedulers and controllers.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "component", id, p.columns()...)
	p.Path, p.Keys = []string{"schedulers"}, page.Keys(keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Preview)
	p.Resources = append([]string{resource}, inventory.Sets...)
	p.Compute = compute
	p.Around.Below = p.below
	p.Fields = computed.FieldsOf(id,
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("lease", func(r row) string { return r.Lease }),
		query.Words("holder", func(r row) string { return r.Holder }),
		query.Words("state", func(r row) string { return state(r).Text }),
		query.Number("pending", query.Integer, func(r row) (int64, bool) {
			if r.Pending == nil {
				return 0, false
			}
			return int64(*r.Pending), true
		}),
	)
	return p
}

func id(r row) string { return r.Name + " " + r.Lease }

func compute(s *model.Snapshot, o *model.Objects, now time.Time) []row {
	leases, _ := model.ListOf[*coordinationv1.Lease](o, resource)
	leaders := inventory.Leaders(s, leases, o.Schedulers, inventory.HoldersOf(s, o), now)
	rows := make([]row, len(leaders))
	for i, l := range leaders {
		rows[i] = row{Leader: l}
		if l.Renewed != nil {
			rows[i].age = model.FormatAge(*l.Renewed, now)
		}
	}
	return rows
}

func (p *Page) columns() []table.Column[row] {
	text := func(text func(row) string) func(row) table.Cell {
		return func(r row) table.Cell { return table.Cell{Text: text(r)} }
	}
	return []table.Column[row]{
		{Head: "NAME", Field: "name", Names: true, Min: 24, Max: 40, Text: text(func(r row) string { return r.Name })},
		{Head: "STATE", Field: "state", Gap: 1, Min: 11, State: true, Text: state},
		{Head: "RENEWED", Gap: 1, Min: 7, Right: true, Ticks: true, Text: func(r row) table.Cell {
			switch {
			case r.age == "" && computed.Unread(&p.Page, resource) != "":
				return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
			case r.age == "":
				return table.Cell{Text: "–", Tone: tone.Dim}
			}
			return table.Cell{Text: r.age}
		}},
		{Head: "PENDING", Field: "pending", Gap: 1, Min: 7, Right: true, Text: pendingCell},
		{Head: "HOLDER", Field: "holder", Gap: 2, Min: 10, Flex: true, Text: text(func(r row) string { return r.Holder })},
		{Head: "LEASE", Field: "lease", From: 100, Max: 40, Names: true, Text: text(func(r row) string { return r.Lease })},
	}
}

// state is whether a component is running, in a word.
func state(r row) table.Cell {
	switch {
	case r.Alive == nil:
		return table.Cell{Text: "unknown", Tone: tone.Unknown}
	case *r.Alive:
		return table.Cell{Text: "running", Tone: tone.Good}
	}
	return table.Cell{Text: "not running", Tone: tone.Bad}
}

// pendingCell is how many pending pods name a scheduler; of a controller that means nothing.
func pendingCell(r row) table.Cell {
	switch {
	case !r.Scheduler:
		return table.Cell{Text: "–", Tone: tone.Dim}
	case r.Pending == nil:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	return table.Cell{Text: model.FormatCount(*r.Pending)}
}

// below draws the selected component under the list.
func (p *Page) below(rows int) []string {
	r, ok := p.Table.Selected()
	if !ok {
		return make([]string, rows)
	}
	if p.Table.SelectedGone() {
		return computed.NewBelow(&p.Page, r.Name, "gone").Lines(rows)
	}
	b := computed.NewBelow(&p.Page, r.Name)
	b.Add(state(r).Text+": "+r.Why, state(r).Tone)
	if r.Lease != "" {
		words := "Lease " + r.Lease + ", held by " + r.Holder
		if r.Holder == "" {
			words = "Lease " + r.Lease + ", no holder"
		}
		if r.Duration != nil {
			words += ", for " + strconv.Itoa(int(*r.Duration)) + "s"
		}
		b.Add(words, tone.Plain)
	} else if why := computed.Unread(&p.Page, resource); why != "" {
		b.Add("the holder of its Lease is unknown: "+why, tone.Unknown)
	} else if r.Alive != nil && *r.Alive {
		b.Add("no Lease of that name", tone.Plain)
	}
	if r.Scheduler && r.Pending != nil {
		words := grammar.Count(*r.Pending, "pending pod names it", "pending pods name it")
		if *r.Pending > 0 && r.Alive != nil && !*r.Alive {
			words += ": start it, or change schedulerName in the template"
		}
		b.Add(words, tone.Plain)
	}
	return b.Lines(rows)
}

// mayHaveStopped reports whether a component that is judged to be running may have stopped
// since: a scheduler without a Lease is known by a pod that it handled, maybe minutes ago, and
// pods are pending.
func mayHaveStopped(r *row) bool {
	return r.Scheduler && r.Renewed == nil && (r.Pending == nil || *r.Pending > 0)
}

// Answer counts the schedulers and controllers that are not running.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	rows := p.Natural()
	schedulers, unknown := 0, 0
	var stopped, seen []string
	for _, r := range rows {
		if r.Scheduler {
			schedulers++
		}
		switch {
		case r.Alive == nil:
			unknown++
		case !*r.Alive:
			stopped = append(stopped, r.Name)
		case mayHaveStopped(&r):
			seen = append(seen, r.Name)
		}
	}
	words := ""
	const named = 2
	switch {
	case len(stopped) > 0:
		words = "Not running: " + model.Clean(grammar.List(stopped, named)) + ". "
	case len(seen) > 0:
		words = model.Clean(grammar.List(seen, named)) + ": judged by pods and events. " // their rows say when
	case unknown == 0:
		words = "All are running. "
	}
	if unknown > 0 {
		words += grammar.Count(unknown, "is unknown. ", "are unknown. ")
	}
	words += grammar.Count(schedulers, "scheduler", "schedulers")
	if why := computed.Unread(&p.Page, resource); why != "" {
		words += "; other components are unknown: " + why + "."
	} else {
		words += ", " + grammar.Count(len(rows)-schedulers, "other component", "other components") + "."
	}
	return p.Query().Filtered(words, width)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok || r.Object == nil {
		return page.Selection{Copy: r.Name}
	}
	return page.Selection{
		Ref:  model.Ref{Resource: resource + ".coordination.k8s.io", Namespace: r.Object.Namespace, Name: r.Object.Name, UID: r.Object.UID},
		Copy: r.Name,
	}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	r, ok := p.Table.Selected()
	why := computed.Unread(&p.Page, resource)
	switch {
	case !ok && (do == keymap.Describe || do == keymap.YAML || do == keymap.Copy):
		return "no component is selected."
	case do != keymap.Describe && do != keymap.YAML || r.Object != nil:
		return ""
	case why != "":
		return "the Lease of " + r.Name + " is unknown: " + why + "."
	}
	return r.Name + " has no Lease."
}
