// Package pending is the page of pending pods, and of running ones whose resize in place is
// pending, with the reason of each.
package pending

import (
	"iter"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/warnings"
)

// Row is one row of Pending: a workload's pods, or one pod of an unfolded row.
type Row struct {
	ID   string
	Kind *model.EquivalenceClass
	Pod  *model.Pod // the oldest one, for a kind
	Of   int        // pods that the row stands for
	Leaf bool       // one pod of an unfolded kind
}

// Page is the page of pending pods.
type Page struct {
	list.Page[query.PendingRow, *Row]
	verdicts *Verdicts
	explains explainer
	columns  columns
	idle     idle // where no pods are pending
	warns    warnings.Watch
	cluster  overview
	preview  preview
}

// leastPreview are the cells of the preview beside the list: so many that its reasons and fixes can be read.
const leastPreview = 60

// New is the page of pending pods. It keeps the verdicts. recording is nil where the
// cluster is none.
func New(h page.Host, verdicts *Verdicts, recording Recording) *Page {
	p := &Page{verdicts: verdicts, columns: columns{host: h, verdicts: verdicts, unfolded: map[string]bool{}}}
	p.explains = explainer{&p.Page, verdicts}
	p.Host, p.Self, p.Noun = h, p, "pending pod" // a row of one that was just scheduled may still be shown
	p.Natural, p.Rows = p.kinds, p.unfold
	p.Born = (*Row).since
	p.Fields = func() *query.Fields[query.PendingRow] { return query.PendingFields(h.Observed().AsOf()) }
	p.Table = p.columns.newTable()
	p.Settled = func() tea.Cmd { return tea.Batch(p.explains.explainNext(), p.preview.follow()) }
	p.Known = verdicts.answered
	p.cluster = overview{list: &p.Page, verdicts: verdicts, steps: steps{list: &p.Page, recording: recording}}
	p.preview = preview{list: &p.Page, explains: &p.explains}
	p.warns = warnings.Watch{Host: h, Self: p}
	p.cluster.warns = &p.warns
	p.cluster.answer = func(width int) string {
		words, counts := counted(p, width)
		if !counts {
			return ""
		}
		return words
	}
	verdicts.below = &p.preview
	p.Around.Above, p.Around.Below, p.Around.After = p.cluster.gauges, p.preview.lines, p.cluster.after
	p.Around.Least = leastPreview
	return p
}

// since is when what the row is about became pending: the pod, or its resize.
func (w *Row) since() time.Time {
	if w.Kind.Resize != nil {
		return w.Kind.Resize.Since
	}
	return w.Pod.Since()
}

// rowed are the kinds that have rows: pending pods, then resizes.
func rowed(s *model.Snapshot) iter.Seq[*model.EquivalenceClass] {
	return func(yield func(*model.EquivalenceClass) bool) {
		for _, kinds := range [][]*model.EquivalenceClass{s.Pending, s.Resizing} {
			for _, kind := range kinds {
				if !yield(kind) {
					return
				}
			}
		}
	}
}

// kinds are those of the namespace that have rows.
func (p *Page) kinds() []query.PendingRow {
	namespace := p.Host.Namespace()
	var rows []query.PendingRow
	for kind := range rowed(p.Host.Observed().Snapshot) {
		if namespace != "" && kind.Namespace() != namespace {
			continue
		}
		row := query.PendingRow{Kind: kind}
		if report := p.verdicts.Of(kind); report != nil {
			row.State, row.BlockedBy, row.Why = report.State, report.BlockedBy, report.Why
			if seen := report.Observed.AttemptSeen; seen != nil {
				row.Tried = seen.Time
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		p.idle = newIdle(p.Host)
	}
	return rows
}

// unfold gives each kind a row, and one to each pod of the unfolded kinds.
func (p *Page) unfold(kinds []query.PendingRow) []*Row {
	rows := make([]*Row, 0, len(kinds))
	rowOf := rowsKept(p.Table.Rows, kinds)
	for _, k := range kinds {
		rows = append(rows, &Row{rowOf(k.Kind), k.Kind, k.Kind.First(), k.Kind.Count(), false})
		if !p.columns.unfolded[k.Kind.Key] || len(k.Kind.Pods) == 1 {
			continue
		}
		for _, pod := range k.Kind.Pods {
			rows = append(rows, &Row{string(pod.Object.UID), k.Kind, pod, 1, true})
		}
	}
	return rows
}

// rowsKept names the row of each kind. A pod that became another kind, such as one
// that was nominated or scheduled, keeps its row: it is not gone.
func rowsKept(rows []*Row, kinds []query.PendingRow) func(*model.EquivalenceClass) string {
	name := func(kind *model.EquivalenceClass) string { return "kind " + kind.Key }
	there := make(map[string]bool, len(kinds))
	for _, k := range kinds {
		there[name(k.Kind)] = true
	}
	left := map[types.UID]string{} // rows whose kind no longer exists, by their pod
	shown := map[string]bool{}
	for _, row := range rows {
		if shown[row.ID] = true; !row.Leaf && !there[row.ID] {
			left[row.Pod.Object.UID] = row.ID
		}
	}
	return func(kind *model.EquivalenceClass) string {
		id, uid := name(kind), kind.First().Object.UID
		was, moved := left[uid]
		if !moved || shown[id] {
			return id
		}
		delete(left, uid)
		return was
	}
}

// Body is the table, or idleLines where no pods are pending.
func (p *Page) Body() []string {
	if len(p.Table.Rows) > 0 || p.Host.Observed().IsReading() || p.All > 0 {
		return p.Page.Body()
	}
	s := p.Host.Styles()
	lines := slices.Concat(cells.Fill(idleLines(p.Host.Observed(), p.warns.All()), p.Table.Width-1, p.Table.Lines())...)
	for i, line := range lines {
		lines[i] = s.Text.Render(line)
	}
	around := p.Around
	around.After = nil // the lines have the warnings
	return around.Join(lines, p.Table.Width, p.Table.Height, "", s)
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string { return []string{"pending"} }

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	return tea.Batch(p.preview.update(msg), p.cluster.steps.update(msg), p.update(msg), p.warns.Update(msg), p.preview.follow(), p.cluster.steps.follow())
}

// update takes the messages of the list.
func (p *Page) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ExplainedMsg:
		return p.explains.onExplained(msg)
	case RestedMsg:
		p.verdicts.resting = false
		return p.explains.explainOnTop()
	case page.SnapshotMsg:
		p.limit()
		p.cluster.take(msg.Snapshot)
		return tea.Batch(p.Page.Update(msg), p.explains.explainNext())
	}
	return p.Page.Update(msg)
}

