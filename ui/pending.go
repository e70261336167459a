package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// waiting is one row of Pending: a workload's pods, or one pod of an unfolded row.
type waiting struct {
	id   string
	kind *model.Kind
	pod  *model.Pod // the oldest one, for a kind
	of   int        // pods that the row stands for
	leaf bool       // one pod of an unfolded kind
}

// pending is the page of pending pods.
type pending struct {
	list.Page[query.PendingRow, *waiting]
	app      *App
	unfolded map[string]bool // by a kind's key
	limited  bool            // nodes could not be read: kube-scheduler's messages stand in
	one      bool            // namespace is shown
	idle     idle            // where no pods are pending
	capacity capacity        // of the cluster
	trend    trend           // of the pending pods
}

func newPending(a *App) *pending {
	p := &pending{unfolded: map[string]bool{}}
	p.app, p.Host, p.Self, p.Noun = a, &a.host, p, "pod"
	p.Natural, p.Rows = p.kinds, p.unfold
	p.Born = func(w *waiting) time.Time { return w.pod.Since() }
	p.Fields = func() *query.Fields[query.PendingRow] { return query.PendingFields(a.observed.AsOf()) }
	p.Table = p.newTable()
	p.Settled, p.Known, p.Around.Above = p.explainNext, p.answered, p.gauges
	return p
}

// newTable has the columns for what could be read. A row whose verdict is older
// than the last change of the cluster is marked.
func (p *pending) newTable() *table.Table[*waiting] {
	t := table.New(func(w *waiting) string { return w.id }, p.columns()...)
	t.There = p.there
	t.Outdated = func(w *waiting) bool { return p.app.verdicts.outdated(w.kind) }
	return t
}

