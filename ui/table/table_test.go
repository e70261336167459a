package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// fruit are the rows of the tables of these tests.
type fruit struct{ name, state string }

func fruits(names ...string) []fruit {
	rows := make([]fruit, len(names))
	for i, name := range names {
		rows[i] = fruit{name, "ripe"}
	}
	return rows
}

func newFruits(lines int, names ...string) *Table[fruit] {
	t := New(
		func(f fruit) string { return f.name },
		Column[fruit]{Head: "NAME", Field: "name", Text: func(f fruit) Cell { return Cell{Text: f.name} }},
		Column[fruit]{Head: "STATE", Field: "state", Min: 6, State: true, Text: func(f fruit) Cell { return Cell{Text: f.state} }},
	)
	t.Resize(40, lines+1)
	t.Reset(fruits(names...))
	return t
}

// shown are the rows that are drawn, without the head and the blanks behind.
func shown(t *Table[fruit]) string {
	theme := themes.Mono()
	var rows []string
	for _, line := range t.Draw(&theme.Styles)[1:] {
		rows = append(rows, strings.Join(strings.Fields(ansi.Strip(line)), " "))
	}
	return strings.Join(rows, ", ")
}

func TestTheSelectedRowKeepsItsLineWhileOthersComeAndGo(t *testing.T) {
	table := newFruits(3, "a", "b", "c", "d", "e", "f")
	table.Move(3) // d on the last line
	table.Set(fruits("0", "1", "a", "b", "c", "d", "e", "f"))
	if got, want := shown(table), "b ripe, c ripe, ▸ d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	table.Set(fruits("d", "e", "f", "g"))
	if got, want := shown(table), "b gone, c gone, ▸ d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
}

func TestAVanishedRowStaysAsGoneUntilTheNextKey(t *testing.T) {
	table := newFruits(4, "a", "b", "c", "d")
	table.Move(1)
	table.Marks.turn(table.ID(table.Rows[1]))
	table.Set(fruits("a", "c", "d"))
	if got, want := shown(table), "a ripe, ▸* b gone, c ripe, d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	if !table.SelectedGone() {
		t.Error("the selected row is not told to be gone")
	}
	table.Set(fruits("a", "d")) // c goes too, b is still there
	if got, want := shown(table), "a ripe, ▸* b gone, c gone, d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	table.Settle()
	if got, want := shown(table), "a ripe, ▸ d ripe"; got != want {
		t.Errorf("after a key it shows %s, want %s", got, want)
	}
	if len(marked(table.Rows, table.ID, table.Marks)) > 0 {
		t.Error("a row that is gone is still marked")
	}
}

func TestARowThatComesBackIsNotGone(t *testing.T) {
	table := newFruits(3, "a", "b", "c")
	table.Set(fruits("a", "c"))
	table.Set(fruits("a", "b", "c"))
	if got, want := shown(table), "▸ a ripe, b ripe, c ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
}

func TestATableAsksOnlyTheRowsInView(t *testing.T) {
	rows := make([]fruit, 50_000)
	for i := range rows {
		rows[i] = fruit{fmt.Sprint("row ", i), "ripe"}
	}
	asked := map[string]bool{}
	table := New(func(f fruit) string { return f.name }, Column[fruit]{Head: "NAME", Text: func(f fruit) Cell {
		asked[f.name] = true
		return Cell{Text: f.name}
	}})
	table.Resize(40, 11)
	table.Reset(rows)
	table.Act(keymap.Bottom)
	theme := themes.Mono()
	table.Draw(&theme.Styles)
	if len(asked) > 20 {
		t.Errorf("asked %d rows for what 20 lines show", len(asked))
	}
}

