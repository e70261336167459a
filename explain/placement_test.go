package explain

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// mustLand asks where the pod would go, and fails the test on an error.
func mustLand(t *testing.T, e *Engine, pod *corev1.Pod) placement.Placement {
	t.Helper()
	l, err := placement.Of(t.Context(), e.scheduler, pod)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// placeAnew is where the scheduler would put the pod if it were gone from its node.
func (u *upstream) placeAnew(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	snapshot := u.profile.SnapshotSharedLister().(*internalcache.Snapshot)
	change := func(do func(klog.Logger, *corev1.Pod) error) {
		if err := errors.Join(do(klog.Background(), pod), u.Cache.UpdateSnapshot(klog.Background(), snapshot)); err != nil {
			t.Fatal(err)
		}
	}
	change(u.Cache.RemovePod)
	defer change(u.Cache.AddPod)
	return u.place(placement.AsNewPod(pod))
}

func TestLandingIsWhereTheSchedulerPutsAPodThatIsTakenOff(t *testing.T) {
	landed, waiting := 0, 0
	for seed := range seeds(t) {
		c := rankable(seed)
		e, real := startEngine(t, Options{}, c.Objects()...), startUpstream(t, c.Objects()...)
		for _, pod := range c.Bound {
			if scheduler.Terminal(pod) {
				continue
			}
			want := real.placeAnew(t, pod)
			s := e.scheduler.State.Fork()
			if err := s.RemovePod(pod); err != nil {
				t.Fatal(err)
			}
			got := mustLand(t, e, pod)
			s.Revert()
			switch {
			case want == "" && got.Node == "" && got.Why != "" && !got.Open:
				waiting++
			case want != "" && slices.Contains(got.Tie, want) && slices.Contains(got.Tie, got.Node):
				landed++
			default:
				t.Errorf("seed %d, pod %s: the scheduler takes %q, it lands on %+v", seed, pod.Name, want, got)
			}
		}
	}
	if landed == 0 || waiting == 0 {
		t.Errorf("%d landed, %d would wait", landed, waiting)
	}
	t.Logf("%d pods land as the scheduler puts them, %d would be Pending", landed, waiting)
}

func TestLandingTellsWhatKeepsAPodPending(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "3"), aPod("held", "1", on("a")))
	if got := mustLand(t, e, aPod("web", "4")); got.Node != "" || got.Why != "a needs cpu 1 more" {
		t.Errorf("%+v", got)
	}
	if got := mustLand(t, startEngine(t, Options{}), aPod("web", "4")); got.Node != "" || got.Why != "no nodes" {
		t.Errorf("%+v", got)
	}
}

func TestLandingIsOpenWhereWhatDecidesIsNotRead(t *testing.T) {
	for _, resource := range []string{"pods", "services"} {
		e := startEngineForbidding(t, Options{}, []string{resource}, aNode("a", "4"), aNode("b", "4"))
		if got := mustLand(t, e, aPod("web", "1")); !got.Open || got.Node != "" {
			t.Errorf("%s not read: %+v", resource, got)
		}
	}
}

func TestSampleIsHowManyNodesTheSchedulerLooksFor(t *testing.T) {
	e := startEngine(t, Options{})
	for nodes, want := range map[int]int{1: 1, 99: 99, 100: 100, 200: 100, 250: 120, 1000: 420, 5000: 500, 10000: 500} {
		if got := e.scheduler.Profile(&corev1.Pod{}).Sample(nodes); got != want {
			t.Errorf("of %d nodes it looks for %d, want %d", nodes, got, want)
		}
	}
}

func TestLandingIsLikelyOnlyWhereTheSchedulerDoesNotLookAtAllThatFit(t *testing.T) {
	for _, c := range []struct {
		nodes, full int // all of them, and those without room
		likely      bool
	}{{99, 0, false}, {100, 0, false}, {101, 0, true}, {250, 130, false}, {250, 129, true}} {
		var changes []scheduler.Change
		for n := range c.nodes {
			cpu := "4"
			if n < c.full {
				cpu = "1"
			}
			changes = append(changes, scheduler.Change{New: aNode(fmt.Sprintf("node-%03d", n), cpu)})
		}
		rand.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		e := startEngine(t, Options{})
		if err := e.Apply(1, changes); err != nil {
			t.Fatal(err)
		}
		if got := mustLand(t, e, aPod("web", "2")); got.Likely != c.likely || got.Node != fmt.Sprintf("node-%03d", c.full) {
			t.Errorf("%+v: likely %v, on %s", c, got.Likely, got.Node)
		}
	}
}
