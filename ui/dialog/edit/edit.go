// Package edit is the box in which an action is typed: taints, labels, annotations, a
// number of replicas.
package edit

import (
	"cmp"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

const (
	// innerWidth is how wide the box of an input is inside, where there is room.
	innerWidth = 64
	// shownRows is how many completions it shows at most.
	shownRows = 6
	// indent is where the typed text begins.
	indent = 5
)

// Box is the box in which an action is typed. It previews the effects of the
// typed text; enter plans it.
type Box struct {
	host     Host
	title    string
	verb     string // before the typed text: "add"
	hint     string // "to remove: key-"
	now      []string
	complete func(*model.Snapshot, string) []plan.Completion // nil: there are no completions
	read     func(string) (plan.Action, error)
	number   bool // only digits can be typed
	blind    bool // there is no preview: only the API server knows the effects

	field    input.Field
	shown    []plan.Completion
	chosen   int // -1: none
	sentence string
	wrong    bool   // the sentence says what is wrong with the typed text
	checked  string // the text that the sentence is about
	nth      int    // of the typed text: answers to older texts are dropped
}

// PreviewedMsg brings the completions and the preview of the typed text.
type PreviewedMsg struct {
	box      *Box
	nth      int
	shown    []plan.Completion // nil: those that are shown stay
	sentence string
	wrong    bool
	text     string
}

// Host is what the box may ask of the dashboard around it.
type Host interface {
	dialog.Host
	// Observed is the newest state of the cluster. It is never nil; a box only reads it.
	Observed() *page.Observed
	// Plan plans an action; the plan asks before anything is changed.
	Plan(action plan.Action) tea.Cmd
}

// open opens the box.
func (e *Box) open(h Host) tea.Cmd {
	e.host, e.field, e.chosen = h, input.New(""), -1
	if e.number {
		e.field = input.NewNumber()
	}
	h.Show(e)
	return e.typed()
}

// Key implements dialog.Modal.
func (e *Box) Key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "q" && e.number {
		pressed = "esc" // a number has no letters
	}
	switch pressed {
	case "esc", "ctrl+c":
		e.host.Close()
	case "up":
		return e.choose(-1)
	case "down":
		return e.choose(1)
	case "tab":
		return e.take()
	case "enter":
		return e.enter()
	default:
		if e.field.Edit(key) {
			return e.typed()
		}
	}
	return nil
}

// Paste implements dialog.Modal.
func (e *Box) Paste(text string) tea.Cmd {
	if !e.field.Takes(text) {
		e.sentence, e.wrong = "The pasted text is too long.", true
		return nil
	}
	if e.field.Edit(tea.PasteMsg{Content: text}) {
		return e.typed()
	}
	return nil
}

// Scroll implements dialog.Modal: nothing scrolls.
func (e *Box) Scroll(int) {}

// Resized implements dialog.Modal.
func (e *Box) Resized() tea.Cmd { return nil }

// choose goes to another completion, or to none above the first.
func (e *Box) choose(n int) tea.Cmd {
	e.chosen = max(min(e.chosen+n, len(e.shown)-1), -1)
	return e.follow(false)
}

// take puts in the chosen completion, otherwise the first.
func (e *Box) take() tea.Cmd {
	if len(e.shown) == 0 {
		return nil
	}
	e.chosen = max(e.chosen, 0)
	e.field = input.New(e.text())
	return e.typed()
}

// text is the text that would be planned: the typed one, its last word as chosen.
func (e *Box) text() string {
	typed := e.field.Text()
	if e.chosen < 0 || e.chosen >= len(e.shown) {
		return typed
	}
	return typed[:strings.LastIndexByte(typed, ' ')+1] + e.shown[e.chosen].Text
}

// enter plans the typed or chosen text. A completion without a value is only put in.
func (e *Box) enter() tea.Cmd {
	if at := e.chosen; at >= 0 && at < len(e.shown) && strings.HasSuffix(e.shown[at].Text, "=") {
		return e.take()
	}
	action, err := e.read(e.text())
	if err != nil {
		e.sentence, e.wrong = wrongTyped(err, action), true
		return nil
	}
	if e.wrong && e.checked == e.text() {
		return e.follow(false) // the cluster may have changed since
	}
	e.host.Close()
	return e.host.Plan(action)
}

// typed takes a changed text.
func (e *Box) typed() tea.Cmd {
	e.chosen = -1
	return e.follow(true)
}

