package computed

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Below draws a preview of the selected row: a rule with its name, then lines.
type Below struct {
	Styles *themes.Styles
	Width  int
	lines  []string
}

// NewBelow begins a preview of a page's selected row; the words of its rule are joined by
// dots, empty ones are left out.
func NewBelow[R any](p *Page[R], words ...string) *Below {
	b := &Below{Styles: p.Host.Styles(), Width: p.Around.WidthBelow(p.Width)}
	var said []string
	for _, word := range words {
		if word != "" {
			said = append(said, word)
		}
	}
	title := cells.Cut(model.Clean(strings.Join(said, " · ")), b.Width-2*table.Gutter)
	rest := strings.Repeat("─", max(b.Width-cells.Width(title)-table.Gutter-1, 0))
	b.lines = []string{b.Styles.Rule.Render(" ─ ") + b.Styles.Strong.Render(title) + b.Styles.Rule.Render(" "+rest)}
	return b
}

// Room is how many cells a line has.
func (b *Below) Room() int { return b.Width - table.Gutter - 1 }

// Add adds a line of text; "" is none.
func (b *Below) Add(text string, of tone.Tone) {
	if text != "" {
		b.lines = append(b.lines, of.Style(b.Styles).Render(cells.Blank(table.Gutter)+cells.Cut(model.Clean(text), b.Room())))
	}
}

// AddWrapped adds a text over as many lines as it needs.
func (b *Below) AddWrapped(text string, of tone.Tone) {
	for _, line := range cells.Wrap(model.Clean(text), b.Room()) {
		b.Add(line, of)
	}
}

// AddDrawn adds a line that is drawn already; it begins behind the gutter.
func (b *Below) AddDrawn(line string) {
	b.lines = append(b.lines, cells.Blank(table.Gutter)+line)
}

// Lines are exactly so many lines of it.
func (b *Below) Lines(rows int) []string {
	for len(b.lines) < rows {
		b.lines = append(b.lines, "")
	}
	return b.lines[:rows]
}
