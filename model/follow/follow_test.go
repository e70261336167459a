package follow

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

var start = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)

// world is a cluster that changes.
type world struct {
	t       *testing.T
	builder *model.Builder
	pods    map[string]*corev1.Pod
	pod     Pod
	at      time.Time
	status  model.Status
	rev     int64
	said    []string
}

// newWorld follows shop/cart-1, which is to fit a and b, from the moment when the change is done.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, builder: model.NewBuilder(), pods: map[string]*corev1.Pod{}, at: start}
	w.status.Connection = model.Connection{Live: true, Heard: start}
	for _, name := range []string{"a", "b", "c"} {
		w.builder.Node(nil, modeltest.NewNode(name, "z", "4", "8Gi"))
	}
	w.put("shop/cart-1", "", owned("ReplicaSet", "cart-5d8"))
	w.put("shop/cart-0", "c", owned("ReplicaSet", "cart-5d8"))
	w.put("search/api-1", "", nil)
	w.put("batch/old", "a", nil)
	s := w.snapshot()
	cart, _ := s.PodNamed("shop", "cart-1")
	w.pod = Begin(Fix{Pod: cart, Nodes: []string{"a", "b"}}, s)
	return w
}

// owned makes a pod one of a controller, of a Deployment if that is a ReplicaSet.
func owned(kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		if kind == "ReplicaSet" {
			p.Labels = map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: name[len(name)-3:]}
		}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID(kind + name), Controller: new(true)}}
	}
}

// put creates a pod, or gives it a node.
func (w *world) put(name, node string, change func(*corev1.Pod)) {
	was := w.pods[name]
	is := modeltest.NewPod(name, node, "1", "1Gi", time.Hour, change)
	is.UID = types.UID(name)
	if was != nil {
		is = was.DeepCopy()
		is.Spec.NodeName = node
		if change != nil {
			change(is)
		}
	}
	w.pods[name] = is
	w.builder.Pod(was, is)
}

func (w *world) drop(name string) {
	w.builder.Pod(w.pods[name], nil)
	delete(w.pods, name)
}

func (w *world) snapshot() *model.Snapshot {
	w.rev++
	return w.builder.Build(w.rev, w.status, nil)
}

// sees lets time pass and has the pod see the cluster as it is.
func (w *world) sees(after time.Duration) {
	w.at = w.at.Add(after)
	state := w.pod.State
	w.pod = w.pod.Next(w.snapshot(), w.at)
	w.says(state)
}

func (w *world) says(was State) {
	if news := w.pod.News(); news != "" && was != w.pod.State {
		w.said = append(w.said, news)
	}
}

// judged answers the verdict that is asked for; it has to be.
func (w *world) judged(rejected bool, why string) {
	w.t.Helper()
	if !w.pod.Asks(w.at) {
		w.t.Errorf("no verdict is asked for in %+v", w.pod)
	}
	state := w.pod.State
	w.pod = w.pod.Judge(Verdict{Of: w.pod.Pod.Object.UID, Rejected: rejected, Why: why}, len(w.pod.Takers), w.at)
	w.says(state)
}

