// Package fixes searches for changes of a pod, of nodes and of other pods with which the
// pod would be scheduled. Each is simulated, and told with its effects on other pods.
package fixes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// mostCandidates is how many fixes are tried at most.
const mostCandidates = 64

// Query is the pod for which fixes are searched, which has an answer.
type Query struct {
	// Profile is the scheduler's, whose plugins run.
	Profile *scheduler.Profile
	// Question is the pod.
	Question *plugins.Question
	// Verdict is the answer.
	Verdict report.Verdict
	// Gates are the rejections of PreEnqueue plugins.
	Gates []plugins.GateRejection
	// Together is why fixes for the pod alone say nothing; "" if they do.
	Together string
	// Group is the PodGroup with which another scheduler than kube-scheduler schedules the pod; nil
	// without.
	Group *Group
	// Doubt says that nobody knows whether the pod's scheduler runs; "" if it is known, or the verdict says so.
	Doubt string
	// Waiting says that pods of lower priority still terminate on the nominated node; "" where none does.
	Waiting string
	// Preempted are the pods named as this one that were preempted; Preemptor is one of those that preempted most of
	// them, if the template of its workload was changed; nil without.
	Preempted *report.Preempted
	Preemptor *corev1.Pod
	// Evaluate asks all plugins about all nodes.
	Evaluate func(context.Context) (*scheduler.Matrix, error)
}

// Group is a PodGroup of another scheduler than kube-scheduler.
type Group struct {
	Name      string
	Scheduler string // who schedules it: "Volcano"
	// Plugin is the out-of-tree plugin that reads it, which the default scheduler may run too; "" where only
	// a scheduler of its own does.
	Plugin string
}

// leaves says out of which group a pod is taken that is given to another scheduler.
func (g *Group) leaves(to string) string {
	if g.Plugin != "" {
		return fmt.Sprintf("its group %s, unless %s runs the plugin %s", g.Name, to, g.Plugin)
	}
	return "its group " + g.Name
}

// advice is what has to happen for the group's scheduler, of that name, to schedule it.
func (g *Group) advice(scheduler string) (sentence string, fix report.Fix) {
	start := fmt.Sprintf("start scheduler %q", scheduler)
	return fmt.Sprintf("%s schedules it with PodGroup %s: %s", g.Scheduler, g.Name, start), report.Fix{
		Title: start, Kind: report.FixGroup, Affects: []report.Affected{}, Remaining: []string{g.Scheduler + " schedules it with PodGroup " + g.Name}, Unless: []report.Unless{}, Steps: 1,
	}
}

// Means are what fixes are searched with.
type Means struct {
	Scheduler *scheduler.Scheduler
	Budgets   *pdb.Budgets
	Commands  *command.Maker
	// Admission is where the rules are read that may reject new pods; nil: they are not asked.
	Admission *admission.Sources
	// Whole is a pod with the fields that sources drop; nil: it cannot be read.
	Whole func(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error)
	// Facts are those of a Deployment or Job; nil: they are not asked for.
	Facts func(ctx context.Context, of model.Ref) command.Facts
	// PoolLabel is the label of nodes that holds their pool, before the known ones; "" without.
	PoolLabel string
	// PreemptionCache is which pending pods could preempt already, kept for all searches; nil: not asked.
	PreemptionCache *forecast.PreemptionCache
	Now             func() time.Time
}

