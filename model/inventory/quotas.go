package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Quota is a ResourceQuota, or a namespace that has a LimitRange and no ResourceQuota;
// then Name is "".
type Quota struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Scopes are the pods that it counts, "BestEffort", "PriorityClass In high"; none is all.
	Scopes []string `json:"scopes"`
	// Hard and Used are those of its status; Used is nil before there is one.
	Hard corev1.ResourceList `json:"hard"`
	Used corev1.ResourceList `json:"used"`
	// Fullest is the resource of which most is used, and Percent how much; "" and nil
	// where that is not known or nothing is limited.
	Fullest corev1.ResourceName `json:"fullest"`
	Percent *int                `json:"percent"`
	// UsualPod is the median of what the quota counts over the pods that it counts.
	UsualPod corev1.ResourceList `json:"usualPod"`
	// MorePods is how many more such pods the quota allows, and LimitedBy the resource
	// that ends first, or that most of these pods would have to set and do not: then the
	// quota allows none. nil and "" where that is not known, as where it counts claims that are
	// made for each of these pods.
	MorePods  *int64              `json:"morePods"`
	LimitedBy corev1.ResourceName `json:"limitedBy"`
	// LimitsNoPods says that it limits nothing of which pods, or claims that are made for them, are a part:
	// MorePods is nil then.
	LimitsNoPods bool `json:"limitsNoPods,omitempty"`
	// LimitRanges are those of the namespace that have defaults, and DefaultedPods how
	// many pods of it got some; nil where it is not known.
	LimitRanges   []Defaults `json:"limitRanges"`
	DefaultedPods *int       `json:"defaultedPods"`
	// WithDefaults are the pods that DefaultedPods counts; left out where there are none, or where
	// they are not known.
	WithDefaults []DefaultedPod `json:"podsWithDefaults,omitempty"`

	Pods int `json:"-"` // that UsualPod is of
	// DefaultedRequests and DefaultedLimits are how many of DefaultedPods got requests, and limits.
	DefaultedRequests, DefaultedLimits int `json:"-"`
	// Users are those that the fullest resource is used by, the most first; nil where the quota
	// counts no pods under that name, or where pods are not known.
	Users  []User                `json:"-"`
	Object *corev1.ResourceQuota `json:"-"` // nil without a quota
}

// FinishedPods is the name of a User that stands for all pods that have finished.
const FinishedPods = "finished pods"

// User is a workload, or a pod without one, as it counts in a quota.
type User struct {
	Name   string // "deployment/web", "pod/debug"
	Pods   int
	Amount int64 // of the fullest resource, in the unit that the scheduler counts in
}

// Defaults are what a LimitRange gives containers that name no requests or limits.
type Defaults struct {
	Name     string              `json:"name"`
	Requests corev1.ResourceList `json:"defaultRequest"`
	Limits   corev1.ResourceList `json:"default"`
}

// DefaultedPod is a pod with requests or limits that LimitRanges set.
type DefaultedPod struct {
	Name string `json:"name"`
	// Requests are the defaults among what its containers request, init containers apart; left out where
	// only limits or init containers got some.
	Requests corev1.ResourceList `json:"requests,omitempty"`
}

