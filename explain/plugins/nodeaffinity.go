package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// nodeAffinity names every label and field that the pod requires and the node does
// not have, and the value that the node has.
var nodeAffinity = explainer{
	Shape: func(q *Question, r NodeRejection) string { return UnmetOf(q, r).Wish },
	Cause: nodeAffinityCause,
	Words: affinityWords,
}

// Want is one requirement of the pod on a node: a pair of its nodeSelector, or
// one line of a term of its required node affinity.
type Want struct {
	Text    string // "disktype=ssd", "zone in (a, b)"
	Key     string
	Field   bool // of the node's fields, not its labels
	invalid string
	match   *nodeaffinity.NodeSelector // nil for a pair and where invalid
	Value   string                     // of a pair

	known  map[string]bool // whether each value of the label satisfies match
	absent *bool           // whether a node without the label does; nil: not known yet
}

// wants are all of a pod's requirements on its node, or those that the profile
// adds for every pod.
type wants struct {
	added bool     // by the profile (addedAffinity)
	pairs []Want   // every one must hold
	terms [][]Want // one term must hold, with all its requirements
	asks  bool     // there are terms; with none that could hold, no node does
}

// Unmet is what one node does not satisfy.
type Unmet struct {
	Added bool // of what the profile adds; the plugin then looks no further
	Pairs []Want
	Terms [][]Want // one entry per term, in order; empty where a term holds
	total int      // terms
	Wish  string   // all of it, the same for all nodes that miss the same
}

// UnmetOf is what of the pod's node selector and node affinity r's node does not meet.
func UnmetOf(q *Question, r NodeRejection) *Unmet {
	type wantsKey struct{}
	type addedKey struct{}
	type wishKey struct{}
	asked := Remember(q, wantsKey{}, func() *wants { return wantsOf(q.Pod) })
	wishes := Remember(q, wishKey{}, func() map[string]*Unmet { return map[string]*Unmet{} })
	if r.Node == nil {
		return &Unmet{Terms: asked.terms, total: len(asked.terms)}
	}
	node, added := r.Node.Node(), Remember(q, addedKey{}, func() *wants { return addedTo(q) })
	var room [32]byte
	seen := asked.marks(node, added.marks(node, room[:0]))
	if known, ok := wishes[string(seen)]; ok {
		return known
	}
	found := added.against(node)
	if len(found.Terms) == 0 {
		found = asked.against(node)
	}
	found.Wish = found.describe()
	wishes[string(seen)] = found
	return found
}

// wantsOf reads the pod's nodeSelector and required node affinity.
func wantsOf(pod *corev1.Pod) *wants {
	w := &wants{}
	for key, value := range pod.Spec.NodeSelector {
		w.pairs = append(w.pairs, Want{Text: key + "=" + value, Key: key, Value: value})
	}
	slices.SortFunc(w.pairs, func(a, b Want) int { return strings.Compare(a.Key, b.Key) })
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return w
	}
	w.asks, w.terms = true, termsOf(affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	return w
}

// addedTo reads what the profile adds to every pod's node affinity.
func addedTo(q *Question) *wants {
	args, ok := q.Args[names.NodeAffinity].(*config.NodeAffinityArgs)
	if !ok || args.AddedAffinity == nil || args.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return &wants{added: true}
	}
	return &wants{added: true, asks: true, terms: termsOf(args.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution)}
}

// termsOf are the requirements of each term.
func termsOf(selector *corev1.NodeSelector) [][]Want {
	var terms [][]Want
	for _, term := range selector.NodeSelectorTerms {
		var all []Want
		for _, requirement := range term.MatchExpressions {
			all = append(all, newWant(requirement, false))
		}
		for _, requirement := range term.MatchFields {
			all = append(all, newWant(requirement, true))
		}
		terms = append(terms, all)
	}
	return terms
}

func newWant(requirement corev1.NodeSelectorRequirement, field bool) Want {
	term := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{requirement}}
	if field {
		term = corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{requirement}}
	}
	w := Want{Text: RequirementText(requirement), Key: requirement.Key, Field: field}
	match, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}})
	if err != nil {
		w.invalid = err.Error()
	}
	w.match = match
	return w
}

// RequirementText writes a requirement: "zone in (a, b)", "label gpu", "no label gpu".
func RequirementText(r corev1.NodeSelectorRequirement) string {
	values := strings.Join(r.Values, ", ")
	switch r.Operator {
	case corev1.NodeSelectorOpIn:
		if len(r.Values) == 1 {
			return r.Key + "=" + values
		}
		return r.Key + " in (" + values + ")"
	case corev1.NodeSelectorOpNotIn:
		if len(r.Values) == 1 {
			return r.Key + "!=" + values
		}
		return r.Key + " not in (" + values + ")"
	case corev1.NodeSelectorOpExists:
		return "label " + r.Key
	case corev1.NodeSelectorOpDoesNotExist:
		return "no label " + r.Key
	case corev1.NodeSelectorOpGt:
		return r.Key + " > " + values
	case corev1.NodeSelectorOpLt:
		return r.Key + " < " + values
	}
	return fmt.Sprintf("%s %s (%s)", r.Key, r.Operator, values)
}