// Search is the search for the fixes of one pod.
type Search struct {
	Means
	find func() *corev1.Pod

	profile    *scheduler.Profile
	none       string // why there is nothing to try
	candidates []candidate
	workload   model.Ref     // its Deployment or Job; zero where it has none
	whole      *corev1.Pod   // the pod with the fields that sources drop; nil: not read yet
	alike      []*corev1.Pod // equal pods that wait, the pod itself first
	unserved   bool          // no scheduler takes care of them
	revision   int64
	now        metav1.Time              // when candidates were thought of: new pods of all fixes are created then
	group      *Group                   // of the pod whose scheduler does not run; nil without
	queue      *plugins.QueueController // whose gate holds the pod; nil: no queue's
	queued     *corev1.Pod              // the pod then, or with group
	failed     error                    // why nothing can be tried; nil if it can
	models     []newNode                // what one more node may be like
	inZones    []newNode                // the same, in zones that have none like them
	notAll     bool                     // there are more of either
	verified   time.Duration            // how long fixes were simulated with all other pods
	anyway     []forecast.AffectedPod   // what happens to others without a change; nil: not asked
	together   map[string]bool          // whether pods of the workload preempt others once they are changed; see togetherKey
	ready      int                      // Ready nodes, when models was made
	small      bool                     // the scheduler looks at all nodes
	unread     string                   // what says that changes may help that were not thought of: a plugin is not evaluated
	minds      bool                     // where the pod fits depends on where others are
	resizes    bool                     // the pod runs, and waits for a resize in place
	rollout    *undoneRollout           // that the pod is part of, if it may be undone; nil without
	preemptor  *undoneRollout           // that pods are part of for which pods named as it were preempted; nil without
	victims    string                   // these pods, in words
	doubt      string                   // why fixes may not be enough, though they let it fit; "" if they are
	uncreated  bool                     // the pods do not exist: a LimitRange rejects them
	matched    bool                     // nodes satisfy the pod's node selector and required node affinity
}

// NewSearch is the search for fixes of the pod that find gives while the scheduler is
// held; nil: there is none any more.
func NewSearch(means Means, find func() *corev1.Pod) *Search {
	return &Search{Means: means, find: find}
}

// Try simulates the candidates one by one. The lock is held for one at a time, so the
// state may move between them: each holds for the state that it was tried on. Those
// that work come first. progress, where it is not nil, is told after each.
func (f *Search) Try(ctx context.Context, progress func(*report.Fixes)) (*report.Fixes, []Attempt, error) {
	if f.failed != nil {
		return nil, nil, f.failed
	}
	if f.Facts != nil && f.workload != (model.Ref{}) && (len(f.candidates) > 0 || f.rollout != nil) {
		facts := f.Facts(ctx, f.workload)
		f.Commands = &command.Maker{Scheduler: f.Scheduler, ClusterVersion: f.Commands.ClusterVersion, Facts: &facts}
	}
	dropIdleRollout(f, f.Commands.Facts)
	readJobs(ctx, f)
	found := &report.Fixes{Revision: f.revision, Tried: []report.Fix{}, None: f.none}
	if f.resizes && len(f.candidates) > 0 { // what else there is than to take the resize back
		found.Advice = f.none
	}
	tried, err := tryAll(ctx, f, found, progress)
	if err != nil {
		return nil, nil, err
	}
	added, none, err := f.addNode(ctx)
	if err != nil {
		return nil, nil, err
	}
	tried, found.NoNode = append(tried, added...), none
	if f.queue != nil {
		found.Advice, found.None = f.queue.Advice(f.queued), ""
		tried = append(tried, Attempt{Fix: f.queue.Fix(f.queued)})
	}
	if f.group != nil {
		advice, fix := f.group.advice(scheduler.NameOf(f.queued))
		found.Advice, tried = advice, append(tried, Attempt{Fix: fix})
	}
	tried = addUndo(f, tried, found)
	rank(tried, found)
	return found, tried, nil
}

// addUndo adds to what was tried to undo the rollout that the pod is part of, and that of what preempted pods named as
// it, and says where nothing was tried.
func addUndo(f *Search, tried []Attempt, found *report.Fixes) []Attempt {
	var undone []Attempt
	for _, undo := range []func() (Attempt, bool){
		func() (Attempt, bool) { return undoRollout(f, f.Commands.Facts) },
		func() (Attempt, bool) { return undoPreemptor(f) },
	} {
		if attempt, ok := undo(); ok {
			undone = append(undone, attempt)
		}
	}
	if len(tried) == 0 && found.None == "" {
		found.None = cmp.Or(f.unread, "No known change to the pod or to nodes would help.")
		if len(undone) > 0 {
			found.None = cmp.Or(f.unread, grammar.Capital(undone[0].Title)+"; no other known change would help.")
		}
	}
	return append(tried, undone...)
}

// candidate is a fix that was not tried yet.
type candidate struct {
	steps []remedy.Step
	nodes []string // of the group that it was thought of for, nearest first
	pair  bool
}