func TestWhatBecomesOfThePod(t *testing.T) {
	for _, c := range []struct {
		name    string
		happens func(w *world)
		state   State
		words   string // of the status line
		said    string // all news
		outcome string
	}{
		{"nothing yet", func(w *world) { w.sees(12 * time.Second) }, Waiting, "waiting for the scheduler: cart-1 (12s)", "[]", ""},
		{"it has its node", func(w *world) {
			w.put("shop/cart-1", "a", nil)
			w.sees(3 * time.Second)
		}, Placed, "cart-1 is on a (after 3s)", "[cart-1 is on a (after 3s)]", "cart-1 on a"},
		{"it has another node, at once", func(w *world) {
			w.put("shop/cart-1", "c", nil)
			w.sees(300 * time.Millisecond)
		}, Placed, "cart-1 is on c (at once)", "[cart-1 is on c (at once)]", "cart-1 on c"},
		{"a pod came and the place is taken", func(w *world) {
			w.put("search/api-1", "b", nil)
			w.sees(time.Second)
			w.judged(true, "0 of 3 nodes fit.")
		}, Taken, "search/api-1 took b", "[search/api-1 took b before cart-1]", "search/api-1 took b"},
		{"a pod that was created since took it", func(w *world) {
			w.put("search/new", "a", nil)
			w.sees(time.Second)
			w.judged(true, "")
		}, Taken, "search/new took a", "[search/new took a before cart-1]", "search/new took a"},
		{"a replica took it", func(w *world) {
			w.put("shop/cart-2", "a", owned("ReplicaSet", "cart-5d8"))
			w.sees(time.Second)
			w.judged(true, "")
		}, Taken, "cart-2 of the same Deployment took a", "[cart-2 of the same Deployment took a before cart-1]", "cart-2 of the same Deployment took a"},
		{"several took it, a pod of a DaemonSet among them", func(w *world) {
			w.put("kube-system/agent", "a", owned("DaemonSet", "agent"))
			w.put("search/low", "a", nil)
			w.put("search/vip", "a", func(p *corev1.Pod) { p.Spec.Priority = new(int32(9)) })
			w.sees(time.Second)
			w.judged(true, "")
		}, Taken, "search/vip and 2 more took a", "[search/vip and 2 more took a before cart-1]", "search/vip and 2 more took a"},
		{"a pod came, and ours still fits", func(w *world) {
			w.put("search/api-1", "b", nil)
			w.sees(time.Second)
			w.judged(false, "Fits a.")
			w.sees(time.Second)
			if w.pod.Asks(w.at) {
				w.t.Error("the same question is asked twice")
			}
		}, Waiting, "waiting for the scheduler: cart-1 (2s)", "[]", ""},
		{"ours came right after another one", func(w *world) {
			w.put("search/api-1", "b", nil)
			w.sees(time.Second)
			w.put("shop/cart-1", "b", nil)
			w.sees(time.Second)
			w.pod = w.pod.Judge(Verdict{Of: "shop/cart-1", Rejected: true}, 1, w.at)
		}, Placed, "cart-1 is on b (after 2s)", "[cart-1 is on b (after 2s)]", "cart-1 on b"},
		{"a pod came onto a node that the fix is not about", func(w *world) {
			w.put("search/api-1", "c", nil)
			w.sees(time.Second)
			if w.pod.Asks(w.at) {
				w.t.Error("a verdict is asked for")
			}
		}, Waiting, "waiting for the scheduler: cart-1 (1s)", "[]", ""},
		{"a pod only leaves, or starts", func(w *world) {
			w.drop("batch/old")
			w.sees(time.Second)
			if w.pod.Asks(w.at) {
				w.t.Error("a verdict is asked for")
			}
		}, Waiting, "waiting for the scheduler: cart-1 (1s)", "[]", ""},
		{"nothing for 30 s", func(w *world) {
			w.sees(Patience - time.Second)
			if w.pod.Asks(w.at) {
				w.t.Error("a verdict is asked for too soon")
			}
			w.sees(time.Second)
			w.judged(true, "0 of 3 nodes fit.")
		}, Late, "cart-1 is still pending after 30s", "[cart-1 is still pending after 30s: 0 of 3 nodes fit.]", "cart-1 still pending"},
		{"nothing for 30 s, and no answer why", func(w *world) {
			w.sees(Patience)
			w.judged(false, "")
		}, Late, "cart-1 is still pending after 30s", "[cart-1 is still pending after 30s]", "cart-1 still pending"},
		{"it has its node in the end", func(w *world) {
			w.sees(Patience)
			w.judged(true, "")
			w.put("shop/cart-1", "a", nil)
			w.sees(time.Minute)
		}, Placed, "cart-1 is on a (after 1m)", "[cart-1 is still pending after 30s cart-1 is on a (after 1m)]", "cart-1 on a"},
		{"what comes after six minutes is no news of the fix", func(w *world) {
			w.sees(Patience)
			w.judged(true, "")
			w.sees(Horizon - Patience)
			w.put("shop/cart-1", "a", nil)
			w.sees(time.Second)
		}, Ended, "", "[cart-1 is still pending after 30s]", ""},
		{"who took it stays so when it leaves", func(w *world) {
			w.put("search/api-1", "b", nil)
			w.sees(time.Second)
			w.judged(true, "")
			w.drop("search/api-1")
			w.sees(time.Second)
		}, Taken, "search/api-1 took b", "[search/api-1 took b before cart-1]", "search/api-1 took b"},
		{"who came and left took nothing", func(w *world) {
			w.put("search/api-1", "b", nil)
			w.sees(time.Second)
			w.drop("search/api-1")
			w.sees(time.Second)
			if w.pod.Asks(w.at) {
				w.t.Error("a verdict is asked for")
			}
		}, Waiting, "waiting for the scheduler: cart-1 (2s)", "[]", ""},
		{"deleted and replaced, by a new template", func(w *world) {
			w.drop("shop/cart-1")
			w.put("shop/cart-9", "", owned("ReplicaSet", "cart-7f2"))
			w.sees(time.Second)
		}, Waiting, "waiting for the scheduler: cart-9 in place of cart-1 (1s)", "[]", ""},
		{"deleted and replaced a moment later, and that has a node", func(w *world) {
			w.drop("shop/cart-1")
			w.sees(time.Second)
			w.put("shop/cart-9", "a", owned("ReplicaSet", "cart-5d8"))
			w.sees(time.Second)
		}, Placed, "cart-9 in place of cart-1 is on a (after 2s)", "[cart-9 in place of cart-1 is on a (after 2s)]", "cart-9 on a"},
		{"a pod of another owner replaces none", func(w *world) {
			w.drop("shop/cart-1")
			w.put("shop/cart-9", "a", owned("StatefulSet", "cart"))
			w.sees(time.Second)
			w.sees(RemadeWithin)
		}, Gone, "cart-1 was deleted", "[cart-1 was deleted, and no new pod has replaced it]", "cart-1 gone"},
		{"the connection is lost and comes back", func(w *world) {
			w.status.Connection = model.Connection{Heard: start, Err: "refused"}
			w.sees(time.Minute)
			if got := w.pod.Words(w.at); got != "no connection: not known whether cart-1 has a node" {
				w.t.Errorf("says %q", got)
			}
			if w.pod.Asks(w.at) {
				w.t.Error("a verdict is asked for")
			}
			w.status.Connection = model.Connection{Live: true, Heard: w.at}
			w.sees(time.Second)
			if w.pod.Asks(w.at) {
				w.t.Error("the time without a connection counts")
			}
			w.put("shop/cart-1", "a", nil)
			w.sees(time.Second)
		}, Placed, "cart-1 is on a (after 1m)", "[cart-1 is on a (after 1m)]", "cart-1 on a"},
		{"what is not read says nothing", func(w *world) {
			w.drop("shop/cart-1")
			w.status.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}
			w.sees(time.Minute)
			w.status.Unread, w.status.Reading = nil, map[string]int{"pods": 0}
			w.sees(time.Minute)
		}, Waiting, "waiting for the scheduler: cart-1 (2m)", "[]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.pod = w.pod.Done(start)
			c.happens(w)
			if w.pod.State != c.state || w.pod.Words(w.at) != c.words || fmt.Sprint(w.said) != c.said || w.pod.Outcome() != c.outcome {
				t.Errorf("state %d, words %q, news %q, outcome %q;\nwant %d, %q, %q, %q",
					w.pod.State, w.pod.Words(w.at), w.said, w.pod.Outcome(), c.state, c.words, c.said, c.outcome)
			}
		})
	}
}

