// Package devices is the page of devices that DRA drivers offer, what ResourceClaims hold of
// them, and claims without devices.
package devices

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

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

// Page is the page of devices.
type Page struct {
	computed.Page[inventory.Device]
}

type row = inventory.Device

// New is the page of all devices.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "row", id, columns(p)...)
	p.Path, p.Keys = []string{"devices"}, page.Keys(keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort)
	p.Resources = inventory.DeviceResources
	p.Compute = func(_ *model.Snapshot, o *model.Objects, _ time.Time) []row { return inventory.Devices(o) }
	p.NamespaceOf = func(r row) string { return r.Namespace }
	figure := func(of func(row) *int) func(row) (int64, bool) {
		return func(r row) (int64, bool) {
			if n := of(r); n != nil {
				return int64(*n), true
			}
			return 0, false
		}
	}
	p.Fields = computed.FieldsOf(id,
		query.Words("kind", kindWord),
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("ns", func(r row) string { return r.Namespace }),
		query.Words("node", func(r row) string { return r.Node }),
		query.Words("driver", func(r row) string { return r.Driver }),
		query.Number("devices", query.Integer, figure(func(r row) *int { return r.Devices })),
		query.Number("allocated", query.Integer, figure(func(r row) *int { return r.Allocated })),
		query.Number("free", query.Integer, figure(func(r row) *int { return r.Free })),
	)
	return p
}

func id(r row) string {
	return strings.Join([]string{kindWord(r), fullName(r), r.Driver, r.Node}, " ")
}

func fullName(r row) string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// kindWord is the kind in a short word.
func kindWord(r row) string {
	return map[string]string{inventory.PoolKind: "pool", inventory.DeviceClaimKind: "claim", inventory.ClassKind: "class"}[r.Kind]
}

// nodeFrom is the width from which there is a column of nodes; most pools have the name of
// theirs.
const nodeFrom = 100

func columns(p *Page) []table.Column[row] {
	text := func(text func(row) string) func(row) table.Cell {
		return func(r row) table.Cell { return table.Cell{Text: text(r)} }
	}
	return []table.Column[row]{
		{Head: "KIND", Field: "kind", Min: 5, Text: text(kindWord)},
		{Head: "NAME", Field: "name", Gap: 1, Names: true, Min: 12, Max: 40, Text: text(func(r row) string {
			if r.Kind == inventory.PoolKind {
				return p.Host.Observed().NodeName(r.Name) // most are named for their node
			}
			return fullName(r)
		})},
		{Head: "NODE", Field: "node", Gap: 1, Min: 8, Max: 20, From: nodeFrom, Names: true, Text: func(r row) table.Cell { return nodeCell(p, r) }},
		{Head: "DRIVER", Field: "driver", Gap: 1, Min: 8, Max: 24, Names: true, Text: text(func(r row) string { return r.Driver })},
		{Head: "DEVICES", Field: "devices", Gap: 1, Right: true, Text: figure(func(r row) *int { return r.Devices }, inventory.ClassKind)},
		{Head: "ALLOCATED", Field: "allocated", Gap: 1, Right: true, Text: figure(func(r row) *int { return r.Allocated })},
		{Head: "FREE", Field: "free", Gap: 1, Min: 4, Right: true, Text: figure(func(r row) *int { return r.Free }, inventory.ClassKind)},
		{Head: "NOTES", Gap: 1, Min: 8, Flex: true, State: true, Text: notesCell},
	}
}

// figure is a figure of a pool, or of another kind too; the rest have none.
func figure(of func(row) *int, kinds ...string) func(row) table.Cell {
	return func(r row) table.Cell {
		switch n := of(r); {
		case r.Kind != inventory.PoolKind && !slices.Contains(kinds, r.Kind):
			return table.Cell{Text: "–", Tone: tone.Dim}
		case n == nil:
			return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
		default:
			return table.Cell{Text: model.FormatCount(*n)}
		}
	}
}

func nodeCell(p *Page, r row) table.Cell {
	switch {
	case r.Kind != inventory.PoolKind:
		return table.Cell{Text: "–", Tone: tone.Dim}
	case r.Node == "":
		return table.Cell{Text: "several", Tone: tone.Dim}
	}
	return table.Cell{Text: p.Host.Observed().NodeName(r.Node)}
}

