package provisioning

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// requirement is one on a label of nodes.
type requirement = corev1.NodeSelectorRequirement

// alternative is requirements that a node has to satisfy all of.
type alternative []requirement

// mostAlternatives bounds how many combinations of terms are looked at; with more, nothing is
// ruled out.
const mostAlternatives = 64

// nodeName is what a requirement on the name of a node is taken for: a new node has another
// name than those that exist, and kubelets take theirs for the host's.
const nodeName = corev1.LabelHostname

// aliases are older keys of labels, and those of CSI drivers, which are set to the same values
// (NormalizedLabels in pkg/apis/v1/labels.go of Karpenter, and of its provider for AWS).
var aliases = map[string]string{
	corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
	corev1.LabelInstanceType:            corev1.LabelInstanceTypeStable,
	"beta.kubernetes.io/arch":           corev1.LabelArchStable,
	"beta.kubernetes.io/os":             corev1.LabelOSStable,
	"topology.ebs.csi.aws.com/zone":     corev1.LabelTopologyZone,
	"topology.gke.io/zone":              corev1.LabelTopologyZone,
}

func named(key string) string { return cmp.Or(aliases[key], key) }

// requirementsOf are the requirements of a pod on its node: by its selector, its affinity, and
// volumes that are there already. ok is false where there are too many to look at.
func requirementsOf(pod *corev1.Pod, volumes [][]corev1.NodeSelectorTerm) (all []alternative, ok bool) {
	var always alternative
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		always = append(always, requirement{Key: named(key), Operator: corev1.NodeSelectorOpIn, Values: []string{pod.Spec.NodeSelector[key]}})
	}
	all = []alternative{always}
	choices := make([][]alternative, 0, 1+len(volumes))
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil {
		if required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
			choices = append(choices, alternatives(required.NodeSelectorTerms, false))
		}
	}
	for _, terms := range volumes {
		choices = append(choices, alternatives(terms, true))
	}
	for _, choice := range choices {
		if len(choice) == 0 { // terms that match no node: nothing to say about new ones
			return nil, false
		}
		var next []alternative
		for _, one := range all {
			for _, other := range choice {
				next = append(next, slices.Concat(one, other))
			}
		}
		if len(next) > mostAlternatives {
			return nil, false
		}
		all = next
	}
	return all, true
}

// alternatives are the terms of a node selector. Of a volume only labels count that say where
// a node is: others are set by drivers once they run there.
func alternatives(terms []corev1.NodeSelectorTerm, ofVolume bool) []alternative {
	var all []alternative
	for _, term := range terms {
		if len(term.MatchExpressions)+len(term.MatchFields) == 0 {
			continue // it matches no node
		}
		one := alternative{}
		for _, r := range term.MatchExpressions {
			r.Key = named(r.Key)
			if !ofVolume || r.Key == corev1.LabelTopologyZone || r.Key == corev1.LabelTopologyRegion || r.Key == nodeName {
				one = append(one, r)
			}
		}
		for _, r := range term.MatchFields {
			if r.Key == metav1.ObjectNameField {
				r.Key = nodeName
				one = append(one, r)
			}
		}
		all = append(all, one)
	}
	return all
}

// conflict is a label on which a pod and a NodePool disagree.
type conflict struct {
	key        string
	wants, has []requirement // of the pod, of the NodePool; a NodePool without any does not set the label
}

// conflicts are those of the alternative that has fewest; none if the NodePool is not ruled out.
func conflicts(pool *NodePool, pod []alternative) []conflict {
	var fewest []conflict
	for _, one := range pod {
		found := conflictsOf(pool, one)
		if len(found) == 0 {
			return nil
		}
		if fewest == nil || len(found) < len(fewest) {
			fewest = found
		}
	}
	return fewest
}

func conflictsOf(pool *NodePool, pod alternative) []conflict {
	var found []conflict
	offers := offersOf(pool)
	wants := map[string][]requirement{}
	var keys []string
	for _, r := range pod {
		if wants[r.Key] == nil {
			keys = append(keys, r.Key)
		}
		wants[r.Key] = append(wants[r.Key], r)
	}
	for _, key := range keys {
		if has := offers[key]; !allows(key, has, len(has) > 0 || mayBeSet(pool, key), wants[key]) {
			found = append(found, conflict{key, wants[key], has})
		}
	}
	return found
}

// offersOf are the requirements of a NodePool by label: its own, the labels that it sets, and
// its name.
func offersOf(pool *NodePool) map[string][]requirement {
	offers := map[string][]requirement{}
	set := func(key, value string) {
		key = named(key)
		offers[key] = append(offers[key], requirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}})
	}
	for _, r := range pool.Requirements {
		r.Key = named(r.Key)
		offers[r.Key] = append(offers[r.Key], inclusive(r))
	}
	for key, value := range pool.Labels {
		set(key, value)
	}
	set(NodePoolLabel, pool.Name)
	return offers
}

