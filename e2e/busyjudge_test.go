package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// applied is a fix whose command was run, and what came of it.
type applied struct {
	fix           fix
	pod           *corev1.Pod
	bound         *corev1.Pod // the pod, or the one in its place, once it had a node; nil if it got none
	before, after map[string]*corev1.Pod
	owners        map[types.UID][]string // the workloads of the pods before
	history       *history
}

// busyRest is how long nothing has to change after a fix: longer than the scheduler lets a
// pod wait before it tries it again.
const busyRest = 2 * time.Second

// apply runs the command of a fix and waits until the cluster is at rest again. That of a fix with an unless may
// fail: a pod that it evicts may be preempted between its commands.
func (b *busy) apply(t *testing.T, pod *corev1.Pod, f fix) *applied {
	t.Helper()
	a := &applied{fix: f, pod: pod, before: listPods(t, b.client)}
	a.owners = ownersOf(t, b.client, a.before)
	a.history = b.watchPods(t)
	defer a.history.stop()
	switch err := tryShell(t, b.plane, f.Command); {
	case err != nil && f.Verified:
		t.Error(err)
	case err != nil:
		t.Log(err)
	}
	a.bound = awaitBound(t, b.client, pod, random.WorkloadLabel, f, a.before)
	atRestFor(t, b.client, busyRest)
	a.after = listPods(t, b.client)
	return a
}

// judge says what a fix has missed; "" if it held.
func (b *busy) judge(t *testing.T, a *applied) string {
	t.Helper()
	switch {
	case t.Failed():
		return "command failed"
	case a.bound == nil:
		return "not bound"
	case !a.keptItsNode():
		return "lost its node again"
	case !a.placed():
		return "bound in place of a replica"
	}
	counted := &misses{TB: t}
	comparePresence(counted, b.notReplaced(t, a), a.after, a.owners, a.fix)
	if counted.any {
		return "another pod is gone"
	}
	compareSpecs(counted, a.pod, a.bound, a.fix)
	if counted.any {
		return "more is different"
	}
	return ""
}

// misses writes errors down and does not fail: how many fixes may miss is judged at the end.
type misses struct {
	testing.TB
	any bool
}

// Errorf implements testing.TB.
func (m *misses) Errorf(format string, args ...any) {
	m.Helper()
	m.any = true
	m.Logf(format, args...)
}

// notReplaced are the pods before, without those that were not preempted, and of which the
// workload still had a rollout to end, of a fix that was applied earlier: it may go on now.
func (b *busy) notReplaced(t *testing.T, a *applied) map[string]*corev1.Pod {
	t.Helper()
	preempted := map[types.UID]bool{}
	for _, event := range b.events(t, a) {
		preempted[event.InvolvedObject.UID] = event.Reason == "Preempted"
	}
	pods := maps.Clone(a.before)
	maps.DeleteFunc(pods, func(_ string, pod *corev1.Pod) bool {
		return b.changed[pod.Labels[random.WorkloadLabel]] && !preempted[pod.UID]
	})
	return pods
}

// keptItsNode says whether the pod that was bound still is.
func (a *applied) keptItsNode() bool {
	return slices.ContainsFunc(ofWorkload(a.after, a.pod), func(pod *corev1.Pod) bool {
		return pod.UID == a.bound.UID && pod.Spec.NodeName == a.bound.Spec.NodeName
	})
}

// placed says whether the workload has one pod more on nodes than before.
func (a *applied) placed() bool {
	return boundOf(ofWorkload(a.after, a.pod)) > boundOf(ofWorkload(a.before, a.pod))
}

// ofWorkload are the pods of the workload of a pod.
func ofWorkload(pods map[string]*corev1.Pod, of *corev1.Pod) []*corev1.Pod {
	var own []*corev1.Pod
	for _, pod := range pods {
		if pod.Labels[random.WorkloadLabel] == of.Labels[random.WorkloadLabel] {
			own = append(own, pod)
		}
	}
	return own
}

func boundOf(pods []*corev1.Pod) int {
	count := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			count++
		}
	}
	return count
}

// cameTrue says whether a pod did what the unless of the fix says of it: was preempted, got
// no node, or got one where the pod of the fix got none.
func (a *applied) cameTrue(u unless) bool {
	key := u.Namespace + "/" + u.Name
	named := a.before[key]
	switch {
	case named == nil:
		return false
	case strings.HasSuffix(u.How, "preempted"):
		now := a.after[key]
		return now == nil || now.UID != named.UID
	case strings.Contains(u.How, "no node"):
		return boundOf(ofWorkload(a.after, named)) <= boundOf(ofWorkload(a.before, named))
	}
	inItsPlace := a.bound == nil || !a.placed()
	return inItsPlace && boundOf(ofWorkload(a.after, named)) > boundOf(ofWorkload(a.before, named))
}

