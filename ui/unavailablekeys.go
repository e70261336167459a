package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// off tells why an action is not available now; "" if it is.
func (k *keyboard) off(do keymap.Action, v page.View) string {
	switch do {
	case keymap.StepBack, keymap.StepOn:
		return k.app.steps.offStep(do)
	case keymap.FixesAgain:
		return k.app.follows.offNext()
	case keymap.History:
		return k.app.steps.offPodHistory(v)
	}
	if !slices.Contains(change.Actions, do) {
		return v.Off(do)
	}
	t := change.Of(do, page.TargetsOf(v))
	if do == keymap.Drain && t.Gone == "" && len(k.app.jobs.draining(t.Nodes)) > 0 {
		return "" // it opens the running job
	}
	if reason, _ := k.lookOnly(); reason != "" {
		return reason
	}
	if reason := change.Lack(do, t); reason != "" {
		return reason
	}
	if reason := k.app.acts.forbidden(do, t); reason != "" {
		return reason
	}
	if do == keymap.Uncordon && slices.ContainsFunc(t.Nodes, func(n *model.Node) bool { return len(plan.Draining(k.app.jobs.all, n.Name)) > 0 }) {
		return "" // it stops the drain
	}
	return change.Already(do, t)
}

// lookOnly tells why nothing at all can be changed now, in a sentence and in a
// word or two for the footer; both "" if something can.
func (k *keyboard) lookOnly() (reason, short string) {
	actor := k.app.actor()
	switch {
	case k.app.observed.IsSnapshot():
		return "this is a snapshot, " + k.app.observed.Taken() + ". It cannot be changed.", "snapshot"
	case k.app.ReadOnly:
		return "read-only, set by --readonly for this session.", "read-only"
	case actor == nil:
		return "nothing can be changed here.", "view only"
	case actor.ReadOnly() != "":
		return strings.TrimSuffix(actor.ReadOnly(), ".") + ".", "read-only"
	case k.app.lesson.Hides():
		return "answer the prediction first (L): the plan would reveal it.", "answer first"
	case k.app.observed.Lost() && k.app.observed.Snapshot.Status.Connection.Problem.Answers():
		return "the view is not live: " + k.app.observed.LostWords(), "not live"
	case k.app.observed.Lost():
		return "no connection: ctrl-r tries now.", "no connection"
	}
	return "", ""
}

// stray tells what a key without a meaning here means elsewhere.
func (k *keyboard) stray(key string, v page.View) tea.Cmd {
	ofNode, ok := k.app.Keys.At(key, keymap.OnNode)
	switch {
	case ok && change.OnlyOfNodes(ofNode.Do) && v.Places()&keymap.OnPod != 0:
		return k.app.said.say(key + " " + ofNode.Foot + "s a node; o goes to this pod's node")
	case key == "n" && v.Places()&keymap.Text != 0:
		return k.app.said.say("n chooses a namespace in lists; ctrl-n and ctrl-p go to the next and the previous match")
	}
	return nil
}

// folded are the keys of a footer that are not available for one reason: they share
// one entry.
func (d *layout) folded(footer []page.Key, in keymap.Place) (first int, text string) {
	_, short := d.app.keyboard.lookOnly()
	if short == "" {
		return -1, ""
	}
	first = -1
	var labels []string
	for i, k := range footer {
		if slices.Contains(change.Actions, k.Do) {
			if first < 0 {
				first = i
			}
			labels = append(labels, d.app.Keys.Of(k.Do, in).Label)
		}
	}
	if first < 0 {
		return -1, ""
	}
	return first, "(" + strings.Join(labels, " ") + ": " + short + ")"
}
