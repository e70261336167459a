// Package taints is the page of taints: which pods do not tolerate them, when these are
// evicted, and the pools that a taint reserves.
package taints

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// The widths from which there are columns of what a taint reserves, and of the pods that
// tolerate it.
const (
	reservedFrom  = 110
	toleratedFrom = 85
)

// Page is the page of taints.
type Page struct {
	computed.Page[row]
}

// row is a taint as the page shows it.
type row struct {
	inventory.Taint

	pods []namedPod // that the preview names
	all  *overview  // the same for all rows
}

// overview is what there is to say of all taints.
type overview struct {
	zones            []inventory.EvictionZone
	counts           string // "4 taints on 5 nodes"
	leaks, intruding string // sentences; "" where there is nothing to say
	untolerated      string // the same
}

// namedPod is a pod that the preview names, and why.
type namedPod struct {
	inventory.TaintPod

	words string
	tone  tone.Tone
}

// New is the page of all taints.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "taint", row.id, columns(p)...)
	p.Path, p.Keys = []string{"taints"}, page.Keys(keymap.Open, keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Copy)
	p.Compute = compute
	p.Around.Above, p.Around.Below = func() string { return zoneLine(p) }, p.preview
	p.Fields = func() *query.Fields[row] {
		return computed.FieldsOf(row.id,
			query.Words("taint", row.id),
			query.Words("effect", func(r row) string { return string(r.Effect) }),
			query.WordList("node", func(r row) []string { return r.Nodes }),
			query.Number("nodes", query.Integer, func(r row) (int64, bool) { return int64(len(r.Nodes)), true }),
			query.Number("tolerated", query.Integer, func(r row) (int64, bool) { return known(r.Tolerated) }),
			query.Number("intruders", query.Integer, func(r row) (int64, bool) { return int64(len(r.Intruders)), r.Intruders != nil }),
			query.Number("evicted", query.Integer, func(r row) (int64, bool) { return int64(len(r.Evicted())), r.Intruders != nil }),
			query.WordList("reserved", func(r row) []string { return r.tenant() }),
			query.Age("age", h.Observed().AsOf(), row.since),
		)()
	}
	return p
}

func compute(s *model.Snapshot, _ *model.Objects, _ time.Time) []row {
	taints := inventory.Taints(s)
	all := &overview{
		zones: inventory.EvictionZones(s), counts: countWords(taints), leaks: leaks(taints), intruding: intruding(taints),
		untolerated: untolerated(taints),
	}
	rows := make([]row, len(taints))
	for i, taint := range taints {
		rows[i] = row{taint, podsOf(&taint), all}
	}
	return rows
}

// id tells a taint from others.
func (r row) id() string { return r.Spec() }

// short is the taint without the domain of Kubernetes' own.
func (r row) short() string { return shortSpec(&r.Taint) }

func shortSpec(t *inventory.Taint) string { return strings.TrimPrefix(t.Spec(), model.TaintDomain) }

// since is when the oldest was added; zero is not known.
func (r row) since() time.Time {
	if r.Since == nil {
		return time.Time{}
	}
	return *r.Since
}

// tenant are the namespaces of the pods that the nodes are reserved for.
func (r row) tenant() []string {
	if r.Reserved == nil {
		return nil
	}
	return r.Reserved.Namespaces
}

// known is a count that may not be known.
func known(count *int) (int64, bool) {
	if count == nil {
		return 0, false
	}
	return int64(*count), true
}