// withDefaults are the pods that got requests or limits of LimitRanges, by name.
func withDefaults(pods []*model.Pod) []DefaultedPod {
	var all []DefaultedPod
	for _, pod := range pods {
		if model.HasLimitRangeDefaults(pod.Object) {
			all = append(all, DefaultedPod{Name: pod.Object.Name, Requests: model.LimitRangeDefaults(pod.Object)})
		}
	}
	slices.SortFunc(all, func(a, b DefaultedPod) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Quotas are the ResourceQuotas, the fullest first, then namespaces that only have a
// LimitRange with defaults. Where limits are not known, neither are defaults.
func Quotas(s *model.Snapshot, quotas []*corev1.ResourceQuota, limits []*corev1.LimitRange, limitsKnown bool) []Quota {
	defaults := defaultsOf(limits)
	all := make([]Quota, 0, len(quotas))
	limited := map[string]bool{}
	for _, object := range quotas {
		limited[object.Namespace] = true
		all = append(all, newQuota(object))
	}
	for namespace := range defaults {
		if !limited[namespace] {
			all = append(all, Quota{Namespace: namespace, Scopes: []string{}, Hard: corev1.ResourceList{}, Used: corev1.ResourceList{}})
		}
	}
	pods := podsOf(s)
	for i := range all {
		q := &all[i]
		own, known := pods[q.Namespace], podsKnown(s, q.Namespace)
		if limitsKnown {
			q.LimitRanges = append([]Defaults{}, defaults[q.Namespace]...)
		}
		var of []*model.Pod
		if known {
			of = own
			if q.Object != nil {
				of = counted(&q.Object.Spec, own)
			}
			q.measure(of)
			q.Users = heaviestIn(q, of, finishedIn(s, q.Namespace))
			q.WithDefaults = withDefaults(own)
			q.DefaultedPods = new(len(q.WithDefaults))
			q.DefaultedRequests = count(own, func(p *model.Pod) bool { return model.HasDefaultRequests(p.Object) })
			q.DefaultedLimits = count(own, func(p *model.Pod) bool { return model.HasDefaultLimits(p.Object) })
		}
		q.LimitsNoPods = q.Object != nil && limitsNoPods(q, of)
	}
	slices.SortFunc(all, compareQuotas)
	return all
}

// compareQuotas puts the fullest first, and what has no quota last.
func compareQuotas(a, b Quota) int {
	percent := func(q Quota) int {
		switch {
		case q.Object == nil:
			return -2
		case q.Percent == nil:
			return -1
		}
		return *q.Percent
	}
	return cmp.Or(cmp.Compare(percent(b), percent(a)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// newQuota is a quota by its status.
func newQuota(object *corev1.ResourceQuota) Quota {
	q := Quota{
		Namespace: object.Namespace, Name: object.Name, Object: object, Scopes: scopes(&object.Spec),
		Hard: object.Status.Hard, Used: object.Status.Used,
	}
	if q.Hard == nil { // the controller has not seen it yet
		q.Hard = object.Spec.Hard
	}
	if q.Hard == nil {
		q.Hard = corev1.ResourceList{}
	}
	for _, name := range q.Resources() {
		if percent, known := q.PercentOf(name); known && (q.Percent == nil || percent > *q.Percent) {
			q.Fullest, q.Percent = name, new(percent)
		}
	}
	return q
}

// scopes say which pods a quota counts.
func scopes(spec *corev1.ResourceQuotaSpec) []string {
	words := []string{}
	for _, scope := range spec.Scopes {
		words = append(words, string(scope))
	}
	if spec.ScopeSelector == nil {
		return words
	}
	for _, term := range spec.ScopeSelector.MatchExpressions {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s %s", term.ScopeName, term.Operator, strings.Join(term.Values, ","))))
	}
	return words
}

// Resources are the names of what the quota limits, the fullest first.
func (q *Quota) Resources() []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(q.Hard))
	for name := range q.Hard {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b corev1.ResourceName) int {
		first, _ := q.PercentOf(a)
		second, _ := q.PercentOf(b)
		return cmp.Or(cmp.Compare(second, first), cmp.Compare(a, b))
	})
	return names
}

// PercentOf is how much of a resource is used; unknown before the quota has a status. A hard
// limit of 0 on pods, or on cpu or memory, is full. On anything else it says that there are to be none
// of these, and is 0% used.
func (q *Quota) PercentOf(name corev1.ResourceName) (percent int, known bool) {
	used, hard, known := q.Amounts(name)
	if known && hard <= 0 && (countsPods(name) || slices.Contains(mustBeSet, name)) {
		return 100, true
	}
	return model.Percent(used, hard), known
}

// countsPods reports whether a quota counts each pod as one under a name.
func countsPods(name corev1.ResourceName) bool {
	return name == corev1.ResourcePods || name == "count/pods"
}

// Amounts are what is used of a resource and its limit, in the units that the scheduler
// counts in.
func (q *Quota) Amounts(name corev1.ResourceName) (used, hard int64, known bool) {
	quantity, known := q.Used[name]
	used, _ = model.Count(Counted(name), quantity)
	hard, _ = model.Count(Counted(name), q.Hard[name])
	return used, hard, known
}

// Counted is the resource that a quota limits by a name: cpu of "requests.cpu". A count of
// objects goes by its own name.
func Counted(name corev1.ResourceName) corev1.ResourceName {
	text := string(name)
	for _, head := range []string{corev1.DefaultResourceRequestsPrefix, "limits."} {
		if rest, ok := strings.CutPrefix(text, head); ok {
			return corev1.ResourceName(rest)
		}
	}
	return name
}

// amountOf is what a quota counts for a pod under a name; 0 for what it does not count
// for pods.
func amountOf(pod *model.Pod, name corev1.ResourceName) int64 {
	switch {
	case countsPods(name):
		return 1
	case strings.HasPrefix(string(name), "limits."):
		return pod.Limits.Of(Counted(name))
	}
	return pod.Requests.Of(Counted(name))
}

// mustBeSet are the resources that each container of a new pod has to set where a quota limits
// them (validationSet in pkg/quota/v1/evaluator/core): "must specify limits.cpu".
var mustBeSet = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceRequestsCPU, corev1.ResourceLimitsCPU,
	corev1.ResourceMemory, corev1.ResourceRequestsMemory, corev1.ResourceLimitsMemory,
}

// sets reports whether requests and limits have the resource that a quota limits by a name.
func sets(requests, limits corev1.ResourceList, name corev1.ResourceName) bool {
	list := requests
	if strings.HasPrefix(string(name), "limits.") {
		list = limits
	}
	_, set := list[Counted(name)]
	return set
}

// leavesUnset reports whether kube-apiserver would reject another such pod where a quota limits
// the resource (Constraints in pkg/quota/v1/evaluator/core), whatever is left of it.
func leavesUnset(pod *corev1.Pod, name corev1.ResourceName) bool {
	if !slices.Contains(mustBeSet, name) || resourcehelper.IsPodLevelResourcesSet(pod) {
		return false
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if of := &containers[i].Resources; !sets(of.Requests, of.Limits, name) {
				return true
			}
		}
	}
	return false
}