// holds says whether the node satisfies w.
func (w *Want) holds(node *corev1.Node) bool {
	if w.invalid != "" {
		return false
	}
	if w.Field {
		return w.match.Match(node)
	}
	value, ok := node.Labels[w.Key]
	if w.match == nil {
		return ok && value == w.Value
	}
	if !ok {
		if w.absent == nil {
			w.absent = new(w.match.Match(node))
		}
		return *w.absent
	}
	holds, known := w.known[value]
	if !known {
		if w.known == nil {
			w.known = map[string]bool{}
		}
		holds = w.match.Match(node) // looks at no other label
		w.known[value] = holds
	}
	return holds
}

// marks tell, for each requirement, whether node satisfies it.
func (w *wants) marks(node *corev1.Node, to []byte) []byte {
	check := func(all []Want) {
		for i := range all {
			mark := byte('+')
			if !all[i].holds(node) {
				mark = '-'
			}
			to = append(to, mark)
		}
	}
	check(w.pairs)
	for _, term := range w.terms {
		check(term)
	}
	return to
}

// against finds what node does not satisfy.
func (w *wants) against(node *corev1.Node) *Unmet {
	found := &Unmet{Added: w.added, total: len(w.terms)}
	check := func(all []Want) (missing []Want) {
		for i := range all {
			if !all[i].holds(node) {
				missing = append(missing, all[i])
			}
		}
		return missing
	}
	found.Pairs = check(w.pairs)
	holds := !w.asks
	for _, term := range w.terms {
		missing := check(term)
		found.Terms = append(found.Terms, missing)
		holds = holds || len(missing) == 0 && len(term) > 0 // an empty term matches no node
	}
	if holds {
		found.Terms = nil
	}
	return found
}

// describe joins what is missing: "disktype=ssd and (zone=a or pool=x)".
func (u *Unmet) describe() string {
	var all []string
	for _, one := range u.Pairs {
		all = append(all, one.Text)
	}
	if len(u.Terms) == 0 {
		return strings.Join(all, " and ")
	}
	var alternatives []string
	for _, term := range u.Terms {
		if len(term) == 0 && !u.Empty() {
			continue // another one may be met
		}
		if said := joinWants(term); !slices.Contains(alternatives, said) {
			alternatives = append(alternatives, said)
		}
	}
	said := strings.Join(alternatives, " or ")
	if len(all) > 0 && len(alternatives) > 1 {
		said = "(" + said + ")"
	}
	return strings.Join(append(all, said), " and ")
}

// Empty says whether there are only terms that are empty, which no node meets.
func (u *Unmet) Empty() bool {
	return len(u.Terms) > 0 && !slices.ContainsFunc(u.Terms, func(term []Want) bool { return len(term) > 0 })
}

func joinWants(term []Want) string {
	if len(term) == 0 {
		return "an empty term"
	}
	var all []string
	for _, one := range term {
		all = append(all, one.Text)
	}
	return strings.Join(all, " and ")
}

// Single is the one thing that is missing, if it is one.
func (u *Unmet) Single() (Want, bool) {
	switch {
	case len(u.Pairs) == 1 && len(u.Terms) == 0:
		return u.Pairs[0], true
	case len(u.Pairs) == 0 && len(u.Terms) == 1 && len(u.Terms[0]) == 1:
		return u.Terms[0][0], true
	}
	return Want{}, false
}

// Wanted is a value of the label that would satisfy w.
func (w Want) Wanted(pod *corev1.Pod) (string, bool) {
	if all := w.AllWanted(pod); len(all) > 0 {
		return all[0], true
	}
	return "", false
}

// AllWanted are the values of the label that satisfy it where they can be listed.
func (w Want) AllWanted(pod *corev1.Pod) []string {
	if w.match == nil && w.invalid == "" {
		return []string{w.Value}
	}
	if w.match == nil {
		return nil
	}
	for _, term := range pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, r := range term.MatchExpressions {
			switch {
			case RequirementText(r) != w.Text:
			case r.Operator == corev1.NodeSelectorOpIn && len(r.Values) > 0:
				return r.Values
			case r.Operator == corev1.NodeSelectorOpExists:
				return []string{"true"}
			}
		}
	}
	return nil
}

