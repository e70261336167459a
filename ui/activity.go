package ui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// activity is the page of what was done, and of what takes it back.
type activity struct {
	rows[plan.Entry]
	seen int // entries when the cursor was put on the newest undo
}

func newActivity(a *App) *activity {
	p := &activity{}
	p.app, p.self = a, p
	text := func(text func(plan.Entry) string) func(plan.Entry) table.Cell {
		return func(e plan.Entry) table.Cell { return table.Cell{Text: text(e)} }
	}
	p.table = table.New(
		func(e plan.Entry) string {
			return strconv.Itoa(e.ID) + " " + e.At.Format(time.RFC3339Nano) + " " + e.Did
		},
		table.Column[plan.Entry]{Head: "WHAT", Min: 24, Max: 44, Names: true, Text: text(func(e plan.Entry) string { return a.observed.brief(e.Did) })},
		table.Column[plan.Entry]{Head: "AGO", Min: 4, Right: true, Ticks: true, Text: text(func(e plan.Entry) string { return a.observed.since(e.At) })},
		table.Column[plan.Entry]{Head: "UNDO", Min: 4, Text: undoCell},
		table.Column[plan.Entry]{Head: "RESULT", Flex: true, Min: 20, Text: resultCell},
		table.Column[plan.Entry]{Head: "CONTEXT", From: 100, Max: 24, Names: true, Text: text(func(e plan.Entry) string { return model.ShortContext(e.Context, nil) })},
		table.Column[plan.Entry]{Head: "WHO", From: 100, Max: 24, Names: true, Text: text(func(e plan.Entry) string { return e.User })},
	)
	return p
}

// undoCell says whether something takes the entry back.
func undoCell(e plan.Entry) table.Cell {
	if e.Undo == nil {
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	return table.Cell{Text: "yes"}
}

func resultCell(e plan.Entry) table.Cell {
	if e.OK {
		return table.Cell{Text: e.Result}
	}
	return table.Cell{Text: e.Result, Tone: tone.Bad}
}

// read takes the entries. Where there are new ones, the newest that can be undone
// is selected.
func (p *activity) read() {
	var entries []plan.Entry
	if actor := p.app.actor(); actor != nil {
		entries = actor.Activity()
	}
	p.table.Reset(entries)
	if len(entries) == p.seen {
		return
	}
	p.seen = len(entries)
	if newest := slices.IndexFunc(entries, func(e plan.Entry) bool { return e.Undo != nil }); newest >= 0 {
		p.table.Move(newest - p.table.Chosen)
	}
}

// note is what of the row was cut, else who did it, where and when.
func (p *activity) note() string {
	entry, ok := p.table.Selected()
	if cut := p.rows.note(); cut != "" || !ok {
		return cut
	}
	who := ""
	if entry.User != "" {
		who = "by " + entry.User + " "
	}
	return model.Clean(who + "on " + model.ShortContext(entry.Context, nil) + ", " + entry.At.In(p.app.observed.at.Location()).Format("2 Jan 15:04:05"))
}

func (p *activity) crumbs() []string { return []string{"activity"} }

func (p *activity) answer(int) string {
	n := len(p.table.Rows)
	if n == 0 {
		return "Nothing was changed yet."
	}
	words := figures.Count(n, "change", "changes") + ", the newest first."
	if undo := p.undos(); undo > 0 {
		key := "enter"
		if p.running() != nil {
			key = "U" // enter opens what runs
		}
		return words + " " + figures.Count(undo, "can", "can") + " be undone: " + key + " plans that and asks."
	}
	return words + " None can be undone."
}

func (p *activity) undos() int {
	n := 0
	for _, e := range p.table.Rows {
		if e.Undo != nil {
			n++
		}
	}
	return n
}

func (p *activity) showsYoung() bool {
	return slices.ContainsFunc(p.table.InView(), func(e plan.Entry) bool { return p.app.observed.at.Sub(e.At) < young })
}

func (p *activity) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(snapshotMsg); ok {
		p.read()
	}
	return p.mouse(msg)
}

func (p *activity) selected() selection {
	entry, ok := p.table.Selected()
	if !ok {
		return selection{}
	}
	return selection{copy: entry.Did + ": " + entry.Result}
}

func (p *activity) places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnEntry }

func (p *activity) footer() []footKey {
	if p.running() != nil {
		return append([]footKey{{do: keymap.Open, word: "open"}}, keys(keymap.Undo, keymap.Copy, keymap.Palette, keymap.Close)...)
	}
	return keys(keymap.Open, keymap.Copy, keymap.Palette, keymap.Close)
}

// running is the job of the selected entry; nil where that has none which may still
// send something.
func (p *activity) running() *plan.Progress {
	entry, ok := p.table.Selected()
	if !ok || entry.ID == 0 {
		return nil
	}
	if job := jobOf(p.app.jobs.all, entry.Job); job != nil && job.Live() {
		return job
	}
	return nil
}

func (p *activity) off(do keymap.Action) string {
	entry, ok := p.table.Selected()
	switch {
	case do == keymap.Describe || do == keymap.YAML:
		return "what was done is no object."
	case do == keymap.Open && p.running() != nil:
		return ""
	case do != keymap.Open && do != keymap.Undo:
		return p.rows.off(do)
	case !ok:
		return "there is nothing to undo."
	}
	return p.app.opener.offUndo(entry)
}

// offUndo tells why an entry cannot be undone; "" if it can.
func (o *opener) offUndo(entry plan.Entry) string {
	reason, _ := o.app.keyboard.lookOnly()
	switch {
	case entry.Undo == nil && entry.ID == 0:
		return "it was done in an earlier run, which kept nothing that undoes it."
	case entry.Undo == nil:
		return "nothing takes it back."
	}
	return reason
}

func (p *activity) act(do keymap.Action) tea.Cmd {
	entry, ok := p.table.Selected()
	switch {
	case p.table.Act(do) || !ok:
		return nil
	case do == keymap.Open && p.running() != nil:
		return p.app.history.open(newDrainPage(p.app, p.running()))
	case do == keymap.Open || do == keymap.Undo:
		return p.app.acts.plan(entry.Undo)
	}
	return nil
}
