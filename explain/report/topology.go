package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// TopologyRule is what a pod, or pods that exist, require of topology domains.
type TopologyRule string

// The rules, as JSON has them.
const (
	SpreadRule    TopologyRule = "topology spread"
	AffinityRule  TopologyRule = "pod affinity"
	ApartRule     TopologyRule = "pod anti-affinity"           // the pod's own
	KeepApartRule TopologyRule = "anti-affinity of other pods" // theirs, which selects the pod
)

// Plugin is the one that applies the rule.
func (r TopologyRule) Plugin() string {
	if r == SpreadRule {
		return "PodTopologySpread"
	}
	return "InterPodAffinity"
}

// Topology is one rule that rejects nodes, with all domains of its key as the plugin
// counted them. Pods that are nominated to a node do not count here.
type Topology struct {
	Rule       TopologyRule `json:"rule"`
	Key        string       `json:"key"`
	Selector   string       `json:"selector"`             // which pods it is about
	MaxSkew    int          `json:"maxSkew,omitempty"`    // of a topology spread constraint
	MinDomains int          `json:"minDomains,omitempty"` // the same
	Minimum    *int         `json:"minimum,omitempty"`    // the same: the fewest pods in an eligible domain; 0 below minDomains
	Domains    []Domain     `json:"domains"`              // those that reject first, then those with the fewest pods
	Unlabelled int          `json:"unlabelled,omitempty"` // nodes that are rejected because they have no label of the key

	// OtherNamespaces says, of an affinity that no pod matches, where pods would but for their namespace.
	OtherNamespaces string `json:"otherNamespaces,omitempty"`
}

// Domain is one value of a topology key.
type Domain struct {
	Name     string    `json:"name"`
	Nodes    int       `json:"nodes"`
	Pods     int       `json:"pods"`               // that match
	Skew     *int      `json:"skew,omitempty"`     // with the pod, of a topology spread constraint
	Rejects  bool      `json:"rejects"`            // the rule rejects the nodes of the domain
	Excluded string    `json:"excluded,omitempty"` // why it does not count for the minimum; "" where it does
	Names    []PodName `json:"names,omitempty"`    // the first of the pods, of an affinity
}

// MostNames is how many pods of a domain have their names in it.
const MostNames = 10

