package model

import (
	"regexp"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Objects are objects of the kinds that a Snapshot does not hold.
type Objects struct {
	Lists  map[string][]runtime.Object // by resource, as RBAC names it: "resourcequotas"
	Unread map[string]string           // resource → why it could not be listed
	// Schedulers are those that pods name, and the default one, by that name: whether they
	// are running. Nil unless leases were asked for.
	Schedulers map[string]Liveness
	// Devices are the devices of DRA drivers that nodes have access to, by node, then by
	// DeviceClass. A node has no class of which it has no device. Nil unless deviceclasses,
	// resourceslices and resourceclaims were asked for and could be listed, and where there is
	// no class.
	Devices map[string]map[string]DeviceCount
}

// DeviceCount is how many devices of a DeviceClass a node has access to, and how many of
// these a claim that tolerates no taint could get now.
type DeviceCount struct {
	Free, Total int
	// Unknown: a pool is being updated or is invalid, or a selector cannot be evaluated.
	Unknown bool
}

// Liveness is whether a scheduler is running, by all its signs.
type Liveness struct {
	Alive, Known bool
	Why          string
	Lease        string // the name of the Lease that it would hold
}

// ListOf are the objects of a resource, and why they could not be listed; "" if they
// were. What was not asked for could not be listed either.
func ListOf[T runtime.Object](o *Objects, resource string) (list []T, why string) {
	if o == nil {
		return nil, resource + " are being read"
	}
	if why, unread := o.Unread[resource]; unread {
		return nil, why
	}
	objects, read := o.Lists[resource]
	if !read {
		return nil, resource + " were not asked for"
	}
	list = make([]T, 0, len(objects))
	for _, object := range objects {
		if typed, ok := object.(T); ok {
			list = append(list, typed)
		}
	}
	return list, ""
}

// RenewedAt is when a Lease was last renewed; zero if it never was.
func RenewedAt(lease *coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

// LeaseHolders is what says why the pod that holds a Lease is gone.
type LeaseHolders struct {
	// HasPod says whether a pod exists; nil where that is not known.
	HasPod func(namespace, name string) bool
	// ReplicaSets and StatefulSets are those that were read.
	ReplicaSets  []*appsv1.ReplicaSet
	StatefulSets []*appsv1.StatefulSet
}

// longestHostname is from how many characters on a pod's hostname may be the beginning of its name only: kubelets cut
// it (truncatePodHostnameIfNeeded in pkg/kubelet).
const longestHostname = 60

// ofReplicaSet and ofStatefulSet tell the name of a set from that of its pod: a random suffix (SimpleNameGenerator in
// k8s.io/apiserver/pkg/storage/names), and an ordinal.
var (
	ofReplicaSet  = regexp.MustCompile("^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$")
	ofStatefulSet = regexp.MustCompile("^(.+)-[0-9]+$")
)

// Gone says that the pod that holds a Lease does not exist, and that its workload is scaled to 0 where that is why, with
// the command that scales it up: "its holder, pod ml-x7k2p-fz8qd, does not exist". Leader election names the holder by the
// pod's hostname, "_" and a UUID. Gone is "" where the pod exists, and where the holder is no pod of a ReplicaSet or
// StatefulSet that was read.
func (h LeaseHolders) Gone(lease *coordinationv1.Lease) string {
	if h.HasPod == nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	pod, _, named := strings.Cut(*lease.Spec.HolderIdentity, "_")
	if !named || len(pod) >= longestHostname || h.HasPod(lease.Namespace, pod) {
		return ""
	}
	workload, scaled, found := h.workloadOf(lease.Namespace, pod)
	switch {
	case !found:
		return ""
	case !scaled:
		return "its holder, pod " + pod + ", does not exist"
	case strings.HasPrefix(workload, "deployment/"), strings.HasPrefix(workload, "replicaset/"), strings.HasPrefix(workload, "statefulset/"):
		return workload + " is scaled to 0; to start it: " + ScaleUp(lease.Namespace, workload)
	}
	return workload + " is scaled to 0"
}

// ScaleUp is the command that gives a workload, as "deployment/NAME", a replica.
func ScaleUp(namespace, workload string) string {
	return "kubectl -n " + namespace + " scale " + workload + " --replicas=1"
}

// workloadOf is the workload that a pod of a name was of, as kubectl names it, and whether it is scaled to 0. A Deployment
// is where all its ReplicaSets are.
func (h LeaseHolders) workloadOf(namespace, pod string) (workload string, scaled, found bool) {
	if set := ofStatefulSet.FindStringSubmatch(pod); set != nil {
		for _, s := range h.StatefulSets {
			if s.Namespace == namespace && s.Name == set[1] {
				return "statefulset/" + s.Name, s.Spec.Replicas != nil && *s.Spec.Replicas == 0, true
			}
		}
	}
	set := ofReplicaSet.FindStringSubmatch(pod)
	if set == nil {
		return "", false, false
	}
	for _, s := range h.ReplicaSets {
		if s.Namespace != namespace || s.Name != set[1] {
			continue
		}
		by := metav1.GetControllerOfNoCopy(s)
		if by == nil {
			return "replicaset/" + s.Name, IsScaledToZero(s), true
		}
		return strings.ToLower(by.Kind) + "/" + by.Name, AllScaledToZero(h.ReplicaSets, namespace, by), true
	}
	return "", false, false
}

// IsScaledToZero reports whether a ReplicaSet wants no pods.
func IsScaledToZero(set *appsv1.ReplicaSet) bool {
	return set.Spec.Replicas != nil && *set.Spec.Replicas == 0
}

// AllScaledToZero reports whether a controller has ReplicaSets, and all want no pods.
func AllScaledToZero(sets []*appsv1.ReplicaSet, namespace string, owner *metav1.OwnerReference) bool {
	some := false
	for _, set := range sets {
		by := metav1.GetControllerOfNoCopy(set)
		if set.Namespace != namespace || by == nil || by.Kind != owner.Kind || by.Name != owner.Name {
			continue
		}
		if !IsScaledToZero(set) {
			return false
		}
		some = true
	}
	return some
}
