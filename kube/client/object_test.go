package client

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

func TestAccessAsksForEveryKindAndWhatViewsNeed(t *testing.T) {
	server := newAPIServer(t)
	list, err := server.open(t).Access(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range watchedResources {
		for _, verb := range []string{"list", "watch"} {
			at := slices.IndexFunc(list, func(a Access) bool { return a.Verb == verb && a.Resource == k.gvr.Resource && a.Group == k.gvr.Group })
			if at < 0 || !list[at].Allowed || list[at].Needed == "" {
				t.Errorf("%s %s: %v", verb, k.gvr.Resource, at)
			}
		}
	}
	for _, want := range []Access{
		{Verb: "list", Group: "karpenter.sh", Resource: "nodepools"},
		{Verb: "get", Group: "karpenter.sh", Resource: "nodeclaims"},
		{Verb: "get", Resource: "configmaps", Name: "cluster-autoscaler-status", Namespace: "kube-system"},
		{Verb: "list", Group: "kueue.x-k8s.io", Resource: "workloads"},
		{Verb: "get", Group: "kueue.x-k8s.io", Resource: "clusterqueues"},
		{Verb: "get", Group: "visibility.kueue.x-k8s.io", Resource: "clusterqueues/pendingworkloads"},
	} {
		if !slices.ContainsFunc(list, func(a Access) bool {
			a.Needed, a.Why, a.Allowed = "", "", false
			return a == want
		}) {
			t.Errorf("nothing is said about %+v", want)
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
