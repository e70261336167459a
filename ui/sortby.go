package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// sorting waits for the letter of a column.
type sorting[R any] struct {
	app   *App
	table *table.Table[R]
	by    func(column int) tea.Cmd
}

func (p *sorting[R]) line(width int) string {
	s := p.app.styles()
	words := []string{" sort by"}
	for _, placed := range p.table.Layout().Place() {
		head := p.table.Columns[placed.Column].Head
		if at := p.table.Columns.Letter(placed.Column); at >= 0 {
			words = append(words, strings.ToLower(head[at:at+1])+" "+strings.ToLower(head))
		}
	}
	return s.Text.Render(cells.Cut(strings.Join(append(words, "esc leaves"), "  "), width))
}

func (p *sorting[R]) above(int) []string { return nil }

func (p *sorting[R]) paste(string) tea.Cmd { return nil }

func (p *sorting[R]) key(key tea.KeyPressMsg) tea.Cmd {
	p.app.prompt, p.table.Letters = nil, false
	column := p.table.Columns.ByLetter(key.String())
	if column < 0 {
		return nil
	}
	return p.by(column)
}
