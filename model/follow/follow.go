// Package follow says what happens to a pod after a change that is to let it be
// scheduled: it has its node, another pod took the place, or nothing happens. It looks
// only at snapshots as they arrive.
package follow

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

const (
	// Patience is how long kube-scheduler gets. A change that lets the pod fit moves it
	// out of the unschedulable pods, and its back-off is then at most 10 s
	// (podMaxBackoffSeconds): three times that allows for a busy queue, for binding a
	// volume, and for watches that are behind.
	Patience = 30 * time.Second
	// Horizon is how long the pod is followed after that. kube-scheduler tries each
	// unschedulable pod again after 5 minutes (DefaultPodMaxInUnschedulablePodsDuration);
	// what happens later has nothing to do with the change.
	Horizon = 5*time.Minute + Patience
	// RemadeWithin is how long a controller gets to replace a pod that was deleted.
	RemadeWithin = 10 * time.Second
)

// Fix is an action that is to let a pod be scheduled.
type Fix struct {
	plan.Action
	Pod   *model.Pod
	Nodes []string // that the pod fits then
}

// State is what became of the pod so far.
type State int

// The states of a pod that is followed.
const (
	Acting  State = iota // the change is not done yet
	Waiting              // for the scheduler
	Placed               // it has a node; of a resize: it is granted
	Taken                // another pod took the place
	Late                 // nothing has happened for Patience
	Gone                 // it was deleted, and nothing has replaced it
	Undone               // the change was made, and is undone again
	Ended                // it is followed no longer
)

// Taker is a pod that came onto one of the fix's nodes while the followed one was
// pending.
type Taker struct {
	Pod  *model.Pod
	Node string
}

// Pod is a pod that is followed. It is a value: each method gives the next one.
type Pod struct {
	Pod      *model.Pod // as it was last seen; the one that replaced it, if it was replaced
	Replaced string     // the name of the pod that the fix was for, if Pod replaced it
	State    State
	Node     string    // of Placed
	Takers   []Taker   // the first ones first
	Lost     bool      // the connection is lost: what happens is not known
	Since    time.Time // when the change was done
	Seen     time.Time // of Placed and Late: when that was seen
	Why      string    // of Late: why the pod is pending, a sentence; "" if not known

	resizes bool          // it has a node, and waits for its kubelet to grant a resize in place
	action  plan.Action   // the change
	made    bool          // the change was seen
	names   []string      // of the fix's nodes
	nodes   []*model.Node // those, as they were last seen; nil is not known
	known   map[types.UID]bool
	due     time.Time // when Waiting becomes Late
	missing time.Time // since when there is no such pod; zero while there is one
	judged  int       // how many takers there were at the last verdict
}

// Begin follows the pod of a fix. The snapshot is one from before the change.
func Begin(fix Fix, on *model.Snapshot) Pod {
	p := Pod{Pod: fix.Pod, action: fix.Action, names: fix.Nodes, nodes: make([]*model.Node, len(fix.Nodes)), known: map[types.UID]bool{}, resizes: isResized(fix.Pod)}
	for i, name := range fix.Nodes {
		p.nodes[i], _ = on.Node(name)
	}
	for _, pod := range on.Pods {
		if sameOwner(pod, fix.Pod) {
			p.known[pod.Object.UID] = true
		}
	}
	p.known[fix.Pod.Object.UID] = true
	return p
}

// isDone reports whether the pod has what it was followed for: a node, or its resize.
func (p Pod) isDone(pod *model.Pod) bool {
	if p.resizes {
		return !isResized(pod)
	}
	return pod.Bound()
}

// isResized reports whether a pod waits for its kubelet to grant a resize in place.
func isResized(pod *model.Pod) bool { return pod.Bound() && model.ResizeOf(pod.Object).IsWaiting() }

// Done says that the change is done.
func (p Pod) Done(at time.Time) Pod {
	if p.Since.IsZero() {
		p.Since = at
	}
	if p.State == Acting {
		p.State, p.due = Waiting, at.Add(Patience)
	}
	return p
}

// Final reports whether the change cannot be undone: pods were evicted, or gates removed.
func (p Pod) Final() bool {
	switch p.action.(type) {
	case plan.Evict, plan.Ungate:
		return true
	}
	return false
}

// Live reports whether anything may still happen to the pod that is worth saying.
func (p Pod) Live() bool { return p.State == Waiting || p.Offers() }

// Offers reports whether another fix is to be offered: this one did not help.
func (p Pod) Offers() bool { return p.State == Taken || p.State == Late }

// Next is the pod by a snapshot, at a time. What is not read, or behind a lost
// connection, says nothing about it.
func (p Pod) Next(s *model.Snapshot, at time.Time) Pod {
	if p.State != Acting && !p.Live() || s.Revision == 0 || len(s.Status.Reading) > 0 {
		return p
	}
	if p.Lost = s.Status.Connection.Lost(); p.Lost {
		p.due = at.Add(Patience)
		return p
	}
	if slices.ContainsFunc(s.Status.Unread, func(u model.Unread) bool { return u.Resource == "pods" && u.Group == "" }) {
		return p
	}
	pod, ok := s.PodNamed(p.Pod.Object.Namespace, p.Pod.Object.Name)
	if !ok || pod.Object.UID != p.Pod.Object.UID {
		return p.replace(s, at)
	}
	p.Pod, p.missing = pod, time.Time{}
	if p.isDone(pod) {
		p.State, p.Node, p.Seen = Placed, pod.Object.Spec.NodeName, at
		return p
	}
	if p = p.undo(s); p.State == Undone {
		return p
	}
	if p.State != Acting && !at.Before(p.due.Add(Horizon-Patience)) {
		p.State = Ended
		return p
	}
	if p.Offers() {
		return p
	}
	return p.watch(s)
}

