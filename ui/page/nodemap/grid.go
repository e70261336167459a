package nodemap

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// grid is where the cells are, and the cursor.
type grid struct {
	nodes   []*model.Node // in the order of their cells
	rows    []row
	natural []int // the widths of the heads
	widths  []int // those that there is room for
	lines   []line
	at      int  // the selected node
	column  int  // that the cursor keeps over shorter lines
	top     int  // the first line in view
	height  int  // the lines in view
	left    int  // the cells before the first one of a line
	tainted bool // a pool is marked as tainted
}

// row is the nodes with the same heads.
type row struct {
	values   []string // of the keys; "" is not set
	heads    []string // those values as they are drawn
	from, to int      // its nodes
}

// line is a part of a row that fits in the width.
type line struct{ row, from, to int }

const (
	margin  = 1 // cells at each side
	between = 2 // cells after a head
	// mostHead is the width of a head that is not cut.
	mostHead = 24
	// leastCells is the width that is left for the cells whatever the heads are.
	leastCells = 20
)

// lay puts nodes in rows, each by name. The names of tainted pools are marked: their cells show levels.
func (g *grid) lay(nodes []*model.Node, by grouping, tainted map[string]bool) {
	if byName := func(a, b *model.Node) int { return strings.Compare(a.Name, b.Name) }; !slices.IsSortedFunc(nodes, byName) {
		nodes = slices.Clone(nodes)
		slices.SortStableFunc(nodes, byName)
	}
	keys := by.present(nodes)
	g.tainted = false
	g.natural = make([]int, len(keys))
	g.nodes, g.rows = make([]*model.Node, 0, len(nodes)), nil
	for _, of := range divide(keys, nodes) {
		heads := make([]string, len(keys))
		for k, key := range keys {
			heads[k] = model.Clean(cmp.Or(of.values[k], key.none))
			if key.isPool && tainted[of.values[k]] {
				heads[k], g.tainted = heads[k]+" "+taintedSign, true
			}
			g.natural[k] = max(g.natural[k], min(cells.Width(heads[k]), mostHead))
		}
		g.rows = append(g.rows, row{of.values, heads, len(g.nodes), len(g.nodes) + len(of.nodes)})
		g.nodes = append(g.nodes, of.nodes...)
	}
	g.at = min(g.at, max(len(g.nodes)-1, 0))
}

// wrap breaks the rows into lines for a width, of which a height is in view.
func (g *grid) wrap(width, height int) {
	g.height = max(height, 1)
	g.left = margin
	g.widths = g.widths[:0]
	for _, wide := range g.natural {
		wide = min(wide, max((width-leastCells)/len(g.natural)-between, between))
		g.widths = append(g.widths, wide)
		g.left += wide + between
	}
	room := max(width-g.left-margin, 1)
	g.lines = g.lines[:0]
	for r, row := range g.rows {
		for from := row.from; from < row.to; from += room {
			g.lines = append(g.lines, line{r, from, min(from+room, row.to)})
		}
	}
	g.column = g.at - g.lineOf().from
	g.show()
}

// selected is the node under the cursor; nil where there are none.
func (g *grid) selected() *model.Node {
	if g.at >= len(g.nodes) {
		return nil
	}
	return g.nodes[g.at]
}

// selectUID puts the cursor on a node, if it is there.
func (g *grid) selectUID(uid types.UID) {
	if at := slices.IndexFunc(g.nodes, func(n *model.Node) bool { return uidOf(n) == uid }); at >= 0 {
		g.at = at
	}
}

// lineAt is the index of the cursor's line.
func (g *grid) lineAt() int {
	return max(slices.IndexFunc(g.lines, func(l line) bool { return g.at < l.to }), 0)
}

func (g *grid) lineOf() line {
	if len(g.lines) == 0 {
		return line{}
	}
	return g.lines[g.lineAt()]
}

// show scrolls to the cursor.
func (g *grid) show() {
	at := g.lineAt()
	g.top = max(min(g.top, at, len(g.lines)-g.height), at-g.height+1, 0)
}

// inView are the lines in view.
func (g *grid) inView() []line {
	return g.lines[min(g.top, len(g.lines)):min(g.top+g.height, len(g.lines))]
}

// act moves the cursor as the key says; it reports false for other keys.
func (g *grid) act(do keymap.Action) bool {
	switch do {
	case keymap.Left:
		g.step(-1)
	case keymap.Right:
		g.step(1)
	case keymap.Top:
		g.step(-len(g.nodes))
	case keymap.Bottom:
		g.step(len(g.nodes))
	default:
		n, ok := keymap.Steps(do, max(g.height/2, 1), g.height, len(g.lines))
		if ok {
			g.down(n)
		}
		return ok
	}
	return true
}

// step moves the cursor by nodes.
func (g *grid) step(n int) {
	g.at = min(max(g.at+n, 0), max(len(g.nodes)-1, 0))
	g.column = g.at - g.lineOf().from
	g.show()
}

// down moves the cursor by lines, in its column.
func (g *grid) down(n int) {
	if len(g.lines) == 0 {
		return
	}
	l := g.lines[min(max(g.lineAt()+n, 0), len(g.lines)-1)]
	g.at = min(l.from+g.column, l.to-1)
	g.show()
}

// click selects the node at a place of the body; it reports whether it was selected
// already.
func (g *grid) click(x, y int) (again bool) {
	lines := g.inView()
	if y < 0 || y >= len(lines) {
		return false
	}
	at := lines[y].from + x - g.left
	if at < lines[y].from || at >= lines[y].to {
		return false
	}
	again = at == g.at
	g.step(at - g.at)
	return again
}
