package admission

import (
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// ContainerChange is another request or limit of one resource of a container.
type ContainerChange struct {
	Container string
	Init      bool // it is an init container (of any kind)
	Resource  corev1.ResourceName
	// Request and Limit are what it has before and after; nil before: it has none, nil after: it is
	// not changed.
	Request, Limit [2]*resource.Quantity
}

// mostMends is how often rules are asked again after a change: the change that one of them wants may
// break another.
const mostMends = 4

// LimitChanges are changes of a template with which the API server's own code accepts its pods for all
// LimitRanges: one that rather raises requests, and one that rather lowers limits; of a request above the limit
// that a LimitRange gives, one that states a higher limit, and one that lowers the request. Only what a rule rejects
// is changed. None where something other than a LimitRange or a quota rejects the pod too, or where a rule is
// about several containers together.
func (j *Judgement) LimitChanges() [][]ContainerChange {
	if len(j.limits) == 0 || len(j.given)+len(j.security) > 0 || j.message != "" {
		return nil
	}
	var all [][]ContainerChange
	for _, lower := range []bool{false, true} {
		mended := mend(j.Pod, j.ranges, lower)
		if mended == nil {
			continue
		}
		if changes := changesOf(j.Pod, mended); accepts(j.ranges, j.refused.Pod, changes) {
			all = append(all, changes)
		}
	}
	if len(all) == 2 && equality.Semantic.DeepEqual(all[0], all[1]) {
		all = all[:1]
	}
	return all
}

// accepts says whether LimitRanges accept a pod that is made from a changed template, which has only what it
// states.
func accepts(ranges []corev1.LimitRange, template *corev1.Pod, changes []ContainerChange) bool {
	pod := template.DeepCopy()
	for _, change := range changes {
		containers := pod.Spec.Containers
		if change.Init {
			containers = pod.Spec.InitContainers
		}
		for i := range containers {
			of := &containers[i]
			if of.Name != change.Container {
				continue
			}
			makeLists(of)
			if to := change.Request[1]; to != nil {
				of.Resources.Requests[change.Resource] = *to
			}
			if to := change.Limit[1]; to != nil {
				of.Resources.Limits[change.Resource] = *to
			}
		}
	}
	rejections, err := ApplyLimitRanges(pod, ranges)
	return err == nil && len(rejections) == 0
}

// makeLists gives a container lists of requests and limits.
func makeLists(of *corev1.Container) {
	if of.Resources.Requests == nil {
		of.Resources.Requests = corev1.ResourceList{}
	}
	if of.Resources.Limits == nil {
		of.Resources.Limits = corev1.ResourceList{}
	}
}

// mend is a pod that LimitRanges accept; nil where none was found. lower lowers a limit that is too many
// times its request, instead of raising the request.
func mend(pod *corev1.Pod, ranges []corev1.LimitRange, lower bool) *corev1.Pod {
	mended := pod.DeepCopy()
	for range mostMends {
		broken := 0
		for i := range ranges {
			rules, err := brokenRules(mended, &ranges[i])
			if err != nil {
				return nil
			}
			for _, rule := range rules {
				if rule.by.container == nil || !rule.mend(rule.by.container, lower) {
					return nil
				}
			}
			broken += len(rules)
		}
		broken += mendContradictions(mended, lower)
		if broken == 0 {
			return mended
		}
	}
	return nil
}

// mend changes a container as the rule wants it; false where that is not possible.
func (r limitRule) mend(of *corev1.Container, lower bool) bool {
	makeLists(of)
	requests, limits := of.Resources.Requests, of.Resources.Limits
	request, requested := requests[r.resource]
	limit, limited := limits[r.resource]
	switch r.bound {
	case "min":
		if !requested || request.Cmp(r.figure) < 0 {
			requests[r.resource] = r.figure
		}
		if limited && limit.Cmp(r.figure) < 0 {
			limits[r.resource] = r.figure
		}
		return true
	case "max":
		if requested && request.Cmp(r.figure) > 0 {
			requests[r.resource] = r.figure
		}
		if !limited || limit.Cmp(r.figure) > 0 {
			limits[r.resource] = r.figure
		}
		return true
	}
	return r.mendRatio(requests, limits, lower)
}

// mendRatio raises the request, or lowers the limit, as far as the ratio wants it.
func (r limitRule) mendRatio(requests, limits corev1.ResourceList, lower bool) bool {
	request, limit := requests[r.resource], limits[r.resource]
	requestUnits, _ := model.Count(r.resource, request)
	limitUnits, _ := model.Count(r.resource, limit)
	ratio := r.figure.AsApproximateFloat64()
	switch {
	case ratio < 1, requestUnits == 0 && limitUnits == 0:
		return false
	case requestUnits > 0 && (lower || limitUnits == 0):
		limits[r.resource] = inUnits(r.resource, max(requestUnits, roundedDown(r.resource, int64(math.Floor(float64(requestUnits)*ratio)))))
	default:
		requests[r.resource] = inUnits(r.resource, min(limitUnits, roundedUp(r.resource, int64(math.Ceil(float64(limitUnits)/ratio)))))
	}
	return true
}

// roundedDown is an amount that people would write, in the unit that the scheduler counts in.
func roundedDown(name corev1.ResourceName, amount int64) int64 {
	return amount - amount%stepOf(name, amount)
}

// roundedUp is the least such amount that is no less.
func roundedUp(name corev1.ResourceName, amount int64) int64 {
	step := stepOf(name, amount)
	return (amount + step - 1) / step * step
}

// stepOf is what such amounts are multiples of.
func stepOf(name corev1.ResourceName, amount int64) int64 {
	switch {
	case name == corev1.ResourceCPU && amount >= 100:
		return 10
	case quantity.CountsBytes(name) && amount >= 1<<20:
		return 1 << 20
	}
	return 1
}

func inUnits(name corev1.ResourceName, amount int64) resource.Quantity {
	return resource.MustParse(quantity.Canonical(name, amount))
}

// changesOf are what two pods of the same containers differ in.
func changesOf(from, to *corev1.Pod) (changes []ContainerChange) {
	look := func(before, after []corev1.Container, init bool) {
		for i := range after {
			is, was := after[i].Resources, before[i].Resources
			names := slices.AppendSeq(slices.Collect(maps.Keys(is.Requests)), maps.Keys(is.Limits))
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				c := ContainerChange{Container: after[i].Name, Init: init, Resource: name}
				c.Request, c.Limit = changed(was.Requests, is.Requests, name), changed(was.Limits, is.Limits, name)
				if c.Request[1] != nil || c.Limit[1] != nil {
					changes = append(changes, c)
				}
			}
		}
	}
	look(from.Spec.InitContainers, to.Spec.InitContainers, true)
	look(from.Spec.Containers, to.Spec.Containers, false)
	return changes
}

// changed is an amount before and after; nil after where it is the same.
func changed(before, after corev1.ResourceList, name corev1.ResourceName) (pair [2]*resource.Quantity) {
	was, had := before[name]
	is, has := after[name]
	if had {
		pair[0] = &was
	}
	if has && (!had || is.Cmp(was) != 0) {
		pair[1] = &is
	}
	return pair
}
