package get

import (
	"context"
	"fmt"
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
	if err := live.Refused("nodes"); err != nil {
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
	selected := *live.Snapshot
	selected.Nodes = nil
	for _, n := range live.Snapshot.Nodes {
		if g.scope.Matches.Matches(labels.Set(n.Object.Labels)) {
			selected.Nodes = append(selected.Nodes, n)
		}
	}
	_, full := g.settings.Levels.Percent()
	for _, p := range inventory.Pools(&selected, g.by, full) {
		l.Add(p,
			orNone(p.Pool),
			orNone(p.Zone),
			fmt.Sprintf("%d/%d", p.Ready, p.Nodes),
			requestedOf(&p, func(part, whole *model.Resources) string { return coresOf(part.MilliCPU, whole.MilliCPU) }),
			amountOf(p.LargestFree, func(r *model.Resources) string { return model.FormatCores(r.MilliCPU, model.Down) }),
			requestedOf(&p, func(part, whole *model.Resources) string { return memoryOf(part.Memory, whole.Memory) }),
			amountOf(p.LargestFree, func(r *model.Resources) string { return model.FormatMemory(r.Memory, model.Down) }),
			countOf(p.Pending),
			requestedOf(&p, extendedOf),
			amountOf(p.Stranded, func(r *model.Resources) string { return orNone(r.String()) }),
			strconv.Itoa(p.Schedulable),
		)
	}
	return l, nil
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

// countOf writes a count; "?" where it is not known.
func countOf(n *int) string {
	if n == nil {
		return model.UnknownFigure
	}
	return strconv.Itoa(*n)
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
