package fixes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Harm of an eviction by what happens to the pod.
const (
	harmPending = 35 // more than where it is rescheduled on another node
	harmLost    = 45
)

// judgeEvictions says where the pods that a fix evicts are rescheduled, whether a
// PodDisruptionBudget allows their eviction, and whether their replacements leave
// the capacity to the pod. A replacement is created while its predecessor is still
// terminating, so it is placed with and without that one's capacity.
func (f *Search) judgeEvictions(ctx context.Context, s *scheduler.Fork, pod *corev1.Pod, fix *Attempt) error {
	at := slices.IndexFunc(fix.Remedies, func(r remedy.Step) bool { _, ok := r.(remedy.Evict); return ok })
	if at < 0 {
		return nil
	}
	victims := fix.Remedies[at].(remedy.Evict).Pods
	fix.Remaining = append(fix.Remaining, f.budgetsAgainst(victims)...)
	resume := s.Suspend()
	early, err := f.comeBack(ctx, victims, pod, fix, true)
	resume()
	if err != nil {
		return err
	}
	late, err := f.comeBack(ctx, victims, pod, fix, false)
	if err != nil {
		return err
	}
	for i, victim := range victims {
		how, harm := tellReturn(victim, early.placements[i], late.placements[i])
		fix.harm += harm
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: victim.Namespace, Name: victim.Name, How: how})
		if i == 0 {
			fix.Brief = strings.TrimPrefix(how, "is ")
		}
	}
	if len(victims) > 1 {
		fix.Brief = grammar.Plural(len(victims), "pod") + " evicted"
	}
	switch {
	case early.open || late.open:
		fix.Remaining = append(fix.Remaining, "unknown: where evicted pods are rescheduled could not be determined")
	case !early.fits || !late.fits:
		fix.Remaining = append(fix.Remaining, grammar.Agree(len(victims), "its replacement", "their replacements")+" may take the capacity again")
	}
	return nil
}

// returned is where evicted pods are rescheduled, and whether the pod still fits
// then.
type returned struct {
	placements []placement.Placement
	fits       bool
	open       bool
}

// comeBack places the replacements of victims: while these are still there
// (early), or when they are gone.
func (f *Search) comeBack(ctx context.Context, victims []*corev1.Pod, pod *corev1.Pod, fix *Attempt, early bool) (returned, error) {
	var back returned
	s := f.scheduler.State.Fork()
	defer s.Revert()
	if early {
		if err := besidesEvictions(s, fix.Remedies, pod); err != nil {
			return back, err
		}
	}
	for _, victim := range victims {
		l, err := f.replace(ctx, s, victim)
		if err != nil {
			return back, err
		}
		back.placements = append(back.placements, l)
		back.open = back.open || l.Open
	}
	if early {
		for _, victim := range victims {
			if err := s.RemovePod(victim); err != nil {
				return back, err
			}
		}
	}
	t, err := f.scheduler.Try(ctx, pod, fix.Nodes)
	back.fits = err == nil && len(t.Names) > 0
	return back, err
}

// replace puts the replacement of an evicted pod where it would be scheduled.
func (f *Search) replace(ctx context.Context, s *scheduler.Fork, victim *corev1.Pod) (placement.Placement, error) {
	if !returns(victim) {
		return placement.Placement{}, nil
	}
	l, err := placement.Of(ctx, f.scheduler, victim)
	if err != nil || l.Open {
		return l, err
	}
	if l.Likely || slices.Contains(l.Tie, victim.Spec.NodeName) {
		l = f.worst(ctx, victim, l)
	}
	if l.Node == "" {
		return l, nil
	}
	return l, s.AddPod(placement.AsNewPod(victim), l.Node)
}

// besidesEvictions makes the other changes that steps make to the state.
func besidesEvictions(s *scheduler.Fork, steps []remedy.Step, pod *corev1.Pod) error {
	for _, step := range steps {
		if _, evicts := step.(remedy.Evict); evicts || remedy.ChangesPod(step) {
			continue
		}
		if _, err := remedy.Apply(s, pod, step); err != nil {
			return err
		}
	}
	return nil
}

// worst is the placement on the node that the victim came from, if it fits there:
// where the scheduler may take any of several nodes, that one counts.
func (f *Search) worst(ctx context.Context, victim *corev1.Pod, l placement.Placement) placement.Placement {
	t, err := f.scheduler.Try(ctx, placement.AsNewPod(victim), []string{victim.Spec.NodeName})
	if err == nil && len(t.Names) > 0 {
		l.Node = victim.Spec.NodeName
	}
	return l
}

// returns says whether a controller makes a new pod in the place of this one, or
// may do so.
func returns(pod *corev1.Pod) bool { return placement.ControllerKind(pod) != "" }

// tellReturn words what happens to an evicted pod, and how much harm that is.
func tellReturn(victim *corev1.Pod, early, late placement.Placement) (how string, harm int) {
	switch {
	case !returns(victim):
		return "is not recreated: no controller owns it", harmLost
	case plan.RecreationUnknown(victim) != "":
		return "may not be recreated: " + plan.RecreationUnknown(victim), harmLost
	case early.Open || late.Open:
		return "is recreated, on which node is unknown", harmPending
	case early.Node != "":
		how = "is rescheduled on " + early.Node
	case late.Node != "":
		how = "is rescheduled on " + late.Node
	default:
		return "becomes Pending: " + late.Why, harmPending
	}
	if placement.ControllerKind(victim) == "Job" {
		how += "; its Job starts it again"
	}
	return how, 0
}

// budgetsAgainst says why the API server would reject evictions of the pods now.
func (f *Search) budgetsAgainst(victims []*corev1.Pod) []string {
	var against []string
	taken := map[*policyv1.PodDisruptionBudget]int32{}
	for _, victim := range victims {
		var told report.Eviction
		if f.budgets.Rejects(victim, &told) {
			against = append(against, strings.TrimSuffix(told.Sentence, "."))
			continue
		}
		budgets, err := f.budgets.Of(victim)
		if err != nil || len(budgets) == 0 {
			continue // refusesEviction has asked too
		}
		one := budgets[0]
		if taken[one]++; taken[one] > 1 && taken[one] > one.Status.DisruptionsAllowed {
			against = append(against, fmt.Sprintf("PodDisruptionBudget %s/%s allows %s now",
				one.Namespace, one.Name, grammar.Plural(int(one.Status.DisruptionsAllowed), "disruption")))
		}
	}
	return against
}
