package explain

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// nodeUnschedulable says that a node is cordoned.
var nodeUnschedulable = explainer{
	words: func(_ *question, rs []refused) words {
		return words{
			What: sentences(rs, func(refused) string {
				return "cordoned (spec.unschedulable), and " + corev1.TaintNodeUnschedulable + ":NoSchedule is not tolerated"
			}),
			Short: report.CordonWord,
		}
	},
}
