package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// textPage shows text that is longer than the screen: scrolled, moved sideways
// and searched.
type textPage struct {
	page
	path     []string // its crumbs
	sentence string   // its answer
	lines    []string // clean and plain
	tones    []tone   // of the lines; none is plain
	top      int
	shift    int // cells scrolled out at the left
	found    string
	hits     []int // lines with what was searched
	hit      int
	asked    bool
	failed   bool
	work     func(context.Context) (string, error) // nil once it has run
}

// loadedMsg is the text of a page that had to be asked for.
type loadedMsg struct {
	text string
	err  error
}

// newText makes a page of a text that is there.
func newText(a *App, path []string, sentence, text string) *textPage {
	p := &textPage{page: page{app: a}, path: path, sentence: sentence}
	p.fill(text)
	return p
}

// newLoading makes a page of a text that work fetches when the page is shown.
func newLoading(a *App, path []string, sentence string, work func(context.Context) (string, error)) *textPage {
	return &textPage{page: page{app: a}, path: path, sentence: sentence, work: work}
}

func (p *textPage) fill(text string) {
	p.lines = nil
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.lines = append(p.lines, model.Clean(strings.ReplaceAll(line, "\t", "    ")))
	}
}

func (p *textPage) crumbs() []string { return p.path }

func (p *textPage) answer(int) string {
	if p.work != nil {
		return "Asking the server …"
	}
	return p.sentence
}

func (p *textPage) places() place { return everywhere | text }

func (p *textPage) footer() []footKey {
	made := []footKey{{do: doFilter, word: "find"}, {do: doCopy}, {do: doClose}}
	if p.found != "" {
		made = append([]footKey{{do: doNextMatch}}, made...)
	}
	return made
}

func (p *textPage) copies() (text, name string) {
	return strings.Join(p.lines, "\n"), count(len(p.lines), "line", "lines")
}

func (p *textPage) body() []string {
	s := p.app.styles()
	var drawn []string
	for i := p.top; i < min(p.top+p.height, len(p.lines)); i++ {
		line := ansi.Cut(p.lines[i], p.shift, p.shift+p.width-2)
		switch {
		case p.failed:
			drawn = append(drawn, " "+s.Bad.Render(line))
		case p.found != "" && p.isHit(i):
			drawn = append(drawn, " "+s.Match.Render(line))
		default:
			drawn = append(drawn, " "+p.tone(i).style(s).Render(line))
		}
	}
	return drawn
}

func (p *textPage) isHit(i int) bool {
	return strings.Contains(strings.ToLower(p.lines[i]), strings.ToLower(p.found))
}

func (p *textPage) note() string {
	if p.found == "" {
		return ""
	}
	if len(p.hits) == 0 {
		return "No line has " + p.found + "."
	}
	return count(len(p.hits), "line has ", "lines have ") + p.found + "."
}

func (p *textPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return p.load()
	case loadedMsg:
		p.work, p.failed = nil, msg.err != nil
		if p.failed {
			msg.text = msg.err.Error()
		}
		p.fill(msg.text)
	case tea.MouseWheelMsg:
		p.scroll(wheel(msg))
	}
	return nil
}

// load fetches the text, once.
func (p *textPage) load() tea.Cmd {
	if p.work == nil || p.asked {
		return nil
	}
	work := p.work
	p.asked = true
	return p.app.ask(p, func(ctx context.Context) tea.Msg {
		text, err := work(ctx)
		return loadedMsg{text, err}
	})
}

func (p *textPage) scroll(n int) {
	p.top = max(min(p.top+n, len(p.lines)-p.height), 0)
}

func (p *textPage) act(do action) tea.Cmd {
	switch do {
	case doUp:
		p.scroll(-1)
	case doDown:
		p.scroll(1)
	case doTop:
		p.scroll(-len(p.lines))
	case doBottom:
		p.scroll(len(p.lines))
	case doHalfUp:
		p.scroll(-p.height / 2)
	case doHalfDown:
		p.scroll(p.height / 2)
	case doPageUp:
		p.scroll(-p.height)
	case doPageDown:
		p.scroll(p.height)
	case doLeft:
		p.shift = max(p.shift-8, 0)
	case doRight:
		p.shift += 8
	default:
		return p.actFind(do)
	}
	return nil
}