func TestColumnsOnlyGrow(t *testing.T) {
	table := newFruits(2, "fig", "apricot", "kiwi", "plum")
	before := table.Widths[0]
	table.Act(keymap.Bottom)
	if table.Widths[0] != before {
		t.Errorf("the column went from %d to %d cells", before, table.Widths[0])
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		does string
		acts []keymap.Action
		want string
	}{
		{"space marks and goes on", []keymap.Action{keymap.Mark, keymap.Mark}, "a b"},
		{"space unmarks", []keymap.Action{keymap.Mark, keymap.Up, keymap.Mark}, ""},
		{"ctrl-space marks from the mark above up to here", []keymap.Action{keymap.Mark, keymap.Down, keymap.Down, keymap.MarkTo}, "a b c d"},
		{"ctrl-space marks up to the mark below where none is above", []keymap.Action{keymap.Down, keymap.Down, keymap.Mark, keymap.Top, keymap.MarkTo}, "a b c"},
		{"ctrl-space marks one row where nothing is marked", []keymap.Action{keymap.Down, keymap.MarkTo}, "b"},
		{"M unmarks all", []keymap.Action{keymap.Mark, keymap.Mark, keymap.Unmark}, ""},
	} {
		table := newFruits(5, "a", "b", "c", "d", "e")
		for _, act := range c.acts {
			table.Act(act)
		}
		var names []string
		for _, f := range marked(table.Rows, table.ID, table.Marks) {
			names = append(names, f.name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: marked %q, want %q", c.does, got, c.want)
		}
	}
}

func TestTheCursorStaysInView(t *testing.T) {
	table := newFruits(3, "a", "b", "c", "d", "e", "f", "g")
	for _, act := range []keymap.Action{keymap.PageDown, keymap.HalfDown, keymap.Bottom, keymap.Up, keymap.HalfUp, keymap.PageUp, keymap.Top, keymap.Up} {
		table.Act(act)
		if table.Chosen < table.Top || table.Chosen >= table.Top+table.Lines() {
			t.Fatalf("row %d is chosen, %d to %d are in view", table.Chosen, table.Top, table.Top+table.Lines())
		}
	}
	table.Scroll(keymap.WheelRows)
	if got, want := shown(table), "▸ d ripe, e ripe, f ripe"; got != want {
		t.Errorf("the wheel shows %s, want %s", got, want)
	}
}

func TestWhatWasCutIsToldWhole(t *testing.T) {
	const said = "0/12 nodes are available: 1 node(s) were unschedulable, 3 Insufficient cpu, 4 node(s) had untolerated taint(s)."
	for _, c := range []struct{ does, Text, want string }{
		{"what is not cut says nothing", "short", ""},
		{"what fits the row is told whole", "cordoned because of the disk that is full", "said: cordoned because of the disk that is full"},
		{"of what does not fit the rest is told, from the next clause", said, "… 3 Insufficient cpu, 4 node(s) had untolerated taint(s)."},
	} {
		table := New(
			func(f fruit) string { return f.name },
			Column[fruit]{Head: "NAME", Text: func(f fruit) Cell { return Cell{Text: f.name} }},
			Column[fruit]{Head: "SAID", Flex: true, Text: func(f fruit) Cell { return Cell{Text: f.state} }},
		)
		table.Resize(62, 5)
		if c.Text != said {
			table.Resize(30, 5)
		}
		table.Reset([]fruit{{"checkout", c.Text}})
		if got := table.CutNote(78); got != c.want {
			t.Errorf("%s: %q, want %q", c.does, got, c.want)
		}
	}
}

func TestARowIsFoundHoweverFarItMoved(t *testing.T) {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("row-%04d", i)
	}
	table := newFruits(3, names...)
	table.Set(fruits(append(slices.Clone(names[5:]), names[:5]...)...))
	if got, want := shown(table), "row-0997 ripe, row-0998 ripe, row-0999 ripe"; got == want || table.SelectedGone() {
		t.Errorf("shows %s", got)
	}
	if row, _ := table.Selected(); row.name != "row-0000" {
		t.Errorf("%s is selected", row.name)
	}
}

