package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// newTestCachedReader asks a cluster that holds objects, but may not list what is
// forbidden ("pods", or "pods in all namespaces"). The fake takes no notice of field selectors.
func newTestCachedReader(t *testing.T, forbidden string, objects ...runtime.Object) *CachedReader {
	t.Helper()
	client := fake.NewClientset(objects...)
	client.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		resource := a.GetResource()
		where, everywhere := strings.CutSuffix(forbidden, " in all namespaces")
		if resource.Resource == where && (!everywhere || a.GetNamespace() == "") {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: forbidden}, "", errors.New("no"))
		}
		return false, nil, nil
	})
	return NewCachedReader(CachedReaderOptions{Client: client, Namespace: "dev", Words: func(err error) string { return string(apierrors.ReasonForError(err)) }})
}

func TestTheLeaseOfANodeSaysWhenItWasRenewed(t *testing.T) {
	renewed := metav1.NewMicroTime(time.Now().Add(-4 * time.Minute).Truncate(time.Microsecond))
	a := newTestCachedReader(t, "", &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: "std-1"},
		Spec:       coordinationv1.LeaseSpec{RenewTime: &renewed},
	}, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "std-2"},
		Spec:       coordinationv1.LeaseSpec{RenewTime: &renewed},
	})
	if at, err := a.NodeLease(t.Context(), "std-1"); err != nil || !at.Equal(renewed.Time) {
		t.Errorf("%v, %v", at, err)
	}
	if at, err := a.NodeLease(t.Context(), "std-2"); err != nil || !at.IsZero() {
		t.Errorf("a node without one: %v, %v", at, err)
	}
	a.options.Client.(*fake.Clientset).PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "std-1", errors.New("no"))
	})
	if _, err := a.NodeLease(t.Context(), "std-1"); err == nil {
		t.Error("that it may not be read is no error")
	}
}

// It runs on a clock of its own: ages are words.
func TestASchedulerLives(t *testing.T) { synctest.Test(t, aSchedulerLives) }

