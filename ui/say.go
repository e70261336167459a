package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// sayFor is how long the message row keeps why a key cannot act.
const sayFor = 6 * time.Second

// said is what the message row was told to say.
type said struct {
	text string
	bad  bool
	nth  int // so that an old timer does not take a new message away
}

// forgetMsg takes the message of that number away.
type forgetMsg struct{ nth int }

// say puts a sentence on the message row for a while.
func (a *App) say(text string) tea.Cmd {
	a.said = said{text: text, nth: a.said.nth + 1}
	nth := a.said.nth
	return a.after(sayFor, func(time.Time) tea.Msg { return forgetMsg{nth} })
}

// sayError puts an error on the message row; it stays until the next key.
func (a *App) sayError(err error) tea.Cmd {
	a.said = said{text: err.Error(), bad: true, nth: a.said.nth + 1}
	return nil
}

func (a *App) forget(msg forgetMsg) {
	if msg.nth == a.said.nth {
		a.said.text = ""
	}
}
