package admission

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// limitPlugin is the admission plugin that applies LimitRanges.
const limitPlugin = "LimitRanger"

// ApplyLimitRanges does to pod what the API server does with the LimitRanges of
// its namespace: it fills in the requests and limits that they give, then asks
// each of them, and validates what was filled in. The rejections are those of the
// API server's own code.
func ApplyLimitRanges(pod *corev1.Pod, ranges []corev1.LimitRange) ([]report.Rejection, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	ranges = withDefaults(ranges)
	var internal core.Pod
	if err := corev1rules.Convert_v1_Pod_To_core_Pod(pod, &internal, nil); err != nil {
		return nil, fmt.Errorf("apply LimitRanges: %w", err)
	}
	var given []defaulted
	for i := range ranges {
		before := internal.DeepCopy()
		if err := limitranger.PodMutateLimitFunc(&ranges[i], &internal); err != nil {
			return nil, fmt.Errorf("apply LimitRange %s: %w", ranges[i].Name, err)
		}
		given = append(given, defaultedBy(&ranges[i], before, &internal)...)
	}
	if err := corev1rules.Convert_core_Pod_To_v1_Pod(&internal, pod, nil); err != nil {
		return nil, fmt.Errorf("apply LimitRanges: %w", err)
	}
	var rejections []report.Rejection
	for i := range ranges {
		if limitranger.PodValidateLimitFunc(&ranges[i], &internal) == nil {
			continue
		}
		found, err := limitsRefusing(pod, &ranges[i])
		if err != nil {
			return nil, fmt.Errorf("ask LimitRange %s: %w", ranges[i].Name, err)
		}
		rejections = append(rejections, found...)
	}
	return append(rejections, contradictions(given)...), nil
}

// withDefaults are LimitRanges as the API server stores them: of one that was written by hand, a maximum is the default
// limit too.
func withDefaults(ranges []corev1.LimitRange) []corev1.LimitRange {
	all := make([]corev1.LimitRange, len(ranges))
	for i := range ranges {
		all[i] = *ranges[i].DeepCopy()
		for item := range all[i].Spec.Limits {
			corev1rules.SetDefaults_LimitRangeItem(&all[i].Spec.Limits[item])
		}
	}
	return all
}

// limitRule is one figure of a LimitRange.
type limitRule struct {
	of       *corev1.LimitRange
	subject  corev1.LimitType // Pod or Container
	bound    string           // "min", "max" or "ratio"
	resource corev1.ResourceName
	figure   resource.Quantity
}

// rulesOf takes a LimitRange apart.
func rulesOf(of *corev1.LimitRange) []limitRule {
	var rules []limitRule
	for _, item := range of.Spec.Limits {
		for _, bound := range []struct {
			name  string
			lists corev1.ResourceList
		}{{"min", item.Min}, {"max", item.Max}, {"ratio", item.MaxLimitRequestRatio}} {
			for _, name := range slices.Sorted(maps.Keys(bound.lists)) {
				rules = append(rules, limitRule{of, item.Type, bound.name, name, bound.lists[name]})
			}
		}
	}
	return rules
}

// alone is a LimitRange of this rule only.
func (r limitRule) alone() *corev1.LimitRange {
	item, only := corev1.LimitRangeItem{Type: r.subject}, corev1.ResourceList{r.resource: r.figure}
	switch r.bound {
	case "min":
		item.Min = only
	case "max":
		item.Max = only
	default:
		item.MaxLimitRequestRatio = only
	}
	return &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.of.Namespace, Name: r.of.Name},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}},
	}
}

// limitsRefusing finds which figures of a LimitRange the pod, or which of its
// containers, goes beyond, by asking about each alone.
func limitsRefusing(pod *corev1.Pod, of *corev1.LimitRange) ([]report.Rejection, error) {
	broken, err := brokenRules(pod, of)
	if err != nil {
		return nil, err
	}
	var found []report.Rejection
	for _, b := range broken {
		found = append(found, b.rejection(b.by))
	}
	return found, nil
}

// brokenRule is a figure of a LimitRange, and what goes beyond it.
type brokenRule struct {
	limitRule
	by limited
}

// brokenRules asks about each figure of a LimitRange alone.
func brokenRules(pod *corev1.Pod, of *corev1.LimitRange) ([]brokenRule, error) {
	var found []brokenRule
	for _, rule := range rulesOf(of) {
		for _, subject := range rule.subjects(pod) {
			var internal core.Pod
			if err := corev1rules.Convert_v1_Pod_To_core_Pod(subject.pod, &internal, nil); err != nil {
				return nil, err
			}
			if limitranger.PodValidateLimitFunc(rule.alone(), &internal) != nil {
				found = append(found, brokenRule{rule, subject})
			}
		}
	}
	return found, nil
}

