package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// further is a sentence about other nodes than the closest, where these are not the whole answer:
// those with enough capacity that one other rule rejects or that are out of service, those of the
// topology domain where a spread constraint wants the pod or of one that does not count for it, or those that its node selector allows and
// those where its volumes are. "" where there are none.
func (m *misses) further(q *podQuestion, r *report.Report) string {
	first := &r.Groups[0]
	if len(first.Rejections) == 1 && first.Rejects(names.PodTopologySpread) {
		return cmp.Or(fewestWords(q, r), tooFewWords(r))
	}
	if !first.Rejects(names.NodeResourcesFit) {
		return bothWords(q, r)
	}
	open := slices.DeleteFunc(slices.Concat(m.others, m.between), func(g *report.Group) bool { return !hasCapacity(g) })
	if len(open) == 0 {
		return ""
	}
	return roomWords(q, open)
}

// hasCapacity reports whether what rejects the nodes is neither that something of theirs is used up nor
// that they are kept for others.
func hasCapacity(g *report.Group) bool {
	switch rejection := &g.Rejections[0]; rejection.Plugin {
	case names.NodeResourcesFit, names.NodeVolumeLimits, names.DynamicResources:
		return false
	case names.TaintToleration, names.NodeUnschedulable:
		return outOfService(g)
	case names.NodeAffinity:
		return false
	default:
		return len(rejection.Numbers) == 0
	}
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
func bothWords(q *podQuestion, r *report.Report) string {
	selected, reached, rule := 0, 0, ""
	var selects, reaches zones
	for i := range r.Groups {
		g := &r.Groups[i]
		at := slices.IndexFunc(g.Rejections, func(rejection report.Rejection) bool { return rejection.Plugin == names.NodeAffinity })
		unselected := at >= 0
		if unselected && rule == "" {
			rule = g.Rejections[at].Cause
		}
		away := g.Rejects(names.VolumeBinding) || g.Rejects(names.VolumeZone)
		switch {
		case !unselected && !away:
			return ""
		case !unselected:
			selected += g.Count
			selects.add(q, g)
		case !away:
			reached += g.Count
			reaches.add(q, g)
		}
	}
	if selected == 0 || reached == 0 {
		return ""
	}
	where, there := "", ""
	if apart(selects, reaches) {
		where, there = " ("+selects.words()+")", " ("+reaches.words()+")"
	}
	return fmt.Sprintf("No node is both: %s its %s%s, %s where its volumes can be used%s.",
		grammar.Count(selected, "node matches", "nodes match"), rule, where, grammar.Count(reached, "is", "are"), there)
}

// zones are those of some nodes.
type zones struct {
	names   []string // without repetition
	unknown bool     // some of the nodes have none
}

// add adds the zones of a group's nodes.
func (z *zones) add(q *podQuestion, g *report.Group) {
	for _, name := range g.Nodes {
		node, err := q.Nodes.NodeInfos().Get(name)
		if err != nil || node.Node().Labels[corev1.LabelTopologyZone] == "" {
			z.unknown = true
			continue
		}
		if zone := node.Node().Labels[corev1.LabelTopologyZone]; !slices.Contains(z.names, zone) {
			z.names = append(z.names, zone)
		}
	}
}

// words name the zones.
func (z zones) words() string {
	return grammar.List(slices.Sorted(slices.Values(z.names)), grammar.Few)
}

// apart reports whether the zones of some nodes are known, and none of them is one of the others'.
func apart(some, others zones) bool {
	return !some.unknown && !others.unknown && len(some.names) > 0 && len(others.names) > 0 &&
		!slices.ContainsFunc(some.names, func(zone string) bool { return slices.Contains(others.names, zone) })
}

// roomWords say what rejects nodes that have enough capacity.
func roomWords(q *podQuestion, groups []*report.Group) string {
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
	return fmt.Sprintf("%s with enough capacity: %s%s.", who, most.Clauses(), notReadyWords(q, most))
}

// notReadyWords say why the nodes of a group are NotReady, by the root of what their kubelets say: " (cni plugin not
// initialized)"; "" where they are Ready or say different things, and where they have stopped to report.
func notReadyWords(q *podQuestion, g *report.Group) string {
	why := ""
	for i, name := range g.Nodes {
		node, err := q.Nodes.NodeInfos().Get(name)
		if err != nil {
			return ""
		}
		_, ready := nodeutil.GetNodeCondition(&node.Node().Status, corev1.NodeReady)
		if ready == nil || ready.Status != corev1.ConditionFalse {
			return ""
		}
		said := Start{message: ready.Message}.cause()
		if said == "" || i > 0 && said != why {
			return ""
		}
		why = said
	}
	return " (" + why + ")"
}

// fewestWords say what rejects the nodes of the topology domain that has the fewest pods: once they
// take more, others may too. Only of a group of nodes that are all of the domain is it told, as its
// words may name any of its nodes.
func fewestWords(q *podQuestion, r *report.Report) string {
	fewest := r.Groups[0].Rejections[0].Fewest
	if fewest == nil {
		return ""
	}
	var told *report.Group
	nodes := 0 // of the domain, as far as they count
	for i := range r.Groups {
		g := &r.Groups[i]
		if fewest.Affinity && g.Rejects(names.NodeAffinity) || fewest.Taints && g.Rejects(names.TaintToleration) {
			continue
		}
		in := within(q, g, fewest)
		nodes += in
		if told == nil && in > 0 && in == g.Count { // closest first
			told = g
		}
	}
	if told == nil {
		return ""
	}
	return fmt.Sprintf("%s has the fewest (%d); %s: %s.", domainWord(fewest), fewest.Pods, reject(told.Count, nodes, fewest.Key), told.Clauses())
}

// tooFewWords say that fewer topology domains are eligible than the spread constraint's minDomains, and what rejects
// the closest nodes that it would accept: their labels may be what makes their domain not eligible.
func tooFewWords(r *report.Report) string {
	few := r.Groups[0].Rejections[0].TooFew
	if few == nil {
		return ""
	}
	words := fmt.Sprintf("Only %s of %s %s eligible, minDomains is %d", grammar.Plural(few.Eligible, "domain"),
		plugins.LabelWord(few.Key), grammar.Agree(few.Eligible, "is", "are"), few.MinDomains)
	for i := range r.Groups {
		if g := &r.Groups[i]; len(g.Rejections) == 1 && g.Rejects(names.NodeAffinity) {
			return fmt.Sprintf("%s; %s: %s.", words, grammar.Plural(g.Count, "node"), g.Clauses())
		}
	}
	return words + "."
}

// within counts the nodes of a group that are of a topology domain.
func within(q *podQuestion, g *report.Group, of *report.Fewest) (n int) {
	for _, name := range g.Nodes {
		if node, err := q.Nodes.NodeInfos().Get(name); err == nil && node.Node().Labels[of.Key] == of.Domain {
			n++
		}
	}
	return n
}

// domainWord names a topology domain: "Zone eu-1a"; a node by its name.
func domainWord(of *report.Fewest) string {
	word := plugins.LabelWord(of.Key)
	switch {
	case of.Key == corev1.LabelHostname:
		return of.Domain
	case strings.Contains(word, "/"):
		return of.Key + "=" + of.Domain
	}
	return grammar.Capital(word) + " " + of.Domain
}

// reject says that some of the nodes of a domain reject the pod.
func reject(some, all int, key string) string {
	switch {
	case some < all:
		return fmt.Sprintf("%d of its %d nodes %s", some, all, grammar.Agree(some, "rejects the pod", "reject the pod"))
	case key == corev1.LabelHostname:
		return "it rejects the pod"
	}
	return grammar.Agree(all, "its node rejects the pod", "its nodes reject the pod")
}
