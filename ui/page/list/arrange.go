package list

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

// Mode is where the cursor goes when rows are arranged.
type Mode int

// Where the cursor goes.
const (
	Renewed Mode = iota // on its row, on its line; rows in view that vanished stay as gone
	Kept                // on its row, if that still exists
	FromTop             // on the first row
)

// soon is how many rows are arranged at once; more take a Cmd.
const soon = 1000

// arrangedMsg brings rows that were arranged off the event loop.
type arrangedMsg[F any] struct {
	job    int
	mode   Mode
	filter string
	rows   arranged[F]
	err    error

	descending bool // the order of rows
}

// arranged is the rows that the filter keeps, in order.
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

// compiled is the filter; the one in force is not compiled again.
func (w arrangement[F]) compiled() (*query.Filter[F], error) {
	if w.last != nil && w.last.Filter().Text() == w.filter {
		return w.last.Filter().With(w.fields), nil
	}
	return query.Compile(w.fields, w.filter)
}

// quick reports whether the work takes less than the time between two frames.
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

// Query is the filter and the order of a page.
type Query[F, R any] struct{ page *Page[F, R] }

// Query is the filter and the order.
func (l *Page[F, R]) Query() Query[F, R] { return Query[F, R]{l} }

// Arrange brings the newest snapshot's rows into the order asked for, and ends
// an arrangement that is under way.
func (q Query[F, R]) Arrange(cursor Mode) tea.Cmd {
	l := q.page
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
	work := arrangement[F]{
		all: l.Natural(), fields: l.Fields(), filter: l.Filter, last: l.Result, reversed: l.Table.Reversed,
	}
	if l.Table.Sorted >= 0 {
		work.field = l.Table.Columns[l.Table.Sorted].Field
	}
	l.All = len(work.all)
	l.job++
	if work.quick() {
		rows, err := work.run(context.Background())
		return q.onArranged(arrangedMsg[F]{l.job, cursor, work.filter, rows, err, work.descending()})
	}
	job := l.job
	cmd, stop := l.Host.Ask(l.Self, func(ctx context.Context) tea.Msg {
		rows, err := work.run(ctx)
		return arrangedMsg[F]{job, cursor, work.filter, rows, err, work.descending()}
	})
	l.stop = stop
	return cmd
}

// onArranged shows what was arranged, unless something newer is under way.
func (q Query[F, R]) onArranged(msg arrangedMsg[F]) tea.Cmd {
	l := q.page
	if msg.job != l.job {
		return nil
	}
	if l.stop != nil {
		l.stop() // frees its context
		l.stop = nil
	}
	typed := q.answered(msg.filter, msg.err)
	if msg.err == nil {
		l.Result, l.Table.Descending = msg.rows.result, msg.descending
		rows := l.Rows(msg.rows.rows)
		switch msg.mode {
		case Renewed:
			l.Table.Set(rows)
		case FromTop:
			l.Table.Rows = nil
			fallthrough
		case Kept:
			l.Table.Reset(rows)
		}
		Fit(l)
	}
	if l.stale {
		l.stale = false
		return tea.Batch(q.Arrange(Renewed), typed())
	}
	cmd := q.found()
	if l.Settled != nil {
		cmd = tea.Batch(cmd, l.Settled())
	}
	return tea.Batch(cmd, typed())
}

// answered puts the filter in force that rows were arranged by, or the previous one
// again where it is wrong. It returns what runs the keys that were pressed meanwhile,
// which are meant for these rows.
func (q Query[F, R]) answered(filter string, err error) (typed func() tea.Cmd) {
	l := q.page
	nothing := func() tea.Cmd { return nil }
	input, open := l.Host.OpenInput().(*filtering[F, R])
	open = open && input.list == l
	switch {
	case err == nil:
		l.InForce = filter
		if open {
			return input.kept
		}
		return nothing
	case errors.Is(err, context.Canceled):
		return nothing
	}
	l.Filter = l.InForce
	if open {
		input.isWrong(err)
		return nothing
	}
	return func() tea.Cmd { return l.Host.SayError(err) }
}

// Rearrange arranges rows again by their new explanations.
func (q Query[F, R]) Rearrange() tea.Cmd {
	l := q.page
	if l.stop != nil {
		l.stale = true
		return nil
	}
	return q.Arrange(Renewed)
}

// IsLate reports whether the filter or the order depends on the explanations of rows.
func (q Query[F, R]) IsLate() bool {
	l := q.page
	if l.Result != nil && l.Result.Late {
		return true
	}
	if l.Table.Sorted < 0 {
		return false
	}
	field, ok := l.Fields().Field(l.Table.Columns[l.Table.Sorted].Field)
	return ok && field.Late
}

