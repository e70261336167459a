package report

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// AutoscalerWord is what an autoscaler of nodes said of the pod last. It is never
// taken for a try of the scheduler, though Karpenter uses the same reason.
type AutoscalerWord struct {
	Component string      `json:"component"` // who said it: "cluster-autoscaler", "karpenter"
	Reason    string      `json:"reason"`    // "NotTriggerScaleUp"
	Message   string      `json:"message"`
	LastSeen  metav1.Time `json:"lastSeen"`
}

// autoscalerLines quote the autoscalers.
func autoscalerLines(words []AutoscalerWord, now time.Time) []string {
	var lines []string
	for _, word := range words {
		ago := ""
		if !now.IsZero() {
			ago = ", " + model.FormatAge(word.LastSeen.Time, now) + " ago"
		}
		lines = append(lines, fmt.Sprintf("%s said%s (%s)", word.Component, ago, word.Reason), "  "+word.Message)
	}
	return lines
}
