package summary

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// requestWords are the pod's requests in one line: "cpu 32 and memory 64Gi".
func requestWords(q *podQuestion) string {
	counted := q.PodInfo.CalculateResource().Resource
	all := []plugins.Figure{
		{Resource: corev1.ResourceCPU, Wanted: counted.GetMilliCPU()},
		{Resource: corev1.ResourceMemory, Wanted: counted.GetMemory()},
		{Resource: corev1.ResourceEphemeralStorage, Wanted: counted.GetEphemeralStorage()},
	}
	for name, amount := range counted.GetScalarResources() {
		all = append(all, plugins.Figure{Resource: name, Wanted: amount})
	}
	slices.SortFunc(all, func(a, b plugins.Figure) int {
		return strings.Compare(report.ResourceRank(a.Resource), report.ResourceRank(b.Resource))
	})
	var said []string
	for _, f := range all {
		if f.Wanted > 0 {
			said = append(said, fmt.Sprintf("%s %s", f.Resource, quantity.RoundedUp(f.Resource, f.Wanted)))
		}
	}
	return strings.Join(said, " and ")
}

// originWords say where the request comes from that keeps the pod pending, if it is not plainly what
// its workload asks for: a unit that was probably left out, a LimitRange, or an init container alone;
// "" otherwise.
func originWords(q *podQuestion, r *report.Report, told *overall) string {
	counted := q.PodInfo.CalculateResource().Resource
	for _, asked := range []plugins.Figure{
		{Resource: corev1.ResourceCPU, Wanted: counted.GetMilliCPU()},
		{Resource: corev1.ResourceMemory, Wanted: counted.GetMemory()},
		{Resource: corev1.ResourceEphemeralStorage, Wanted: counted.GetEphemeralStorage()},
	} {
		if told.over != asked.Resource && (told.over != "" || told.cause != model.ResourceWord(asked.Resource)) {
			continue
		}
		for _, words := range []string{unitWords(q, asked), limitRangeWords(q, r, asked), initWords(q, asked)} {
			if words != "" {
				return words
			}
		}
	}
	return ""
}

// unitWords say what else the request of a container may have meant, where that is many times what any
// node has, and one has what was meant.
func unitWords(q *podQuestion, asked plugins.Figure) string {
	var most int64 // allocatable on one node
	for _, row := range plugins.ShortageTableOf(q.Question).Rows {
		f := figureOf(row.Figures, asked.Resource)
		if f == nil {
			return "" // the node has enough
		}
		most = max(most, f.Allocatable)
	}
	for _, c := range slices.Concat(q.Pod.Spec.Containers, q.Pod.Spec.InitContainers) {
		amount, _ := model.Count(asked.Resource, c.Resources.Requests[asked.Resource])
		if _, written := quantity.Misread(asked.Resource, amount, most); written != "" {
			return fmt.Sprintf("Check the unit of %s %s in container %s: perhaps %s was meant.", asked.Resource,
				quantity.OfPod(asked.Resource, amount), c.Name, written)
		}
	}
	return ""
}

// limitRangeWords say that at least half of what the pod requests of a resource is not what its
// workload says, but was set by a LimitRange.
func limitRangeWords(q *podQuestion, r *report.Report, asked plugins.Figure) string {
	name := asked.Resource
	given, err := resource.ParseQuantity(r.Pod.LimitRangeDefaults[string(name)])
	if err != nil || given.IsZero() {
		return ""
	}
	part, _ := model.Count(name, given)
	containers := model.LimitRangeDefaulted(q.Pod, name)
	by := "a LimitRange"
	if of := q.found.LimitRanges[name]; of != "" {
		by = "LimitRange " + of
	}
	if len(q.Pod.Spec.Containers) > 1 {
		by += " for " + andList(containers)
	}
	switch amount := quantity.RoundedUp(name, asked.Wanted); {
	case part >= asked.Wanted:
		return fmt.Sprintf("The request of %s %s was set by %s.", name, amount, by)
	case 2*part >= asked.Wanted:
		return fmt.Sprintf("Of the request of %s %s, %s was set by %s.", name, amount, quantity.RoundedDown(name, part), by)
	}
	return ""
}

// andList names some things, the rest is counted: "a, b and c".
func andList(names []string) string {
	if last := len(names) - 1; last > 0 && last < grammar.Few {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return grammar.List(names, grammar.Few)
}

// initWords name the init container without which the pod would request less, as the scheduler counts:
// it requests more than all that runs after it.
func initWords(q *podQuestion, asked plugins.Figure) string {
	if q.Pod.Spec.Resources != nil && len(q.Pod.Spec.Resources.Requests) > 0 {
		return "" // the pod's own requests count
	}
	requested := func(pod *corev1.Pod) int64 {
		of := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
		amount, _ := model.Count(asked.Resource, of[asked.Resource])
		return amount
	}
	all, name := requested(q.Pod), ""
	least := all
	for i, c := range q.Pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			continue // it runs on beside the others
		}
		without := *q.Pod
		without.Spec.InitContainers = slices.Delete(slices.Clone(q.Pod.Spec.InitContainers), i, i+1)
		if rest := requested(&without); rest < least {
			name, least = c.Name, rest
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("The request of %s %s comes from init container %s; without it the pod requests %s.", asked.Resource,
		quantity.OfPod(asked.Resource, all), name, quantity.OfPod(asked.Resource, least))
}
