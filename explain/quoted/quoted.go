// Package quoted puts conditions that controllers write into words. What they mean for a pod is not
// judged here.
package quoted

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Lasting is a clause with how long a condition holds, its reason and its message: "quota is not
// reserved for 12m (Pending): couldn't assign flavors".
func Lasting(clause string, c *metav1.Condition, now time.Time) string {
	if !c.LastTransitionTime.IsZero() {
		clause += " for " + model.FormatAge(c.LastTransitionTime.Time, now)
	}
	return clause + Because(c)
}

// Ago is since when a condition holds: " 3m ago"; "" where that is not known.
func Ago(c *metav1.Condition, now time.Time) string {
	if c.LastTransitionTime.IsZero() {
		return ""
	}
	return " " + model.FormatAge(c.LastTransitionTime.Time, now) + " ago"
}

// Because is a condition's reason and message: " (Pending): couldn't assign flavors".
func Because(c *metav1.Condition) string {
	words := ""
	if c.Reason != "" {
		words = " (" + c.Reason + ")"
	}
	if c.Message != "" {
		words += ": " + strings.TrimSuffix(c.Message, ".")
	}
	return words
}

// Condition is a condition as it is reported.
func Condition(c *metav1.Condition) report.Condition {
	of := report.Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message}
	if !c.LastTransitionTime.IsZero() {
		of.Since = &c.LastTransitionTime
	}
	return of
}