// unset reports whether most of the pods, and so the usual one, leave unset what new pods have
// to set. A LimitRange may set it for them; older pods it leaves as they are.
func (q *Quota) unset(pods []*model.Pod, name corev1.ResourceName) bool {
	for _, d := range q.LimitRanges {
		if sets(d.Requests, d.Limits, name) {
			return false
		}
	}
	return count(pods, func(p *model.Pod) bool { return leavesUnset(p.Object, name) }) > len(pods)/2
}

// finishedIn counts the pods of a namespace that have finished and are not deleted.
func finishedIn(s *model.Snapshot, namespace string) (n int) {
	for _, pod := range s.Pods {
		if pod.Object.Namespace == namespace && pod.Finished() {
			n++
		}
	}
	return n
}

// heaviestIn sums up what the quota counts under its fullest resource for the pods of each workload. As
// objects, finished pods count too.
func heaviestIn(q *Quota, pods []*model.Pod, finished int) []User {
	if q.Fullest == "" {
		return nil
	}
	at := map[string]int{}
	var users []User
	if q.Fullest == "count/pods" && finished > 0 && len(q.Scopes) == 0 {
		users = append(users, User{Name: FinishedPods, Pods: finished, Amount: int64(finished)})
	}
	for _, pod := range pods {
		amount := amountOf(pod, q.Fullest)
		if amount == 0 {
			continue
		}
		name := cmp.Or(pod.Owner.String(), "pod/"+pod.Object.Name)
		if _, known := at[name]; !known {
			at[name] = len(users)
			users = append(users, User{Name: name})
		}
		user := &users[at[name]]
		user.Pods, user.Amount = user.Pods+1, user.Amount+amount
	}
	slices.SortFunc(users, func(a, b User) int { return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Name, b.Name)) })
	return users
}

