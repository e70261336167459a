package textview

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Model is text that is longer than its place on the screen: scrolled, moved sideways
// and searched. The zero value is empty.
type Model struct {
	Failed bool // the text is an error: matches are not marked in it

	lines         []Line // clean
	width, height int
	top           int
	shift         int    // cells scrolled out at the left
	found         string // what is searched
	hits          []int  // lines that match it
	hit           int
}

// SetText replaces the text by a plain one.
func (m *Model) SetText(text string) {
	m.lines = nil
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		m.lines = append(m.lines, Line{Text: model.Clean(strings.ReplaceAll(line, "\t", "    "))})
	}
	m.Find(m.found)
}

// SetLines replaces the text by lines that are clean and wrapped already.
func (m *Model) SetLines(lines []Line) {
	m.lines = lines
	m.Find(m.found)
	m.Scroll(0)
}

// Text is the text, plain, and how many lines it has.
func (m *Model) Text() (text string, lines int) {
	plain := make([]string, len(m.lines))
	for i, line := range m.lines {
		plain[i] = line.Text
	}
	return strings.Join(plain, "\n"), len(plain)
}

// Resize sets the size.
func (m *Model) Resize(width, height int) { m.width, m.height = width, height }

// Draw draws the lines in view.
func (m *Model) Draw(s *themes.Styles) []string {
	var drawn []string
	for i := m.top; i < min(m.top+m.height, len(m.lines)); i++ {
		drawn = append(drawn, m.drawLine(s, i))
	}
	return drawn
}

// drawLine draws the part of a line that is in view; … stands for the rest.
func (m *Model) drawLine(s *themes.Styles, i int) string {
	room := max(1, m.width-2)
	line := m.lines[i].Text
	if m.shift > 0 {
		line = ansi.TruncateLeft(line, m.shift, "")
	}
	line = cells.Cut(line, room)
	switch {
	case m.Failed:
		return " " + s.Bad.Render(line)
	case m.found == "" || !m.isHit(i):
		return " " + m.lines[i].Tone.Style(s).Render(line)
	case i == m.hits[m.hit]:
		return s.Cursor.Render("▸") + s.Match.Render(line)
	}
	return " " + s.Match.Render(line)
}

// widest is the width of the longest line, in cells.
func (m *Model) widest() int {
	wide := 0
	for _, line := range m.lines {
		wide = max(wide, cells.Width(line.Text))
	}
	return wide
}

func (m *Model) isHit(i int) bool {
	return strings.Contains(strings.ToLower(m.lines[i].Text), strings.ToLower(m.found))
}

// Top scrolls to the first line.
func (m *Model) Top() { m.top = 0 }

// Scroll scrolls down by n lines, up where n is negative.
func (m *Model) Scroll(n int) {
	m.top = max(min(m.top+n, len(m.lines)-m.height), 0)
}

// Act scrolls, moves sideways, or goes to another match, as a key asks for.
func (m *Model) Act(do keymap.Action) {
	if n, ok := keymap.Steps(do, m.height/2, m.height, len(m.lines)); ok {
		m.Scroll(n)
		return
	}
	switch do {
	case keymap.Left:
		m.shift = max(m.shift-8, 0)
	case keymap.Right:
		m.shift = max(0, min(m.shift+8, m.widest()-m.width+2))
	case keymap.NextMatch:
		m.goToHit(m.hit + 1)
	case keymap.PrevMatch:
		m.goToHit(m.hit - 1)
	}
}

// Find marks the lines that contain what and goes to the first one in view or below;
// "" ends the search.
func (m *Model) Find(what string) {
	m.found, m.hits = what, nil
	if what == "" {
		return
	}
	first := 0
	for i := range m.lines {
		if !m.isHit(i) {
			continue
		}
		if i < m.top {
			first++
		}
		m.hits = append(m.hits, i)
	}
	m.goToHit(first)
}

// Found is what is searched; "" is nothing.
func (m *Model) Found() string { return m.found }

// goToHit brings hit i into view; after the last it starts over with the first.
func (m *Model) goToHit(i int) {
	if len(m.hits) == 0 {
		return
	}
	m.hit = (i + len(m.hits)) % len(m.hits)
	if line := m.hits[m.hit]; line < m.top || line >= m.top+m.height {
		m.Scroll(line - m.top)
	}
}

// Note says how many lines match what is searched; "" without a search.
func (m *Model) Note() string {
	if m.found == "" {
		return ""
	}
	if len(m.hits) == 0 {
		return "No line matches " + m.found + "."
	}
	return model.FormatCount(len(m.hits)) + grammar.Agree(len(m.hits), " line matches ", " lines match ") + m.found + "."
}
