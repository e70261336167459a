// Package quotas is the page of ResourceQuotas: what is used of each, and how many more
// pods it allows.
package quotas

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// What the page lists.
const (
	resource    = "resourcequotas"
	limitRanges = "limitranges"
)

// Page is the page of ResourceQuotas.
type Page struct {
	computed.Page[inventory.Quota]
}

type row = inventory.Quota

// New is the page of all ResourceQuotas.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "ResourceQuota", id, columns(p)...)
	p.Path, p.Keys = []string{"quotas"}, page.Keys(keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Preview)
	p.Lists = resource
	p.Resources = []string{resource, limitRanges}
	p.Compute = compute
	p.NamespaceOf = func(r row) string { return r.Namespace }
	p.Around.Below = func(lines int) []string { return below(p, lines) }
	p.Fields = computed.FieldsOf(id,
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("ns", func(r row) string { return r.Namespace }),
		query.Words("fullest", func(r row) string { return string(r.Fullest) }),
		query.Number("percent", query.Integer, func(r row) (int64, bool) {
			if r.Percent == nil {
				return 0, false
			}
			return int64(*r.Percent), true
		}),
		query.Number("more", query.Integer, func(r row) (int64, bool) {
			if r.MorePods == nil {
				return 0, false
			}
			return *r.MorePods, true
		}),
		query.WordList("scope", func(r row) []string { return r.Scopes }),
	)
	return p
}

func id(r row) string { return r.Namespace + "/" + r.Name }

func compute(s *model.Snapshot, o *model.Objects, _ time.Time) []row {
	quotas, why := model.ListOf[*corev1.ResourceQuota](o, resource)
	if why != "" {
		return nil // whether a namespace has a quota is not known
	}
	limits, unread := model.ListOf[*corev1.LimitRange](o, limitRanges)
	return inventory.Quotas(s, quotas, limits, unread == "")
}

// barWidth is the cells of a bar in a column, longBar on a wide screen and in the preview.
const (
	barWidth = 5
	longBar  = 10
)

func columns(p *Page) []table.Column[row] {
	return []table.Column[row]{
		{Head: "NAMESPACE/NAME", Field: "name", Names: true, Min: 20, Flex: true, Text: func(r row) table.Cell {
			if r.Object == nil {
				return table.Cell{Text: r.Namespace, Tone: tone.Dim}
			}
			return table.Cell{Text: id(r)}
		}},
		{Head: "FULLEST", Field: "fullest", Gap: 1, Min: 14, Max: 30, Text: fullestCell},
		{Head: "USED", Field: "percent", Gap: 1, Inset: 1, Min: barWidth + 5, Text: func(r row) table.Cell { return usedCell(p, r) }},
		{Head: "OF LIMIT", Gap: 1, Min: 12, Right: true, Text: amountCell},
		{Head: "MORE PODS", Field: "more", Gap: 1, Min: 9, Right: true, State: true, Text: moreCell},
		{Head: "LIMITED BY", Gap: 2, From: cells.WideFrom, Text: func(r row) table.Cell { return table.Cell{Text: string(r.LimitedBy)} }},
		{Head: "SCOPES", Field: "scope", From: cells.WideFrom, Max: 40, Text: func(r row) table.Cell { return table.Cell{Text: strings.Join(r.Scopes, ", ")} }},
	}
}

// unknownCell stands for what is not known of a quota; noneCell for what it does not have.
var (
	unknownCell = table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	noneCell    = table.Cell{Text: "–", Tone: tone.Dim}
)

func fullestCell(r row) table.Cell {
	switch {
	case r.Object == nil:
		return table.Cell{Text: "LimitRange only", Tone: tone.Dim}
	case len(r.Hard) == 0:
		return noneCell
	case r.Fullest == "":
		return unknownCell
	}
	return table.Cell{Text: string(r.Fullest)}
}

func usedCell(p *Page, r row) table.Cell {
	switch {
	case r.Object == nil || len(r.Hard) == 0:
		return table.Cell{Text: " " + noneCell.Text, Tone: noneCell.Tone}
	case r.Fullest == "":
		return table.Cell{Text: " " + unknownCell.Text, Tone: unknownCell.Tone}
	}
	part, whole := share(&r, r.Fullest)
	return p.Host.Levels().Cell(barWidth, part, whole, gauge.Unmeasured)
}

// share is what is used of a limit as a part of a whole: of a limit of 0, all or nothing, as PercentOf has it.
func share(r *row, name corev1.ResourceName) (part, whole int64) {
	used, hard, _ := r.Amounts(name)
	switch {
	case hard > 0:
		return used, hard
	case full(r, name):
		return 1, 1
	}
	return 0, 1
}

