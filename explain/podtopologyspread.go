package explain

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// podTopologySpread tells the counts that the plugin compared.
var podTopologySpread = explainer{
	shape: spreadShape,
	words: spreadWords,
}

// spreadKey is where the plugin leaves its counts in its CycleState.
const spreadKey = "PreFilter" + names.PodTopologySpread

// spread is one constraint of the pod with the plugin's own counts.
type spread struct {
	key        string
	maxSkew    int
	minDomains int
	selector   labels.Selector
	counts     map[string]int // domain → matching pods
	self       int            // 1 if the pod matches its own selector
	fewest     int            // over the domains
	where      string         // the first domain with the fewest, "" if the plugin counted otherwise
}

// readSpreads reads the plugin's state. Its type is not exported, its fields
// are; where they are no longer what they were, nothing is read.
func readSpreads(state fwk.CycleState) (found []spread) {
	data, err := state.Read(spreadKey)
	if err != nil {
		return nil
	}
	defer func() {
		if recover() != nil { // reflect panics on a field that is gone or of another kind
			found = nil
		}
	}()
	fields := reflect.ValueOf(data).Elem()
	constraints, paths := fields.FieldByName("Constraints"), fields.FieldByName("CriticalPaths")
	counts := fields.FieldByName("TpValueToMatchNum").Interface().([]map[string]int)
	for i := range constraints.Len() {
		constraint := constraints.Index(i)
		s := spread{
			key:        constraint.FieldByName("TopologyKey").String(),
			maxSkew:    int(constraint.FieldByName("MaxSkew").Int()),
			minDomains: int(constraint.FieldByName("MinDomains").Int()),
			selector:   constraint.FieldByName("Selector").Interface().(labels.Selector),
			counts:     counts[i],
			fewest:     int(paths.Index(i).Elem().Index(0).FieldByName("MatchNum").Int()),
		}
		s.where = s.emptiest()
		found = append(found, s)
	}
	return found
}

// emptiest is the first domain by name that has the fewest pods.
func (c spread) emptiest() (where string) {
	for name, count := range c.counts {
		if count == c.fewest && (where == "" || name < where) {
			where = name
		}
	}
	return where
}

// skew is one constraint that a node breaks.
type skew struct {
	*spread
	missing bool   // the node has no label of the constraint's key
	domain  string // the node's
	here    int    // matching pods in it
	least   int    // what the plugin took for the fewest
	skew    int
}

func (s skew) kind() string {
	if s.missing {
		return "no label " + s.key
	}
	return s.key
}

// spreadsOf are the constraints of the pod as the plugin counted for r.
func spreadsOf(q *question, r refused) []spread {
	if r.node == nil || r.state == nil {
		return nil
	}
	type spreadsKey struct{ state fwk.CycleState }
	return remember(q, spreadsKey{r.state}, func() []spread {
		spreads := readSpreads(r.state)
		for i := range spreads {
			if spreads[i].selector.Matches(labels.Set(q.pod.Labels)) {
				spreads[i].self = 1
			}
		}
		return spreads
	})
}

// skews are the constraints that r's node breaks, by the plugin's own counts.
func skews(q *question, r refused) []skew {
	var broken []skew
	spreads := spreadsOf(q, r)
	for i := range spreads {
		if s := spreads[i].on(r.node.Node()); s.broken() {
			broken = append(broken, s)
		}
	}
	return broken
}

// spreadShape is the keys of the constraints that r's node breaks.
func spreadShape(q *question, r refused) string {
	said := ""
	spreads := spreadsOf(q, r)
	for i := range spreads {
		switch s := spreads[i].on(r.node.Node()); {
		case !s.broken():
		case said == "":
			said = s.kind()
		default:
			said += "," + s.kind()
		}
	}
	return said
}

// on counts as the plugin's Filter does.
func (c *spread) on(node *corev1.Node) skew {
	s := skew{spread: c, least: c.fewest}
	domain, ok := node.Labels[c.key]
	s.domain, s.missing = domain, !ok
	s.here = c.counts[domain]
	if len(c.counts) < c.minDomains {
		s.least = 0
	}
	s.skew = s.here + s.self - s.least
	return s
}

func (s skew) broken() bool { return s.missing || s.skew > s.maxSkew }

func spreadWords(q *question, rs []refused) words {
	broken := skews(q, rs[0])
	if len(broken) == 0 {
		return reasonOnly(rs)
	}
	var short []string
	for i, s := range broken {
		if s.missing {
			short = append(short, "no label "+labelWord(s.key))
			continue
		}
		low, high := s.skew, s.skew
		for _, r := range rs[1:] {
			if other := skews(q, r); i < len(other) {
				low, high = min(low, other[i].skew), max(high, other[i].skew)
			}
		}
		short = append(short, s.clause(len(rs) == 1, low, high))
	}
	return words{
		What: sentences(rs, func(r refused) string {
			var all []string
			for _, s := range skews(q, r) {
				all = append(all, s.sentence())
			}
			return strings.Join(all, "; ")
		}),
		Short: strings.Join(short, "; "),
	}
}

// clause is the constraint in a table: "spread by zone: eu-1b has 3, fewest 1,
// maxSkew 1", or for several nodes "spread by zone: skew 2–3, maxSkew 1".
func (s skew) clause(single bool, low, high int) string {
	by := "spread by " + labelWord(s.key) + ": "
	if single {
		return fmt.Sprintf("%s%s has %d, fewest %d, maxSkew %d", by, s.domain, s.here, s.least, s.maxSkew)
	}
	of := fmt.Sprint(low)
	if high > low {
		of += quantity.To + fmt.Sprint(high)
	}
	return fmt.Sprintf("%sskew %s, maxSkew %d", by, of, s.maxSkew)
}

// sentence tells every number of the comparison.
func (s skew) sentence() string {
	if s.missing {
		return fmt.Sprintf("node has no label %s, which the topology spread constraint asks for", s.key)
	}
	fewest := fmt.Sprintf("the fewest in any domain is %d", s.least)
	switch {
	case len(s.counts) < s.minDomains:
		fewest = fmt.Sprintf("the fewest counts as 0 because there are %s and minDomains is %d", grammar.Plural(len(s.counts), "domain"), s.minDomains)
	case s.where != "":
		fewest = fmt.Sprintf("the fewest is %d in %s", s.least, s.where)
	}
	with := "with this pod"
	if s.self == 0 {
		with = "this pod does not match the selector itself, and"
	}
	return fmt.Sprintf("topology spread over %s: %s %s in %s=%s, %s; %s the skew is %d, maxSkew is %d",
		s.key, grammar.Count(s.here, "pod matches", "pods match"), selectorText(s.selector), s.key, s.domain, fewest, with, s.skew, s.maxSkew)
}

// selectorText spells a label selector.
func selectorText(selector labels.Selector) string {
	requirements, selectable := selector.Requirements()
	switch {
	case !selectable:
		return "nothing"
	case len(requirements) == 0:
		return "everything"
	}
	var all []string
	for _, requirement := range requirements {
		all = append(all, requirement.String())
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}
