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
	quota "k8s.io/apiserver/pkg/quota/v1"
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
	also               []unset  // of the other resources of the quota that containers have to state and do not
	who                string   // what is rejected: "the pod", "claim shop/data-db-3"
	scoped             bool     // it counts only the pods of its scopes
	uncounted          bool     // its usage is unknown: the quota controller has not calculated it
}

// unset is a resource that containers have to state and do not.
type unset struct {
	resource   corev1.ResourceName
	containers []string
	hard, used resource.Quantity
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

// counted is an object that somebody creates, and who counts it for quotas.
type counted struct {
	who       string
	request   admission.Attributes
	evaluator quota.Evaluator
	usage     corev1.ResourceList
}

// admits is quotaAdmits for the object.
func (c *counted) admits(quotas ...corev1.ResourceQuota) error {
	_, err := resourcequota.CheckRequest(quotas, c.request, c.evaluator, nil)
	return err
}

// quotasRefusing finds what of the quotas refuses the pod, by asking about each
// resource of each quota alone.
func quotasRefusing(pod *corev1.Pod, quotas []corev1.ResourceQuota) []quotaRejection {
	found := refusing(&counted{"the pod", creation(pod), core.NewPodEvaluator(nil, clock.RealClock{}), usageOf(pod)}, quotas)
	var told []quotaRejection
	for _, r := range found {
		r.unset = unsetIn(pod, r.resource)
		first := slices.IndexFunc(told, func(other quotaRejection) bool { return other.name == r.name && len(other.unset) > 0 })
		if len(r.unset) > 0 && first >= 0 { // one rejection of all of them, as by kube-apiserver
			told[first].also = append(told[first].also, unset{r.resource, r.unset, r.hard, r.used})
			continue
		}
		told = append(told, r)
	}
	return told
}

// ClaimRejections is what of the quotas rejects a claim that a StatefulSet would create for a pod: the pod is not
// created then. Empty: they admit it.
func ClaimRejections(claim *corev1.PersistentVolumeClaim, quotas []corev1.ResourceQuota) []report.Rejection {
	evaluator := core.NewPersistentVolumeClaimEvaluator(nil)
	usage, err := evaluator.Usage(claim)
	if err != nil { // never, for a claim
		return nil
	}
	var told []report.Rejection
	for _, r := range refusing(&counted{"its claim " + claim.Namespace + "/" + claim.Name, claimCreation(claim), evaluator, usage}, quotas) {
		told = append(told, r.rejection())
	}
	return told
}

// claimCreation is the request that creates a claim, as admission plugins see it.
func claimCreation(claim *corev1.PersistentVolumeClaim) admission.Attributes {
	return admission.NewAttributesRecord(claim, nil, corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"), claim.Namespace, claim.Name,
		corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims"), "", admission.Create, &metav1.CreateOptions{}, false, nil)
}

// refusing finds what of the quotas refuses an object.
func refusing(c *counted, quotas []corev1.ResourceQuota) []quotaRejection {
	var found []quotaRejection
	for i := range quotas {
		if c.admits(quotas[i]) == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(quotas[i].Status.Hard)) {
			if r, refuses := quotaOver(c, &quotas[i], name); refuses {
				found = append(found, r)
			}
		}
	}
	return found
}

// quotaOver asks about one resource of a quota.
func quotaOver(c *counted, of *corev1.ResourceQuota, name corev1.ResourceName) (rejection quotaRejection, refuses bool) {
	only := of.DeepCopy()
	only.Status.Hard = corev1.ResourceList{name: of.Status.Hard[name]}
	only.Status.Used = corev1.ResourceList{}
	used, known := of.Status.Used[name]
	if known {
		only.Status.Used[name] = used
	}
	if c.admits(*only) == nil {
		return quotaRejection{}, false
	}
	return quotaRejection{
		namespace: of.Namespace, name: of.Name, resource: name, who: c.who,
		scoped: len(of.Spec.Scopes) > 0 || of.Spec.ScopeSelector != nil,
		hard:   of.Status.Hard[name], used: used, wanted: c.usage[name], uncounted: !known,
	}, true
}

// unsetIn are the containers of a pod that have to state a resource for a quota and do not.
func unsetIn(pod *corev1.Pod, name corev1.ResourceName) (containers []string) {
	evaluator := core.NewPodEvaluator(nil, clock.RealClock{})
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		alone := pod.DeepCopy()
		alone.Spec.InitContainers, alone.Spec.Containers = nil, []corev1.Container{container}
		if evaluator.Constraints([]corev1.ResourceName{name}, alone) != nil {
			containers = append(containers, container.Name)
		}
	}
	return containers
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
		return fmt.Sprintf("%s limits %s, but %s", r.title(), grammar.List(r.unsetResources(), grammar.Many), r.unsetWords())
	case r.uncounted:
		return fmt.Sprintf("%s limits %s, but its usage is not calculated yet", r.title(), r.resource)
	}
	return fmt.Sprintf("%s allows %s %s, %s used, %s needs %s", r.title(), r.resource,
		quotaAmount(r.resource, r.hard, quantity.RoundedDown), quotaAmount(r.resource, r.used, quantity.RoundedUp),
		r.who, quotaAmount(r.resource, r.wanted, quantity.RoundedUp))
}

