package ui

import (
	"strings"
	"testing"
)

func TestTheHelpIsNamedAfterItsPage(t *testing.T) {
	ofWhy := func(keys ...string) func(t *testing.T) *App {
		return func(t *testing.T) *App {
			app := whyOf(t, 80, 24, checkoutReport(), checkoutEvents())
			press(t, app, keys...)
			return app
		}
	}
	for _, test := range []struct {
		name        string
		open        func(t *testing.T) *App
		title, keys string
	}{
		{"a list", func(t *testing.T) *App { return newTestApp(t, 80, 24, newProdEU().snapshot()) }, "Keys in Pending ─", "/ s S   filter, sort"},
		{"Why", ofWhy(), "Keys in Why ─", "/ s S   filter, sort"},
		{"the keys of a node in Why", ofWhy(), "Keys in Why ─", "r t l   drain, taint, "},
		{"the map of a Why", ofWhy("m"), "Keys in the node map ─", "r t     drain, taint, "},
		{"the node map", func(t *testing.T) *App {
			app := newTestApp(t, 80, 24, newProdEU().snapshot())
			press(t, app, "3", "m")
			return app
		}, "Keys in the node map ─", "r t     drain, taint, "},
		{"the message", ofWhy("W"), "Keys in message ─", "/       find  "},
		{"YAML", ofWhy("y"), "Keys in YAML ─", "/       find  "},
		{"fixes", func(t *testing.T) *App {
			app, _, _ := fixesOn(t, 80, 24, checkoutFixes(), nil)
			return app
		}, "Keys in fixes ─", "/ s S   filter, sort"},
		{"why not here", func(t *testing.T) *App {
			app, _, _ := nodeFitOn(t, 80, 24, nil)
			return app
		}, "Keys in why not here ─", "/ s S   filter, sort"},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := test.open(t)
			press(t, app, "?")
			got := screen(app)
			if !strings.Contains(got, test.title) || !strings.Contains(got, test.keys) {
				t.Errorf("%q or %q is not on\n%s", test.title, test.keys, got)
			}
			if strings.Contains(test.keys, "find") && strings.Contains(got, "filter") {
				t.Errorf("a text is filtered on\n%s", got)
			}
		})
	}
}

// TestTheHelpSaysWhichKeyIsWhichView without being scrolled.
func TestTheHelpSaysWhichKeyIsWhichView(t *testing.T) {
	for _, key := range []string{"1", "2", "3", "4", "8"} {
		app := newTestApp(t, 80, 24, newProdEU().snapshot())
		press(t, app, key, "?")
		for _, want := range []string{"1 Pending   2 Pods", "5 Taints    6 Priorities", "9 Budgets", "! warning"} {
			requireContains(t, app, want)
		}
	}
}
