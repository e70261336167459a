package ui

import (
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
