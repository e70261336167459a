package explain

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// remedy is one step of a fix: a change of the pod, of nodes, or of other pods.
// The structs say what is changed; command.go says by which command.
type remedy interface {
	// kind is the kind of a fix that has only this step.
	kind() report.FixKind
	// title is the step in an imperative clause: "uncordon std-a-01".
	title() string
	// harm orders remedies, the least first: 1 to 99.
	harm() int
	// apply makes the change in the supposed state. It returns the pod to be
	// asked about: a changed copy where the remedy changes the pod.
	apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error)
}

// The remedies that change the pod, or the template that it comes from.
type (
	// tolerate adds a toleration.
	tolerate struct{ taint corev1.Taint }
	// lowerRequest asks for less of a resource in one container.
	lowerRequest struct {
		container string
		init      bool // it is an init container (of any kind)
		resource  corev1.ResourceName
		from, to  int64    // of that container, in the scheduler's unit: thousandths of cpu, bytes
		total     [2]int64 // of the pod, before and after
		limit     bool     // the limit is lowered with it: the QoS class is Guaranteed, or the resource wants it
	}
	// dropSelector takes a key out of spec.nodeSelector.
	dropSelector struct{ key, value string }
	// dropExpression takes a requirement out of a term of the required node
	// affinity; the only one of the only term takes the whole affinity with it.
	dropExpression struct {
		term, expression int
		words            string
		last             bool // nothing is left of the required node affinity
		lastOfTerm       bool // nothing is left of the term, which is dropped: others are left
	}
	// dropPodTerm takes a required term out of the pod affinity or anti-affinity.
	dropPodTerm struct {
		anti  bool
		index int
		words string
		last  bool
	}
	// loosenSpread changes a topology spread constraint.
	loosenSpread struct {
		index   int
		key     string
		maxSkew [2]int32 // before and after; after 0: ScheduleAnyway instead
	}
	// dropHostPort takes the host port off a container's port.
	dropHostPort struct {
		container string
		index     int // among the container's ports
		port      int32
		protocol  corev1.Protocol
	}
	// ungate removes scheduling gates.
	ungate struct{ gates []string }
)

// The remedies that change nodes.
type (
	// untaint removes a taint from nodes.
	untaint struct {
		taint corev1.Taint
		nodes []string
	}
	// uncordon makes a node schedulable.
	uncordon struct{ node string }
	// labelNode gives a node a label.
	labelNode struct{ node, key, value string }
)

// evict ends pods on one node; those that a controller owns come back.
type evict struct{ pods []*corev1.Pod }

// changesPod says whether the remedy changes the pod itself, or its template.
func changesPod(r remedy) bool {
	switch r.(type) {
	case untaint, uncordon, labelNode, evict, resizeClaim, releaseVolume:
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

// nodesOf are the nodes that steps change.
func nodesOf(steps []remedy) []string {
	var nodes []string
	for _, step := range steps {
		switch r := step.(type) {
		case untaint:
			nodes = append(nodes, r.nodes...)
		case uncordon:
			nodes = append(nodes, r.node)
		case labelNode:
			nodes = append(nodes, r.node)
		case evict:
			nodes = append(nodes, r.pods[0].Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