// limited is what a rule is about: the pod, or one of its containers.
type limited struct {
	pod              *corev1.Pod // of nothing else
	who              string
	requests, limits corev1.ResourceList
	container        *corev1.Container // of the pod that was asked about; nil: the rule is about several together
}

// subjects are what the rule is about.
func (r limitRule) subjects(pod *corev1.Pod) []limited {
	switch r.subject {
	case corev1.LimitTypePod:
		options := resourcehelper.PodResourcesOptions{}
		return []limited{{pod, "the pod", resourcehelper.PodRequests(pod, options), resourcehelper.PodLimits(pod, options), onlyContainer(pod)}}
	case corev1.LimitTypeContainer:
		var all []limited
		for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
			for i := range containers {
				c := &containers[i]
				alone := pod.DeepCopy()
				alone.Spec.InitContainers, alone.Spec.Containers = nil, []corev1.Container{*c}
				all = append(all, limited{alone, "container " + c.Name, c.Resources.Requests, c.Resources.Limits, c})
			}
		}
		return all
	}
	return nil // of claims
}

// onlyContainer is that of a pod which has no other one and no requests of its own; nil otherwise.
func onlyContainer(pod *corev1.Pod) *corev1.Container {
	if len(pod.Spec.InitContainers) > 0 || len(pod.Spec.Containers) != 1 || pod.Spec.Resources != nil {
		return nil
	}
	return &pod.Spec.Containers[0]
}

// rejection says what exceeds the rule.
func (r limitRule) rejection(of limited) report.Rejection {
	figure := quotaAmount(r.resource, r.figure, quantity.RoundedDown)
	var allows string
	switch r.bound {
	case "min":
		figure = quotaAmount(r.resource, r.figure, quantity.RoundedUp)
		allows = fmt.Sprintf("requires at least %s %s per %s", r.resource, figure, r.subject)
	case "max":
		allows = fmt.Sprintf("allows at most %s %s per %s", r.resource, figure, r.subject)
	default:
		figure = r.figure.String()
		allows = fmt.Sprintf("allows at most %s for %s limit / request per %s", figure, r.resource, r.subject)
	}
	has, wanted := r.has(of)
	short := fmt.Sprintf("LimitRange %s: %s %s %s", r.of.Name, r.bound, r.resource, figure)
	if wanted == "" {
		short += ", " + has
	}
	return report.Rejection{
		Plugin:  limitPlugin,
		Reason:  fmt.Sprintf("%s %s of LimitRange %s", r.bound, r.resource, r.of.Name),
		What:    fmt.Sprintf("LimitRange %s/%s %s, %s %s", r.of.Namespace, r.of.Name, allows, of.who, has),
		Numbers: []report.Number{{Resource: string(r.resource), Wanted: wanted, Allocatable: r.figure.String()}},
		Short:   short,
	}
}

// has is what the subject has where the rule requires something else, in words and
// as a quantity; "" where it states none. Of several, it is the one that the API
// server reports.
func (r limitRule) has(of limited) (words, amount string) {
	request, requested := of.requests[r.resource]
	limit, bounded := of.limits[r.resource]
	switch {
	case r.bound != "max" && (!requested || r.bound == "ratio" && request.IsZero()):
		return "has no request", ""
	case r.bound != "min" && (!bounded || r.bound == "ratio" && limit.IsZero()):
		return "has no limit", ""
	case r.bound == "ratio":
		ratio := fmt.Sprintf("%.3g", limit.AsApproximateFloat64()/request.AsApproximateFloat64())
		return fmt.Sprintf("has limit %s / request %s = %s", quotaAmount(r.resource, limit, quantity.Exact), quotaAmount(r.resource, request, quantity.Exact), ratio), ratio
	case r.bound == "min" && request.Cmp(r.figure) < 0, r.bound == "max" && limit.Cmp(r.figure) <= 0:
		return "requests " + quotaAmount(r.resource, request, r.away()), request.String()
	}
	return "has limit " + quotaAmount(r.resource, limit, r.away()), limit.String()
}

// away rounds what is beyond the rule's figure away from it.
func (r limitRule) away() func(corev1.ResourceName, int64) string {
	if r.bound == "min" {
		return quantity.RoundedDown
	}
	return quantity.RoundedUp
}
