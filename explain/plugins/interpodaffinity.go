package plugins

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// InterPodAffinity names the rule that a node breaks and the pods behind it.
var InterPodAffinity = explainer{
	Shape: func(q *Question, r NodeRejection) string {
		var all []string
		for _, c := range Clashes(q, r) {
			all = append(all, c.kind())
		}
		return strings.Join(all, ",")
	},
	Cause: podAffinityCause,
	Words: affinityClashWords,
}

// rule is one of the three rules between pods by which a node is rejected.
type rule string

// The three rules.
const (
	Together rule = "pod affinity"      // the pod requires pods that are not there
	Apart    rule = "pod anti-affinity" // the pod excludes pods that are there
	existing rule = "anti-affinity"     // pods that are there exclude the pod
)

// Clash is one rule that a node breaks.
type Clash struct {
	Rule     rule
	Key      string // the topology's
	domain   string // the node's value of it
	missing  bool   // the node has no label of that key
	Selector string // which pods the rule selects
	self     bool   // the pod matches its own selector
	Pods     []*corev1.Pod
	where    []string // together: the domains of pods, which are elsewhere
	why      string   // together: why no pod on any node matches, where that is known
	noun     string   // together: what a pod that matches is called
	outside  outside  // together: where no pod on any node matches, those that do in other namespaces
}

func (c Clash) kind() string {
	return string(c.Rule) + " " + c.Key + " " + c.Selector + " " + strconv.FormatBool(c.missing)
}

// Clashes are the rules that r's node breaks, in the plugin's order.
func Clashes(q *Question, r NodeRejection) []Clash {
	if r.Node == nil {
		return nil
	}
	index := neighboursOf(q)
	if len(r.Nominated) > 0 {
		index = index.with(q, r)
	}
	node := r.Node.Node()
	found := index.missingAffinity(q.Pod, node)
	for i, term := range index.apart {
		domain, ok := node.Labels[term.TopologyKey]
		if pods := index.excluded[i][pair{term.TopologyKey, domain}]; ok && len(pods) > 0 {
			found = append(found, Clash{
				Rule: Apart, Key: term.TopologyKey, domain: domain, Selector: term.Text(),
				self: term.Matches(q.Pod, nil), Pods: pods,
			})
		}
	}
	return append(found, index.rejectedBy(node)...)
}

// missingAffinity is what the pod's affinity misses on node. One pod must match
// all terms at once; where none does anywhere and the pod would be its own
// match, the scheduler lets it be the first.
func (n *neighbours) missingAffinity(pod *corev1.Pod, node *corev1.Node) []Clash {
	var found []Clash
	selector, noun := n.affinityText()
	var missing, absent []Clash
	for _, term := range n.together {
		domain, ok := node.Labels[term.TopologyKey]
		c := Clash{Rule: Together, Key: term.TopologyKey, domain: domain, missing: !ok, Selector: selector, noun: noun}
		switch {
		case !ok:
			missing = append(missing, c)
		case len(n.affinityMatches[pair{term.TopologyKey, domain}]) == 0:
			c.Pods, c.where, c.why = n.anywhere[term.TopologyKey], n.domains[term.TopologyKey], n.why
			c.outside = n.outside
			absent = append(absent, c)
		}
	}
	if len(absent) > 0 && (len(n.affinityMatches) > 0 || !matchesAll(n.together, pod)) {
		found = absent
	}
	return append(missing, found...)
}

// rejectedBy are the anti-affinities of other pods that node's domains fall under.
func (n *neighbours) rejectedBy(node *corev1.Node) []Clash {
	var found []Clash
	for _, key := range n.keys {
		domain, ok := node.Labels[key]
		if !ok {
			continue
		}
		for _, selector := range n.termsByKey[key] {
			if pods := n.rejecting[antiAffinityTerm{pair{key, domain}, selector}]; len(pods) > 0 {
				found = append(found, Clash{Rule: existing, Key: key, domain: domain, Selector: selector, Pods: pods})
			}
		}
	}
	return found
}

func affinityClashWords(q *Question, rs []NodeRejection) Words {
	broken := Clashes(q, rs[0])
	if len(broken) == 0 {
		return reasonOnly(rs)
	}
	var short []string
	for i, c := range broken {
		mutual := func(other Clash) bool {
			return other.Rule == Apart && other.Key == c.Key && other.Selector == c.Selector
		}
		if c.Rule == existing && slices.ContainsFunc(broken[:i], mutual) { // replicas that exclude each other
			continue
		}
		if clause := c.clause(q, rs); !slices.Contains(short, clause) {
			short = append(short, clause)
		}
	}
	return Words{
		What: sentences(rs, func(r NodeRejection) string {
			var all []string
			for _, c := range Clashes(q, r) {
				all = append(all, c.sentence())
			}
			return strings.Join(all, "; ")
		}),
		Short: strings.Join(short, "; "),
	}
}

// sentence names the rule, the domain and the pods.
func (c Clash) sentence() string {
	place := c.Key + "=" + c.domain
	count := len(c.Pods)
	switch {
	case c.missing:
		return fmt.Sprintf("%s: the node has no label %s", c.Rule, c.Key)
	case c.Rule == Together && count == 0:
		said := fmt.Sprintf("%s: no pod matches %s in %s or anywhere else", c.Rule, c.Selector, place) + c.because()
		if others := c.outside.words(); others != "" {
			said += "; " + others
		}
		return said
	case c.Rule == Together:
		return fmt.Sprintf("%s: no pod matches %s in %s; %s elsewhere (%s=%s): %s", c.Rule, c.Selector, place,
			grammar.Count(count, "matches", "match"), c.Key, grammar.List(c.where, grammar.Many), ListPods(c.Pods, grammar.Many))
	case c.Rule == Apart:
		return fmt.Sprintf("%s: %s %s in %s: %s", c.Rule, grammar.Count(count, "pod matches", "pods match"), c.Selector, place, ListPods(c.Pods, grammar.Many))
	}
	return fmt.Sprintf("%s of %s rejects pods that match %s in %s: %s", c.Rule, grammar.Plural(count, "pod"), c.Selector, place, ListPods(c.Pods, grammar.Many))
}

