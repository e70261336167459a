package pools

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

const (
	// usageFrom is the width from which the bars have the usage in them, and are longer.
	usageFrom = 120
	// moreFrom is the width from which there is a column for each extended resource.
	moreFrom = 100

	// leastBar, shortBar, barWidth and longBar are the cells of a bar: where a column would be left out or
	// the name of a pool cut otherwise, where zones are long, and from usageFrom on where there is room.
	leastBar, shortBar, barWidth, longBar = 3, 5, 6, 10
	// besideBar are the cells beside a bar: the mark of its level, and the percentage.
	besideBar = 5
	// longZone is the width of zones from which bars are short where the terminal is narrow.
	longZone = 7
	// mostZone is the most that a zone takes; shortZone where the terminal is narrow and zones are long,
	// for the names of pools need the room.
	mostZone, shortZone = 16, 9
)

// shape is what the columns depend on besides the pools themselves.
type shape struct {
	by       string
	wide     bool
	narrow   bool                  // there are columns for GPUs, and for one other extended resource
	long     bool                  // zones are long
	extended []corev1.ResourceName // that a node has
}

func (s shape) equal(other shape) bool {
	return s.by == other.by && s.wide == other.wide && s.narrow == other.narrow && s.long == other.long && slices.Equal(s.extended, other.extended)
}

// reshape takes other columns where what they depend on has changed.
func reshape(p *Page, rows []*inventory.Pool) {
	is := shape{by: p.by, wide: p.Width >= usageFrom, narrow: p.Width < moreFrom}
	for _, pool := range rows {
		is.long = is.long || cells.Width(pool.Zone) > longZone
		whole := model.Capacity{Allocatable: pool.Allocatable.Resources}
		for _, name := range whole.Extended() {
			if !slices.Contains(is.extended, name) {
				is.extended = append(is.extended, name)
			}
		}
	}
	slices.SortStableFunc(is.extended, func(a, b corev1.ResourceName) int {
		if model.IsGPU(a) != model.IsGPU(b) {
			return map[bool]int{true: -1, false: 1}[model.IsGPU(a)]
		}
		return figures.CompareResources(string(a), string(b))
	})
	if !is.equal(p.shape) {
		p.shape = is
		p.Table.SetColumns(columns(p)...)
		list.Fit(&p.Page.Page)
	}
}

type column = table.Column[*inventory.Pool]

var (
	noneCell    = table.Cell{Text: "–", Tone: tone.Dim}
	unknownCell = table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
)

func columns(p *Page) []column {
	word := func(of func(*inventory.Pool) string) func(*inventory.Pool) table.Cell {
		return func(pool *inventory.Pool) table.Cell {
			if of(pool) == "" {
				return noneCell
			}
			return table.Cell{Text: of(pool)}
		}
	}
	zones := mostZone
	if p.shape.long && !p.shape.wide {
		zones = shortZone
	}
	columns := []column{
		{Head: "POOL", Field: "pool", Flex: true, Names: true, Min: 6, Text: word(func(p *inventory.Pool) string { return p.Pool })},
		{Head: "ZONE", Field: "zone", Min: 4, Max: zones, Zones: true, Text: word(func(p *inventory.Pool) string { return p.Zone })},
		{Head: "NODES", Field: "ready", Right: true, State: true, Text: readyCell},
		level(p, "CPU", "cpu.percent", corev1.ResourceCPU),
		{Head: "LARGEST", Field: "cpu.largest", Gap: 1, Right: true, Text: largest(corev1.ResourceCPU)},
		level(p, "MEM", "mem.percent", corev1.ResourceMemory),
		{Head: "LARGEST", Field: "mem.largest", Gap: 1, Right: true, Extra: true, Text: largest(corev1.ResourceMemory)},
	}
	columns[5].Extra = true
	if p.shape.by != "" {
		columns = slices.Delete(columns, 1, 2)
		columns[0].Head = "LABEL"
	}
	gap := 2
	if p.shape.long {
		gap = 1
	}
	heads := figures.ResourceHeads(p.shape.extended)
	for i, name := range p.shape.extended {
		if p.shape.narrow && strings.Contains(heads[i], "/") { // of two vendors' GPUs the vendor tells
			heads[i], _, _ = strings.Cut(heads[i], ".")
		}
		c := column{Head: heads[i], Gap: gap, Min: 4, Right: true, Extra: true, Text: extended(p, name)}
		switch {
		case model.IsGPU(name):
			c.Keep = 1
		case i > 0:
			c.From = moreFrom
		}
		columns = append(columns, c)
	}
	return append(columns, column{Head: "PENDING", Field: "pending", Gap: gap, Keep: 2, Right: true, Text: pendingCell})
}

