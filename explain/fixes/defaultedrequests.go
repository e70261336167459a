package fixes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// stateRequests states in the template what a LimitRange set too large: requests of containers that
// have none of their own. nil where the node is short of something for another reason too.
func stateRequests(commands *command.Maker, pod *corev1.Pod, short []plugins.Figure) option {
	var steps option
	stated := false
	for _, f := range short {
		if step := stateRequest(commands, pod, f); step != nil {
			steps, stated = append(steps, step), true
			continue
		}
		step, ok := lowerOne(pod, f)
		if !ok {
			return nil
		}
		steps = append(steps, step)
	}
	if !stated {
		return nil
	}
	return steps
}

// stateRequest states as much of a resource as running pods of the workload request, from before the
// LimitRange; where none tells, or that is too much, what the node has left, in equal parts. nil where
// no LimitRange set the requests, or that does not help.
func stateRequest(commands *command.Maker, pod *corev1.Pod, short plugins.Figure) remedy.Step {
	if pod.Spec.NodeName != "" || pod.Spec.Resources != nil || short.Resource == corev1.ResourcePods {
		return nil
	}
	names, others := commands.Defaulted(pod, short.Resource)
	var all []*corev1.Container
	for i := range pod.Spec.Containers {
		if c := &pod.Spec.Containers[i]; slices.Contains(names, c.Name) && requested(c, short.Resource) > 0 {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if step := requestsOf(pod, all, short, func(c *corev1.Container) int64 { return requestedBefore(others, c.Name, short.Resource) }); step != nil {
		return step
	}
	var defaults int64
	for _, c := range all {
		defaults += requested(c, short.Resource)
	}
	part := roundTo(short.Resource, (defaults-short.Short)/int64(len(all)))
	if slices.ContainsFunc(all, func(c *corev1.Container) bool { return part <= requested(c, short.Resource)/least }) {
		return nil
	}
	return requestsOf(pod, all, short, func(*corev1.Container) int64 { return part })
}

// requestedBefore is the most that a container of that name requests in pods that run; 0 where none has one.
func requestedBefore(pods []*corev1.Pod, container string, name corev1.ResourceName) (most int64) {
	for _, pod := range pods {
		for i := range pod.Spec.Containers {
			if c := &pod.Spec.Containers[i]; c.Name == container && scheduler.Assigned(pod) {
				most = max(most, requested(c, name))
			}
		}
	}
	return most
}

// requestsOf gives containers other requests of a resource; nil where one would not be less, or the pod
// still requests more than the node has left.
func requestsOf(pod *corev1.Pod, containers []*corev1.Container, short plugins.Figure, to func(*corev1.Container) int64) remedy.Step {
	var all remedy.SetRequests
	for _, c := range containers {
		_, limited := c.Resources.Limits[short.Resource]
		of := remedy.LowerRequest{
			Container: c.Name, Resource: short.Resource, From: requested(c, short.Resource), To: to(c),
			// A limit of cpu or memory stays: it is the LimitRange's, and a lower one would throttle or kill the container.
			Limit: limited && !helper.IsOvercommitAllowed(short.Resource),
		}
		if of.To <= 0 || of.To >= of.From {
			return nil
		}
		all.Of = append(all.Of, of)
	}
	changed, err := remedy.Apply(nil, pod, all)
	if err != nil {
		return nil
	}
	total := amount(short.Resource, resourcehelper.PodRequests(changed, resourcehelper.PodResourcesOptions{})[short.Resource])
	if total > short.Wanted-short.Short {
		return nil
	}
	for i := range all.Of {
		all.Of[i].Total = [2]int64{short.Wanted, total}
	}
	if len(all.Of) == 1 {
		return all.Of[0]
	}
	return all
}
