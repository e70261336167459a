package fixes

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Attempt is a fix while it is tried: the fix, what is done, and how it is
// ranked among the others.
type Attempt struct {
	report.Fix
	harm     int // orders fixes, the least first
	Remedies []remedy.Step
	after    int // the rank that it has at least; see rankFix
	// rescheduled says that all that it does is to evict pods which have a node again.
	rescheduled bool
	ownFirst    bool                    // the pod is changed first, and what else there is to do follows
	between     *corev1.Pod             // the pod after the first of two commands that change it; nil where one does
	stops       bool                    // all pods of the workload are stopped before new ones are created
	preempted   int                     // pods that are preempted in every simulation
	open        string                  // why it could not be simulated; "" if it could
	unread      []unreadRule            // that may forbid what the fix does
	trial       *forecast.FixSimulation // to simulate it with all other pods; nil: the pod does not fit alone
}

// attempt simulates a candidate, which think gives while the scheduler is held: first
// whether the pod alone fits then, and then with all other pods.
func (f *Search) attempt(ctx context.Context, think func(pod *corev1.Pod) (candidate, error)) (Attempt, error) {
	var fix Attempt
	err := f.locked(ctx, func(pod *corev1.Pod) error {
		c, err := think(pod)
		if err != nil || len(c.steps) == 0 {
			return err
		}
		fix, err = f.alone(ctx, pod, c)
		return err
	})
	switch {
	case err != nil || fix.trial == nil:
		return fix, err
	case f.resizes:
		err = verifyResize(ctx, f, &fix)
	default:
		err = f.verify(ctx, &fix)
	}
	tellUnread(&fix)
	return fix, err
}

// alone tries a candidate on a fork of the state, without other pods that come or go.
func (f *Search) alone(ctx context.Context, pod *corev1.Pod, c candidate) (Attempt, error) {
	fix := Attempt{harm: c.harm(), Remedies: c.steps, Fix: report.Fix{
		Title: c.title(), Kind: remedy.Kind(c.steps[0]), Affects: []report.Affected{}, Remaining: []string{}, Unless: []report.Unless{},
		Alike: len(f.alike), Steps: len(c.steps), Actions: actionsOf(pod, c.steps),
		Bypasses: bypassed(c.steps),
	}}
	if f.matched && slices.ContainsFunc(c.steps, leavesNodes) {
		fix.after = afterNewNode
	}
	if f.group != nil {
		fix.Leaves = f.group.leaves(corev1.DefaultSchedulerName)
	}
	if f.resizes {
		return fix, resizeAlone(ctx, f, pod, &fix)
	}
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	changed := pod
	for _, step := range c.steps {
		var err error
		if changed, err = remedy.Apply(s, changed, step); err != nil {
			fix.Remaining = append(fix.Remaining, "the cluster changed in the meantime: "+err.Error())
			return fix, nil
		}
	}
	changed = ofNewTemplate(f, pod, changed, c.steps)
	asked := f.worthAsking(c)
	t, err := f.Scheduler.FittingNodes(ctx, changed, asked)
	switch {
	case err != nil:
		return fix, err
	case len(t.Names) == 0 && t.Open:
		fix.open = placement.WhyUnread(t.Matrix.Unknown())
		fix.Open, fix.Remaining = true, append(fix.Remaining, placement.Unreadable)
		return fix, nil
	case len(t.Names) == 0:
		fix.Nodes = c.nodes
		still, err := f.still(ctx, changed, c, asked, t.Matrix)
		fix.Remaining = append(fix.Remaining, still)
		return fix, err
	}
	fix.Nodes, fix.NodesGained = t.Names, len(t.Names)
	if fix.PodsPlaced, err = f.place(ctx, changed, fix.Nodes); err != nil {
		return fix, err
	}
	return fix, f.tellWay(ctx, pod, changed, &fix)
}

// leavesNodes says whether a step lets the pod onto other nodes than those that its rules name: it takes a rule from the
// pod, or gives nodes the label that it asks for, which they do not lack by mistake.
func leavesNodes(step remedy.Step) bool {
	switch step := step.(type) {
	case remedy.DropSelector, remedy.DropExpression, remedy.DropNodeAffinity:
		return true
	case remedy.LabelNode:
		return !step.Mistaken && step.Misspelt == ""
	}
	return false
}