// undo looks whether the change, once it was seen, is undone again, by whomever.
func (p Pod) undo(s *model.Snapshot) Pod {
	switch holds, known := inEffect(p.action, s); {
	case !known || p.State == Acting:
	case holds:
		p.made = true
	case p.made:
		p.State = Undone
	}
	return p
}

// replace finds the pod that replaced one that was deleted: of the same owner, and not
// there when the fix was confirmed.
func (p Pod) replace(s *model.Snapshot, at time.Time) Pod {
	var found *model.Pod
	if p.Pod.Owner.Name != "" {
		for _, pod := range s.Pods {
			if sameOwner(pod, p.Pod) && !p.known[pod.Object.UID] && !pod.Finished() && (found == nil || before(pod, found)) {
				found = pod
			}
		}
	}
	switch {
	case found != nil:
		p.Replaced = cmp.Or(p.Replaced, p.Pod.Name())
		if found.Name() == p.Replaced { // of a StatefulSet
			p.Replaced = ""
		}
		p.known = maps.Clone(p.known)
		p.known[found.Object.UID] = true
		p.Pod, p.due, p.resizes = found, at.Add(Patience), false
		return p.Next(s, at)
	case p.missing.IsZero():
		p.missing = at
	}
	if p.Pod.Owner.Name == "" || at.Sub(p.missing) >= RemadeWithin {
		p.State = Gone
	}
	return p
}

// before orders the pods that may have replaced one: those without a node first, then
// the oldest.
func before(a, b *model.Pod) bool {
	if a.Bound() != b.Bound() {
		return b.Bound()
	}
	return cmp.Or(a.Since().Compare(b.Since()), cmp.Compare(a.Name(), b.Name())) < 0
}

// sameOwner reports whether two pods are of one workload.
func sameOwner(a, b *model.Pod) bool {
	return a.Owner.Name != "" && a.Owner.Name == b.Owner.Name && a.Owner.Kind == b.Owner.Kind && a.Object.Namespace == b.Object.Namespace
}

// watch looks at which pods came onto the fix's nodes. Only nodes that changed are
// looked at: snapshots share the others.
func (p Pod) watch(s *model.Snapshot) Pod {
	cloned := false
	for i, name := range p.names {
		node, ok := s.Node(name)
		if !ok || node == p.nodes[i] {
			continue
		}
		if !cloned {
			p.nodes, p.Takers, cloned = slices.Clone(p.nodes), slices.Clone(p.Takers), true
		}
		if was := p.nodes[i]; was != nil {
			p.Takers = takers(p.Takers, was, node)
		}
		p.nodes[i] = node
	}
	p.judged = min(p.judged, len(p.Takers))
	return p
}

// takers are the takers after a node changed: those that left it are none.
func takers(all []Taker, was, is *model.Node) []Taker {
	there := func(pods []*model.Pod, uid types.UID) bool {
		return slices.ContainsFunc(pods, func(p *model.Pod) bool { return p.Object.UID == uid })
	}
	all = slices.DeleteFunc(all, func(t Taker) bool { return t.Node == is.Name && !there(is.Pods, t.Pod.Object.UID) })
	var came []Taker
	for _, pod := range is.Pods {
		if !there(was.Pods, pod.Object.UID) {
			came = append(came, Taker{pod, is.Name})
		}
	}
	slices.SortStableFunc(came, func(a, b Taker) int {
		return cmp.Or(daemons(a.Pod)-daemons(b.Pod), cmp.Compare(b.Pod.Priority(), a.Pod.Priority()))
	})
	return append(all, came...)
}

// daemons is 1 for a pod of a DaemonSet, which comes to every node and is seldom what
// took the place.
func daemons(pod *model.Pod) int {
	if pod.Owner.Kind == "DaemonSet" {
		return 1
	}
	return 0
}

// Asks reports whether the scheduler's verdict on the pod is needed: pods came onto the
// fix's nodes, so that it may not fit any more, or nothing has happened for Patience.
func (p Pod) Asks(at time.Time) bool {
	return p.State == Waiting && !p.Lost && p.missing.IsZero() && (len(p.Takers) > p.judged || !at.Before(p.due))
}

// Verdict is the scheduler's answer for a pod.
type Verdict struct {
	Of       types.UID
	Rejected bool   // no node fits
	Why      string // the sentence; "" where there was no answer
}

// Judge takes the verdict that Asks asked for, which was about the pod as it was with
// so many takers.
func (p Pod) Judge(v Verdict, takers int, at time.Time) Pod {
	if p.State != Waiting || p.Lost || v.Of != p.Pod.Object.UID {
		return p
	}
	p.judged = takers
	switch {
	case v.Rejected && takers > 0 && len(p.Takers) > 0:
		p.State, p.Why = Taken, v.Why
	case !at.Before(p.due):
		p.State, p.Why, p.Seen = Late, v.Why, at
	}
	return p
}
