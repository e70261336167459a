// Package remedy has the steps that fixes are made of, and makes them in a simulated
// state.
package remedy

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Step is one step of a fix: a change of the pod, of nodes, or of other pods.
// The structs of this package say what is changed; package command says by which
// command.
type Step interface {
	kind() report.FixKind
	title() string
	harm() int
	apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error)
}

// Kind is the kind of a fix that has only this step.
func Kind(step Step) report.FixKind { return step.kind() }

// Title is the step in an imperative clause: "uncordon std-a-01".
func Title(step Step) string { return step.title() }

// Harm orders steps, the least first: 1 to 99.
func Harm(step Step) int { return step.harm() }

// Apply makes the change in the simulated state. It returns the pod to be asked about:
// a changed copy where the step changes the pod.
func Apply(s *scheduler.Fork, pod *corev1.Pod, step Step) (*corev1.Pod, error) {
	return step.apply(s, pod)
}

// The steps that change the pod, or the template that it comes from.
type (
	// Tolerate adds a toleration of a taint.
	Tolerate struct {
		Taint corev1.Taint
		// Compare is Gt or Lt where the pod compares the taint's value with a number: the
		// toleration does too, so that it just includes this value. "": of this value alone.
		Compare corev1.TolerationOperator
	}
	// LowerRequest asks for less of a resource in one container, or in the pod's own requests.
	LowerRequest struct {
		Container string
		Pod       bool // of spec.resources, which counts instead of the containers' requests
		Init      bool // it is an init container (of any kind)
		Resource  corev1.ResourceName
		From, To  int64    // of that container, in the scheduler's unit: thousandths of cpu, bytes
		Total     [2]int64 // of the pod, before and after
		Limit     bool     // the limit is lowered with it: the QoS class is Guaranteed, or the resource wants it
	}
	// SetRequests states requests of several containers, which their template leaves to a LimitRange.
	SetRequests struct{ Of []LowerRequest }
	// DropSelector takes a key out of spec.nodeSelector.
	DropSelector struct{ Key, Value string }
	// SetSelector gives a key of spec.nodeSelector another value.
	SetSelector struct {
		Key    string
		Values [2]string // before and after
	}
	// DropExpression takes a requirement out of a term of the required node
	// affinity; the only one of the only term takes the whole affinity with it.
	DropExpression struct {
		Term, Expression int
		Words            string
		Last             bool // nothing is left of the required node affinity
		LastOfTerm       bool // nothing is left of the term, which is dropped: others are left
	}
	// DropNodeAffinity takes the whole required node affinity, of several terms or of one that matches nothing.
	DropNodeAffinity struct{}
	// DropPodTerm takes a required term out of the pod affinity or anti-affinity.
	DropPodTerm struct {
		Anti  bool
		Index int
		Words string
	}
	// LoosenSpread changes a topology spread constraint.
	LoosenSpread struct {
		Index   int
		Key     string
		MaxSkew [2]int32 // before and after; after 0: ScheduleAnyway instead
		// HonorTaints leaves its maxSkew: nodes whose taints the pod does not tolerate no longer count.
		HonorTaints bool
	}
	// DropHostPort takes the host port off a container's port.
	DropHostPort struct {
		Container string
		Index     int    // among the container's ports
		IP        string // its address; "" is every one
		Port      int32
		Protocol  corev1.Protocol
	}
	// SetScheduler has another scheduler place the pod.
	SetScheduler struct{ Name string }
	// Ungate removes scheduling gates.
	Ungate struct{ Gates []string }
)

// The steps that change nodes.
type (
	// Untaint removes a taint from nodes.
	Untaint struct {
		Taint corev1.Taint
		Nodes []string
	}
	// Uncordon makes nodes schedulable.
	Uncordon struct {
		Nodes []string
		Pool  string // of which they are all in their zone that have a cordon; "" where they are chosen one by one
	}
	// LabelNode gives nodes a label.
	LabelNode struct {
		Nodes      []string
		Pool       string // of which they are all; "" where they are chosen one by one
		Key, Value string
		Mistaken   bool   // they are for such pods by a taint that those tolerate, or by their pool, whose other nodes have the label
		Misspelt   string // the value that they have, which looks like a misspelling of Value; "" otherwise
	}
	// AddNode adds a node that does not exist.
	AddNode struct {
		New        scheduler.NewNode
		Pool, Zone string // "" where it has none
		Moved      bool   // the node that it is like is in another zone
		First      bool   // its pool has no node in the zone
	}
)

// OfControlPlane reports whether a taint of that key marks nodes of the control plane: kubeadm sets
// the first, and set the second until Kubernetes 1.25; RKE sets the others.
func OfControlPlane(key string) bool {
	role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/")
	return ok && slices.Contains([]string{"control-plane", "master", "controlplane", "etcd"}, role)
}

// Evict ends pods on one node; those that a controller owns come back.
type Evict struct{ Pods []*corev1.Pod }

// ChangesPod says whether the step changes the pod itself, or its template.
func ChangesPod(step Step) bool {
	switch step.(type) {
	case Untaint, Uncordon, LabelNode, AddNode, Evict, Suspend, TakeBackResize, AllowUnavailable, ResizeClaim, SetClaimClass, UnselectNode, ReleaseVolume, RequestDevices:
		return false
	}
	return true
}

// changePod is the pod with a change to a copy of it.
func changePod(pod *corev1.Pod, change func(*corev1.Pod)) *corev1.Pod {
	changed := pod.DeepCopy()
	change(changed)
	return changed
}

// NodesOf are the nodes that steps change.
func NodesOf(steps []Step) []string {
	var nodes []string
	for _, step := range steps {
		switch r := step.(type) {
		case Untaint:
			nodes = append(nodes, r.Nodes...)
		case Uncordon:
			nodes = append(nodes, r.Nodes...)
		case LabelNode:
			nodes = append(nodes, r.Nodes...)
		case AddNode:
			nodes = append(nodes, r.New.Node.Name)
		case Evict:
			nodes = append(nodes, r.Pods[0].Spec.NodeName)
		case Suspend:
			for _, pod := range r.assigned() {
				nodes = append(nodes, pod.Spec.NodeName)
			}
		case TakeBackResize:
			for _, pod := range r.Pods {
				nodes = append(nodes, pod.Spec.NodeName)
			}
		case AllowUnavailable:
			nodes = append(nodes, r.Stops.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