// title joins the titles of the steps.
func (c candidate) title() string {
	var all []string
	for _, step := range c.steps {
		all = append(all, remedy.Title(step))
	}
	return strings.Join(all, " and ")
}

// harm is that of the steps together.
func (c candidate) harm() (sum int) {
	for _, step := range c.steps {
		sum += remedy.Harm(step)
	}
	return sum
}

// locked runs do under the engine's lock. A panic comes back as an error.
func (f *Search) locked(ctx context.Context, do func(pod *corev1.Pod) error) (err error) {
	release, err := f.Scheduler.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	pod := f.find()
	if pod == nil {
		return fmt.Errorf("find fixes: %w", scheduler.ErrNoPod)
	}
	f.Scheduler.Settle(ctx)
	f.profile = f.Scheduler.Profile(pod)
	err = f.Scheduler.State.Guard(func() error { return do(pod) })
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("find fixes of %s: %w", plugins.FullName(pod), err)
	}
	return err
}

// Gather thinks of candidates. An error comes back from Try.
func (f *Search) Gather(ctx context.Context, q Query) {
	f.failed = f.Scheduler.State.Guard(func() error { return f.gather(ctx, q) })
}

func (f *Search) gather(ctx context.Context, q Query) error {
	pod := q.Question.Pod
	f.profile = q.Profile
	f.revision, f.now = f.Scheduler.State.Revision, metav1.NewTime(f.Now()).Rfc3339Copy()
	f.small, f.minds = len(f.Scheduler.State.Nodes) < scheduler.SampledFrom, forecast.MindsOthers(pod)
	f.workload, _ = command.WorkloadOf(f.Scheduler.State.Listers.ReplicaSets, pod)
	thinkOfUndoing(f, q)
	if pod.Spec.NodeName != "" {
		return gatherOnNode(ctx, f, pod)
	}
	if q.Verdict == report.NotConsidered {
		thinkOfScheduler(f, pod, q.Group)
		return nil
	}
	if q.Together != "" {
		f.none = q.Together
		return nil
	}
	if _, unread := f.Scheduler.Forbidden["nodes"]; unread {
		f.none = "Unknown: " + f.Scheduler.Forbidden["nodes"] + "."
		return nil
	}
	var before option
	if controller, ok := plugins.QueueControllerOf(pod); ok {
		f.queue, f.queued = &controller, pod
	}
	if len(q.Gates) > 0 {
		if before = ungates(pod, q.Gates); before == nil {
			f.none = "It is rejected before any node is checked: changes to nodes or other pods won't help."
			return nil
		}
	}
	before = append(before, rightScheduler(f, q)...)
	m, err := q.Evaluate(ctx)
	if err != nil {
		return err
	}
	f.think(q, m, before)
	f.findAlike(pod)
	if f.none == "" && len(before) == 0 {
		if err := thinkOfSuspending(ctx, f, q.Question, m); err != nil {
			return err
		}
		return thinkOfRollout(ctx, f, q.Question, m)
	}
	return nil
}

// thinkOfScheduler gives a pod whose scheduler does not run to the default one, which would take it out
// of the group, if it has one (nil: none).
func thinkOfScheduler(f *Search, pod *corev1.Pod, group *Group) {
	f.none = "No scheduler handles it: changes to nodes or other pods won't help."
	if pod.DeletionTimestamp != nil || len(pod.Spec.SchedulingGates) > 0 || f.Scheduler.Serves(scheduler.NameOf(pod)) || !f.Scheduler.Serves(corev1.DefaultSchedulerName) {
		return
	}
	f.none, f.unserved = "", true
	f.group, f.queued = group, pod
	f.candidates = []candidate{{steps: option{remedy.SetScheduler{Name: corev1.DefaultSchedulerName}}}}
	f.findAlike(pod)
}

