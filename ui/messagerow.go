package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// sayFor is how long a message stays on the message row.
const sayFor = 6 * time.Second

// said is the message on the message row.
type said struct {
	app  *App
	text string
	bad  bool
	nth  int // so that an old timer does not remove a new message
}

// forgetMsg removes the message of that number.
type forgetMsg struct{ nth int }

// say puts a sentence on the message row for a while.
func (s *said) say(text string) tea.Cmd {
	s.text, s.bad = text, false
	s.nth++
	nth := s.nth
	return s.app.after(sayFor, func(time.Time) tea.Msg { return forgetMsg{nth} })
}

// stay puts a sentence on the message row until the next key.
func (s *said) stay(text string) {
	s.text, s.bad = text, false
	s.nth++
}

// sayError puts an error on the message row; it stays until the next key.
func (s *said) sayError(err error) tea.Cmd {
	s.text, s.bad = err.Error(), true
	s.nth++
	return nil
}

func (s *said) forget(msg forgetMsg) {
	if msg.nth == s.nth {
		s.text = ""
	}
}
