package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// sorting is the input for the letter of a column.
type sorting[R any] struct {
	host  page.Host
	table *table.Table[R]
	by    func(column int) tea.Cmd
}

func (p *sorting[R]) Line(width int) string {
	s := p.host.Styles()
	words := []string{" sort by"}
	for _, placed := range p.table.Layout().Place() {
		head := p.table.Columns[placed.Column].Head
		if at := p.table.Columns.Letter(placed.Column); at >= 0 {
			words = append(words, strings.ToLower(head[at:at+1])+" "+strings.ToLower(head))
		}
	}
	return s.Text.Render(cells.Cut(strings.Join(append(words, "esc cancel"), "  "), width))
}

func (p *sorting[R]) Above(int) []string { return nil }

func (p *sorting[R]) Paste(string) tea.Cmd { return nil }

func (p *sorting[R]) Key(key tea.KeyPressMsg) tea.Cmd {
	p.host.Input(nil)
	p.table.Letters = false
	column := p.table.Columns.ByLetter(key.String())
	if column < 0 {
		return nil
	}
	return p.by(column)
}