// rightScheduler corrects the name of the scheduler of a pod of which it is not known whether that runs, where it looks
// misspelt. Of another one it is not known then whether it schedules the pod once it is not gated.
func rightScheduler(f *Search, q Query) option {
	gated := q.Verdict == report.Gated
	switch {
	case !gated && q.Verdict != report.Unknown:
	case ofMisspeltScheduler(f.Scheduler, q.Question.Pod):
		f.unserved, f.group, f.queued = true, q.Group, q.Question.Pod
		return option{remedy.SetScheduler{Name: corev1.DefaultSchedulerName}}
	case gated:
		f.doubt = q.Doubt
	}
	return nil
}

// ofMisspeltScheduler says whether a pod names a scheduler that looks like a misspelling of the default one.
func ofMisspeltScheduler(s *scheduler.Scheduler, pod *corev1.Pod) bool {
	name := scheduler.NameOf(pod)
	return name != corev1.DefaultSchedulerName && !s.Serves(name) && s.Serves(corev1.DefaultSchedulerName) && misspelt(name, corev1.DefaultSchedulerName)
}

// ungates removes the pod's scheduling gates; nil where something else holds it
// back, which has one entry of its own.
func ungates(pod *corev1.Pod, held []plugins.GateRejection) option {
	if len(held) != 1 || len(pod.Spec.SchedulingGates) == 0 {
		return nil
	}
	var names []string
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return option{remedy.Ungate{Gates: names}}
}

// think makes the candidates, least harm first and pairs last.
func (f *Search) think(q Query, m *scheduler.Matrix, before option) {
	switch fits := m.Fitting(); {
	case q.Waiting != "":
		f.none = q.Waiting
	case fits > 0 && len(before) > 0:
		f.candidates = []candidate{{steps: before}}
	case fits > 0 && q.Verdict == report.Unknown:
		f.none = fmt.Sprintf("It fits %s now; whether anything has to change is unknown.", grammar.Plural(fits, "node"))
	case fits > 0:
		f.none = fmt.Sprintf("It fits %s now: there is nothing to fix.", grammar.Plural(fits, "node"))
	default:
		if len(before) == 0 {
			f.none = cmp.Or(missingClaim(q.Question, m), lostHolder(q.Question, m))
		}
		if f.none != "" {
			return
		}
		f.matched = matchesNodes(m)
		f.candidates = f.combine(q.Question, m, before)
		if len(before) == 0 {
			f.models = f.newNodes(q.Question, m)
		}
		if why := placement.WhyUnread(m.Unknown()); why != "" {
			f.unread = "Unknown which changes would help: " + why + "."
		}
	}
}

// matchesNodes says whether nodes satisfy the pod's node selector and required node affinity.
func matchesNodes(m *scheduler.Matrix) bool {
	k := m.Profile.IndexOf(names.NodeAffinity)
	for i := range m.Nodes {
		if k >= 0 && m.Answers[k].Open == nil && m.Rejects(k, i) == nil {
			return true
		}
	}
	return false
}

// combine makes candidates from the reasons of each group of nodes: those that may
// work, then those that people would try although something else rejects as well.
func (f *Search) combine(q *plugins.Question, m *scheduler.Matrix, before option) []candidate {
	var all, partial []candidate
	seen := map[string]bool{}
	add := func(to *[]candidate, steps option, g *rejectiongroups.Group) {
		c := candidate{steps: slices.Concat(before, steps), nodes: nearestNames(g, m)}
		c.pair = len(c.steps) > 1
		if title := c.title(); len(c.steps) > 0 && len(c.steps) <= 2 && !seen[title] {
			seen[title] = true
			*to = append(*to, c)
		}
	}
	groups := rejectiongroups.Of(q, m)
	for _, g := range groups {
		for _, steps := range f.waysInto(q, m, g) {
			add(&all, steps, g)
		}
	}
	for _, g := range groups {
		if steps := f.obvious(q, m, g); steps != nil && len(partial) < nearNodes {
			add(&partial, steps, g)
		}
	}
	if f.tooLarge(q, m) {
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.pair })
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(len(a.steps), len(b.steps)), cmp.Compare(a.harm(), b.harm()))
	})
	all = append(all, partial...)
	return all[:min(len(all), mostCandidates)]
}

