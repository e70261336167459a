package explain

import (
	"context"
	"errors"
	"fmt"
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

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// postFilter is what the PostFilter plugins would say. PostFilter itself is never
// called: it evicts.
func (e *Engine) postFilter(ctx context.Context, m *matrix, pod *corev1.Pod, d diagnosis) (outcome, error) {
	if e.stopsBefore(d) {
		// DynamicResources comes first and cannot find what its PreFilter, which
		// another plugin's refusal has kept from running, would have left it.
		return outcome{message: fwk.ErrNotFound.Error(), preemption: &report.Preemption{
			Victims: []report.Victim{},
			Why:     "The scheduler does not come to preemption: the pod is refused before any node is looked at.",
			Short:   "the pod is refused before any node is looked at",
		}}, nil
	}
	o := outcome{preemption: &report.Preemption{Victims: []report.Victim{}, Why: noPreemption}}
	var said []string
	if e.posts.Has(names.DefaultPreemption) {
		var err error
		if o, err = e.dryRun(ctx, m, pod, d); err != nil || o.open != nil {
			return o, err
		}
		said = append(said, "preemption: "+o.message)
	}
	if !o.successful && e.posts.Has(names.DynamicResources) && e.deallocates(m, pod) {
		said, o.deallocates = slices.Insert(said, 0, deallocated), true
	}
	o.message = strings.Join(said, ", ")
	return o, nil
}

const (
	// noPreemption is why nothing is preempted in some profiles.
	noPreemption = "The profile has no DefaultPreemption."
	// deallocated is DynamicResources' word for a claim that it has freed.
	deallocated = "deallocation of ResourceClaim completed"
)

// stopsBefore says whether the scheduler does not come to preemption.
func (e *Engine) stopsBefore(d diagnosis) bool {
	return e.posts.Has(names.DynamicResources) && !d.asked.Has(names.DynamicResources)
}

// dryRun repeats preemption.Evaluator.Preempt up to where it would act.
func (e *Engine) dryRun(ctx context.Context, m *matrix, pod *corev1.Pod, d diagnosis) (outcome, error) {
	statuses := d.fit.Diagnosis.NodeToStatus
	if ok, why := e.preempts.PodEligibleToPreemptOthers(ctx, pod, statuses.Get(pod.Status.NominatedNodeName)); !ok {
		return outcome{message: why, preemption: &report.Preemption{Victims: []report.Victim{}, Why: "The pod is " + why, Short: "the pod is " + strings.TrimSuffix(why, ".")}}, nil
	}
	c, err := e.candidates(ctx, m, pod, statuses)
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case len(c.found) > 0:
		o, err := e.chosen(ctx, pod, c)
		o.tried = &c
		return o, err
	case err != nil:
		return outcome{message: fwk.AsStatus(err).Message(), preemption: &report.Preemption{Victims: []report.Victim{}, Why: "Preemption fails: " + firstOf(err)}}, nil
	}
	c.statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling"))
	none := &framework.FitError{Pod: pod, NumAllNodes: len(m.nodes), Diagnosis: framework.Diagnosis{NodeToStatus: c.statuses}}
	return outcome{message: none.Error(), preemption: c.cannot(m), tried: &c}, nil
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
	lacking  string         // what stands in the way on the nodes where ending pods could help
}

// candidates tries to preempt on every node where that could help
// (preemption.Evaluator.findCandidates). Nodes without a pod of lower priority
// get the status that the dry run would give them, without its copies of node
// and state: those are most nodes of most clusters.
func (e *Engine) candidates(ctx context.Context, m *matrix, pod *corev1.Pod, statuses *framework.NodeToStatus) (candidates, error) {
	c := candidates{statuses: statusesOf(len(m.nodes))}
	bare := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "No preemption victims found for incoming pod")
	anywhere := e.holdsBelow(corev1helpers.PodPriority(pod))
	for _, node := range m.nodes {
		switch {
		case statuses.Get(node.Node().Name).Code() != fwk.Unschedulable:
		case anywhere && holdsLower(node, pod):
			c.nodes = append(c.nodes, node)
		default:
			c.bare++
			c.statuses.Set(node.Node().Name, bare)
		}
	}
	c.lacking = e.whatLacks(m, func(node string) bool { return statuses.Get(node).Code() == fwk.Unschedulable })
	if len(c.nodes) == 0 {
		return c, nil
	}
	var err error
	if c.budgets, err = e.budgets.List(labels.Everything()); err != nil {
		return c, fmt.Errorf("list poddisruptionbudgets: %w", err)
	}
	c.state = e.trying(m, e.question(pod).Question)
	_, wanted := e.preempts.GetOffsetAndNumCandidates(int32(c.bare + len(c.nodes)))
	c.wanted = int(wanted)
	err = e.tryEnough(ctx, pod, &c)
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
func (e *Engine) tryEnough(ctx context.Context, pod *corev1.Pod, c *candidates) error {
	var errs []error
	until := time.Now().Add(enoughAfter)
	for from := 0; from < len(c.nodes) && len(c.found) < c.wanted; from += tryAtOnce {
		if len(c.found) > 0 && time.Now().After(until) {
			break
		}
		errs = append(errs, e.tryNodes(ctx, pod, c, c.nodes[from:min(from+tryAtOnce, len(c.nodes))], c.wanted-len(c.found)))
	}
	return utilerrors.Flatten(utilerrors.NewAggregate(errs))
}

// tryNodes tries some nodes until there are so many candidates among them.
func (e *Engine) tryNodes(ctx context.Context, pod *corev1.Pod, c *candidates, nodes []fwk.NodeInfo, wanted int) error {
	found, statuses, err := e.preempts.Evaluator.DryRunPreemption(ctx, c.state, pod, nodes, c.budgets, 0, int32(wanted))
	c.found = append(c.found, found...)
	statuses.ForEachExplicitNode(c.statuses.Set)
	if err != nil {
		return err
	}
	return ctx.Err()
}

