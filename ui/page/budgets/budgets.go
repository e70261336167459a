// Package budgets is the page of PodDisruptionBudgets: what may be evicted now, and
// which drains they block.
package budgets

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// resource is what the page lists.
const resource = "poddisruptionbudgets"

// Page is the page of PodDisruptionBudgets.
type Page struct {
	computed.Page[row]
	// unprotected are the workloads of several pods without a budget, as last computed, off the
	// event loop; nil before.
	unprotected atomic.Pointer[[]inventory.Unprotected]
}

type row = inventory.Budget

// New is the page of all PodDisruptionBudgets.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "PodDisruptionBudget", id, columns(h)...)
	p.Path, p.Keys = []string{"budgets"}, page.Keys(keymap.Open, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Preview)
	p.Lists = resource
	p.Resources = []string{resource}
	p.Compute = p.compute
	p.Around.Below, p.Around.Alone = p.below, true
	p.Around.After = func(rows int) []string { return without(p, rows) }
	p.NamespaceOf = func(r row) string { return r.Namespace }
	p.Fields = computed.FieldsOf(id,
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("ns", func(r row) string { return r.Namespace }),
		query.Number("allowed", query.Integer, func(r row) (int64, bool) { return int64(r.Allowed), true }),
		query.Number("healthy", query.Integer, func(r row) (int64, bool) { return int64(r.Healthy), true }),
		query.Number("desired", query.Integer, func(r row) (int64, bool) { return int64(r.Desired), true }),
		query.WordList("node", func(r row) []string { return r.Nodes }),
	)
	return p
}

func id(r row) string { return r.Namespace + "/" + r.Name }

func (p *Page) compute(s *model.Snapshot, o *model.Objects, _ time.Time) []row {
	objects, why := model.ListOf[*policyv1.PodDisruptionBudget](o, resource)
	rows, unprotected := inventory.Budgets(s, objects)
	if why != "" {
		unprotected = nil // whether they have one is not known
	}
	slices.SortStableFunc(unprotected, func(a, b inventory.Unprotected) int { return cmp.Compare(b.Pods, a.Pods) })
	p.unprotected.Store(&unprotected)
	return rows
}

func columns(h page.Host) []table.Column[row] {
	figure := func(of func(row) int32) func(row) table.Cell {
		return func(r row) table.Cell { return table.Cell{Text: strconv.Itoa(int(of(r)))} }
	}
	return []table.Column[row]{
		{Head: "NAMESPACE/NAME", Field: "name", Names: true, Min: 20, Text: func(r row) table.Cell { return table.Cell{Text: id(r)} }},
		{Head: "ALLOWED", Field: "allowed", Gap: 1, Right: true, Text: allowedCell},
		{Head: "HEALTHY", Field: "healthy", Gap: 1, Right: true, Text: figure(func(r row) int32 { return r.Healthy })},
		{Head: "DESIRED", Field: "desired", Gap: 1, Right: true, Text: figure(func(r row) int32 { return r.Desired })},
		{Head: "BLOCKS DRAIN OF", Field: "node", Gap: 1, Min: 16, Flex: true, State: true, Text: func(r row) table.Cell { return blockedCell(h.Observed(), r) }},
	}
}

// allowedCell is how many pods may be evicted now; 0 stands out.
func allowedCell(r row) table.Cell {
	made := table.Cell{Text: strconv.Itoa(int(r.Allowed))}
	if r.Allowed == 0 && r.Expected > 0 {
		made.Tone = tone.Warning
	}
	return made
}

// blockedCell names the nodes whose drain the budget blocks now.
func blockedCell(o *page.Observed, r row) table.Cell {
	switch {
	case r.SelectsNone:
		return table.Cell{Text: "– (selects no pods)", Tone: tone.Dim}
	case len(r.Nodes) == 0:
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	names := make([]string, len(r.Nodes))
	for i, node := range r.Nodes {
		names[i] = o.NodeName(node)
	}
	words := strings.Join(names, ", ")
	if len(names) > 1 {
		words = model.FormatCount(len(names)) + " nodes: " + words
	}
	return table.Cell{Text: words, Tone: tone.Warning}
}

// Answer says how many budgets block evictions now, and what no budget protects.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	rows := p.Natural()
	without := ""
	if n := len(uncovered(p)); n > 0 {
		without = " " + grammar.Count(n, "workload", "workloads") + " with several pods " + grammar.Agree(n, "has", "have") + " no PDB."
	}
	if len(rows) == 0 {
		return "No PodDisruptionBudgets." + without
	}
	blocking, idle, shared := 0, 0, map[string]bool{}
	for _, r := range rows {
		if r.SelectsNone {
			idle++
		}
		if len(r.Nodes) > 0 {
			blocking++
		}
		for _, pod := range r.Shared {
			shared[r.Namespace+"/"+pod] = true
		}
	}
	words := grammar.Count(len(rows), "PDB", "PDBs") + ": "
	if blocking == 0 {
		words += "none blocks a drain now"
	} else {
		words += model.FormatCount(blocking) + grammar.Agree(blocking, " blocks", " block") + " drains now"
	}
	if len(shared) > 0 {
		words += "; " + grammar.Count(len(shared), "pod has", "pods have") + " several PDBs and cannot be evicted"
	}
	if idle > 0 {
		words += "; " + model.FormatCount(idle) + grammar.Agree(idle, " selects", " select") + " no pods"
	}
	return p.Query().Filtered(words+"."+without, width)
}

