package explain

import (
	"strings"

	"k8s.io/component-helpers/resource"
)

// deferredPodScheduling tells why a node is no place for a resize that the
// kubelet has deferred: the pod runs on another, or pods may not be ended for it.
var deferredPodScheduling = explainer{
	shape: func(q *question, r refused) string { return deferredShort(q, r) },
	words: func(q *question, rs []refused) words {
		short := deferredShort(q, rs[0])
		if short == "" {
			return reasonOnly(rs)
		}
		return words{
			What: sentences(rs, func(r refused) string {
				if elsewhere(q, r) {
					return "the pod runs on " + q.pod.Spec.NodeName + ", where its resize is deferred"
				}
				return "no pod may be ended there for a resize: spec.podPreemptionPolicy.disableResizePreemption is set by " +
					strings.Join(whoDisables(r), ", ")
			}),
			Short: short,
		}
	},
}

// elsewhere says whether the pod runs on a node that is not r's.
func elsewhere(q *question, r refused) bool {
	return q.pod.Spec.NodeName != "" && q.pod.Spec.NodeName != r.name()
}

// whoDisables are the owners that keep resizes from ending pods on r's node.
func whoDisables(r refused) []string {
	if policy := r.node.Node().Spec.PodPreemptionPolicy; policy != nil {
		return policy.DisableResizePreemption
	}
	return nil
}

// deferredShort is "" where nothing is in the way.
func deferredShort(q *question, r refused) string {
	switch {
	case r.node == nil || !resource.IsPodResizeDeferred(q.pod):
		return ""
	case elsewhere(q, r):
		return "runs on " + q.pod.Spec.NodeName
	case len(whoDisables(r)) > 0:
		return "no preemption for resizes"
	}
	return ""
}