func TestOtherColumnsKeepTheOrderAndTheCursor(t *testing.T) {
	table := New(func(s string) string { return s }, Column[string]{Head: "A", Field: "a", Text: func(s string) Cell { return Cell{Text: s} }},
		Column[string]{Head: "B", Field: "b", Text: func(s string) Cell { return Cell{Text: s + s} }})
	table.Resize(40, 5)
	table.Reset([]string{"x", "y", "z"})
	table.Move(1)
	table.Sorted = 1
	b, c := table.Columns[1], Column[string]{Head: "C", Field: "c", Text: table.Columns[0].Text}
	table.SetColumns(c, c, b)
	if row, _ := table.Selected(); row != "y" || table.Sorted != 2 {
		t.Errorf("%s is selected, and column %d sorts", row, table.Sorted)
	}
	table.SetColumns(c)
	if table.Sorted != -1 || len(table.Widths) != 1 {
		t.Errorf("column %d of %d sorts, which is gone", table.Sorted, len(table.Widths))
	}
}

func TestAnArrowSaysWhichWayRowsAreSorted(t *testing.T) {
	theme := themes.Mono()
	for _, test := range []struct {
		does       string
		sorted     int
		descending bool
		change     func(*Table[fruit])
		want       string
	}{
		{"own order", -1, true, nil, "   NAME   STATE   AGE"},
		{"first column", 0, false, nil, "   NAME▲  STATE   AGE"},
		{"from the largest", 1, true, nil, "   NAME   STATE▼  AGE"},
		{"a column without a cell to spare", 2, false, nil, "   NAME   STATE  ▲AGE"},
		{"figures", 2, true, func(t *Table[fruit]) {
			t.Columns[2].Right = true
			t.Widths[2] = 6
		}, "   NAME   STATE     AGE▼"},
		{"no cell for it at all", 2, false, func(t *Table[fruit]) { t.Columns[2].Gap = 1 }, "   NAME   STATE  AGE"},
	} {
		table := newFruits(3, "a")
		table.SetColumns(append(table.Columns, Column[fruit]{Head: "AGE", Field: "age", Text: func(fruit) Cell { return Cell{Text: "4d"} }})...)
		table.Widths[0] = 5
		table.Sorted, table.Descending = test.sorted, test.descending
		if test.change != nil {
			test.change(table)
		}
		if got := strings.TrimRight(ansi.Strip(table.Draw(&theme.Styles)[0]), " "); got != test.want {
			t.Errorf("%s: the head is %q, want %q", test.does, got, test.want)
		}
	}
}

func TestBarsGiveWayBeforeNamesAndColumns(t *testing.T) {
	word := func(text string) func(fruit) Cell { return func(fruit) Cell { return Cell{Text: text} } }
	bar := func(_ fruit, width int) Cell { return Cell{Text: strings.Repeat("#", width)} }
	levels := Column[fruit]{Head: "%", Bar: &Bar[fruit]{Least: 2, Good: 5, Most: 8, Draw: bar}}
	of := func(columns ...Column[fruit]) *Table[fruit] {
		table := New(func(f fruit) string { return f.name }, columns...)
		table.Rows, table.Height = fruits("apple"), 2
		return table
	}
	name := Column[fruit]{Head: "NAME", Names: true, Text: word("a-name-of-18-cells")}
	rest := Column[fruit]{Head: "REST", Flex: true, Min: 6, Text: word("rest-of-10")}
	pods := Column[fruit]{Head: "PODS", Text: word("1/110")}
	kept := Column[fruit]{Head: "KEPT", Keep: 1, Text: word("kept!")}
	pool := Column[fruit]{Head: "POOL", Flex: true, Names: true, Min: 6, Text: word("a-name-of-18-cells")}
	for _, c := range []struct {
		does  string
		table *Table[fruit]
		width int
		want  string
	}{
		{"room for all", of(name, levels, rest, pods), 60, "a-name-of-18-cells ######## rest-of-10 1/110"},
		{"before the rest is cut", of(name, levels, rest, pods), 50, "a-name-of-18-cells ####### rest-of-10 1/110"},
		{"at a good length", of(name, levels, rest, pods), 47, "a-name-of-18-cells ##### rest-of-… 1/110"},
		{"before a column is left out", of(name, levels, rest, pods), 43, "a-name-of-18-cells #### rest-… 1/110"},
		{"a column is left out", of(name, levels, rest, pods), 40, "a-name-of-18-cells ##### rest-of-10"},
		{"before a name is cut", of(name, levels, rest), 33, "a-name-of-18-cells ## rest-…"},
		{"at the name that takes the rest", of(pool, levels, pods), 34, "a-name-of-18-cells ### 1/110"},
		{"where names are cut", of(pool, levels, pods, kept), 28, "a-n…ls ## 1/110 kept!"},
		{"what matters stays", of(pool, levels, pods, kept), 25, "a-nam…ells ## kept!"},
	} {
		c.table.Resize(c.width, 2)
		if got := strings.TrimPrefix(shown(c.table), "▸ "); got != c.want {
			t.Errorf("%s: %q, want %q", c.does, got, c.want)
		}
	}
}