// measure says how many more pods of the usual size the quota allows.
func (q *Quota) measure(pods []*model.Pod) {
	q.Pods = len(pods)
	q.UsualPod = corev1.ResourceList{}
	if len(pods) == 0 {
		q.measureEmpty()
		return
	}
	all, claims := true, false
	var unset corev1.ResourceName
	for _, name := range q.Resources() {
		used, hard, known := q.Amounts(name)
		if q.unset(pods, name) {
			unset, all = cmp.Or(unset, name), all && known
		}
		usual := usualAmount(pods, name)
		claims = claims || countsClaims(pods, name)
		if usual <= 0 {
			continue
		}
		q.UsualPod[name] = quantity(Counted(name), usual)
		all = all && known
		if more := max(hard-used, 0) / usual; q.MorePods == nil || more < *q.MorePods {
			q.MorePods, q.LimitedBy = new(more), name
		}
	}
	switch {
	case !all:
		q.MorePods, q.LimitedBy = nil, ""
	case unset != "":
		q.rejectUnset(unset)
	case claims && q.MorePods != nil && *q.MorePods > 0:
		q.MorePods, q.LimitedBy = nil, ""
	}
}

// measureEmpty says how many pods a quota allows of which it counts none: their size is not known,
// so that is known where it limits nothing but their number, or where that is used up.
func (q *Quota) measureEmpty() {
	alone := true
	for _, name := range q.Resources() {
		used, hard, known := q.Amounts(name)
		if !countsPods(name) || !known {
			alone = false
			continue
		}
		if more := max(hard-used, 0); q.MorePods == nil || more < *q.MorePods {
			q.MorePods, q.LimitedBy = new(more), name
		}
	}
	if !alone && q.MorePods != nil && *q.MorePods > 0 {
		q.MorePods, q.LimitedBy = nil, ""
	}
}

// limitsNoPods reports whether pods of the kind that the quota counts are not a part of anything that it limits. Of
// volumes that is known where there are such pods.
func limitsNoPods(q *Quota, pods []*model.Pod) bool {
	for name := range q.Hard {
		switch {
		case countsObjects(name):
		case countsVolumes(name) && len(pods) > 0 && !countsClaims(pods, name):
		default:
			return false
		}
	}
	return true
}

// objectNames are the names without "count/" under which quotas count objects other than pods and claims
// (pkg/quota/v1/evaluator/core).
var objectNames = []corev1.ResourceName{
	corev1.ResourceServices, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	corev1.ResourceReplicationControllers, corev1.ResourceQuotas, corev1.ResourceSecrets, corev1.ResourceConfigMaps,
}

// countsObjects reports whether a quota counts objects under a name that are not made for pods.
func countsObjects(name corev1.ResourceName) bool {
	resource, ok := strings.CutPrefix(string(name), "count/")
	return slices.Contains(objectNames, name) ||
		ok && !slices.Contains([]string{"pods", "persistentvolumeclaims", "resourceclaims.resource.k8s.io"}, resource)
}

// countsVolumes reports whether a quota counts PersistentVolumeClaims, or what they request, under a name.
func countsVolumes(name corev1.ResourceName) bool {
	return strings.HasSuffix(string(name), string(corev1.ResourcePersistentVolumeClaims)) || strings.HasSuffix(string(name), string(corev1.ResourceRequestsStorage))
}

