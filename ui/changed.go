package ui

import (
	"regexp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// changedFor is how long a cell that changed is drawn so.
const changedFor = 2 * time.Second

// changes are the cells of a table that have changed under the reader's eyes.
type changes struct {
	seen map[string][]string  // the rows that were in view when last compared, by id
	till map[cellAt]time.Time // of cells that changed
}

// cellAt is one cell of a row, by the row's id.
type cellAt struct {
	id     string
	column int
}

// changedMsg says that cells may be as always again.
type changedMsg struct{}

// ages are what moves on by itself in words.
var ages = regexp.MustCompile(`(\d+[smhdy])+ ago|(in|for) (\d+[smhdy])+`)

func withoutAges(text string) string {
	if !strings.Contains(text, " ago") && !strings.Contains(text, "in ") && !strings.Contains(text, "for ") {
		return text
	}
	return ages.ReplaceAllString(text, "")
}

// compare finds the cells in view that say something else than they did; it
// reports whether there are any. Rows that have come into view are new, and
// changed nothing.
func (t *table[R]) compare(now time.Time) bool {
	c := &t.changes
	seen := make(map[string][]string, len(c.seen))
	found := false
	for _, row := range t.inView() {
		id := t.id(row)
		texts := make([]string, len(t.columns))
		before, known := c.seen[id]
		for i := range t.columns {
			column := &t.columns[i]
			if column.ticks || column.from > t.width && !t.wide {
				continue
			}
			stands := column.text(row)
			if stands.tone == tone.Dim || stands.styled != nil {
				continue // not known yet, or a drawing
			}
			texts[i] = withoutAges(model.Clean(stands.text))
			if known && len(before) == len(texts) && before[i] != "" && texts[i] != "" && before[i] != texts[i] {
				if c.till == nil {
					c.till = map[cellAt]time.Time{}
				}
				c.till[cellAt{id, i}] = now.Add(changedFor)
				found = true
			}
		}
		seen[id] = texts
	}
	c.seen = seen
	return found
}

// calm lets go of the cells that were drawn as changed for long enough.
func (t *table[R]) calm(now time.Time) {
	for at, till := range t.changes.till {
		if !now.Before(till) {
			delete(t.changes.till, at)
		}
	}
}

// changed says whether a cell is to be drawn so.
func (t *table[R]) changed(id string, column int) bool {
	_, ok := t.changes.till[cellAt{id, column}]
	return ok
}

// changing is a view whose cells are watched.
type changing interface {
	compareCells(now time.Time) bool
	calmCells(now time.Time)
	forgetCells()
	watched() bool // since the view was opened
}

func (l *list[F, R]) compareCells(now time.Time) bool { return l.table.compare(now) }
func (l *list[F, R]) calmCells(now time.Time)         { l.table.calm(now) }

// forgetCells begins anew: what changed while nobody looked is no change.
func (l *list[F, R]) forgetCells() { l.table.changes = changes{} }

func (l *list[F, R]) watched() bool { return l.table.changes.seen != nil }

// watchCells looks for cells that changed by what the app has just been told.
func (a *App) watchCells(msg tea.Msg) tea.Cmd {
	v, ok := a.top().(changing)
	if !ok {
		return nil
	}
	switch msg.(type) {
	case snapshotMsg, resultMsg:
		if v.compareCells(a.at) {
			return a.after(changedFor, func(time.Time) tea.Msg { return changedMsg{} })
		}
	case changedMsg:
		v.calmCells(a.at)
	default:
		if !v.watched() {
			v.compareCells(a.at)
		}
	}
	return nil
}
