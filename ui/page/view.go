// Package page is what the dashboard and its pages know of each other.
package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// View is one page of the dashboard. All its methods run on the event loop; slow work
// is a Cmd made by Host.Ask, whose result arrives through Update.
type View interface {
	// Crumbs are the header's words after the namespace: the view, then the object.
	Crumbs() []string
	// Answer is row 2: the sentence that answers the page's question, plain.
	Answer(width int) string
	// Resize sets the size of the body, before anything is drawn.
	Resize(width, height int)
	// Body draws rows 3 … n−2, at most as many lines as fit.
	Body() []string
	// Note is the message row where nothing is more urgent: the selected row's cut
	// text. It is plain.
	Note() string
	// Selected is what the keys act on.
	Selected() Selection
	// Places are where in the key map the page is now.
	Places() keymap.Place
	// Footer lists the keys that matter for this selection, the first ones first.
	Footer() []Key
	// Off says why an action is not available on the selection; "" if it is.
	Off(do keymap.Action) string
	// Act runs an action. The dashboard itself runs those that are available everywhere.
	Act(do keymap.Action) tea.Cmd
	// Update takes messages other than keys: SnapshotMsg when there is a newer snapshot
	// or the page is shown again, mouse messages (rows count from the body's
	// first), and the results of Host.Ask.
	Update(msg tea.Msg) tea.Cmd
}

// HiddenWords are shown in place of an explanation that would reveal the answer to the
// question of a lesson, which may not be there yet. HiddenCell has room in a column.
const (
	HiddenWords = "hidden until the lesson's question is answered"
	HiddenCell  = "hidden until answered"
)

// SnapshotMsg brings a newer snapshot to the page on top.
type SnapshotMsg struct {
	Snapshot *model.Snapshot
	Shown    bool // the page was not on top before; the snapshot may be an old one
}

// Key is one key of a footer; its word and its label are the key map's unless set.
type Key struct {
	Do    keymap.Action
	Word  string
	Label string
}

// Keys makes a footer of actions with the words of the key map.
func Keys(actions ...keymap.Action) []Key {
	made := make([]Key, len(actions))
	for i, do := range actions {
		made[i] = Key{Do: do}
	}
	return made
}

// Selection is what the keys act on.
type Selection struct {
	Ref  model.Ref   // zero where nothing is selected
	Pod  *model.Pod  // nil where it is not a pod
	Node *model.Node // nil where it is not a node
	Copy string      // what C copies
}
