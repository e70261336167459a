package ui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// rights are the permissions of the user that were asked for so far.
type rights struct {
	known map[model.Right]model.Permission
	asked map[model.Right]bool
}

// rightsMsg brings the answer about rights.
type rightsMsg struct {
	opened int
	known  map[model.Right]model.Permission
}

// forbidden says that the user lacks a permission; "" where that is not known.
func (c *acts) forbidden(do keymap.Action, t page.Targets) string {
	for _, right := range change.Rights(do, t) {
		permission, known := c.rights.known[right]
		if !known || permission.Allowed {
			continue
		}
		where := ""
		if right.Namespace != "" {
			where = " in " + right.Namespace
		}
		return "not allowed to " + right.Verb + " " + right.Resource + where + ". Ask for that permission."
	}
	return ""
}

// wantRights asks once for each right that the keys of what is selected take.
func (c *acts) wantRights() tea.Cmd {
	if reason, _ := c.app.keyboard.lookOnly(); reason != "" || c.app.observed.Snapshot.Revision == 0 {
		return nil
	}
	open := c.openRights(page.TargetsOf(c.app.history.top()))
	if len(open) == 0 {
		return nil
	}
	if c.rights.asked == nil {
		c.rights = rights{map[model.Right]model.Permission{}, map[model.Right]bool{}}
	}
	for _, right := range open {
		c.rights.asked[right] = true
	}
	actor, ctx, opened := c.app.actor(), c.app.ctx, c.app.opened
	return func() tea.Msg {
		known, err := actor.Rights(ctx, open)
		if err != nil {
			return rightsMsg{opened, nil} // not known: all actions are available, and the server decides
		}
		return rightsMsg{opened, known}
	}
}

// openRights are those that were not asked for yet.
func (c *acts) openRights(t page.Targets) []model.Right {
	var open []model.Right
	for _, do := range change.For(t) {
		if change.Lack(do, change.Of(do, t)) != "" {
			continue
		}
		for _, right := range change.Rights(do, t) {
			if !c.rights.asked[right] && !slices.Contains(open, right) {
				open = append(open, right)
			}
		}
	}
	return open
}

func (c *acts) onRights(msg rightsMsg) {
	if msg.opened == c.app.opened && c.rights.known != nil {
		maps.Copy(c.rights.known, msg.known)
	}
}
