package admission

import (
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaconfig "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
)

// explained reports whether a rule that was read rejects the pod, or one could not be read that may.
func explained(j *Judgement) bool {
	return len(j.given)+len(j.limits)+len(j.security)+len(j.quotas)+len(j.unknown) > 0
}

// changedSince reports whether a quota or a LimitRange of the namespace has changed since kube-apiserver
// last rejected the pod: then what it rejected it for may be gone. Otherwise what rejects the pod
// cannot be read, such as webhooks and kube-apiserver's own configuration.
func (j *Judgement) changedSince() bool {
	last := j.refused.Last
	if last.IsZero() {
		return false
	}
	changed := func(of *metav1.ObjectMeta) bool {
		if of.CreationTimestamp.After(last) {
			return true
		}
		for _, entry := range of.ManagedFields {
			if entry.Time != nil && entry.Time.After(last) {
				return true
			}
		}
		return false
	}
	for i := range j.existing {
		if changed(&j.existing[i].ObjectMeta) {
			return true
		}
	}
	for i := range j.ranges {
		if changed(&j.ranges[i].ObjectMeta) {
			return true
		}
	}
	return false
}

// uncovered is the pod's priority class, where kube-apiserver would reject the pod if its configuration
// requires a quota for that class (limitedResources of the admission plugin ResourceQuota, which the API
// does not tell): no quota of the namespace has it in its scope. "" where one has, or quotas are not known.
func (j *Judgement) uncovered() string {
	class := j.Pod.Spec.PriorityClassName
	if class == "" {
		return ""
	}
	for _, part := range j.unknown {
		if part.Resource == "resourcequotas" {
			return ""
		}
	}
	required := []quotaconfig.LimitedResource{{Resource: "pods", MatchScopes: []corev1.ScopedResourceSelectorRequirement{{
		ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{class},
	}}}}
	_, err := resourcequota.CheckRequest(j.existing, creation(j.Pod), core.NewPodEvaluator(nil, clock.RealClock{}), required)
	if err == nil || quotaAdmits(j.Pod, j.existing) != nil {
		return ""
	}
	return class
}

// framed are what stands before the reason in the message of a pod that was not created: of controllers
// (pkg/controller/controller_utils.go), of StatefulSets (pkg/controller/statefulset/stateful_pod_control.go), and of
// apimachinery's NewInternalError.
var framed = []*regexp.Regexp{
	regexp.MustCompile(`^Error creating: `),
	regexp.MustCompile(`^create Pod \S+ in StatefulSet \S+ failed error: `),
	regexp.MustCompile(`^Internal error occurred: `),
}

// reasonIn is a message from its reason on, to be read where there is little room. Nothing is decided by it.
func reasonIn(message string) string {
	for _, frame := range framed {
		message = frame.ReplaceAllString(message, "")
	}
	return message
}

// otherRules says that what was read does not reject the pod, and what else may.
func otherRules(j *Judgement) string {
	others := "a webhook, a policy"
	if class := j.uncovered(); class != "" {
		others += ", or a quota that it requires for priority class " + class
	}
	if j.changedSince() {
		return fmt.Sprintf("no quota or LimitRange that can be read would reject it now; other rules of kube-apiserver may (%s); its controller tries again within %s", others, retried)
	}
	return fmt.Sprintf("no quota, LimitRange or Pod Security level that can be read would reject it now; other rules of kube-apiserver may (%s); its controller keeps trying", others)
}

// retried is how long a controller waits at most before it tries again: 1000 seconds, by the rate limiter of its
// queue (client-go's DefaultTypedControllerRateLimiter).
const retried = "17 minutes"

// nothingToRaise says why no fix raises a quota where none rejects the pod.
func nothingToRaise(j *Judgement) string {
	const again = " Its controller tries again within " + retried + "."
	if j.changedSince() {
		return "No quota rejects the pod now." + again
	}
	const why = "No quota, LimitRange or Pod Security level that can be read rejects the pod now."
	if class := j.uncovered(); class != "" {
		return fmt.Sprintf("%s If kube-apiserver requires a quota for priority class %s, create one with this class in its scope in namespace %s.", why, class, j.Pod.Namespace)
	}
	return why + " Fix what kube-apiserver's message names." + again
}