func TestNothingIsSaidBeforeTheChangeIsDone(t *testing.T) {
	w := newWorld(t)
	w.put("batch/again", "a", nil) // the replacement of a pod that the fix evicts
	w.sees(time.Minute)
	if w.pod.Words(w.at) != "" || w.pod.Asks(w.at) || len(w.said) > 0 {
		t.Errorf("says %q %q", w.pod.Words(w.at), w.said)
	}
	w.pod = w.pod.Done(w.at)
	w.judged(true, "")
	if got := w.pod.Words(w.at); got != "batch/again took a" {
		t.Errorf("says %q", got)
	}
}

func TestAPodOfAStatefulSetIsReplacedUnderItsName(t *testing.T) {
	w := newWorld(t)
	w.put("db/index-2", "", owned("StatefulSet", "index"))
	s := w.snapshot()
	index, _ := s.PodNamed("db", "index-2")
	w.pod = Begin(Fix{Pod: index, Nodes: []string{"a"}}, s).Done(w.at)
	w.drop("db/index-2")
	w.sees(time.Second)
	w.put("db/index-2", "a", func(p *corev1.Pod) { owned("StatefulSet", "index")(p); p.UID = "again" })
	w.pods["db/index-2"].UID = "again"
	w.sees(time.Second)
	if got := w.pod.Words(w.at); got != "index-2 is on a (after 2s)" {
		t.Errorf("says %q", got)
	}
}

