package taints

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Answer says the worst in its first sentence, and what else fits.
func (p *Page) Answer(width int) string {
	o := p.Host.Observed()
	if words := p.Answering(); words != "" {
		return words
	}
	if why := o.NotRead("nodes"); why != "" {
		return "Taints are unknown: " + why + "."
	}
	rows := p.Natural()
	if len(rows) == 0 {
		return "No node has a taint."
	}
	words := ""
	for _, sentence := range sentences(p, rows) {
		if words != "" && cells.Width(words)+1+cells.Width(sentence) > width {
			break
		}
		words = strings.TrimSpace(words + " " + sentence)
	}
	return p.Query().Filtered(words, width)
}

// sentences are what there is to say of all taints, the worst first.
func sentences(p *Page, rows []row) []string {
	all := rows[0].all
	switch why := p.Host.Observed().PodsUnknown(); {
	case why != "":
		return []string{all.counts + "; their pods are unknown: " + why + "."}
	case rows[0].Intruders == nil: // the rows are of an older snapshot
		return []string{all.counts + "; their pods are unknown."}
	}
	worst := []string{allLost(all.zones), evictionWords(p, &rows[0]), all.leaks, slowed(all.zones), all.intruding}
	worst = slices.DeleteFunc(worst, func(sentence string) bool { return sentence == "" })
	switch {
	case len(worst) == 0 && all.untolerated != "":
		worst = []string{all.untolerated}
	case len(worst) == 0:
		return []string{all.counts + ": no pods to evict, and none outside their reserved pools."}
	}
	return append(worst, all.counts+".")
}

// allLost says that nothing is evicted, for no node is Ready; "" while one is.
func allLost(zones []inventory.EvictionZone) string {
	if slices.ContainsFunc(zones, func(z inventory.EvictionZone) bool { return z.State != inventory.FullDisruption }) {
		return ""
	}
	return "No node is Ready: kube-controller-manager stops evictions."
}

// evictionWords say which pods are evicted first, where r is the taint that does it.
func evictionWords(p *Page, r *row) string {
	o := p.Host.Observed()
	pods, when := r.Next(o.AsOf())
	if pods == 0 {
		return ""
	}
	words := model.FormatCount(pods) + grammar.Agree(pods, " pod", " pods") + " will be evicted " + when
	if all := len(r.Evicted()); all > pods {
		words = model.FormatCount(all) + " pods will be evicted, the first"
		if pods > 1 {
			words += " " + model.FormatCount(pods)
		}
		words += " " + when
	}
	if due, ok := strings.CutPrefix(when, "due "); ok {
		words = grammar.Count(pods, "pod was", "pods were") + " to be evicted " + due
	}
	if len(r.Nodes) == 1 {
		return model.Clean(words + " from " + o.NodeName(r.Nodes[0]) + ": " + r.short() + ".")
	}
	return model.Clean(words + ": " + r.short() + " on " + nodeCount(len(r.Nodes)) + ".")
}

// slowed names the zone in PartialDisruption with most nodes that are not Ready; "" if
// there is none.
func slowed(zones []inventory.EvictionZone) string {
	at := slices.IndexFunc(zones, func(z inventory.EvictionZone) bool { return z.State == inventory.PartialDisruption })
	if at < 0 {
		return ""
	}
	zone := &zones[at]
	return model.Clean(fmt.Sprintf("%s: %d of %s NotReady, %s.", zone.Name(), zone.NotReady, nodeCount(zone.Nodes), rateWords(zone)))
}

// countWords count the taints and the nodes that have some.
func countWords(taints []inventory.Taint) string {
	nodes := map[string]bool{}
	for i := range taints {
		for _, node := range taints[i].Nodes {
			nodes[node] = true
		}
	}
	return grammar.Count(len(taints), "taint", "taints") + " on " + nodeCount(len(nodes))
}

func nodeCount(n int) string { return grammar.Count(n, "node", "nodes") }

// leaks count the pods in the wrong place, each once.
func leaks(all []inventory.Taint) string {
	inside, outside, taints := map[*model.Pod]bool{}, map[*model.Pod]bool{}, map[string]bool{}
	note := func(pods []inventory.TaintPod, of map[*model.Pod]bool, name string) {
		for _, pod := range pods {
			of[pod.Pod], taints[name] = true, true
		}
	}
	for i := range all {
		if r := all[i].Reserved; r != nil {
			name := strings.TrimSuffix(all[i].Spec(), ":"+string(all[i].Effect))
			note(r.Inside, inside, name)
			note(r.Outside, outside, name)
		}
	}
	if len(taints) == 0 {
		return ""
	}
	where := grammar.Count(len(taints), "taint", "taints")
	if len(taints) == 1 {
		for name := range taints {
			where = name
		}
	}
	var words string
	switch others, own := len(inside), len(outside); {
	case own == 0:
		words = grammar.Count(others, "other pod runs", "other pods run") + " there"
	case others == 0:
		words = grammar.Count(own, "pod of the tenant runs", "pods of the tenant run") + " elsewhere"
	default:
		words = grammar.Count(others, "other pod runs", "other pods run") + " there; " + grammar.Count(own, "pod of the tenant runs", "pods of the tenant run") + " elsewhere"
	}
	return model.Clean("Nodes reserved by " + where + ": " + words + ".")
}

// untolerated counts the pods that stay on nodes with taints that they do not tolerate.
func untolerated(taints []inventory.Taint) string {
	pods, specs := map[*model.Pod]bool{}, []string{}
	for i := range taints {
		t := &taints[i]
		for _, pod := range t.Intruders[len(t.Evicted()):] {
			pods[pod.Pod] = true
			if spec := strings.TrimSuffix(shortSpec(t), ":"+string(t.Effect)); !slices.Contains(specs, spec) {
				specs = append(specs, spec)
			}
		}
	}
	if len(pods) == 0 {
		return ""
	}
	words := "No evictions; " + grammar.Count(len(pods), "pod does", "pods do") + " not tolerate "
	if len(specs) > 1 {
		return words + "the taints of " + grammar.Agree(len(pods), "its node.", "their nodes.")
	}
	return model.Clean(words + "the taint " + specs[0] + " of " + grammar.Agree(len(pods), "its node.", "their nodes."))
}

// intruding counts the pods that do not tolerate a taint that somebody set for others.
func intruding(taints []inventory.Taint) string {
	for i := range taints {
		t := &taints[i]
		if pods := len(t.Intruders) - len(t.Evicted()); pods > 0 && !t.BySystem() {
			return model.Clean(grammar.Count(pods, "pod does", "pods do") + " not tolerate " + shortSpec(t) + " of " + grammar.Agree(pods, "its node.", "their nodes."))
		}
	}
	return ""
}
