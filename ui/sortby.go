package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// letter is the place in a column's head of the letter that sorts by it, the
// first that no column before it has taken; -1 where all are.
func (t *table[R]) letter(column int) int {
	taken := ""
	for i := range t.columns {
		head := strings.ToLower(t.columns[i].head)
		if t.columns[i].field == "" {
			head = ""
		}
		at := strings.IndexFunc(head, func(r rune) bool {
			return 'a' <= r && r <= 'z' && !strings.ContainsRune(taken, r)
		})
		if i == column {
			return at
		}
		if at >= 0 {
			taken += head[at : at+1]
		}
	}
	return -1
}

// byLetter is the column that a letter sorts by; -1 if none.
func (t *table[R]) byLetter(letter string) int {
	for i := range t.columns {
		if at := t.letter(i); at >= 0 && strings.EqualFold(t.columns[i].head[at:at+1], letter) {
			return i
		}
	}
	return -1
}

// sorting waits for the letter of a column.
type sorting[R any] struct {
	app   *App
	table *table[R]
	by    func(column int) tea.Cmd
}

func (p *sorting[R]) line(width int) string {
	s := p.app.styles()
	words := []string{" sort by"}
	for _, placed := range p.table.layout() {
		head := p.table.columns[placed.column].head
		if at := p.table.letter(placed.column); at >= 0 {
			words = append(words, strings.ToLower(head[at:at+1])+" "+strings.ToLower(head))
		}
	}
	return s.Text.Render(cells.Cut(strings.Join(append(words, "esc leaves"), "  "), width))
}

func (p *sorting[R]) above(int) []string { return nil }

func (p *sorting[R]) paste(string) tea.Cmd { return nil }

func (p *sorting[R]) key(key tea.KeyPressMsg) tea.Cmd {
	p.app.prompt, p.table.letters = nil, false
	column := p.table.byLetter(key.String())
	if column < 0 {
		return nil
	}
	return p.by(column)
}