// holdsBelow says whether any node at all holds a pod of lower priority.
func (e *Engine) holdsBelow(priority int32) bool {
	for held := range e.priorities {
		if held < priority {
			return true
		}
	}
	return false
}

func holdsLower(node fwk.NodeInfo, pod *corev1.Pod) bool {
	priority := corev1helpers.PodPriority(pod)
	return slices.ContainsFunc(node.GetPods(), func(p fwk.PodInfo) bool { return corev1helpers.PodPriority(p.GetPod()) < priority })
}

// cannot says why ending pods does not help on any of the nodes.
func (c *candidates) cannot(m *matrix) *report.Preemption {
	none := &report.Preemption{Victims: []report.Victim{}}
	could := c.bare + len(c.nodes)
	switch {
	case could == 0:
		none.Why = "No node refuses the pod for anything that ending other pods would change."
		none.Short = "no node refuses it for what ending pods would change"
		return none
	case len(c.nodes) > 0:
		none.Why = fmt.Sprintf("Ending all pods of lower priority does not make it fit any of %s %s", theNodes(could), c.lacking)
		none.Why = strings.Replace(none.Why, "any of the one node", "the one node", 1)
		none.Short = "not even without all pods of lower priority would it fit"
	default:
		none.Why = fmt.Sprintf("No pod of lower priority on %s %s", theNodes(could), c.lacking)
		none.Short = "no pod there has a lower priority"
	}
	if rest := len(m.nodes) - could; rest > 0 {
		none.Why += fmt.Sprintf("; it cannot help the other %d", rest)
	}
	none.Why += "."
	return none
}

// whatLacks says what the nodes have in common where ending pods could help.
func (e *Engine) whatLacks(m *matrix, could func(node string) bool) string {
	fit := slices.IndexFunc(e.plugins, func(p plugin) bool { return p.name == names.NodeResourcesFit })
	for i, node := range m.nodes {
		for _, k := range m.said {
			if k != fit && m.refuses(k, i) != nil && could(node.Node().Name) {
				return "where ending pods could help"
			}
		}
	}
	return "where only room lacks"
}

// theNodes counts nodes that a clause tells more of.
func theNodes(n int) string {
	if n == 1 {
		return "the one node"
	}
	return "the " + grammar.Plural(n, "node")
}

// chosen is the candidate that the scheduler would take.
func (e *Engine) chosen(ctx context.Context, pod *corev1.Pod, c candidates) (outcome, error) {
	if why, forbidden := e.forbidden["poddisruptionbudgets"]; forbidden {
		return outcome{
			open:       &report.UnknownPart{Resource: "poddisruptionbudgets", Why: why, Plugins: []string{names.DefaultPreemption}},
			preemption: &report.Preemption{Possible: true, Victims: []report.Victim{}, Why: "Which pods it would end is unknown: " + why + "."},
		}, nil
	}
	best := e.rankCandidates(ctx, c.found)[0]
	pods := best.Victims().Pods
	breaking, err := e.breaking(ctx, best.Name(), pod, c.budgets)
	if err != nil {
		return outcome{}, err
	}
	found := &report.Preemption{Possible: true, Node: best.Name(), Victims: make([]report.Victim, 0, len(pods))}
	for _, victim := range pods {
		found.Victims = append(found.Victims, report.Victim{
			Namespace:   victim.Namespace,
			Name:        victim.Name,
			Priority:    corev1helpers.PodPriority(victim),
			ViolatesPDB: len(breaking[victim.UID]) > 0,
		})
	}
	found.Why = fmt.Sprintf("It would fit %s once %s of lower priority ended.", best.Name(), grammar.Plural(len(pods), "pod"))
	return outcome{
		message:    fmt.Sprintf("found a potential placement for pod on node %v, preempting %d victims", best.Name(), len(pods)),
		successful: true,
		preemption: found,
	}, nil
}

// breakers are the budgets that the end of each pod would break.
type breakers map[types.UID][]string

// breaking are the pods on the node whose end would break a budget, counted as
// the dry run does: over all possible victims, the most important first. The
// budgets of such a pod are those that it would break alone.
func (e *Engine) breaking(ctx context.Context, name string, pod *corev1.Pod, budgets []*policyv1.PodDisruptionBudget) (breakers, error) {
	node, err := e.overlay.NodeInfos().Get(name)
	if err != nil {
		return nil, fmt.Errorf("find node %s: %w", name, err)
	}
	victims, err := e.preempts.Evaluator.GetVictimsOnNode(ctx, node)
	if err != nil {
		return nil, fmt.Errorf("find victims on %s: %w", name, err)
	}
	victims = slices.DeleteFunc(victims, func(v *preemption.DomainVictim) bool { return v.Priority() >= corev1helpers.PodPriority(pod) })
	sort.Slice(victims, func(i, j int) bool { return e.preempts.MoreImportantVictim(victims[i], victims[j]) })
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

// deallocates says whether DynamicResources.PostFilter would free a claim of the
// pod that is allocated where the pod cannot go and that nobody else has reserved.
func (e *Engine) deallocates(m *matrix, pod *corev1.Pod) bool {
	refused := false
	for i := range m.nodes {
		if k, status := m.first(i); status != nil && e.plugins[k].name == names.DynamicResources {
			refused = true
			break
		}
	}
	if !refused {
		return false
	}
	for _, use := range pod.Spec.ResourceClaims {
		name := claimName(pod, use)
		claim, err := e.dra.ResourceClaims().Get(pod.Namespace, name)
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
