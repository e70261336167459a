package warnings

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// evictionWarning counts the pods that are evicted from nodes that have failed, and says when: at what time, as it is
// not computed anew each second. Where no node is Ready, kube-controller-manager evicts none.
func evictionWarning(s *model.Snapshot, taints []inventory.Taint, at At) Warning {
	var times []time.Time
	nodes, seen := map[string]bool{}, map[*model.Pod]bool{}
	for i := range taints {
		taint := &taints[i]
		if taint.Effect != corev1.TaintEffectNoExecute || !model.IsStateTaint(taint.Key) {
			continue
		}
		for _, pod := range taint.Evicted() { // the first are first
			if pod.At == nil || pod.At.Before(at.Now) || seen[pod.Pod] || at.Namespace != "" && pod.Namespace != at.Namespace {
				continue
			}
			seen[pod.Pod], nodes[pod.Node] = true, true
			times = append(times, pod.At.UTC())
		}
	}
	if len(times) == 0 || stopped(inventory.EvictionZones(s)) {
		return Warning{}
	}
	slices.SortFunc(times, time.Time.Compare)
	first, last := times[0], times[len(times)-1]
	from := first.Format("15:04") + " UTC"
	when := "at " + from
	if first.Format("15:04") != last.Format("15:04") {
		when = "from " + first.Format("15:04") + " to " + last.Format("15:04") + " UTC"
	}
	return Warning{
		Short: grammar.Count(len(times), "eviction starts at ", "evictions start at ") + from,
		Long:  grammar.Plural(len(times), "pod") + " will be evicted " + when + " from " + grammar.Plural(len(nodes), "node") + " that failed",
		View:  Taints, Soon: true,
	}
}

// stopped reports whether kube-controller-manager evicts no pods, as no node of any zone is Ready.
func stopped(zones []inventory.EvictionZone) bool {
	return !slices.ContainsFunc(zones, func(z inventory.EvictionZone) bool { return z.State != inventory.FullDisruption })
}
