// Package preemption simulates preemption by kube-scheduler's own dry run, and says
// which pods it would evict. Nothing is evicted.
package preemption

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Outcome is what the scheduler would do with a pod in this state.
type Outcome struct {
	// Message is what it would write; "" where it would bind the pod or where that is
	// not known.
	Message string
	// Legacy is the same in the words of the cluster's version: several where its patch releases
	// differ, none where those are ours.
	Legacy []string
	// Successful says that Message tells of a preemption whose node is picked from a
	// random offset.
	Successful bool
	// Deallocates says that Message tells of a claim that was freed.
	Deallocates bool
	// Preemption is nil unless no node fits.
	Preemption *report.Preemption
	// Open is what could not be read and decides; nil: nothing.
	Open *report.UnknownPart

	tried *candidates // nil where preemption was not tried
}

// Simulator simulates preemption as kube-scheduler does it. Nothing is evicted.
type Simulator struct {
	// Profile is the one of the pods that preempt.
	Profile *scheduler.Profile
	Budgets *pdb.Budgets
	// Shuffle puts the n pods of a node in another order, as rand.Shuffle does: which of
	// several equal pods the scheduler preempts depends on when it saw them last. Nil: they
	// stay in the order of the state.
	Shuffle func(node string, n int, swap func(i, j int))
}

// PostFilter is what the PostFilter plugins would say. PostFilter itself is never
// called: it evicts.
func (s Simulator) PostFilter(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, d scheduler.Diagnosis) (Outcome, error) {
	if s.StopsBefore(d) {
		// DynamicResources comes first and cannot find what its PreFilter, which
		// another plugin's rejection has kept from running, would have left it.
		return Outcome{Message: fwk.ErrNotFound.Error(), Preemption: &report.Preemption{
			Victims: []report.Victim{},
			Why:     "kube-scheduler does not try preemption: the pod is rejected before any node is checked.",
			Short:   "the pod is rejected before any node is checked",
		}}, nil
	}
	o := Outcome{Preemption: &report.Preemption{Victims: []report.Victim{}, Why: noPreemption}}
	var said []string
	if s.Profile.HasPostFilter(names.DefaultPreemption) {
		var err error
		if o, err = s.dryRun(ctx, m, pod, d); err != nil || o.Open != nil {
			return o, err
		}
		said = append(said, "preemption: "+o.Message)
	}
	if !o.Successful && s.Profile.HasPostFilter(names.DynamicResources) && s.Deallocates(m, pod) {
		said, o.Deallocates = slices.Insert(said, 0, deallocated), true
	}
	o.Message = strings.Join(said, ", ")
	return o, nil
}

const (
	// noPreemption is why nothing is preempted in some profiles.
	noPreemption = "The profile has no DefaultPreemption."
	// deallocated is DynamicResources' word for a claim that it has freed.
	deallocated = "deallocation of ResourceClaim completed"
)

// StopsBefore says whether the scheduler does not come to preemption.
func (s Simulator) StopsBefore(d scheduler.Diagnosis) bool {
	return s.Profile.HasPostFilter(names.DynamicResources) && !d.Asked.Has(names.DynamicResources)
}

// dryRun repeats preemption.Evaluator.Preempt up to where it would act.
func (s Simulator) dryRun(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, d scheduler.Diagnosis) (Outcome, error) {
	statuses := d.Fit.Diagnosis.NodeToStatus
	if ok, why := s.Profile.Preemption.PodEligibleToPreemptOthers(ctx, pod, statuses.Get(pod.Status.NominatedNodeName)); !ok {
		if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever {
			return Outcome{Message: why, Preemption: &report.Preemption{Victims: []report.Victim{}, Why: "Its preemptionPolicy is Never.", Short: "its preemptionPolicy is Never"}}, nil
		}
		return Outcome{Message: why, Preemption: &report.Preemption{Victims: []report.Victim{}, Why: "The pod is " + why, Short: "the pod is " + strings.TrimSuffix(why, ".")}}, nil
	}
	c, err := s.candidates(ctx, m, pod, statuses)
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case len(c.found) > 0:
		o, err := s.chosen(ctx, pod, c)
		o.tried = &c
		return o, err
	case err != nil:
		return Outcome{Message: fwk.AsStatus(err).Message(), Preemption: &report.Preemption{Victims: []report.Victim{}, Why: "Preemption fails: " + firstOf(err)}}, nil
	}
	if c.equal, err = s.equalHolders(ctx, m, pod, &c); err != nil {
		return Outcome{}, err
	}
	if c.higher, err = s.outranking(ctx, m, pod, &c); err != nil {
		return Outcome{}, err
	}
	c.statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling"))
	none := &framework.FitError{Pod: pod, NumAllNodes: len(m.Nodes), Diagnosis: framework.Diagnosis{NodeToStatus: c.statuses}}
	return Outcome{Message: none.Error(), Preemption: c.cannot(m, pod), tried: &c}, nil
}

