package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// view is one page of the dashboard. All its methods run on the event loop; what
// takes time is a Cmd made by App.ask, whose result comes back through update.
type view interface {
	// crumbs are the header's words after the namespace: the view, then the object.
	crumbs() []string
	// answer is row 2: the sentence that answers what the page is for, plain.
	answer(width int) string
	// resize tells how much room the body has, before anything is drawn.
	resize(width, height int)
	// body draws rows 3 … n−2, at most as many lines as there is room for.
	body() []string
	// note is what the message row says when nothing is more urgent: the
	// selected row's cut text. It is plain.
	note() string
	// selected is what the keys act on.
	selected() selection
	// places are where in the key map the page is now.
	places() keymap.Place
	// footer lists the keys that matter for this selection, the first ones first.
	footer() []footKey
	// off tells why an action cannot be done on what is selected; "" if it can.
	off(do keymap.Action) string
	// act does what a key asks for. The App has done the actions that are everywhere.
	act(do keymap.Action) tea.Cmd
	// update takes what is not a key: snapshotMsg when there is a newer snapshot
	// or the page is shown again, mouse messages (rows count from the body's
	// first), and the results of App.ask.
	update(msg tea.Msg) tea.Cmd
}

// footKey is one key of a footer; its word and its label are the key map's
// unless it says others.
type footKey struct {
	do    keymap.Action
	word  string
	label string
}

// keys makes a footer of actions with the words of the key map.
func keys(actions ...keymap.Action) []footKey {
	made := make([]footKey, len(actions))
	for i, do := range actions {
		made[i] = footKey{do: do}
	}
	return made
}

// selection is what the keys act on.
type selection struct {
	ref  model.Ref   // zero where nothing is selected
	pod  *model.Pod  // nil where it is not a pod
	node *model.Node // nil where it is not a node
	copy string      // what C copies
}

// page holds what most views do alike. A view embeds it and overrides the rest.
type page struct {
	app           *App
	width, height int // of the body
}

func (p *page) resize(width, height int) { p.width, p.height = width, height }
func (p *page) selected() selection      { return selection{} }
func (p *page) off(keymap.Action) string { return "" }
