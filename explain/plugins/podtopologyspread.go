package plugins

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// PodTopologySpread gives the counts that the plugin compared.
var PodTopologySpread = explainer{
	Shape: spreadShape,
	Words: spreadWords,
}

// SpreadKey is where the plugin leaves its counts in its CycleState.
const SpreadKey = "PreFilter" + names.PodTopologySpread

// Spread is one constraint of the pod with the plugin's own counts.
type Spread struct {
	Key        string
	MaxSkew    int
	MinDomains int
	Selector   labels.Selector
	Counts     map[string]int // domain → matching pods
	self       int            // 1 if the pod matches its own selector
	Fewest     int            // over the domains

	nodeAffinity corev1.NodeInclusionPolicy // whether nodes count that the pod's affinity rejects
	nodeTaints   corev1.NodeInclusionPolicy // whether nodes count whose taints the pod does not tolerate
	where        string                     // the first domain with the fewest, "" if the plugin counted otherwise
}

// ReadSpreads reads the plugin's state. Its type is not exported, its fields
// are; where they are no longer what they were, nothing is read.
func ReadSpreads(state fwk.CycleState) (found []Spread) {
	data, err := state.Read(SpreadKey)
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
		s := Spread{
			Key:        constraint.FieldByName("TopologyKey").String(),
			MaxSkew:    int(constraint.FieldByName("MaxSkew").Int()),
			MinDomains: int(constraint.FieldByName("MinDomains").Int()),
			Selector:   constraint.FieldByName("Selector").Interface().(labels.Selector),
			Counts:     counts[i],
			Fewest:     int(paths.Index(i).Elem().Index(0).FieldByName("MatchNum").Int()),

			nodeAffinity: corev1.NodeInclusionPolicy(constraint.FieldByName("NodeAffinityPolicy").String()),
			nodeTaints:   corev1.NodeInclusionPolicy(constraint.FieldByName("NodeTaintsPolicy").String()),
		}
		s.where = s.emptiest()
		found = append(found, s)
	}
	return found
}

// emptiest is the first domain by name that has the fewest pods.
func (c Spread) emptiest() (where string) {
	for name, count := range c.Counts {
		if count == c.Fewest && (where == "" || name < where) {
			where = name
		}
	}
	return where
}

// Skew is one constraint that a node breaks.
type Skew struct {
	*Spread
	Missing bool   // the node has no label of the constraint's key
	domain  string // the node's
	here    int    // matching pods in it
	least   int    // what the plugin took for the fewest
	Skew    int
}

func (s Skew) kind() string {
	if s.Missing {
		return "no label " + s.Key
	}
	return s.Key
}

// spreadsOf are the constraints of the pod as the plugin counted for r.
func spreadsOf(q *Question, r NodeRejection) []Spread {
	if r.Node == nil || r.State == nil {
		return nil
	}
	type spreadsKey struct{ state fwk.CycleState }
	return Remember(q, spreadsKey{r.State}, func() []Spread {
		spreads := ReadSpreads(r.State)
		for i := range spreads {
			spreads[i].countSelf(q.Pod)
		}
		return spreads
	})
}

// Skews are the constraints that r's node breaks, by the plugin's own counts.
func Skews(q *Question, r NodeRejection) []Skew {
	var broken []Skew
	spreads := spreadsOf(q, r)
	for i := range spreads {
		if s := spreads[i].on(r.Node.Node()); s.broken() {
			broken = append(broken, s)
		}
	}
	return broken
}

// OnlyTaints reports whether all nodes of the domains with the fewest pods have taints that the pod does
// not tolerate, and count nevertheless: the constraint's nodeTaintsPolicy is not Honor. Taints that say
// in which state a node is, such as not-ready, pass and do not count.
func (s Skew) OnlyTaints(q *Question) bool {
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil || s.Missing || s.nodeTaints == corev1.NodeInclusionPolicyHonor || len(s.Counts) < s.MinDomains {
		return false
	}
	rejects := func(t *corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && !model.IsStateTaint(t.Key)
	}
	affinity := nodeaffinity.GetRequiredNodeAffinity(q.Pod)
	tainted := 0
	for _, info := range nodes {
		node := info.Node()
		if count, counts := s.Counts[node.Labels[s.Key]]; !counts || count > s.Fewest || !hasKeys(q.Pod, node) {
			continue
		}
		if match, _ := affinity.Match(node); !match && s.nodeAffinity != corev1.NodeInclusionPolicyIgnore {
			continue
		}
		if model.ToleratesTaints(q.Pod.Spec.Tolerations, node.Spec.Taints, rejects) {
			return false
		}
		tainted++
	}
	return tainted > 0
}

// hasKeys reports whether a node has the labels of all required spread constraints of a pod: others do
// not count.
func hasKeys(pod *corev1.Pod, node *corev1.Node) bool {
	return !slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
		_, ok := node.Labels[c.TopologyKey]
		return c.WhenUnsatisfiable == corev1.DoNotSchedule && !ok
	})
}