// because goes on with why no pod matches; "" where that is not known.
func (c Clash) because() string {
	if c.why == "" {
		return ""
	}
	return ": " + c.why
}

// clause is the rule in a table, for those nodes.
func (c Clash) clause(q *Question, rs []NodeRejection) string {
	nodes := len(rs)
	switch {
	case c.missing:
		return "no label " + LabelWord(c.Key)
	case c.why != "":
		return "no " + c.noun + c.because()
	case c.outside.pods > 0:
		return "no " + c.noun + ": " + c.outside.clause()
	case c.Rule == Together && c.onNode():
		return "no " + c.noun + " on the node"
	case c.Rule == Together:
		return "no " + c.noun + " in its " + LabelWord(c.Key)
	case c.Rule == Apart:
		return c.apartClause(nodes)
	}
	who := ListPods(c.Pods, grammar.Few)
	if nodes > 1 {
		who = neighboursOf(q).rejectingWorkloads(c, rs)
	}
	if c.onNode() {
		return fmt.Sprintf("rejected by anti-affinity of %s (%s)", who, c.Selector)
	}
	return fmt.Sprintf("rejected by anti-affinity of %s (per %s: %s)", who, LabelWord(c.Key), c.Selector)
}

// apartClause is the pod's own anti-affinity: to pods like itself, or to others.
func (c Clash) apartClause(nodes int) string {
	rule := "anti-affinity " + c.Selector
	switch {
	case c.self && c.onNode():
		rule = "one per node"
	case c.self:
		rule = "one per " + LabelWord(c.Key)
	}
	switch {
	case nodes == 1 && len(c.Pods) == 1:
		return fmt.Sprintf("%s: %s runs there", rule, FullName(c.Pods[0]))
	case nodes == 1:
		return fmt.Sprintf("%s: %s run there", rule, ListPods(c.Pods, grammar.Few))
	}
	return rule + ": each has one"
}

func (c Clash) onNode() bool { return c.Key == corev1.LabelHostname }

// Term is a required term of a pod with its namespace selector resolved to names.
type Term struct {
	fwk.AffinityTerm
	where    string          // its namespaces: "in namespaces with team=web"; "" for the pod's own
	byLabels labels.Selector // how it selects namespaces; nil where it does not depend on labels
}

// Text is whom the term means: "app=web", with the namespaces where they are not only the pod's.
func (t *Term) Text() string { return joined(selectorText(t.Selector), t.where) }

// OwnTerms are the pod's terms with its namespace selectors resolved to names,
// as the plugin's PreFilter does.
func OwnTerms(q *Question, terms []corev1.PodAffinityTerm) []Term {
	parsed, err := fwk.GetAffinityTerms(q.Pod, terms)
	if err != nil {
		return nil
	}
	own := make([]Term, len(parsed))
	for i := range parsed {
		own[i] = Term{AffinityTerm: parsed[i], where: namespacesText(q.Pod.Namespace, &parsed[i])}
		term := &own[i]
		if _, selects := term.NamespaceSelector.Requirements(); !selects || term.NamespaceSelector.Empty() {
			continue
		}
		term.byLabels = term.NamespaceSelector
		found, err := q.Namespaces.List(term.byLabels)
		if err != nil {
			return nil
		}
		for _, namespace := range found {
			term.Namespaces.Insert(namespace.Name)
		}
		term.NamespaceSelector = labels.Nothing()
	}
	return own
}

// NamespaceLabels are those of the pod's namespace, for the selectors of others.
func NamespaceLabels(q *Question) labels.Set {
	namespace, err := q.Namespaces.Get(q.Pod.Namespace)
	if err != nil {
		return nil
	}
	return namespace.Labels
}

// matchesAll says whether one pod is what all terms mean; no terms mean none.
func matchesAll(terms []Term, pod *corev1.Pod) bool {
	for _, term := range terms {
		if !term.Matches(pod, nil) {
			return false
		}
	}
	return len(terms) > 0
}

// keysOf are the topology keys of terms, each once.
func keysOf(terms []Term) []string {
	var keys []string
	for _, term := range terms {
		if !slices.Contains(keys, term.TopologyKey) {
			keys = append(keys, term.TopologyKey)
		}
	}
	return keys
}

// namespacesText is which namespaces a term of a pod in home selects, by names and by labels; "" for home alone.
func namespacesText(home string, term *fwk.AffinityTerm) string {
	if term.NamespaceSelector.Empty() {
		return "in any namespace"
	}
	named := sets.List(term.Namespaces)
	switch _, selects := term.NamespaceSelector.Requirements(); {
	case selects && len(named) == 0:
		return "in namespaces with " + selectorText(term.NamespaceSelector)
	case selects:
		return "in " + namespaceList(named, grammar.Few) + " and namespaces with " + selectorText(term.NamespaceSelector)
	case len(named) == 1 && named[0] == home:
		return ""
	}
	return "in " + namespaceList(named, grammar.Few)
}

// namespaceList names namespaces: "namespace web", "namespaces shop, web".
func namespaceList(names []string, limit int) string {
	return grammar.Agree(len(names), "namespace ", "namespaces ") + grammar.List(names, limit)
}
