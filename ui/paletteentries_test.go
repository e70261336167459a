package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
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
		for i := range entries.Len() {
			entry := entries.Entry(i)
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

func TestThePaletteOpensObjectsByName(t *testing.T) {
	const header = 1
	for typed, want := range map[string]string{
		"no std-c-01":                   "prod-eu › all › pods › std-c-01",
		"node std-c-01":                 "prod-eu › all › pods › std-c-01",
		"nodes gpua":                    "prod-eu › all › pods › gpu-a-01",
		"po ledger-0":                   "prod-eu › all › pending › payments/ledger-0",
		"pod payments/ledger-0":         "prod-eu › all › pending › payments/ledger-0",
		"pods index-2":                  "prod-eu › all › pending › search/index-2",
		"payments":                      "prod-eu › payments › pending",
		"pays":                          "prod-eu › payments › pending",
		"map":                           "prod-eu › all › nodes › map of cpu requested",
		"no nothing-is-called-this":     "prod-eu › all › pending",
		"nothing-is-called-this-at-all": "prod-eu › all › pending",
	} {
		t.Run(typed, func(t *testing.T) {
			app := newTestApp(t, 80, 24, newProdEU().snapshot())
			runPalette(t, app, typed)
			requireRow(t, app, header, want)
		})
	}
}

func TestAnExactNameIsTheFirstThatThePaletteFinds(t *testing.T) {
	c := newProdEU()
	for _, name := range []string{"a-b-web", "web-1", "web", "web-0"} {
		c.pods = append(c.pods, pod("team-of-a-long-name", name, "1", "1Gi", time.Hour), pod("ab", "team-of-a-"+name, "1", "1Gi", time.Hour))
	}
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, ":")
	write(t, app, "po web")
	if got := screen(app); !strings.Contains(got, "▸  po team-of-a-long-name/web ") {
		t.Errorf("the pod web is not selected:\n%s", got)
	}
}

func TestThePaletteCompletesANode(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, ":")
	write(t, app, "no std-c-02")
	press(t, app, "backspace", "backspace", "tab")
	requireRow(t, app, 23, ":no std-c-01▏")
}

func TestThePaletteKeepsAPodWhoseRowMoved(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, ":")
	write(t, app, "po payments/ledger-0")
	c.pods = append([]*corev1.Pod{pod("aaa", "first", "1", "1Gi", time.Hour)}, c.pods...)
	app.Update(snapshotMsg{snapshot: c.at(2, liveStatus())})
	press(t, app, "enter")
	requireRow(t, app, 1, "prod-eu › all › pending › payments/ledger-0")
}

func TestThePaletteSaysWhyNoPodIsFound(t *testing.T) {
	for name, test := range map[string]struct {
		typed  string
		status func(*model.Status)
		want   string
	}{
		"pods that may not be listed": {"po x/y/z", func(s *model.Status) {
			s.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}
		}, "no match: not allowed to list pods"},
		"nodes that may not be listed": {"no x/y/z", func(s *model.Status) {
			s.Unread = []model.Unread{{Resource: "nodes", Why: "not allowed to list nodes"}}
		}, "no match: not allowed to list nodes"},
		"all is known": {"no x/y/z", func(*model.Status) {}, "   no match  "},
	} {
		t.Run(name, func(t *testing.T) {
			status := liveStatus()
			test.status(&status)
			app := newTestApp(t, 80, 24, newProdEU().at(1, status))
			press(t, app, ":")
			write(t, app, test.typed)
			if got := screen(app); !strings.Contains(got, test.want) {
				t.Errorf("%q is not on\n%s", test.want, got)
			}
		})
	}
}

func TestThePaletteFindsOneOf50000Pods(t *testing.T) {
	s := crowd()
	for typed, want := range map[string]string{
		"po SERVICE-1-6c9d8b7f4-00012": "▸  po team-01/service-1-6c9d8b7f4-00012 ",
		"po service-1-6c9d8b7f4-00012": "▸  po team-01/service-1-6c9d8b7f4-00012 ",
		"po t01sv00012":                "▸  po team-01/service-1-6c9d8b7f4-00012 ",
		"no 0-19-249":                  "▸  no ip-10-0-19-249.eu-west-1.compute.internal ",
	} {
		app := newTestApp(t, 80, 24, s)
		press(t, app, ":")
		write(t, app, typed)
		if got := screen(app); !strings.Contains(got, want) {
			t.Errorf("%q is not on\n%s", want, got)
		}
	}
}