func columns(p *Page) []table.Column[row] {
	return []table.Column[row]{
		{Head: "TAINT", Field: "taint", Min: 22, Flex: true, Text: func(r row) table.Cell { return table.Cell{Text: r.short()} }},
		{Head: "NODES", Field: "nodes", Gap: 1, Right: true, Text: func(r row) table.Cell { return table.Cell{Text: model.FormatCount(len(r.Nodes))} }},
		{Head: "AGE", Field: "age", Gap: 1, Min: 4, Right: true, Ticks: true, Text: func(r row) table.Cell {
			return table.Cell{Text: p.Host.Observed().Since(r.since())}
		}},
		{Head: "TOLERATED", Field: "tolerated", From: toleratedFrom, Gap: 1, Right: true, Text: func(r row) table.Cell { return countCell(r.Tolerated) }},
		{Head: "NOT TOLERATING", Field: "intruders", Gap: 1, Right: true, Text: intrudersCell},
		{Head: "EVICTS", Field: "evicted", Gap: 1, Min: 17, Text: func(r row) table.Cell { return evictedCell(p, r) }},
		{Head: "RESERVED FOR", Field: "reserved", Gap: 1, Min: 24, From: reservedFrom, Text: reservedCell},
	}
}

func countCell(count *int) table.Cell {
	if count == nil {
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	return table.Cell{Text: model.FormatCount(*count)}
}

// intrudersCell counts the intruders; those of a taint that is for other pods stand out.
func intrudersCell(r row) table.Cell {
	if r.Intruders == nil {
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	made := table.Cell{Text: model.FormatCount(len(r.Intruders))}
	if len(r.Intruders) > 0 && !r.BySystem() {
		made.Tone = tone.Warning
	}
	return made
}

// evictedCell says which intruders are evicted next, and when. That its time comes closer
// is no change.
func evictedCell(p *Page, r row) table.Cell {
	words := r.NextEviction(p.Host.Observed().AsOf())
	switch {
	case r.Intruders == nil:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	case words == "":
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	return table.Cell{Text: words, Tone: tone.Bad, Ageless: model.FormatCount(len(r.Evicted()))}
}

// reservedCell names the tenant, and counts the pods in the wrong place.
func reservedCell(r row) table.Cell {
	switch {
	case r.Intruders == nil:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	case r.Reserved == nil:
		return table.Cell{Text: "–", Tone: tone.Dim}
	}
	made := table.Cell{Text: strings.Join(r.Reserved.Namespaces, ", ")}
	if words := leakWords(r.Reserved); words != "" {
		made.Text += ": " + words
		made.Tone = tone.Warning
	}
	return made
}

// leakWords count the pods in the wrong place: "2 other pods, 1 elsewhere"; "" if there
// are none.
func leakWords(r *inventory.Reserved) string {
	var words []string
	if len(r.Inside) > 0 {
		words = append(words, grammar.Count(len(r.Inside), "other pod", "other pods"))
	}
	if len(r.Outside) > 0 {
		words = append(words, model.FormatCount(len(r.Outside))+" elsewhere")
	}
	return strings.Join(words, ", ")
}

// countdownFrom is the time before an eviction from which its countdown shows seconds.
const countdownFrom = 10 * time.Minute

// ShowsYoung reports whether a countdown in view ticks by the second, or the age of a taint.
func (p *Page) ShowsYoung() bool {
	now := p.Host.Observed().AsOf()
	soon := func(pod inventory.TaintPod) bool {
		return pod.At != nil && now.Sub(*pod.At) < page.Young && pod.At.Sub(now) < countdownFrom
	}
	return slices.ContainsFunc(p.Table.InView(), func(r row) bool {
		return r.Since != nil && now.Sub(*r.Since) < page.Young || slices.ContainsFunc(r.Evicted(), soon)
	})
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Copy: r.Spec()}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	_, ok := p.Table.Selected()
	switch {
	case do == keymap.Describe || do == keymap.YAML:
		return "a taint is part of its nodes: enter opens them."
	case !ok && (do == keymap.Open || do == keymap.Copy):
		return "no taint is selected."
	}
	return ""
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return p.Page.Places() | keymap.NamesNodes }

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if r, ok := p.Table.Selected(); ok && do == keymap.Open {
		return p.Host.OpenNodes([]string{"taints", r.short()}, nodeCount(len(r.Nodes))+grammar.Agree(len(r.Nodes), " has", " have")+" the taint "+r.short(), r.Nodes)
	}
	return p.Page.Act(do)
}
