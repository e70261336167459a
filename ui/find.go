package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// actFind searches the text.
func (p *textPage) actFind(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.Filter:
		p.app.prompt = &finding{page: p, field: input.NewSearch("")}
	case keymap.NextMatch:
		p.goToHit(p.hit + 1)
	case keymap.PrevMatch:
		p.goToHit(p.hit - 1)
	}
	return nil
}

// find marks the lines with what and goes to the first one in view or below.
func (p *textPage) find(what string) {
	p.found, p.hits = what, nil
	if what == "" {
		return
	}
	first := 0
	for i := range p.lines {
		if !p.isHit(i) {
			continue
		}
		if i < p.top {
			first++
		}
		p.hits = append(p.hits, i)
	}
	p.goToHit(first)
}

// goToHit brings hit i into view; after the last comes the first.
func (p *textPage) goToHit(i int) {
	if len(p.hits) == 0 {
		return
	}
	p.hit = (i + len(p.hits)) % len(p.hits)
	if line := p.hits[p.hit]; line < p.top || line >= p.top+p.height {
		p.scroll(line - p.top)
	}
}

// close ends a search before the page is left.
func (p *textPage) close() (cmd tea.Cmd, done bool) {
	searched := p.found != ""
	p.find("")
	return nil, searched
}

// finding is the input for what to search in a text.
type finding struct {
	page  *textPage
	field input.Field
}

func (f *finding) line(width int) string {
	return f.page.app.styles().Text.Render(" /" + f.field.DrawnIn(width-2))
}

func (f *finding) above(int) []string { return nil }

func (f *finding) full(text string) bool { return !f.field.Takes(text) }

func (f *finding) paste(text string) tea.Cmd {
	f.field.Edit(tea.PasteMsg{Content: text})
	f.page.find(f.field.Text())
	return nil
}

func (f *finding) key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		f.page.app.prompt = nil
		f.page.find("")
	case "enter":
		f.page.app.prompt = nil
	default:
		if f.field.Edit(key) {
			f.page.find(f.field.Text())
		}
	}
	return nil
}