// limit takes the columns for what could be read, and for one namespace or all.
func (p *Page) limit() {
	limited, one := p.Host.Observed().NotRead("nodes") != "", p.Host.Namespace() != ""
	if limited != p.columns.limited || one != p.columns.one {
		p.columns.limited, p.columns.one = limited, one
		if p.Around.Above, p.Around.Below = p.cluster.gauges, p.preview.lines; limited {
			p.Around.Above, p.Around.Below = nil, nil
		}
		p.Table.SetColumns(p.columns.all()...)
		p.Resize(p.Width, p.Height)
	}
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	w, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(w.Pod)
}

// Note implements page.View: the selected row's cut text; where nothing is cut, on a screen whose preview has no table of
// groups, what all nodes lack that only lack free capacity.
func (p *Page) Note() string {
	row, ok := p.Table.Selected()
	if !ok || p.Width >= cells.WideFrom || len(p.Table.CutCells()) > 0 || p.Table.SelectedGone() {
		return p.Page.Note()
	}
	told := p.verdicts.Of(row.Kind)
	if told == nil || told.Verdict != report.Unschedulable || len(told.Groups) == 0 {
		return p.Page.Note()
	}
	first := &told.Groups[0]
	if first.Count < 2 || len(first.Rejections) != 1 || !first.Rejects(figures.FitPlugin) {
		return p.Page.Note()
	}
	return page.WithHidden(p.Host.Observed().Brief(first.Words), list.Hidden(&p.Page), p.Width)
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts | keymap.InPending
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	if _, ok := p.Table.Selected(); !ok {
		return append([]page.Key{{Do: keymap.Pending, Label: "1–9", Word: "views"}}, page.Keys(keymap.Palette, keymap.Namespaces, keymap.Activity, keymap.Close)...)
	}
	if p.Host.Observed().Lost() {
		return page.Keys(keymap.Open, keymap.Describe, keymap.Filter, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Evict)
	}
	if p.Host.Observed().IsReading() {
		return page.Keys(keymap.Open, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Palette)
	}
	if p.columns.limited {
		return page.Keys(keymap.Open, keymap.Unread, keymap.Words, keymap.Describe, keymap.Filter)
	}
	return page.Keys(keymap.Open, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Unfold, keymap.Filter, keymap.Sort, keymap.Preview, keymap.Namespaces, keymap.Palette, keymap.Words, keymap.Describe)
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	w, ok := p.Table.Selected()
	switch {
	case do != keymap.Unfold:
	case ok && w.Kind.NotCreated != nil:
		return "its pods were not created."
	case !ok || len(w.Kind.Pods) == 1:
		return "this row is a single pod."
	}
	return page.OffPod(p.Host.Observed(), do, p.Table.SelectedGone(), p.Selected())
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if cmd, done := p.ActList(do); done {
		return tea.Batch(cmd, p.preview.follow())
	}
	if do == keymap.Unfold {
		w, _ := p.Table.Selected()
		p.columns.unfolded[w.Kind.Key] = !p.columns.unfolded[w.Kind.Key]
		return p.Query().Arrange(list.Kept)
	}
	return p.Host.ActOn(do, p.Selected())
}

// Targets of Pending are pods that exist: all pods of a row that stands for several.
func (p *Page) Targets() page.Targets {
	t := page.Targets{Marked: len(p.Table.Marks) > 0}
	rows, gone := p.Table.Acted()
	if gone {
		t.Gone = page.AbsentPod(p.Host.Observed(), rows[0].Pod, rows[0].Pod.FullName())
	}
	for _, row := range rows {
		for _, pod := range row.pods() {
			if pod.Exists() && !slices.Contains(t.Pods, pod) {
				t.Pods = append(t.Pods, pod)
			}
		}
	}
	return t
}

// pods are those that a row stands for.
func (w *Row) pods() []*model.Pod {
	if w.Leaf || w.Of == 1 {
		return []*model.Pod{w.Pod}
	}
	return w.Kind.Pods
}