func TestTheArrowOfTheOwnOrderFindsItsPlaceAtTheEnd(t *testing.T) {
	word := func(text string) func(fruit) Cell { return func(fruit) Cell { return Cell{Text: text} } }
	theme := themes.Mono()
	for _, c := range []struct {
		does  string
		last  Column[fruit]
		width int
		want  string
	}{
		{"in the last column", Column[fruit]{Head: "ZONE", Text: word("europe-1")}, 40, "   NAME   ZONE   ▲"},
		{"behind it", Column[fruit]{Head: "ZONE", Text: word("eu-1a")}, 16, "   NAME   ZONE ▲"},
		{"apart from a head that ends there", Column[fruit]{Head: "AGE", Right: true, Text: word("3d")}, 20, "   NAME   AGE ▲"},
		{"where there is no room", Column[fruit]{Head: "ZONE", Text: word("eu-1a")}, 15, "   NAME   ZONE"},
	} {
		table := New(func(f fruit) string { return f.name }, Column[fruit]{Head: "NAME", Text: word("apple")}, c.last)
		table.Own, table.Rows = Rising, fruits("apple")
		table.Resize(c.width, 2)
		if got := strings.TrimRight(ansi.Strip(table.Draw(&theme.Styles)[0]), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.does, got, c.want)
		}
	}
}

// TestRowsThatBeginAlikeKeepTheirEnd in the column of prose; a row that begins like no other keeps its beginning.
func TestRowsThatBeginAlikeKeepTheirEnd(t *testing.T) {
	grid := New(
		func(f fruit) string { return f.name },
		Column[fruit]{Head: "NAME", Field: "name", Text: func(f fruit) Cell { return Cell{Text: f.name} }},
		Column[fruit]{Head: "WHY", Min: 20, Flex: true, Prose: true, Text: func(f fruit) Cell { return Cell{Text: f.state} }},
	)
	grid.Resize(40, 6)
	const begins = "failed calling webhook of the policy of the whole orchard: "
	grid.Reset([]fruit{{"a", begins + "timeout"}, {"b", begins + "no endpoints"}, {"c", "rejected by the policy of the other orchard: rotten"}, {"d", "the orchard is shut for the year : closed"}})
	want := "▸ a failed calling webhook… timeout, b failed calling we… no endpoints, " +
		"c rejected by the policy of the …, d the orchard is shut for the ye…"
	if got := shown(grid); got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	if got, want := grid.CutNote(60), "… timeout"; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	if got, want := grid.CutNote(90), "why: "+begins+"timeout"; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	if got := prose("packer is not running: it is scaled to 0", 23); got != "packer is not running… " {
		t.Errorf("a clause that is whole is cut to %q", got)
	}
}