// notesCell says what else matters of a row: that a claim is pending, that devices are
// tainted, how many claims request a class.
func notesCell(r row) table.Cell {
	var notes []string
	made := table.Cell{}
	switch r.Kind {
	case inventory.DeviceClaimKind:
		notes, made.Tone = append(notes, "pending: "+strings.Join(r.Classes, ", ")), tone.Warning
	case inventory.ClassKind:
		if r.Claims == nil {
			return table.Cell{Text: "claims: " + model.UnknownFigure, Tone: tone.Unknown}
		}
		notes = append(notes, grammar.Count(*r.Claims, "claim", "claims")+", "+model.FormatCount(*r.PendingClaims)+" pending")
	default:
		if r.Devices == nil {
			notes, made.Tone = append(notes, "slices are missing"), tone.Warning
		}
		if r.Tainted > 0 {
			notes, made.Tone = append(notes, model.FormatCount(r.Tainted)+" tainted"), tone.Warning
		}
		if r.Shared {
			notes = append(notes, "shared: free is an estimate")
		}
	}
	made.Text = strings.Join(notes, "; ")
	return made
}

// Answer says how many devices are free, and how many claims have none.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	said := sums{}
	for _, r := range p.Natural() {
		said.add(&r)
	}
	offered, claims, classes := computed.Unread(&p.Page, "resourceslices"), computed.Unread(&p.Page, "resourceclaims"), computed.Unread(&p.Page, "deviceclasses")
	words := ""
	switch {
	case offered != "":
		words = "Devices are unknown: " + offered + "."
	case claims != "":
		words = "How many devices are free is unknown: " + claims + "."
	case p.Host.Namespace() == "": // pools are in no namespace
		words = said.words()
	}
	switch {
	case said.pending > 0:
		words += " " + grammar.Count(said.pending, "claim is", "claims are") + " pending."
	case p.Host.Namespace() != "" && claims == "":
		words += " No pending claims."
	}
	if classes != "" && p.Host.Namespace() == "" {
		words += " DeviceClasses are unknown: " + classes + "."
	}
	return p.Query().Filtered(strings.TrimSpace(words), width)
}

// sums are what the first sentence counts.
type sums struct{ pending, pools, unknown, free, devices int }

func (s *sums) add(r *row) {
	switch {
	case r.Kind == inventory.DeviceClaimKind:
		s.pending++
	case r.Kind != inventory.PoolKind:
	case r.Free == nil || r.Devices == nil:
		s.pools, s.unknown = s.pools+1, s.unknown+1
	default:
		s.pools, s.free, s.devices = s.pools+1, s.free+*r.Free, s.devices+*r.Devices
	}
}

func (s *sums) words() string {
	if s.pools == 0 {
		return "No ResourceSlices: no driver offers devices."
	}
	if s.unknown == s.pools {
		return "How many devices are free is unknown: slices of " + grammar.Count(s.pools, "pool", "pools") + " are missing."
	}
	words := model.FormatCount(s.free) + " of " + grammar.Count(s.devices, "device is", "devices are") + " free"
	if s.unknown > 0 {
		words += "; " + grammar.Count(s.unknown, "pool is", "pools are") + " unknown"
	}
	return words + "."
}

// resources are the kinds as RBAC names them.
var resources = map[string]string{
	inventory.PoolKind: "resourceslices.resource.k8s.io", inventory.DeviceClaimKind: "resourceclaims.resource.k8s.io", inventory.ClassKind: "deviceclasses.resource.k8s.io",
}

// Selected implements page.View; of a pool it is a ResourceSlice.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	object, err := meta.Accessor(r.Object)
	if err != nil {
		return page.Selection{Copy: r.Name}
	}
	return page.Selection{
		Ref:  model.Ref{Resource: resources[r.Kind], Namespace: r.Namespace, Name: object.GetName(), UID: object.GetUID()},
		Copy: r.Name,
	}
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	if _, ok := p.Table.Selected(); !ok && (do == keymap.Describe || do == keymap.YAML || do == keymap.Copy) {
		return "no row is selected."
	}
	return ""
}
