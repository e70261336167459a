package table

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// ChangedFor is how long a changed cell is highlighted.
const ChangedFor = 2 * time.Second

// Highlights are the cells of a table that changed while they were in view.
type Highlights struct {
	seen map[string][]string  // the rows that were in view when last compared, by id
	Till map[cellAt]time.Time // of cells that changed
}

// cellAt is one cell of a row, by the row's id.
type cellAt struct {
	id     string
	column int
}

// ages are the parts of a text that change with time alone.
var ages = regexp.MustCompile(`(\d+[smhdy])+ ago|(in|for) (\d+[smhdy])+`)

func withoutAges(text string) string {
	if !strings.Contains(text, " ago") && !strings.Contains(text, "in ") && !strings.Contains(text, "for ") {
		return text
	}
	return ages.ReplaceAllString(text, "")
}

// Compare finds the cells in view whose text changed; it reports whether there are
// any. Rows that came into view count as unchanged.
func (t *Table[R]) Compare(now time.Time) bool {
	c := &t.Highlights
	seen := make(map[string][]string, len(c.seen))
	found := false
	for _, row := range t.InView() {
		id := t.ID(row)
		texts := make([]string, len(t.Columns))
		before, known := c.seen[id]
		for i := range t.Columns {
			column := &t.Columns[i]
			if column.Ticks || !t.Layout().shows(column) {
				continue
			}
			stands := column.Text(row)
			if stands.Tone == tone.Dim || stands.Styled != nil {
				continue // not known yet, or a drawing
			}
			texts[i] = withoutAges(model.Clean(cmp.Or(stands.Ageless, stands.Text)))
			if known && len(before) == len(texts) && before[i] != "" && texts[i] != "" && before[i] != texts[i] {
				if c.Till == nil {
					c.Till = map[cellAt]time.Time{}
				}
				c.Till[cellAt{id, i}] = now.Add(ChangedFor)
				found = true
			}
		}
		seen[id] = texts
	}
	c.seen = seen
	return found
}

// Watched reports whether cells were compared since Forget.
func (c *Highlights) Watched() bool { return c.seen != nil }

// Forget starts over: changes while the table was not shown do not count.
func (c *Highlights) Forget() { *c = Highlights{} }

// Calm ends the highlight of cells that had it long enough.
func (c *Highlights) Calm(now time.Time) {
	for at, till := range c.Till {
		if !now.Before(till) {
			delete(c.Till, at)
		}
	}
}

// has reports whether a cell is highlighted.
func (c *Highlights) has(id string, column int) bool {
	_, ok := c.Till[cellAt{id, column}]
	return ok
}
