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
	rule   string
	lines  []line
}

// line is a line that is drawn already, or a text.
type line struct {
	drawn, text string
	tone        tone.Tone
	goesOn      bool // the next line has more of its text
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
	b.rule = b.Styles.Rule.Render(" ─ ") + b.Styles.Strong.Render(title) + b.Styles.Rule.Render(" "+rest)
	return b
}

// Room is how many cells a line has.
func (b *Below) Room() int { return b.Width - table.Gutter - 1 }

// Add adds a text, which takes more than one line where these are free; "" is none.
func (b *Below) Add(text string, of tone.Tone) {
	if text != "" {
		b.lines = append(b.lines, line{text: model.Clean(text), tone: of})
	}
}

// AddWrapped adds a text over as many lines as it needs.
func (b *Below) AddWrapped(text string, of tone.Tone) {
	wrapped := cells.Wrap(model.Clean(text), b.Room())
	for i, text := range wrapped {
		b.lines = append(b.lines, line{text: text, tone: of, goesOn: i < len(wrapped)-1})
	}
}

// AddDrawn adds a line that is drawn already; it begins behind the gutter.
func (b *Below) AddDrawn(drawn string) {
	b.lines = append(b.lines, line{drawn: cells.Blank(table.Gutter) + drawn})
}

// Lines are exactly so many lines of it. A text that goes on after the last of them ends in ….
func (b *Below) Lines(rows int) []string {
	texts := make([]string, len(b.lines))
	for i := range b.lines {
		texts[i] = b.lines[i].text
	}
	if last := rows - 2; last >= 0 && last < len(texts) && b.lines[last].goesOn { // the rule is the first
		texts[last] = cells.Cut(texts[last]+" …", b.Room())
	}
	lines := []string{b.rule}
	for i, broken := range cells.Fill(texts, b.Room(), rows-1) {
		if b.lines[i].drawn != "" {
			lines = append(lines, b.lines[i].drawn)
			continue
		}
		for _, text := range broken {
			lines = append(lines, b.lines[i].tone.Style(b.Styles).Render(cells.Blank(table.Gutter)+text))
		}
	}
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return lines[:rows]
}
