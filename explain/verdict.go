package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/message"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// ErrNoPod says that the engine knows no pod of that UID.
var ErrNoPod = scheduler.ErrNoPod

// ErrNoNode says that the engine knows no node of that name.
var ErrNoNode = errors.New("no such node")

// explanation is a report in the making.
type explanation struct {
	profile        *scheduler.Profile
	simulator      preemption.Simulator // for the profile
	clusterVersion string
	podGroups      bool // PodGroups are read
	groupsUnread   string
	parentsUnread  string // why CompositePodGroups are not read; "" if they are, or if there are none
	question       *plugins.Question

	group   *foreignpodgroups.State // of another scheduler, that the pod names; nil without
	facts   *summary.Facts
	report  *report.Report
	ungated bool               // whether something gates the pod could not be found out
	matrix  *scheduler.Matrix  // what the plugins said of the nodes; nil where none was asked about
	told    preemption.Outcome // zero where a node fits
}

// begin fills in what does not depend on nodes.
func (e *Engine) begin(ctx context.Context, pod *corev1.Pod) *explanation {
	p := e.scheduler.Profile(pod)
	x := &explanation{
		profile: p, simulator: preemption.Simulator{Profile: p, Budgets: e.budgets},
		clusterVersion: e.options.ClusterVersion, podGroups: e.options.PodGroups,
		groupsUnread: cmp.Or(e.options.PodGroupsUnread, "PodGroups are not read"), parentsUnread: e.options.CompositesUnread,
		question: p.Question(pod), facts: &summary.Facts{PodsUnread: !e.scheduler.PodsRead()},
	}
	x.report = newReport(x.question)
	x.facts.Condition = scheduler.PodScheduled(pod)
	x.report.Observed = observe(pod)
	x.report.Revision = e.scheduler.State.Revision
	x.report.Scheduler = schedulerInfo(e, p)
	addGateCaveats(x)
	return x
}

// schedulerInfo is what answers of a profile rest on.
func schedulerInfo(e *Engine, p *scheduler.Profile) report.SchedulerInfo {
	return report.SchedulerInfo{
		Library: scheduler.Version,
		Cluster: e.options.ClusterVersion,
		Profile: p.Name + ", " + p.Origin,
		Origin:  p.Origin,
		Caveats: e.caveats(p),

		Gates: e.gates, GatesFrom: e.options.Gates.From(),
	}
}

// answer finds the verdict: the first of the contract's list that holds.
func (x *explanation) answer(ctx context.Context, nodes bool) error {
	pod := x.question.Pod
	defer x.noteUnheard()
	if pod.Spec.NodeName != "" {
		x.report.Verdict = report.Scheduled
		x.facts.Start = summary.StartOf(pod).Heard(x.facts.Events)
		x.report.Started = x.facts.Start.Started()
		return nil
	}
	defer quoteGroup(x)
	if !x.considered() {
		x.report.Verdict = report.NotConsidered
		return nil
	}
	defer leaveToGroup(x)
	defer x.doubt()
	countGang(x)
	if x.gated(ctx) {
		x.report.Verdict = report.Gated
		return nil
	}
	x.facts.Unattended = x.facts.Condition == nil
	if why, unread := x.profile.Scheduler.Forbidden["nodes"]; unread {
		x.blind(why)
		return nil
	}
	return x.ask(ctx, nodes)
}

// noteUnheard notes that events about the pod could not be read. It decides
// nothing about nodes.
func (x *explanation) noteUnheard() {
	if why := x.facts.Unread; why != "" {
		x.report.Unknown = append(x.report.Unknown, report.UnknownPart{Resource: "events", Why: why, Plugins: []string{}})
	}
}

