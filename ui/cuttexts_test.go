package ui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// counted is a text whose words tell their place in it.
func counted(letter string, words int) string {
	all := make([]string, words)
	for i := range all {
		all[i] = fmt.Sprintf("%s%03d", letter, i+1)
	}
	return strings.Join(all, " ")
}

// countedWords is how many words each of those texts has.
const countedWords = 60

var countedWord = regexp.MustCompile(`\b([kfmqz])(\d{3})\b`)

// requireCutsShown fails where a text of counted words ends before its last word
// and nothing shows that it does.
func requireCutsShown(t *testing.T, app *App, where string) {
	t.Helper()
	rows := strings.Split(screen(app), "\n")
	for i, row := range rows {
		at := countedWord.FindAllStringSubmatchIndex(row, -1)
		if at == nil {
			continue
		}
		last := at[len(at)-1]
		nth, _ := strconv.Atoi(row[last[4]:last[5]])
		next := fmt.Sprintf("%s%03d", row[last[2]:last[3]], nth+1)
		switch {
		case nth == countedWords || strings.Contains(row[last[1]:], "…"):
		case i+1 < len(rows) && strings.Contains(rows[i+1], next):
		default:
			t.Fatalf("%s: row %d ends before %s:\n%s", where, i+1, next, strings.Join(rows, "\n"))
		}
	}
}

// countedReport is a report of long texts.
func countedReport() *report.Report {
	r := checkoutReport()
	for i := range r.Groups {
		for j := range r.Groups[i].Rejections {
			rejection := &r.Groups[i].Rejections[j]
			if rejection.Plugin != figures.FitPlugin || i > 1 {
				rejection.What, rejection.Short, rejection.Wider = counted("k", countedWords), counted("m", countedWords), nil
			}
		}
		r.Groups[i].Words = counted("m", countedWords)
	}
	r.Preemption.Why, r.Preemption.Short = counted("q", countedWords), counted("q", countedWords)
	return r
}

func TestWhyShowsWhereItCutsATextOfANode(t *testing.T) {
	app := whyOf(t, 80, 24, countedReport(), nil)
	for nth := range 5 {
		atEverySize(app, func(size string) { requireCutsShown(t, app, fmt.Sprintf("%s, group %d", size, nth+1)) })
		app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		press(t, app, "j")
	}
}

func TestAGroupsPageShowsWhereItCutsAText(t *testing.T) {
	for nth := range 5 {
		app, _, _ := groupOf(t, 80, 24, nth, countedReport())
		atEverySize(app, func(size string) { requireCutsShown(t, app, fmt.Sprintf("%s, group %d", size, nth+1)) })
	}
}

func TestWhyShowsWhereItCutsFacts(t *testing.T) {
	r := countedReport()
	r.Verdict, r.Facts, r.Groups, r.Preemption = report.Gated, []string{counted("f", countedWords), counted("z", countedWords)}, nil, nil
	app := whyOf(t, 80, 24, r, nil)
	atEverySize(app, func(size string) { requireCutsShown(t, app, size) })
}

// atEverySize makes the terminal of all the sizes that there is a page for.
func atEverySize(app *App, do func(size string)) {
	for _, height := range []int{15, 24, 40} {
		for width := minWidth; width <= 200; width++ {
			app.Update(tea.WindowSizeMsg{Width: width, Height: height})
			do(fmt.Sprintf("%dx%d", width, height))
		}
	}
}

func TestNoRowIsCutInSilence(t *testing.T) {
	for width := 1; width < 30; width++ {
		for _, c := range []struct{ row, want string }{
			{"a node that is cut", "…"},
			{"\x1b[31ma node in colours\x1b[m that is cut", "…"},
			{"x" + cells.Blank(100), ""},
		} {
			got := cells.CutRow(c.row, width)
			if cells.Width(got) > width || strings.Contains(got, "…") != (c.want != "" && cells.Width(c.row) > width) {
				t.Errorf("%q in %d cells: %q", c.row, width, got)
			}
		}
	}
}

func TestLinesThatAreLeftOutAreShownToBe(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{3, "one two|three cart-|four"},
		{4, "one two|three cart-|four"},
		{1, "one two …"},
		{2, "one two|three cart-…"},
		{0, ""},
		{-1, ""},
	} {
		if got := strings.Join(cells.First([]string{"one two", "three cart-", "four"}, c.n, 12), "|"); got != c.want {
			t.Errorf("%d lines: %q, want %q", c.n, got, c.want)
		}
	}
	if got := cells.First([]string{"twelve cells", "more"}, 1, 12)[0]; got != "twelve cell…" {
		t.Errorf("a full line: %q", got)
	}
}