// full reports whether nothing more of a resource is allowed.
func full(r *row, name corev1.ResourceName) bool {
	percent, known := r.PercentOf(name)
	return known && percent >= 100
}

func amountCell(r row) table.Cell {
	switch {
	case r.Object == nil || len(r.Hard) == 0:
		return noneCell
	case r.Fullest == "":
		return unknownCell
	}
	return table.Cell{Text: usedOf(&r, r.Fullest)}
}

// usedOf is what is used of a limit: "3.6 of 4".
func usedOf(r *row, name corev1.ResourceName) string {
	used, hard, known := r.Amounts(name)
	whole := amount(name, hard, model.Down)
	if !known {
		return model.UnknownFigure + " of " + whole
	}
	if used == hard { // rounded apart they would look over the limit
		return whole + " of " + whole
	}
	return amount(name, used, model.Up) + " of " + whole
}

func amount(name corev1.ResourceName, of int64, round model.Rounding) string {
	if name == corev1.ResourceRequestsStorage || strings.HasSuffix(string(name), "/"+string(corev1.ResourceRequestsStorage)) {
		return model.FormatMemory(of, round)
	}
	return figures.ColumnText(inventory.Counted(name), of, round)
}

func moreCell(r row) table.Cell {
	switch {
	case r.Object == nil || r.LimitsNoPods:
		return noneCell
	case r.MorePods == nil:
		return unknownCell
	case *r.MorePods == 0:
		return table.Cell{Text: "0", Tone: tone.Warning}
	}
	return table.Cell{Text: model.FormatCount(*r.MorePods)}
}

// Answer names the fullest quota and counts the other namespaces that are near a limit.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	said, quotas := standing{}, 0
	for _, r := range p.Natural() {
		if r.Object != nil {
			quotas++
			said.add(&r, p.Host.Levels())
		}
	}
	if quotas == 0 {
		return "No ResourceQuotas."
	}
	return p.Query().Filtered(said.words(quotas, p.Host.Levels()), width)
}

// standing is how near to a limit namespaces are.
type standing struct {
	fullest *row     // that is near a limit; nil if none is
	near    []string // the namespaces that are
	unknown int      // quotas without a status
}

func (n *standing) add(r *row, levels gauge.Levels) {
	switch {
	case r.Percent == nil && len(r.Hard) > 0:
		n.unknown++
		return
	case r.Percent == nil || *r.Percent < levels.Tight:
		return
	}
	if n.fullest == nil || *r.Percent > *n.fullest.Percent {
		n.fullest = r
	}
	if !slices.Contains(n.near, r.Namespace) {
		n.near = append(n.near, r.Namespace)
	}
}

func (n *standing) words(quotas int, levels gauge.Levels) string {
	words := grammar.Count(quotas, "ResourceQuota", "ResourceQuotas") + ": no namespace is near a limit."
	if n.fullest != nil {
		words = n.fullest.Namespace + ": "
		if more := n.fullest.MorePods; more != nil {
			of := ""
			if len(n.fullest.Scopes) > 0 {
				of = " of scope " + strings.Join(n.fullest.Scopes, ", ")
			}
			words += grammar.Count(int(*more), "more pod", "more pods") + of + ", "
			if *more == 0 {
				words = n.fullest.Namespace + ": no more pods" + of + " fit, "
			}
		}
		words = model.Clean(words + string(n.fullest.Fullest) + " " + usedOf(n.fullest, n.fullest.Fullest))
		if others := len(n.near) - 1; others > 0 {
			words += "; " + grammar.Count(others, "more namespace", "more namespaces") + " at " + strconv.Itoa(levels.Tight) + "% or more"
		}
		words += "."
	}
	if n.unknown > 0 {
		words += " " + grammar.Count(n.unknown, "quota has", "quotas have") + " no status yet."
	}
	return words
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok || r.Object == nil {
		return page.Selection{}
	}
	return page.Selection{
		Ref:  model.Ref{Resource: resource, Namespace: r.Namespace, Name: r.Name, UID: r.Object.UID},
		Copy: r.Name,
	}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	if do != keymap.Describe && do != keymap.YAML && do != keymap.Copy {
		return ""
	}
	if r, ok := p.Table.Selected(); ok && r.Object == nil {
		return r.Namespace + " has no ResourceQuota."
	} else if !ok {
		return "no ResourceQuota is selected."
	}
	return ""
}
