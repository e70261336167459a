package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
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

// takenAt is the time that kubectl's output is of. Kubelets renew their Leases every 10 seconds:
// a file that was written long after the newest of them is a copy, and of the time when something
// in it was written last. Without Leases of nodes it is of the time when it was written.
func takenAt(f *File, written time.Time) time.Time {
	var last time.Time
	ofNodes := false
	for _, lease := range leasesIn(f) {
		ofNodes = ofNodes || lease.Namespace == corev1.NamespaceNodeLease && !cluster.Renewed(lease).IsZero()
		last = later(last, cluster.Renewed(lease))
	}
	for _, object := range f.objects["pods"] {
		if pod, ok := object.(*corev1.Pod); ok {
			last = later(last, pod.CreationTimestamp.Time)
		}
	}
	if !ofNodes || written.After(last) && written.Sub(last) < time.Minute {
		return written
	}
	return last
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// aliveByLease says by the Leases of kubectl's output whether a scheduler was running. They
// are of one moment, which was not before any of them was renewed: a Lease that is much older
// than the newest has no holder. When the file was written says little, as it may be a copy.
// A scheduler without a Lease may be running.
func aliveByLease(f *File, name string) (alive, known bool, why string) {
	var held *coordinationv1.Lease
	var newest time.Time
	others := 0
	for _, lease := range leasesIn(f) {
		at := cluster.Renewed(lease)
		if lease.Name == cluster.LeaseName(name) && !at.IsZero() && (held == nil || at.After(cluster.Renewed(held))) {
			held = lease
		}
		if at.After(newest) {
			newest = at
		}
		others++
	}
	switch {
	case others == 0:
		return false, false, "the file has no Leases"
	case held == nil:
		return false, false, "the file has no Lease of that name"
	}
	ago := newest.Sub(cluster.Renewed(held))
	why = fmt.Sprintf("Lease last renewed %s before the newest Lease (%s/%s)", duration.HumanDuration(ago), held.Namespace, held.Name)
	switch {
	case ago > cluster.LeaseTime && boundAfter(f, name, cluster.Renewed(held).Add(cluster.LeaseTime)):
		return false, false, why + ", and pods were bound after that"
	case ago > cluster.LeaseTime:
		return false, true, why
	case others == 1:
		return false, false, "the file has no other Lease to compare its age with"
	case ago < time.Second:
		why = fmt.Sprintf("Lease renewed when the file was made (%s/%s)", held.Namespace, held.Name)
	}
	return true, true, why
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
