package explain

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// BenchmarkForecast drains a node of ten pods while 200 of 25 kinds wait, and
// uncordons one. The longest wait is that of another question to the engine.
func BenchmarkForecast(b *testing.B) {
	for _, size := range benchSizes {
		e, pods := benchEngine(b, size)
		var changes []scheduler.Change
		drain, uncordon := plan.Hypothesis{}, plan.Hypothesis{}
		for i := range 10 {
			owned := pods[i].DeepCopy()
			owned.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", UID: types.UID(fmt.Sprint("web", i)), Controller: new(true)}}
			changes = append(changes, scheduler.Change{Old: pods[i], New: owned})
			drain.Gone = append(drain.Gone, owned.UID)
		}
		for n := range 200 {
			pod := aPod(fmt.Sprintf("pending-%d", n), "8", benchKinds[n%3].option)
			pod.Labels["kind"] = fmt.Sprint(n % 25)
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
			changes = append(changes, scheduler.Change{New: pod})
		}
		if err := e.Apply(4, changes); err != nil {
			b.Fatal(err)
		}
		drain.Nodes = []*corev1.Node{asCordoned(e.scheduler.State.Nodes["node-00000"])}
		open := e.scheduler.State.Nodes["node-00011"].DeepCopy()
		open.Spec.Unschedulable, open.Spec.Taints = false, nil
		uncordon.Nodes = []*corev1.Node{open}
		for name, supposed := range map[string]plan.Hypothesis{"drain": drain, "uncordon": uncordon} {
			b.Run(fmt.Sprintf("nodes=%d/%s", size, name), func(b *testing.B) {
				longest := watchLock(b, e)
				for b.Loop() {
					told, err := e.Forecast(b.Context(), supposed)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(told.Orders), "orders")
				}
				b.ReportMetric(float64(longest().Microseconds())/1000, "ms-longest-wait")
			})
		}
	}
}

// watchLock takes the engine's lock again and again; what it returns ends that
// and says how long it has waited at most.
func watchLock(b *testing.B, e *Engine) (longest func() time.Duration) {
	b.Helper()
	stop, done := make(chan struct{}), make(chan time.Duration)
	go func() {
		most := time.Duration(0)
		for {
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(time.Millisecond):
			}
			began := time.Now()
			release, err := e.scheduler.Acquire(b.Context())
			if err != nil {
				continue
			}
			release()
			most = max(most, time.Since(began))
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-done
	}
}
