package query

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// rejection is a ReplicaSet that lacks pods since some minutes ago.
func rejection(name string, missing, minutes int) *model.NotCreated {
	now := time.Date(2026, 11, 19, 14, 0, 0, 0, time.UTC)
	return &model.NotCreated{Wanted: 9, Missing: missing, Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-a", UID: model.NotCreatedUID(types.UID(name)), CreationTimestamp: metav1.NewTime(now.Add(-time.Duration(minutes) * time.Minute)),
		Labels: map[string]string{"pod-template-hash": "6c9"},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name + "-6c9", UID: types.UID(name), Controller: new(true),
		}},
	}}}
}

func TestRefusedPodsStandBehindAllThatWait(t *testing.T) {
	b := model.NewBuilder()
	low := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: "low", UID: "low"}, Spec: corev1.PodSpec{Priority: new(int32(-10))}}
	b.Pod(nil, low)
	young, old, twin := rejection("young", 1, 1), rejection("old", 2, 9), rejection("twin", 1, 1)
	b.NotCreated([]*model.NotCreated{young, old, twin})
	first := b.Build(1, model.Status{}, nil)
	check := func(s *model.Snapshot, want ...string) {
		t.Helper()
		var names []string
		for _, kind := range s.Pending {
			names = append(names, kind.FullName())
		}
		if len(names) != len(want) {
			t.Fatalf("got %q, want %q", names, want)
		}
		for i := range want {
			if names[i] != want[i] {
				t.Fatalf("got %q, want %q", names, want)
			}
		}
	}
	check(first, "batch/low", "team-a/old", "team-a/twin", "team-a/young")
	if first.Waiting() != 1 || first.Pending[1].Count() != 2 || first.Pending[1].First().Exists() || !first.Pending[0].First().Exists() {
		t.Errorf("%d wait, %d are missing", first.Waiting(), first.Pending[1].Count())
	}

	b.NotCreated([]*model.NotCreated{twin, old, young})
	if second := b.Build(2, model.Status{}, nil); &second.Pending[0] != &first.Pending[0] {
		t.Error("a snapshot in which nothing changed shares nothing")
	}
	b.NotCreated([]*model.NotCreated{young, rejection("old", 5, 9)})
	third := b.Build(3, model.Status{}, nil)
	check(third, "batch/low", "team-a/old", "team-a/young")
	if third.Pending[1].Count() != 5 || third.Pending[2] != first.Pending[3] || first.Pending[1].Count() != 2 {
		t.Error("a change of one controller did not change it alone")
	}
	b.NotCreated(nil)
	check(b.Build(4, model.Status{}, nil), "batch/low")
}

func TestAKindThatDoesNotExistGoesByItsWorkload(t *testing.T) {
	b := model.NewBuilder()
	b.NotCreated([]*model.NotCreated{rejection("api", 2, 9)})
	row := PendingRow{Kind: b.Build(1, model.Status{}, nil).Pending[0], State: "not created"}
	fields := PendingFields(time.Now())
	for name, want := range map[string]string{"name": "team-a/api", "prio": "?", "pods": "2", "kind": "Deployment", "state": "not created", "label": " pod-template-hash pod-template-hash=6c9"} {
		field, _ := fields.Field(name)
		if got := field.Text(row); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if names := string(fields.Names(nil, row)); names != "team-a/api" {
		t.Errorf("fuzzy words look in %q", names)
	}
}
