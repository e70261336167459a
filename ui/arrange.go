package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// mode is what becomes of the cursor when rows are arranged.
type mode int

const (
	renewed mode = iota // on its row, on its line; rows in view that vanished stay as gone
	kept                // on its row, if that is still there
	anew                // on the first row
)

// soon is how many rows are arranged at once; more take a Cmd.
const soon = 1000

// arrangedMsg brings rows that were arranged off the event loop.
type arrangedMsg[F any] struct {
	job    int
	mode   mode
	filter string
	rows   arranged[F]
	err    error
}

// arranged is what was kept of the rows, in order.
type arranged[F any] struct {
	rows   []F
	result *query.Filtered[F] // nil without a filter
}

// arrangement is everything that arranging needs, so that it can be done anywhere.
type arrangement[F any] struct {
	all      []F
	fields   *query.Fields[F]
	filter   string
	last     *query.Filtered[F]
	field    string // to sort by; "" is their own order
	reversed bool
}

// run filters, then sorts.
func (w arrangement[F]) run(ctx context.Context) (arranged[F], error) {
	made := arranged[F]{rows: w.all}
	if ctx.Err() != nil {
		return made, fmt.Errorf("arrange rows: %w", ctx.Err())
	}
	if w.filter != "" {
		filter, err := w.compiled()
		if err != nil {
			return made, err
		}
		if made.result, err = filter.Apply(ctx, w.all, w.last); err != nil {
			return made, err
		}
		made.rows = made.result.Rows
	}
	switch {
	case w.field != "":
		var err error
		made.rows, err = w.fields.Sort(made.rows, w.field, w.descending())
		return made, err
	case w.reversed:
		made.rows = slices.Clone(made.rows)
		slices.Reverse(made.rows)
	}
	return made, nil
}

// compiled is the filter; that of the rows before is not read again.
func (w arrangement[F]) compiled() (*query.Filter[F], error) {
	if w.last != nil && w.last.Filter().Text() == w.filter {
		return w.last.Filter().With(w.fields), nil
	}
	return query.Compile(w.fields, w.filter)
}

// quick says whether the work is done between two frames.
func (w arrangement[F]) quick() bool {
	if w.filter == "" && w.field == "" && !w.reversed {
		return true
	}
	return len(w.all) <= soon && !query.HasExpression(w.filter)
}

// descending puts the largest figures first, and words and ages from the start.
func (w arrangement[F]) descending() bool {
	field, ok := w.fields.Field(w.field)
	figure := ok && field.Unit != query.Word && field.Unit != query.Duration
	return figure != w.reversed
}

// arrange brings the newest snapshot's rows into the order asked for, and ends
// an arrangement that is on its way.
func (l *list[F, R]) arrange(cursor mode) tea.Cmd {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
	work := arrangement[F]{
		all: l.natural(), fields: l.fields(), filter: l.filter, last: l.result, reversed: l.table.Reversed,
	}
	if l.table.Sorted >= 0 {
		work.field = l.table.Columns[l.table.Sorted].Field
	}
	l.all = len(work.all)
	l.job++
	if work.quick() {
		rows, err := work.run(context.Background())
		return l.onArranged(arrangedMsg[F]{l.job, cursor, work.filter, rows, err})
	}
	job := l.job
	ctx, stop := context.WithCancel(l.app.ctx)
	l.stop = stop
	return l.app.ask(l.self, func(context.Context) tea.Msg {
		defer stop()
		rows, err := work.run(ctx)
		return arrangedMsg[F]{job, cursor, work.filter, rows, err}
	})
}

// onArranged shows what was arranged, unless something newer is on its way.
func (l *list[F, R]) onArranged(msg arrangedMsg[F]) tea.Cmd {
	if msg.job != l.job {
		return nil
	}
	l.stop = nil
	typed := l.answered(msg.filter, msg.err)
	if msg.err == nil {
		l.result = msg.rows.result
		rows := l.rows(msg.rows.rows)
		switch msg.mode {
		case renewed:
			l.table.Set(rows)
		case anew:
			l.table.Rows = nil
			fallthrough
		case kept:
			l.table.Reset(rows)
		}
	}
	if l.stale {
		l.stale = false
		return tea.Batch(l.arrange(renewed), typed())
	}
	cmd := l.found()
	if l.settled != nil {
		cmd = tea.Batch(cmd, l.settled())
	}
	return tea.Batch(cmd, typed())
}

