package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// Modal is a box that takes all keys while it is open.
type Modal interface {
	// Key takes a key.
	Key(key tea.KeyPressMsg) tea.Cmd
	// Paste takes a pasted text.
	Paste(text string) tea.Cmd
	// Scroll moves the text by n rows, as the wheel does.
	Scroll(n int)
	// Resized is called when the terminal has another size.
	Resized() tea.Cmd
	// Draw lays it out for a terminal of that size.
	Draw(width, height int) Drawn
}

// Host is what a box may ask of the dashboard around it.
type Host interface {
	// Styles are those of the theme in force.
	Styles() *themes.Styles
	// Corner is the corner of a box that changes something: the context.
	Corner() string
	// Brief is text of fathom's without the domain that all nodes share.
	Brief(text string) string
	// Small reports whether the terminal is too small for any page.
	Small() bool
	// At is the time of the newest message.
	At() time.Time
	// After brings msg after d.
	After(d time.Duration, msg tea.Msg) tea.Cmd
	// Show opens a box over the page; it takes the place of an open one, or of an input.
	Show(m Modal)
	// Close closes the box.
	Close()
	// Say puts a sentence on the message row for a while.
	Say(text string) tea.Cmd
}

// Least is the narrowest that a box which asks is inside, where there is room.
const Least = 65
