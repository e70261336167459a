package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Leader is a scheduler that pods name, or another component that holds a Lease for
// leader election.
type Leader struct {
	// Name is what pods call the scheduler; of other components it is the Lease's.
	Name string `json:"name"`
	// Lease is namespace/name; "" without one.
	Lease    string `json:"lease"`
	Holder   string `json:"holder"`
	Duration *int32 `json:"leaseDurationSeconds"`
	// Renewed is when the Lease was renewed last; nil without one.
	Renewed *time.Time `json:"renewTime"`
	// Alive is whether it is running; nil where that is not known. Why says what shows it.
	Alive *bool  `json:"alive"`
	Why   string `json:"why"`
	// Scheduler is whether it is a scheduler, and Pending how many pending pods name it;
	// nil where not all pods were read.
	Scheduler bool `json:"scheduler"`
	Pending   *int `json:"pending"`

	Object *coordinationv1.Lease `json:"-"` // nil without one
}

// apiServerIdentity is the label of Leases of kube-apiserver, which elect no leader
// (IdentityLeaseComponentLabelKey in pkg/controlplane/apiserver).
const apiServerIdentity = "apiserver.kubernetes.io/identity"

// Leaders are the schedulers that pods name, those that pending pods name first, then the
// components that hold Leases, those in kube-system first. Whether a scheduler is running
// was judged by all its signs; others by their Lease: another one may take it over once it
// was not renewed for its duration. holders say of those why.
func Leaders(s *model.Snapshot, leases []*coordinationv1.Lease, schedulers map[string]model.Liveness, holders model.LeaseHolders, now time.Time) []Leader {
	var all []Leader
	taken := map[*coordinationv1.Lease]bool{}
	for name, signs := range schedulers {
		l := Leader{Name: name, Why: signs.Why, Scheduler: true}
		if signs.Known {
			l.Alive = new(signs.Alive)
		}
		if lease := newest(leases, signs.Lease); lease != nil {
			taken[lease] = true
			l.take(lease)
		}
		if podsKnown(s, "") {
			l.Pending = new(pendingOf(s, name))
		}
		all = append(all, l)
	}
	for _, lease := range leases {
		if taken[lease] || lease.Namespace == corev1.NamespaceNodeLease || lease.Labels[apiServerIdentity] != "" {
			continue
		}
		l := Leader{Name: lease.Name}
		l.take(lease)
		l.judge(now)
		if l.Alive != nil && !*l.Alive {
			if gone := holders.Gone(lease); gone != "" {
				l.Why = gone + "; " + l.Why
			}
		}
		all = append(all, l)
	}
	slices.SortFunc(all, compareLeaders)
	return all
}

// Sets are the resources whose objects HoldersOf needs.
var Sets = []string{"replicasets", "statefulsets"}

// HoldersOf is what a snapshot, and objects of the resources Sets, know of pods that hold Leases.
func HoldersOf(s *model.Snapshot, o *model.Objects) model.LeaseHolders {
	if !podsKnown(s, "") {
		return model.LeaseHolders{}
	}
	replicaSets, _ := model.ListOf[*appsv1.ReplicaSet](o, Sets[0])
	statefulSets, _ := model.ListOf[*appsv1.StatefulSet](o, Sets[1])
	return model.LeaseHolders{
		HasPod: func(namespace, name string) bool {
			return slices.ContainsFunc(s.Pods, func(p *model.Pod) bool { return p.Object.Namespace == namespace && p.Object.Name == name })
		},
		ReplicaSets: replicaSets, StatefulSets: statefulSets,
	}
}

// compareLeaders puts what is needed and not running first, then schedulers.
func compareLeaders(a, b Leader) int {
	rank := func(l *Leader) int {
		switch {
		case l.Alive != nil && !*l.Alive && l.Pending != nil && *l.Pending > 0:
			return 0
		case l.Scheduler:
			return 1
		}
		if l.Object.Namespace == metav1.NamespaceSystem {
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Lease, b.Lease))
}

// newest is the Lease of a name that was renewed last; nil without one.
func newest(leases []*coordinationv1.Lease, name string) (found *coordinationv1.Lease) {
	for _, lease := range leases {
		if lease.Name == name && (found == nil || model.RenewedAt(lease).After(model.RenewedAt(found))) {
			found = lease
		}
	}
	return found
}

// take notes what a Lease says.
func (l *Leader) take(lease *coordinationv1.Lease) {
	l.Object, l.Lease, l.Duration = lease, lease.Namespace+"/"+lease.Name, lease.Spec.LeaseDurationSeconds
	if lease.Spec.HolderIdentity != nil {
		l.Holder = *lease.Spec.HolderIdentity
	}
	if at := model.RenewedAt(lease); !at.IsZero() {
		l.Renewed = new(at.UTC())
	}
}

// judge says by the Lease whether its holder is running.
func (l *Leader) judge(now time.Time) {
	switch {
	case l.Holder == "":
		l.Alive, l.Why = new(false), "the Lease has no holder"
	case l.Renewed == nil || l.Duration == nil:
		l.Why = "the Lease has no renewTime or no duration"
	default:
		ago := max(now.Sub(*l.Renewed), 0)
		l.Alive = new(ago <= time.Duration(*l.Duration)*time.Second)
		l.Why = fmt.Sprintf("the Lease was last renewed %s ago; its duration is %ds", model.FormatAge(*l.Renewed, now), *l.Duration)
	}
}

// pendingOf counts the pods without a node that name a scheduler.
func pendingOf(s *model.Snapshot, scheduler string) int {
	return count(s.Pods, func(p *model.Pod) bool {
		return p.Waits && p.Object.Spec.NodeName == "" && cmp.Or(p.Object.Spec.SchedulerName, corev1.DefaultSchedulerName) == scheduler
	})
}
