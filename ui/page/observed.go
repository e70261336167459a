package page

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/column"
	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Young is the age up to which ages are drawn anew every second.
const Young = 2 * time.Minute

// Observed is the newest state of the cluster, and the time that ages are counted to.
type Observed struct {
	Snapshot *model.Snapshot // never nil; Revision 0 until the first came
	Domain   string          // that nodes' names share
	At       time.Time       // of the newest message; ages are counted to it
	Followed []follow.Pod    // of fixes that were carried out, the newest first
	Columns  Columns         // of the user's own
	Waiting  Waiting         // the pending pods of the namespace that is shown
}

// Columns are more columns of Nodes and Pods, which the settings have.
type Columns struct {
	Nodes, Pods []*column.Column
	Whole       bool // nothing was left out of objects
}

// FollowedPod is a pod of a fix that was carried out, as it is followed.
func (o *Observed) FollowedPod(uid types.UID) (follow.Pod, bool) {
	for _, pod := range o.Followed {
		if pod.Pod.Object.UID == uid {
			return pod, true
		}
	}
	return follow.Pod{}, false
}

// NodeUsage is the usage of a node by metrics; zero where there are none.
func (o *Observed) NodeUsage(name string) model.Amount {
	if o.Snapshot.Usage == nil {
		return model.Amount{}
	}
	return o.Snapshot.Usage.Nodes[name]
}

// Namespaces are those that have pods, or pods that were not created, by name.
func (o *Observed) Namespaces() []string {
	var found []string
	for pods := o.Snapshot.Pods; len(pods) > 0; {
		name := pods[0].Object.Namespace
		found = append(found, name)
		pods = pods[len(InNamespace(pods, name)):]
	}
	for _, kind := range o.Snapshot.Pending { // one may only have pods that were not created
		if at, known := slices.BinarySearch(found, kind.Namespace()); !known {
			found = slices.Insert(found, at, kind.Namespace())
		}
	}
	return found
}

// Since is the age of what began at t.
func (o *Observed) Since(t time.Time) string { return model.FormatAge(t, o.AsOf()) }

// AsOf is the time that ages are counted to: now, or when a snapshot was taken.
func (o *Observed) AsOf() time.Time {
	if taken := o.Snapshot.Status.Taken; !taken.IsZero() {
		return taken
	}
	return o.At
}

// IsSnapshot reports whether the state is from a file.
func (o *Observed) IsSnapshot() bool { return !o.Snapshot.Status.Taken.IsZero() }

// Unread counts the resources that could not be read. Metrics are not among them: only some pages ask for them, and no
// verdict depends on them.
func (o *Observed) Unread() int { return len(o.Snapshot.Status.Unread) }

// Replicas counts the existing pods of a workload, and those that could not be created.
func (o *Observed) Replicas(namespace string, owner model.Owner) string {
	n := 0
	for _, pod := range InNamespace(o.Snapshot.Pods, namespace) {
		if pod.Owner.Kind == owner.Kind && pod.Owner.Name == owner.Name && !pod.Finished() {
			n++
		}
	}
	for _, kind := range o.Snapshot.Pending {
		if kind.NotCreated != nil && kind.Namespace() == namespace && kind.First().Owner.Kind == owner.Kind && kind.First().Owner.Name == owner.Name {
			return fmt.Sprintf("%s; %d of %d not created", plan.CountPods(n), kind.NotCreated.Missing, kind.NotCreated.Wanted)
		}
	}
	return plan.CountPods(n)
}

// PodsUnknown says why the pods of nodes, and so what is requested of them, are not all
// known; "" where they are.
func (o *Observed) PodsUnknown() string { return o.Snapshot.PodsUnknown() }

// IsReading reports whether a list is not in yet.
func (o *Observed) IsReading() bool { return len(o.Snapshot.Status.Reading) > 0 }

// NotRead says why a resource could not be read; "" where it was.
func (o *Observed) NotRead(resource string) string {
	at := slices.IndexFunc(o.Snapshot.Status.Unread, func(u model.Unread) bool { return u.Resource == resource })
	if at < 0 {
		return ""
	}
	return model.Clean(o.Snapshot.Status.Unread[at].Why)
}

// NodeName is a node's name without the domain that nodes share.
func (o *Observed) NodeName(name string) string {
	return strings.TrimSuffix(name, o.Domain)
}

// Brief is text of fathom's with node names as nodeName has them.
func (o *Observed) Brief(text string) string {
	return model.Clean(figures.WithoutDomain(text, o.Domain))
}

// Used is the usage of a pod by metrics: ? where there are none for it, "" where it does not run.
func (o *Observed) Used(p *model.Pod, word func(model.Amount) string) string {
	if o.Snapshot.Usage != nil {
		if amount, ok := o.Snapshot.Usage.Pods[types.NamespacedName{Namespace: p.Object.Namespace, Name: p.Object.Name}]; ok {
			return word(amount)
		}
	}
	if p.Object.Spec.NodeName == "" || p.Finished() {
		return "" // it uses nothing
	}
	return "?"
}

// InNamespace are the pods of a namespace, "" of all; pods are sorted by namespace.
func InNamespace(pods []*model.Pod, namespace string) []*model.Pod {
	if namespace == "" {
		return pods
	}
	from := sort.Search(len(pods), func(i int) bool { return pods[i].Object.Namespace >= namespace })
	to := sort.Search(len(pods), func(i int) bool { return pods[i].Object.Namespace > namespace })
	return pods[from:to]
}