// considered says whether any scheduler takes care of the pod, as far as can be
// known. The profile's own scheduler is taken to: that it is down for a moment
// does not change which nodes fit. What another scheduler did to the pod itself
// says more than what was found out about it a while ago.
func (x *explanation) considered() bool {
	pod, found := x.question.Pod, x.facts
	if pod.DeletionTimestamp != nil {
		found.Scheduler = summary.Liveness{Known: true, Why: "it is being deleted, and schedulers skip pods that are being deleted"}
		return false
	}
	name := scheduler.NameOf(pod)
	if x.profile.Scheduler.Serves(name) {
		return true
	}
	if why := x.triedBy(); why != "" {
		found.Scheduler = summary.Liveness{Alive: true, Known: true, Why: why}
	}
	if found.Scheduler.Known && !found.Scheduler.Alive {
		return false
	}
	if x.profile.Scheduler.Filters(name) {
		x.caveat(fmt.Sprintf("scheduler %s is GKE's: it filters nodes as the default profile does, and may score them differently", name))
	} else {
		x.caveat(fmt.Sprintf("the profile of scheduler %s is unknown: the default profile is assumed", name))
	}
	if s := found.Scheduler; s.Alive && s.Why != "" {
		x.caveat(fmt.Sprintf("scheduler %s counts as running: %s", name, s.Why))
	}
	return true
}

const (
	// justNow is how much newer the pod's own marks may be than what was found out
	// about its scheduler, which is remembered for a while.
	justNow = time.Minute
	// heardOf is within what a mark shows that a scheduler lives of which nothing
	// else is known: after one event of tries that fail alike the next is written
	// half an hour later (refreshTime of k8s.io/client-go/tools/events).
	heardOf = 36 * time.Minute
)

// triedBy says how the pod itself shows that its scheduler lives: it said of the
// pod that no node fits, in its condition or in an event, and not long ago; "" if
// nothing shows that.
func (x *explanation) triedBy() string {
	within := heardOf
	if x.facts.Scheduler.Known {
		within = justNow
	}
	var tried time.Time
	if c := x.facts.Condition; c != nil && c.Status == corev1.ConditionFalse &&
		(c.Reason == corev1.PodReasonUnschedulable || c.Reason == corev1.PodReasonSchedulerError) {
		tried = c.LastTransitionTime.Time
	}
	if seen := x.report.Observed.AttemptSeen; seen != nil && seen.After(tried) {
		tried = seen.Time
	}
	if tried.IsZero() || x.question.Now.Sub(tried) >= within {
		return ""
	}
	return "last seen " + model.FormatAge(tried, x.question.Now) + " ago: it tried the pod"
}

// doubtful says that nobody knows whether the pod's scheduler lives.
func (x *explanation) doubtful() bool {
	return !x.profile.Scheduler.Serves(scheduler.NameOf(x.question.Pod)) && !x.facts.Scheduler.Known
}

// doubt leaves the verdict open where nobody knows whether the pod's scheduler
// lives. What the plugins say of the nodes stands, as the default profile's. A
// scheduling gate is known whoever schedules: the API server lets nobody bind such
// a pod.
func (x *explanation) doubt() {
	if !x.doubtful() || x.report.Verdict == report.Gated && len(x.question.Pod.Spec.SchedulingGates) > 0 {
		return
	}
	x.report.Unknown = append([]report.UnknownPart{{Resource: "leases", Why: doubtOf(x), Plugins: []string{}}}, x.report.Unknown...)
	x.report.Verdict, x.report.SchedulerMessage, x.report.Observed.Agrees = report.Unknown, "", nil
}

// doubtOf says why it is not known whether the pod's scheduler lives; "" if it is.
func doubtOf(x *explanation) string {
	if !x.doubtful() {
		return ""
	}
	why := fmt.Sprintf("scheduler %q may not be running", scheduler.NameOf(x.question.Pod))
	if said := x.facts.Scheduler.Why; said != "" {
		why += ": " + said
	}
	return why
}

// blind is the answer without nodes: what the scheduler said is all there is.
func (x *explanation) blind(why string) {
	part := report.UnknownPart{Resource: "nodes", Why: why}
	for _, p := range x.profile.Plugins {
		part.Plugins = append(part.Plugins, p.Name)
	}
	x.report.Verdict = report.Unknown
	x.report.Unknown = append(x.report.Unknown, part)
}

