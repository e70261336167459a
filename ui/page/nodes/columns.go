package nodes

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

const (
	// usageFrom is the width from which the bars have the usage in them.
	usageFrom = 120
	// moreFrom is the width from which the footer has the key of all actions.
	moreFrom = 88
	// longFrom is the width from which they are longer, where there is room.
	longFrom = 140
	// leastBar, goodBar and longBar are the cells of a bar: where a column would be left out or a name
	// cut otherwise, where taints would be, and from longFrom on.
	leastBar, goodBar, longBar = 3, 5, 8
	// besideBar are the cells beside a bar: the mark of its level, and the percentage.
	besideBar = 5
)

// shape is what the columns depend on besides the nodes themselves.
type shape struct {
	large, wide, long bool
	beside            bool                  // the preview stands beside the table
	extended          []corev1.ResourceName // that a node has
	types             bool                  // a node says its capacity type
	devices           []string              // the DeviceClasses of which a node has a device
}

func (s shape) equal(other shape) bool {
	return s.large == other.large && s.wide == other.wide && s.long == other.long && s.beside == other.beside && s.types == other.types &&
		slices.Equal(s.extended, other.extended) && slices.Equal(s.devices, other.devices)
}

// reshape takes other columns where what they depend on has changed.
func (n *Page) reshape() {
	is := shape{n.Host.Large(), n.Width >= usageFrom, n.Width >= longFrom, n.Around.WidthBelow(n.Width) < n.Width, n.counts.extended, n.counts.types, n.counts.devices}
	if !is.equal(n.draw.shape) {
		n.draw.shape = is
		n.Table.SetColumns(n.draw.columns()...)
		list.Fit(&n.Page)
	}
}

type column = table.Column[*model.Node]

// drawing makes the columns, and the figures that the preview shares with them.
type drawing struct {
	host  page.Host
	usage func() bool // whether usage is drawn
	shape shape

	devices *devices
}

func (d drawing) columns() []column {
	h := d.host
	name := column{Head: "NAME", Field: "name", Min: 10, Max: 30, Names: true, Text: text(func(n *model.Node) string { return h.Observed().NodeName(n.Name) })}
	status := column{Head: "STATUS", Field: "status", Min: 14, Max: 20, State: true, Text: d.status}
	taints := column{Head: "TAINTS", Field: "taint", Flex: true, Min: 8, Text: text(func(n *model.Node) string { return n.Taints })}
	if d.shape.large {
		columns := []column{
			name, status,
			{Head: "CPU FREE", Field: "cpu.free", Min: 9, Right: true, Text: d.figure(func(n *model.Node) string {
				if n.Allocatable.MilliCPU <= 0 {
					return model.UnknownFigure
				}
				return figures.FreeOf(figures.FreeCPU(n), n.Allocatable.MilliCPU)
			})},
			{Head: "MEM FREE", Field: "mem.free", Extra: true, Min: 9, Right: true, Text: d.figure(func(n *model.Node) string {
				if n.Allocatable.Memory <= 0 {
					return model.UnknownFigure
				}
				return model.FormatMemoryOf(figures.FreeMemory(n), n.Allocatable.Memory)
			})},
			taints,
			d.level("CPU", "cpu.percent", corev1.ResourceCPU), d.level("MEM", "mem.percent", corev1.ResourceMemory),
		}
		columns[5].From, columns[6].From = cells.WideFrom, cells.WideFrom
		return append(columns, d.moreColumns()...)
	}
	if d.shape.wide {
		status.Max = 24
	}
	if d.shape.wide && !d.shape.beside {
		taints.Min = 12
	}
	columns := []column{
		name, status,
		d.level("CPU", "cpu.percent", corev1.ResourceCPU),
		{Head: "FREE", Field: "cpu.free", Gap: 1, Min: 5, Right: true, Text: d.free(corev1.ResourceCPU)},
		d.level("MEM", "mem.percent", corev1.ResourceMemory),
		{Head: "FREE", Field: "mem.free", Gap: 1, Min: 5, Right: true, Text: d.free(corev1.ResourceMemory)},
		taints,
	}
	return append(columns, d.moreColumns()...)
}

// moreColumns are those of wider terminals.
func (d drawing) moreColumns() []column {
	h := d.host
	typesFrom := 140
	if d.shape.beside {
		typesFrom = usageFrom
	}
	columns := d.extendedColumns()
	for _, class := range d.shape.devices {
		columns = append(columns, d.devices.column(class, d.shape.devices))
	}
	columns = append(columns, page.OwnColumns(h, h.Observed().Columns.Nodes, func(n *model.Node) metav1.Object { return n.Object })...)
	columns = append(columns,
		column{Head: "PODS", Field: "pods", Min: 6, From: 100, Right: true, Text: d.figure(func(n *model.Node) string {
			if n.Allocatable.Pods == 0 {
				return fmt.Sprintf("%d/%s", len(n.Pods), model.UnknownFigure)
			}
			return fmt.Sprintf("%d/%d", len(n.Pods), n.Allocatable.Pods)
		})},
		column{Head: "AGE", Field: "age", Ticks: true, From: 100, Min: 4, Right: true, Text: text(func(n *model.Node) string { return h.Observed().Since(n.Object.CreationTimestamp.Time) })},
		column{Head: "ZONE", Field: "zone", From: 120, Text: text(func(n *model.Node) string { return n.Zone })},
	)
	if d.shape.types { // the head is Karpenter's, of NodeClaims
		columns = append(columns, column{Head: "CAPACITY", Field: "capacity", From: typesFrom, Text: text(func(n *model.Node) string { return n.CapacityType })})
	}
	return append(columns,
		column{Head: "POOL", Field: "pool", From: 140, Max: 30, Text: text(func(n *model.Node) string { return n.Pool })},
		column{Head: "INSTANCE", Field: "instance", From: 160, Text: text(func(n *model.Node) string { return n.Instance })},
		column{Head: "VERSION", Field: "version", From: 200, Text: text(func(n *model.Node) string { return n.Version })},
		column{Head: "LIMITS", From: 200, Text: d.figure(func(n *model.Node) string { return figures.Limits(n.Limits) })},
	)
}

