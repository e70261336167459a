package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Harm of an eviction by what becomes of the pod.
const (
	harmPending = 35 // more than where it lands elsewhere
	harmLost    = 45
)

// judgeEvictions says what becomes of the pods that a fix evicts, whether a
// PodDisruptionBudget lets them go, and whether their replacements leave the
// room to the pod. A replacement is made while its predecessor is still ending,
// so it is placed with and without that one's room.
func (f *fixing) judgeEvictions(ctx context.Context, s *fork, pod *corev1.Pod, fix *attemptedFix) error {
	at := slices.IndexFunc(fix.steps, func(r remedy) bool { _, ok := r.(evict); return ok })
	if at < 0 {
		return nil
	}
	victims := fix.steps[at].(evict).pods
	fix.Remaining = append(fix.Remaining, f.budgetsAgainst(victims)...)
	f.overlay.supposed = s.outer
	early, err := f.comeBack(ctx, victims, pod, fix, true)
	f.overlay.supposed = s
	if err != nil {
		return err
	}
	late, err := f.comeBack(ctx, victims, pod, fix, false)
	if err != nil {
		return err
	}
	for i, victim := range victims {
		how, harm := tellReturn(victim, early.landings[i], late.landings[i])
		fix.harm += harm
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: victim.Namespace, Name: victim.Name, How: how})
		if i == 0 {
			fix.Brief = "it " + how
		}
	}
	if len(victims) > 1 {
		fix.Brief = grammar.Plural(len(victims), "pod") + " evicted"
	}
	switch {
	case early.open || late.open:
		fix.Remaining = append(fix.Remaining, "unknown: where the evicted come back could not be found out")
	case !early.fits || !late.fits:
		fix.Remaining = append(fix.Remaining, "the evicted may come back to the same room")
	}
	return nil
}

// returned is what becomes of evicted pods, and whether the pod still fits then.
type returned struct {
	landings []placement
	fits     bool
	open     bool
}

// comeBack places the replacements of victims: while these are still there
// (early), or when they are gone.
func (f *fixing) comeBack(ctx context.Context, victims []*corev1.Pod, pod *corev1.Pod, fix *attemptedFix, early bool) (returned, error) {
	var back returned
	s := f.fork()
	defer s.revert()
	if early {
		if err := s.besidesEvictions(fix.steps, pod); err != nil {
			return back, err
		}
	}
	for _, victim := range victims {
		l, err := f.replace(ctx, s, victim)
		if err != nil {
			return back, err
		}
		back.landings = append(back.landings, l)
		back.open = back.open || l.open
	}
	if early {
		for _, victim := range victims {
			if err := s.without(victim); err != nil {
				return back, err
			}
		}
	}
	t, err := f.try(ctx, pod, fix.Nodes)
	back.fits = err == nil && len(t.fits) > 0
	return back, err
}

// replace puts the replacement of an evicted pod where it would go.
func (f *fixing) replace(ctx context.Context, s *fork, victim *corev1.Pod) (placement, error) {
	if !returns(victim) {
		return placement{}, nil
	}
	l, err := f.landing(ctx, victim)
	if err != nil || l.open {
		return l, err
	}
	if l.likely || slices.Contains(l.tie, victim.Spec.NodeName) {
		l = f.worst(ctx, victim, l)
	}
	if l.node == "" {
		return l, nil
	}
	return l, s.with(asNewPod(victim), l.node)
}

// besidesEvictions makes the other changes that steps make to the state.
func (s *fork) besidesEvictions(steps []remedy, pod *corev1.Pod) error {
	for _, step := range steps {
		if _, evicts := step.(evict); evicts || changesPod(step) {
			continue
		}
		if _, err := step.apply(s, pod); err != nil {
			return err
		}
	}
	return nil
}

// worst is the landing on the node that the victim came from, if it fits there:
// where the scheduler may take any of several nodes, that one counts.
func (f *fixing) worst(ctx context.Context, victim *corev1.Pod, l placement) placement {
	t, err := f.try(ctx, asNewPod(victim), []string{victim.Spec.NodeName})
	if err == nil && len(t.fits) > 0 {
		l.node = victim.Spec.NodeName
	}
	return l
}

// returns says whether a controller makes a new pod in the place of this one, or
// may do so.
func returns(pod *corev1.Pod) bool { return controllerKind(pod) != "" }

// tellReturn is what becomes of an evicted pod, and how much harm that is.
func tellReturn(victim *corev1.Pod, early, late placement) (how string, harm int) {
	switch {
	case !returns(victim):
		return "is lost: no controller owns it", harmLost
	case plan.RecreationUnknown(victim) != "":
		return "may be lost: " + plan.RecreationUnknown(victim), harmLost
	case early.open || late.open:
		return "comes back, where is unknown", harmPending
	case early.node != "":
		how = "lands on " + early.node
	case late.node != "":
		how = "lands on " + late.node
	default:
		return "becomes Pending: " + late.why, harmPending
	}
	if controllerKind(victim) == "Job" {
		how += "; its Job starts it again from nothing"
	}
	return how, 0
}

// budgetsAgainst says why the API server would not evict all of the pods now.
func (f *fixing) budgetsAgainst(victims []*corev1.Pod) []string {
	var against []string
	taken := map[*policyv1.PodDisruptionBudget]int32{}
	for _, victim := range victims {
		var told report.Eviction
		if f.refusesEviction(victim, &told) {
			against = append(against, strings.TrimSuffix(told.Sentence, "."))
			continue
		}
		budgets, err := f.budgetsOf(victim)
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
