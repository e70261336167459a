package explain

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// deletedAgo lets a pod end; a finalizer keeps it.
func deletedAgo(ago time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Finalizers = []string{"example.com/hold"}
		p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(-ago)))
	}
}

func TestANominatedPodThatIsDeletedCountsAsTheSchedulerCountsIt(t *testing.T) {
	gate := func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} }
	pods := func(n string) func(*corev1.Node) {
		return func(node *corev1.Node) { node.Status.Allocatable[corev1.ResourcePods] = *resourceQuantity(n) }
	}
	const cpu = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
	const many = "0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
	for _, test := range []struct {
		name    string
		nominee *corev1.Pod
		pod     *corev1.Pod
		node    *corev1.Node
		popped  bool // the scheduler has come upon the nominated pod
		want    string
	}{
		{"not deleted", aPod("first", "3", priority(100), nominatedTo("a")), aPod("second", "3"), aNode("a", "4"), false, cpu},
		{"deleted", aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Hour)), aPod("second", "3"), aNode("a", "4"), true, ""},
		{"deleted, one pod more", aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Hour)), aPod("second", "3"), aNode("a", "4", pods("1")), true, many},
		{"deleted, of priority 0 to one above", aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Hour)), aPod("second", "3", priority(1)), aNode("a", "4", pods("1")), true, ""},
		{"deleted and gated", aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Hour), gate), aPod("second", "3"), aNode("a", "4"), false, cpu},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects := []runtime.Object{test.node, test.nominee, test.pod}
			real := startUpstream(t, objects...)
			if test.popped {
				real.ScheduleOne(context.Background())
			}
			same(t, real.attempt(test.pod), test.want)
			same(t, mustExplain(t, startEngine(t, Options{}, objects...), test.pod).SchedulerMessage, test.want)
		})
	}
}

func TestAPodThatTheSchedulerMayStillKeepRoomForIsTold(t *testing.T) {
	const note = "default/first is nominated to a and is being deleted: kube-scheduler may reserve capacity for it there for some more minutes"
	for _, test := range []struct {
		name    string
		nominee *corev1.Pod
		want    bool
	}{
		{"just deleted", aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Minute)), true},
		{"deleted long ago", aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Hour)), false},
		{"not deleted", aPod("first", "3", priority(100), nominatedTo("a")), false},
		{"of lower priority", aPod("first", "3", nominatedTo("a"), deletedAgo(time.Minute)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := aPod("second", "3", priority(100))
			r := mustExplain(t, startEngine(t, Options{}, aNode("a", "4"), test.nominee, pod), pod)
			if got := slices.Contains(r.Scheduler.Caveats, note); got != test.want {
				t.Errorf("caveats %q", r.Scheduler.Caveats)
			}
		})
	}
}

func TestTheSchedulerKeepsRoomUntilItComesUponADeletedPod(t *testing.T) {
	pod := aPod("second", "3")
	real := startUpstream(t, aNode("a", "4"), aPod("first", "3", priority(100), nominatedTo("a"), deletedAgo(time.Minute)), pod)
	if real.attempt(pod) == "" {
		t.Error("the deleted pod counts for nothing while it is in the queue: nothing has to be told of it")
	}
	real.ScheduleOne(context.Background())
	same(t, real.attempt(pod), "")
}

func TestTheMessageIsTheSchedulersWhileNominatedPodsAreDeleted(t *testing.T) {
	messages, changed := 0, 0
	for seed := range seeds(t) {
		d := dice(rand.New(rand.NewPCG(seed, 11)).IntN)
		c := newRandomCluster(d, 1+d(6), d(30), 10)
		var deleted, kept []runtime.Object
		for i := range 3 {
			p := c.RandomPod(d, "deleted-"+string(rune('a'+i)))
			priority(2000)(p)                                        // first in the queue
			p.Spec.SchedulingGates, p.Spec.ResourceClaims = nil, nil // which would keep it out of the queue
			nominatedTo(c.Nodes[d(len(c.Nodes))].Name)(p)
			kept = append(kept, p)
			p = p.DeepCopy()
			deletedAgo(time.Hour)(p)
			deleted = append(deleted, p)
		}
		before := startEngine(t, Options{}, append(c.Objects(), kept...)...)
		e := startEngine(t, Options{}, append(c.Objects(), deleted...)...)
		real := startUpstream(t, append(c.Objects(), deleted...)...)
		for range deleted {
			real.ScheduleOne(context.Background())
		}
		for _, pod := range c.Pending {
			r := mustExplain(t, e, pod)
			if r.Verdict == report.Gated || r.Verdict == report.Preempting && r.Fits > 0 {
				continue
			}
			want := real.attempt(pod)
			if upToPreemption(r.SchedulerMessage) != upToPreemption(want) {
				t.Errorf("seed %d, pod %s (%s):\n got %q\nwant %q", seed, pod.Name, r.Verdict, r.SchedulerMessage, want)
			}
			messages++
			if mustExplain(t, before, pod).SchedulerMessage != r.SchedulerMessage {
				changed++
			}
		}
	}
	t.Logf("%d messages, %d of them others than before the pods were deleted", messages, changed)
	if changed == 0 && !testing.Short() {
		t.Error("no message depends on whether a nominated pod is being deleted")
	}
}
