package report

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Terminating are pods that are being deleted and still count against a node that the pod fits once they have terminated.
type Terminating struct {
	Node  string           `json:"node"`
	Pods  []TerminatingPod `json:"pods"`
	Until metav1.Time      `json:"until"` // when the last of their grace periods ends
	// Contested says that other pods of equal or higher priority wait for a node too.
	Contested bool `json:"contested,omitempty"`
}

// TerminatingPod is one of them.
type TerminatingPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Node      string `json:"node,omitempty"` // that it is on, where that is another one
}

// TerminatingSentence says which node the pod fits once pods have terminated there, and how long that may take; ""
// without such.
func TerminatingSentence(r *Report, now time.Time) string {
	t := r.Terminating
	if t == nil {
		return ""
	}
	var named []string
	for _, pod := range t.Pods {
		name := pod.Namespace + "/" + pod.Name
		if pod.Node != "" {
			name += " on " + pod.Node
		}
		named = append(named, name)
	}
	said := fmt.Sprintf("It fits %s once ", t.Node)
	if len(named) == 1 {
		said += named[0] + " has terminated"
	} else {
		said += grammar.Plural(len(named), "pod") + " have terminated"
	}
	if !now.IsZero() {
		joint := ", "
		if !t.Until.After(now) {
			joint = ", but "
		}
		said += joint + GraceLeft(t.Until.Time, now)
	}
	if len(named) > 1 {
		said += ": " + grammar.List(named, grammar.Few)
	}
	if t.Contested {
		said += ", unless another pod is scheduled there first"
	}
	return said + "."
}

// GraceLeft is the rest of a pod's grace period in words.
func GraceLeft(end, now time.Time) string {
	if end.After(now) {
		return model.FormatAge(now, end) + " of grace left"
	}
	return "the grace period ended " + model.FormatAge(end, now) + " ago"
}
