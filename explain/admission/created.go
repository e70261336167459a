package admission

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Created counts how many of the pods would be created one after the other, at most so
// many, and says what rejects the next one; nil: nothing that is known.
func (j *Judgement) Created(most int) (n int, next []report.Rejection) {
	if rejected := slices.Concat(j.given, j.limits, j.security); len(rejected) > 0 {
		return 0, rejected
	}
	if j.message != "" {
		return 0, j.dryRunRejections()
	}
	quotas := copied(j.existing)
	if n = created(j.Pod, quotas, most); n == most {
		return n, nil
	}
	for _, r := range quotasRefusing(j.Pod, quotas) {
		next = append(next, r.rejection())
	}
	return n, next
}

// Unknown is what could not be read of the rules that may reject the pod.
func (j *Judgement) Unknown() []report.UnknownPart { return j.unknown }

// RuleOf names what a part that could not be read decides about: "a LimitRange".
func RuleOf(part report.UnknownPart) string {
	switch part.Resource {
	case "limitranges":
		return "a LimitRange"
	case "resourcequotas":
		return "a ResourceQuota"
	}
	return "Pod Security"
}

// created counts how many such pods the quotas let be created one after the
// other, at most so many.
func created(pod *corev1.Pod, quotas []corev1.ResourceQuota, most int) int {
	if len(quotas) == 0 {
		return most
	}
	for n := range most {
		if quotaAdmits(pod, quotas) != nil {
			return n
		}
		charge(quotas, pod, 1)
	}
	return most
}

// charge adds the usage of so many equal pods to what the quotas that count them have as used; of
// a negative number it is taken off.
func charge(quotas []corev1.ResourceQuota, pod *corev1.Pod, pods int) {
	evaluator, usage := core.NewPodEvaluator(nil, clock.RealClock{}), usageOf(pod)
	for i := range quotas {
		if matches, err := evaluator.Matches(&quotas[i], pod); err != nil || !matches {
			continue
		}
		for name, used := range quotas[i].Status.Used {
			amount := usage[name].DeepCopy()
			amount.Mul(int64(pods))
			used.Add(amount)
			quotas[i].Status.Used[name] = used
		}
	}
}

// copied are copies of the quotas, which may be changed.
func copied(quotas []corev1.ResourceQuota) []corev1.ResourceQuota {
	copies := make([]corev1.ResourceQuota, 0, len(quotas))
	for i := range quotas {
		copies = append(copies, *quotas[i].DeepCopy())
	}
	return copies
}