// trouble is the level that a pool's bars have at least: none of its nodes is Ready, or at least as many
// are not, or are under pressure, as a full pool has left: 5%. Of hundreds of nodes one always is.
func trouble(full int, pool *inventory.Pool) tone.Tone {
	if pool.Ready == 0 {
		return tone.Bad
	}
	lost := 0
	for _, n := range pool.Members {
		if n.Ready != corev1.ConditionTrue || len(n.Pressure) > 0 {
			lost++
		}
	}
	if lost > 0 && lost*100 >= (100-full)*pool.Nodes {
		return tone.Warning
	}
	return tone.Good
}

// readyCell is how many nodes are Ready of all, marked where one is not, or where none is schedulable.
func readyCell(pool *inventory.Pool) table.Cell {
	made := table.Cell{Text: fmt.Sprintf("%d/%d", pool.Ready, pool.Nodes)}
	switch {
	case pool.Ready == 0:
		made.Text, made.Tone = "!"+made.Text, tone.Bad
	case pool.Ready < pool.Nodes, pool.Schedulable == 0:
		made.Text, made.Tone = "!"+made.Text, tone.Warning
	}
	return made
}

// level is the column of a bar: how much of a resource is requested.
func level(p *Page, head, field string, name corev1.ResourceName) column {
	width := barWidth
	switch {
	case p.shape.wide:
		width = longBar
	case p.shape.long:
		width = shortBar
	}
	drawn := func(pool *inventory.Pool, width int) table.Cell {
		if pool.Requested == nil {
			return table.Cell{Text: " " + unknownCell.Text, Tone: unknownCell.Tone}
		}
		return p.Host.Levels().CellOf(trouble(p.Host.Levels().Full, pool), width-besideBar, pool.Requested.Of(name), pool.Allocatable.Of(name), used(p, pool, name))
	}
	return column{
		Head: head, Field: field, Gap: 1, Inset: 1,
		Bar:  &table.Bar[*inventory.Pool]{Least: leastBar + besideBar, Good: min(width, barWidth) + besideBar, Most: width + besideBar, Draw: drawn},
		Text: func(pool *inventory.Pool) table.Cell { return drawn(pool, width+besideBar) },
	}
}

// used is what is used of a resource, where that is shown and measured.
func used(p *Page, pool *inventory.Pool, name corev1.ResourceName) int64 {
	if pool.Used == nil || !p.ShowsUsage() {
		return gauge.Unmeasured
	}
	return pool.Used.Of(name)
}

// largest is what is free of a resource on the node that has the most.
func largest(name corev1.ResourceName) func(*inventory.Pool) table.Cell {
	return func(pool *inventory.Pool) table.Cell {
		switch {
		case pool.LargestFree == nil, pool.Allocatable.Of(name) <= 0:
			return unknownCell
		case pool.Schedulable == 0:
			return noneCell
		}
		made := table.Cell{Text: figures.ColumnText(name, pool.LargestFree.Of(name), model.Down)}
		if pool.Lacks == name {
			made.Tone = tone.Warning
		}
		return made
	}
}

// extended is how much of an extended resource is requested, of all.
func extended(p *Page, name corev1.ResourceName) func(*inventory.Pool) table.Cell {
	return func(pool *inventory.Pool) table.Cell {
		whole := pool.Allocatable.Of(name)
		if whole == 0 && !slices.ContainsFunc(pool.Members, func(n *model.Node) bool { return n.Lists(name) }) {
			return table.Cell{}
		}
		if pool.Requested == nil {
			return table.Cell{Text: model.UnknownFigure + "/" + model.FormatCount(whole)}
		}
		return p.Host.Levels().Figure(pool.Requested.Of(name), whole)
	}
}

// pendingCell counts the pending pods that target the pool.
func pendingCell(pool *inventory.Pool) table.Cell {
	switch {
	case pool.Pending == nil:
		return unknownCell
	case *pool.Pending == 0:
		return noneCell
	}
	return table.Cell{Text: model.FormatCount(*pool.Pending), Tone: tone.Warning}
}
