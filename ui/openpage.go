package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/messages"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodefit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/object"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// opener opens the pages about a selection, or says why one is not available.
type opener struct{ app *App }

// actOn runs an action on the selection of any list.
func (o *opener) actOn(do keymap.Action, on page.Selection) tea.Cmd {
	switch do {
	case keymap.Describe:
		return o.app.history.open(object.New(&o.app.host, []string{on.Ref.Resource, on.Ref.Name, "describe"},
			"Output of kubectl describe "+on.Ref.Resource+".", o.describe(on.Ref)))
	case keymap.YAML:
		return o.app.history.open(object.New(&o.app.host, []string{on.Ref.Resource, on.Ref.Name, "YAML"},
			o.yamlWords(), o.yaml(on.Ref)))
	default:
		switch {
		case do == keymap.NodeMap:
			return o.app.history.open(nodemap.New(&o.app.host, nodemap.Of(&o.app.host, nodeOf(on))))
		case do == keymap.Explain && on.Node != nil:
			return o.app.history.open(nodefit.New(&o.app.host, on.Node.Name))
		case on.Pod != nil:
			return o.actOnPod(do, on.Pod)
		}
	}
	return nil
}

// nodeOf is the name of the node that is selected, or on which the selected pod is; "" is none.
func nodeOf(on page.Selection) string {
	switch {
	case on.Pod != nil:
		return page.NodeOf(on.Pod)
	case on.Ref.Resource == "nodes":
		return on.Ref.Name
	}
	return ""
}

// newWhy is the page that says why a pod waits, with what Pending knows already.
func newWhy(a *App, pod *model.Pod) *why.Page {
	return why.New(&a.host, &a.verdicts, pod)
}

// actOnPod opens a page about a pod.
func (o *opener) actOnPod(do keymap.Action, pod *model.Pod) tea.Cmd {
	switch do {
	case keymap.Open, keymap.Explain:
		return o.app.history.open(newWhy(o.app, pod))
	case keymap.Fixes:
		return o.app.history.open(fixes.New(&o.app.host, pod))
	case keymap.Preempt:
		return o.app.history.open(preemption.New(&o.app.host, pod))
	case keymap.Fit:
		return o.app.history.open(fit.New(&o.app.host, pod))
	case keymap.Trace:
		return o.app.history.open(trace.New(&o.app.host, pod))
	case keymap.Words:
		return o.app.history.open(messages.New(&o.app.host, pod, nil))
	case keymap.GoNode:
		return o.goNode(page.NodeOf(pod))
	}
	return nil
}

// goNode opens Nodes with the node of that name selected.
func (o *opener) goNode(name string) tea.Cmd {
	if _, ok := o.app.observed.Snapshot.Node(name); !ok {
		return o.app.said.say("There is no node " + name + ".")
	}
	o.app.pages.nodes.Seeks = func(n *model.Node) bool { return n.Name == name }
	return o.app.history.open(o.app.pages.nodes)
}

// describe fetches kubectl's description of an object.
func (o *opener) describe(ref model.Ref) func(context.Context) (string, error) {
	cluster := o.app.Cluster
	return func(ctx context.Context) (string, error) { return cluster.Describe(ctx, ref) }
}

// yamlWords say where the YAML is from.
func (o *opener) yamlWords() string {
	if o.app.observed.IsSnapshot() {
		return "The object in the snapshot, which leaves out environment variables and more."
	}
	return "The live object, without managedFields."
}

// yaml fetches an object.
func (o *opener) yaml(ref model.Ref) func(context.Context) (string, error) {
	cluster := o.app.Cluster
	return func(ctx context.Context) (string, error) { return cluster.YAML(ctx, ref) }
}