// follow works out, off the event loop, the completions of the text, if wanted, and
// the preview of its effects.
func (e *Box) follow(completes bool) tea.Cmd {
	e.nth++
	s, typed, text := e.host.Observed().Snapshot, e.field.Text(), e.text()
	msg := PreviewedMsg{box: e, nth: e.nth, text: text}
	return func() tea.Msg {
		if completes {
			msg.shown = []plan.Completion{}
			if e.complete != nil {
				msg.shown = append(msg.shown, e.complete(s, typed)...)
			}
		}
		if text == "" {
			return msg
		}
		action, err := e.read(text)
		if err == nil && !e.blind {
			msg.sentence, err = plan.Preview(s, action)
		}
		if err != nil {
			msg.sentence, msg.wrong = wrongTyped(err, action), true
		}
		return msg
	}
}

// wrongTyped says what is wrong with the typed text, which the box shows: without it.
func wrongTyped(err error, action plan.Action) string {
	words := err.Error()
	if typed := (*plan.InputError)(nil); errors.As(err, &typed) {
		words = typed.Why
	} else if errors.Is(err, plan.ErrNoChange) {
		words = strings.TrimPrefix(words, action.Name()+": ")
	}
	return grammar.Capital(strings.TrimSuffix(words, ".")) + "."
}

// Update shows completions and a preview, unless something else was typed since.
func (e *Box) Update(msg PreviewedMsg) {
	if msg.box != e || msg.nth != e.nth {
		return
	}
	if msg.shown != nil {
		e.shown = msg.shown
	}
	e.sentence, e.wrong, e.checked = msg.sentence, msg.wrong, msg.text
}

// Draw implements dialog.Modal.
func (e *Box) Draw(width, height int) dialog.Drawn {
	s, inner := e.host.Styles(), min(innerWidth, dialog.Room(width))
	var rows []dialog.Row
	add := func(text string) { rows = append(rows, dialog.Row{Text: cells.Cut(text, inner)}) }
	for i, line := range cells.Wrap(cmp.Or(joinedNow(e.now), "none"), inner-indent) {
		add(s.Dim.Render(cells.Left([]string{"now", ""}[min(i, 1)], indent)) + s.Text.Render(line))
	}
	typed := cells.Left(e.verb, indent) + e.field.Drawn()
	if over := cells.Width(typed) - inner; over > 0 {
		typed = cells.Left(e.verb, indent) + "…" + string([]rune(e.field.Drawn())[over+1:])
	}
	if hint := e.hint; cells.Width(typed)+cells.Width(hint)+indent < inner {
		typed = cells.Spread(s.Text.Render(typed), s.Dim.Render(hint), inner-indent)
	}
	add(typed)
	rows = append(rows, e.completions(inner)...)
	style := s.Text
	if e.wrong {
		style = s.Dim
	}
	for _, line := range cells.Wrap(e.host.Brief(e.sentence), inner) {
		add(style.Render(line))
	}
	keys := "tab complete   ↑ ↓ choose   enter plan   esc cancel"
	if e.complete == nil {
		keys = "enter plan   esc cancel"
	}
	add(s.Dim.Render(keys))
	rows = rows[max(len(rows)-dialog.Rows(height), 0):]
	return dialog.Drawn{Title: e.host.Brief(e.title), Corner: e.host.Corner(), Rows: rows, Inner: inner}
}

// completions are those around the chosen one.
func (e *Box) completions(inner int) []dialog.Row {
	s := e.host.Styles()
	from := max(min(e.chosen-shownRows/2, len(e.shown)-shownRows), 0)
	shown := e.shown[from:min(from+shownRows, len(e.shown))]
	words := 0
	for _, c := range shown {
		words = max(words, cells.Width(c.Text))
	}
	var rows []dialog.Row
	for i, c := range shown {
		lead, style := "     ", s.Text
		if from+i == e.chosen {
			lead, style = "   ▸ ", s.Selected
		}
		line := lead + cells.Left(c.Text, words) + "   " + c.Note
		rows = append(rows, dialog.Row{Text: style.Render(cells.Left(line, inner))})
	}
	return rows
}

// joinedNow are the present values, cut to a few.
func joinedNow(now []string) string {
	clean := make([]string, len(now))
	for i, text := range now {
		clean[i] = model.Clean(text)
	}
	return figures.Named(clean)
}
