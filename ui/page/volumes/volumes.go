// Package volumes is the page of claims, volumes that are not bound, and the attach limits
// of nodes.
package volumes

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
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

// Page is the page of claims, volumes and attach limits.
type Page struct {
	computed.Page[inventory.Volume]
	said sums
}

type row = inventory.Volume

// New is the page of all claims, volumes and attach limits.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "row", id, p.columns()...)
	p.Path, p.Keys = []string{"volumes"}, page.Keys(keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort)
	p.Resources = inventory.VolumeResources
	p.Compute = func(s *model.Snapshot, o *model.Objects, _ time.Time) []row { return inventory.Volumes(s, o) }
	p.NamespaceOf = func(r row) string { return r.Namespace }
	p.Rows = func(rows []row) []row {
		p.said = sum(p.Natural())
		return rows
	}
	p.Fields = computed.FieldsOf(id,
		query.Words("kind", kindWord),
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("ns", func(r row) string { return r.Namespace }),
		query.Words("state", state),
		query.Words("class", classOrDriver),
		query.Number("size", query.Bytes, func(r row) (int64, bool) {
			if r.Capacity == nil {
				return 0, false
			}
			return r.Capacity.Value(), true
		}),
		query.WordList("zone", func(r row) []string { return r.Zones }),
		query.Words("why", func(r row) string { return r.Why }),
	)
	return p
}

func id(r row) string { return kindWord(r) + " " + fullName(r) + " " + r.Driver }

func fullName(r row) string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// kindWord is the kind in a short word.
func kindWord(r row) string {
	return map[string]string{inventory.ClaimKind: "claim", inventory.VolumeKind: "volume", inventory.NodeKind: "node"}[r.Kind]
}

// classOrDriver is the StorageClass; of a node the driver.
func classOrDriver(r row) string {
	if r.Kind == inventory.NodeKind {
		return r.Driver
	}
	return r.Class
}

// zoneFrom is the width from which there is a column of zones.
const zoneFrom = 100

func (p *Page) columns() []table.Column[row] {
	text := func(text func(row) string) func(row) table.Cell {
		return func(r row) table.Cell { return table.Cell{Text: text(r)} }
	}
	return []table.Column[row]{
		{Head: "KIND", Field: "kind", Min: 6, Text: text(kindWord)},
		{Head: "NAME", Field: "name", Gap: 1, Names: true, Min: 16, Max: 40, Text: text(func(r row) string {
			if r.Kind == inventory.NodeKind {
				return p.Host.Observed().NodeName(r.Name)
			}
			return fullName(r)
		})},
		{Head: "STATE", Field: "state", Gap: 1, Min: 9, State: true, Text: func(r row) table.Cell { return table.Cell{Text: state(r), Tone: stateTone(r)} }},
		{Head: "CLASS", Field: "class", Gap: 1, Min: 8, Max: 20, Names: true, Text: text(classOrDriver)},
		{Head: "SIZE", Field: "size", Gap: 1, Min: 5, Right: true, Text: sizeCell},
		{Head: "ZONE", Field: "zone", Gap: 1, Min: 5, Max: 20, From: zoneFrom, Text: text(func(r row) string { return strings.Join(r.Zones, ",") })},
		{Head: "WHY", Field: "why", Gap: 1, Min: 12, Flex: true, Text: text(func(r row) string { return r.Why })},
	}
}

// state is the phase; of a node how many volumes are attached to it, of how many.
func state(r row) string {
	if r.Kind != inventory.NodeKind {
		if r.Phase == "" {
			return model.UnknownFigure
		}
		return r.Phase
	}
	attached, limit := model.UnknownFigure, "no limit"
	if r.Attached != nil {
		attached = model.FormatCount(*r.Attached)
	}
	if r.Limit == nil {
		return attached + ", " + limit
	}
	return attached + "/" + model.FormatCount(*r.Limit)
}

func stateTone(r row) tone.Tone {
	switch {
	case r.Kind == inventory.NodeKind && r.Attached == nil, r.Kind != inventory.NodeKind && r.Phase == "":
		return tone.Unknown
	case r.Trouble():
		return tone.Warning
	}
	return tone.Plain
}

func sizeCell(r row) table.Cell {
	switch {
	case r.Kind == inventory.NodeKind:
		return table.Cell{Text: "–", Tone: tone.Dim}
	case r.Capacity == nil:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	}
	return table.Cell{Text: model.FormatMemory(r.Capacity.Value(), model.Down)}
}

// Answer counts the claims without a volume, and nodes that nothing can be attached to.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	words := claimWords(p)
	if n := p.said.volumes; n > 0 {
		words += " " + grammar.Count(n, "volume is", "volumes are") + " not bound."
	}
	if n := len(p.said.full); n > 0 {
		words += " " + grammar.Count(n, "node is", "nodes are") + " at an attach limit."
	}
	var unread []string
	for _, resource := range p.Resources {
		if resource != claims && computed.Unread(&p.Page, resource) != "" {
			unread = append(unread, resource)
		}
	}
	if len(unread) > 0 {
		words += " Could not be read: " + strings.Join(unread, ", ") + "."
	}
	return p.Query().Filtered(words, width)
}

// sums are what the answer counts, made whenever rows are arranged.
type sums struct {
	claims  map[string]int // by phase
	volumes int
	full    map[string]bool // the nodes that nothing can be attached to
}

func sum(rows []row) sums {
	s := sums{claims: map[string]int{}, full: map[string]bool{}}
	for i := range rows {
		switch r := &rows[i]; {
		case r.Kind == inventory.ClaimKind:
			s.claims[r.Phase]++
		case r.Kind == inventory.VolumeKind:
			s.volumes++
		case r.Trouble():
			s.full[r.Name] = true
		}
	}
	return s
}

// claimWords count the claims by what they lack.
func claimWords(p *Page) string {
	if why := computed.Unread(&p.Page, claims); why != "" {
		return "Claims are unknown: " + why + "."
	}
	all := 0
	for _, n := range p.said.claims {
		all += n
	}
	if all == 0 {
		return "No claims."
	}
	var troubles []string
	for _, phase := range []corev1.PersistentVolumeClaimPhase{corev1.ClaimPending, corev1.ClaimLost, ""} {
		if n := p.said.claims[string(phase)]; n > 0 {
			troubles = append(troubles, model.FormatCount(n)+" "+cmp.Or(string(phase), "unknown"))
		}
	}
	if len(troubles) == 0 {
		return grammar.Count(all, "claim", "claims") + ", " + grammar.Agree(all, "", "all ") + "Bound."
	}
	return grammar.Count(all, "claim", "claims") + ": " + strings.Join(troubles, ", ") + "."
}

// claims is the resource that the answer is about first.
const claims = "persistentvolumeclaims"

// resources are the kinds as RBAC names them.
var resources = map[string]string{inventory.ClaimKind: claims, inventory.VolumeKind: "persistentvolumes", inventory.NodeKind: "csinodes.storage.k8s.io"}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	selected := page.Selection{Ref: model.Ref{Resource: resources[r.Kind], Namespace: r.Namespace, Name: r.Name}, Copy: r.Name}
	if object, err := meta.Accessor(r.Object); err == nil {
		selected.Ref.UID = object.GetUID()
	}
	return selected
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	if _, ok := p.Table.Selected(); !ok && (do == keymap.Describe || do == keymap.YAML || do == keymap.Copy) {
		return "no row is selected."
	}
	return ""
}
