package cluster

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// labelled is a pod that runs on a node, with a label.
func labelled(name, value string) *corev1.Pod {
	p := pod(name, "1", "a")
	p.Status.Phase = corev1.PodRunning
	p.Labels = map[string]string{"team": value}
	return p
}

// settledOn opens a cluster whose clock stands, read to its end.
func settledOn(t *testing.T, source *Source) (*Cluster, *clocktesting.FakeClock) {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	c := open(t, source, Options{Clock: clock})
	stepUntil(t, clock, func() bool { return isClosed(c.ready) })
	for range 20 { // what came while it was read
		clock.Step(linger)
		time.Sleep(time.Millisecond)
	}
	drainAll(c)
	return c, clock
}

func TestQuietChangesShareOneSnapshot(t *testing.T) {
	client := newClient(node("a", "4"), labelled("runs", "x"))
	c, clock := settledOn(t, newSource(client))
	before, feed := c.Newest().Revision, c.feed.Load()
	for i := range 5 {
		if _, err := client.CoreV1().Pods("shop").Update(t.Context(), labelled("runs", fmt.Sprint(i)), metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "the changes in the queue", func() bool {
		feed.queue.mu.Lock()
		defer feed.queue.mu.Unlock()
		return len(feed.queue.changes) == 5
	})
	for range 4 { // the pause after a snapshot, and some of the time that quiet changes take
		clock.Step(interval)
		awaitPause(t, clock)
	}
	if got := c.Newest().Revision; got != before {
		t.Errorf("a quiet change made revision %d of %d at once", got, before)
	}
	stepFor(t, clock, c, "the last label", func(s *model.Snapshot) bool { return s.Pods[0].Object.Labels["team"] == "4" })
	if got := c.Newest().Revision; got != before+1 {
		t.Errorf("five quiet changes made %d revisions", got-before)
	}
}

func TestAChangeThatShowsBringsTheQuietOnesAlong(t *testing.T) {
	client := newClient(node("a", "4"), labelled("runs", "x"))
	c, clock := settledOn(t, newSource(client))
	before := c.Newest().Revision
	if _, err := client.CoreV1().Pods("shop").Update(t.Context(), labelled("runs", "y"), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("shop").Create(t.Context(), pod("new", "1", ""), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the new pod", func() bool { // without the time that quiet changes take
		clock.Step(time.Millisecond)
		return len(c.Newest().Pods) == 2
	})
	if got := c.Newest(); got.Revision > before+2 || got.Pods[1].Object.Labels["team"] != "y" {
		t.Errorf("revision %d after %d has the label %q", got.Revision, before, got.Pods[1].Object.Labels["team"])
	}
}

func TestARevisionIsAState(t *testing.T) {
	client := newClient(node("a", "4"))
	source := newSource(client)
	changed := make(chan struct{}, 1)
	source.Changed = changed
	source.Status = func() model.Status {
		return model.Status{Connection: model.Connection{Live: true, Heard: time.Now()}}
	}
	c, clock := settledOn(t, source)
	before := c.Newest().Revision
	for range 5 {
		changed <- struct{}{}
		await(t, "the wake-up to be taken", func() bool {
			clock.Step(interval)
			return len(changed) == 0
		})
	}
	if _, err := client.CoreV1().Pods("shop").Create(t.Context(), pod("new", "1", ""), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stepFor(t, clock, c, "the new pod", func(s *model.Snapshot) bool { return len(s.Pods) == 1 })
	if got := c.Newest().Revision; got != before+1 {
		t.Errorf("five wake-ups and one change made %d revisions", got-before)
	}
}

func TestWhatIsQuiet(t *testing.T) {
	for _, test := range []struct {
		does   string
		change func(*corev1.Pod)
		want   bool
	}{
		{"a label", func(p *corev1.Pod) { p.Labels["team"] = "y" }, true},
		{"the words of a condition", func(p *corev1.Pod) { p.Status.Conditions[0].Message = "still so" }, true},
		{"ready", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].Ready = true }, false},
		{"a restart", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount++ }, false},
		{"the phase", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, false},
		{"the IP", func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.1" }, false},
		{"being deleted", func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }, false},
		{"the spec", func(p *corev1.Pod) { p.Generation++ }, false},
		{"another pod of the name", func(p *corev1.Pod) { p.UID = "other" }, false},
	} {
		was := labelled("runs", "x")
		was.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
		was.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		is := was.DeepCopy()
		test.change(is)
		if got := isQuiet(was, is); got != test.want {
			t.Errorf("%s: quiet %v, want %v", test.does, got, test.want)
		}
		waiting := was.DeepCopy()
		waiting.Spec.NodeName, is.Spec.NodeName = "", ""
		if isQuiet(waiting, is) {
			t.Errorf("%s of a pod without a node is quiet", test.does)
		}
	}
}

func TestWhichNodesAreQuiet(t *testing.T) {
	for _, test := range []struct {
		does   string
		change func(*corev1.Node)
		want   bool
	}{
		{"a heartbeat", func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.Now() }, true},
		{"an image", func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{{Names: []string{"x"}}} }, true},
		{"a label", func(n *corev1.Node) { n.Labels["disk"] = "ssd" }, false},
		{"a taint", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "x", Effect: corev1.TaintEffectNoSchedule}}
		}, false},
		{"a cordon", func(n *corev1.Node) { n.Spec.Unschedulable = true }, false},
		{"being NotReady", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse }, false},
		{"what is allocatable", func(n *corev1.Node) {
			n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("3")
		}, false},
	} {
		was := node("a", "4")
		was.Labels = map[string]string{"zone": "a"}
		was.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		is := was.DeepCopy()
		test.change(is)
		if got := isQuiet(was, is); got != test.want {
			t.Errorf("%s: quiet %v, want %v", test.does, got, test.want)
		}
		if isQuiet(nil, is) || isQuiet(was, nil) {
			t.Error("a node that comes or goes is quiet")
		}
	}
}

func TestCountsOfControllersAreAside(t *testing.T) {
	if !isAside(&appsv1.ReplicaSet{}) || isAside(&corev1.PersistentVolumeClaim{}) || isAside(&corev1.Namespace{}) {
		t.Error("claims and namespaces bear on verdicts, a ReplicaSet's counts do not")
	}
}
