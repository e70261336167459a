package summary

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// resizeWords are what the kubelet does with a resize in place, by its state.
var resizeWords = map[string]struct{ state, words string }{
	model.ResizeDeferred:   {"deferred", "is deferred%s: the node does not have enough free now"},
	model.ResizeInfeasible: {"infeasible", "is infeasible%s: the node can never grant it"},
	model.ResizeInProgress: {"in progress", "has been in progress%s"},
	model.ResizeError:      {"fails", "has failed%s: the kubelet tries again"},
}

// tellResize adds how far the kubelet is with a resize in place of a running pod, if one is under way.
func tellResize(q *podQuestion, told *overall) {
	r := model.ResizeOf(q.Pod)
	is, known := resizeWords[r.State]
	if !known {
		return
	}
	since := ""
	if !r.Since.IsZero() {
		since = " for " + model.FormatAge(r.Since, q.Now)
	}
	told.summary += fmt.Sprintf(" Its resize%s "+is.words+".", desired(q), since)
	told.why += "; resize " + is.state
	if r.Message != "" {
		told.facts = append(told.facts, "kubelet's message: "+r.Message)
	}
	if r.State == model.ResizeDeferred || r.State == model.ResizeInfeasible {
		told.facts = append(told.facts, "The view Resizes (get resizes) shows what the node lacks, and which pods of lower priority hold it.")
	}
}

// desired is what the pod's spec requests of what can be resized: " to cpu 4 and memory 8Gi".
func desired(q *podQuestion) string {
	spec := resourcehelper.PodRequests(q.Pod, resourcehelper.PodResourcesOptions{})
	var said []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if amount, _ := model.Count(name, spec[name]); amount > 0 {
			said = append(said, string(name)+" "+quantity.RoundedUp(name, amount))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " to " + strings.Join(said, " and ")
}
