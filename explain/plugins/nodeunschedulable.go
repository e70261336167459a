package plugins

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// nodeUnschedulable says that a node is cordoned.
var nodeUnschedulable = explainer{
	Words: func(_ *Question, rs []Refused) Words {
		return Words{
			What: sentences(rs, func(Refused) string {
				return "cordoned (spec.unschedulable), and " + corev1.TaintNodeUnschedulable + ":NoSchedule is not tolerated"
			}),
			Short: report.CordonWord,
		}
	},
}
