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

// outcome is what came of asking for the end of a pod.
type outcome struct {
	state  plan.PodState
	said   string
	help   string
	budget string
	pause  time.Duration // that the server asks for before the next try
}

// judge tells what an answer of the server means for the pod.
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
		told.state, told.budget = plan.PodRefused, budgetOf(end, err)
	case end.How == plan.Deleted && apierrors.IsConflict(err):
		told.help = "it changed while you read: plan it again"
	case severalBudgets(err):
		told.help = "leave one PodDisruptionBudget that selects the pod, then evict it"
	case mayPass(err):
		told.state = plan.PodWaits
	case apierrors.IsForbidden(err):
		told.help = forbiddenHelp(end, err)
	default:
		told.help = "do what the words say, then " + verb(end) + " it again"
	}
	return told
}

// refusedForNow says whether a PodDisruptionBudget refused, or a webhook in the
// way in which one does that sees to the pod's end by itself.
func refusedForNow(err error) bool {
	return apierrors.IsTooManyRequests(err) || apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause)
}

// severalBudgets says whether the pod has more than one PodDisruptionBudget: the
// server's only error with that code that has no reason.
func severalBudgets(err error) bool {
	status := statusOf(err)
	return status != nil && status.Code == http.StatusInternalServerError && status.Reason == metav1.StatusReasonUnknown
}

// mayPass says whether the same may be accepted later: where there was no answer,
// where the server or a webhook has trouble, where another client was quicker,
// and where the pod's namespace ends, and the pod with it.
func mayPass(err error) bool {
	status := statusOf(err)
	return status == nil || status.Code >= http.StatusInternalServerError ||
		apierrors.IsConflict(err) || apierrors.IsUnauthorized(err) || apierrors.IsTimeout(err) ||
		apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// forbiddenHelp is for a refusal by the user's rights or by a policy. What a
// webhook forbids has no object in its details, what a right forbids has.
func forbiddenHelp(end *plan.End, err error) string {
	if details := statusOf(err).Details; details == nil || details.Name == "" && details.Kind == "" {
		return "a policy of the cluster forbids it: do what it says, then " + verb(end) + " it again"
	}
	right := "create pods/eviction"
	if end.How == plan.Deleted {
		right = "delete pods"
	}
	return fmt.Sprintf("ask for the right to %s in %s, then %s it again", right, model.Clean(end.Pod.Object.Namespace), verb(end))
}

func verb(end *plan.End) string {
	if end.How == plan.Deleted {
		return "delete"
	}
	return "evict"
}

// budgetOf is the name of the budget that refused: the server's, or else the
// plan's; "" where neither names one.
func budgetOf(end *plan.End, err error) string {
	if !apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause) {
		return "" // a webhook refused
	}
	details := statusOf(err).Details
	if details.Group == policyv1.GroupName && details.Name != "" {
		return model.Clean(details.Name)
	}
	return end.Fate.Budget.Name
}

// wordsOf are the server's whole words, or why there are none.
func wordsOf(err error) string {
	status := statusOf(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
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

// statusOf is the answer of the server itself; nil where it gave none.
func statusOf(err error) *metav1.Status {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	answered := status.Status()
	return &answered
}
