package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	remembered = 15 * time.Second // how long an answer about schedulers is used again
	// LeaseTime is how long after its last renewal a Lease is held.
	LeaseTime = 30 * time.Second
)

// schedulers remembers what was found out about them.
type schedulers struct {
	alive    answers[string, aliveness]
	attempts answers[string, attempts]
}

// attempts are the newest failed ones that events tell of.
type attempts struct {
	newest map[attempt]metav1.Time
	others []*corev1.Event // of autoscalers, which use the same reason
	unread error           // why they are not those of all namespaces; nil: they are
	here   error           // why not even those of the asker's namespace are known
}

// attempt is a pod and who tried it.
type attempt struct {
	pod types.UID
	by  string
}

type aliveness struct {
	alive, known bool
	why          string
}

// SchedulerAlive reports whether a scheduler of that name is running, by its
// signs: the Lease of that name, which it renews; pods that it bound or rejected;
// its events. Known and not alive needs a reason: a Lease that is not renewed, no
// sign at all where everything could be read, or a pod that it has not tried for
// long, and that came after all that it did. For the default scheduler the Lease is kube-scheduler's,
// which managed control planes may hide: nothing found proves nothing.
func (a *CachedReader) SchedulerAlive(ctx context.Context, name string) (alive, known bool, why string) {
	found, _ := a.schedulers.alive.of(ctx, name, func() aliveness { return a.lookForScheduler(ctx, name) })
	return found.alive, found.known, found.why
}

// lookForScheduler asks for signs, what costs least first, until one is enough.
func (a *CachedReader) lookForScheduler(ctx context.Context, name string) aliveness {
	now := time.Now()
	lease, leaseErr := a.lease(ctx, name)
	var renewal time.Time
	if lease != nil {
		renewal = model.RenewedAt(lease)
	}
	if ago := now.Sub(renewal); ago < LeaseTime {
		return aliveness{alive: true, known: true, why: renewedWords(lease, ago)}
	}
	seen := &signs{scheduler: name, now: now, after: renewal}
	podsErr := a.podSigns(ctx, seen)
	if seen.lives() {
		return aliveness{alive: true, known: true, why: seen.words()}
	}
	eventsErr := a.eventSigns(ctx, seen)
	unread := a.firstUnread(leaseErr, podsErr, eventsErr)
	switch {
	case seen.lives():
		return aliveness{alive: true, known: true, why: seen.words()}
	case !renewal.IsZero():
		return aliveness{known: true, why: WithHolder(renewedWords(lease, now.Sub(renewal)), lease, holders(ctx, a.options.Client, lease))}
	case unread != "":
		return aliveness{why: unread}
	case name == corev1.DefaultSchedulerName && !seen.stopped():
		return aliveness{why: "it has no Lease"}
	case seen.newest.IsZero() && name != corev1.DefaultSchedulerName:
		return aliveness{known: true, why: "no Lease, no events, no pods bound by it"}
	case seen.stopped():
		return aliveness{known: true, why: fmt.Sprintf("no Lease, and it has not tried pod %s for %s", seen.leftAlone, duration.HumanDuration(now.Sub(seen.leftSince)))}
	}
	return aliveness{why: "it has no Lease; " + seen.words()}
}

// firstUnread says why not all signs could be read; "" if they could.
func (a *CachedReader) firstUnread(leases, pods, events error) string {
	switch {
	case leases != nil:
		return unread("leases", leases, a.options.Words)
	case pods != nil:
		return unread("pods", pods, a.options.Words)
	case events != nil:
		return unread("events", events, a.options.Words)
	}
	return ""
}

// WithHolder begins what is said of a Lease that is not renewed with why its holder is gone, where that is known.
func WithHolder(why string, lease *coordinationv1.Lease, holders model.LeaseHolders) string {
	if gone := holders.Gone(lease); gone != "" {
		return gone + "; " + why
	}
	return why
}