// countsClaims reports whether a quota counts, under a name, something of claims that are made for
// most of the pods, and so for the usual one: devices of ResourceClaims, by template or for extended
// resources, and volumes. How much is not known: neither templates nor DeviceClasses are read.
func countsClaims(pods []*model.Pod, name corev1.ResourceName) bool {
	var made func(*corev1.PodSpec) bool
	switch text := string(name); {
	case text == claimCount || strings.HasSuffix(text, corev1.ResourceClaimsPerClass) || strings.HasPrefix(text, corev1.ResourceImplicitExtendedClaimsPerClass):
		made = func(spec *corev1.PodSpec) bool {
			return slices.ContainsFunc(spec.ResourceClaims, fromTemplate) || requestsExtended(spec)
		}
	case strings.HasPrefix(text, corev1.DefaultResourceRequestsPrefix) && strings.Contains(text, "/"):
		made = func(spec *corev1.PodSpec) bool { return slices.ContainsFunc(spec.ResourceClaims, fromTemplate) }
	case countsVolumes(name):
		made = func(spec *corev1.PodSpec) bool {
			return slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Ephemeral != nil })
		}
	default:
		return false
	}
	return count(pods, func(p *model.Pod) bool { return made(&p.Object.Spec) }) > len(pods)/2
}

// claimCount is what a quota counts ResourceClaims under.
const claimCount = "count/resourceclaims.resource.k8s.io"

// fromTemplate reports whether a ResourceClaim is made for the pod alone.
func fromTemplate(use corev1.PodResourceClaim) bool { return use.ResourceClaimTemplateName != nil }

// requestsExtended reports whether a pod requests an extended resource, which a DeviceClass may serve.
func requestsExtended(spec *corev1.PodSpec) bool {
	for name := range resourcehelper.PodRequests(&corev1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{}) {
		if text := string(name); strings.Contains(text, "/") && !strings.HasPrefix(text, corev1.ResourceDefaultNamespacePrefix) {
			return true
		}
	}
	return false
}

// usualAmount is the median of what a quota counts for pods under a name.
func usualAmount(pods []*model.Pod, name corev1.ResourceName) int64 {
	amounts := make([]int64, len(pods))
	for i, pod := range pods {
		amounts[i] = amountOf(pod, name)
	}
	slices.Sort(amounts)
	return amounts[len(amounts)/2]
}

// rejectUnset says that the quota allows no more of the usual pods, which leave a resource unset
// that they have to set. That is not known where a LimitRange may set it, or where scopes leave
// open whether the quota counts such pods.
func (q *Quota) rejectUnset(name corev1.ResourceName) {
	switch {
	case q.LimitRanges != nil && len(q.Scopes) == 0:
		q.MorePods, q.LimitedBy = new(int64(0)), name
	case q.MorePods == nil || *q.MorePods > 0:
		q.MorePods, q.LimitedBy = nil, ""
	}
}

// quantity is an amount in the scheduler's unit, as Kubernetes writes it.
func quantity(name corev1.ResourceName, amount int64) resource.Quantity {
	switch {
	case name == corev1.ResourceCPU:
		return *resource.NewMilliQuantity(amount, resource.DecimalSI)
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage, strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		return *resource.NewQuantity(amount, resource.BinarySI)
	}
	return *resource.NewQuantity(amount, resource.DecimalSI)
}

// defaultsOf are the defaults for containers, by namespace.
func defaultsOf(limits []*corev1.LimitRange) map[string][]Defaults {
	found := map[string][]Defaults{}
	for _, object := range limits {
		d := Defaults{Name: object.Name, Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
		for i := range object.Spec.Limits {
			item := &object.Spec.Limits[i]
			if item.Type != corev1.LimitTypeContainer {
				continue
			}
			maps.Copy(d.Requests, item.DefaultRequest)
			maps.Copy(d.Limits, item.Default)
		}
		if len(d.Requests)+len(d.Limits) > 0 {
			found[object.Namespace] = append(found[object.Namespace], d)
		}
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b Defaults) int { return strings.Compare(a.Name, b.Name) })
	}
	return found
}
