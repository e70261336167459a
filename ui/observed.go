package ui

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// observed is what is known of the cluster, and as of when.
type observed struct {
	snapshot *model.Snapshot // never nil; Revision 0 until the first came
	domain   string          // that all nodes' names share
	at       time.Time       // of the newest message; ages are counted to it
}

// nodeUsage is what metrics say of a node; nothing where there are none.
func (o *observed) nodeUsage(name string) model.Amount {
	if o.snapshot.Usage == nil {
		return model.Amount{}
	}
	return o.snapshot.Usage.Nodes[name]
}

// namespaces are those that have pods or should have, by name.
func (o *observed) namespaces() []string {
	var found []string
	for pods := o.snapshot.Pods; len(pods) > 0; {
		name := pods[0].Object.Namespace
		found = append(found, name)
		pods = pods[len(inNamespace(pods, name)):]
	}
	for _, kind := range o.snapshot.Pending { // one may have nothing but pods that were refused
		if at, known := slices.BinarySearch(found, kind.Namespace()); !known {
			found = slices.Insert(found, at, kind.Namespace())
		}
	}
	return found
}

// since is the age of what began at t.
func (o *observed) since(t time.Time) string { return model.FormatAge(t, o.asOf()) }

// asOf is the time that ages are counted to: now, or when a snapshot was taken.
func (o *observed) asOf() time.Time {
	if taken := o.snapshot.Status.Taken; !taken.IsZero() {
		return taken
	}
	return o.at
}

// isSnapshot tells that what is shown comes from a file.
func (o *observed) isSnapshot() bool { return !o.snapshot.Status.Taken.IsZero() }

// taken says how long ago a snapshot was taken.
func (o *observed) taken() string {
	return "taken " + model.FormatAge(o.snapshot.Status.Taken, o.at) + " ago"
}

// unread counts what could not be read; metrics that nobody serves count too.
func (o *observed) unread() int {
	n := len(o.snapshot.Status.Unread)
	if o.snapshot.Status.MetricsNote != "" {
		n++
	}
	return n
}

// replicas counts the pods of a workload that are there.
func (o *observed) replicas(namespace string, owner model.Owner) string {
	n := 0
	for _, pod := range inNamespace(o.snapshot.Pods, namespace) {
		if pod.Owner.Kind == owner.Kind && pod.Owner.Name == owner.Name && !pod.Finished() {
			n++
		}
	}
	return plan.CountPods(n)
}

// isReading reports whether a list is not in yet.
func (o *observed) isReading() bool { return len(o.snapshot.Status.Reading) > 0 }

// notRead tells why a resource could not be read; "" where it was.
func (o *observed) notRead(resource string) string {
	at := slices.IndexFunc(o.snapshot.Status.Unread, func(u model.Unread) bool { return u.Resource == resource })
	if at < 0 {
		return ""
	}
	return model.Clean(o.snapshot.Status.Unread[at].Why)
}

// nodeName is a node's name without the domain that all nodes share.
func (o *observed) nodeName(name string) string {
	return strings.TrimSuffix(name, o.domain)
}

// brief is text of our own with the nodes named as nodeName does.
func (o *observed) brief(text string) string {
	return model.Clean(figures.WithoutDomain(text, o.domain))
}

// used words what metrics say of a pod: ? where there are none for it.
func (o *observed) used(p *model.Pod, word func(model.Amount) string) string {
	if o.snapshot.Usage != nil {
		if amount, ok := o.snapshot.Usage.Pods[types.NamespacedName{Namespace: p.Object.Namespace, Name: p.Object.Name}]; ok {
			return word(amount)
		}
	}
	if p.Object.Spec.NodeName == "" {
		return ""
	}
	return "?"
}
