package recount

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// resources refuses nodes where what is asked for and what was asked for before
// come to more than what is allocatable.
func (s *State) resources(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "NodeResourcesFit"}
	requested := corev1.ResourceList{}
	for _, other := range s.byNode[node.Name] {
		sum(requested, requests(other))
	}
	wanted := requests(pod)
	for name, amount := range wanted {
		if amount.IsZero() || s.byDevices(name, node) {
			continue
		}
		short := amount.DeepCopy()
		short.Add(requested[name])
		short.Sub(node.Status.Allocatable[name])
		if short.Sign() <= 0 {
			continue
		}
		n := Number{Resource: string(name), Wanted: amount, Requested: requested[name], Allocatable: node.Status.Allocatable[name], Short: short}
		r.Numbers = append(r.Numbers, n)
		r.Names = append(r.Names, n.Resource)
		r.Figures = append(r.Figures, n.Wanted, n.Requested, n.Allocatable, n.Short)
		free := n.Allocatable.DeepCopy()
		free.Sub(n.Requested)
		r.Also = append(r.Also, free)
	}
	if r.Numbers == nil {
		return nil
	}
	return r
}

// byDevices tells whether the node gives a resource away as devices of a class:
// then it is not counted as one.
func (s *State) byDevices(name corev1.ResourceName, node *corev1.Node) bool {
	has := node.Status.Allocatable[name]
	return has.IsZero() && s.classFor(name) != nil
}

// requests are what a pod asks for, itself as one of the node's pods among it:
// the most that its containers want at one time, or what is asked for the pod
// as a whole, and its overhead.
func requests(pod *corev1.Pod) corev1.ResourceList {
	together, most := corev1.ResourceList{}, corev1.ResourceList{}
	for _, c := range pod.Spec.InitContainers { // in order: sidecars before stay
		if sidecar(c) {
			sum(together, c.Resources.Requests)
			greater(most, together)
			continue
		}
		moment := together.DeepCopy()
		sum(moment, c.Resources.Requests)
		greater(most, moment)
	}
	for _, c := range pod.Spec.Containers {
		sum(together, c.Resources.Requests)
	}
	greater(most, together)
	if pod.Spec.Resources != nil {
		for name, amount := range pod.Spec.Resources.Requests {
			most[name] = amount.DeepCopy()
		}
	}
	sum(most, pod.Spec.Overhead)
	most[corev1.ResourcePods] = resource.MustParse("1")
	return most
}

// sum adds amounts to total.
func sum(total, amounts corev1.ResourceList) {
	for name, amount := range amounts {
		t := total[name].DeepCopy()
		t.Add(amount)
		total[name] = t
	}
}

// greater keeps the greater of two amounts of each resource.
func greater(most, amounts corev1.ResourceList) {
	for name, amount := range amounts {
		if known, ok := most[name]; !ok || amount.Cmp(known) > 0 {
			most[name] = amount.DeepCopy()
		}
	}
}
