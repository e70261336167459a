package ui

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
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

// patchNodes is the right that every change of a node takes.
var patchNodes = model.Right{Verb: "patch", Resource: "nodes"}

// rightsFor are the rights that an action takes.
func rightsFor(do keymap.Action, t targets) []model.Right {
	evict := model.Right{Verb: "create", Resource: "pods/eviction"}
	switch do {
	case keymap.Cordon, keymap.Uncordon, keymap.Taint:
		return []model.Right{patchNodes}
	case keymap.Drain:
		return []model.Right{patchNodes, evict}
	case keymap.Label, keymap.Annotate:
		if len(t.nodes) > 0 {
			return []model.Right{patchNodes}
		}
		return inNamespaces(t.pods, model.Right{Verb: "patch", Resource: "pods"})
	case keymap.Evict:
		return inNamespaces(t.pods, evict)
	case keymap.Ungate:
		return inNamespaces(t.pods, model.Right{Verb: "patch", Resource: "pods"})
	case keymap.Delete:
		return inNamespaces(t.pods, model.Right{Verb: "delete", Resource: "pods"})
	case keymap.Scale, keymap.Restart:
		return workloadRights(do, t.pods)
	}
	return nil
}

// workloadRights are those that a change of the pods' workload takes.
func workloadRights(do keymap.Action, pods []*model.Pod) []model.Right {
	if pods[0].Owner.Name == "" {
		return nil
	}
	right := model.Right{Verb: "patch", Group: "apps", Resource: strings.ToLower(pods[0].Owner.Kind) + "s"}
	if do == keymap.Scale {
		right.Verb = "update"
		right.Resource += "/scale"
	}
	return inNamespaces(pods[:1], right)
}

// inNamespaces is a right in each of the namespaces of pods.
func inNamespaces(pods []*model.Pod, right model.Right) []model.Right {
	var rights []model.Right
	for _, pod := range pods {
		right.Namespace = pod.Object.Namespace
		if !slices.Contains(rights, right) {
			rights = append(rights, right)
		}
	}
	return rights
}

// forbidden says that the user lacks a permission; "" where that is not known.
func (c *acts) forbidden(do keymap.Action, t targets) string {
	for _, right := range rightsFor(do, t) {
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
	open := c.openRights(targetsOf(c.app.history.top()))
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
func (c *acts) openRights(t targets) []model.Right {
	var open []model.Right
	for _, do := range changersOf(t) {
		if t.lack(do) != "" {
			continue
		}
		for _, right := range rightsFor(do, t) {
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
