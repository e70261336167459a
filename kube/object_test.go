package kube

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

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestEventsOfBothGenerationsAreReadAlike(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	old := &corev1.Event{
		Reason: "Old", Type: "Normal", Message: "m", Source: corev1.EventSource{Component: "kubelet"}, Count: 3,
		FirstTimestamp: metav1.NewTime(at), LastTimestamp: metav1.NewTime(at.Add(time.Minute)),
	}
	series := &corev1.Event{
		Reason: "Series", ReportingController: "default-scheduler", EventTime: metav1.NewMicroTime(at),
		Series: &corev1.EventSeries{Count: 7, LastObservedTime: metav1.NewMicroTime(at.Add(time.Hour))},
	}
	single := &corev1.Event{Reason: "Single", ReportingController: "default-scheduler", EventTime: metav1.NewMicroTime(at)}
	for _, test := range []struct {
		event *corev1.Event
		by    string
		count int32
		last  time.Time
	}{
		{old, "kubelet", 3, at.Add(time.Minute)},
		{series, "default-scheduler", 7, at.Add(time.Hour)},
		{single, "default-scheduler", 1, at},
	} {
		got := model.NewEvent(test.event)
		if got.Source != test.by || got.Count != test.count || !got.First.Equal(at) || !got.Last.Equal(test.last) {
			t.Errorf("%s is read as %+v", test.event.Reason, got)
		}
	}
}

// schedulerClient is a client of a cluster that holds objects, without lists of
// what is forbidden. The fake takes no notice of field selectors.
func schedulerClient(t *testing.T, forbidden string, objects ...runtime.Object) *Client {
	t.Helper()
	client := fake.NewClientset(objects...)
	client.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		resource := a.GetResource()
		if resource.Resource == forbidden {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: forbidden}, "", errors.New("no"))
		}
		return false, nil, nil
	})
	return &Client{brief: client, target: &target{namespace: "dev"}}
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
		client       *Client
		alive, known bool
		why          string
	}{
		{"when it renews its Lease", "default-scheduler", schedulerClient(t, "", lease("kube-scheduler", time.Second)), true, true, "the Lease kube-system/kube-scheduler was renewed "},
		{"not when its Lease is old", "default-scheduler", schedulerClient(t, "", lease("kube-scheduler", 5*time.Minute)), false, true, "renewed 5m ago"},
		{"when a pod was bound lately", "batch", schedulerClient(t, "", bound(time.Minute)), true, true, "it bound pod dev/web"},
		{"not when nothing tells of it", "batch", schedulerClient(t, "", bound(time.Hour)), false, true, "it holds no Lease and has bound no pod in 60m"},
		{"not when it never bound a pod", "batch", schedulerClient(t, ""), false, true, "it holds no Lease and has bound no pod that is still there"},
		{"perhaps, for the default one without a Lease", "default-scheduler", schedulerClient(t, ""), false, false, "it holds no Lease"},
		{"perhaps, when Leases are forbidden", "batch", schedulerClient(t, "leases"), false, false, "not known: Forbidden"},
		{"perhaps, when pods are forbidden", "batch", schedulerClient(t, "pods"), false, false, "not known: Forbidden"},
	} {
		t.Run(test.says, func(t *testing.T) {
			alive, known, why := test.client.SchedulerAlive(t.Context(), test.name)
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
	client := schedulerClient(t, "", event("a", "default-scheduler", at), event("b", "karpenter", at.Add(time.Minute)),
		event("c", "default-scheduler", at.Add(-time.Hour)))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "one"}, Spec: corev1.PodSpec{SchedulerName: "default-scheduler"}}
	if seen := client.AttemptSeen(t.Context(), pod); seen == nil || !seen.Time.Equal(at) {
		t.Errorf("an attempt was seen at %v, want %v", seen, at)
	}
	pod.UID = "other"
	if seen := client.AttemptSeen(t.Context(), pod); seen != nil {
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
	client := schedulerClient(t, "", event("old", "cluster-autoscaler", "TriggeredScaleUp", at.Add(-time.Hour)),
		event("new", "cluster-autoscaler", "NotTriggerScaleUp", at), event("none", "karpenter", "FailedScheduling", at.Add(time.Minute)),
		event("mine", "default-scheduler", "FailedScheduling", at.Add(-time.Minute)))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "one"}, Spec: corev1.PodSpec{SchedulerName: "default-scheduler"}}
	var said []string
	for _, word := range client.Autoscalers(t.Context(), pod) {
		said = append(said, word.Component+" "+word.Reason+" "+word.Message)
	}
	if want := []string{"karpenter FailedScheduling none", "cluster-autoscaler NotTriggerScaleUp new"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	if seen := client.AttemptSeen(t.Context(), pod); seen == nil || !seen.Time.Equal(at.Add(-time.Minute)) {
		t.Errorf("an attempt was seen at %v", seen)
	}
}

func TestAccessAsksForEveryKindAndWhatViewsNeed(t *testing.T) {
	server := newAPIServer(t)
	list, err := server.open(t).Access(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		for _, verb := range []string{"list", "watch"} {
			at := slices.IndexFunc(list, func(a Access) bool { return a.Verb == verb && a.Resource == k.gvr.Resource && a.Group == k.gvr.Group })
			if at < 0 || !list[at].Allowed || list[at].Needed == "" {
				t.Errorf("%s %s: %v", verb, k.gvr.Resource, at)
			}
		}
	}
	for _, resource := range []string{"pods/eviction", "nodes"} {
		if !slices.ContainsFunc(list, func(a Access) bool { return a.Resource == resource && a.Verb != "list" && a.Verb != "watch" }) {
			t.Errorf("nothing is said about changing %s", resource)
		}
	}
}

func TestErrorsOfTheServerKeepItsWords(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for _, test := range []struct {
		err   error
		about error
		says  string
	}{
		{apierrors.NewNotFound(pods, "web"), ErrNotFound, `read pods web: pods "web" not found`},
		{apierrors.NewForbidden(pods, "web", errors.New("no\nreason")), ErrForbidden, `read pods web: pods "web" is forbidden: no reason`},
		{apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "web", nil), nil, `read pods web: Pod "web" is invalid`},
	} {
		got := classify("read pods web", "https://server", test.err)
		if test.about != nil && !errors.Is(got, test.about) || !strings.HasPrefix(got.Error(), test.says) {
			t.Errorf("%v is told as %q, want %q", test.err, got, test.says)
		}
		if !isAPIStatus(got) {
			t.Errorf("%q has lost what the server said", got)
		}
	}
}
