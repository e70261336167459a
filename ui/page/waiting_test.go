package page

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// pendingFor is a state with so many pods of a namespace, pending for an hour.
func pendingFor(namespace string, pods int, at time.Time) *Observed {
	kind := &model.EquivalenceClass{}
	for range pods {
		kind.Pods = append(kind.Pods, &model.Pod{Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, CreationTimestamp: metav1.NewTime(time.Unix(0, 0)),
		}}})
	}
	return &Observed{Snapshot: &model.Snapshot{Pending: []*model.EquivalenceClass{kind}}, At: at}
}

func TestTheEndOfGaugesHasTheCountTheAgeAndTheTrend(t *testing.T) {
	at := time.Unix(3600, 0)
	var w Waiting
	said := func(o *Observed, namespace string) (all []string) {
		w.Take(o, namespace)
		for _, ending := range w.Endings(o) {
			text := ""
			for _, word := range ending.Words {
				text += word.Text + "|"
			}
			all = append(all, text)
		}
		return all
	}
	for _, step := range []struct {
		does      string
		o         *Observed
		namespace string
		want      []string
	}{
		{"at the start there is no trend", pendingFor("shop", 2, at), "", []string{"2 pending, oldest 1h|", "2 pending|"}},
		{"later there is", pendingFor("shop", 4, at.Add(2*time.Minute)), "", []string{
			"4 pending, oldest 1h|+2 in 2m ▁▁▁▁▁▁▁▃|", "4 pending, oldest 1h|+2 in 2m ▁▁▁▃|", "4 pending, oldest 1h|+2 in 2m|",
			"4 pending, oldest 1h|", "4 pending|",
		}},
		{"another namespace has no trend yet", pendingFor("shop", 4, at.Add(3*time.Minute)), "web", []string{"0 pending|", "0 pending|"}},
	} {
		if got := said(step.o, step.namespace); !slices.Equal(got, step.want) {
			t.Errorf("%s: %q, want %q", step.does, got, step.want)
		}
	}
}

func TestAFileHasNoTrend(t *testing.T) {
	var w Waiting
	for i := range 3 {
		o := pendingFor("shop", 2, time.Unix(3600, 0).Add(time.Duration(i)*time.Minute))
		o.Snapshot.Status.Taken = time.Unix(3600, 0)
		w.Take(o, "")
		if got := w.Trends(o); got != nil {
			t.Errorf("it has %q", got)
		}
	}
}
