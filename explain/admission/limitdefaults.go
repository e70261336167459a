package admission

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// defaulted is a request or limit that a LimitRange gave a container as its default.
type defaulted struct {
	by        *corev1.LimitRange
	container *core.Container
	resource  core.ResourceName
	limit     bool
}

// defaultedBy are what a LimitRange gave a pod that was as before.
func defaultedBy(by *corev1.LimitRange, before, pod *core.Pod) (all []defaulted) {
	look := func(before, after []core.Container) {
		for i := range after {
			was, is := &before[i].Resources, &after[i].Resources
			for _, list := range []struct {
				was, is core.ResourceList
				limit   bool
			}{{was.Limits, is.Limits, true}, {was.Requests, is.Requests, false}} {
				for _, name := range slices.Sorted(maps.Keys(list.is)) {
					if _, had := list.was[name]; !had {
						all = append(all, defaulted{by, &after[i], name, list.limit})
					}
				}
			}
		}
	}
	look(before.Spec.InitContainers, pod.Spec.InitContainers)
	look(before.Spec.Containers, pod.Spec.Containers)
	return all
}

// isBelowRequest says whether the API server's validation rejects a container for a limit below its request.
func isBelowRequest(limit, request resource.Quantity, name core.ResourceName) bool {
	only := &core.ResourceRequirements{Requests: core.ResourceList{name: request}, Limits: core.ResourceList{name: limit}}
	return request.Cmp(limit) > 0 && len(validation.ValidateContainerResourceRequirements(only, nil, field.NewPath("resources"), validation.PodValidationOptions{})) > 0
}

// contradictions are the rejections for what LimitRanges filled in: a limit below the request that the template
// states, or a request above its limit. The API server validates the pod after that.
func contradictions(all []defaulted) (found []report.Rejection) {
	for _, f := range all {
		request, requested := f.container.Resources.Requests[f.resource]
		limit, limited := f.container.Resources.Limits[f.resource]
		if requested && limited && isBelowRequest(limit, request, f.resource) {
			found = append(found, f.rejection(request, limit))
		}
	}
	return found
}

// rejection says what was filled in, and what that contradicts.
func (f defaulted) rejection(request, limit resource.Quantity) report.Rejection {
	name := corev1.ResourceName(f.resource)
	is, less := quotaAmount(name, limit, quantity.Exact), quotaAmount(name, request, quantity.Exact)
	given, stated, compared := "limit "+is, "request "+less, "below"
	if !f.limit {
		given, stated, compared = "request "+less, "limit "+is, "above"
	}
	return report.Rejection{
		Plugin:  limitPlugin,
		Reason:  fmt.Sprintf("default %s of LimitRange %s", name, f.by.Name),
		What:    fmt.Sprintf("LimitRange %s/%s gives container %s %s %s, %s its %s", f.by.Namespace, f.by.Name, f.container.Name, name, given, compared, stated),
		Numbers: []report.Number{{Resource: string(name), Wanted: request.String(), Allocatable: limit.String()}},
		Short:   fmt.Sprintf("LimitRange %s: default %s %s, %s", f.by.Name, name, given, stated),
	}
}

// mendContradictions gives containers of a pod limits as high as their requests where these are higher, or lower
// requests, and says how many there were.
func mendContradictions(pod *corev1.Pod, lower bool) (count int) {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			of := &containers[i].Resources
			for name, request := range of.Requests {
				limit, limited := of.Limits[name]
				switch {
				case !limited || !isBelowRequest(limit, request, core.ResourceName(name)):
					continue
				case lower:
					of.Requests[name] = limit
				default:
					of.Limits[name] = request
				}
				count++
			}
		}
	}
	return count
}
