package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	remembered = 15 * time.Second // how long an answer about schedulers is used again
	leaseTime  = 30 * time.Second // past that a Lease that was not renewed is held by nobody
	lately     = 5 * time.Minute  // what was bound within it shows that its scheduler lives
)

// schedulers remembers what was found out about them, so that explaining many
// pods asks only once.
type schedulers struct {
	mu       sync.Mutex
	alive    map[string]aliveness
	attempts map[attempt]metav1.Time
	read     time.Time // when attempts was
}

// attempt is a pod and who tried it.
type attempt struct {
	pod types.UID
	by  string
}

type aliveness struct {
	alive, known bool
	why          string
	at           time.Time
}

// SchedulerAlive says whether a scheduler of that name works: it renews the
// Lease of that name, or pods that name it were bound lately. For the default
// scheduler the Lease is kube-scheduler's, and nothing found proves nothing.
func (a *Asker) SchedulerAlive(ctx context.Context, name string) (alive, known bool, why string) {
	a.schedulers.mu.Lock()
	defer a.schedulers.mu.Unlock()
	found, ok := a.schedulers.alive[name]
	if !ok || time.Since(found.at) > remembered {
		found = a.lookForScheduler(ctx, name)
		if ctx.Err() == nil {
			if a.schedulers.alive == nil {
				a.schedulers.alive = map[string]aliveness{}
			}
			a.schedulers.alive[name] = found
		}
	}
	return found.alive, found.known, found.why
}

func (a *Asker) lookForScheduler(ctx context.Context, name string) aliveness {
	now := time.Now()
	lease, leaseErr := a.lease(ctx, name)
	if lease != nil && lease.Spec.RenewTime != nil {
		ago := now.Sub(lease.Spec.RenewTime.Time)
		return aliveness{alive: ago < leaseTime, known: true, at: now, why: fmt.Sprintf(
			"the Lease %s/%s was renewed %s ago", lease.Namespace, lease.Name, duration.HumanDuration(ago))}
	}
	pod, at, boundErr := a.boundLast(ctx, name)
	switch ago := duration.HumanDuration(now.Sub(at)); {
	case now.Sub(at) < lately:
		return aliveness{alive: true, known: true, at: now, why: fmt.Sprintf("it bound pod %s %s ago", pod, ago)}
	case leaseErr != nil || boundErr != nil:
		return aliveness{at: now, why: "not known: " + a.options.Words(cmp.Or(leaseErr, boundErr))}
	case name == corev1.DefaultSchedulerName:
		return aliveness{at: now, why: "not known: it holds no Lease"}
	}
	why := "it holds no Lease and has bound no pod that is still there"
	if !at.IsZero() {
		why = "it holds no Lease and has bound no pod in " + duration.HumanDuration(now.Sub(at))
	}
	return aliveness{known: true, at: now, why: why}
}

// lease is the newest Lease that a scheduler of that name would hold; nil
// without one.
func (a *Asker) lease(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	if name == corev1.DefaultSchedulerName {
		name = "kube-scheduler"
	}
	named := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()}
	list, err := a.options.Client.CoordinationV1().Leases(metav1.NamespaceAll).List(ctx, named)
	if err != nil {
		list, err = a.options.Client.CoordinationV1().Leases(metav1.NamespaceSystem).List(ctx, named)
	}
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	newest := slices.MaxFunc(list.Items, func(a, b coordinationv1.Lease) int { return renewed(a).Compare(renewed(b)) })
	return &newest, nil
}

func renewed(lease coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

// boundLast is the pod that a scheduler of that name bound last, and when; the
// zero time without one. One that was bound lately is enough, and of the default
// scheduler's, which are most pods of a cluster, one page is.
func (a *Asker) boundLast(ctx context.Context, name string) (last string, at time.Time, err error) {
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.schedulerName", name).String(), Limit: page}
	for namespace := metav1.NamespaceAll; ; {
		list, err := a.options.Client.CoreV1().Pods(namespace).List(ctx, options)
		switch {
		case err != nil && namespace == metav1.NamespaceAll && options.Continue == "":
			namespace = a.options.Namespace
			continue
		case err != nil:
			return last, at, err
		}
		for i := range list.Items {
			if since := boundSince(&list.Items[i]); since.After(at) {
				last, at = list.Items[i].Namespace+"/"+list.Items[i].Name, since
			}
		}
		if list.Continue == "" || time.Since(at) < lately || name == corev1.DefaultSchedulerName {
			return last, at, nil
		}
		options.Continue = list.Continue
	}
}

// boundSince is when the pod got its node; the zero time without one.
func boundSince(pod *corev1.Pod) time.Time {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue {
			return condition.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// AttemptSeen is the newest time at which an event proves that the pod's own
// scheduler tried it and failed; nil without proof. Others, as Karpenter, write
// events of the same reason.
func (a *Asker) AttemptSeen(ctx context.Context, pod *corev1.Pod) *metav1.Time {
	a.schedulers.mu.Lock()
	defer a.schedulers.mu.Unlock()
	if time.Since(a.schedulers.read) > remembered {
		attempts := map[attempt]metav1.Time{}
		err := a.failedAttempts(ctx, metav1.NamespaceAll, attempts)
		if err != nil {
			err = a.failedAttempts(ctx, a.options.Namespace, attempts)
		}
		if err != nil && ctx.Err() != nil {
			return nil
		}
		a.schedulers.attempts, a.schedulers.read = attempts, time.Now()
	}
	if at, ok := a.schedulers.attempts[attempt{pod.UID, pod.Spec.SchedulerName}]; ok {
		return &at
	}
	return nil
}

// failedAttempts notes the newest failed attempt of each pod that events tell of.
func (a *Asker) failedAttempts(ctx context.Context, namespace string, newest map[attempt]metav1.Time) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return a.options.Client.CoreV1().Events(namespace).List(ctx, options)
	})
	pages.PageSize = page
	failed := fields.Set{"reason": "FailedScheduling", "involvedObject.kind": "Pod"}
	return pages.EachListItem(ctx, metav1.ListOptions{FieldSelector: failed.String()}, func(o runtime.Object) error {
		e, ok := o.(*corev1.Event)
		if !ok {
			return fmt.Errorf("list events: %T among them", o)
		}
		event := model.NewEvent(e)
		of := attempt{e.InvolvedObject.UID, event.Source}
		if newest[of].Time.Before(event.Last) {
			newest[of] = metav1.Time{Time: event.Last}
		}
		return nil
	})
}