// Order sorts the domains: those that reject first, then those with the fewest pods, then
// by name.
func (t *Topology) Order() {
	slices.SortFunc(t.Domains, func(a, b Domain) int {
		switch {
		case a.Rejects != b.Rejects && a.Rejects:
			return -1
		case a.Rejects != b.Rejects:
			return 1
		case a.Pods != b.Pods:
			return a.Pods - b.Pods
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Apart says whether the rule is an anti-affinity.
func (t *Topology) Apart() bool { return t.Rule == ApartRule || t.Rule == KeepApartRule }

// Rejecting counts the domains whose nodes the rule rejects.
func (t *Topology) Rejecting() (domains int) {
	for i := range t.Domains {
		if t.Domains[i].Rejects {
			domains++
		}
	}
	return domains
}

// On is the domain of that name; false where there is none.
func (t *Topology) On(name string) (*Domain, bool) {
	at := slices.IndexFunc(t.Domains, func(d Domain) bool { return d.Name == name })
	if at < 0 {
		return nil, false
	}
	return &t.Domains[at], true
}

// Title says what is compared: "topology spread of app=web by zone: maxSkew 1, minimum 0,
// 2 of 3 domains exceed it"; in short "spread of app=web by zone: …".
func (t *Topology) Title(short bool) string {
	rule, to := string(t.Rule), " to "
	if t.Rule == SpreadRule {
		to = " of "
		if short {
			rule = "spread"
		}
	}
	return rule + to + t.Selector + " by " + ShortLabels(t.Key) + ": " + t.facts(short)
}

// ShortTitle is Title in short without the selector of pods: "spread by zone: …".
func (t *Topology) ShortTitle() string {
	rule := string(t.Rule)
	if t.Rule == SpreadRule {
		rule = "spread"
	}
	return rule + " by " + ShortLabels(t.Key) + ": " + t.facts(true)
}

// facts are what a title says after the rule.
func (t *Topology) facts(short bool) string {
	var facts []string
	if t.Rule == SpreadRule {
		facts = append(facts, "maxSkew "+strconv.Itoa(t.MaxSkew))
		if eligible := t.eligible(); eligible < t.MinDomains {
			facts = append(facts, fmt.Sprintf("%d eligible of minDomains %d", eligible, t.MinDomains))
		}
		if t.Minimum != nil {
			facts = append(facts, "minimum "+strconv.Itoa(*t.Minimum))
		}
	}
	return strings.Join(append(facts, t.share(short)), ", ")
}

// eligible counts the domains that count for the minimum.
func (t *Topology) eligible() (domains int) {
	for i := range t.Domains {
		if t.Domains[i].Excluded == "" {
			domains++
		}
	}
	return domains
}

// share says how many of the domains reject the pod: those of an anti-affinity are taken.
func (t *Topology) share(short bool) string {
	rejecting, all := t.Rejecting(), len(t.Domains)
	switch t.Rule {
	case ApartRule, KeepApartRule:
		return fmt.Sprintf("%d of %s taken", rejecting, grammar.Plural(all, "domain"))
	case AffinityRule:
		return fmt.Sprintf("%d of %s without such a pod", rejecting, grammar.Plural(all, "domain"))
	case SpreadRule:
	}
	exceed := grammar.Agree(rejecting, "exceeds", "exceed")
	if short {
		return fmt.Sprintf("%d of %d %s it", rejecting, all, exceed)
	}
	return fmt.Sprintf("%d of %s %s it", rejecting, grammar.Plural(all, "domain"), exceed)
}

// Words say of a domain why it rejects the pod, or that it does not.
func (t *Topology) Words(d *Domain) string {
	var words []string
	switch {
	case len(d.Names) > 0:
		names := make([]string, 0, len(d.Names))
		for _, pod := range d.Names {
			names = append(names, pod.Namespace+"/"+pod.Name)
		}
		said := strings.Join(names[:min(len(names), grammar.Few)], ", ")
		if rest := d.Pods - min(len(names), grammar.Few); rest > 0 {
			said += fmt.Sprintf(" and %d more", rest)
		}
		words = append(words, said)
	case d.Excluded != "" && !d.Rejects: // its skew decides nothing
	case d.Skew != nil:
		words = append(words, fmt.Sprintf("skew %d", *d.Skew))
	case d.Rejects:
		words = append(words, "no such pod")
	default:
		words = append(words, "free")
	}
	if d.Excluded != "" {
		words = append(words, "not eligible: "+ShortLabels(d.Excluded))
	}
	return strings.Join(words, "; ")
}

// barCells is the width of a bar in the text.
const barCells = 10

// mostDomains is how many domains the text shows.
const mostDomains = 20

// topologies are the tables of domains.
func (c composer) topologies() []Section {
	if !c.options.Verbose {
		return nil
	}
	sections := make([]Section, 0, len(c.report.Topology))
	for i := range c.report.Topology {
		t := &c.report.Topology[i]
		table := &Table{Columns: []Column{{Head: "DOMAIN"}, {"NODES", Right}, {"PODS", Right}, {Head: ""}, {Head: "WHY"}}}
		most := t.greatest()
		for d := range t.Domains[:min(len(t.Domains), mostDomains)] {
			domain := &t.Domains[d]
			table.Rows = append(table.Rows, Row{Cells: []string{
				domain.Mark() + " " + domain.Name, strconv.Itoa(domain.Nodes), strconv.Itoa(domain.Pods), bar(domain.Pods, most), t.Words(domain),
			}})
		}
		s := Section{Heading: grammar.Capital(t.Title(false)), Table: table}
		if rest := len(t.Domains) - mostDomains; rest > 0 {
			s.Notes = append(s.Notes, grammar.Count(rest, "more domain", "more domains"))
		}
		if t.Unlabelled > 0 {
			s.Notes = append(s.Notes, grammar.Count(t.Unlabelled, "node has", "nodes have")+" no label "+t.Key)
		}
		sections = append(sections, s)
	}
	return sections
}

// greatest is the most pods of a domain.
func (t *Topology) greatest() (pods int) {
	for i := range t.Domains {
		pods = max(pods, t.Domains[i].Pods)
	}
	return pods
}

// Mark is the sign before a domain: one that is not eligible is not one to be glad of.
func (d *Domain) Mark() string {
	switch {
	case d.Rejects:
		return "✗"
	case d.Excluded != "":
		return "·"
	}
	return "✓"
}

// bar draws so many pods of the most.
func bar(pods, most int) string {
	if most == 0 {
		return strings.Repeat("·", barCells)
	}
	taken := (pods*barCells + most - 1) / most
	return strings.Repeat("█", taken) + strings.Repeat("·", barCells-taken)
}
