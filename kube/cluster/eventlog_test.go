package cluster

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// failure is an event of a failed attempt.
func failure(n int) *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: fmt.Sprint("e", n), UID: types.UID(fmt.Sprint("event-", n))},
		Reason:     "FailedScheduling", InvolvedObject: corev1.ObjectReference{Kind: "Pod", UID: types.UID(fmt.Sprint("pod-", n))},
		LastTimestamp: metav1.NewTime(time.Unix(int64(n), 0)),
	}
}

// requests are those that a fake server got: "list events", each time.
func requests(a *CachedReader) (said []string) {
	client, ok := a.options.Client.(*fake.Clientset)
	if !ok {
		return nil
	}
	for _, action := range client.Actions() {
		said = append(said, action.GetVerb()+" "+action.GetResource().Resource)
	}
	return said
}

// newWatcher asks a cluster whose events are watched through what it gives back.
func newWatcher(t *testing.T, refuse error, objects ...runtime.Object) (*CachedReader, *watch.FakeWatcher) {
	t.Helper()
	a := newTestCachedReader(t, "", objects...)
	client, ok := a.options.Client.(*fake.Clientset)
	if !ok {
		t.Fatalf("the client is a %T", a.options.Client)
	}
	w := watch.NewFake()
	client.PrependWatchReactor("events", func(clienttesting.Action) (bool, watch.Interface, error) { return true, w, refuse })
	a.options.Watcher = func() kubernetes.Interface { return client }
	t.Cleanup(a.CloseEvents)
	return a, w
}

// old makes the newest list of a selector too old to be used again.
func old(a *CachedReader, namespace, selector string) {
	l := a.logOf(eventsOf{namespace, selector})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read = l.read.Add(-remembered - time.Second)
}

// names are the events that are known now.
func names(t *testing.T, a *CachedReader) (names []string) {
	t.Helper()
	events, err := a.eventsNow(t.Context(), "", "reason=x")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return names
}

