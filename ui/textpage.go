package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// textPage shows text that is longer than the screen: scrolled, moved sideways
// and searched.
type textPage struct {
	page
	path     []string    // its crumbs
	sentence string      // its answer
	lines    []string    // clean and plain
	tones    []tone.Tone // of the lines; none is plain
	top      int
	shift    int // cells scrolled out at the left
	found    string
	hits     []int // lines with what was searched
	hit      int
	asks     asking
	failed   bool
	work     func(context.Context) (string, error) // nil once it has run
	source   func(context.Context) (string, error) // the work, to be run again
}

// loadedMsg is the text of a page that had to be asked for.
type loadedMsg struct {
	nth  int
	text string
	err  error
}

// newLoading makes a page of a text that work fetches when the page is shown.
func newLoading(a *App, path []string, sentence string, work func(context.Context) (string, error)) *textPage {
	return &textPage{page: page{app: a}, path: path, sentence: sentence, work: work, source: work}
}

func (p *textPage) fill(text string) {
	p.lines, p.tones = nil, nil
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.lines = append(p.lines, model.Clean(strings.ReplaceAll(line, "\t", "    ")))
	}
	p.find(p.found)
}

func (p *textPage) crumbs() []string { return p.path }

func (p *textPage) answer(int) string {
	switch {
	case p.work != nil:
		return "Asking kube-apiserver; esc stops that."
	case p.failed:
		return "No answer from kube-apiserver."
	}
	return p.sentence
}

func (p *textPage) places() keymap.Place { return keymap.Everywhere | keymap.Text }

func (p *textPage) footer() []footKey {
	made := []footKey{{do: keymap.Filter, word: "find"}, {do: keymap.Copy}, {do: keymap.Close}}
	if p.found != "" {
		made = append([]footKey{{do: keymap.NextMatch}}, made...)
	}
	return made
}

func (p *textPage) copies() (text, name string) {
	return strings.Join(p.lines, "\n"), figures.Count(len(p.lines), "line", "lines")
}

func (p *textPage) body() []string {
	var drawn []string
	for i := p.top; i < min(p.top+p.height, len(p.lines)); i++ {
		drawn = append(drawn, p.drawLine(i))
	}
	return drawn
}

// drawLine draws what of a line is in view; … stands for the rest of it.
func (p *textPage) drawLine(i int) string {
	s, room := p.app.styles(), max(1, p.width-2)
	line := p.lines[i]
	if p.shift > 0 {
		line = ansi.TruncateLeft(line, p.shift, "")
	}
	line = cells.Cut(line, room)
	switch {
	case p.failed:
		return " " + s.Bad.Render(line)
	case p.found == "" || !p.isHit(i):
		return " " + p.tone(i).Style(s).Render(line)
	case i == p.hits[p.hit]:
		return s.Cursor.Render("▸") + s.Match.Render(line)
	}
	return " " + s.Match.Render(line)
}

// widest is the longest of the lines, in cells.
func (p *textPage) widest() int {
	wide := 0
	for _, line := range p.lines {
		wide = max(wide, cells.Width(line))
	}
	return wide
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
	return figures.Count(len(p.hits), "line has ", "lines have ") + p.found + "."
}

func (p *textPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return p.load()
	case loadedMsg:
		p.onLoaded(msg)
	case tea.MouseWheelMsg:
		p.scroll(keymap.Wheel(msg))
	}
	return nil
}

// load fetches the text, once.
func (p *textPage) load() tea.Cmd {
	if p.work == nil || p.asks.busy {
		return nil
	}
	work := p.work
	ctx, nth := p.asks.begin(p.app.ctx)
	return p.app.ask(p, func(context.Context) tea.Msg {
		text, err := work(ctx)
		return loadedMsg{nth, text, err}
	})
}

func (p *textPage) onLoaded(msg loadedMsg) {
	if !p.asks.open(msg.nth) {
		return
	}
	p.asks.end()
	p.work, p.failed = nil, msg.err != nil
	if p.failed {
		msg.text = msg.err.Error()
	}
	p.fill(msg.text)
}

// again makes the page fetch its text anew: it is of another step.
func (p *textPage) again() { p.work = p.source }

// leave stops the fetching; shown again, the page asks again.
func (p *textPage) leave() { p.asks.end() }

func (p *textPage) scroll(n int) {
	p.top = max(min(p.top+n, len(p.lines)-p.height), 0)
}

func (p *textPage) act(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.Up:
		p.scroll(-1)
	case keymap.Down:
		p.scroll(1)
	case keymap.Top:
		p.scroll(-len(p.lines))
	case keymap.Bottom:
		p.scroll(len(p.lines))
	case keymap.HalfUp:
		p.scroll(-p.height / 2)
	case keymap.HalfDown:
		p.scroll(p.height / 2)
	case keymap.PageUp:
		p.scroll(-p.height)
	case keymap.PageDown:
		p.scroll(p.height)
	case keymap.Left:
		p.shift = max(p.shift-8, 0)
	case keymap.Right:
		p.shift = max(0, min(p.shift+8, p.widest()-p.width+2))
	default:
		return p.actFind(do)
	}
	return nil
}