// unsetResources are all resources of the quota that containers have to state and do not.
func (r quotaRejection) unsetResources() []string {
	resources := []string{string(r.resource)}
	for _, other := range r.also {
		resources = append(resources, string(other.resource))
	}
	return resources
}

// unsetWords say which containers do not state what: "container app does not set it".
func (r quotaRejection) unsetWords() string {
	all := append([]unset{{resource: r.resource, containers: r.unset}}, r.also...)
	if !slices.ContainsFunc(all, func(one unset) bool { return !slices.Equal(one.containers, r.unset) }) {
		return containerNames(r.unset) + " does not set " + grammar.Agree(len(all), "it", "them")
	}
	clauses := make([]string, len(all))
	for i, one := range all {
		clauses[i] = containerNames(one.containers) + " does not set " + string(one.resource)
	}
	return grammar.List(clauses, grammar.Many)
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
		told.Reason, told.Short = "failed quota: "+r.name, fmt.Sprintf("quota %s: %s not set", r.name, strings.Join(r.unsetResources(), ", "))
	case r.uncounted:
		told.Reason, number.Requested, number.Wanted = "status unknown for quota: "+r.name, "", r.wanted.String()
	default:
		short := r.short()
		number.Wanted, number.Short = r.wanted.String(), short.String()
	}
	told.Numbers = []report.Number{number}
	for _, other := range r.also {
		hard, used := other.hard, other.used
		told.Numbers = append(told.Numbers, report.Number{Resource: string(other.resource), Requested: used.String(), Allocatable: hard.String()})
	}
	return told
}

// fact is the sum behind a rejection; "" where there is none.
func (r quotaRejection) fact() string {
	if len(r.unset) > 0 || r.uncounted {
		return ""
	}
	free := r.hard.DeepCopy()
	free.Sub(r.used)
	return fmt.Sprintf("%s lacks %s %s: %s needs %s, free %s = hard %s − used %s", r.title(), r.resource,
		quotaAmount(r.resource, r.short(), quantity.RoundedUp), r.who,
		quotaAmount(r.resource, r.wanted, quantity.RoundedUp), quotaAmount(r.resource, free, quantity.RoundedDown),
		quotaAmount(r.resource, r.hard, quantity.RoundedDown), quotaAmount(r.resource, r.used, quantity.RoundedUp))
}

// quotaAmount writes an amount of a resource that a quota or a limit range names.
func quotaAmount(name corev1.ResourceName, amount resource.Quantity, round func(corev1.ResourceName, int64) string) string {
	counted := counts(name)
	units, _ := model.Count(counted, amount)
	return round(counted, units)
}

// ofClass separates a StorageClass from what a quota counts of it.
const ofClass = ".storageclass.storage.k8s.io/"

// counts is the resource that a quota counts: cpu for requests.cpu.
func counts(name corev1.ResourceName) corev1.ResourceName {
	if _, rest, cut := strings.Cut(string(name), ofClass); cut {
		name = corev1.ResourceName(rest)
	}
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