// answered puts a filter in force by which rows were arranged, or the one before
// again where it is wrong. What it gives does the keys that were pressed meanwhile,
// which are meant for these rows.
func (l *list[F, R]) answered(filter string, err error) (typed func() tea.Cmd) {
	nothing := func() tea.Cmd { return nil }
	input, open := l.app.prompt.(*filtering[F, R])
	open = open && input.list == l
	switch {
	case err == nil:
		l.inForce = filter
		if open {
			return input.kept
		}
		return nothing
	case errors.Is(err, context.Canceled):
		return nothing
	}
	l.filter = l.inForce
	if open {
		input.isWrong(err)
		return nothing
	}
	return func() tea.Cmd { return l.app.said.sayError(err) }
}

// rearrange arranges rows again by what has become known of them.
func (l *list[F, R]) rearrange() tea.Cmd {
	if l.stop != nil {
		l.stale = true
		return nil
	}
	return l.arrange(renewed)
}

// isLate says whether the filter or the order rests on the explanations of rows.
func (l *list[F, R]) isLate() bool {
	if l.result != nil && l.result.Late {
		return true
	}
	if l.table.Sorted < 0 {
		return false
	}
	field, ok := l.fields().Field(l.table.Columns[l.table.Sorted].Field)
	return ok && field.Late
}

// found selects the row that is sought. A filter that hides it is cleared.
func (l *list[F, R]) found() tea.Cmd {
	if l.seeks == nil {
		return nil
	}
	at := slices.IndexFunc(l.table.Rows, l.seeks)
	if at < 0 && l.filter != "" {
		return l.setFilter("")
	}
	l.seeks = nil
	if at >= 0 {
		l.table.Move(at - l.table.Chosen)
	}
	return nil
}

// setFilter asks for the rows that a filter keeps. The cursor goes to
// the best match; without a filter it stays on its row.
func (l *list[F, R]) setFilter(text string) tea.Cmd {
	l.filter = text
	if text == "" {
		return l.arrange(kept)
	}
	return l.arrange(anew)
}

// filtered is an answer with the filter in force and what it keeps. Where both
// have no room, sentences of the answer after the first give way.
func (l *list[F, R]) filtered(answer string, width int) string {
	keeps := l.keeps()
	first, _, more := strings.Cut(answer, ". ")
	if more && cells.Width(answer)+cells.Width(keeps) > width {
		answer = first + "."
	}
	if l.undecided() != "" && cells.Width(answer)+cells.Width(keeps) > width {
		return strings.TrimSpace(keeps) // nothing may hide that it is not the whole answer
	}
	return answer + keeps
}

// keeps tells the filter in force and what it keeps; "" without one.
func (l *list[F, R]) keeps() string {
	if l.inForce == "" || l.result == nil {
		return ""
	}
	words := " /" + model.Clean(l.inForce) + " keeps " + model.FormatCount(len(l.result.Rows))
	if undecided := l.undecided(); undecided != "" {
		const rest = " keeps 99,999 of 99,999, " // the filter gives way to it
		name := cells.Cut(model.Clean(l.inForce), max(l.width-cells.Width(rest)-cells.Width(undecided)-4, 8))
		words = " /" + name + " keeps " + model.FormatCount(len(l.result.Rows)) + " of " + model.FormatCount(l.all) + ", " + undecided
	}
	if note := l.result.Note(); note != "" {
		words += "; " + model.Clean(note)
	}
	return words + "."
}

// undecided counts the rows that the filter leaves out only because they are not
// explained; "" if there are none.
func (l *list[F, R]) undecided() string {
	if l.result == nil || len(l.result.Open) == 0 {
		return ""
	}
	coming, unknown := 0, 0
	for _, row := range l.result.Open {
		if l.known != nil && l.known(row) {
			unknown++
		} else {
			coming++
		}
	}
	var words []string
	if coming > 0 {
		words = append(words, model.FormatCount(coming)+" being explained")
	}
	if unknown > 0 {
		words = append(words, model.FormatCount(unknown)+" unknown")
	}
	return strings.Join(words, ", ")
}

// nothingKept says that the filter keeps nothing; "" where it keeps something.
func (l *list[F, R]) nothingKept() string {
	if l.inForce == "" || l.result == nil || len(l.result.Rows) > 0 || l.all == 0 {
		return ""
	}
	if undecided := l.undecided(); undecided != "" {
		return cells.Cut("No "+l.noun+" matches "+model.Clean(l.inForce), max(l.width-cells.Width(undecided)-20, 20)) +
			" so far; " + undecided + "."
	}
	words := "No " + l.noun + " matches " + model.Clean(l.inForce)
	if note := l.result.Note(); note != "" {
		return words + ": " + model.Clean(note)
	}
	return words + "; " + model.FormatCount(l.all) + grammar.Agree(l.all, " is", " are") + " hidden. esc clears the filter."
}
