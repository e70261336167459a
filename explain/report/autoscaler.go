package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// AutoscalerWord is the last message of an autoscaler of nodes about the pod. It is never
// taken for an attempt of the scheduler, though Karpenter uses the same reason.
type AutoscalerWord struct {
	Component string      `json:"component"` // who said it: "cluster-autoscaler", "karpenter"
	Reason    string      `json:"reason"`    // "NotTriggerScaleUp"
	Message   string      `json:"message"`
	LastSeen  metav1.Time `json:"lastSeen"`
}

// Heading names the autoscaler, and how long ago it wrote: "AUTOSCALER karpenter, 2m ago".
func (w AutoscalerWord) Heading(now time.Time) string {
	heading := "AUTOSCALER " + w.Component
	if !now.IsZero() {
		heading += ", " + model.FormatAge(w.LastSeen.Time, now) + " ago"
	}
	return heading + " (" + w.Reason + ")"
}

// autoscalers quote the autoscalers: in short only where nothing but their messages is known.
func (c composer) autoscalers() []Section {
	sections := c.provisioning()
	if sections != nil && !c.options.Verbose {
		return sections
	}
	for _, word := range c.report.Autoscaler {
		sections = append(sections, Section{Heading: word.Heading(c.options.Now), Quote: word.Message})
	}
	return sections
}