// candidates is what a dry run of preemption came to.
type candidates struct {
	found    []preemption.Candidate
	statuses *framework.NodeToStatus // of the nodes that are no candidates
	budgets  []*policyv1.PodDisruptionBudget
	bare     int            // nodes without a pod of lower priority
	nodes    []fwk.NodeInfo // where ending such pods could help
	state    fwk.CycleState // that they are tried with
	wanted   int            // candidates that are enough for the scheduler
	capacity bool           // the nodes where evictions could help lack nothing else
	equal    *equalHolders  // which hold what the pod lacks; nil: none, or there are candidates
	higher   outranking     // for which the pod does not fit; none: they are few, or it would not without them either
	could    []bool         // by node: evictions could help
}

// candidates tries to preempt on every node where that could help
// (preemption.Evaluator.findCandidates). Nodes without a pod of lower priority
// get the status that the dry run would give them, without its copies of node
// and state: those are most nodes of most clusters.
func (s Simulator) candidates(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, statuses *framework.NodeToStatus) (candidates, error) {
	c := candidates{statuses: framework.NewDefaultNodeToStatus(), could: make([]bool, len(m.Nodes))}
	bare := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "No preemption victims found for incoming pod")
	priorities, own := s.Profile.Scheduler.State.Priorities, corev1helpers.PodPriority(pod)
	anywhere := priorities.Held(math.MinInt32, own)
	for i, node := range m.Nodes {
		c.could[i] = statuses.Get(node.Node().Name).Code() == fwk.Unschedulable
		switch {
		case !c.could[i]:
		case anywhere && slices.ContainsFunc(priorities.On(node), func(of scheduler.PriorityCount) bool { return of.Priority < own }):
			c.nodes = append(c.nodes, node)
		default:
			c.bare++
			c.statuses.Set(node.Node().Name, bare)
		}
	}
	c.capacity = lackOnlyCapacity(m, c.could)
	if len(c.nodes) == 0 {
		return c, nil
	}
	var err error
	if c.budgets, err = s.Budgets.Lister.List(labels.Everything()); err != nil {
		return c, fmt.Errorf("list poddisruptionbudgets: %w", err)
	}
	c.state = m.TryingState(s.Profile.Question(pod))
	_, wanted := s.Profile.Preemption.GetOffsetAndNumCandidates(int32(c.bare + len(c.nodes)))
	c.wanted = int(wanted)
	err = s.tryEnough(ctx, pod, &c)
	return c, err
}

const (
	// tryAtOnce is how many nodes are tried before the clock is looked at.
	tryAtOnce = 100
	// enoughAfter is after how long one candidate is enough to know what the
	// scheduler would write: which one it takes of more is a matter of chance.
	enoughAfter = 25 * time.Millisecond
)

// tryEnough tries nodes until there are as many candidates as the scheduler
// wants, or one and no time for more.
func (s Simulator) tryEnough(ctx context.Context, pod *corev1.Pod, c *candidates) error {
	var errs []error
	until := time.Now().Add(enoughAfter)
	for from := 0; from < len(c.nodes) && len(c.found) < c.wanted; from += tryAtOnce {
		if len(c.found) > 0 && time.Now().After(until) {
			break
		}
		errs = append(errs, s.tryNodes(ctx, pod, c, c.nodes[from:min(from+tryAtOnce, len(c.nodes))], c.wanted-len(c.found)))
	}
	return utilerrors.Flatten(utilerrors.NewAggregate(errs))
}

// tryNodes tries some nodes until there are so many candidates among them.
func (s Simulator) tryNodes(ctx context.Context, pod *corev1.Pod, c *candidates, nodes []fwk.NodeInfo, wanted int) error {
	if s.Shuffle != nil {
		nodes = s.shuffled(nodes, pod)
	}
	found, statuses, err := s.Profile.Preemption.Evaluator.DryRunPreemption(ctx, c.state, pod, nodes, c.budgets, 0, int32(wanted))
	c.found = append(c.found, found...)
	statuses.ForEachExplicitNode(c.statuses.Set)
	if err != nil {
		return err
	}
	return ctx.Err()
}

// shuffled are the nodes, with their pods in another order where several that the pod may
// preempt are equal.
func (s Simulator) shuffled(nodes []fwk.NodeInfo, pod *corev1.Pod) []fwk.NodeInfo {
	all := slices.Clone(nodes)
	for i, node := range nodes {
		if !holdsEqual(node, pod) {
			continue
		}
		if copied, ok := node.Snapshot().(*framework.NodeInfo); ok {
			s.Shuffle(node.Node().Name, len(copied.Pods), func(i, j int) { copied.Pods[i], copied.Pods[j] = copied.Pods[j], copied.Pods[i] })
			all[i] = copied
		}
	}
	return all
}

// holdsEqual says whether two pods of lower priority on the node are equal for preemption.
func holdsEqual(node fwk.NodeInfo, pod *corev1.Pod) bool {
	seen := map[victimRank]bool{}
	for _, info := range node.GetPods() {
		if corev1helpers.PodPriority(info.GetPod()) >= corev1helpers.PodPriority(pod) {
			continue
		}
		rank := rankOf(info.GetPod())
		if seen[rank] {
			return true
		}
		seen[rank] = true
	}
	return false
}