// holders reads what says why the pod that holds a Lease is gone; nothing where that may not be read. It is
// asked for only where a Lease is not renewed.
func holders(ctx context.Context, client kubernetes.Interface, lease *coordinationv1.Lease) (found model.LeaseHolders) {
	holder, _, ok := strings.Cut(ptr.Deref(lease.Spec.HolderIdentity, ""), "_")
	if !ok {
		return found
	}
	named := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, holder).String()}
	pods, err := client.CoreV1().Pods(lease.Namespace).List(ctx, named)
	if err != nil {
		return found
	}
	found.HasPod = func(_, name string) bool {
		return slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return p.Name == name })
	}
	if sets, err := client.AppsV1().ReplicaSets(lease.Namespace).List(ctx, metav1.ListOptions{}); err == nil {
		for i := range sets.Items {
			found.ReplicaSets = append(found.ReplicaSets, &sets.Items[i])
		}
	}
	if sets, err := client.AppsV1().StatefulSets(lease.Namespace).List(ctx, metav1.ListOptions{}); err == nil {
		for i := range sets.Items {
			found.StatefulSets = append(found.StatefulSets, &sets.Items[i])
		}
	}
	return found
}

func renewedWords(lease *coordinationv1.Lease, ago time.Duration) string {
	return fmt.Sprintf("Lease last renewed %s ago (%s/%s)", duration.HumanDuration(ago), lease.Namespace, lease.Name)
}

// LeaseName is the name of the Lease of a scheduler.
func LeaseName(scheduler string) string {
	if scheduler == corev1.DefaultSchedulerName {
		return "kube-scheduler"
	}
	return scheduler
}

// lease is the newest Lease that a scheduler of that name would hold; nil
// without one. Where only some namespaces may be read, not finding one there is
// the error of the others.
func (a *CachedReader) lease(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	name = LeaseName(name)
	named := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()}
	list, err := a.options.Client.CoordinationV1().Leases(metav1.NamespaceAll).List(ctx, named)
	if err != nil {
		some, someErr := a.options.Client.CoordinationV1().Leases(metav1.NamespaceSystem).List(ctx, named)
		if someErr != nil {
			return nil, err
		}
		list = some
	}
	held := slices.DeleteFunc(list.Items, func(l coordinationv1.Lease) bool { return l.Name != name })
	if len(held) == 0 {
		return nil, err
	}
	newest := slices.MaxFunc(held, func(a, b coordinationv1.Lease) int { return model.RenewedAt(&a).Compare(model.RenewedAt(&b)) })
	return &newest, nil
}

// NodeLease is when the kubelet of a node last renewed its Lease; zero where it has none.
func (a *CachedReader) NodeLease(ctx context.Context, node string) (time.Time, error) {
	lease, err := a.options.Client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, node, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, a.options.Wrap("get the Lease of "+node, err)
	}
	return model.RenewedAt(lease), nil
}

// AttemptSeen is the newest time at which an event proves that the pod's own
// scheduler tried it and failed; nil without proof. Others, as Karpenter, write
// events of the same reason.
func (a *CachedReader) AttemptSeen(ctx context.Context, pod *corev1.Pod) *metav1.Time {
	found, _ := a.readAttempts(ctx)
	if at, ok := found.newest[attempt{pod.UID, pod.Spec.SchedulerName}]; ok {
		return &at
	}
	return nil
}

// EventsUnread says why the events about objects of a namespace could not be
// read; "" if they could.
func (a *CachedReader) EventsUnread(ctx context.Context, namespace string) string {
	found, ok := a.readAttempts(ctx)
	if !ok || found.unread == nil || namespace == a.options.Namespace && found.here == nil {
		return ""
	}
	return unread("events", found.unread, a.options.Words)
}

// readAttempts reads the events of failed attempts, unless it did so lately; ok is false
// where the asker went away.
func (a *CachedReader) readAttempts(ctx context.Context) (found attempts, ok bool) {
	return a.schedulers.attempts.of(ctx, "", func() attempts {
		found := attempts{newest: map[attempt]metav1.Time{}}
		found.unread = a.failedAttempts(ctx, metav1.NamespaceAll, &found)
		if found.unread != nil {
			found.here = a.failedAttempts(ctx, a.options.Namespace, &found)
		}
		return found
	})
}

// failedAttempts notes the newest failed attempt of each pod that events tell of.
func (a *CachedReader) failedAttempts(ctx context.Context, namespace string, found *attempts) error {
	failed := fields.Set{"reason": "FailedScheduling", "involvedObject.kind": "Pod"}
	events, err := a.eventsNow(ctx, namespace, failed.String())
	for _, e := range events {
		event := model.NewEvent(e)
		of := attempt{e.InvolvedObject.UID, event.Source}
		if found.newest[of].Time.Before(event.Last) {
			found.newest[of] = metav1.Time{Time: event.Last}
		}
		if provisioning.IsAutoscaler(event.Source) {
			found.others = append(found.others, e)
		}
	}
	return err
}