func aSchedulerLives(t *testing.T) {
	lease := func(name string, ago time.Duration) runtime.Object {
		renewed := metav1.NewMicroTime(time.Now().Add(-ago))
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name},
			Spec:       coordinationv1.LeaseSpec{RenewTime: &renewed},
		}
	}
	held := func(holder string) runtime.Object {
		l := lease("batch", 5*time.Minute).(*coordinationv1.Lease)
		l.Spec.HolderIdentity = &holder
		return l
	}
	scaledDown := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "batch"}, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(0))}}
	bound := func(ago time.Duration) runtime.Object {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web"},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Now().Add(-ago)),
			}}},
		}
	}
	event := func(by corev1.EventSource, reporting string, ago time.Duration) runtime.Object {
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web.1"}, Reason: "FailedScheduling", Source: by, ReportingController: reporting,
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "dev", Name: "web"}, LastTimestamp: metav1.NewTime(time.Now().Add(-ago)),
		}
	}
	by := func(component string, ago time.Duration) runtime.Object {
		return event(corev1.EventSource{Component: component}, "", ago)
	}
	reporting := func(controller string, ago time.Duration) runtime.Object {
		return event(corev1.EventSource{}, controller, ago)
	}
	const gke = "gke.io/optimize-utilization-scheduler"
	for _, test := range []struct {
		says         string
		name         string
		asker        *CachedReader
		alive, known bool
		why          string
	}{
		{"when it renews its Lease", "default-scheduler", newTestCachedReader(t, "", lease("kube-scheduler", time.Second)), true, true, "Lease last renewed "},
		{"not when its Lease is old", "default-scheduler", newTestCachedReader(t, "", lease("kube-scheduler", 5*time.Minute)), false, true, "renewed 5m ago"},
		{"not when its ReplicaSet is scaled to 0", "batch", newTestCachedReader(t, "", held("batch-5dfmq_1"), scaledDown), false, true, "replicaset/batch is scaled to 0; to start it: kubectl -n kube-system scale replicaset/batch --replicas=1; Lease last renewed 5m ago"},
		{"not when its holder is no pod that was read", "batch", newTestCachedReader(t, "replicasets", held("batch-5dfmq_1"), scaledDown), false, true, "Lease last renewed 5m ago"},
		{"not when all that it did was before its Lease got old", "batch", newTestCachedReader(t, "", lease("batch", 3*time.Minute), by("batch", 3*time.Minute), bound(4*time.Minute)), false, true, "renewed 3m ago"},
		{"when it works without the Lease that it once held", "batch", newTestCachedReader(t, "", lease("batch", time.Hour), by("batch", time.Second)), true, true, "last seen 1s ago: FailedScheduling of pod dev/web"},
		{"when a pod was bound lately", "batch", newTestCachedReader(t, "", bound(time.Minute)), true, true, "ago: bound pod dev/web"},
		{"when it wrote an event lately", gke, newTestCachedReader(t, "", by(gke, time.Second)), true, true, "last seen 1s ago: FailedScheduling of pod dev/web"},
		{"when it wrote an event of the newer kind", gke, newTestCachedReader(t, "", reporting(gke, time.Second)), true, true, "last seen 1s ago: FailedScheduling of pod dev/web"},
		{"when the series of its event may not have been counted since", "batch", newTestCachedReader(t, "", by("batch", 30*time.Minute)), true, true, "30m ago"},
		{"when it refused a pod lately", gke, newTestCachedReader(t, "events", refused(corev1.PodReasonUnschedulable, time.Second)), true, true, "last seen 1s ago: tried pod dev/web"},
		{"when it could not try a pod lately", gke, newTestCachedReader(t, "leases", refused(corev1.PodReasonSchedulerError, time.Second)), true, true, "last seen 1s ago: tried pod dev/web"},
		{"when it wrote the condition again", gke, newTestCachedReader(t, "", refused(corev1.PodReasonUnschedulable, time.Hour, rewritten(time.Minute))), true, true, "last seen 60s ago: tried pod dev/web"},
		{"not when nothing tells of it", "batch", newTestCachedReader(t, ""), false, true, "no Lease, no events, no pods bound by it"},
		{"not when only an autoscaler wrote", "batch", newTestCachedReader(t, "", by("karpenter", time.Second)), false, true, "no Lease, no events"},
		{"not when only the API server noted the pod's gates", "batch", newTestCachedReader(t, "", refused(corev1.PodReasonSchedulingGated, time.Second)), false, true, "no Lease, no events"},
		{"not when it left a pod alone since it last did anything", "batch", newTestCachedReader(t, "", bound(time.Hour), left(12*time.Minute)), false, true, "no Lease, and it has not tried pod dev/left for 12m"},
		{"not when a pod came after its event that it left alone", "default-scheduler", newTestCachedReader(t, "", by("default-scheduler", 20*time.Minute), left(12*time.Minute)), false, true, "no Lease, and it has not tried pod dev/left for 12m"},
		{"not when the default one left a pod alone", "default-scheduler", newTestCachedReader(t, "", bound(time.Hour), left(12*time.Minute)), false, true, "no Lease, and it has not tried pod dev/left for 12m"},
		{"when its event is newer than the pod that it left alone", "default-scheduler", newTestCachedReader(t, "", by("default-scheduler", 10*time.Minute), left(12*time.Minute)), true, true, "10m ago"},
		{"when that pod may wait for its claims", "default-scheduler", newTestCachedReader(t, "", by("default-scheduler", 20*time.Minute), left(12*time.Minute, claiming)), true, true, "20m ago"},
		{"perhaps, when it did nothing for long", "batch", newTestCachedReader(t, "", bound(time.Hour)), false, false, "last seen 60m ago: bound pod dev/web"},
		{"perhaps, when its event is an hour old", gke, newTestCachedReader(t, "", by(gke, time.Hour)), false, false, "last seen 60m ago: FailedScheduling of pod dev/web"},
		{"perhaps, when the pod that it left alone is new", "batch", newTestCachedReader(t, "", bound(time.Hour), left(time.Minute)), false, false, "last seen"},
		{"perhaps, when it did something since that pod came", "batch", newTestCachedReader(t, "", bound(time.Hour), left(2*time.Hour)), false, false, "last seen"},
		{"perhaps, for the default one without a Lease", "default-scheduler", newTestCachedReader(t, ""), false, false, "it has no Lease"},
		{"perhaps, when Leases are forbidden", "batch", newTestCachedReader(t, "leases"), false, false, "not allowed to list leases"},
		{"perhaps, when pods are forbidden", "batch", newTestCachedReader(t, "pods"), false, false, "not allowed to list pods"},
		{"perhaps, when events are forbidden", "batch", newTestCachedReader(t, "events"), false, false, "not allowed to list events"},
		{"perhaps, when only one namespace's pods may be read", "batch", newTestCachedReader(t, "pods in all namespaces"), false, false, "not allowed to list pods"},
		{"perhaps, when only one namespace's events may be read", "batch", newTestCachedReader(t, "events in all namespaces"), false, false, "not allowed to list events"},
		{"perhaps, when only one namespace's Leases may be read", "batch", newTestCachedReader(t, "leases in all namespaces"), false, false, "not allowed to list leases"},
		{"when one namespace that may be read tells of it", "batch", newTestCachedReader(t, "events in all namespaces", by("batch", time.Second)), true, true, ": FailedScheduling of pod"},
	} {
		alive, known, why := test.asker.SchedulerAlive(t.Context(), test.name)
		if alive != test.alive || known != test.known || !strings.Contains(why, test.why) {
			t.Errorf("%s: alive %v, known %v: %q; want %v, %v: %q", test.says, alive, known, why, test.alive, test.known, test.why)
		}
	}
}

