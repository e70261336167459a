package explain

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// dropouts are how many nodes drop out at each plugin on the framework's own way,
// and how many are left; refused says that PreFilter ends it.
func (u *upstream) dropouts(t *testing.T, pod *corev1.Pod) (byPlugin map[string]int, left int, refused bool) {
	t.Helper()
	ctx, state := context.Background(), framework.NewCycleState()
	only, status, _ := u.profile.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil, 0, true
	}
	nodes, err := u.profile.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	byPlugin = map[string]int{}
	for _, node := range nodes {
		if !only.AllNodes() && !only.NodeNames.Has(node.Node().Name) {
			continue
		}
		if status := u.profile.RunFilterPluginsWithNominatedPods(ctx, state, pod, node); status.IsSuccess() {
			left++
		} else {
			byPlugin[status.Plugin()]++
		}
	}
	return byPlugin, left, false
}

func TestTheWayIsTheSchedulersOwn(t *testing.T) {
	steps, ended, placed := 0, 0, 0
	for seed := range seeds(t) {
		c := rankable(seed)
		e, real := startEngine(t, Options{}, c.Objects()...), startUpstream(t, c.Objects()...)
		for _, pod := range c.Pending {
			name := fmt.Sprintf("seed %d, pod %s", seed, pod.Name)
			w := mustWay(t, e, pod).Cycle
			want := real.place(pod)
			tie := w.Firsts()
			if w.Stage(report.StageQueue).Outcome == report.Rejected { // the real one is asked past its queue here
				continue
			}
			if (want == "") != (len(tie) == 0) || (want != "" && !slices.Contains(tie, want)) {
				t.Errorf("%s: the scheduler takes %q, first are %v", name, want, tie)
			}
			if want != "" {
				placed++
			}
			byPlugin, left, refused := real.dropouts(t, pod)
			if refused != (w.Stage(report.StagePreFilter).Outcome == report.Rejected) {
				t.Errorf("%s: PreFilter %s, the framework's ends it: %v", name, w.Stage(report.StagePreFilter).Outcome, refused)
			}
			if refused {
				ended++
				continue
			}
			if pod.Status.NominatedNodeName != "" && len(tie) == 1 && w.Stage(report.StageFilter).From == 1 {
				continue // only the nominated node was asked
			}
			steps += compareSteps(t, name, w.Stage(report.StageFilter), byPlugin, left)
		}
	}
	if steps == 0 || ended == 0 || placed == 0 {
		t.Errorf("%d steps, %d ended by PreFilter, %d placed", steps, ended, placed)
	}
	t.Logf("%d steps of Filter compared, %d ways ended by PreFilter, %d pods placed", steps, ended, placed)
}

// compareSteps holds the nodes that drop out, step by step, to the framework's.
func compareSteps(t *testing.T, name string, filter *report.Stage, byPlugin map[string]int, left int) (compared int) {
	t.Helper()
	alive := filter.From
	for _, step := range filter.Steps {
		compared++
		if step.Rejected == nil {
			t.Errorf("%s: %s is unknown", name, step.Plugin)
			continue
		}
		if step.Outcome != report.Skipped && step.Outcome != report.Unreached && step.Asked != alive {
			t.Errorf("%s: %s is asked about %d, %d are left", name, step.Plugin, step.Asked, alive)
		}
		alive -= *step.Rejected
		if *step.Rejected != byPlugin[step.Plugin] || step.Left != alive || *step.Rejected != len(step.Nodes) {
			t.Errorf("%s: %s refuses %d (%v) and leaves %d, the framework's refuses %d", name, step.Plugin, *step.Rejected, step.Nodes, step.Left, byPlugin[step.Plugin])
		}
		if (*step.Rejected > 0) != (step.What != "" && step.Detail != "" && step.Outcome == report.Rejected) {
			t.Errorf("%s: %s %s %d: %q %q", name, step.Plugin, step.Outcome, *step.Rejected, step.What, step.Detail)
		}
	}
	if alive != left || filter.To != left {
		t.Errorf("%s: %d nodes are left, %d in the stage, the framework leaves %d", name, alive, filter.To, left)
	}
	return compared
}

func TestWhyThereIsAskedWithoutThePodItself(t *testing.T) {
	there, elsewhere, nowhere := 0, 0, 0
	for seed := range seeds(t) {
		c := rankable(seed)
		e, real := startEngine(t, Options{}, c.Objects()...), startUpstream(t, c.Objects()...)
		for _, pod := range c.Bound {
			if scheduler.Terminal(pod) {
				continue
			}
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes | report.TracePart})
			if err != nil {
				t.Fatal(err)
			}
			w := r.Cycle
			want := real.placeAnew(t, pod)
			if tie := w.Firsts(); (want == "") != (len(tie) == 0) || (want != "" && !slices.Contains(tie, want)) {
				t.Errorf("seed %d, pod %s: the scheduler takes %q, first are %v", seed, pod.Name, want, tie)
			}
			if w.Running != pod.Spec.NodeName || w.Where == "" || r.Verdict != report.Scheduled {
				t.Errorf("seed %d, pod %s: on %q, %s, %q", seed, pod.Name, w.Running, r.Verdict, w.Where)
			}
			switch want {
			case "":
				nowhere++
			case pod.Spec.NodeName:
				there++
			default:
				elsewhere++
			}
		}
	}
	t.Logf("%d pods would go there again, %d elsewhere, %d nowhere", there, elsewhere, nowhere)
}
