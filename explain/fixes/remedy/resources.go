package remedy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// SetResources sets the request or the limit of a resource in one container, or both, as a LimitRange
// allows.
type SetResources struct {
	Container string
	Init      bool // it is an init container (of any kind)
	Resource  corev1.ResourceName
	// Request and Limit are what it has before and after; nil before: it has none, nil after: it is not
	// changed.
	Request, Limit [2]*resource.Quantity
	Several        bool // the pod has other containers: the title names this one
}

func (SetResources) kind() report.FixKind { return report.FixRequest }
func (SetResources) harm() int            { return 15 }

func (r SetResources) title() string {
	var parts []string
	for _, of := range []struct {
		what string
		pair [2]*resource.Quantity
	}{{"request", r.Request}, {"limit", r.Limit}} {
		switch {
		case of.pair[1] == nil:
		case of.pair[0] == nil:
			parts = append(parts, fmt.Sprintf("%s %s %s", of.what, r.Resource, r.words(of.pair[1])))
		default:
			parts = append(parts, fmt.Sprintf("%s %s %s instead of %s", of.what, r.Resource, r.words(of.pair[1]), r.words(of.pair[0])))
		}
	}
	title := strings.Join(parts, " and ")
	if r.Several {
		title += " in container " + r.Container
	}
	return title
}

// words writes an amount for people.
func (r SetResources) words(amount *resource.Quantity) string {
	if r.Resource == corev1.ResourceCPU {
		return quantity.Exact(r.Resource, amount.MilliValue())
	}
	return quantity.Exact(r.Resource, amount.Value())
}

func (r SetResources) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	found := false
	changed := changePod(pod, func(p *corev1.Pod) {
		containers := p.Spec.Containers
		if r.Init {
			containers = p.Spec.InitContainers
		}
		for i := range containers {
			if of := &containers[i]; of.Name == r.Container {
				found = true
				of.Resources.Requests = withAmount(of.Resources.Requests, r.Resource, r.Request[1])
				of.Resources.Limits = withAmount(of.Resources.Limits, r.Resource, r.Limit[1])
			}
		}
	})
	if !found {
		return nil, fmt.Errorf("set resources of container %s: the pod has none of that name", r.Container)
	}
	return changed, nil
}

// withAmount is a list with another amount of a resource; nil: it stays as it is.
func withAmount(list corev1.ResourceList, name corev1.ResourceName, amount *resource.Quantity) corev1.ResourceList {
	if amount == nil {
		return list
	}
	if list == nil {
		list = corev1.ResourceList{}
	}
	list[name] = *amount
	return list
}
