package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestHiddenRowsAreCounted scrolls Nodes: the rule of the preview says which rows are
// in view, without a preview the message row does.
func TestHiddenRowsAreCounted(t *testing.T) {
	app := newTestAppWith(t, 80, 24, newFleet(60).at(1, liveStatus()), &fakeCluster{}, nil)
	press(t, app, "3")
	list := app.pages.nodes.Table
	for _, step := range []struct {
		keys []string
		row  int // that has the count
		size tea.WindowSizeMsg
	}{
		{nil, 17, tea.WindowSizeMsg{Width: 80, Height: 24}},
		{[]string{"pgdown"}, 17, tea.WindowSizeMsg{Width: 80, Height: 24}},
		{[]string{"g"}, 25, tea.WindowSizeMsg{Width: 120, Height: 40}},
		{[]string{"v"}, 39, tea.WindowSizeMsg{Width: 120, Height: 40}},
		{[]string{"j", "j", "pgdown"}, 23, tea.WindowSizeMsg{Width: 80, Height: 24}},
		{[]string{"v"}, 59, tea.WindowSizeMsg{Width: 200, Height: 60}},
	} {
		send(t, app, step.size)
		press(t, app, step.keys...)
		last := list.Top + len(list.InView())
		want := fmt.Sprintf("%d of 60 ↓", last)
		if list.Top > 0 {
			want = fmt.Sprintf("%d–%d of 60 ↑↓", list.Top+1, last)
		}
		if got := row(app, step.row); !strings.HasSuffix(got, want) {
			t.Errorf("after %v row %d is %q, want %q at its end:\n%s", step.keys, step.row, got, want, screen(app))
		}
		if n := strings.Count(screen(app), " of 60 "); n != 1 {
			t.Errorf("after %v the rows are counted %d times", step.keys, n)
		}
		press(t, app, "G")
		if want := fmt.Sprintf("%d–60 of 60 ↑\n", list.Top+1); list.Top > 0 != strings.Contains(screen(app)+"\n", want) {
			t.Errorf("at the end want %q where rows are hidden above:\n%s", want, screen(app))
		}
		press(t, app, "g")
	}
}

func TestALongRuleIsCutBeforeTheCount(t *testing.T) {
	f := newFleet(60)
	for _, n := range f.nodes {
		n.Labels["eks.amazonaws.com/nodegroup"] = strings.Repeat("a-long-name-", 6)
	}
	app := newTestAppWith(t, 80, 24, f.at(1, liveStatus()), &fakeCluster{}, nil)
	press(t, app, "3")
	requireFrame(t, app, "3")
	if got := row(app, 17); !strings.HasSuffix(got, "… 12 of 60 ↓") {
		t.Errorf("the rule is %q", got)
	}
}
