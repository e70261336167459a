package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// leasesIn are the Leases of a file.
func leasesIn(f *File) []*coordinationv1.Lease {
	found := make([]*coordinationv1.Lease, 0, len(f.objects[leases]))
	for _, object := range f.objects[leases] {
		if lease, ok := object.(*coordinationv1.Lease); ok {
			found = append(found, lease)
		}
	}
	return found
}

// renewals are when the Leases of a file were renewed, the newest first.
func renewals(f *File) []time.Time {
	var all []time.Time
	for _, lease := range leasesIn(f) {
		if at := model.RenewedAt(lease); !at.IsZero() {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b time.Time) int { return b.Compare(a) })
	return all
}

// heldBy is the newest Lease that a scheduler of a name would hold; nil without one.
func heldBy(f *File, scheduler string) (held *coordinationv1.Lease) {
	for _, lease := range leasesIn(f) {
		if at := model.RenewedAt(lease); lease.Name == cluster.LeaseName(scheduler) && !at.IsZero() && (held == nil || at.After(model.RenewedAt(held))) {
			held = lease
		}
	}
	return held
}

// takenAt is the time that kubectl's output is of. Kubelets renew their Leases every 10 seconds:
// a file that was written long after the newest of them is a copy, and of the time when something
// in it was written last. Without Leases of nodes it is of the time when it was written.
func takenAt(f *File, written time.Time) time.Time {
	all := renewals(f)
	if !slices.ContainsFunc(leasesIn(f), func(l *coordinationv1.Lease) bool { return l.Namespace == corev1.NamespaceNodeLease }) || len(all) == 0 {
		return written
	}
	last := all[0]
	if len(all) > 1 && last.Sub(all[1]) > cluster.LeaseTime {
		last = all[1] // one node's clock is ahead
	}
	for _, object := range f.objects["pods"] {
		if pod, ok := object.(*corev1.Pod); ok && pod.CreationTimestamp.After(last) {
			last = pod.CreationTimestamp.Time
		}
	}
	if written.After(last) && written.Sub(last) < time.Minute {
		return written
	}
	return last
}

// aliveByLease says by the Leases of kubectl's output whether a scheduler was running. They were
// read at one moment: a Lease that is as new as the newest is held, and one that is much older
// than most others is not; one clock may be wrong. When the file was written says little, as it may be a copy. A scheduler
// without a Lease may be running.
func aliveByLease(f *File, name string) (alive, known bool, why string) {
	all, held := renewals(f), heldBy(f, name)
	switch {
	case len(all) == 0:
		return false, false, "the file has no Leases"
	case held == nil:
		return false, false, "the file has no Lease of that name"
	case len(all) == 1:
		return false, false, "the file has no other Lease to compare its age with"
	}
	at := model.RenewedAt(held)
	lost := at.Add(cluster.LeaseTime)
	later := 0
	for _, other := range all {
		if other.After(lost) {
			later++
		}
	}
	why = fmt.Sprintf("Lease last renewed %s before the newest Lease (%s/%s)", duration.HumanDuration(all[0].Sub(at)), held.Namespace, held.Name)
	switch {
	case all[0].Sub(at) < time.Second:
		return true, true, fmt.Sprintf("Lease renewed when the file was made (%s/%s)", held.Namespace, held.Name)
	case !all[0].After(lost):
		return true, true, why
	case boundAfter(f, name, lost):
		return false, false, why + ", and pods were bound after that"
	case later >= 2 && 2*later > len(all)-1:
		return false, true, cluster.WithHolder(why, held, holdersIn(f))
	}
	return false, false, why + ", but not before most others"
}

// holdersIn is what kubectl's output knows of pods that hold Leases; nothing where it has no pods.
func holdersIn(f *File) (found model.LeaseHolders) {
	if len(f.objects["pods"]) == 0 || f.Info.Namespace != "" {
		return found
	}
	found.HasPod = func(namespace, name string) bool {
		return slices.ContainsFunc(f.objects["pods"], func(o runtime.Object) bool {
			pod, ok := o.(*corev1.Pod)
			return ok && pod.Namespace == namespace && pod.Name == name
		})
	}
	for _, object := range f.objects["replicasets"] {
		if set, ok := object.(*appsv1.ReplicaSet); ok {
			found.ReplicaSets = append(found.ReplicaSets, set)
		}
	}
	for _, object := range f.objects["statefulsets"] {
		if set, ok := object.(*appsv1.StatefulSet); ok {
			found.StatefulSets = append(found.StatefulSets, set)
		}
	}
	return found
}

// boundAfter reports whether a pod that names a scheduler was bound after some time.
func boundAfter(f *File, scheduler string, at time.Time) bool {
	return slices.ContainsFunc(f.objects["pods"], func(o runtime.Object) bool {
		pod, ok := o.(*corev1.Pod)
		if !ok || pod.Spec.NodeName == "" || cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName) != scheduler {
			return false
		}
		_, scheduled := podutil.GetPodCondition(&pod.Status, corev1.PodScheduled)
		return scheduled != nil && scheduled.LastTransitionTime.After(at)
	})
}
