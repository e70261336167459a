package warnings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// largeShare is the percentage of what a pool has requested from which one workload is named.
const largeShare = 15

// holderOf names the workload that requests most of a resource in a pool, or in one zone of it, with
// its share of all that is requested: "42% by batch/report"; else the namespace that requests
// more than half of it. "" where none requests much.
func holderOf(s *model.Snapshot, pool *inventory.Pool, zone bool, resource corev1.ResourceName) string {
	nodes := slices.DeleteFunc(slices.Clone(s.Nodes), func(n *model.Node) bool {
		return n.Pool != pool.Pool || zone && n.Zone != pool.Zone
	})
	workloads, namespaces := inventory.SharesOf(nodes, resource)
	switch {
	case len(workloads) > 0 && workloads[0].Percent >= largeShare:
		return fmt.Sprintf("%d%% by %s", workloads[0].Percent, workloads[0].Name)
	case len(namespaces) > 1 && namespaces[0].Percent > 50:
		return fmt.Sprintf("%d%% in namespace %s", namespaces[0].Percent, namespaces[0].Name)
	}
	return ""
}

// startsWithin is how long a new node, and a pod with a node, takes at most until it is worth a word.
const startsWithin = 10 * time.Minute

// bound is when a pod with a node got it; its creation where the condition is missing.
func bound(p *model.Pod) time.Time {
	for i := range p.Object.Status.Conditions {
		if c := &p.Object.Status.Conditions[i]; c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return p.Since()
}

// fails reports whether a pod fails now, or does not start. One that has failed is replaced.
func fails(p *model.Pod, now time.Time) bool {
	switch p.Object.Status.Phase {
	case corev1.PodFailed, corev1.PodSucceeded:
		return false
	case corev1.PodPending:
		return p.Failing() || p.Object.Spec.NodeName != "" && now.Sub(bound(p)) > startsWithin
	}
	return p.Failing()
}

// daemonSetWarning names the DaemonSets of which pods fail: what nodes need, such as devices,
// volumes and networks, may be missing there.
func daemonSetWarning(s *model.Snapshot, now time.Time) Warning {
	type daemons struct {
		pods     int
		failing  map[string]int // by status
		failures int
	}
	sets := map[string]*daemons{}
	for _, p := range s.Pods {
		if p.Owner.Kind != "DaemonSet" || p.Object.DeletionTimestamp != nil {
			continue
		}
		name := p.Object.Namespace + "/" + p.Owner.Name
		if sets[name] == nil {
			sets[name] = &daemons{failing: map[string]int{}}
		}
		sets[name].pods++
		if fails(p, now) {
			sets[name].failing[p.Status]++
			sets[name].failures++
		}
	}
	var names, words []string
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		set := sets[name]
		if set.failures == 0 {
			continue
		}
		names = append(names, fmt.Sprintf("%s (%d of %s)", name, set.failures, grammar.Plural(set.pods, "pod")))
		statuses := slices.Sorted(maps.Keys(set.failing))
		words = append(words, fmt.Sprintf("%s (%d of %s: %s)", name, set.failures, grammar.Plural(set.pods, "pod"), strings.Join(statuses, ", ")))
	}
	if len(words) == 0 {
		return Warning{}
	}
	lead := grammar.Agree(len(words), "DaemonSet fails: ", "DaemonSets fail: ")
	return Warning{Short: lead + grammar.List(names, 1), Long: lead + grammar.List(words, grammar.Few), View: Pods}
}

// failedWithin is how long ago pods have failed at most that are worth a word.
const failedWithin = 24 * time.Hour

// failedWarning counts, beside pending pods, the pods that kubelets have evicted or rejected, by why. Pods whose containers
// failed are not among them: Jobs have such every day.
func failedWarning(s *model.Snapshot, at At) Warning {
	if !at.Pods {
		return Warning{}
	}
	failed, reasons, workloads := 0, map[string]int{}, map[string]int{}
	var last time.Time
	for _, p := range s.Pods {
		if !model.FailedByKubelet(p.Object) || at.Namespace != "" && p.Object.Namespace != at.Namespace {
			continue
		}
		since := model.FailedAt(p.Object)
		if at.Now.Sub(latest(since, p.Since())) > failedWithin {
			continue
		}
		failed++
		reasons[p.Object.Status.Reason]++
		workloads[p.Object.Namespace+"/"+cmp.Or(p.Owner.Name, p.Object.Name)]++
		last = latest(last, since)
	}
	if failed == 0 {
		return Warning{}
	}
	lead, why := grammar.Plural(failed, "pod")+" evicted or rejected", byCount(reasons, " ")
	short, long := " ("+why[0]+")", " ("+grammar.List(why, grammar.Few)+")"
	if len(why) == 1 {
		for reason := range reasons {
			short, long = " ("+reason+")", " ("+reason+")"
		}
	}
	long = lead + " by kubelets in the last day" + long + ": " + grammar.List(byCount(workloads, " of "), grammar.Few)
	if !last.IsZero() {
		long += "; the last " + model.FormatAge(last, at.Now) + " ago"
	}
	return Warning{Short: lead + short, Long: long, View: Pods}
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// byCount are names after their counts, the largest first.
func byCount(counts map[string]int, between string) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = model.FormatCount(counts[name]) + between + name
	}
	return names
}

// newNodeWarning counts the nodes that nobody has initialized for some time: a cloud controller
// manager removes their taint.
func newNodeWarning(s *model.Snapshot, now time.Time) Warning {
	var names []string
	var oldest time.Time
	for _, node := range s.Nodes {
		created := node.Object.CreationTimestamp.Time
		if !node.Uninitialized() || now.Sub(created) < startsWithin {
			continue
		}
		names = append(names, node.Name)
		if oldest.IsZero() || created.Before(oldest) {
			oldest = created
		}
	}
	if len(names) == 0 {
		return Warning{}
	}
	short := fmt.Sprintf("%s not initialized for %s%s", grammar.Plural(len(names), "node"), grammar.Agree(len(names), "", "up to "), model.FormatAge(oldest, now))
	return Warning{
		Short: short, Long: short + " (" + grammar.List(names, 2) + "): check the cloud controller manager", View: Nodes,
	}
}

// classWarning names a global default PriorityClass that ranks higher than classes of pods: pods
// without a class preempt theirs.
func classWarning(s *model.Snapshot, o *model.Objects) Warning {
	list, _ := model.ListOf[*schedulingv1.PriorityClass](o, classes)
	var byDefault *schedulingv1.PriorityClass
	for _, class := range list {
		if class.GlobalDefault && (byDefault == nil || class.Value < byDefault.Value) { // the API server takes the lowest
			byDefault = class
		}
	}
	if byDefault == nil {
		return Warning{}
	}
	used := map[string]bool{}
	for _, p := range s.Pods {
		used[p.Object.Spec.PriorityClassName] = true
	}
	var below []string
	for _, class := range list {
		if class.Value < byDefault.Value && class.Value > 0 && used[class.Name] {
			below = append(below, class.Name)
		}
	}
	if len(below) == 0 {
		return Warning{}
	}
	slices.Sort(below)
	short := fmt.Sprintf("PriorityClass %s, the global default, outranks ", byDefault.Name)
	return Warning{Short: short + grammar.List(below, 1), Long: short + grammar.List(below, grammar.Few), View: Priorities}
}