// ask puts the question to every plugin for every node.
func (x *explanation) ask(ctx context.Context, nodes bool) error {
	r := x.report
	m, err := x.evaluate(ctx)
	if err != nil {
		return err
	}
	r.Unknown = report.MergeUnknown(r.Unknown, m.Unknown())
	x.facts.Pinned = pinned(m)
	for _, text := range append(leavingCaveats(x.profile.Scheduler.State, x.question), overflowCaveats(x.question)...) {
		x.caveat(text)
	}
	r.Total = len(m.Nodes)
	for _, g := range rejectiongroups.Of(x.question, m) {
		told, results := g.Tell(x.question, m, nodes)
		x.facts.Places = append(x.facts.Places, g.Nodes)
		r.Groups = append(r.Groups, told)
		r.Nodes = append(r.Nodes, results...)
	}
	slices.SortFunc(r.Nodes, func(a, b report.NodeResult) int { return strings.Compare(a.Name, b.Name) })
	r.Plugins, r.Others = count(m)
	if nodes {
		x.compareDomains(m)
	}
	r.Verdict = x.verdict(m)
	fails := r.Verdict == report.Schedulable && r.Gang == nil && failsAttempt(ctx, x, m)
	if fails {
		r.Verdict = report.Unknown
	}
	if r.Verdict == report.Schedulable && nodes {
		x.rankFree(ctx, m)
	}
	if r.Gang != nil {
		return scheduleGang(ctx, x) // the scheduler writes no message about a pod of its own
	}
	if r.Fits > 0 && !fails || x.ungated {
		return nil
	}
	return x.message(ctx, m)
}

// failsAttempt says whether kube-scheduler gives up an attempt to schedule the pod, or may, although it fits a node: a
// plugin fails on a node that no plugin before it rejects (findNodesThatPassFilters). It looks at no other node if the pod fits
// the one that it is nominated to.
func failsAttempt(ctx context.Context, x *explanation, m *scheduler.Matrix) bool {
	pod := x.question.Pod
	failed := slices.ContainsFunc(x.report.Unknown, func(part report.UnknownPart) bool { return part.Resource == scheduler.PluginError })
	if !failed {
		return false
	}
	for i, node := range m.Nodes {
		if fits := m.Fits(i); fits != nil && *fits && node.Node().Name == pod.Status.NominatedNodeName {
			return false
		}
	}
	return m.Diagnose(ctx, pod).Failure != ""
}

// compareDomains adds the rules about topology domains that reject nodes.
func (x *explanation) compareDomains(m *scheduler.Matrix) {
	for _, k := range m.Objecting {
		if a := &m.Answers[k]; a.Open == nil && a.Pre == nil {
			x.report.Topology = append(x.report.Topology, plugins.Topologies(x.question, m.Profile.Plugins[k].Name, m.State)...)
		}
	}
}

// rankedUpTo is how many nodes that fit are ranked only to name the first in an
// answer: ranking costs as much as asking whether they fit.
const rankedUpTo = 1000

// rankFree finds which of the nodes that fit come first. Where that rests on what
// could not be read, none does.
func (x *explanation) rankFree(ctx context.Context, m *scheduler.Matrix) {
	pod, found := x.question.Pod, x.facts
	nominated := slices.ContainsFunc(found.Free, func(node fwk.NodeInfo) bool { return node.Node().Name == pod.Status.NominatedNodeName })
	if nominated { // the scheduler asks it before all others
		found.First = []string{pod.Status.NominatedNodeName}
		return
	}
	if len(found.Free) > rankedUpTo {
		return
	}
	r, err := x.profile.Prioritize(ctx, m.State, pod, found.Free)
	if err != nil || len(r.Unread) > 0 {
		return
	}
	found.Likely = x.profile.Sample(m.Included()) < len(found.Free)
	for _, node := range r.Nodes {
		if node.Tied {
			found.First = append(found.First, node.Node)
		}
	}
}

