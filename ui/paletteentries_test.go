package ui

import (
	"fmt"
	"strings"
	"testing"
)

func TestThePaletteSaysMarkedOnlyOfWhatIsMarked(t *testing.T) {
	for _, test := range []struct {
		name  string
		keys  []string
		wants string
	}{
		{"a row of three pods", []string{"j", "j", "j", "j"}, "the 3 pods of the selected row"},
		{"the row marked", []string{"j", "j", "j", "j", "space"}, "the 3 marked pods"},
		{"a row of one pod", nil, "the selected pod"},
		{"two nodes", []string{"3", "space", "space"}, "the 2 marked nodes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := newTestApp(t, 120, 40, newProdEU().snapshot())
			press(t, app, append(test.keys, ":")...)
			write(t, app, "label")
			if got := screen(app); !strings.Contains(got, "label "+test.wants) {
				t.Errorf("%q is not on\n%s", "label "+test.wants, got)
			}
		})
	}
}

func TestThePaletteOffersEachEntryOnce(t *testing.T) {
	for _, keys := range [][]string{nil, {"3"}, {"3", "space", "space"}} {
		app := newTestApp(t, 120, 40, newProdEU().snapshot())
		press(t, app, keys...)
		entries, _ := app.commands.Entries("")
		seen := map[string]bool{}
		for _, entry := range entries {
			if seen[entry.Name] {
				t.Errorf("after %q it offers %q twice", keys, entry.Name)
			}
			seen[entry.Name] = true
		}
	}
}

func TestThePaletteTellsNodesOfLongNamesApart(t *testing.T) {
	app := nodesOf(t, 80, 24, func(c *prodEU) {
		for i, n := range c.nodes {
			n.Name = fmt.Sprintf("ip-10-0-%d-7.eu-central-1.compute.internal", 100+i)
		}
	}, nil)
	press(t, app, "1", "7")
	got := screen(app)
	for _, want := range []string{"evictions ip-10-0-100-7.eu-central-1.compute.internal", "evictions ip-10-0-101-7.eu-central-1.compute.internal"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on\n%s", want, got)
		}
	}
}
