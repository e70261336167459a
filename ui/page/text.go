package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
)

// Text is a page of text that is scrolled and searched. The page that embeds it says
// what the text is.
type Text struct {
	Base
	Content textview.Model
}

// Resize implements View.
func (p *Text) Resize(width, height int) {
	p.Base.Resize(width, height)
	p.Content.Resize(width, height)
}

// Body implements View.
func (p *Text) Body() []string { return p.Content.Draw(p.Host.Styles()) }

// Note implements View: how many lines match a search.
func (p *Text) Note() string { return p.Content.Note() }

// Places implements View.
func (p *Text) Places() keymap.Place { return keymap.Everywhere | keymap.Text }

// Footer implements View.
func (p *Text) Footer() []Key {
	made := []Key{{Do: keymap.Filter, Word: "find"}, {Do: keymap.Copy}, {Do: keymap.Close}}
	if p.Content.Found() != "" {
		made = append([]Key{{Do: keymap.NextMatch}}, made...)
	}
	return made
}

// Copies is the text, and its name on the message row.
func (p *Text) Copies() (text, name string) {
	text, lines := p.Content.Text()
	return text, figures.Count(lines, "line", "lines")
}

// Update takes the wheel.
func (p *Text) Update(msg tea.Msg) tea.Cmd {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok {
		p.Content.Scroll(keymap.Wheel(wheel))
	}
	return nil
}

// Act implements View.
func (p *Text) Act(do keymap.Action) tea.Cmd {
	if do == keymap.Filter {
		p.Host.Input(&finding{host: p.Host, text: &p.Content, field: input.NewSearch("")})
		return nil
	}
	p.Content.Act(do)
	return nil
}

// Close ends a search before the page is left.
func (p *Text) Close() (cmd tea.Cmd, done bool) {
	searched := p.Content.Found() != ""
	p.Content.Find("")
	return nil, searched
}

// finding is the input for a search in a text.
type finding struct {
	host  Host
	text  *textview.Model
	field input.Field
}

// Line implements Prompt.
func (f *finding) Line(width int) string {
	return f.host.Styles().Text.Render(" /" + f.field.DrawnIn(width-2))
}

// Above implements Prompt: nothing.
func (f *finding) Above(int) []string { return nil }

// Full reports whether no more can be typed.
func (f *finding) Full(text string) bool { return !f.field.Takes(text) }

// Paste implements Prompt.
func (f *finding) Paste(text string) tea.Cmd {
	f.field.Edit(tea.PasteMsg{Content: text})
	f.text.Find(f.field.Text())
	return nil
}

// Key implements Prompt.
func (f *finding) Key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		f.host.Input(nil)
		f.text.Find("")
	case "enter":
		f.host.Input(nil)
	default:
		if f.field.Edit(key) {
			f.text.Find(f.field.Text())
		}
	}
	return nil
}