// worthAsking are the nodes that the steps may open to the pod; nil: any.
func (f *Search) worthAsking(c candidate) []string {
	if remedy.Kind(c.steps[0]) != report.FixNode && len(f.Scheduler.State.Nodes) < scheduler.ManyNodes || slices.ContainsFunc(c.steps, remedy.ChangesPod) {
		return nil
	}
	if _, ok := rolloutStep(c); ok {
		return nil // a pod that is gone may open all nodes of its domain
	}
	return remedy.NodesOf(c.steps)
}

// tellWay fills in how a fix with which the pod fits is carried out, and what it is that has
// to be simulated with all other pods.
func (f *Search) tellWay(ctx context.Context, pod, changed *corev1.Pod, fix *Attempt) error {
	var c command.Command
	if slices.ContainsFunc(fix.Remedies, remedy.Manual) {
		tellManual(fix)
	} else {
		c = f.tellCommand(pod, fix)
	}
	if c.Stops {
		placed, err := placeStopped(ctx, f, changed, c.Others)
		if err != nil {
			return err
		}
		fix.PodsPlaced = max(fix.PodsPlaced, placed)
	}
	f.budgetsAgainst(evictedBy(fix.Remedies), fix)
	fix.trial = f.simulationOf(changed, c, fix.Remedies)
	return nil
}

// tellManual says what a fix without a command changes. How other pods of the workload are
// replaced then is not simulated.
func tellManual(fix *Attempt) {
	fix.Brief = "a new node"
	if slices.ContainsFunc(fix.Remedies, remedy.ChangesPod) {
		fix.Remaining = append(fix.Remaining, "how the other pods of its workload are replaced is not simulated")
	}
	for _, step := range fix.Remedies {
		devices, ok := step.(remedy.RequestDevices)
		if !ok {
			continue
		}
		replaced := devices.Replaced()
		fix.Affects = append(fix.Affects, replaced)
		fix.Brief = "a new " + replaced.Kind
	}
}

// tellGates says what it means that a fix removes gates. One of a queue is for the
// queue's controller to remove: the fix has no command, and is never good.
func (f *Attempt) tellGates() {
	if f.Bypasses != "" {
		f.Command, f.Undo, f.Verified = "", "", false
		f.Remaining = append([]string{"bypasses " + f.Bypasses + ", and cannot be undone"}, f.Remaining...)
	}
	if f.Verified && f.Kind == report.FixGate && f.Brief == "" {
		f.Brief = "cannot be undone"
	}
}

// doubted is a fix that is not enough where it is not known whether the pod's scheduler runs.
func doubted(f *Search, fix Attempt) Attempt {
	if fix.Verified && f.doubt != "" {
		return fix.unknown("unknown: " + f.doubt)
	}
	return fix
}

// tellGroup says that a fix takes the pod out of its group: it has no command, and is never good.
func (f *Attempt) tellGroup() {
	if f.Leaves == "" {
		return
	}
	f.Command, f.Undo, f.Recreates, f.Verified, f.Simulated = "", "", false, false, false
	f.Remaining = append([]string{"takes the pod out of " + f.Leaves}, f.Remaining...)
}

// changesPodAll says whether no step changes anything but the pod.
func changesPodAll(steps []remedy.Step) bool {
	return !slices.ContainsFunc(steps, func(r remedy.Step) bool { return !remedy.ChangesPod(r) })
}

// tellCommand fills in the command and what that does to others.
func (f *Search) tellCommand(pod *corev1.Pod, fix *Attempt) command.Command {
	c := f.Commands.Of(pod, fix.Remedies)
	fix.Command, fix.Undo, fix.Recreates = c.Line, c.Undo, c.Recreates
	fix.Affects = append(fix.Affects, c.Affects...)
	if c.Lone {
		fix.PodsPlaced = min(fix.PodsPlaced, 1)
	}
	fix.Brief, fix.ownFirst = c.Brief, c.OwnFirst
	fix.stops = c.Stops
	if len(c.Before) > 0 {
		fix.between = changedBy(pod, c.Before)
	}
	if c.Keeps != "" {
		fix.Remaining = append(fix.Remaining, c.Keeps)
	}
	switch {
	case c.Line == "":
		fix.Remaining = append(fix.Remaining, c.Why)
	case c.Open != "":
		fix.Open, fix.Remaining = true, append(fix.Remaining, "unknown: "+c.Open)
	}
	return c
}

