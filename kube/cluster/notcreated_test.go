package cluster

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Of events of one second the message is of the one that was made last, in whatever order they come.
func TestTheMessageIsOfTheNewestRejection(t *testing.T) {
	now := time.Now()
	rejected := func(name, pod string, ago time.Duration) *corev1.Event {
		return &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Reason: "FailedCreate", Message: "pods " + pod + " is forbidden", LastTimestamp: metav1.NewTime(now.Add(-ago)),
			InvolvedObject: corev1.ObjectReference{Kind: "ReplicaSet", Namespace: "shop", Name: "web", UID: "web"},
		}
	}
	older, first, second := rejected("web.18", "web-c", time.Minute), rejected("web.16", "web-a", 0), rejected("web.17", "web-b", 0)
	for _, order := range [][]*corev1.Event{{older, first, second}, {second, first, older}, {first, older, second}} {
		r := &RejectedPods{wake: make(chan struct{}, 1), suspects: map[types.UID]*suspect{}, unread: map[string]model.Unread{}}
		for _, event := range order {
			r.seeEvent(event)
		}
		if got := r.suspects["web"].message; got != second.Message {
			t.Errorf("%s first: %q, want %q", order[0].Name, got, second.Message)
		}
	}
}
