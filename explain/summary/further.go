package summary

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// further is a sentence about other nodes than the closest, where these are not the whole answer:
// those with enough capacity that one other rule rejects or that are out of service, those of the
// topology domain where a spread constraint wants the pod, or those that its node selector allows and
// those where its volumes are. "" where there are none.
func (m *misses) further(q *podQuestion, r *report.Report) string {
	first := &r.Groups[0]
	if len(first.Rejections) == 1 && first.Rejects(names.PodTopologySpread) {
		return fewestWords(q, r)
	}
	if !first.Rejects(names.NodeResourcesFit) {
		return bothWords(r)
	}
	open := m.others
	for _, g := range m.between {
		if outOfService(g) {
			open = append(slices.Clip(open), g)
		}
	}
	if len(open) == 0 {
		return ""
	}
	return roomWords(open)
}

// outOfService reports whether nodes take no new pods for what they are and not whom they are for: by a
// cordon, or by taints that say what state they are in.
func outOfService(g *report.Group) bool {
	if loneCause(g) == report.CordonWord {
		return true
	}
	taints := g.Rejections[0].Taints
	return len(taints) > 0 && !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return !model.IsStateTaint(t.Key) })
}

// bothWords say that no node is both where the pod's volumes are and of those that its node selector
// and affinity allow, although there are nodes of either kind; "" otherwise.
func bothWords(r *report.Report) string {
	selected, reached := 0, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		unselected := g.Rejects(names.NodeAffinity)
		away := g.Rejects(names.VolumeBinding) || g.Rejects(names.VolumeZone)
		switch {
		case !unselected && !away:
			return ""
		case !unselected:
			selected += g.Count
		case !away:
			reached += g.Count
		}
	}
	if selected == 0 || reached == 0 {
		return ""
	}
	return fmt.Sprintf("No node is both: %s its node selector, %s where its volumes can be used.",
		grammar.Count(selected, "node matches", "nodes match"), grammar.Count(reached, "is", "are"))
}

// limitRangeWords say that at least half of what the pod requests of the resource that it is pending
// for is not what its workload says, but the default of a LimitRange; "" otherwise.
func limitRangeWords(q *podQuestion, r *report.Report, cause string) string {
	counted := q.PodInfo.CalculateResource().Resource
	for _, known := range []struct {
		name   corev1.ResourceName
		amount int64
	}{{corev1.ResourceCPU, counted.GetMilliCPU()}, {corev1.ResourceMemory, counted.GetMemory()}, {corev1.ResourceEphemeralStorage, counted.GetEphemeralStorage()}} {
		given, err := resource.ParseQuantity(r.Pod.LimitRangeDefaults[string(known.name)])
		if err != nil || given.IsZero() || cause != model.ResourceWord(known.name) && cause != report.TooLarge {
			continue
		}
		part, _ := model.Count(known.name, given)
		switch amount := quantity.RoundedUp(known.name, known.amount); {
		case part >= known.amount:
			return fmt.Sprintf("Its request of %s %s is the default of a LimitRange.", known.name, amount)
		case 2*part >= known.amount:
			return fmt.Sprintf("Of its request of %s %s, %s is the default of a LimitRange.", known.name, amount, quantity.RoundedDown(known.name, part))
		}
	}
	return ""
}

// roomWords say what rejects nodes that have enough capacity.
func roomWords(groups []*report.Group) string {
	most := groups[0]
	for _, g := range groups {
		if g.Count > most.Count {
			most = g
		}
	}
	who := grammar.Plural(most.Count, "node")
	if most.Count == 1 {
		who = most.Nodes[0]
	}
	return fmt.Sprintf("%s with enough capacity: %s.", who, most.Clauses())
}

// fewestWords say what rejects the nodes of the topology domain that has the fewest pods: once they
// take more, others may too.
func fewestWords(q *podQuestion, r *report.Report) string {
	fewest := r.Groups[0].Rejections[0].Fewest
	if fewest == nil {
		return ""
	}
	nodes := q.Nodes.NodeInfos()
	for i := range r.Groups[1:] { // closest first
		g := &r.Groups[1+i]
		for _, name := range g.Nodes {
			node, err := nodes.Get(name)
			if err != nil || node.Node().Labels[fewest.Key] != fewest.Domain {
				continue
			}
			who, reject := fewest.Key+"="+fewest.Domain, "its nodes reject"
			if word := plugins.LabelWord(fewest.Key); !strings.Contains(word, "/") {
				who = grammar.Capital(word) + " " + fewest.Domain
			}
			if fewest.Key == corev1.LabelHostname {
				who, reject = fewest.Domain, "it rejects"
			}
			return fmt.Sprintf("%s has the fewest (%d); %s the pod: %s.", who, fewest.Pods, reject, g.Clauses())
		}
	}
	return ""
}
