package pools

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Answer says where pending pods find no free slot that is large enough; where they find
// one everywhere, which pools are full.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	o := p.Host.Observed()
	if why := o.NotRead("nodes"); why != "" {
		return "Nodes are unknown: " + why + "."
	}
	if len(p.Natural()) == 0 {
		return "No nodes."
	}
	words := ""
	for _, words = range p.said.lacking {
		if cells.Width(words) <= width {
			break
		}
	}
	if why := o.PodsUnknown(); why != "" {
		words = "Requested is unknown: " + why + "."
	} else if words == "" {
		words = over(p, width)
	}
	return p.Query().Filtered(words, width)
}

// said is what the answer says of all pools, made whenever rows are arranged.
type said struct {
	counts string   // how many nodes and pools there are
	over   []string // the pools that are over the upper level
	// Where pending pods need more than the largest free slot, the longest way to say so first; none is nowhere.
	lacking []string
}

// say notes what the answer says of pools.
func say(p *Page, pools []*inventory.Pool) {
	p.said = said{counts: counts(p, pools)}
	p.said.lacking = lacking(p, pools)
	for _, pool := range pools {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if percent, known := percentOf(pool, name); known && percent >= p.Host.Levels().Full {
				p.said.over = append(p.said.over, fmt.Sprintf("%s%s %s %d%%", poolName(p, pool), in(pool), name, percent))
			}
		}
	}
}

// counts are how many nodes and pools there are.
func counts(p *Page, pools []*inventory.Pool) string {
	nodes, without, names, zones := 0, 0, map[string]bool{}, map[string]bool{}
	for _, pool := range pools {
		nodes += pool.Nodes
		if pool.Pool != "" {
			names[pool.Pool] = true
		} else {
			without += pool.Nodes
		}
		if pool.Zone != "" {
			zones[pool.Zone] = true
		}
	}
	words := figures.Count(nodes, "node", "nodes")
	if p.by != "" {
		if without > 0 {
			words = model.FormatCount(nodes-without) + " of " + words
		}
		return figures.Count(len(names), "value", "values") + " of " + model.Clean(p.by) + " on " + words + "."
	}
	var where []string
	if len(names) > 0 {
		where = append(where, figures.Count(len(names), "pool", "pools"))
	}
	if len(zones) > 0 {
		where = append(where, figures.Count(len(zones), "zone", "zones"))
	}
	if len(where) > 0 {
		words += " in " + strings.Join(where, " and ")
	}
	return words + "."
}

// lacking names the pool where most pending pods need more than the largest free slot;
// of several with as many, that with the largest slot. None if there is none; the others say the
// same in fewer words.
func lacking(p *Page, pools []*inventory.Pool) []string {
	var worst *inventory.Pool
	for _, pool := range pools {
		if pool.Lacking == 0 {
			continue
		}
		if worst == nil || pool.Lacking > worst.Lacking || pool.Lacking == worst.Lacking && pool.Lacks == worst.Lacks &&
			pool.LargestFree.Of(pool.Lacks) > worst.LargestFree.Of(worst.Lacks) {
			worst = pool
		}
	}
	if worst == nil {
		return nil
	}
	pods := grammar.Count(worst.Lacking, "pending pod", "pending pods")
	if worst.Schedulable == 0 {
		words := fmt.Sprintf("%s has no schedulable node%s; %s %s one.", poolName(p, worst), in(worst), pods, grammar.Agree(worst.Lacking, "needs", "need"))
		return []string{words}
	}
	if worst.Lacks == corev1.ResourcePods {
		words := fmt.Sprintf("%s: every schedulable node has reached its pod limit; %s may run there.", poolName(p, worst)+in(worst), pods)
		return []string{words}
	}
	slot := model.ResourceWord(worst.Lacks) + " " + figures.AmountText(worst.Lacks, worst.LargestFree.Of(worst.Lacks), model.Down)
	name := poolName(p, worst) + in(worst) + ": "
	head := name + "largest free slot " + model.Clean(slot) + "; "
	part, needs := model.FormatCount(worst.Lacking), grammar.Agree(worst.Lacking, " needs more", " need more")
	more := needs + " " + model.Clean(model.ResourceWord(worst.Lacks)) + "."
	if worst.Lacking == worst.Allowed {
		return []string{head + "the " + pods + " that may run there" + more, head + pods + needs + ".", name + pods + more}
	}
	all := grammar.Count(worst.Allowed, "pending pod", "pending pods")
	part += " of "
	return []string{head + part + "the " + all + " that may run there" + more, head + part + all + needs + ".", name + part + all + more}
}

// over are the counts, and which pools are over the upper level, as many as fit.
func over(p *Page, width int) string {
	full, names := p.Host.Levels().Full, p.said.over
	if len(names) == 0 {
		return p.said.counts + fmt.Sprintf(" None has %d%% of cpu or memory requested.", full)
	}
	const most = 20 // no line is so wide
	for shown := min(len(names), most); ; shown-- {
		words := strings.Join(names[:shown], ", ")
		if shown < len(names) {
			words += " and " + figures.Count(len(names)-shown, "more", "more")
		}
		if words = p.said.counts + fmt.Sprintf(" At %d%%+: ", full) + words + "."; cells.Width(words) <= width || shown == 1 {
			return words
		}
	}
}