// uncovered are the workloads without a budget in the namespace that is shown, those of most pods
// first.
func uncovered(p *Page) (shown []inventory.Unprotected) {
	all := p.unprotected.Load()
	if all == nil {
		return nil
	}
	for _, workload := range *all {
		if namespace := p.Host.Namespace(); namespace == "" || workload.Namespace == namespace {
			shown = append(shown, workload)
		}
	}
	return shown
}

// below draws the selected budget under the list: what it allows, and why it allows nothing.
func (p *Page) below(rows int) []string {
	r, ok := p.Table.Selected()
	if !ok {
		return make([]string, rows)
	}
	if p.Table.SelectedGone() {
		return computed.NewBelow(&p.Page, id(r), "gone").Lines(rows)
	}
	b := computed.NewBelow(&p.Page, id(r))
	if r.SelectsNone {
		b.Add("It selects no pods: its labels may be wrong.", tone.Warning)
		return b.Lines(rows)
	}
	b.Add(statusWords(&r), tone.Plain)
	switch {
	case r.AllowsNone != "":
		b.Add("Its "+r.AllowsNone+".", tone.Warning)
	case r.Outdated:
		b.Add("Its status is older than its spec: evictions are rejected until the controller updates it.", tone.Warning)
	case r.Expected == 0:
		b.Add("Its status is not calculated yet.", tone.Warning)
	}
	if len(r.Shared) > 0 {
		b.Add(grammar.Agree(len(r.SharedWith), "Another budget selects ", "Other budgets select ")+grammar.List(r.Shared, grammar.Few)+" too: kube-apiserver rejects "+grammar.Agree(len(r.Shared), "its eviction.", "their evictions."), tone.Warning)
	}
	return b.Lines(rows)
}

// statusWords are the figures of a budget's status. They count no pods where the disruption controller could not count
// them, and may be old where it keeps the status of another budget of the same pods up to date.
func statusWords(r *row) string {
	allows := grammar.Count(int(r.Allowed), "eviction", "evictions")
	if r.Expected == 0 || model.SyncFailed(r.Object) != nil {
		return "It allows " + allows + " now."
	}
	healthy := fmt.Sprintf("%d of %s %s healthy", r.Healthy, grammar.Plural(int(r.Expected), "pod"), grammar.Agree(int(r.Healthy), "is", "are"))
	needed := fmt.Sprintf("%d %s to be", r.Desired, grammar.Agree(int(r.Desired), "has", "have"))
	if n := len(r.SharedWith); n > 0 {
		return fmt.Sprintf("Its status says that %s, %s and it allows %s; it may be out of date: %s %s %s the same pods.", healthy, needed, allows,
			grammar.Agree(n, "budget", "budgets"), grammar.List(r.SharedWith, grammar.Few), grammar.Agree(n, "selects", "select"))
	}
	return healthy + ", " + needed + ": it allows " + allows + " now."
}

// without names the workloads without a budget after the last row, as many as fit so many rows.
func without(p *Page, rows int) []string {
	all := uncovered(p)
	if len(all) == 0 || p.InForce != "" {
		return nil
	}
	names := make([]string, len(all)) // List counts those that it does not name
	for i, workload := range all[:min(len(all), 10*rows)] {
		names[i] = fmt.Sprintf("%s/%s (%s)", workload.Namespace, workload.Owner.Name, grammar.Plural(workload.Pods, "pod"))
	}
	wrapped := func(n int) []string {
		return cells.Wrap(model.Clean("No PDB: "+grammar.List(names, n)+"."), p.Table.Width-table.Gutter-1)
	}
	most := sort.Search(min(len(all), 10*rows), func(n int) bool { return len(wrapped(n+1)) > rows })
	if most == 0 {
		return nil
	}
	lines := wrapped(most)
	for i, line := range lines {
		lines[i] = cells.Blank(table.Gutter) + p.Host.Styles().Text.Render(line)
	}
	return lines
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{
		Ref:  model.Ref{Resource: resource + ".policy", Namespace: r.Namespace, Name: r.Name, UID: r.Object.UID},
		Copy: r.Name,
	}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	r, ok := p.Table.Selected()
	switch {
	case !ok && (do == keymap.Open || do == keymap.Describe || do == keymap.YAML || do == keymap.Copy):
		return "no PodDisruptionBudget is selected."
	case do == keymap.Open && r.SelectsNone:
		return id(r) + " selects no pods."
	case do == keymap.Open && len(r.Nodes) == 0:
		return id(r) + " blocks no drain now."
	}
	return ""
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return p.Page.Places() | keymap.NamesNodes }

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if r, ok := p.Table.Selected(); ok && do == keymap.Open {
		return p.Host.OpenNodes([]string{"budgets", id(r)}, "PodDisruptionBudget "+id(r)+" blocks draining these nodes now.", r.Nodes)
	}
	return p.Page.Act(do)
}