// obvious is what one would do about the cordon or the taint of a group that
// something else refuses too: to uncordon, to tolerate.
func (f *Search) obvious(q *plugins.Question, m *scheduler.Matrix, g *rejectiongroups.Group) option {
	if len(g.Rejecting) < 2 {
		return nil
	}
	for _, k := range g.Rejecting {
		name := f.profile.Plugins[k].Name
		if (name != names.NodeUnschedulable && name != names.TaintToleration) || m.Answers[k].Pre != nil {
			continue
		}
		for _, steps := range remediesOf[name](q, []plugins.NodeRejection{m.Rejection(k, g.Nodes[0])}) {
			if len(steps) == 1 {
				return steps
			}
		}
	}
	return nil
}

// tooLarge says whether the pod requests more of something than any node has
// allocatable: then it has to request less before taints or labels matter.
func (f *Search) tooLarge(q *plugins.Question, m *scheduler.Matrix) bool {
	fit := f.profile.IndexOf(names.NodeResourcesFit)
	for i := range m.Nodes {
		if fit < 0 || m.Rejects(fit, i) == nil || m.Answers[fit].Pre != nil {
			return false
		}
		beyond := func(lack plugins.Figure) bool { return lack.Wanted > lack.Allocatable }
		if !slices.ContainsFunc(plugins.Shortages(q, m.Rejection(fit, i)), beyond) {
			return false
		}
	}
	return len(m.Nodes) > 0
}

// nearestNames are those of the nearest nodes of the group.
func nearestNames(g *rejectiongroups.Group, m *scheduler.Matrix) []string {
	var names []string
	for _, i := range g.Nodes[:min(len(g.Nodes), groupNodes)] {
		names = append(names, m.Nodes[i].Node().Name)
	}
	return names
}

// waysInto are the steps that could let the pod onto nodes of the group: an
// option for each plugin that refuses. None where one has no option, or where
// more than two refuse.
func (f *Search) waysInto(q *plugins.Question, m *scheduler.Matrix, g *rejectiongroups.Group) []option {
	if g.Fits == nil {
		return nil
	}
	ways := []option{nil}
	for _, k := range g.Rejecting {
		remedies := remediesOf[f.profile.Plugins[k].Name]
		if f.profile.Plugins[k].Name == names.NodeResourcesFit {
			remedies = func(q *plugins.Question, rs []plugins.NodeRejection) []option { return fitRemedies(q, rs, f) }
		}
		if f.profile.Plugins[k].Name == names.NodeAffinity {
			remedies = func(q *plugins.Question, rs []plugins.NodeRejection) []option {
				return affinityWays(q, rs, func(one plugins.Want, rs []plugins.NodeRejection) (remedy.LabelNode, bool) {
					return f.mistaken(q.Pod, one, rs)
				})
			}
		}
		if over := m.Answers[k].Pre != nil; remedies == nil || over && !beforeNodes.Has(f.profile.Plugins[k].Name) {
			return nil
		}
		rs := make([]plugins.NodeRejection, len(g.Nodes))
		for n, i := range g.Nodes {
			rs[n] = m.Rejection(k, i)
		}
		var longer []option
		for _, way := range ways {
			for _, more := range remedies(q, rs) {
				if steps, ok := together(way, more); ok && len(steps) <= 2 {
					longer = append(longer, steps)
				}
			}
		}
		ways = longer
	}
	return append(ways, onSeveral(f, ways, m, g)...)
}

// together are the steps of a way and more of them. Pods that both evict from one node are evicted
// in one step; ok is false where they evict from two nodes, which lets the pod onto neither.
func together(way, more option) (steps option, ok bool) {
	steps = slices.Clone(way)
	for _, step := range more {
		evict, evicts := step.(remedy.Evict)
		at := slices.IndexFunc(steps, func(r remedy.Step) bool { _, ok := r.(remedy.Evict); return ok })
		if !evicts || at < 0 {
			steps = append(steps, step)
			continue
		}
		both := slices.Clone(steps[at].(remedy.Evict).Pods)
		if both[0].Spec.NodeName != evict.Pods[0].Spec.NodeName {
			return nil, false
		}
		for _, pod := range evict.Pods {
			if !slices.Contains(both, pod) {
				both = append(both, pod)
			}
		}
		steps[at] = remedy.Evict{Pods: both}
	}
	return steps, true
}
