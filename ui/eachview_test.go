package ui

import (
	"strings"
	"testing"
)

// eachView opens each view, and the pages of a pending pod.
func eachView(t *testing.T) map[string]func(*App) {
	t.Helper()
	keyed := func(keys ...string) func(*App) { return func(app *App) { press(t, app, keys...) } }
	called := func(name string) func(*App) { return func(app *App) { runPalette(t, app, name) } }
	return map[string]func(*App){
		"Pending": keyed("1"), "Pods": keyed("2"), "Nodes": keyed("3"), "Map": keyed("3", "m"), "Node": keyed("3", "enter"),
		"Pools": keyed("4"), "Taints": keyed("5"), "Priorities": keyed("6"), "Evictions": keyed("3", "7"), "Cgroups": keyed("3", "7", "enter"),
		"Quotas": keyed("8"), "Budgets": keyed("9"), "Volumes": called("volumes"), "Devices": called("devices"), "Resizes": called("resizes"),
		"Schedulers": called("schedulers"), "Why": keyed("1", "j", "j", "j", "j", "enter"), "Map of reasons": keyed("1", "j", "j", "j", "j", "enter", "m"),
		"Preemption": keyed("1", "j", "j", "j", "j", "p"), "Help": keyed("?"),
	}
}

// TestEachViewIsTheSameInEveryTheme in words and symbols, so that its golden screen is that of all
// themes; their colors are told apart in TestEachViewIsDrawnInEachTheme.
func TestEachViewIsTheSameInEveryTheme(t *testing.T) {
	for name, open := range eachView(t) {
		for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
			drawn := func(theme string) (text, styled string) {
				s := newProdEU().snapshot()
				app := newTestAppWith(t, size.width, size.height, s, withBudgets(s), func(o *Options) { o.Theme = theme })
				open(app)
				return screen(app), app.View().Content
			}
			dark, colored := drawn("dark")
			for _, theme := range []string{"light", "color-blind", "mono"} {
				text, styled := drawn(theme)
				if text != dark {
					t.Errorf("%s at %d columns in %s: got\n%s\nwant\n%s", name, size.width, theme, text, dark)
				}
				if styled == colored && theme != "color-blind" { // it has others for good and bad alone
					t.Errorf("%s at %d columns: %s has the colors of dark", name, size.width, theme)
				}
			}
		}
	}
}

// TestEachViewHasASCIITwins for all its symbols, in the same places.
func TestEachViewHasASCIITwins(t *testing.T) {
	for name, open := range eachView(t) {
		for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withBudgets(s), func(o *Options) { o.ASCII = true })
			open(app)
			text := screen(app)
			if at := strings.IndexFunc(text, func(r rune) bool { return r > 126 }); at >= 0 {
				t.Errorf("%s at %d columns: %q is not ASCII in\n%s", name, size.width, []rune(text[at:])[0], text)
			}
		}
	}
}
