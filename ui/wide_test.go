package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

func TestWideRowsLeaveThePreviewBesideThemAsItIs(t *testing.T) {
	for _, width := range []int{160, 200} {
		for key, name := range map[string]string{"1": "Pending", "3": "Nodes", "4": "Pools", "5": "Taints"} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				app := nodesOf(t, width, 48, (*prodEU).mixed, nil)
				press(t, app, key, "j")
				before := besideTable(t, app)
				press(t, app, "w")
				for range 4 {
					if after := besideTable(t, app); after != before {
						t.Fatalf("the preview is\n%s\nwant\n%s", after, before)
					}
					press(t, app, "right")
				}
			})
		}
	}
}

// besideTable is what stands beside the table of a list, from its head to its last row.
func besideTable(t *testing.T, app *App) string {
	t.Helper()
	rows := strings.Split(screen(app), "\n")
	at := strings.Index(rows[first], " │ ")
	if at < 0 {
		t.Fatalf("there is no preview beside the table:\n%s", screen(app))
	}
	at = cells.Width(rows[first][:at])
	var beside []string
	for _, row := range rows[first : len(rows)-2] {
		beside = append(beside, ansi.TruncateLeft(row, at, ""))
	}
	return strings.Join(beside, "\n")
}

func TestAPreviewBesideAListTakesNoColumnsFromIt(t *testing.T) {
	for key, name := range map[string]string{"1": "Pending", "3": "Nodes", "4": "Pools"} {
		t.Run(name, func(t *testing.T) {
			heads := func(width int) []string {
				app := nodesOf(t, width, 48, (*prodEU).mixed, nil)
				press(t, app, key)
				row, _, _ := strings.Cut(strings.Split(screen(app), "\n")[first-1], "│")
				return strings.Fields(strings.Trim(strings.TrimSpace(row), "▲▼"))
			}
			fewer := heads(120)
			for _, width := range []int{160, 180, 200, 240} {
				for _, head := range fewer {
					if more := heads(width); !slices.Contains(more, head) {
						t.Errorf("at %d cells there is no %s among %v", width, head, more)
					}
				}
			}
		})
	}
}

func TestNodesShowTheCapacityTypeBesideThePreview(t *testing.T) {
	app := nodesOf(t, 160, 48, (*prodEU).mixed, nil)
	press(t, app, "3")
	if text := screen(app); !strings.Contains(text, "CAPACITY") || !strings.Contains(text, "on-demand") {
		t.Errorf("it lacks the column:\n%s", text)
	}
	requireScreen(t, app)
}

func TestPendingWritesAPriorityOfTenDigitsInMillions(t *testing.T) {
	c := newProdEU()
	for _, p := range c.pods {
		if p.Name == "index-2" {
			p.Spec.Priority = new(int32(2_000_001_000))
		}
	}
	s := c.snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	if row := screenRow(app, firstPending); !strings.Contains(row, "search/index-2 ") || !strings.Contains(row, " 2000M ") {
		t.Errorf("the row is %q", row)
	}
	press(t, app, "w")
	if row := screenRow(app, firstPending); !strings.Contains(row, " 2000001000 ") {
		t.Errorf("with all columns the row is %q", row)
	}
}
