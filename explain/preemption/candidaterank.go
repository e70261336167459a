package preemption

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// standing is what the scheduler compares candidates by, in this order
// (preemption.pickOneNodeForPreemption): less is better, and later of starts.
// SelectCandidate decides; this finds the words, and what it decides by chance.
type standing struct {
	broken  int64 // victims whose end breaks a budget
	highest int32 // priority
	sum     int64 // of the priorities, each counted from the least
	pods    int
	start   time.Time // of the most important victims the earliest; one that has not started counts as now
}

// unstarted is later than any start.
var unstarted = time.Unix(math.MaxInt32, 0)

func standingOf(victims *extenderv1.Victims) standing {
	s := standing{broken: victims.NumPDBViolations, pods: len(victims.Pods), start: unstarted}
	if len(victims.Pods) > 0 {
		s.highest = corev1helpers.PodPriority(victims.Pods[0])
	}
	for _, pod := range victims.Pods {
		priority := corev1helpers.PodPriority(pod)
		s.sum += int64(priority) + math.MaxInt32 + 1
		if start := startOf(pod); priority == s.highest && start.Before(s.start) {
			s.start = start
		}
	}
	return s
}

// startOf is when the pod started, for the scheduler.
func startOf(pod *corev1.Pod) time.Time {
	if pod.Status.StartTime == nil {
		return unstarted
	}
	return pod.Status.StartTime.Time
}

// compare is negative where a is taken before b.
func (a standing) compare(b standing) int {
	return cmp.Or(cmp.Compare(a.broken, b.broken), cmp.Compare(a.highest, b.highest), cmp.Compare(a.sum, b.sum),
		cmp.Compare(a.pods, b.pods), b.start.Compare(a.start))
}

// worse says by what a stands behind the best, the first that the scheduler
// compares: "a victim has priority 1000".
func (a standing) worse(best standing, budgets []string) string {
	switch {
	case a.broken > best.broken:
		return breaks(a, best, budgets)
	case a.highest > best.highest:
		return fmt.Sprintf("a victim has priority %d", a.highest)
	case a.sum > best.sum && a.pods > best.pods, a.pods > best.pods:
		return fmt.Sprintf("%s, the chosen node has %d", grammar.Plural(a.pods, "victim"), best.pods)
	case a.sum > best.sum:
		return fmt.Sprintf("priorities sum to %d, on the chosen node to %d", a.priorities(), best.priorities())
	case a.start.Before(best.start):
		return "a victim has been running longer"
	}
	return ""
}

// breaks names the budgets that the victims of a would break.
func breaks(a, best standing, budgets []string) string {
	said := "violates PDB " + grammar.List(budgets, grammar.Few)
	if best.broken > 0 {
		said += fmt.Sprintf(" for %s; on the chosen node %d", grammar.Plural(int(a.broken), "pod"), best.broken)
	}
	return said
}

// priorities is the plain sum of the victims' priorities.
func (a standing) priorities() int64 { return a.sum - int64(a.pods)*(math.MaxInt32+1) }

// rankedCandidate is a candidate with its standing.
type rankedCandidate struct {
	preemption.Candidate
	standing    standing
	best, worst standing      // with its pods in another order
	others      []*corev1.Pod // who would go then
}

// rankCandidates puts candidates in the scheduler's order; those that only chance
// decides between, by name. SelectCandidate says which comes first.
func (s Simulator) rankCandidates(ctx context.Context, found []preemption.Candidate) []rankedCandidate {
	all := make([]rankedCandidate, len(found))
	for i, candidate := range found {
		at := standingOf(candidate.Victims())
		all[i] = rankedCandidate{Candidate: candidate, standing: at, best: at, worst: at}
	}
	slices.SortFunc(all, func(a, b rankedCandidate) int {
		return cmp.Or(a.standing.compare(b.standing), strings.Compare(a.Name(), b.Name()))
	})
	best := s.Profile.Preemption.Evaluator.SelectCandidate(ctx, found)
	at := slices.IndexFunc(all, func(c rankedCandidate) bool { return best != nil && c.Name() == best.Name() })
	if at > 0 && all[at].standing.compare(all[0].standing) != 0 {
		chosen := all[at]
		all = slices.Insert(slices.Delete(all, at, at+1), 0, chosen)
	}
	return all
}

// Firsts are the candidates that the scheduler takes one of: the first, and those that
// only chance decides between. There is none where preemption does not help.
func (s Simulator) Firsts(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, d scheduler.Diagnosis) ([]preemption.Candidate, error) {
	tried, err := s.candidates(ctx, m, pod, d.Fit.Diagnosis.NodeToStatus)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && len(tried.found) == 0:
		return nil, fmt.Errorf("dry run preemption: %w", err)
	case len(tried.found) == 0:
		return nil, nil
	}
	ranked := s.rankCandidates(ctx, tried.found)
	var firsts []preemption.Candidate
	for i := range ranked {
		if ranked[i].standing.compare(ranked[0].standing) != 0 {
			break
		}
		firsts = append(firsts, ranked[i].Candidate)
	}
	return firsts, nil
}

// tieWords tells what the scheduler's choice leaves open.
func tieWords(nodes []string, sampled bool, wanted int) string {
	switch {
	case sampled:
		return fmt.Sprintf(" kube-scheduler checks only %s such nodes, from a random start, and may take another.", model.FormatCount(wanted))
	case len(nodes) > 1:
		return fmt.Sprintf(" %s rank equally; kube-scheduler may take any of them: %s.", grammar.Plural(len(nodes), "node"), grammar.List(nodes, grammar.Many))
	}
	return ""
}