// evaluate runs every plugin on every node, once however many parts of the answer
// need it.
func (x *explanation) evaluate(ctx context.Context) (*scheduler.Matrix, error) {
	if x.matrix != nil {
		return x.matrix, nil
	}
	m, err := x.profile.Evaluate(ctx, x.question.Pod)
	if err != nil {
		return nil, err
	}
	x.matrix, x.question.Column = m, m.Column()
	return m, nil
}

// message fills in what the scheduler would write, and what preemption can do.
func (x *explanation) message(ctx context.Context, m *scheduler.Matrix) error {
	o, err := message.Of(ctx, x.simulator, x.clusterVersion, m, x.question.Pod)
	if err != nil {
		return err
	}
	x.told = o
	x.report.SchedulerMessage, x.report.Reworded = o.Message, o.Legacy
	x.report.Preemption = o.Preemption
	message.Compare(x.profile.Scheduler, x.question, o, &x.report.Observed)
	if o.Open != nil {
		x.report.Unknown = append(x.report.Unknown, *o.Open)
	}
	return nil
}

// verdict is the answer about nodes.
func (x *explanation) verdict(m *scheduler.Matrix) report.Verdict {
	open := false
	for i, node := range m.Nodes {
		switch fits := m.Fits(i); {
		case fits == nil:
			open = true
		case *fits:
			x.report.Fits++
			x.facts.Free = append(x.facts.Free, node)
		}
	}
	// The cache's order depends on its history; the report must not.
	slices.SortFunc(x.facts.Free, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	if x.facts.Victims = ending(x.profile.Scheduler.State, x.question.Pod); len(x.facts.Victims) > 0 {
		return report.Preempting
	}
	switch {
	case x.ungated:
		return report.Unknown
	case x.report.Fits > 0:
		return report.Schedulable
	case open:
		return report.Unknown
	}
	return report.Unschedulable
}

// ending are the pods of lower priority that still end on the nominated node.
func ending(state *scheduler.State, pod *corev1.Pod) []*corev1.Pod {
	if pod.Status.NominatedNodeName == "" {
		return nil
	}
	node, err := state.NodeInfos().Get(pod.Status.NominatedNodeName)
	if err != nil {
		return nil
	}
	var victims []*corev1.Pod
	for _, other := range node.GetPods() {
		if p := other.GetPod(); p.DeletionTimestamp != nil && corev1helpers.PodPriority(p) < corev1helpers.PodPriority(pod) {
			victims = append(victims, p)
		}
	}
	return victims
}

// pinned are the nodes that the pod's affinity names, as a DaemonSet's pods have
// one each: NodeAffinity leaves all others out before they are looked at. Nil
// where it names none.
func pinned(m *scheduler.Matrix) sets.Set[string] {
	for k, p := range m.Profile.Plugins {
		if p.Name == names.NodeAffinity {
			return m.Answers[k].Only
		}
	}
	return nil
}

// count says how many nodes each plugin refuses, and how many it alone refuses.
// Plugins that refuse none are only counted.
func count(m *scheduler.Matrix) (results []report.PluginResult, others int) {
	refuses, alone := make([]int, len(m.Profile.Plugins)), make([]int, len(m.Profile.Plugins))
	for i := range m.Nodes {
		by, last := 0, 0
		for _, k := range m.Objecting {
			if m.Rejects(k, i) != nil {
				refuses[k]++
				by, last = by+1, k
			}
		}
		if by == 1 {
			alone[last]++
		}
	}
	results = []report.PluginResult{}
	for k, p := range m.Profile.Plugins {
		if refuses[k] > 0 {
			results = append(results, report.PluginResult{Name: p.Name, Rejects: refuses[k], Alone: alone[k]})
		} else {
			others++
		}
	}
	return results, others
}
