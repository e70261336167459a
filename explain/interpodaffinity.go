package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// interPodAffinity names the rule that a node breaks and the pods behind it.
var interPodAffinity = explainer{
	shape: func(q *question, r refused) string {
		var all []string
		for _, c := range clashes(q, r) {
			all = append(all, c.kind())
		}
		return strings.Join(all, ",")
	},
	words: affinityClashWords,
}

// rule is one of the three ways in which pods keep a pod off a node.
type rule string

const (
	together rule = "pod affinity"      // the pod wants company that is not there
	apart    rule = "pod anti-affinity" // the pod wants away from pods that are there
	existing rule = "anti-affinity"     // pods that are there want the pod away
)

// clash is one rule that a node breaks.
type clash struct {
	rule     rule
	key      string // the topology's
	domain   string // the node's value of it
	missing  bool   // the node has no label of that key
	selector string // whom the rule means
	self     bool   // the pod means its own like
	pods     []*corev1.Pod
	where    []string // together: the domains of pods, which are elsewhere
}

func (c clash) kind() string {
	return string(c.rule) + " " + c.key + " " + c.selector + " " + strconv.FormatBool(c.missing)
}

// clashes are the rules that r's node breaks, in the plugin's order.
func clashes(q *question, r refused) []clash {
	if r.node == nil {
		return nil
	}
	type indexKey struct{}
	index := remember(q, indexKey{}, func() *neighbours { return newNeighbours(q) })
	if len(r.nominated) > 0 {
		index = index.with(q, r)
	}
	node := r.node.Node()
	found := index.missingCompany(q.pod, node)
	for i, term := range index.apart {
		domain, ok := node.Labels[term.TopologyKey]
		if pods := index.unwanted[i][pair{term.TopologyKey, domain}]; ok && len(pods) > 0 {
			found = append(found, clash{
				rule: apart, key: term.TopologyKey, domain: domain, selector: termText(q.pod.Namespace, &term),
				self: term.Matches(q.pod, nil), pods: pods,
			})
		}
	}
	return append(found, index.unwelcome(node)...)
}

// missingCompany is what the pod's affinity misses on node. One pod must match
// all terms at once; where none does anywhere and the pod would be its own
// company, the scheduler lets it be the first.
func (n *neighbours) missingCompany(pod *corev1.Pod, node *corev1.Node) []clash {
	var found []clash
	selector := n.companyText(pod)
	var missing, absent []clash
	for _, term := range n.together {
		domain, ok := node.Labels[term.TopologyKey]
		c := clash{rule: together, key: term.TopologyKey, domain: domain, missing: !ok, selector: selector}
		switch {
		case !ok:
			missing = append(missing, c)
		case len(n.company[pair{term.TopologyKey, domain}]) == 0:
			c.pods, c.where = n.anywhere[term.TopologyKey], n.domains[term.TopologyKey]
			absent = append(absent, c)
		}
	}
	if len(absent) > 0 && (len(n.company) > 0 || !matchesAll(n.together, pod)) {
		found = absent
	}
	return append(missing, found...)
}

// unwelcome are the anti-affinities of other pods that node's domains fall under.
func (n *neighbours) unwelcome(node *corev1.Node) []clash {
	var found []clash
	for _, key := range n.keys {
		domain, ok := node.Labels[key]
		if !ok {
			continue
		}
		for _, selector := range n.grudges[key] {
			if pods := n.hostile[grudge{pair{key, domain}, selector}]; len(pods) > 0 {
				found = append(found, clash{rule: existing, key: key, domain: domain, selector: selector, pods: pods})
			}
		}
	}
	return found
}

func affinityClashWords(q *question, rs []refused) words {
	broken := clashes(q, rs[0])
	if len(broken) == 0 {
		return reasonOnly(rs)
	}
	var short []string
	for i, c := range broken {
		mutual := func(other clash) bool {
			return other.rule == apart && other.key == c.key && other.selector == c.selector
		}
		if c.rule == existing && slices.ContainsFunc(broken[:i], mutual) { // replicas that want away from each other
			continue
		}
		if clause := c.clause(len(rs)); !slices.Contains(short, clause) {
			short = append(short, clause)
		}
	}
	return words{
		What: sentences(rs, func(r refused) string {
			var all []string
			for _, c := range clashes(q, r) {
				all = append(all, c.sentence())
			}
			return strings.Join(all, "; ")
		}),
		Short: strings.Join(short, "; "),
	}
}

// sentence tells the rule, the domain and the pods.
func (c clash) sentence() string {
	place := c.key + "=" + c.domain
	count := len(c.pods)
	switch {
	case c.missing:
		return fmt.Sprintf("%s: node has no label %s", c.rule, c.key)
	case c.rule == together && count == 0:
		return fmt.Sprintf("%s: no pod matches %s in %s, nor anywhere else", c.rule, c.selector, place)
	case c.rule == together:
		return fmt.Sprintf("%s: no pod matches %s in %s; %s elsewhere (%s=%s): %s", c.rule, c.selector, place,
			grammar.Count(count, "does", "do"), c.key, grammar.List(c.where, grammar.Many), listPods(c.pods, grammar.Many))
	case c.rule == apart:
		return fmt.Sprintf("%s: %s %s in %s: %s", c.rule, grammar.Count(count, "pod matches", "pods match"), c.selector, place, listPods(c.pods, grammar.Many))
	}
	return fmt.Sprintf("%s of %s keeps pods that match %s out of %s: %s", c.rule, grammar.Plural(count, "pod"), c.selector, place, listPods(c.pods, grammar.Many))
}

// clause is the rule in a table, for so many nodes.
func (c clash) clause(nodes int) string {
	switch {
	case c.missing:
		return "no label " + labelWord(c.key)
	case c.rule == together && c.onNode():
		return fmt.Sprintf("no %s pod on it", c.selector)
	case c.rule == together:
		return fmt.Sprintf("no %s pod in its %s", c.selector, labelWord(c.key))
	case c.rule == apart:
		return c.apartClause(nodes)
	case nodes == 1:
		return fmt.Sprintf("kept off by %s (anti-affinity %s)", listPods(c.pods, grammar.Few), c.selector)
	}
	return fmt.Sprintf("kept off by pods there (anti-affinity %s)", c.selector)
}

// apartClause is the pod's own anti-affinity: towards its like, or towards others.
func (c clash) apartClause(nodes int) string {
	rule := "away from " + c.selector
	switch {
	case c.self && c.onNode():
		rule = "one per node"
	case c.self:
		rule = "one per " + labelWord(c.key)
	}
	switch {
	case nodes == 1 && len(c.pods) == 1:
		return fmt.Sprintf("%s: %s is there", rule, fullName(c.pods[0]))
	case nodes == 1:
		return fmt.Sprintf("%s: %s are there", rule, listPods(c.pods, grammar.Few))
	case c.self && c.onNode():
		return fmt.Sprintf("%s: %d of %d taken", rule, nodes, nodes)
	}
	return rule + ": each has one"
}

func (c clash) onNode() bool { return c.key == corev1.LabelHostname }
