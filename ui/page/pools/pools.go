// Package pools is the page of the nodes by pool and zone, or by a label.
package pools

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
)

// Page is the page of pools.
type Page struct {
	computed.Page[*inventory.Pool]
	by    string // the label; "" is pool and zone
	shape shape
	shown model.Capacity // of the pools that the filter keeps
	said  said
	held  held // what the preview says of each pool
}

// New is the page of all nodes by pool and zone.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "pool", id, columns(p)...)
	p.Rows = func(rows []*inventory.Pool) []*inventory.Pool { return arranged(p, rows) }
	p.Around.Above = func() string { return gauges(p) }
	p.Around.Below = func(lines int) []string { return below(p, lines) }
	p.Fields = computed.FieldsOf(id, fields()...)
	group(p, "")
	return p
}

// fields are what pools are filtered and sorted by.
func fields() []query.Field[*inventory.Pool] {
	count := func(name string, of func(*inventory.Pool) int) query.Field[*inventory.Pool] {
		return query.Number(name, query.Integer, func(p *inventory.Pool) (int64, bool) { return int64(of(p)), true })
	}
	percent := func(name string, of corev1.ResourceName) query.Field[*inventory.Pool] {
		return query.Number(name+".percent", query.Integer, func(p *inventory.Pool) (int64, bool) {
			percent, known := percentOf(p, of)
			return int64(percent), known
		})
	}
	free := func(name string, unit query.Unit, of corev1.ResourceName) query.Field[*inventory.Pool] {
		return query.Number(name+".largest", unit, func(p *inventory.Pool) (int64, bool) {
			if p.LargestFree == nil {
				return 0, false
			}
			return p.LargestFree.Of(of), true
		})
	}
	return []query.Field[*inventory.Pool]{
		query.Words("pool", func(p *inventory.Pool) string { return p.Pool }),
		query.Words("zone", func(p *inventory.Pool) string { return p.Zone }),
		count("nodes", func(p *inventory.Pool) int { return p.Nodes }),
		count("ready", func(p *inventory.Pool) int { return p.Ready }),
		percent("cpu", corev1.ResourceCPU),
		free("cpu", query.Cores, corev1.ResourceCPU),
		percent("mem", corev1.ResourceMemory),
		free("mem", query.Bytes, corev1.ResourceMemory),
		query.Number("pending", query.Integer, func(p *inventory.Pool) (int64, bool) {
			if p.Pending == nil {
				return 0, false
			}
			return int64(*p.Pending), true
		}),
	}
}

// percentOf is how much of a resource is requested; unknown where it is not known what
// there is, or what pods request.
func percentOf(p *inventory.Pool, name corev1.ResourceName) (percent int, known bool) {
	whole := p.Allocatable.Of(name)
	if p.Requested == nil || whole <= 0 {
		return 0, false
	}
	return model.Percent(p.Requested.Of(name), whole), true
}

// id tells rows apart.
func id(p *inventory.Pool) string { return p.Pool + "/" + p.Zone }

// By groups the nodes by a label; "" is pool and zone.
func (p *Page) By(label string) tea.Cmd {
	group(p, label)
	reshape(p, nil)
	return computed.Restart(&p.Page)
}

// group sets what the rows are computed by.
func group(p *Page, label string) {
	full := p.Host.Levels().Full
	p.by = label
	p.Compute = func(s *model.Snapshot, _ *model.Objects, _ time.Time) []*inventory.Pool {
		pools := inventory.Pools(s, label, full)
		rows := make([]*inventory.Pool, len(pools))
		for i := range pools {
			rows[i] = &pools[i]
		}
		return rows
	}
}

// Resize implements page.View.
func (p *Page) Resize(width, height int) {
	p.Page.Resize(width, height)
	reshape(p, p.Natural())
}

// arranged are the rows, which are what the filter keeps.
func arranged(p *Page, rows []*inventory.Pool) []*inventory.Pool {
	var nodes []*model.Node
	for _, pool := range rows {
		nodes = append(nodes, pool.Members...)
	}
	p.shown = model.CapacityOf(nodes)
	say(p, p.Natural())
	reshape(p, p.Natural())
	return rows
}