// found selects the row that is sought. A filter that hides it is cleared.
func (q Query[F, R]) found() tea.Cmd {
	l := q.page
	if l.Seeks == nil {
		return nil
	}
	at := slices.IndexFunc(l.Table.Rows, l.Seeks)
	if at < 0 && l.Filter != "" {
		return q.SetFilter("")
	}
	l.Seeks = nil
	if at >= 0 {
		l.Table.Move(at - l.Table.Chosen)
	}
	return nil
}

// SetFilter asks for the rows that a filter keeps. The cursor goes to
// the best match; without a filter it stays on its row.
func (q Query[F, R]) SetFilter(text string) tea.Cmd {
	q.page.Filter = text
	if text == "" {
		return q.Arrange(Kept)
	}
	return q.Arrange(FromTop)
}

// Filtered is an answer with the filter in force and how many rows match. Where both
// do not fit, sentences of the answer after the first are left out.
func (q Query[F, R]) Filtered(answer string, width int) string {
	keeps := q.Keeps()
	first, _, more := strings.Cut(answer, ". ")
	if more && cells.Width(answer)+cells.Width(keeps) > width {
		answer = first + "."
	}
	if q.undecided() != "" && cells.Width(answer)+cells.Width(keeps) > width {
		return strings.TrimSpace(keeps) // nothing may hide that the answer is incomplete
	}
	return answer + keeps
}

// Keeps is the filter in force and how many rows match; "" without one.
func (q Query[F, R]) Keeps() string {
	l := q.page
	if l.InForce == "" || l.Result == nil {
		return ""
	}
	words := " /" + model.Clean(l.InForce) + ": " + model.FormatCount(len(l.Result.Rows)) + grammar.Agree(len(l.Result.Rows), " matches", " match")
	if undecided := q.undecided(); undecided != "" {
		const rest = ": 99,999 of 99,999 match, " // the filter is cut to make room for it
		name := cells.Cut(model.Clean(l.InForce), max(l.Width-cells.Width(rest)-cells.Width(undecided)-4, 8))
		words = " /" + name + ": " + model.FormatCount(len(l.Result.Rows)) + " of " + model.FormatCount(l.All) + " match, " + undecided
	}
	if note := l.Result.Note(); note != "" {
		words += "; " + model.Clean(note)
	}
	return words + "."
}

// undecided counts the rows that do not match only because they are not explained;
// "" if there are none.
func (q Query[F, R]) undecided() string {
	l := q.page
	if l.Result == nil || len(l.Result.Open) == 0 {
		return ""
	}
	coming, unknown := 0, 0
	for _, row := range l.Result.Open {
		if l.Known != nil && l.Known(row) {
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

// NothingKept says that no row matches the filter; "" where one does.
func (q Query[F, R]) NothingKept() string {
	l := q.page
	if l.InForce == "" || l.Result == nil || len(l.Result.Rows) > 0 || l.All == 0 {
		return ""
	}
	if undecided := q.undecided(); undecided != "" {
		return cells.Cut("No "+l.Noun+" matches "+model.Clean(l.InForce), max(l.Width-cells.Width(undecided)-20, 20)) +
			" so far; " + undecided + "."
	}
	if typed, ok := l.Host.OpenInput().(*filtering[F, R]); ok && typed.wrong != "" {
		return "Invalid filter: " + strings.TrimSuffix(typed.wrong, ".") + ". No " + l.Noun + " matches /" + model.Clean(l.InForce) + "."
	}
	words := "No " + l.Noun + " matches " + model.Clean(l.InForce)
	if note := l.Result.Note(); note != "" {
		return words + ": " + model.Clean(note)
	}
	return words + "; " + model.FormatCount(l.All) + grammar.Agree(l.All, " row is", " rows are") + " hidden. esc clears the filter."
}

// SortBy sorts by a column; by the one that it is sorted by already, the other way round.
func (q Query[F, R]) SortBy(column int) tea.Cmd {
	l := q.page
	if l.Table.Sorted == column {
		l.Table.Reversed = !l.Table.Reversed
	} else {
		l.Table.Sorted, l.Table.Reversed = column, false
	}
	return q.Arrange(FromTop)
}

// As takes the filter, the order and the width over from another list.
func (q Query[F, R]) As(other *Page[F, R]) {
	l := q.page
	l.Filter, l.Table.Sorted, l.Table.Reversed, l.Table.Wide = other.Filter, other.Table.Sorted, other.Table.Reversed, other.Table.Wide
}