// account is all that is needed to understand what came of a fix.
func (b *busy) account(t *testing.T, a *applied) string {
	t.Helper()
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	line("pod: %s of a %s", describe(a.pod), inDepth(b.workloads[a.pod.Labels[random.WorkloadLabel]]))
	line("  it said: %s", scheduled(a.pod).Message)
	line("the fix: %s (%s), recreates: %v, places %d, remaining %q", a.fix.Title, a.fix.Kind, a.fix.Recreates, a.fix.PodsPlaced, a.fix.Remaining)
	line("  %s", strings.ReplaceAll(a.fix.Command, "\n", "\n  "))
	for _, one := range a.fix.Affects {
		line("  affects %s %s/%s %s", one.Kind, one.Namespace, one.Name, one.How)
	}
	for _, one := range a.fix.Unless {
		line("  unless %s/%s: %s %s (%d of %d simulations)", one.Namespace, one.Name, one.Who, one.How, one.Simulations, one.Of)
	}
	line("pods of its workload before and after:")
	for _, pods := range []map[string]*corev1.Pod{a.before, a.after} {
		for _, pod := range ofWorkload(pods, a.pod) {
			line("  %s: %s", describe(pod), scheduled(pod).Message)
		}
		line("  --")
	}
	line("what happened:")
	for _, one := range a.history.told() {
		line("  %s", one)
	}
	for _, one := range a.history.named(b.events(t, a)) {
		line("  event: %s", one)
	}
	return text.String()
}

// inDepth is the kind of a workload, and how it replaces its pods.
func inDepth(w random.Workload) string {
	switch o := w.Objects[len(w.Objects)-1].(type) {
	case *appsv1.StatefulSet:
		return fmt.Sprintf("%s (%s, %s)", w.Kind, o.Spec.PodManagementPolicy, o.Spec.UpdateStrategy.Type)
	case *appsv1.Deployment:
		return fmt.Sprintf("%s %s", w.Kind, o.Spec.Strategy.Type)
	}
	return w.Kind
}

// describe is a pod in few words.
func describe(pod *corev1.Pod) string {
	text := fmt.Sprintf("%s (priority %d", pod.Name, *pod.Spec.Priority)
	if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever {
		text += ", never preempts"
	}
	var requests []string
	for _, container := range pod.Spec.Containers {
		requests = append(requests, "cpu "+container.Resources.Requests.Cpu().String()+" memory "+container.Resources.Requests.Memory().String())
	}
	text += ", " + strings.Join(requests, " + ") + ")"
	if pod.Spec.NodeName != "" {
		text += " on " + pod.Spec.NodeName
	}
	return text
}

// events are those of preemptions, and of what could not be made, since a fix was applied.
func (b *busy) events(t *testing.T, a *applied) []corev1.Event {
	t.Helper()
	list, err := b.client.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(event corev1.Event) bool {
		at := event.EventTime.Time
		if at.IsZero() {
			at = event.LastTimestamp.Time
		}
		return at.Before(a.history.began.Add(-time.Second)) || event.Reason != "Preempted" && event.Reason != "FailedCreate"
	})
}

// named are the events in words. They name a pod by its UID: here it has its name too.
func (h *history) named(events []corev1.Event) []string {
	names := []string{}
	for uid, name := range h.names() {
		names = append(names, string(uid), name+" ("+string(uid)+")")
	}
	named := strings.NewReplacer(names...)
	var lines []string
	for _, event := range events {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", event.Reason, event.InvolvedObject.Kind, event.InvolvedObject.Name, named.Replace(event.Message)))
	}
	slices.Sort(lines)
	return lines
}

// history notes what happens to pods.
type history struct {
	began   time.Time
	watcher watch.Interface

	mutex sync.Mutex
	lines []string
	known map[types.UID]*corev1.Pod
	done  chan struct{}
}

// watchPods begins a history.
func (b *busy) watchPods(t *testing.T) *history {
	t.Helper()
	list, err := b.client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := &history{began: time.Now(), known: map[types.UID]*corev1.Pod{}, done: make(chan struct{})}
	for i := range list.Items {
		h.known[list.Items[i].UID] = &list.Items[i]
	}
	h.watcher, err = b.client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(h.done)
		for event := range h.watcher.ResultChan() {
			if pod, ok := event.Object.(*corev1.Pod); ok {
				h.note(event.Type, pod)
			}
		}
	}()
	return h
}

// note notes what is new about a pod.
func (h *history) note(what watch.EventType, pod *corev1.Pod) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	add := func(happened string) {
		h.lines = append(h.lines, fmt.Sprintf("%5.1fs %s %s", time.Since(h.began).Seconds(), describe(pod), happened))
	}
	old := h.known[pod.UID]
	if old == nil {
		add("is created")
		old = &corev1.Pod{}
	}
	if pod.Spec.NodeName != old.Spec.NodeName {
		add("is bound")
	}
	if node := pod.Status.NominatedNodeName; node != "" && node != old.Status.NominatedNodeName {
		add("is nominated to " + node)
	}
	if pod.DeletionTimestamp != nil && old.DeletionTimestamp == nil {
		add("is being deleted")
	}
	if what == watch.Deleted {
		add("is gone")
	}
	h.known[pod.UID] = pod
}

// stop ends the history.
func (h *history) stop() {
	h.watcher.Stop()
	<-h.done
}

// told are the lines.
func (h *history) told() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Clone(h.lines)
}

// names are the names of all pods that there were.
func (h *history) names() map[types.UID]string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	names := map[types.UID]string{}
	for uid, pod := range h.known {
		names[uid] = pod.Name
	}
	return names
}
