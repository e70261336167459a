package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// changers are the keys that change the cluster, once their box is answered.
var changers = []action{doCordon, doUncordon, doDrain, doEvict}

// onNodes are those of the changers that are about nodes.
var onNodes = []action{doCordon, doUncordon, doDrain}

// off tells why an action cannot be done now; "" if it can.
func (a *App) off(do action, v view) string {
	if !slices.Contains(changers, do) {
		return v.off(do)
	}
	if reason, _ := a.lookOnly(); reason != "" {
		return reason
	}
	t := targetsOf(v)
	if reason := t.lack(do); reason != "" {
		return reason
	}
	if reason := a.forbidden(do, t); reason != "" {
		return reason
	}
	return t.already(do)
}

// lookOnly tells why nothing at all can be changed now, in a sentence and in a
// word or two for the footer; both "" if something can.
func (a *App) lookOnly() (reason, short string) {
	actor := a.actor()
	switch {
	case a.ReadOnly:
		return "read-only, set by --readonly for this run.", "read-only"
	case actor == nil:
		return "nothing can be changed in what is shown.", "look only"
	case actor.ReadOnly() != "":
		return strings.TrimSuffix(actor.ReadOnly(), ".") + ".", "read-only"
	case a.lost():
		return "no connection: ctrl-r tries now.", "no connection"
	}
	return "", ""
}

// lack tells that there is nothing to do it to; "" if there is.
func (t targets) lack(do action) string {
	switch {
	case t.gone != "":
		return t.gone + " is gone."
	case slices.Contains(onNodes, do) && len(t.nodes) == 0:
		return "no node is selected."
	case !slices.Contains(onNodes, do) && len(t.pods) == 0:
		return "no pod is selected."
	}
	return ""
}

// already tells that all is as it would be; "" if it is not.
func (t targets) already(do action) string {
	as := func(cordoned bool) bool {
		return !slices.ContainsFunc(t.nodes, func(n *model.Node) bool { return n.Cordoned != cordoned })
	}
	switch {
	case do == doUncordon && as(false):
		return t.are("not cordoned")
	case do == doCordon && as(true):
		return t.are("cordoned already")
	case do == doEvict && !slices.ContainsFunc(t.pods, (*model.Pod).Bound):
		return t.names() + plural(len(t.pods), " is", " are") + " on no node."
	}
	return ""
}

func (t targets) are(how string) string {
	if len(t.nodes) == 1 {
		return t.nodes[0].Name + " is " + how + "."
	}
	return t.names() + " are " + how + "."
}

// rights are those of the user, as far as they were asked for.
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

// rightsFor are the rights that an action takes.
func rightsFor(do action, t targets) []model.Right {
	switch do {
	case doCordon, doUncordon:
		return []model.Right{patchNodes}
	case doDrain:
		return []model.Right{patchNodes, {Verb: "create", Resource: "pods/eviction"}}
	case doEvict:
		return inNamespaces(t.pods, model.Right{Verb: "create", Resource: "pods/eviction"})
	}
	return nil
}

// forbidden tells that the user may not do it; "" where that is not known.
func (a *App) forbidden(do action, t targets) string {
	for _, right := range rightsFor(do, t) {
		permission, known := a.acts.rights.known[right]
		if !known || permission.Allowed {
			continue
		}
		where := ""
		if right.Namespace != "" {
			where = " in " + right.Namespace
		}
		return "kube-apiserver does not let you " + right.Verb + " " + right.Resource + where + ". Ask for that right."
	}
	return ""
}

// wantRights asks once for each right that the keys of what is selected take.
func (a *App) wantRights() tea.Cmd {
	if reason, _ := a.lookOnly(); reason != "" || a.snapshot.Revision == 0 {
		return nil
	}
	var open []model.Right
	t := targetsOf(a.top())
	for _, do := range changers {
		if t.lack(do) != "" {
			continue
		}
		for _, right := range rightsFor(do, t) {
			if !a.acts.rights.asked[right] && !slices.Contains(open, right) {
				open = append(open, right)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	if a.acts.rights.asked == nil {
		a.acts.rights = rights{map[model.Right]model.Permission{}, map[model.Right]bool{}}
	}
	for _, right := range open {
		a.acts.rights.asked[right] = true
	}
	actor, ctx, opened := a.actor(), a.ctx, a.opened
	return func() tea.Msg {
		known, err := actor.Rights(ctx, open)
		if err != nil {
			return rightsMsg{opened, nil} // not known: everything is offered, and the server decides
		}
		return rightsMsg{opened, known}
	}
}

func (a *App) onRights(msg rightsMsg) {
	if msg.opened != a.opened {
		return
	}
	for right, permission := range msg.known {
		a.acts.rights.known[right] = permission
	}
}

// change does what a key asks for that changes the cluster.
func (a *App) change(do action, t targets) tea.Cmd {
	switch do {
	case doCordon, doUncordon:
		return a.plan(model.Cordon{Nodes: nodeNames(t.nodes), Off: do == doUncordon})
	case doDrain:
		return a.plan(model.Drain{Nodes: nodeNames(t.nodes), AtOnce: 1})
	case doEvict:
		return a.plan(model.Evict{Pods: podRefs(t.pods)})
	}
	return nil
}

// stray tells what a key means elsewhere, where it means nothing here.
func (a *App) stray(key string, v view) tea.Cmd {
	if key == "c" && v.places()&onPod != 0 {
		return a.say("c cordons a node: o goes to this pod's")
	}
	return nil
}

// folded are keys of a footer that all cannot act for one reason: they share one
// entry.
func (a *App) folded(footer []footKey, in place) (first int, text string) {
	_, short := a.lookOnly()
	if short == "" {
		return -1, ""
	}
	first = -1
	var labels []string
	for i, k := range footer {
		if slices.Contains(changers, k.do) {
			if first < 0 {
				first = i
			}
			labels = append(labels, bindingOf(k.do, in).label)
		}
	}
	if first < 0 {
		return -1, ""
	}
	return first, "(" + strings.Join(labels, " ") + ": " + short + ")"
}
