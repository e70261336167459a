package explain

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// newReport says which pod is meant; everything else is still empty, lists as
// empty lists.
func newReport(q *plugins.Question) *report.Report {
	pod, seen := q.Pod, model.NewPod(q.Pod)
	r := &report.Report{
		TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.Kind},
		Pod: report.PodRef{
			Namespace:     pod.Namespace,
			Name:          pod.Name,
			UID:           string(pod.UID),
			Priority:      corev1helpers.PodPriority(pod),
			QOSClass:      string(seen.QOS),
			SchedulerName: scheduler.NameOf(pod),
			Requests:      requests(q.PodInfo, seen.Requests),
		},
		Plugins:   []report.PluginResult{},
		Groups:    []report.Group{},
		Unknown:   []report.UnknownPart{},
		CreatedAt: pod.CreationTimestamp.Time,
	}
	for name, amount := range model.LimitRangeDefaults(pod) {
		if r.Pod.LimitRangeDefaults == nil {
			r.Pod.LimitRangeDefaults = map[string]string{}
		}
		r.Pod.LimitRangeDefaults[string(name)] = amount.String()
	}
	if seen.Owner.Kind != "" {
		r.Pod.Owner = &report.OwnerRef{Kind: seen.Owner.Kind, Name: seen.Owner.Name}
	}
	return r
}

// observe reads what the scheduler itself said last.
func observe(pod *corev1.Pod) report.Observed {
	var observed report.Observed
	condition := scheduler.PodScheduled(pod)
	if condition == nil {
		return observed
	}
	observed.Message, observed.Speaker = condition.Message, report.SpeakerOf(pod, condition)
	if condition.Status == corev1.ConditionFalse && !condition.LastTransitionTime.IsZero() {
		observed.UnschedulableSince = condition.LastTransitionTime.DeepCopy()
	}
	if condition.ObservedGeneration != 0 && pod.Generation != 0 {
		observed.GenerationCurrent = new(condition.ObservedGeneration >= pod.Generation)
	}
	return observed
}

// requests are what the scheduler counts for the pod, without zeros.
// An amount that it overflows on is told as it is written.
func requests(pod fwk.PodInfo, written *model.Resources) map[string]string {
	counted := pod.CalculateResource().Resource
	list := map[string]string{}
	set := func(name corev1.ResourceName, amount int64) {
		if exact, ok := written.Beyond[name]; ok {
			list[string(name)] = exact.String()
		} else if amount != 0 {
			list[string(name)] = quantity.Canonical(name, amount)
		}
	}
	set(corev1.ResourceCPU, counted.GetMilliCPU())
	set(corev1.ResourceMemory, counted.GetMemory())
	set(corev1.ResourceEphemeralStorage, counted.GetEphemeralStorage())
	for name, amount := range counted.GetScalarResources() {
		set(name, amount)
	}
	return list
}
