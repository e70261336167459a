package api

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestACollectionIsDeletedAsItIsSelected(t *testing.T) {
	_, client := newTestStore(t)
	for _, name := range []string{"cart", "web"} {
		mustCreate(t, client, aPod(name, nil))
	}
	cart := metav1.ListOptions{LabelSelector: "app=cart"}
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	if err := client.CoreV1().Pods("shop").DeleteCollection(t.Context(), dry, cart); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("shop").Get(t.Context(), "cart", metav1.GetOptions{}); err != nil {
		t.Errorf("a dry run deletes: %v", err)
	}
	if err := client.CoreV1().Pods("shop").DeleteCollection(t.Context(), metav1.DeleteOptions{}, cart); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("shop").Get(t.Context(), "cart", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("cart is there still: %v", err)
	}
	if _, err := client.CoreV1().Pods("shop").Get(t.Context(), "web", metav1.GetOptions{}); err != nil {
		t.Errorf("web is gone: %v", err)
	}
}

func TestAnEventOfEitherGroupIsSeenInBoth(t *testing.T) {
	_, client := newTestStore(t)
	about := corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "web", UID: "one"}
	now := metav1.Now()
	if _, err := client.CoreV1().Events("shop").Create(t.Context(), &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "old"}, InvolvedObject: about, Reason: "Old", Message: "m", Type: "Normal",
		Source: corev1.EventSource{Component: "kubelet"}, FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.EventsV1().Events("shop").Create(t.Context(), &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "new"}, Regarding: about, Reason: "New", Note: "n", Type: "Normal", Action: "Scheduling",
		ReportingController: "default-scheduler", ReportingInstance: "one", EventTime: metav1.NowMicro(),
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	core, err := client.CoreV1().Events("shop").List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=web,reason=New"})
	if err != nil || len(core.Items) != 1 || core.Items[0].Message != "n" || core.Items[0].ReportingController != "default-scheduler" {
		t.Errorf("the core group has %+v, %v", core, err)
	}
	old, err := client.EventsV1().Events("shop").Get(t.Context(), "old", metav1.GetOptions{})
	if err != nil || old.Note != "m" || old.DeprecatedSource.Component != "kubelet" {
		t.Errorf("the group of events has %+v, %v", old, err)
	}
}

func TestOnlyTheNewestEventsAreKept(t *testing.T) {
	s, client := newTestStore(t)
	var events []runtime.Object
	for i := range mostEvents + 1 {
		events = append(events, &corev1.Event{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: fmt.Sprintf("e%d", i), CreationTimestamp: metav1.NewTime(time.Now()),
		}})
	}
	if err := s.Load(events...); err != nil {
		t.Fatal(err)
	}
	list, err := client.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) > mostEvents || len(list.Items) < mostEvents*8/10 {
		t.Fatalf("%d events are kept, %v", len(list.Items), err)
	}
	if _, err := client.CoreV1().Events("shop").Get(t.Context(), fmt.Sprintf("e%d", mostEvents), metav1.GetOptions{}); err != nil {
		t.Errorf("the newest is gone: %v", err)
	}
	if _, err := client.CoreV1().Events("shop").Get(t.Context(), "e0", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the oldest is there: %v", err)
	}
}
