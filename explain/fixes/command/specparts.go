package command

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
)

// partOf is the part of a spec that a step changes or takes out; nil where the
// spec does not have it, and for what is added.
func partOf(spec *corev1.PodSpec, step remedy.Step) any {
	switch r := step.(type) {
	case remedy.LowerRequest:
		if r.Pod {
			return spec.Resources != nil
		}
		return hasContainer(spec, r.Container, r.Init)
	case remedy.SetResources:
		return hasContainer(spec, r.Container, r.Init)
	case remedy.SetRequests:
		return !slices.ContainsFunc(r.Of, func(of remedy.LowerRequest) bool { return partOf(spec, of) != true })
	case remedy.DropSelector:
		return spec.NodeSelector[r.Key] == r.Value
	case remedy.SetSelector:
		return spec.NodeSelector[r.Key] == r.Values[0]
	case remedy.SetScheduler:
		return spec.SchedulerName
	case remedy.DropExpression:
		return at(requiredNodes(spec), r.Term)
	case remedy.DropNodeAffinity:
		return requiredNodes(spec)
	case remedy.DropPodTerm:
		return at(requiredPods(spec, r.Anti), r.Index)
	case remedy.LoosenSpread:
		return at(spec.TopologySpreadConstraints, r.Index)
	case remedy.DropHostPort:
		for _, c := range spec.Containers {
			if c.Name == r.Container {
				return at(c.Ports, r.Index)
			}
		}
	}
	return nil
}

// hasContainer reports whether a spec has a container, or init container, of that name.
func hasContainer(spec *corev1.PodSpec, name string, init bool) bool {
	containers := spec.Containers
	if init {
		containers = spec.InitContainers
	}
	return slices.ContainsFunc(containers, func(c corev1.Container) bool { return c.Name == name })
}

// requiredNodes are the terms of the required node affinity.
func requiredNodes(spec *corev1.PodSpec) []corev1.NodeSelectorTerm {
	a := spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// requiredPods are the required terms about other pods.
func requiredPods(spec *corev1.PodSpec, anti bool) []corev1.PodAffinityTerm {
	switch a := spec.Affinity; {
	case a != nil && anti && a.PodAntiAffinity != nil:
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	case a != nil && !anti && a.PodAffinity != nil:
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// at is an item of a list; nil past its end.
func at[T any](items []T, i int) any {
	if i >= len(items) {
		return nil
	}
	return items[i]
}
