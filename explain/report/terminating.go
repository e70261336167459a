package report

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Terminating are pods that are being deleted and still count on a node that the pod fits once they are gone.
type Terminating struct {
	Node  string           `json:"node"`
	Pods  []TerminatingPod `json:"pods"`
	Until metav1.Time      `json:"until"` // when the last of their grace periods ends
}

// TerminatingPod is one of them.
type TerminatingPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// TerminatingSentence says which node the pod fits once pods are gone that are terminating there, and how long that may
// take; "" without such.
func TerminatingSentence(r *Report, now time.Time) string {
	t := r.Terminating
	if t == nil {
		return ""
	}
	var named []string
	for _, pod := range t.Pods {
		named = append(named, pod.Namespace+"/"+pod.Name)
	}
	said := fmt.Sprintf("It fits %s once %s %s", t.Node, grammar.List(named, grammar.Few), grammar.Agree(len(named), "has terminated", "have terminated"))
	if now.IsZero() {
		return said + "."
	}
	return said + ": " + GraceLeft(t.Until.Time, now) + "."
}

// GraceLeft is the rest of a pod's grace period in words.
func GraceLeft(end, now time.Time) string {
	if end.After(now) {
		return model.FormatAge(now, end) + " of grace left"
	}
	return "the grace period ended " + model.FormatAge(end, now) + " ago"
}
