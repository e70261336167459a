package fixes

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return []string{"pending", page.PodName(p.Host, p.Pod), "fixes"}
}

// Answer says how many fixes work; after one was carried out, what became of the pod.
func (p *Page) Answer(int) string {
	o := p.Host.Observed()
	if awaited := page.Awaited(o, p.Pod); awaited != "" {
		return awaited
	}
	pod, ok := o.FollowedPod(p.Pod.Object.UID)
	became := o.Brief(pod.Words(o.At))
	switch {
	case !ok || became == "" || p.Gone:
		return works(p)
	case pod.Offers():
		return became + ". " + works(p)
	}
	return became + "."
}

// works says how many fixes work.
func works(p *Page) string {
	switch {
	case p.Gone:
		return page.Deleted(p.Host.Observed(), p.Pod, "")
	case isSettled(p):
		return placedWords(p)
	case p.Poll.Trouble != nil:
		return "Not available: " + model.Clean(p.Poll.Trouble.Error())
	case p.Poll.Value == nil && len(p.Host.Observed().Snapshot.Status.Reading) > 0:
		return p.Host.ReadingWords()
	case p.Poll.Value == nil:
		return "Simulating fixes; esc stops."
	}
	return p.Host.Observed().Brief(p.Poll.Value.Sentence())
}

// placedWords say which node the pod has.
func placedWords(p *Page) string {
	o := p.Host.Observed()
	return model.Clean(page.PodName(p.Host, p.Pod) + " is on " + o.NodeName(nodeOf(p)) + ".")
}

// byAFixToUndo reports whether the pod has its node by a fix that was carried out and can be undone.
func byAFixToUndo(p *Page) bool {
	followed, ok := p.Host.Observed().FollowedPod(p.Pod.Object.UID)
	return ok && followed.State == follow.Placed && !followed.Final()
}

// settledLines are the body once the pod has its node, or is gone.
func settledLines(p *Page) []string {
	text := "There is nothing to fix any more."
	switch {
	case !p.Gone:
		text = placedWords(p) + " " + text
	case !p.Host.Observed().IsSnapshot():
		text = strings.TrimLeft(page.InPlaceOf(p.Host.Observed(), p.Pod)+" "+text, " ")
	}
	if byAFixToUndo(p) {
		text += " z opens Activity to undo the fix; esc goes back."
	}
	return prose(p, text)
}

// prose is a body of words alone.
func prose(p *Page, text string) []string {
	lines := []string{""}
	for _, line := range cells.Indent(table.Gutter, cells.Wrap(text, p.Width-table.Gutter-1)) {
		lines = append(lines, p.Host.Styles().Text.Render(line))
	}
	return lines
}

func (p *Page) table() Table {
	return NewTable(p.tried(), p.Width, p.Host.Observed().Domain, p.Host.Styles())
}

// Body implements page.View.
func (p *Page) Body() []string {
	tried := p.tried()
	switch {
	case p.Gone || isSettled(p):
		return settledLines(p)
	case len(tried) == 0 && cells.Width(p.Answer(p.Width)) > p.Width-1:
		return prose(p, p.Answer(p.Width)) // the row of the answer has no room for it
	case len(tried) == 0:
		return nil
	}
	t := p.table()
	lead := "   FIX"
	if p.Poll.Slow {
		lead += " (simulating again)"
	} else if slices.ContainsFunc(tried, func(f report.Fix) bool { return needsHands(&f) }) {
		lead += "   " + Legend
	}
	lines := []string{t.Head(lead)}
	for i := p.top; i < min(p.top+p.inView(), len(tried)); i++ {
		lines = append(lines, p.finish(t.Row(&tried[i]), i == p.chosen))
	}
	if f, ok := p.fix(); ok {
		for _, line := range p.details(f, p.Height-len(lines)) {
			lines = append(lines, p.finish(line, false))
		}
	}
	return lines
}

// finish shows what is selected, or old.
func (p *Page) finish(line string, selected bool) string {
	s := p.Host.Styles()
	switch {
	case selected:
		return table.SelectedRow(s, line, p.Width)
	case p.Poll.Slow:
		return s.Dim.Render(ansi.Strip(line))
	}
	return line
}

// Note is what the selected fix affects if that was cut, else the answer if that
// was. A title that was cut stands in the details.
func (p *Page) Note() string {
	if f, ok := p.fix(); ok {
		t := p.table()
		if text := t.Outcome(f); t.Affects > 0 && cells.Width(text) > t.Affects {
			return text
		}
	}
	if answer := p.Answer(p.Width); len(p.tried()) > 0 && cells.Width(answer) > p.Width-1 {
		return answer
	}
	return ""
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnFix | keymap.PodFacts
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	if p.Gone {
		return page.Keys(keymap.Close)
	}
	if isSettled(p) && !byAFixToUndo(p) {
		return page.Keys(keymap.Words, keymap.Describe, keymap.Close)
	}
	if isSettled(p) {
		return append([]page.Key{{Do: keymap.Activity, Word: "undo"}}, page.Keys(keymap.Words, keymap.Describe, keymap.Close)...)
	}
	return append([]page.Key{{Do: keymap.Open, Word: "plan"}, {Do: keymap.Copy, Word: "copy command"}}, page.Keys(keymap.Words, keymap.Describe, keymap.Close)...)
}

// Off tells why a key can do nothing here.
func (p *Page) Off(do keymap.Action) string {
	f, ok := p.fix()
	switch do {
	case keymap.Open, keymap.Copy:
		switch {
		case p.Gone:
			return "there is nothing to fix any more."
		case isSettled(p):
			return "the pod has a node."
		case !ok:
			return "no fix is selected."
		case do == keymap.Open:
			return p.unplanned(f)
		case f.Command == "":
			return "this fix has no command."
		}
	case keymap.Fixes:
		return "this page shows the fixes."
	case keymap.Describe, keymap.YAML:
		if p.Pod.Object.Name == "" {
			return "the pod was not created."
		}
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide, keymap.NextPart, keymap.PrevPart:
		return "not available on this page."
	}
	return ""
}

// Copies is the command of the selected fix, whole, and what it is for.
func (p *Page) Copies() (text, name string) {
	f, ok := p.fix()
	if !ok {
		return "", ""
	}
	return Command(f, p.Host.Observed())
}

// Command is the command of a fix, and what the message row calls it.
func Command(f *report.Fix, o *page.Observed) (text, name string) {
	return strings.TrimSuffix(f.Command, "\n"), "the command to " + o.Brief(f.Title)
}