// kinds are the pending ones of the namespace.
func (p *pending) kinds() []query.PendingRow {
	namespace := p.app.namespace()
	var rows []query.PendingRow
	for _, kind := range p.app.observed.Snapshot.Pending {
		if namespace != "" && kind.Namespace() != namespace {
			continue
		}
		row := query.PendingRow{Kind: kind}
		if report := p.app.verdicts.Of(kind); report != nil {
			row.State, row.BlockedBy, row.Why = report.State, report.BlockedBy, report.Why
			if seen := report.Observed.AttemptSeen; seen != nil {
				row.Tried = seen.Time
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		p.idle = p.app.idle()
	}
	return rows
}

// rowsKept names the row of each kind. A pod that became another kind, such as one
// that was nominated or scheduled, keeps its row: it is not gone.
func (p *pending) rowsKept(kinds []query.PendingRow) func(*model.Kind) string {
	name := func(kind *model.Kind) string { return "kind " + kind.Key }
	there := make(map[string]bool, len(kinds))
	for _, k := range kinds {
		there[name(k.Kind)] = true
	}
	left := map[types.UID]string{} // rows whose kind no longer exists, by their pod
	shown := map[string]bool{}
	for _, row := range p.Table.Rows {
		if shown[row.id] = true; !row.leaf && !there[row.id] {
			left[row.pod.Object.UID] = row.id
		}
	}
	return func(kind *model.Kind) string {
		id, uid := name(kind), kind.First().Object.UID
		was, moved := left[uid]
		if !moved || shown[id] {
			return id
		}
		delete(left, uid)
		return was
	}
}

// unfold gives each kind a row, and one to each pod of the unfolded kinds.
func (p *pending) unfold(kinds []query.PendingRow) []*waiting {
	rows := make([]*waiting, 0, len(kinds))
	rowOf := p.rowsKept(kinds)
	for _, k := range kinds {
		rows = append(rows, &waiting{rowOf(k.Kind), k.Kind, k.Kind.First(), k.Kind.Count(), false})
		if !p.unfolded[k.Kind.Key] || len(k.Kind.Pods) == 1 {
			continue
		}
		for _, pod := range k.Kind.Pods {
			rows = append(rows, &waiting{string(pod.Object.UID), k.Kind, pod, 1, true})
		}
	}
	return rows
}

// there is the row of what is still pending, where only the filter hides it.
func (p *pending) there(w *waiting) (*waiting, bool) {
	for _, kind := range p.app.observed.Snapshot.Pending {
		if !w.leaf && kind.Key == w.kind.Key {
			return &waiting{w.id, kind, kind.First(), kind.Count(), false}, true
		}
		for _, pod := range kind.Pods {
			if pod.Object.UID == w.pod.Object.UID {
				return &waiting{w.id, kind, pod, w.of, w.leaf}, true
			}
		}
	}
	return nil, false
}

// answered says whether a kind was asked about already; it may still have no
// explanation.
func (p *pending) answered(row query.PendingRow) bool {
	_, ok := p.app.verdicts.known[row.Kind.Key]
	return ok
}

// Body is the table, or idleLines where no pods are pending.
func (p *pending) Body() []string {
	if len(p.Table.Rows) > 0 || p.app.observed.IsReading() || p.All > 0 {
		return p.Page.Body()
	}
	s := p.app.styles()
	lines := p.idleLines()
	for i, line := range lines {
		lines[i] = s.Text.Render(line)
	}
	return p.Around.Join(lines, p.Table.Height)
}

func (p *pending) columns() []table.Column[*waiting] {
	a := p.app
	text := func(text func(*waiting) string) func(*waiting) table.Cell {
		return func(w *waiting) table.Cell { return table.Cell{Text: text(w)} }
	}
	name := table.Column[*waiting]{Head: "NAMESPACE/POD", Field: "name", Min: 19, Max: 40, Names: true, Text: p.name}
	since := table.Column[*waiting]{Head: "AGE", Field: "age", Ticks: true, Extra: true, Gap: 2, Right: true, Text: p.age}
	became := func(w *waiting) string {
		state, _ := p.became(w)
		return state
	}
	blocked := table.Column[*waiting]{Head: "BLOCKED BY", Field: "blocked", Min: 13, Max: 20, State: true, Text: p.blockedBy, Left: became}
	then := func(w *waiting) string {
		_, where := p.became(w)
		return where
	}
	if p.one {
		name.Head = "POD"
	}
	if p.limited {
		since.Gap, name.Min, blocked.Min = 2, 0, 10
		said := table.Column[*waiting]{Head: "KUBE-SCHEDULER MESSAGE", Flex: true, State: true, Left: then, Text: text(func(w *waiting) string { return saidByScheduler(w.pod) })}
		return []table.Column[*waiting]{name, since, blocked, said}
	}
	return []table.Column[*waiting]{
		name,
		{Head: "PRIO", Field: "prio", Extra: true, Min: 6, Right: true, Text: text(priority)},
		since, blocked,
		{Head: "WHY", Field: "why", Min: 26, Flex: true, State: true, Text: p.why, Left: then},
		{Head: "KIND", Field: "kind", From: 130, Max: 20, Text: text(func(w *waiting) string { return w.pod.Owner.Kind })},
		{Head: "REQUESTS", Field: "requests", From: 120, Max: 40, Text: text(func(w *waiting) string { return requests(w.pod.Requests) })},
		{Head: "NOMINATED", Field: "nominated", From: 140, Max: 20, Names: true, Text: text(func(w *waiting) string {
			return a.observed.NodeName(w.pod.Object.Status.NominatedNodeName)
		})},
		{Head: "STATE", Field: "state", Max: 20, From: 160, State: true, Text: text(p.state), Left: became},
		{Head: "TRIED", Field: "tried", Ticks: true, From: 200, Right: true, Text: text(p.tried)},
		{Head: "SCHEDULER", Field: "scheduler", From: 200, Max: 30, Text: text(func(w *waiting) string { return w.pod.Object.Spec.SchedulerName })},
	}
}

// requests are what a pod requests: cpu and memory, then all other resources.
func requests(r model.Resources) string {
	text := "cpu " + figures.Cores(r.MilliCPU) + ", " + figures.Memory(r.Memory)
	rest := r
	rest.MilliCPU, rest.Memory = 0, 0
	if others := rest.String(); others != "" {
		text += ", " + others
	}
	return text
}

// priority is the pod's; one that was not created has none.
func priority(w *waiting) string {
	if !w.pod.Exists() {
		return "–"
	}
	return strconv.Itoa(int(w.pod.Priority()))
}

// name is namespace/workload ×3 for a kind of more than one pod, else the pod's.
func (p *pending) name(w *waiting) table.Cell {
	text := w.pod.Name()
	if w.leaf {
		if own, ok := strings.CutPrefix(text, w.pod.Owner.Name+"-"); ok {
			text = "…" + own
		}
		return table.Cell{Text: "  " + text}
	}
	if w.of > 1 {
		if w.pod.Owner.Name != "" {
			text = w.pod.Owner.Name
		}
		text += fmt.Sprintf(" ×%d", w.of)
	}
	if p.app.namespace() == "" {
		text = w.pod.Object.Namespace + "/" + text
	}
	return table.Cell{Text: text}
}

// state is the verdict in one or two words; "" while there is none.
func (p *pending) state(w *waiting) string {
	if report := p.app.verdicts.Of(w.kind); report != nil && !p.app.observed.IsReading() {
		return report.State
	}
	return ""
}

// blockedBy is the closest cause in one or two words.
func (p *pending) blockedBy(w *waiting) table.Cell {
	told := p.app.verdicts.Of(w.kind)
	switch {
	case p.app.observed.IsReading():
		return table.Cell{Text: "reading", Tone: tone.Dim}
	case p.app.verdicts.hidden:
		return table.Cell{Text: "hidden", Tone: tone.Dim}
	case p.limited && told == nil:
		return table.Cell{Text: "unknown", Tone: tone.Unknown}
	case told == nil:
		return table.Cell{Text: "explaining", Tone: tone.Dim}
	}
	if p.app.verdicts.outdated(w.kind) {
		return table.Cell{Text: told.BlockedBy, Tone: tone.Dim}
	}
	cell := table.Cell{Text: told.BlockedBy}
	if told.Verdict == report.Unknown {
		cell.Tone = tone.Unknown
	}
	return cell
}

// The ages from which a pending pod is no longer new, and from which it is old.
const (
	settledAge = 5 * time.Minute
	oldAge     = 30 * time.Minute
)

// age is since when the pod is pending; it turns with how long that is.
func (p *pending) age(w *waiting) table.Cell {
	since := w.pod.Since()
	cell := table.Cell{Text: p.app.observed.Since(since)}
	switch age := p.app.observed.AsOf().Sub(since); {
	case since.IsZero() || age < settledAge:
	case age < oldAge:
		cell.Tone = tone.Warning
	default:
		cell.Tone = tone.Bad
	}
	return cell
}

// became is the state and the node of a pod that is no longer pending: the reason
// in its row is out of date.
func (p *pending) became(w *waiting) (state, where string) {
	pod, ok := p.app.observed.Snapshot.PodNamed(w.pod.Object.Namespace, w.pod.Object.Name)
	if !ok || pod.Object.UID != w.pod.Object.UID || !pod.Bound() {
		return "deleted", ""
	}
	return "scheduled", "on " + p.app.observed.NodeName(pod.Object.Spec.NodeName) + ", " + strings.ToLower(pod.Status)
}

func (p *pending) why(w *waiting) table.Cell {
	if p.app.verdicts.hidden {
		return table.Cell{Text: hiddenWords, Tone: tone.Dim}
	}
	told := p.app.verdicts.Of(w.kind)
	if told == nil || p.app.observed.IsReading() {
		return table.Cell{}
	}
	why := table.Cell{Text: p.app.observed.Brief(report.ShortLabels(told.Why))}
	if p.app.verdicts.outdated(w.kind) {
		why.Tone = tone.Dim
	}
	return why
}

// tried is how long ago the last proved attempt of the scheduler was.
func (p *pending) tried(w *waiting) string {
	report := p.app.verdicts.Of(w.kind)
	if report == nil || report.Observed.AttemptSeen == nil {
		return ""
	}
	return p.app.observed.Since(report.Observed.AttemptSeen.Time) + " ago"
}

func (p *pending) Crumbs() []string { return []string{"pending"} }

func (p *pending) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case explainedMsg:
		return p.onExplained(msg)
	case restedMsg:
		p.app.verdicts.resting = false
		return p.app.verdicts.explainOnTop()
	case page.SnapshotMsg:
		p.limit()
		p.capacity.of(msg.Snapshot, msg.Snapshot.Nodes)
		p.trend.add(p)
		return tea.Batch(p.Page.Update(msg), p.explainNext())
	}
	return p.Page.Update(msg)
}