// affinityWords says what the pod requires and which values the nodes have.
func affinityWords(q *Question, rs []NodeRejection) Words {
	u := UnmetOf(q, rs[0])
	if rs[0].Node == nil && len(u.Terms) > 0 {
		return Words{
			What:  rs[0].OwnReason() + ": each term requires one node with different names: " + u.describe(),
			Short: "node affinity requires two nodes at once",
		}
	}
	if u.Wish == "" {
		return reasonOnly(rs)
	}
	w := Words{
		What:  sentences(rs, func(r NodeRejection) string { return UnmetOf(q, r).sentence(r.Node.Node()) }),
		Short: u.Field() + " " + u.Wish,
		Bar:   u.Wish,
	}
	if u.Empty() && len(u.Pairs) == 0 {
		w.Short, w.Bar = u.Field()+" is empty and matches no node", "its empty node affinity"
		if u.Added {
			w.Bar = u.Field() + ", which is empty"
		}
	}
	one, ok := u.Single()
	if !ok {
		return w
	}
	if len(rs) == 1 {
		w.Short = u.Field() + " " + one.Text + ", " + one.has(rs[0].Node.Node(), false)
		return w
	}
	if noNodeHas(q, one) {
		w.Short = u.Field() + " " + one.Text + ": no node has the label"
		return w
	}
	w.Short = u.Field() + " " + one.Text + ": " + tally(one, rs)
	return w
}

// labelKey is the key under which is remembered whether a node has a label.
type labelKey string

// noNodeHas says whether no node of the cluster has the label that is wanted, with whatever value.
func noNodeHas(q *Question, one Want) bool {
	if one.Field || q.Nodes == nil {
		return false
	}
	return Remember(q, labelKey(one.Key), func() bool {
		nodes, err := q.Nodes.NodeInfos().List()
		return err == nil && !slices.ContainsFunc(nodes, func(node fwk.NodeInfo) bool {
			_, has := node.Node().Labels[one.Key]
			return has
		})
	})
}

// Field names where the requirements stand: in the pod's nodeSelector, in its node
// affinity, or in what the profile adds.
func (u *Unmet) Field() string {
	switch {
	case u.Added:
		return "the profile's addedAffinity"
	case len(u.Terms) == 0:
		return "node selector"
	case len(u.Pairs) == 0:
		return "node affinity"
	}
	return "node selector and affinity"
}

// tally counts the values that the nodes have: "3 have hdd, 1 has no label".
func tally(one Want, rs []NodeRejection) string {
	var values []string
	counts, none := map[string]int{}, 0
	for _, r := range rs {
		value, ok := one.ValueAt(r.Node.Node())
		switch {
		case !ok:
			none++
		case counts[value] == 0:
			values = append(values, value)
			fallthrough
		default:
			counts[value]++
		}
	}
	slices.SortStableFunc(values, func(a, b string) int { return counts[b] - counts[a] })
	var all []string
	for i, value := range values {
		if i == grammar.Few {
			all = append(all, grammar.Count(len(values)-i, "other value", "other values"))
			break
		}
		verb := "have"
		if counts[value] == 1 {
			verb = "has"
		}
		all = append(all, fmt.Sprintf("%d %s %s", counts[value], verb, OrEmpty(value)))
	}
	if none > 0 {
		all = append(all, fmt.Sprintf("%s no label", grammar.Count(none, "has", "have")))
	}
	return strings.Join(all, ", ")
}

// LabelWord is a label's key without the domains that Kubernetes itself owns.
func LabelWord(key string) string {
	for _, domain := range []string{"topology.kubernetes.io/", "kubernetes.io/", "node.kubernetes.io/"} {
		if word, ok := strings.CutPrefix(key, domain); ok {
			return word
		}
	}
	return key
}

// ValueAt is what the node has where w looks.
func (w Want) ValueAt(node *corev1.Node) (string, bool) {
	if w.Field && w.Key == metav1.ObjectNameField {
		return node.Name, true
	}
	value, ok := node.Labels[w.Key]
	return value, ok
}

// has is the value that the node has: "the node has disktype=hdd", or only "has hdd".
func (w Want) has(node *corev1.Node, whole bool) string {
	value, ok := w.ValueAt(node)
	switch {
	case ok && whole:
		return "the node has " + w.Key + "=" + value
	case ok:
		return "has " + OrEmpty(value)
	case whole:
		return "the node has no label " + w.Key
	}
	return "has no label"
}

// OrEmpty is a value, or two quotation marks where it is empty.
func OrEmpty(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// sentence is all that one node misses, per term where there are several.
func (u *Unmet) sentence(node *corev1.Node) string {
	var all []string
	for _, one := range u.Pairs {
		all = append(all, "node selector requires "+one.Text+", "+one.has(node, true))
	}
	for i, term := range u.Terms {
		of := "node affinity "
		if u.Added {
			of = "the profile's addedAffinity "
		}
		if u.total > 1 {
			of += fmt.Sprintf("term %d of %d ", i+1, u.total)
		}
		var lines []string
		for _, one := range term {
			said := "requires " + one.Text + ", " + one.has(node, true)
			if one.invalid != "" {
				said = "requires " + one.Text + ", which is invalid: " + one.invalid
			}
			lines = append(lines, said)
		}
		if len(term) == 0 {
			lines = []string{"is empty and matches no node"}
		}
		all = append(all, of+strings.Join(lines, " and "))
	}
	return strings.Join(all, "; ")
}
