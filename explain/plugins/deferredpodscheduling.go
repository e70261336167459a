package plugins

import (
	"strings"

	"k8s.io/component-helpers/resource"
)

// deferredPodScheduling says why a node is rejected for a resize that the kubelet
// has deferred: the pod runs on another node, or pods may not be preempted for it.
var deferredPodScheduling = explainer{
	Shape: func(q *Question, r NodeRejection) string { return DeferredShort(q, r) },
	Words: func(q *Question, rs []NodeRejection) Words {
		short := DeferredShort(q, rs[0])
		if short == "" {
			return reasonOnly(rs)
		}
		return Words{
			What: sentences(rs, func(r NodeRejection) string {
				if elsewhere(q, r) {
					return "the pod runs on " + q.Pod.Spec.NodeName + ", where its resize is deferred"
				}
				return "preemption for a resize is disabled: spec.podPreemptionPolicy.disableResizePreemption is set by " +
					strings.Join(whoDisables(r), ", ")
			}),
			Short: short,
		}
	},
}

// elsewhere says whether the pod runs on a node that is not r's.
func elsewhere(q *Question, r NodeRejection) bool {
	return q.Pod.Spec.NodeName != "" && q.Pod.Spec.NodeName != r.Name()
}

// whoDisables are the owners that disable preemption for resizes on r's node.
func whoDisables(r NodeRejection) []string {
	if policy := r.Node.Node().Spec.PodPreemptionPolicy; policy != nil {
		return policy.DisableResizePreemption
	}
	return nil
}

// DeferredShort is the reason as a clause; "" where there is none.
func DeferredShort(q *Question, r NodeRejection) string {
	switch {
	case r.Node == nil || !resource.IsPodResizeDeferred(q.Pod):
		return ""
	case elsewhere(q, r):
		return "runs on " + q.Pod.Spec.NodeName
	case len(whoDisables(r)) > 0:
		return "no preemption for resizes"
	}
	return ""
}
