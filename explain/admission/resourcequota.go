package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// quotaPlugin is the admission plugin that counts a namespace's resources.
const quotaPlugin = "ResourceQuota"

// quotaRejection is what one quota refuses a pod for: one resource.
type quotaRejection struct {
	namespace, name    string
	resource           corev1.ResourceName // as the quota calls it: "requests.cpu"
	hard, used, wanted resource.Quantity
	unset              []string // containers that have to state it and do not
	scoped             bool     // it counts only the pods of its scopes
	uncounted          bool     // its usage is unknown: the quota controller has not calculated it
}

// quotaAdmits asks the API server's own admission code whether the quotas of a
// pod's namespace let it be created. The error is that code's rejection.
func quotaAdmits(pod *corev1.Pod, quotas []corev1.ResourceQuota) error {
	_, err := resourcequota.CheckRequest(quotas, creation(pod), core.NewPodEvaluator(nil, clock.RealClock{}), nil)
	return err
}

// creation is the request that creates pod, as admission plugins see it.
func creation(pod *corev1.Pod) admission.Attributes {
	return admission.NewAttributesRecord(pod, nil, corev1.SchemeGroupVersion.WithKind("Pod"), pod.Namespace, pod.Name,
		corev1.SchemeGroupVersion.WithResource("pods"), "", admission.Create, &metav1.CreateOptions{}, false, nil)
}

// quotasRefusing finds what of the quotas refuses the pod, by asking about each
// resource of each quota alone.
func quotasRefusing(pod *corev1.Pod, quotas []corev1.ResourceQuota) []quotaRejection {
	var found []quotaRejection
	for i := range quotas {
		quota := &quotas[i]
		if quotaAdmits(pod, []corev1.ResourceQuota{*quota}) == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(quota.Status.Hard)) {
			if r, refuses := quotaOver(pod, quota, name); refuses {
				found = append(found, r)
			}
		}
	}
	return found
}

// quotaOver asks about one resource of a quota.
func quotaOver(pod *corev1.Pod, quota *corev1.ResourceQuota, name corev1.ResourceName) (rejection quotaRejection, refuses bool) {
	only := quota.DeepCopy()
	only.Status.Hard = corev1.ResourceList{name: quota.Status.Hard[name]}
	only.Status.Used = corev1.ResourceList{}
	used, counted := quota.Status.Used[name]
	if counted {
		only.Status.Used[name] = used
	}
	if quotaAdmits(pod, []corev1.ResourceQuota{*only}) == nil {
		return quotaRejection{}, false
	}
	rejection = quotaRejection{
		namespace: quota.Namespace, name: quota.Name, resource: name,
		scoped: len(quota.Spec.Scopes) > 0 || quota.Spec.ScopeSelector != nil,
		hard:   quota.Status.Hard[name], used: used, wanted: usageOf(pod)[name], uncounted: !counted,
	}
	evaluator := core.NewPodEvaluator(nil, clock.RealClock{})
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		alone := pod.DeepCopy()
		alone.Spec.InitContainers, alone.Spec.Containers = nil, []corev1.Container{container}
		if evaluator.Constraints([]corev1.ResourceName{name}, alone) != nil {
			rejection.unset = append(rejection.unset, container.Name)
		}
	}
	return rejection, true
}

// usageOf is what quotas count for a pod.
func usageOf(pod *corev1.Pod) corev1.ResourceList {
	usage, err := core.NewPodEvaluator(nil, clock.RealClock{}).Usage(pod)
	if err != nil { // never, for a pod
		return nil
	}
	return usage
}

// needed is how much the quota would have to allow.
func (r quotaRejection) needed() resource.Quantity {
	needed := r.used.DeepCopy()
	needed.Add(r.wanted)
	return needed
}

// short is how much more the quota would have to allow.
func (r quotaRejection) short() resource.Quantity {
	short := r.needed()
	short.Sub(r.hard)
	return short
}

// title names the quota.
func (r quotaRejection) title() string {
	return fmt.Sprintf("ResourceQuota %s/%s", r.namespace, r.name)
}

// countsFinished reports whether the quota counts pods until they are deleted: as objects, and not only
// while they have not finished, as "pods" does.
func (r quotaRejection) countsFinished() bool { return r.resource == "count/pods" }

// sentence is why the quota refuses.
func (r quotaRejection) sentence() string {
	switch {
	case len(r.unset) > 0:
		return fmt.Sprintf("%s limits %s, but %s does not set it", r.title(), r.resource, containerNames(r.unset))
	case r.uncounted:
		return fmt.Sprintf("%s limits %s, but its usage is not calculated yet", r.title(), r.resource)
	}
	return fmt.Sprintf("%s allows %s %s, %s used, the pod needs %s", r.title(), r.resource,
		quotaAmount(r.resource, r.hard, quantity.RoundedDown), quotaAmount(r.resource, r.used, quantity.RoundedUp),
		quotaAmount(r.resource, r.wanted, quantity.RoundedUp))
}

// rejection is the same in the report's form: hard stands as allocatable, used as
// requested.
func (r quotaRejection) rejection() report.Rejection {
	told := report.Rejection{
		Plugin: quotaPlugin,
		Reason: "exceeded quota: " + r.name,
		What:   r.sentence(),
		Short:  fmt.Sprintf("quota %s: %s", r.name, r.resource),
	}
	number := report.Number{Resource: string(r.resource), Requested: r.used.String(), Allocatable: r.hard.String()}
	switch {
	case len(r.unset) > 0:
		told.Reason, told.Short = "failed quota: "+r.name, told.Short+" not set"
	case r.uncounted:
		told.Reason, number.Requested, number.Wanted = "status unknown for quota: "+r.name, "", r.wanted.String()
	default:
		short := r.short()
		number.Wanted, number.Short = r.wanted.String(), short.String()
	}
	told.Numbers = []report.Number{number}
	return told
}

// fact is the sum behind a rejection; "" where there is none.
func (r quotaRejection) fact() string {
	if len(r.unset) > 0 || r.uncounted {
		return ""
	}
	free := r.hard.DeepCopy()
	free.Sub(r.used)
	return fmt.Sprintf("%s lacks %s %s: the pod needs %s, free %s = hard %s − used %s", r.title(), r.resource,
		quotaAmount(r.resource, r.short(), quantity.RoundedUp),
		quotaAmount(r.resource, r.wanted, quantity.RoundedUp), quotaAmount(r.resource, free, quantity.RoundedDown),
		quotaAmount(r.resource, r.hard, quantity.RoundedDown), quotaAmount(r.resource, r.used, quantity.RoundedUp))
}

// quotaAmount writes an amount of a resource that a quota or a limit range names.
func quotaAmount(name corev1.ResourceName, amount resource.Quantity, round func(corev1.ResourceName, int64) string) string {
	counted := counts(name)
	units, _ := model.Count(counted, amount)
	return round(counted, units)
}

// counts is the resource that a quota counts: cpu for requests.cpu.
func counts(name corev1.ResourceName) corev1.ResourceName {
	for _, prefix := range []string{corev1.DefaultResourceRequestsPrefix, "limits."} {
		if rest, ok := strings.CutPrefix(string(name), prefix); ok {
			return corev1.ResourceName(rest)
		}
	}
	return name
}

// containerNames names containers: "container app".
func containerNames(names []string) string {
	if len(names) == 1 {
		return "container " + names[0]
	}
	return "each of the containers " + grammar.List(names, grammar.Few)
}
