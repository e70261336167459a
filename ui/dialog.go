package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/help"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// boxes opens boxes and lays them over the page.
type boxes struct{ app *App }

// modal is a box that takes all keys while it is open.
type modal interface {
	key(key tea.KeyPressMsg) tea.Cmd
	paste(text string) tea.Cmd
	// scroll moves the text by n rows, as the wheel does.
	scroll(n int)
	// resized is called when the terminal has another size.
	resized() tea.Cmd
	// draw lays it out for a terminal of that size.
	draw(width, height int) dialog.Drawn
}

// lay dims the rows of the screen and lays a box over them.
func (x *boxes) lay(rows []string, b dialog.Drawn) []string {
	x.app.layout.shade(rows)
	for i, line := range b.Frame(x.app.styles()) {
		if at := max((len(rows)-len(b.Rows)-2)/2, 0) + i; at < len(rows) {
			rows[at] = cells.Blank((x.app.width-b.Inner-4)/2) + line
		}
	}
	return rows
}

// onBoxKey scrolls the box or closes it.
func (x *boxes) onBoxKey(key tea.KeyPressMsg) {
	x.app.box.Resize(x.app.height)
	if x.app.box.Key(key) {
		x.app.box = nil
	}
}

// underBox lays the box over rows, which are dimmed.
func (x *boxes) underBox(rows []string) []string {
	return x.lay(rows, x.app.box.Draw(x.app.styles(), x.app.width, x.app.height))
}

// openHelp shows the keys of the page.
func (x *boxes) openHelp() {
	v, demo := x.app.history.top(), ""
	name := model.Clean(v.Crumbs()[0])
	if v.Places()&keymap.Text != 0 {
		name = "text"
	}
	if x.app.Demo {
		demo = help.Demo(x.app.lesson.Taken != nil)
	}
	x.app.box = help.New(name, x.app.keyboard.placesOf(v), demo, x.app.height)
}
