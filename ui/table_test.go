package ui

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

func newFruits(lines int, names ...string) *table[fruit] {
	t := newTable(
		func(f fruit) string { return f.name },
		column[fruit]{head: "NAME", field: "name", text: func(f fruit) cell { return cell{text: f.name} }},
		column[fruit]{head: "STATE", field: "state", min: 6, state: true, text: func(f fruit) cell { return cell{text: f.state} }},
	)
	t.resize(40, lines+1)
	t.reset(fruits(names...))
	return t
}

// shown are the rows that are drawn, without the head and the blanks behind.
func shown(t *table[fruit]) string {
	theme := themes.Mono()
	var rows []string
	for _, line := range t.draw(&theme.Styles)[1:] {
		rows = append(rows, strings.Join(strings.Fields(ansi.Strip(line)), " "))
	}
	return strings.Join(rows, ", ")
}

func TestTheSelectedRowKeepsItsLineWhileOthersComeAndGo(t *testing.T) {
	table := newFruits(3, "a", "b", "c", "d", "e", "f")
	table.move(3) // d on the last line
	table.set(fruits("0", "1", "a", "b", "c", "d", "e", "f"))
	if got, want := shown(table), "b ripe, c ripe, ▸ d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	table.set(fruits("d", "e", "f", "g"))
	if got, want := shown(table), "b gone, c gone, ▸ d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
}

func TestAVanishedRowStaysAsGoneUntilTheNextKey(t *testing.T) {
	table := newFruits(4, "a", "b", "c", "d")
	table.move(1)
	table.mark(table.rows[1])
	table.set(fruits("a", "c", "d"))
	if got, want := shown(table), "a ripe, ▸* b gone, c ripe, d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	if !table.selectedGone() {
		t.Error("the selected row is not told to be gone")
	}
	table.set(fruits("a", "d")) // c goes too, b is still there
	if got, want := shown(table), "a ripe, ▸* b gone, c gone, d ripe"; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	table.settle()
	if got, want := shown(table), "a ripe, ▸ d ripe"; got != want {
		t.Errorf("after a key it shows %s, want %s", got, want)
	}
	if len(table.marked()) > 0 {
		t.Error("a row that is gone is still marked")
	}
}

func TestARowThatComesBackIsNotGone(t *testing.T) {
	table := newFruits(3, "a", "b", "c")
	table.set(fruits("a", "c"))
	table.set(fruits("a", "b", "c"))
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
	table := newTable(func(f fruit) string { return f.name }, column[fruit]{head: "NAME", text: func(f fruit) cell {
		asked[f.name] = true
		return cell{text: f.name}
	}})
	table.resize(40, 11)
	table.reset(rows)
	table.act(keymap.Bottom)
	theme := themes.Mono()
	table.draw(&theme.Styles)
	if len(asked) > 20 {
		t.Errorf("asked %d rows for what 20 lines show", len(asked))
	}
}

func TestColumnsOnlyGrow(t *testing.T) {
	table := newFruits(2, "fig", "apricot", "kiwi", "plum")
	before := table.widths[0]
	table.act(keymap.Bottom)
	if table.widths[0] != before {
		t.Errorf("the column went from %d to %d cells", before, table.widths[0])
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
			table.act(act)
		}
		var names []string
		for _, f := range table.marked() {
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
		table.act(act)
		if table.chosen < table.top || table.chosen >= table.top+table.lines() {
			t.Fatalf("row %d is chosen, %d to %d are in view", table.chosen, table.top, table.top+table.lines())
		}
	}
	table.scroll(wheelRows)
	if got, want := shown(table), "▸ d ripe, e ripe, f ripe"; got != want {
		t.Errorf("the wheel shows %s, want %s", got, want)
	}
}

func TestEachColumnHasALetterOfItsOwn(t *testing.T) {
	p := newPods(New(Options{Context: "prod-eu"}))
	var letters []string
	for i, c := range p.table.columns {
		if c.field == "" {
			continue
		}
		at := p.table.letter(i)
		if at < 0 {
			t.Errorf("%s cannot be sorted by", c.head)
			continue
		}
		letter := strings.ToLower(c.head[at : at+1])
		if slices.Contains(letters, letter) {
			t.Errorf("%s is the letter of two columns", letter)
		}
		if got := p.table.byLetter(letter); got != i {
			t.Errorf("%s sorts by column %d, want %d", letter, got, i)
		}
		letters = append(letters, letter)
	}
}

func TestWhatWasCutIsToldWhole(t *testing.T) {
	const said = "0/12 nodes are available: 1 node(s) were unschedulable, 3 Insufficient cpu, 4 node(s) had untolerated taint(s)."
	for _, c := range []struct{ does, Text, want string }{
		{"what is not cut says nothing", "short", ""},
		{"what fits the row is told whole", "cordoned because of the disk that is full", "said: cordoned because of the disk that is full"},
		{"of what does not fit the rest is told, from the next clause", said, "… 3 Insufficient cpu, 4 node(s) had untolerated taint(s)."},
	} {
		table := newTable(
			func(f fruit) string { return f.name },
			column[fruit]{head: "NAME", text: func(f fruit) cell { return cell{text: f.name} }},
			column[fruit]{head: "SAID", flex: true, text: func(f fruit) cell { return cell{text: f.state} }},
		)
		table.resize(62, 5)
		if c.Text != said {
			table.resize(30, 5)
		}
		table.reset([]fruit{{"checkout", c.Text}})
		if got := table.cutNote(78); got != c.want {
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
	table.set(fruits(append(slices.Clone(names[5:]), names[:5]...)...))
	if got, want := shown(table), "row-0997 ripe, row-0998 ripe, row-0999 ripe"; got == want || table.selectedGone() {
		t.Errorf("shows %s", got)
	}
	if row, _ := table.selected(); row.name != "row-0000" {
		t.Errorf("%s is selected", row.name)
	}
}
