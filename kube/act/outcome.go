package act

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// outcome is the result of a request to evict or delete a pod.
type outcome struct {
	asked  bool // it was requested, and the server may have done it
	state  plan.PodState
	said   string
	help   string
	budget string
	denied bool          // a right lacks
	pause  time.Duration // that the server asks for before the next try
}

// judge is what an answer of the server means for the pod.
func judge(end *plan.End, err error) outcome {
	if err == nil {
		return outcome{state: plan.PodAsked}
	}
	told := outcome{state: plan.PodFailed, said: wordsOf(err)}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		told.pause = time.Duration(seconds) * time.Second
	}
	switch {
	case refusedForNow(err):
		told.state, told.budget = plan.PodBlocked, budgetOf(end, err)
	case end.How == plan.Deleted && apierrors.IsConflict(err):
		told.help = "it changed meanwhile: plan it again"
	case severalBudgets(err):
		told.help = "keep only one PodDisruptionBudget that selects the pod, then evict it"
	case mayPass(err):
		told.state = plan.PodWaits
	case apierrors.IsForbidden(err):
		told.help, told.denied = forbiddenHelp(end, err), !byPolicy(err)
	default:
		told.help = "do what the message says, then " + verb(end) + " it again"
	}
	return told
}

// refusedForNow reports whether a PodDisruptionBudget rejected the eviction, or a
// webhook that evicts the pod itself and answers in the same way.
func refusedForNow(err error) bool {
	return apierrors.IsTooManyRequests(err) && !throttled(err) || apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause)
}

// throttled reports whether priority and fairness, or a proxy, turned the request away: it
// answers with text and not with a Status.
func throttled(err error) bool {
	return apierrors.IsTooManyRequests(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// mayHaveDone reports whether the pod may be evicted or deleted all the same: where there
// was no answer, where the server had trouble, and where a webhook may evict it itself.
func mayHaveDone(err error) bool {
	return mayBeMade(err) ||
		refusedForNow(err) && !apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause)
}

// severalBudgets reports whether the pod has more than one PodDisruptionBudget: the
// server's only error with that code that has no reason.
func severalBudgets(err error) bool {
	status := statusOf(err)
	return status != nil && status.Code == http.StatusInternalServerError && status.Reason == metav1.StatusReasonUnknown
}

// mayPass reports whether the same may be accepted later: where there was no answer,
// where the server or a webhook has trouble or too many requests, where another client
// was faster, and where the pod's namespace is terminating.
func mayPass(err error) bool {
	return mayBeMade(err) || throttled(err) ||
		apierrors.IsConflict(err) || apierrors.IsUnauthorized(err) || apierrors.IsTimeout(err) ||
		apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// byPolicy reports whether a webhook forbids it and not RBAC, which names an object in its
// details.
func byPolicy(err error) bool {
	details := statusOf(err).Details
	return details == nil || details.Name == "" && details.Kind == ""
}

// forbiddenHelp is for a rejection by RBAC or by a policy.
func forbiddenHelp(end *plan.End, err error) string {
	if byPolicy(err) {
		return "a cluster policy forbids it: do what the message says, then " + verb(end) + " it again"
	}
	right := "create pods/eviction"
	if end.How == plan.Deleted {
		right = "delete pods"
	}
	return fmt.Sprintf("ask for permission to %s in %s, then %s it again", right, model.Clean(end.Pod.Object.Namespace), verb(end))
}

func verb(end *plan.End) string {
	if end.How == plan.Deleted {
		return "delete"
	}
	return "evict"
}

// budgetOf is the name of the budget that rejected it: the server's, or else the
// plan's; "" where neither names one.
func budgetOf(end *plan.End, err error) string {
	if !apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause) {
		return "" // a webhook rejected it
	}
	details := statusOf(err).Details
	if details.Group == policyv1.GroupName && details.Name != "" {
		return model.Clean(details.Name)
	}
	return end.Fate.Budget.Name
}

// wordsOf is the server's whole message, or why there is none.
func wordsOf(err error) string {
	status := statusOf(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, context.Canceled):
		return "interrupted before an answer"
	case status == nil:
		return model.Clean(innermost(err).Error())
	}
	words := []string{status.Message}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			if !strings.Contains(status.Message, cause.Message) {
				words = append(words, cause.Message)
			}
		}
	}
	return model.Clean(strings.Join(words, " "))
}

// innermost is what all the wrapping is about.
func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// statusOf is the answer of the server itself; nil without one.
func statusOf(err error) *metav1.Status {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	answered := status.Status()
	return &answered
}
