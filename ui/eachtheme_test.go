package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// themeNames are the built-in themes that have colors or attributes of their own.
var themeNames = []string{"dark", "light", "color-blind", "mono"}

// styledCell is a character and the attributes that it is drawn with.
type styledCell struct {
	char  rune
	style string // as SGR parameters; "" is none
}

var sgr = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)

// styledCells are the rows of a frame.
func styledCells(t *testing.T, content string) [][]styledCell {
	t.Helper()
	var rows [][]styledCell
	style := ""
	for line := range strings.SplitSeq(content, "\n") {
		var row []styledCell
		for line != "" {
			if found := sgr.FindStringSubmatch(line); found != nil {
				if found[1] == "" || found[1] == "0" {
					style = ""
				} else {
					style = strings.TrimPrefix(style+";"+found[1], ";")
				}
				line = line[len(found[0]):]
				continue
			}
			char := []rune(line)[0]
			if char == '\x1b' {
				t.Fatalf("%q is no attribute", line)
			}
			row = append(row, styledCell{char, style})
			line = line[len(string(char)):]
		}
		rows = append(rows, row)
	}
	return rows
}

// filledViews are the views at 80×24 and at 120×40, each of what it is for.
func filledViews(t *testing.T) map[string]func() *App {
	t.Helper()
	all := map[string]func() *App{}
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		for name, open := range filledViewsAt(t, size.width, size.height) {
			all[fmt.Sprintf("%s-%dx%d", name, size.width, size.height)] = open
		}
	}
	return all
}

func filledViewsAt(t *testing.T, width, height int) map[string]func() *App {
	t.Helper()
	on := func(s *model.Snapshot, c *fakeCluster, keys ...string) func() *App {
		return func() *App {
			app := newTestAppWith(t, width, height, s, c, nil)
			press(t, app, keys...)
			return app
		}
	}
	called := func(s *model.Snapshot, c *fakeCluster, name string) func() *App {
		return func() *App {
			app := newTestAppWith(t, width, height, s, c, nil)
			runPalette(t, app, name)
			return app
		}
	}
	s := newProdEU().snapshot()
	plain := &fakeCluster{reports: verdictsOf(s)}
	qos, resized := measured(mixedQoS()), resizing()
	return map[string]func() *App{
		"nodes": on(s, plain, "3"), "pods": on(s, plain, "2"), "map": on(s, plain, "3", "m"), "pools": on(s, plain, "4"),
		"node":       func() *App { return nodeApp(t, width, height, "std-b-02", nil) },
		"taints":     func() *App { return taintsPage(t, width, height, withTolerations(newProdEU().snapshot())) },
		"priorities": on(s, withPriorities(s), "6", "j"), "queue": on(s, withPriorities(s), "6", "j", "j", "enter"),
		"evictions": on(qos, &fakeCluster{reports: verdictsOf(qos)}, "3", "j", "j", "j", "j", "j", "j", "j", "j", "j", "7"),
		"quotas":    on(s, withQuotas(s), "8"), "budgets": on(s, withBudgets(s), "9"),
		"volumes": called(s, withVolumes(s), "volumes"), "devices": called(s, withDevices(s), "devices"),
		"resizes":    called(resized, &fakeCluster{reports: verdictsOf(resized)}, "resizes"),
		"schedulers": called(s, withSchedulers(s), "schedulers"),
		"why":        func() *App { return whyOf(t, width, height, checkoutReport(), checkoutEvents()) },
		"preemption": func() *App { app, _, _ := preemptionOn(t, width, height, ledgerPlan()); return app },
	}
}

// themed is a view in a theme.
func themed(t *testing.T, open func() *App, theme string) [][]styledCell {
	t.Helper()
	app := open()
	app.Theme = theme
	app.dress()
	return styledCells(t, app.View().Content)
}

// TestEachViewIsDrawnInEachTheme with a golden screen each: below each row stand the letters of how
// its characters are drawn, and below the screen what each letter is in each theme.
func TestEachViewIsDrawnInEachTheme(t *testing.T) {
	for name, open := range filledViews(t) {
		t.Run(name, func(t *testing.T) {
			var frames [][][]styledCell
			for _, theme := range themeNames {
				frames = append(frames, themed(t, open, theme))
			}
			requireText(t, drawnInThemes(frames))
		})
	}
}

// TestEachFilledViewHasASCIITwins of all that it draws.
func TestEachFilledViewHasASCIITwins(t *testing.T) {
	for name, open := range filledViews(t) {
		app := open()
		app.ASCII = true
		text := screen(app)
		if at := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }); at >= 0 {
			t.Errorf("%s: %q is not ASCII in\n%s", name, []rune(text[at:])[0], text)
		}
	}
}

// drawnInThemes is one frame in all themes, which differ in styles alone.
func drawnInThemes(frames [][][]styledCell) string {
	const letters = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	legend := []string{strings.Repeat("|", len(frames)-1)} // "." is drawn with no attribute in any
	var b strings.Builder
	for y, row := range frames[0] {
		var text, marks strings.Builder
		for x, cell := range row {
			var styles []string
			for _, frame := range frames {
				styles = append(styles, frame[y][x].style)
			}
			key := strings.Join(styles, "|")
			at := slices.Index(legend, key)
			if at < 0 {
				at = len(legend)
				legend = append(legend, key)
			}
			text.WriteRune(cell.char)
			marks.WriteByte(letters[at])
		}
		fmt.Fprintf(&b, "%s\n%s\n", strings.TrimRight(text.String(), " "), marks.String())
	}
	for i, key := range legend {
		fmt.Fprintf(&b, "\n%c", letters[i])
		for n, style := range strings.Split(key, "|") {
			fmt.Fprintf(&b, "  %s %s", themeNames[n], style)
		}
	}
	return b.String()
}

// levelMarks lead a figure of a level that is not fine; heights are the levels of the node map.
const levelMarks, heights = "!▴✗~", "▁▂▃▄▅▆▇█"

// TestNoColorAloneCarriesALevel in any view: what has the color of a warning or of trouble has a
// letter, a figure, a mark or a height too, and an attribute in mono, where there are no colors.
func TestNoColorAloneCarriesALevel(t *testing.T) {
	theme, _ := themes.For("dark", true)
	says := func(c styledCell) bool {
		return unicode.IsLetter(c.char) || unicode.IsDigit(c.char) || strings.ContainsRune(levelMarks+heights, c.char)
	}
	found := 0
	for name, open := range filledViews(t) {
		mono := themed(t, open, "mono")
		for y, row := range themed(t, open, "dark") {
			for _, alarm := range []lipgloss.Style{theme.Styles.Warn, theme.Styles.Bad} {
				color := styledCells(t, alarm.Render("x"))[0][0].style
				for _, at := range runsOf(row, color) {
					run := row[at[0]:at[1]]
					if strings.TrimSpace(charsOf(run)) == "" {
						continue
					}
					if found++; !slices.ContainsFunc(run, says) || mono[y][at[0]].style == "" {
						t.Errorf("%s: nothing but its color says what %q is in\n%s", name, charsOf(run), charsOf(row))
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no view has a warning")
	}
}

// runsOf are the parts of a row that are drawn in a color, from and to.
func runsOf(row []styledCell, style string) (runs [][2]int) {
	for from := 0; from < len(row); from++ {
		to := from
		for to < len(row) && row[to].style == style {
			to++
		}
		if to > from {
			runs = append(runs, [2]int{from, to})
			from = to
		}
	}
	return runs
}

func charsOf(row []styledCell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteRune(c.char)
	}
	return b.String()
}