// chosen is the candidate that the scheduler would take.
func (s Simulator) chosen(ctx context.Context, pod *corev1.Pod, c candidates) (Outcome, error) {
	if why := s.Budgets.Unread; why != "" {
		return Outcome{
			Open:       &report.UnknownPart{Resource: "poddisruptionbudgets", Why: why, Plugins: []string{names.DefaultPreemption}},
			Preemption: &report.Preemption{Possible: true, Victims: []report.Victim{}, Why: "The victims are unknown: " + why + "."},
		}, nil
	}
	best := s.rankCandidates(ctx, c.found)[0]
	pods := best.Victims().Pods
	breaking, err := s.breaking(ctx, best.Name(), pod, c.budgets)
	if err != nil {
		return Outcome{}, err
	}
	found := &report.Preemption{Possible: true, Node: best.Name(), Victims: make([]report.Victim, 0, len(pods))}
	for _, victim := range pods {
		found.Victims = append(found.Victims, report.Victim{
			Namespace:   victim.Namespace,
			Name:        victim.Name,
			Priority:    corev1helpers.PodPriority(victim),
			ViolatesPDB: len(breaking[victim.UID]) > 0,
			Static:      model.IsMirror(victim),
		})
	}
	found.Why = fmt.Sprintf("It would fit %s after the eviction of %s of lower priority.", best.Name(), grammar.Plural(len(pods), "pod"))
	return Outcome{
		Message:    fmt.Sprintf("found a potential placement for pod on node %v, preempting %d victims", best.Name(), len(pods)),
		Successful: true,
		Preemption: found,
	}, nil
}

// breakers are the budgets that the end of each pod would break.
type breakers map[types.UID][]string

// breaking are the pods on the node whose end would break a budget, counted as
// the dry run does: over all possible victims, the most important first. The
// budgets of such a pod are those that it would break alone.
func (s Simulator) breaking(ctx context.Context, name string, pod *corev1.Pod, budgets []*policyv1.PodDisruptionBudget) (breakers, error) {
	node, err := s.Profile.Scheduler.State.NodeInfos().Get(name)
	if err != nil {
		return nil, fmt.Errorf("find node %s: %w", name, err)
	}
	victims, err := s.Profile.Preemption.Evaluator.GetVictimsOnNode(ctx, node)
	if err != nil {
		return nil, fmt.Errorf("find victims on %s: %w", name, err)
	}
	victims = slices.DeleteFunc(victims, func(v *preemption.DomainVictim) bool { return v.Priority() >= corev1helpers.PodPriority(pod) })
	sort.Slice(victims, func(i, j int) bool { return s.Profile.Preemption.MoreImportantVictim(victims[i], victims[j]) })
	found := breakers{}
	note := func(by *policyv1.PodDisruptionBudget) {
		violating, _ := preemption.FilterVictimsWithPDBViolation(victims, []*policyv1.PodDisruptionBudget{by})
		for _, v := range violating {
			for _, p := range v.Victim.Pods() {
				found[p.GetPod().UID] = append(found[p.GetPod().UID], by.Name)
			}
		}
	}
	for _, budget := range budgets {
		note(budget)
	}
	violating, _ := preemption.FilterVictimsWithPDBViolation(victims, budgets)
	counted := breakers{}
	for _, v := range violating {
		for _, p := range v.Victim.Pods() {
			counted[p.GetPod().UID] = found[p.GetPod().UID]
		}
	}
	return counted, nil
}

// Deallocates says whether DynamicResources.PostFilter would free a claim of the
// pod that is allocated where the pod cannot go and that nobody else has reserved.
func (s Simulator) Deallocates(m *scheduler.Matrix, pod *corev1.Pod) bool {
	refused := false
	for i := range m.Nodes {
		if k, status := m.First(i); status != nil && s.Profile.Plugins[k].Name == names.DynamicResources {
			refused = true
			break
		}
	}
	if !refused {
		return false
	}
	for _, use := range pod.Spec.ResourceClaims {
		name := claimName(pod, use)
		claim, err := s.Profile.Question(pod).DRA.ResourceClaims().Get(pod.Namespace, name)
		if name == "" || err != nil || claim.Status.Allocation == nil {
			continue
		}
		reserved := claim.Status.ReservedFor
		if len(reserved) == 0 || (len(reserved) == 1 && reserved[0].UID == pod.UID) {
			return true
		}
	}
	return false
}

// claimName is the ResourceClaim that a pod's claim stands for, "" if it was not
// created yet.
func claimName(pod *corev1.Pod, use corev1.PodResourceClaim) string {
	if use.ResourceClaimName != nil {
		return *use.ResourceClaimName
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name == use.Name && status.ResourceClaimName != nil {
			return *status.ResourceClaimName
		}
	}
	return ""
}

// firstOf is the first of several errors, which often say the same of each node.
func firstOf(err error) string {
	if all, ok := errors.AsType[utilerrors.Aggregate](err); ok && len(all.Errors()) > 0 {
		return all.Errors()[0].Error()
	}
	return err.Error()
}
