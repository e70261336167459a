package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

const (
	// editWidth is how wide the box of an input is inside, where there is room.
	editWidth = 64
	// editRows is how many completions it shows at most.
	editRows = 6
	// editIndent is where what is typed begins.
	editIndent = 5
)

// wishEdit is the box in which a wish is typed. It says what would follow while
// it is typed; enter plans it.
type wishEdit struct {
	app      *App
	title    string
	verb     string // before what is typed: "add"
	hint     string // "a trailing - removes"
	now      []string
	complete func(*model.Snapshot, string) []plan.Completion // nil: nothing is known to complete
	read     func(string) (plan.Action, error)
	number   bool // nothing but digits is typed
	blind    bool // what would follow is not known before the API server is asked

	field    input.Field
	shown    []plan.Completion
	chosen   int // -1: none
	sentence string
	wrong    bool // the sentence says what is wrong with what was typed
	nth      int  // of what was typed: answers to older texts are dropped
}

// editedMsg brings what there is to say about what was typed.
type editedMsg struct {
	edit     *wishEdit
	nth      int
	shown    []plan.Completion // nil: those that are shown stay
	sentence string
	wrong    bool
}

// openEdit opens the box.
func (c *acts) openEdit(e *wishEdit) tea.Cmd {
	e.app, e.field, e.chosen = c.app, input.New(""), -1
	if e.number {
		e.field = input.NewNumber()
	}
	c.app.prompt, c.app.dialog = nil, e
	return e.typed()
}

func (e *wishEdit) key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "q" && e.number {
		pressed = "esc" // what is typed has no letters
	}
	switch pressed {
	case "esc", "ctrl+c":
		e.app.dialog = nil
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

func (e *wishEdit) paste(text string) tea.Cmd {
	if !e.field.Takes(text) {
		e.sentence, e.wrong = "What was pasted is too long.", true
		return nil
	}
	if e.field.Edit(tea.PasteMsg{Content: text}) {
		return e.typed()
	}
	return nil
}

func (e *wishEdit) scroll(int) {}

func (e *wishEdit) resized() tea.Cmd { return nil }

// choose goes to another completion, or to none above the first.
func (e *wishEdit) choose(n int) tea.Cmd {
	e.chosen = max(min(e.chosen+n, len(e.shown)-1), -1)
	return e.follow(false)
}

// take puts the chosen completion, else the first, in the place of what is typed.
func (e *wishEdit) take() tea.Cmd {
	if len(e.shown) == 0 {
		return nil
	}
	e.chosen = max(e.chosen, 0)
	e.field = input.New(e.text())
	return e.typed()
}

// text is what would be planned: what was typed, its last word as chosen.
func (e *wishEdit) text() string {
	typed := e.field.Text()
	if e.chosen < 0 || e.chosen >= len(e.shown) {
		return typed
	}
	return typed[:strings.LastIndexByte(typed, ' ')+1] + e.shown[e.chosen].Text
}

// enter plans what is typed or chosen. A completion that lacks its value is only
// put in.
func (e *wishEdit) enter() tea.Cmd {
	if at := e.chosen; at >= 0 && at < len(e.shown) && strings.HasSuffix(e.shown[at].Text, "=") {
		return e.take()
	}
	wish, err := e.read(e.text())
	if err != nil {
		e.sentence, e.wrong = err.Error(), true
		return nil
	}
	e.app.dialog = nil
	return e.app.acts.plan(wish)
}

// typed follows another text.
func (e *wishEdit) typed() tea.Cmd {
	e.chosen = -1
	return e.follow(true)
}

// follow works out, off the event loop, what the text may become and what would
// follow of it.
func (e *wishEdit) follow(anew bool) tea.Cmd {
	e.nth++
	msg := editedMsg{edit: e, nth: e.nth}
	s, typed, text := e.app.observed.snapshot, e.field.Text(), e.text()
	return func() tea.Msg {
		if anew {
			msg.shown = []plan.Completion{}
			if e.complete != nil {
				msg.shown = append(msg.shown, e.complete(s, typed)...)
			}
		}
		if text == "" {
			return msg
		}
		wish, err := e.read(text)
		if err == nil && !e.blind {
			msg.sentence, err = plan.Preview(s, wish)
		}
		if err != nil {
			msg.sentence, msg.wrong = err.Error(), true
		}
		return msg
	}
}

// onEdited shows it, unless something else was typed since.
func (c *acts) onEdited(msg editedMsg) {
	e := msg.edit
	if c.app.dialog != modal(e) || msg.nth != e.nth {
		return
	}
	if msg.shown != nil {
		e.shown = msg.shown
	}
	e.sentence, e.wrong = msg.sentence, msg.wrong
}

func (e *wishEdit) draw(width, height int) dialog.Drawn {
	s, inner := e.app.styles(), min(editWidth, dialog.Room(width))
	var rows []dialog.Row
	add := func(text string) { rows = append(rows, dialog.Row{Text: cells.Cut(text, inner)}) }
	for i, line := range cells.Wrap(cmp.Or(joinedNow(e.now), "none"), inner-editIndent) {
		add(s.Dim.Render(cells.Left([]string{"now", ""}[min(i, 1)], editIndent)) + s.Text.Render(line))
	}
	typed := cells.Left(e.verb, editIndent) + e.field.Drawn()
	if over := cells.Width(typed) - inner; over > 0 {
		typed = cells.Left(e.verb, editIndent) + "…" + string([]rune(e.field.Drawn())[over+1:])
	}
	if hint := e.hint; cells.Width(typed)+cells.Width(hint)+editIndent < inner {
		typed = cells.Spread(s.Text.Render(typed), s.Dim.Render(hint), inner-editIndent)
	}
	add(typed)
	rows = append(rows, e.completions(inner)...)
	style := s.Text
	if e.wrong {
		style = s.Dim
	}
	for _, line := range cells.Wrap(e.app.observed.brief(e.sentence), inner) {
		add(style.Render(line))
	}
	keys := "tab complete   ↑ ↓ choose   enter plan   esc nothing"
	if e.complete == nil {
		keys = "enter plan   esc nothing"
	}
	add(s.Dim.Render(keys))
	rows = rows[max(len(rows)-dialog.Rows(height), 0):]
	return dialog.Drawn{Title: e.app.observed.brief(e.title), Corner: e.app.boxes.placeBadge(), Rows: rows, Inner: inner}
}

// completions are those around the chosen one.
func (e *wishEdit) completions(inner int) []dialog.Row {
	s := e.app.styles()
	from := max(min(e.chosen-editRows/2, len(e.shown)-editRows), 0)
	shown := e.shown[from:min(from+editRows, len(e.shown))]
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

// joinedNow is what is there now, cut to a few.
func joinedNow(now []string) string {
	clean := make([]string, len(now))
	for i, text := range now {
		clean[i] = model.Clean(text)
	}
	return figures.Named(clean)
}
