package get

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// pools lists the nodes by pool and zone, or by the label of --by; -l takes the labels of
// nodes.
func pools(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	if err := live.Unread("nodes"); err != nil {
		return nil, fmt.Errorf("get pools: %w", err)
	}
	if err := live.Measure(ctx); err != nil {
		return nil, err
	}
	l := &output.List{
		Kind:  "PoolList",
		Heads: []string{"POOL", "ZONE", "READY", "CPU", "LARGEST FREE", "MEM", "LARGEST FREE", "PENDING"},
		More:  []string{"EXTENDED", "STRANDED", "SCHEDULABLE"},
		Empty: "no nodes found",
	}
	if g.by != "" {
		l.Heads[0] = g.by
	}
	if g.scope.Selector != "" {
		l.Empty = "no nodes match -l " + g.scope.Selector
	}
	_, full := g.settings.Levels.Percent()
	for _, p := range g.selectedPools(live.Snapshot, full) {
		l.Add(p,
			orNone(p.Pool),
			orNone(p.Zone),
			fmt.Sprintf("%d/%d", p.Ready, p.Nodes),
			requestedOf(&p, func(part, whole *model.Resources) string { return coresOf(part.MilliCPU, whole.MilliCPU) }),
			amountOf(p.LargestFree, func(r *model.Resources) string { return model.FormatCores(r.MilliCPU, model.Down) }),
			requestedOf(&p, func(part, whole *model.Resources) string { return memoryOf(part.Memory, whole.Memory) }),
			amountOf(p.LargestFree, func(r *model.Resources) string { return model.FormatMemory(r.Memory, model.Down) }),
			figureOr(p.Pending),
			requestedOf(&p, extendedOf),
			amountOf(p.Stranded, func(r *model.Resources) string { return orNone(r.String()) }),
			strconv.Itoa(p.Schedulable),
		)
	}
	if g.by != "" && len(live.Snapshot.Nodes) > 0 && !slices.ContainsFunc(live.Snapshot.Nodes, func(n *model.Node) bool { return n.Object.Labels[g.by] != "" }) {
		g.Say(fmt.Errorf("get pools: no node has the label %s", g.by))
	}
	return l, nil
}

// selectedPools are the pools of the nodes that -l selects. Amounts are those of these
// nodes; the pods that target a pool and its balance are of the whole pool.
func (g *Options) selectedPools(s *model.Snapshot, full int) []inventory.Pool {
	all := inventory.Pools(s, g.by, full)
	if g.scope.Matches.Empty() {
		return all
	}
	some := *s
	some.Nodes = nil
	for _, n := range s.Nodes {
		if g.scope.Matches.Matches(labels.Set(n.Object.Labels)) {
			some.Nodes = append(some.Nodes, n)
		}
	}
	selected := inventory.Pools(&some, g.by, full)
	for i := range selected {
		p := &selected[i]
		whole := &all[slices.IndexFunc(all, func(of inventory.Pool) bool { return of.Pool == p.Pool && of.Zone == p.Zone })]
		p.Pending, p.Balance = whole.Pending, whole.Balance
	}
	return selected
}

// requestedOf writes something about what is requested of what is allocatable; "?" where
// not all pods could be read.
func requestedOf(p *inventory.Pool, words func(part, whole *model.Resources) string) string {
	return amountOf(p.Requested, func(part *model.Resources) string { return words(part, &p.Allocatable.Resources) })
}

// amountOf writes something about amounts; "?" where they are not known.
func amountOf(a *inventory.Amounts, words func(*model.Resources) string) string {
	if a == nil {
		return model.UnknownFigure
	}
	return words(&a.Resources)
}

// coresOf writes requested/allocatable cpu; what is requested rounds up.
func coresOf(part, whole int64) string {
	return model.FormatCores(part, model.Up) + "/" + model.FormatCores(whole, model.Down)
}

// memoryOf writes requested/allocatable memory; what is requested rounds up.
func memoryOf(part, whole int64) string {
	return model.FormatMemory(part, model.Up) + "/" + model.FormatMemory(whole, model.Down)
}

// extendedOf writes requested/allocatable of the extended resources.
func extendedOf(part, whole *model.Resources) string {
	all := model.Capacity{Allocatable: *whole}
	var words []string
	for _, name := range all.Extended() {
		words = append(words, fmt.Sprintf("%s %d/%d", name, part.Of(corev1.ResourceName(name)), whole.Of(name)))
	}
	return orNone(strings.Join(words, ", "))
}
