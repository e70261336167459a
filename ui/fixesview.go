package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

func (p *fixes) crumbs() []string {
	return []string{"pending", p.app.opener.podName(p.pod).Text, "fixes"}
}

// answer says how many fixes work.
func (p *fixes) answer(int) string {
	switch {
	case p.gone:
		return "Gone."
	case p.tries.trouble != nil:
		return "No answer: " + model.Clean(p.tries.trouble.Error())
	case p.tries.fixes == nil && len(p.app.observed.snapshot.Status.Reading) > 0:
		return p.app.contexts.readingWords()
	case p.tries.fixes == nil:
		return "Trying fixes on a copy of the cluster; esc stops that."
	}
	return p.app.observed.brief(p.tries.fixes.Sentence())
}

func (p *fixes) table() why.FixTable {
	return why.NewFixTable(p.tries.tried(), p.width, p.app.observed.domain, p.app.styles())
}

func (p *fixes) body() []string {
	tried := p.tries.tried()
	if len(tried) == 0 {
		return nil
	}
	t := p.table()
	lead := "   FIX"
	if p.tries.slow {
		lead += ", being tried again"
	}
	lines := []string{t.Head(lead)}
	for i := p.top; i < min(p.top+p.inView(), len(tried)); i++ {
		lines = append(lines, p.finish(t.Row(&tried[i]), i == p.chosen))
	}
	if f, ok := p.fix(); ok {
		for _, line := range p.details(f, p.height-len(lines)) {
			lines = append(lines, p.finish(line, false))
		}
	}
	return lines
}

// finish shows what is selected, or old.
func (p *fixes) finish(line string, selected bool) string {
	s := p.app.styles()
	switch {
	case selected:
		return why.SelectedRow(s, line, p.width)
	case p.tries.slow || p.gone:
		return s.Dim.Render(ansi.Strip(line))
	}
	return line
}

// note is what the selected fix affects if that was cut, else the answer if that
// was. A title that was cut stands in the details.
func (p *fixes) note() string {
	if f, ok := p.fix(); ok {
		t := p.table()
		if text := t.Outcome(f); t.Affects > 0 && cells.Width(text) > t.Affects {
			return text
		}
	}
	if answer := p.answer(p.width); cells.Width(answer) > p.width-1 {
		return answer
	}
	return ""
}

func (p *fixes) selected() selection { return podSelection(p.pod) }

func (p *fixes) places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnFix | keymap.PodFacts
}

func (p *fixes) footer() []footKey {
	return append([]footKey{{do: keymap.Open, word: "plan it"}, {do: keymap.Copy, word: "copy command"}}, keys(keymap.Words, keymap.Describe, keymap.Close)...)
}

// off tells why a key can do nothing here.
func (p *fixes) off(do keymap.Action) string {
	f, ok := p.fix()
	switch do {
	case keymap.Open, keymap.Copy:
		switch {
		case !ok:
			return "there is no fix to select."
		case do == keymap.Open:
			return p.unplanned(f)
		case f.Command == "":
			return "there is no command for it."
		}
	case keymap.Fixes:
		return "this page shows them."
	case keymap.Describe, keymap.YAML:
		if p.pod.Object.Name == "" {
			return "the pod was not created."
		}
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide, keymap.NextPart, keymap.PrevPart:
		return "this page is no list."
	}
	return ""
}

// copies is the command of the selected fix, whole, and what it is for.
func (p *fixes) copies() (text, name string) {
	f, ok := p.fix()
	if !ok {
		return "", ""
	}
	return commandOf(f, p.app)
}

// commandOf is the command of a fix, and what the message row calls it.
func commandOf(f *report.Fix, a *App) (text, name string) {
	return strings.TrimSuffix(f.Command, "\n"), "the command to " + a.observed.brief(f.Title)
}