// spreadShape is the keys of the constraints that r's node breaks.
func spreadShape(q *Question, r NodeRejection) string {
	said := ""
	spreads := spreadsOf(q, r)
	for i := range spreads {
		switch s := spreads[i].on(r.Node.Node()); {
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
func (c *Spread) on(node *corev1.Node) Skew {
	s := Skew{Spread: c, least: c.least()}
	domain, ok := node.Labels[c.Key]
	s.domain, s.Missing = domain, !ok
	s.here, s.Skew = c.Counts[domain], c.skew(domain)
	return s
}

// countSelf notes whether the pod is one of those that the constraint spreads.
func (c *Spread) countSelf(pod *corev1.Pod) {
	c.self = 0
	if c.Selector.Matches(labels.Set(pod.Labels)) {
		c.self = 1
	}
}

// least is the minimum that the plugin compares with: 0 where there are fewer domains than
// minDomains.
func (c *Spread) least() int {
	if len(c.Counts) < c.MinDomains {
		return 0
	}
	return c.Fewest
}

// skew is that of a domain with the pod in it.
func (c *Spread) skew(domain string) int { return c.Counts[domain] + c.self - c.least() }

// fewestOf is where the only broken constraint has the fewest pods; nil where that is not known, or
// not one domain alone.
func fewestOf(broken []Skew) *report.Fewest {
	if len(broken) != 1 || broken[0].Missing || broken[0].where == "" || len(broken[0].Counts) < broken[0].MinDomains {
		return nil
	}
	s := broken[0]
	for domain, pods := range s.Counts {
		if pods == s.Fewest && domain != s.where {
			return nil
		}
	}
	return &report.Fewest{
		Key: s.Key, Domain: s.where, Pods: s.Fewest,
		Affinity: s.nodeAffinity != corev1.NodeInclusionPolicyIgnore, Taints: s.nodeTaints == corev1.NodeInclusionPolicyHonor,
	}
}

// tooFewOf says that the only broken constraint has fewer domains than its minDomains; nil where it has enough.
func tooFewOf(broken []Skew) *report.TooFew {
	if len(broken) != 1 || broken[0].Missing || len(broken[0].Counts) >= broken[0].MinDomains {
		return nil
	}
	return &report.TooFew{Key: broken[0].Key, Eligible: len(broken[0].Counts), MinDomains: broken[0].MinDomains}
}

func (s Skew) broken() bool { return s.Missing || s.Skew > s.MaxSkew }

func spreadWords(q *Question, rs []NodeRejection) Words {
	broken := Skews(q, rs[0])
	if len(broken) == 0 {
		return reasonOnly(rs)
	}
	var short []string
	for i, s := range broken {
		if s.Missing {
			short = append(short, "no label "+LabelWord(s.Key))
			continue
		}
		low, high := s.Skew, s.Skew
		for _, r := range rs[1:] {
			if other := Skews(q, r); i < len(other) {
				low, high = min(low, other[i].Skew), max(high, other[i].Skew)
			}
		}
		short = append(short, s.clause(len(rs) == 1, low, high))
	}
	return Words{
		What: sentences(rs, func(r NodeRejection) string {
			var all []string
			for _, s := range Skews(q, r) {
				all = append(all, s.sentence())
			}
			return strings.Join(all, "; ")
		}),
		Short: strings.Join(short, "; "),
	}
}

// clause is the constraint in a table: "zone skew 3, maxSkew 1: eu-1b has 3,
// minimum 1", or for several nodes "zone skew 2–3, maxSkew 1".
func (s Skew) clause(single bool, low, high int) string {
	by := LabelWord(s.Key) + " "
	if single {
		return fmt.Sprintf("%sskew %d, maxSkew %d: %s has %d, minimum %d", by, s.Skew, s.MaxSkew, s.domain, s.here, s.least)
	}
	of := fmt.Sprint(low)
	if high > low {
		of += quantity.To + fmt.Sprint(high)
	}
	return fmt.Sprintf("%sskew %s, maxSkew %d", by, of, s.MaxSkew)
}

// sentence gives every number of the comparison.
func (s Skew) sentence() string {
	if s.Missing {
		return fmt.Sprintf("the node has no label %s, which a topology spread constraint requires", s.Key)
	}
	fewest := fmt.Sprintf("the minimum of all domains is %d", s.least)
	switch {
	case len(s.Counts) < s.MinDomains:
		fewest = fmt.Sprintf("the minimum counts as 0 because there %s and minDomains is %d", grammar.Agree(len(s.Counts), "is 1 domain", fmt.Sprintf("are %d domains", len(s.Counts))), s.MinDomains)
	case s.where != "":
		fewest = fmt.Sprintf("the minimum is %d in %s", s.least, s.where)
	}
	with := "with this pod"
	if s.self == 0 {
		with = "this pod itself does not match the selector, and"
	}
	return fmt.Sprintf("topology spread constraint on %s: %s %s in %s=%s, %s; %s the skew is %d, maxSkew is %d",
		s.Key, grammar.Count(s.here, "pod matches", "pods match"), selectorText(s.Selector), s.Key, s.domain, fewest, with, s.Skew, s.MaxSkew)
}

// selectorText writes a label selector.
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
		said := requirement.String()
		if values := requirement.Values().List(); len(values) == 1 && requirement.Operator() == selection.In {
			said = requirement.Key() + "=" + values[0] // rather than "app in (web)"
		}
		all = append(all, said)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}