// inclusive is a requirement with Kubernetes' own operators: Karpenter has Gte and Lte too.
func inclusive(r requirement) requirement {
	if len(r.Values) != 1 {
		return r
	}
	n, err := strconv.ParseInt(r.Values[0], 10, 64)
	switch {
	case err != nil:
	case r.Operator == "Gte":
		r.Operator, r.Values = corev1.NodeSelectorOpGt, []string{strconv.FormatInt(n-1, 10)}
	case r.Operator == "Lte":
		r.Operator, r.Values = corev1.NodeSelectorOpLt, []string{strconv.FormatInt(n+1, 10)}
	}
	return r
}

// providers are the API groups of node classes whose providers set labels of their own domains
// only.
var providers = []string{"karpenter.k8s.aws", "eks.amazonaws.com", "karpenter.azure.com"}

// setByProviders end the domains of labels that Kubernetes, Karpenter or a provider sets on nodes.
var setByProviders = []string{
	"kubernetes.io", "k8s.io", "karpenter.sh", "k8s.aws", "amazonaws.com", "aws.com", "azure.com", "gke.io", "google.com",
}

// mayBeSet reports whether nodes of a NodePool that does not name a label may have it: its
// provider knows which machines there are. Labels that nobody names are not there (Compatible
// in pkg/scheduling/requirements.go of Karpenter).
func mayBeSet(pool *NodePool, key string) bool {
	domain, _, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return false
	}
	within := func(of string) bool { return domain == of || strings.HasSuffix(domain, "."+of) }
	return slices.ContainsFunc(setByProviders, within) || !slices.Contains(providers, pool.ClassGroup)
}

// allows reports whether some value of a label, or its absence, satisfies all requirements of a
// NodePool and of a pod. Each is tried by Kubernetes' own rules on a node that has it.
func allows(key string, pool []requirement, set bool, pod []requirement) bool {
	all := slices.Concat(pool, pod)
	selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: all}}})
	if err != nil {
		return true // what cannot be read rules nothing out
	}
	if selector.Match(&corev1.Node{}) {
		return true
	}
	if !set {
		return false
	}
	for _, value := range candidates(key, all) {
		if selector.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{key: value}}}) {
			return true
		}
	}
	return false
}

// anyValue is one that nobody asks for.
const anyValue = "any-other-value"

// candidates are values of which one satisfies the requirements, if any value does: those that
// they name, numbers beyond their bounds, and one of no requirement. The host's name is always
// one that nobody knows.
func candidates(key string, all []requirement) []string {
	if key == nodeName {
		return []string{anyValue}
	}
	values, excluded := []string{anyValue}, 1
	for _, r := range all {
		values = append(values, r.Values...)
		if r.Operator == corev1.NodeSelectorOpNotIn {
			excluded += len(r.Values)
		}
	}
	for _, r := range all {
		step := int64(1)
		switch r.Operator {
		case corev1.NodeSelectorOpGt:
		case corev1.NodeSelectorOpLt:
			step = -1
		default:
			continue
		}
		if len(r.Values) != 1 {
			continue
		}
		bound, err := strconv.ParseInt(r.Values[0], 10, 64)
		for i := 1; err == nil && i <= excluded; i++ {
			values = append(values, strconv.FormatInt(bound+step*int64(i), 10))
		}
	}
	return values
}

// wanted is what a pod wants of a label: "zone eu-1c", "zone in (eu-1b, eu-1c)".
func (c *conflict) wanted() string {
	if c.key == nodeName && len(c.wants) == 1 && c.wants[0].Operator == corev1.NodeSelectorOpIn {
		return "node " + strings.Join(c.wants[0].Values, " or ")
	}
	texts := make([]string, len(c.wants))
	for i, r := range c.wants {
		r.Key = plugins.LabelWord(r.Key)
		texts[i] = plugins.RequirementText(r)
		if r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
			texts[i] = r.Key + " " + r.Values[0]
		}
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " and ")
}

// offered is what a NodePool has of a label: "eu-1a, eu-1b", "no label team".
func (c *conflict) offered() string {
	word := plugins.LabelWord(c.key)
	switch {
	case c.key == nodeName:
		return "nodes of other names"
	case len(c.has) == 0:
		return "no label " + word
	}
	var texts []string
	for _, r := range c.has {
		if r.Operator == corev1.NodeSelectorOpIn {
			texts = append(texts, strings.Join(r.Values, ", "))
			continue
		}
		r.Key = word
		texts = append(texts, plugins.RequirementText(r))
	}
	return strings.Join(texts, " and ")
}
