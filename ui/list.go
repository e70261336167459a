package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// list is a page of one table. The page that embeds it gives it its rows and
// says what they mean.
type list[R any] struct {
	page
	self    view
	table   *table[R]
	natural func() []R // all rows of the newest snapshot, in their own order
	all     int        // how many those are
	job     int        // the newest arrangement that was asked for
	busy    bool
	stale   bool // a newer snapshot came while busy
}

func (l *list[R]) places() place { return everywhere | lists }

func (l *list[R]) resize(width, height int) {
	l.page.resize(width, height)
	l.table.resize(width, height)
}

func (l *list[R]) body() []string { return l.table.draw(l.app.styles()) }

func (l *list[R]) settle() { l.table.settle() }

func (l *list[R]) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		if l.busy {
			l.stale = true
			return nil
		}
		return l.arrange(false)
	case arrangedMsg[R]:
		return l.onArranged(msg)
	case tea.MouseWheelMsg:
		l.table.scroll(wheel(msg))
	case tea.MouseClickMsg:
		return l.onClick(msg.X, msg.Y)
	}
	return nil
}

// act does what every list can; it reports false for the rest.
func (l *list[R]) actList(do action) (cmd tea.Cmd, done bool) {
	switch do {
	case doSort:
		l.table.letters = true
		l.app.prompt = &sorting[R]{l.app, l.table, l.sortBy}
	case doReverse:
		l.table.reversed = !l.table.reversed
		return l.arrange(true), true
	default:
		return nil, l.table.act(do)
	}
	return nil, true
}

// sortBy sorts by a column; by the one that it is sorted by already, the other way round.
func (l *list[R]) sortBy(column int) tea.Cmd {
	if l.table.sorted == column {
		l.table.reversed = !l.table.reversed
	} else {
		l.table.sorted, l.table.reversed = column, false
	}
	return l.arrange(true)
}

// onClick selects a row, opens the selected one, or sorts by a head. Rows count
// from the body's first.
func (l *list[R]) onClick(x, y int) tea.Cmd {
	if y == 0 {
		if column := l.table.columnAt(x); column >= 0 {
			return l.sortBy(column)
		}
		return nil
	}
	row := l.table.top + y - 1
	switch {
	case row >= len(l.table.rows):
		return nil
	case row == l.table.chosen:
		return l.app.do(bindingOf(doOpen, l.self.places()), l.self)
	}
	l.table.move(row - l.table.chosen)
	return nil
}

// note is the selected row's cut text.
func (l *list[R]) note() string { return l.table.cutNote(l.width) }

// cutNote is the text of the selected row that its columns cut off: whole if it
// fits width cells, else what is missing.
func (t *table[R]) cutNote(width int) string {
	head, text, shown := t.cutText()
	if head == "" {
		return ""
	}
	if whole := strings.ToLower(head) + ": " + text; cells(whole) < width {
		return whole
	}
	rest := []rune(text)
	rest = rest[min(max(shown-1, 0), len(rest)):]
	if at := strings.Index(string(rest), ", "); at >= 0 && at < 12 {
		return cutWords("… "+string(rest)[at+2:], width-1)
	}
	return cutWords("…"+string(rest), width-1)
}

// cutWords is cut that loses whole words.
func cutWords(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	s = cut(s, width-1)
	if at := strings.LastIndexByte(s, ' '); at > width/2 {
		s = s[:at]
	}
	return strings.TrimSuffix(s, "…") + " …"
}

// columnAt is the column whose head is at cell x; -1 if none.
func (t *table[R]) columnAt(x int) int {
	at := gutter
	for i, p := range t.layout() {
		if i > 0 {
			at += t.columns[p.column].before()
		}
		if x >= at && x < at+p.width {
			return p.column
		}
		at += p.width
	}
	return -1
}
