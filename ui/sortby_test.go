package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

func TestEachColumnHasALetterOfItsOwn(t *testing.T) {
	p := pods.New(&New(Options{Context: "prod-eu"}).host)
	var letters []string
	for i, c := range p.Table.Columns {
		if c.Field == "" {
			continue
		}
		at := p.Table.Columns.Letter(i)
		if at < 0 {
			t.Errorf("%s cannot be sorted by", c.Head)
			continue
		}
		letter := strings.ToLower(c.Head[at : at+1])
		if slices.Contains(letters, letter) {
			t.Errorf("%s is the letter of two columns", letter)
		}
		if got := p.Table.Columns.ByLetter(letter); got != i {
			t.Errorf("%s sorts by column %d, want %d", letter, got, i)
		}
		letters = append(letters, letter)
	}
}

// TestTheArrowIsTheOrderOfTheRows sorts Nodes by each column, both ways.
func TestTheArrowIsTheOrderOfTheRows(t *testing.T) {
	for _, c := range []struct {
		keys        []string
		first, head string
	}{
		{nil, "gpu-a-01", "TAINTS        ▲"}, // their own order, at the end
		{[]string{"S"}, "std-c-02", "TAINTS        ▼"},
		{[]string{"s", "n"}, "gpu-a-01", "NAME▲"},
		{[]string{"s", "n", "S"}, "std-c-02", "NAME▼"},
		{[]string{"s", "c"}, "std-b-01", "CPU▼"},
		{[]string{"s", "c", "S"}, "gpu-b-01", "CPU▲"},
		{[]string{"s", "c", "s", "c"}, "gpu-b-01", "CPU▲"},
	} {
		app := nodesOf(t, 80, 24, func(*prodEU) {}, nil)
		press(t, app, c.keys...)
		if got := app.pages.nodes.Table.Rows[0].Name; got != c.first {
			t.Errorf("%v: the first is %s, want %s", c.keys, got, c.first)
		}
		if heads := screenRow(app, first); !strings.Contains(heads, c.head) || strings.Count(heads, "▲")+strings.Count(heads, "▼") != 1 {
			t.Errorf("%v: the heads are %q", c.keys, heads)
		}
	}
}

// TestASortOutlivesOtherColumns sorts Pending, whose columns are others in one namespace.
func TestASortOutlivesOtherColumns(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "s", "a")
	for _, keys := range [][]string{nil, {"n", "p", "a", "y", "enter"}, {"0"}} {
		press(t, app, keys...)
		if head := screenRow(app, firstPending-1); !strings.Contains(head, "▲AGE") {
			t.Errorf("after %v the head is %q", keys, head)
		}
	}
}