// gauges are what is requested of the pools that the filter keeps, and how many pods are pending.
func gauges(p *Page) string {
	o := p.Host.Observed()
	if o.NotRead("nodes") != "" || o.PodsUnknown() != "" || o.IsReading() {
		return ""
	}
	return gauge.Capacity(p.Host.Styles(), p.Host.Levels(), &p.shown, p.Width, o.Waiting.Endings(o)...)
}

// ShowsUsage reports whether usage is drawn in the bars.
func (p *Page) ShowsUsage() bool {
	return p.Table.Wide || p.Width >= usageFrom && !p.Host.Large()
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	if p.by != "" {
		return []string{"pools by " + p.by}
	}
	return []string{"pools by pool, zone"}
}

// poolName is a pool in a sentence.
func poolName(p *Page, pool *inventory.Pool) string {
	switch {
	case pool.Pool != "":
		return model.Clean(pool.Pool)
	case p.by != "":
		return "no label"
	}
	return "no pool"
}

// in is the zone of a pool after it in a sentence; "" without.
func in(pool *inventory.Pool) string {
	if pool.Zone == "" {
		return ""
	}
	return " in " + model.Clean(pool.Zone)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	pool, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Copy: pool.Pool}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	_, ok := p.Table.Selected()
	switch do {
	case keymap.Describe, keymap.YAML:
		return "a pool is not an object of the API."
	case keymap.Open, keymap.Copy, keymap.NodeMap, keymap.Fit:
		switch {
		case !ok:
			return "no pool is selected."
		case p.Table.SelectedGone():
			return "the pool has no nodes any more."
		}
	}
	if do != keymap.Fit {
		return ""
	}
	first, why := pendingOf(p)
	if first == nil {
		return why
	}
	return page.OffPod(p.Host.Observed(), do, false, page.SelectPod(first))
}

// pendingOf is the first of the pending pods that target the selected pool, if possible one that waits for a node: not
// one that is gated, or that no scheduler looks at; nil where there is none, or it was not created, and why.
func pendingOf(p *Page) (pod *model.Pod, why string) {
	pool, ok := p.Table.Selected()
	switch {
	case !ok:
		return nil, "no pool is selected."
	case pool.Pending == nil:
		return nil, "it is not known which pending pods target the pool."
	}
	if pod = firstWaiting(pool.Waiting); pod == nil {
		return nil, "no pending pod targets the pool."
	}
	return pod, ""
}

// firstWaiting is the first pod of those that exist, if possible one that a scheduler has looked at, then one that is
// not gated; nil where none exists.
func firstWaiting(kinds []*model.EquivalenceClass) (pod *model.Pod) {
	least := 0
	for _, kind := range kinds {
		if first := kind.First(); first.Exists() && (pod == nil || delay(first.Object) < least) {
			pod, least = first, delay(first.Object)
		}
	}
	return pod
}

// delay is how far a pending pod is from getting a node: 0 where a scheduler has looked at it, 1 where none has, as where
// its scheduler does not run, and 2 where it is gated.
func delay(pod *corev1.Pod) int {
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		return 2
	case slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled }):
		return 0
	}
	return 1
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return p.Page.Places() | keymap.NamesNodes | keymap.InPools }

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.ByLabel, keymap.NodeMap, keymap.Fit, keymap.Filter, keymap.Sort, keymap.Wide)
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	pool, ok := p.Table.Selected()
	switch {
	case ok && do == keymap.NodeMap:
		return p.Host.ActOn(do, page.Selection{Ref: model.Ref{Resource: "nodes", Name: pool.Members[0].Name}})
	case do == keymap.Fit:
		if first, _ := pendingOf(p); first != nil {
			return p.Host.ActOn(do, page.SelectPod(first))
		}
		return nil
	case !ok || do != keymap.Open:
		return p.Page.Act(do)
	}
	names := make([]string, len(pool.Members))
	for i, node := range pool.Members {
		names[i] = node.Name
	}
	head := strings.TrimSpace(poolName(p, pool) + " " + model.Clean(pool.Zone))
	about := "Pool " + poolName(p, pool) + in(pool)
	switch {
	case p.by != "" && pool.Pool == "":
		about = "No value of " + model.Clean(p.by)
	case p.by != "":
		about = model.Clean(p.by) + "=" + model.Clean(pool.Pool)
	}
	about += ": " + figures.Count(pool.Nodes, "node", "nodes") + ", " + model.FormatCount(pool.Ready) + " Ready."
	return p.Host.OpenNodes([]string{"pools", head}, about, names)
}
