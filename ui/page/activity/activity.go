// Package activity is the page of the changes that were made, and their undo.
package activity

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/drains"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page.
type Page struct {
	page.Rows[plan.Entry]
	entries func() []plan.Entry
	jobs    drains.Jobs
	seen    int // entries when the cursor was put on the newest undo
}

// New makes the page; entries are the changes, the newest first.
func New(h page.Host, jobs drains.Jobs, entries func() []plan.Entry) *Page {
	p := &Page{jobs: jobs, entries: entries}
	p.Host, p.Self = h, p
	text := func(text func(plan.Entry) string) func(plan.Entry) table.Cell {
		return func(e plan.Entry) table.Cell { return table.Cell{Text: text(e)} }
	}
	p.Table = table.New(
		func(e plan.Entry) string {
			return strconv.Itoa(e.ID) + " " + e.At.Format(time.RFC3339Nano) + " " + e.Did
		},
		table.Column[plan.Entry]{Head: "ACTION", Min: 24, Max: 44, Names: true, Text: text(func(e plan.Entry) string { return h.Observed().Brief(e.Did) })},
		table.Column[plan.Entry]{Head: "AGO", Min: 4, Right: true, Ticks: true, Text: text(func(e plan.Entry) string { return h.Observed().Since(e.At) })},
		table.Column[plan.Entry]{Head: "UNDO", Min: 4, Text: undoCell},
		table.Column[plan.Entry]{Head: "RESULT", Flex: true, Min: 20, Text: resultCell},
		table.Column[plan.Entry]{Head: "CONTEXT", From: 100, Max: 24, Names: true, Text: text(func(e plan.Entry) string { return model.ShortContext(e.Context, nil) })},
		table.Column[plan.Entry]{Head: "USER", From: 100, Max: 24, Names: true, Text: text(func(e plan.Entry) string { return e.User })},
	)
	return p
}

// undoCell says whether the entry can be undone.
func undoCell(e plan.Entry) table.Cell {
	if e.Undo == nil {
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	return table.Cell{Text: "yes"}
}

func resultCell(e plan.Entry) table.Cell {
	if e.OK {
		return table.Cell{Text: e.Came()}
	}
	return table.Cell{Text: e.Came(), Tone: tone.Bad}
}

// read takes the entries. Where there are new ones, the newest that can be undone
// is selected.
func (p *Page) read() {
	entries := p.entries()
	p.Table.Reset(entries)
	if len(entries) == p.seen {
		return
	}
	p.seen = len(entries)
	if newest := slices.IndexFunc(entries, func(e plan.Entry) bool { return e.Undo != nil }); newest >= 0 {
		p.Table.Move(newest - p.Table.Chosen)
	}
}

// Note is the cut text of the row, else who did it, where and when.
func (p *Page) Note() string {
	entry, ok := p.Table.Selected()
	hidden := table.Hidden(p.Table)
	if !ok || p.Table.CutNote(page.NoteWidth(p.Width, hidden)) != "" {
		return p.Rows.Note()
	}
	who := ""
	if entry.User != "" {
		who = "by " + entry.User + " "
	}
	words := who + "on " + model.ShortContext(entry.Context, nil) + ", " + entry.At.In(p.Host.Observed().At.Location()).Format("2 Jan 15:04:05")
	return page.WithHidden(model.Clean(words), hidden, p.Width)
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string { return []string{"activity"} }

// Answer implements page.View.
func (p *Page) Answer(int) string {
	n := len(p.Table.Rows)
	if n == 0 {
		return "No changes yet."
	}
	words := figures.Count(n, "change", "changes") + ", newest first."
	if undo := p.undos(); undo > 0 {
		return words + " " + figures.Count(undo, "can", "can") + " be undone."
	}
	return words + " None can be undone."
}

func (p *Page) undos() int {
	n := 0
	for _, e := range p.Table.Rows {
		if e.Undo != nil {
			n++
		}
	}
	return n
}

// ShowsYoung reports whether an age on the page ticks by the second.
func (p *Page) ShowsYoung() bool {
	return slices.ContainsFunc(p.Table.InView(), func(e plan.Entry) bool { return p.Host.Observed().At.Sub(e.At) < page.Young })
}

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(page.SnapshotMsg); ok {
		p.read()
	}
	return p.Mouse(msg)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	entry, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Copy: entry.Did + ": " + entry.Came()}
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnEntry }

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	if p.running() != nil {
		return append([]page.Key{{Do: keymap.Open, Word: "open"}}, page.Keys(keymap.Undo, keymap.Copy, keymap.Palette, keymap.Close)...)
	}
	return page.Keys(keymap.Open, keymap.Copy, keymap.Palette, keymap.Close)
}

// running is the job of the selected entry; nil where that has none which may still
// send something.
func (p *Page) running() *plan.Progress {
	entry, ok := p.Table.Selected()
	if !ok || entry.ID == 0 {
		return nil
	}
	if job := drains.Find(p.jobs.All(), entry.Job); job != nil && job.Live() {
		return job
	}
	return nil
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	entry, ok := p.Table.Selected()
	switch {
	case do == keymap.Describe || do == keymap.YAML:
		return "an activity entry is not a Kubernetes object."
	case do == keymap.Open && p.running() != nil:
		return ""
	case do != keymap.Open && do != keymap.Undo:
		return p.Rows.Off(do)
	case !ok:
		return "there is nothing to undo."
	}
	return drains.OffUndo(p.Host, entry)
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	entry, ok := p.Table.Selected()
	switch {
	case p.Table.Act(do) || !ok:
		return nil
	case do == keymap.Open && p.running() != nil:
		return p.Host.Open(drains.New(p.Host, p.jobs, p.running()))
	case do == keymap.Open || do == keymap.Undo:
		return p.Host.Plan(entry.Undo)
	}
	return nil
}
