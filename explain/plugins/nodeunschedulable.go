package plugins

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// nodeUnschedulable says that a node is cordoned.
var nodeUnschedulable = explainer{
	Words: func(_ *Question, rs []NodeRejection) Words {
		return Words{
			What: predicates(rs, func(_ NodeRejection, nodes int) string {
				return grammar.Agree(nodes, "is", "are") + " cordoned (spec.unschedulable), and the pod does not tolerate " + corev1.TaintNodeUnschedulable + ":NoSchedule"
			}),
			Short: report.CordonWord,
		}
	},
}