func TestAVerdictOnAnotherPodDoesNotCount(t *testing.T) {
	w := newWorld(t)
	w.pod = w.pod.Done(start)
	w.put("search/api-1", "b", nil)
	w.sees(time.Second)
	if next := w.pod.Judge(Verdict{Of: "another", Rejected: true}, 1, w.at); next.State != Waiting || !next.Asks(w.at) {
		t.Errorf("counts: %+v", next)
	}
}

// BenchmarkNext follows a pod that is to fit any of 5,000 nodes, of which one changes.
func BenchmarkNext(b *testing.B) {
	builder := model.NewBuilder()
	nodes, pods := modeltest.Cluster(5000, 30)
	names := make([]string, 0, len(nodes))
	for _, node := range nodes {
		builder.Node(nil, node)
		names = append(names, node.Name)
	}
	for _, pod := range pods {
		builder.Pod(nil, pod)
	}
	ours := modeltest.NewPod("shop/cart-1", "", "1", "1Gi", time.Hour, nil)
	builder.Pod(nil, ours)
	first := builder.Build(1, model.Status{}, nil)
	cart, _ := first.PodNamed("shop", "cart-1")
	builder.Pod(nil, modeltest.NewPod("search/api-1", names[7], "1", "1Gi", time.Hour, nil))
	second := builder.Build(2, model.Status{}, nil)
	pod := Begin(Fix{Pod: cart, Nodes: names}, first).Done(start)
	b.ReportAllocs()
	for b.Loop() {
		if next := pod.Next(second, start); len(next.Takers) != 1 {
			b.Fatalf("%d takers", len(next.Takers))
		}
	}
}

func TestNamesOfTheClusterAreClean(t *testing.T) {
	w := newWorld(t)
	w.pod = w.pod.Done(start)
	w.pod.Takers = []Taker{{&model.Pod{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "e\x1b[2Jvil"}}}, "no\nde"}}
	w.pod.State, w.pod.Why = Taken, "a\x1bb"
	if got, want := w.pod.News(), model.Clean(w.pod.News()); got != want {
		t.Errorf("says %q", got)
	}
}

func TestEvictionsAndRemovedGatesAreFinal(t *testing.T) {
	for _, c := range []struct {
		action plan.Action
		final  bool
	}{{plan.Evict{}, true}, {plan.Ungate{}, true}, {plan.Cordon{Off: true}, false}, {plan.Taint{}, false}, {plan.Label{}, false}} {
		if got := (Pod{action: c.action}).Final(); got != c.final {
			t.Errorf("%T: %v", c.action, got)
		}
	}
}

// A pod that is followed for its resize has its node: what is awaited is that its kubelet grants it.
func TestAResizeIsFollowedUntilItIsGranted(t *testing.T) {
	deferred := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred}}
	}
	w := newWorld(t)
	w.put("shop/big-0", "a", deferred)
	s := w.snapshot()
	big, _ := s.PodNamed("shop", "big-0")
	w.pod = Begin(Fix{Pod: big, Nodes: []string{"a"}}, s).Done(w.at)
	w.sees(4 * time.Second)
	if got, want := w.pod.Words(w.at), "waiting for the kubelet: big-0 (4s)"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	w.put("shop/big-0", "a", func(p *corev1.Pod) { p.Status.Conditions = nil })
	w.sees(2 * time.Second)
	if w.pod.State != Placed || fmt.Sprint(w.said) != "[big-0's resize is granted (after 6s)]" || w.pod.Outcome() != "resize of big-0 granted" {
		t.Errorf("%v, %v, %q", w.pod.State, w.said, w.pod.Outcome())
	}
}