// limit takes the columns for what could be read, and for one namespace or all.
func (p *pending) limit() {
	limited, one := p.app.observed.NotRead("nodes") != "", p.app.namespace() != ""
	if limited != p.limited || one != p.one {
		p.limited, p.one = limited, one
		if p.Around.Above = p.gauges; limited {
			p.Around.Above = nil
		}
		old := p.Table
		p.Table = p.newTable()
		p.Table.TakeOver(old)
		p.Resize(p.Width, p.Height)
	}
}

func (p *pending) Selected() page.Selection {
	w, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(w.pod)
}

func (p *pending) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts | keymap.InPending
}

func (p *pending) Footer() []page.Key {
	if _, ok := p.Table.Selected(); !ok {
		return append([]page.Key{{Do: keymap.Pending, Label: "1–3", Word: "views"}}, page.Keys(keymap.Palette, keymap.Namespaces, keymap.Activity, keymap.Close)...)
	}
	if p.app.observed.Lost() {
		return page.Keys(keymap.Open, keymap.Describe, keymap.Filter, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Evict)
	}
	if p.app.observed.IsReading() {
		return page.Keys(keymap.Open, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Palette)
	}
	if p.limited {
		return page.Keys(keymap.Open, keymap.Unread, keymap.Words, keymap.Describe, keymap.Filter)
	}
	return page.Keys(keymap.Open, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Unfold, keymap.Filter, keymap.Sort, keymap.Words, keymap.Describe, keymap.Palette)
}

func (p *pending) Off(do keymap.Action) string {
	w, ok := p.Table.Selected()
	if do == keymap.Unfold && (!ok || len(w.kind.Pods) == 1) {
		return "this row is a single pod."
	}
	return page.OffPod(&p.app.observed, do, p.Table.SelectedGone(), p.Selected())
}

func (p *pending) Act(do keymap.Action) tea.Cmd {
	if cmd, done := p.ActList(do); done {
		return cmd
	}
	if do == keymap.Unfold {
		w, _ := p.Table.Selected()
		p.unfolded[w.kind.Key] = !p.unfolded[w.kind.Key]
		return p.Query().Arrange(list.Kept)
	}
	return p.app.opener.actOn(do, p.Selected())
}