// refused is a pod of which a scheduler said no that long ago.
func refused(reason string, ago time.Duration, changes ...func(*corev1.Pod)) runtime.Object {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web"},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, LastTransitionTime: metav1.NewTime(time.Now().Add(-ago)),
		}}},
	}
	if reason == corev1.PodReasonSchedulingGated {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

// rewritten notes as the API server does who wrote a pod's condition, and when.
func rewritten(ago time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		at := metav1.NewTime(time.Now().Add(-ago))
		p.ManagedFields = []metav1.ManagedFieldsEntry{
			{Manager: "kube-controller-manager", Time: new(metav1.Now()), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{}}`)},
			{
				Manager: "kube-scheduler", Subresource: "status", Time: &at, FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{"k:{\"type\":\"PodScheduled\"}":{".":{},"f:message":{}}}}}`),
			},
		}
	}
}

// left is a pod without a node that no scheduler has looked at since it came.
func left(ago time.Duration, changes ...func(*corev1.Pod)) runtime.Object {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "left", CreationTimestamp: metav1.NewTime(time.Now().Add(-ago))},
		Status:     corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

// claiming has the pod name a ResourceClaim, which may have to be created first.
func claiming(p *corev1.Pod) { p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}} }

func TestOnlyThePodsOwnSchedulerProvesAnAttempt(t *testing.T) {
	at := time.Now().Add(-time.Minute).Truncate(time.Second)
	event := func(name, by string, last time.Time) runtime.Object {
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name}, Reason: "FailedScheduling",
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", UID: "one"}, ReportingController: by, EventTime: metav1.NewMicroTime(last),
		}
	}
	asker := newTestCachedReader(t, "", event("a", "default-scheduler", at), event("b", "karpenter", at.Add(time.Minute)),
		event("c", "default-scheduler", at.Add(-time.Hour)))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "one"}, Spec: corev1.PodSpec{SchedulerName: "default-scheduler"}}
	if seen := asker.AttemptSeen(t.Context(), pod); seen == nil || !seen.Time.Equal(at) {
		t.Errorf("an attempt was seen at %v, want %v", seen, at)
	}
	pod.UID = "other"
	if seen := asker.AttemptSeen(t.Context(), pod); seen != nil {
		t.Errorf("an attempt was seen at %v, want none", seen)
	}
}

func TestAnAutoscalersWordsAreNoAttempt(t *testing.T) {
	at := time.Now().Add(-time.Minute).Truncate(time.Second)
	event := func(name, by, reason string, last time.Time) runtime.Object {
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name}, Reason: reason, Message: name, Source: corev1.EventSource{Component: by},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", UID: "one"}, FirstTimestamp: metav1.NewTime(last), LastTimestamp: metav1.NewTime(last),
		}
	}
	asker := newTestCachedReader(t, "", event("old", "cluster-autoscaler", "TriggeredScaleUp", at.Add(-time.Hour)),
		event("new", "cluster-autoscaler", "NotTriggerScaleUp", at), event("none", "karpenter", "FailedScheduling", at.Add(time.Minute)),
		event("mine", "default-scheduler", "FailedScheduling", at.Add(-time.Minute)))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "one"}, Spec: corev1.PodSpec{SchedulerName: "default-scheduler"}}
	var said []string
	for _, word := range asker.Autoscalers(t.Context(), pod) {
		said = append(said, word.Component+" "+word.Reason+" "+word.Message)
	}
	if want := []string{"karpenter FailedScheduling none", "cluster-autoscaler NotTriggerScaleUp new"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	if seen := asker.AttemptSeen(t.Context(), pod); seen == nil || !seen.Time.Equal(at.Add(-time.Minute)) {
		t.Errorf("an attempt was seen at %v", seen)
	}
}

func TestEventsThatMayNotBeReadAreSaidToBe(t *testing.T) {
	for _, test := range []struct {
		forbidden, namespace, want string
	}{
		{"", "dev", ""},
		{"events", "dev", "not allowed to list events"},
		{"events in all namespaces", "dev", ""},
		{"events in all namespaces", "prod", "not allowed to list events"},
	} {
		if got := newTestCachedReader(t, test.forbidden).EventsUnread(t.Context(), test.namespace); got != test.want {
			t.Errorf("with %q forbidden, in %s: %q, want %q", test.forbidden, test.namespace, got, test.want)
		}
	}
}

func TestQuotasAreThoseOfTheNamespace(t *testing.T) {
	ours := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "compute"}}
	theirs := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "compute"}}
	asker := newTestCachedReader(t, "", ours, theirs)
	for range 2 { // the second answer is remembered
		got, err := asker.Quotas(t.Context(), "dev")
		if err != nil || len(got) != 1 || got[0].Namespace != "dev" {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	if got := len(asker.options.Client.(interface{ Actions() []clienttesting.Action }).Actions()); got != 1 {
		t.Errorf("asked the server %d times", got)
	}
}

func TestQuotasThatMayNotBeListedAreSaidToBe(t *testing.T) {
	_, err := newTestCachedReader(t, "resourcequotas").Quotas(t.Context(), "dev")
	if err == nil || err.Error() != "not allowed to list resourcequotas" {
		t.Errorf("got %v", err)
	}
}
