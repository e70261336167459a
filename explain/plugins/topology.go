package plugins

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Topologies are the rules about topology domains by which a plugin rejects nodes, with
// all domains that the nodes have. state is the plugin's after PreFilter, without nominated
// pods.
func Topologies(q *Question, plugin string, state fwk.CycleState) []report.Topology {
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil || state == nil {
		return nil
	}
	var all []report.Topology
	switch plugin {
	case names.PodTopologySpread:
		all = spreadTopologies(q, nodes, state)
	case names.InterPodAffinity:
		all = affinityTopologies(q, nodes)
	}
	all = slices.DeleteFunc(all, func(t report.Topology) bool { return t.Unlabelled == 0 && t.Rejecting() == 0 })
	for i := range all {
		all[i].Order()
	}
	return all
}

// domainsOf are the domains of a key by name, each with the number of its nodes, and how
// many nodes are in none.
func domainsOf(nodes []fwk.NodeInfo, key string) (domains map[string]*report.Domain, without int) {
	domains = map[string]*report.Domain{}
	for _, info := range nodes {
		name, ok := info.Node().Labels[key]
		switch {
		case !ok:
			without++
		case domains[name] == nil:
			domains[name] = &report.Domain{Name: name, Nodes: 1}
		default:
			domains[name].Nodes++
		}
	}
	return domains, without
}

// listed are the domains as a report has them.
func listed(domains map[string]*report.Domain) []report.Domain {
	all := make([]report.Domain, 0, len(domains))
	for _, d := range domains {
		all = append(all, *d)
	}
	return all
}

// spreadTopologies are the topology spread constraints with the plugin's counts.
func spreadTopologies(q *Question, nodes []fwk.NodeInfo, state fwk.CycleState) []report.Topology {
	spreads := ReadSpreads(state)
	all := make([]report.Topology, 0, len(spreads))
	for i := range spreads {
		c := &spreads[i]
		c.countSelf(q.Pod)
		least := c.least()
		t := report.Topology{
			Rule: report.SpreadRule, Key: c.Key, Selector: selectorText(c.Selector),
			MaxSkew: c.MaxSkew, MinDomains: c.MinDomains, Minimum: &least,
		}
		var domains map[string]*report.Domain
		domains, t.Unlabelled = domainsOf(nodes, c.Key)
		for name, d := range domains {
			skew := c.skew(name)
			d.Pods, d.Skew, d.Rejects = c.Counts[name], &skew, skew > c.MaxSkew
		}
		c.exclude(q, nodes, spreads, domains)
		t.Domains = listed(domains)
		all = append(all, t)
	}
	return all
}

// exclude says why domains do not count for the minimum: the plugin has no count of them.
// The reason is that of the first of their nodes by name.
func (c *Spread) exclude(q *Question, nodes []fwk.NodeInfo, all []Spread, domains map[string]*report.Domain) {
	first := map[string]*corev1.Node{}
	for _, info := range nodes {
		node := info.Node()
		name, ok := node.Labels[c.Key]
		if _, counted := c.Counts[name]; !ok || counted {
			continue
		}
		if known := first[name]; known == nil || node.Name < known.Name {
			first[name] = node
		}
	}
	for name, node := range first {
		domains[name].Excluded = c.exclusion(q, node, all)
	}
}

// exclusion says why the plugin leaves a node out of its counts, in the order in which it
// looks (calPreFilterState of podtopologyspread).
func (c *Spread) exclusion(q *Question, node *corev1.Node, all []Spread) string {
	for i := range all {
		if _, ok := node.Labels[all[i].Key]; !ok {
			return "no label " + all[i].Key
		}
	}
	if c.nodeAffinity == corev1.NodeInclusionPolicyHonor {
		if match, _ := nodeaffinity.GetRequiredNodeAffinity(q.Pod).Match(node); !match {
			return "node selector or affinity rejects it"
		}
	}
	return "its nodes have untolerated taints"
}

// affinityTopologies are the pod's affinities and anti-affinities, and the anti-affinities
// of other pods that select it.
func affinityTopologies(q *Question, nodes []fwk.NodeInfo) []report.Topology {
	n := neighboursOf(q)
	var all []report.Topology
	for _, key := range keysOf(n.together) {
		all = append(all, n.togetherTopology(q.Pod, nodes, key))
	}
	for i, term := range n.apart {
		all = append(all, apartTopology(nodes, report.ApartRule, term.TopologyKey, term.Text(), n.excluded[i]))
	}
	for _, key := range n.keys {
		for _, selector := range n.termsByKey[key] {
			taken := map[pair][]*corev1.Pod{}
			for at, pods := range n.rejecting {
				if at.key == key && at.selector == selector {
					taken[at.pair] = pods
				}
			}
			theirs := apartTopology(nodes, report.KeepApartRule, key, selector, taken)
			mutual := func(own report.Topology) bool {
				return own.Rule == report.ApartRule && own.Key == key && own.Selector == selector && sameDomains(own, theirs)
			}
			if !slices.ContainsFunc(all, mutual) { // replicas that exclude each other
				all = append(all, theirs)
			}
		}
	}
	return all
}

// sameDomains says whether two rules reject the same domains.
func sameDomains(a, b report.Topology) bool {
	taken := func(t report.Topology) map[string]bool {
		found := map[string]bool{}
		for _, d := range t.Domains {
			if d.Rejects {
				found[d.Name] = true
			}
		}
		return found
	}
	return maps.Equal(taken(a), taken(b))
}

// apartTopology is an anti-affinity with the domains that pods have taken.
func apartTopology(nodes []fwk.NodeInfo, rule report.TopologyRule, key, selector string, taken map[pair][]*corev1.Pod) report.Topology {
	t := report.Topology{Rule: rule, Key: key, Selector: selector}
	domains, _ := domainsOf(nodes, key)
	for name, d := range domains {
		fill(d, taken[pair{key, name}])
		d.Rejects = d.Pods > 0
	}
	t.Domains = listed(domains)
	return t
}

// fill notes the pods of a domain that match.
func fill(d *report.Domain, pods []*corev1.Pod) {
	d.Pods = len(pods)
	for _, pod := range pods[:min(len(pods), report.MostNames)] {
		d.Names = append(d.Names, report.PodName{Namespace: pod.Namespace, Name: pod.Name})
	}
}

// togetherTopology is the pod's affinity by one key: which domains have a pod that matches.
func (n *neighbours) togetherTopology(pod *corev1.Pod, nodes []fwk.NodeInfo, key string) report.Topology {
	t := report.Topology{Rule: report.AffinityRule, Key: key, OtherNamespaces: n.outside.words()}
	t.Selector, _ = n.affinityText()
	domains, without := domainsOf(nodes, key)
	t.Unlabelled = without
	first := len(n.affinityMatches) == 0 && matchesAll(n.together, pod) // it may be the first
	for name, d := range domains {
		fill(d, n.affinityMatches[pair{key, name}])
		d.Rejects = d.Pods == 0 && !first
	}
	t.Domains = listed(domains)
	return t
}
