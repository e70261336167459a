package explain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// fixesOf asks for the fixes of a pod alone.
func fixesOf(ctx context.Context, e *Engine, target report.Target) (*report.Fixes, error) {
	r, err := e.Ask(ctx, report.Query{Target: target, Parts: report.FixesPart})
	if err != nil {
		return nil, err
	}
	return r.Tried, nil
}

// planOf asks what preemption could do for a pod alone.
func planOf(ctx context.Context, e *Engine, target report.Target, node string) (*report.PreemptionPlan, error) {
	r, err := e.Ask(ctx, report.Query{Target: target, Parts: report.PreemptionPart, Node: node})
	if err != nil {
		return nil, err
	}
	return r.Plan, nil
}

// allParts are all that a question may want.
const allParts = report.Nodes | report.TracePart | report.PreemptionPart | report.FixesPart

func TestAnAnswerWithAllPartsAsksThePluginsOnce(t *testing.T) {
	low, urgent := aPod("low", "3", on("a")), aPod("urgent", "2", priority(100))
	gated := aPod("gated", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} })
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "1"), low, urgent, gated)
	for _, test := range []struct {
		target report.Target
		parts  report.Parts
		want   int
	}{
		{report.PodOf(urgent.UID), 0, 1},
		{report.PodOf(urgent.UID), allParts, 1},
		{report.PodFrom(aPod("wished", "2", priority(100))), allParts, 1},
		{report.PodOf(gated.UID), report.Nodes, 0},
		{report.PodOf(gated.UID), allParts, 1}, // of what it would meet without its gate
		{report.PodOf(low.UID), allParts, 1},   // taken off its node, for the trace
		{report.PodsNotCreated(refusedPod("1")), allParts, 1},
	} {
		before := e.scheduler.Evaluations
		r, err := e.Ask(t.Context(), report.Query{Target: test.target, Parts: test.parts})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.scheduler.Evaluations - before; got != test.want {
			t.Errorf("%s, parts %b: all plugins were asked %d times, want %d", r.Pod.Name, test.parts, got, test.want)
		}
		whole := test.parts == allParts
		if (r.Tried != nil) != whole || (r.Plan != nil) != whole || whole && r.Tried.Revision != r.Revision {
			t.Errorf("%s, parts %b: fixes %+v, preemption %+v, revision %d", r.Pod.Name, test.parts, r.Tried, r.Plan, r.Revision)
		}
	}
}

// A part alone says what it says among all.
func TestPartsDoNotChangeEachOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := newRandomCluster(drawn(rt), 5, 12, 2)
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			ask := func(parts report.Parts) *report.Report {
				r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: parts})
				if err != nil {
					rt.Fatal(err)
				}
				return r
			}
			all, plain := ask(allParts), ask(report.Nodes)
			if diff := cmp.Diff(ask(report.Nodes|report.TracePart).Trace, all.Trace); diff != "" {
				rt.Errorf("%s: the trace: %s", pod.Name, diff)
			}
			if diff := cmp.Diff(plain.Groups, all.Groups); diff != "" || plain.Summary != all.Summary || plain.SchedulerMessage != all.SchedulerMessage {
				rt.Errorf("%s: %q and %q, groups %s", pod.Name, plain.Summary, all.Summary, diff)
			}
			if alone := ask(report.PreemptionPart); alone.Plan.Answer != all.Plan.Answer {
				rt.Errorf("%s: preemption %q, among all %q", pod.Name, alone.Plan.Answer, all.Plan.Answer)
			}
		}
	})
}

// brokenBudgets panics where the budgets of one namespace are asked for.
type brokenBudgets struct {
	policylisters.PodDisruptionBudgetLister
}

func (brokenBudgets) PodDisruptionBudgets(string) policylisters.PodDisruptionBudgetNamespaceLister {
	panic("broken")
}

func TestAPartThatFailsLeavesTheRestOfTheAnswer(t *testing.T) {
	urgent := aPod("urgent", "2", priority(100))
	e := startEngine(t, Options{}, aNode("a", "4"), aPod("low", "3", on("a"), ownedBy("ReplicaSet", "low")), urgent)
	e.budgets.Lister = brokenBudgets{e.budgets.Lister}
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(urgent.UID), Parts: allParts})
	if err != nil {
		t.Fatal(err)
	}
	said := func(c string) bool {
		return strings.HasPrefix(c, "fixes could not be simulated: ") && strings.Contains(c, "broken")
	}
	if !slices.ContainsFunc(r.Scheduler.Caveats, said) {
		t.Errorf("the caveats are %q", r.Scheduler.Caveats)
	}
	if r.Verdict != report.Unschedulable || r.Preemption == nil || !r.Preemption.Possible || r.Tried.None == "" || r.Plan.Answer == "" {
		t.Errorf("%s, preemption %+v, fixes %+v, plan %+v", r.Verdict, r.Preemption, r.Tried, r.Plan)
	}
	x := &explanation{report: r}
	x.unplanned(errors.New("no answer"))
	if last := r.Scheduler.Caveats[len(r.Scheduler.Caveats)-1]; !strings.HasSuffix(last, "could not be determined: no answer") || r.Plan.Answer != "Unknown: no answer." {
		t.Errorf("the last caveat is %q, the plan %+v", last, r.Plan)
	}
	if again, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(urgent.UID)}); err != nil || again.SchedulerMessage != r.SchedulerMessage {
		t.Errorf("asked again it says %+v, %v", again, err)
	}
}

func TestACancelledQuestionHasNoAnswer(t *testing.T) {
	urgent := aPod("urgent", "2", priority(100))
	e := startEngine(t, Options{}, aNode("a", "4"), urgent)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := e.Ask(ctx, report.Query{Target: report.PodOf(urgent.UID), Parts: allParts}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := e.Ask(t.Context(), report.Query{Target: report.PodOf("nobody"), Parts: allParts}); !errors.Is(err, ErrNoPod) {
		t.Errorf("got %v", err)
	}
}