// extendedColumns are requested/allocatable of each extended resource that a node has.
func (d drawing) extendedColumns() []column {
	var columns []column
	gpus := 0
	for _, name := range d.shape.extended {
		if model.IsGPU(name) {
			gpus++
		}
	}
	heads := figures.ResourceHeads(d.shape.extended)
	for i, name := range d.shape.extended {
		c := column{Head: heads[i], From: 100, Min: 5, Right: true, Text: func(n *model.Node) table.Cell {
			switch {
			case d.host.Observed().PodsUnknown() != "":
				return unknownCell
			case !n.Lists(name):
				return table.Cell{}
			}
			return d.host.Levels().Figure(n.Requested.Of(name), n.Allocatable.Of(name))
		}}
		if model.IsGPU(name) && gpus == 1 {
			c.Field = "gpu"
		}
		columns = append(columns, c)
	}
	return columns
}

func text(text func(*model.Node) string) func(*model.Node) table.Cell {
	return func(n *model.Node) table.Cell { return table.Cell{Text: text(n)} }
}

// unknownCell stands for a figure of pods where not all pods are known.
var unknownCell = table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}

// figure is a text about the pods of a node.
func (d drawing) figure(text func(*model.Node) string) func(*model.Node) table.Cell {
	return func(node *model.Node) table.Cell {
		if d.host.Observed().PodsUnknown() != "" {
			return unknownCell
		}
		return table.Cell{Text: text(node)}
	}
}

// level is the column of a bar: how much of a resource is requested.
func (d drawing) level(head, field string, resource corev1.ResourceName) column {
	most := goodBar
	if d.shape.long {
		most = longBar
	}
	drawn := func(node *model.Node, width int) table.Cell {
		if d.host.Observed().PodsUnknown() != "" {
			return table.Cell{Text: " " + unknownCell.Text, Tone: unknownCell.Tone}
		}
		return d.host.Levels().CellOf(trouble(node), width-besideBar, node.Requested.Of(resource), node.Allocatable.Of(resource), d.used(node, resource))
	}
	return column{
		Head: head, Field: field, Gap: 1, Inset: 1,
		Bar:  &table.Bar[*model.Node]{Least: leastBar + besideBar, Good: goodBar + besideBar, Most: most + besideBar, Draw: drawn},
		Text: func(node *model.Node) table.Cell { return drawn(node, goodBar+besideBar) },
	}
}

// trouble is the level that a node's bars have at least, as what is free of it takes no pods: it is not Ready,
// or under pressure.
func trouble(node *model.Node) tone.Tone {
	switch {
	case node.IsNew():
		return tone.Good
	case node.Ready != corev1.ConditionTrue:
		return tone.Bad
	case len(node.Pressure) > 0:
		return tone.Warning
	}
	return tone.Good
}

// used is what is used of a resource of a node, where that is shown and measured.
func (d drawing) used(node *model.Node, resource corev1.ResourceName) int64 {
	if !d.usage() {
		return gauge.Unmeasured
	}
	if used, ok := figures.UsedOn(node, resource, d.host.Observed().Snapshot.Usage); ok {
		return used
	}
	return gauge.Unmeasured
}

// free is what no pod requests of a resource.
func (d drawing) free(resource corev1.ResourceName) func(*model.Node) table.Cell {
	return func(node *model.Node) table.Cell {
		if node.Allocatable.Of(resource) <= 0 || d.host.Observed().PodsUnknown() != "" {
			return unknownCell
		}
		return table.Cell{Text: freeText(node, resource)}
	}
}

// freeText is what no pod requests of a resource, at least; less than 0 where more is
// requested than is allocatable.
func freeText(node *model.Node, resource corev1.ResourceName) string {
	left := node.Free(func(r *model.Resources) int64 { return r.Of(resource) })
	return figures.ColumnText(resource, left, model.Down)
}

// status is whether the node is ready, since when it is not, and what else matters of it.
func (d drawing) status(node *model.Node) table.Cell {
	made := table.Cell{Tone: tone.Good}
	switch {
	case node.IsFailed():
		made.Tone = tone.Bad
	case node.Lifecycle != "", node.Cordoned, len(node.Pressure) > 0:
		made.Tone = tone.Warning
	}
	states := node.States()
	made.Text = strings.Join(states, ",")
	if node.IsFailed() && !node.ReadySince.IsZero() {
		made.Ageless = made.Text
		states[0] += " " + d.host.Observed().Since(node.ReadySince)
		made.Text = strings.Join(states, ",")
	}
	return made
}

// readyWord is the condition Ready in a word.
func readyWord(node *model.Node) string {
	word, _, _ := strings.Cut(node.Status, ",")
	return word
}