func TestEventsAreListedOnceAndThenWatched(t *testing.T) {
	a, w := newWatcher(t, nil, failure(1), failure(2))
	for range 3 { // one command asks for no watch
		if got := names(t, a); !slices.Equal(got, []string{"e1", "e2"}) {
			t.Fatalf("events %v", got)
		}
	}
	if got := requests(a); !slices.Equal(got, []string{"list events"}) {
		t.Fatalf("requests %v", got)
	}
	old(a, "", "reason=x")
	names(t, a)
	want := []string{"list events", "list events", "watch events"}
	if got := requests(a); !slices.Equal(got, want) {
		t.Fatalf("requests %v, want %v", got, want)
	}
	w.Add(failure(3))
	w.Delete(failure(1))
	changed := failure(2)
	changed.Name = "e2 again"
	w.Modify(changed)
	await(t, "what was watched", func() bool { return slices.Equal(names(t, a), []string{"e2 again", "e3"}) })
	for range 100 { // an hour and more of questions
		old(a, "", "reason=x")
		names(t, a)
	}
	if got := requests(a); !slices.Equal(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

func TestAWatchOfEventsThatEndsIsMadeAgain(t *testing.T) {
	a, w := newWatcher(t, nil, failure(1))
	names(t, a)
	old(a, "", "reason=x")
	names(t, a)
	w.Error(&metav1.Status{Reason: metav1.StatusReasonExpired})
	l := a.logOf(eventsOf{"", "reason=x"})
	await(t, "the end of the watch", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.watched
	})
	old(a, "", "reason=x")
	names(t, a)
	if got, want := requests(a), []string{"list events", "list events", "watch events", "list events", "watch events"}; !slices.Equal(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

func TestEventsThatMayNotBeWatchedAreListed(t *testing.T) {
	a, _ := newWatcher(t, apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", errors.New("no")), failure(1))
	for range 4 {
		if got := names(t, a); !slices.Equal(got, []string{"e1"}) {
			t.Fatalf("events %v", got)
		}
		old(a, "", "reason=x")
	}
	if got, want := requests(a), []string{"list events", "list events", "watch events", "list events", "list events"}; !slices.Equal(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

func TestSignsOfASchedulerNeedNoListOfPods(t *testing.T) {
	bound := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web"}, Spec: corev1.PodSpec{SchedulerName: "batch", NodeName: "a"},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Minute)),
		}}},
	}
	a := newTestCachedReader(t, "", bound)
	a.Use(Held{Pods: func() []*corev1.Pod { return []*corev1.Pod{bound} }})
	if alive, _, why := a.SchedulerAlive(t.Context(), "batch"); !alive || why == "" {
		t.Errorf("alive %v: %s", alive, why)
	}
	if got, want := requests(a), []string{"list leases"}; !slices.Equal(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

// When a pod was refused last only its managed fields tell, which informers drop.
func TestTheNewestRefusedPodsAreReadAgain(t *testing.T) {
	var held []*corev1.Pod
	whole, ok := refused(corev1.PodReasonUnschedulable, time.Hour, rewritten(time.Minute)).(*corev1.Pod)
	if !ok {
		t.Fatal("no pod")
	}
	for i := range 10 {
		p := whole.DeepCopy()
		p.Name, p.ManagedFields, p.Spec.SchedulerName, p.ResourceVersion = fmt.Sprint("p", i), nil, "batch", fmt.Sprint(95+i)
		held = append(held, p)
	}
	whole.Name, whole.Spec.SchedulerName = "p9", "batch" // of version 104, which is after 99
	a := newTestCachedReader(t, "", whole)
	a.Use(Held{Pods: func() []*corev1.Pod { return held }})
	if alive, _, why := a.SchedulerAlive(t.Context(), "batch"); !alive {
		t.Errorf("not alive: %s", why)
	}
	if got, want := requests(a), []string{"list leases", "list pods", "list pods", "list pods"}; !slices.Equal(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

// It runs on a clock of its own: ages are words.
func TestTheNewestSignOfASchedulerIsTold(t *testing.T) {
	synctest.Test(t, theNewestSignOfASchedulerIsTold)
}

func theNewestSignOfASchedulerIsTold(t *testing.T) {
	of := func(made runtime.Object, name string) *corev1.Pod {
		p, ok := made.(*corev1.Pod)
		if !ok {
			t.Fatalf("%T", made)
		}
		p.Name, p.Spec.SchedulerName = name, "batch"
		return p
	}
	bound := func(name string, ago time.Duration) *corev1.Pod {
		p := of(refused("", ago), name)
		p.Spec.NodeName, p.Status.Conditions[0].Status = "a", corev1.ConditionTrue
		return p
	}
	event := func(name string, ago time.Duration) *corev1.Event {
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name}, Reason: "FailedScheduling", Source: corev1.EventSource{Component: "batch"},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "dev", Name: name}, LastTimestamp: metav1.NewTime(time.Now().Add(-ago)),
		}
	}
	whole := of(refused(corev1.PodReasonUnschedulable, time.Hour, rewritten(time.Minute)), "again")
	again := whole.DeepCopy() // as it is held
	again.ManagedFields = nil
	untried := of(left(time.Minute), "left")
	for _, test := range []struct {
		says   string
		held   []*corev1.Pod
		listed []runtime.Object
		want   string
	}{
		{"of pods that are held", []*corev1.Pod{bound("a", 204*time.Second), bound("b", 46*time.Second), bound("c", 4*time.Minute), untried}, nil, "last seen 46s ago: bound pod dev/b"},
		{"where one was refused since", []*corev1.Pod{bound("a", 3*time.Minute), again}, []runtime.Object{whole}, "last seen 60s ago: tried pod dev/again"},
		{"but not where that would say little more", []*corev1.Pod{bound("a", 10*time.Second), again}, []runtime.Object{whole}, "seen 10s ago: bound pod dev/a"},
		{"of events", nil, []runtime.Object{event("a", 30*time.Minute), event("b", 10*time.Second)}, "last seen 10s ago: FailedScheduling of pod dev/b"},
	} {
		a := newTestCachedReader(t, "", test.listed...)
		if test.held != nil {
			a.Use(Held{Pods: func() []*corev1.Pod { return test.held }})
		}
		if alive, _, why := a.SchedulerAlive(t.Context(), "batch"); !alive || why != test.want {
			t.Errorf("%s: alive %v: %q, want %q", test.says, alive, why, test.want)
		}
	}
}

// It runs on a clock of its own: ages are words.
func TestASignOfOnlySomePodsIsNotCalledTheLast(t *testing.T) {
	synctest.Test(t, aSignOfOnlySomePodsIsNotCalledTheLast)
}

func aSignOfOnlySomePodsIsNotCalledTheLast(t *testing.T) {
	pod, ok := refused(corev1.PodReasonUnschedulable, time.Minute).(*corev1.Pod)
	if !ok {
		t.Fatal("no pod")
	}
	a := newTestCachedReader(t, "", pod)
	a.options.Client.(*fake.Clientset).PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.PodList{ListMeta: metav1.ListMeta{Continue: "more"}, Items: []corev1.Pod{*pod}}, nil
	})
	if alive, _, why := a.SchedulerAlive(t.Context(), "batch"); !alive || why != "seen 60s ago: tried pod dev/web" {
		t.Errorf("alive %v: %q", alive, why)
	}
}
