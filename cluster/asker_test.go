package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// newTestAsker asks a cluster that holds objects, but may not list what is
// forbidden. The fake takes no notice of field selectors.
func newTestAsker(t *testing.T, forbidden string, objects ...runtime.Object) *Asker {
	t.Helper()
	client := fake.NewClientset(objects...)
	client.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		resource := a.GetResource()
		if resource.Resource == forbidden {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: forbidden}, "", errors.New("no"))
		}
		return false, nil, nil
	})
	return NewAsker(AskerOptions{Client: client, Namespace: "dev", Words: func(err error) string { return string(apierrors.ReasonForError(err)) }})
}

func TestASchedulerLives(t *testing.T) {
	lease := func(name string, ago time.Duration) runtime.Object {
		renewed := metav1.NewMicroTime(time.Now().Add(-ago))
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name},
			Spec:       coordinationv1.LeaseSpec{RenewTime: &renewed},
		}
	}
	bound := func(ago time.Duration) runtime.Object {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "web"},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Now().Add(-ago)),
			}}},
		}
	}
	for _, test := range []struct {
		says         string
		name         string
		asker        *Asker
		alive, known bool
		why          string
	}{
		{"when it renews its Lease", "default-scheduler", newTestAsker(t, "", lease("kube-scheduler", time.Second)), true, true, "the Lease kube-system/kube-scheduler was renewed "},
		{"not when its Lease is old", "default-scheduler", newTestAsker(t, "", lease("kube-scheduler", 5*time.Minute)), false, true, "renewed 5m ago"},
		{"when a pod was bound lately", "batch", newTestAsker(t, "", bound(time.Minute)), true, true, "it bound pod dev/web"},
		{"not when nothing tells of it", "batch", newTestAsker(t, "", bound(time.Hour)), false, true, "it holds no Lease and has bound no pod in 60m"},
		{"not when it never bound a pod", "batch", newTestAsker(t, ""), false, true, "it holds no Lease and has bound no pod that is still there"},
		{"perhaps, for the default one without a Lease", "default-scheduler", newTestAsker(t, ""), false, false, "it holds no Lease"},
		{"perhaps, when Leases are forbidden", "batch", newTestAsker(t, "leases"), false, false, "not known: Forbidden"},
		{"perhaps, when pods are forbidden", "batch", newTestAsker(t, "pods"), false, false, "not known: Forbidden"},
	} {
		t.Run(test.says, func(t *testing.T) {
			alive, known, why := test.asker.SchedulerAlive(t.Context(), test.name)
			if alive != test.alive || known != test.known || !strings.Contains(why, test.why) {
				t.Errorf("alive %v, known %v: %q; want %v, %v: %q", alive, known, why, test.alive, test.known, test.why)
			}
		})
	}
}

func TestOnlyThePodsOwnSchedulerProvesAnAttempt(t *testing.T) {
	at := time.Now().Add(-time.Minute).Truncate(time.Second)
	event := func(name, by string, last time.Time) runtime.Object {
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name}, Reason: "FailedScheduling",
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", UID: "one"}, ReportingController: by, EventTime: metav1.NewMicroTime(last),
		}
	}
	asker := newTestAsker(t, "", event("a", "default-scheduler", at), event("b", "karpenter", at.Add(time.Minute)),
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
	asker := newTestAsker(t, "", event("old", "cluster-autoscaler", "TriggeredScaleUp", at.Add(-time.Hour)),
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

func TestQuotasAreThoseOfTheNamespace(t *testing.T) {
	ours := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "compute"}}
	theirs := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "compute"}}
	asker := newTestAsker(t, "", ours, theirs)
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
	_, err := newTestAsker(t, "resourcequotas").Quotas(t.Context(), "dev")
	if err == nil || err.Error() != "not allowed to list resourcequotas" {
		t.Errorf("got %v", err)
	}
}