// still says what refuses the pod in spite of the steps, on the nearest node
// that they were thought of for. Those asked (nil: all) were tried just now, with m.
func (f *Search) still(ctx context.Context, changed *corev1.Pod, c candidate, asked []string, m *scheduler.Matrix) (string, error) {
	if len(c.nodes) == 0 { // it was thought of for none in particular
		m, err := f.Scheduler.Profile(changed).EvaluateNodes(ctx, changed)
		if err != nil {
			return "", err
		}
		return stillRejected(placement.Closest(changed, m)), nil
	}
	nodes := c.nodes[:1]
	known := asked == nil || slices.Contains(asked, nodes[0])
	switch {
	case len(f.Scheduler.State.Nodes) < scheduler.ManyNodes:
		var err error
		if m, err = f.Scheduler.Profile(changed).EvaluateNodes(ctx, changed, nodes...); err != nil {
			return "", err
		}
	case !known: // its first reason is enough: PreFilter of what comes later takes the time
		t, err := f.Scheduler.FittingNodes(ctx, changed, nodes)
		if err != nil {
			return "", err
		}
		m = t.Matrix
	}
	q := f.profile.Question(changed)
	for i, node := range m.Nodes {
		if node.Node().Name != nodes[0] {
			continue
		}
		var left report.Group
		for k := range f.profile.Plugins {
			if m.Rejects(k, i) != nil {
				left.Rejections = append(left.Rejections, plugins.Tell(q, []plugins.NodeRejection{m.Rejection(k, i)}))
			}
		}
		if len(left.Rejections) > 0 {
			return stillRejected(strings.Join(left.ClauseList(), "; ")), nil
		}
	}
	return "still no node fits", nil
}

// stillRejected says that a reason remains: "still needs cpu 1 more".
func stillRejected(reason string) string {
	if strings.HasPrefix(reason, "needs ") {
		return "still " + reason
	}
	return "still: " + reason
}

// actionsOf are the steps that the dashboard can plan: changes of nodes,
// evictions and gates.
func actionsOf(pod *corev1.Pod, steps []remedy.Step) []report.Remedy {
	var all []report.Remedy
	for _, step := range steps {
		switch r := step.(type) {
		case remedy.Untaint:
			all = append(all, report.Remedy{Kind: report.FixUntaint, Nodes: r.Nodes, Taint: &r.Taint})
		case remedy.Uncordon:
			all = append(all, report.Remedy{Kind: report.FixUncordon, Nodes: r.Nodes})
		case remedy.LabelNode:
			all = append(all, report.Remedy{Kind: report.FixLabel, Nodes: r.Nodes, Label: [2]string{r.Key, r.Value}})
		case remedy.Evict:
			action := report.Remedy{Kind: report.FixEvict}
			for _, victim := range r.Pods {
				action.Pods = append(action.Pods, report.PodRef{Namespace: victim.Namespace, Name: victim.Name, UID: string(victim.UID)})
			}
			all = append(all, action)
		case remedy.Ungate:
			all = append(all, report.Remedy{
				Kind: report.FixGate, Gates: r.Gates,
				Pods: []report.PodRef{{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)}},
			})
		}
	}
	return all
}

// bypassed is what steps get round that remove a gate of a queue's controller; ""
// where none does.
func bypassed(steps []remedy.Step) string {
	for _, step := range steps {
		r, ok := step.(remedy.Ungate)
		if !ok {
			continue
		}
		for _, gate := range r.Gates {
			if controller, ok := model.QueueingOf(gate); ok {
				return controller.Bypasses
			}
		}
	}
	return ""
}
