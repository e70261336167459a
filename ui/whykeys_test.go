package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// whyKeys are keys that a page about a pod may be given.
var whyKeys = []string{
	"j", "k", "g", "G", "tab", "shift+tab", "ctrl+d", "ctrl+u", "ctrl+f", "ctrl+b", "enter", "esc", "f", "W", "!", "d", "y",
	"C", "x", "left", "right", "/", "n", "ctrl+n", "ctrl+p", "-", "[", "]", "?", "a", "z", "ctrl+l", "w", "space", "home", "end",
}

func TestRandomKeysNeverBreakTheFrame(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		report := checkoutReport()
		if verdict := whyVerdicts[random.IntN(len(whyVerdicts))]; seed > 0 {
			verdict.make(report)
		}
		app := whyOf(t, 80, 24, report, checkoutEvents())
		var typed []string
		for range 150 {
			if random.IntN(12) == 0 {
				size := tea.WindowSizeMsg{Width: 1 + random.IntN(200), Height: 1 + random.IntN(60)}
				send(t, app, size)
				typed = append(typed, fmt.Sprintf("%dx%d", size.Width, size.Height))
			}
			key := whyKeys[random.IntN(len(whyKeys))]
			typed = append(typed, key)
			press(t, app, key)
			requireFrame(t, app, strings.Join(typed, " "))
		}
	}
}

// requireFrame checks that the screen has the terminal's rows, none of them wider.
func requireFrame(t *testing.T, app *App, after string) {
	t.Helper()
	rows := strings.Split(app.View().Content, "\n")
	if len(rows) != app.height {
		t.Fatalf("%d rows on a terminal of %d after %s", len(rows), app.height, after)
	}
	for i, row := range rows {
		if wide := ansi.StringWidth(row); wide > app.width {
			t.Fatalf("row %d has %d cells on a terminal of %d after %s", i+1, wide, app.width, after)
		}
	}
}

func TestWhatAClusterSaysNeverReachesTheTerminalRaw(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J名前\u202eevil\nline\ttab"
	r := checkoutReport()
	r.Summary, r.Facts = evil, []string{evil}
	r.SchedulerMessage, r.Observed.Message = evil, evil+" too"
	r.Pod.QOSClass, r.Pod.Owner.Name = evil, evil
	r.Preemption.Why = evil
	r.Scheduler = report.SchedulerInfo{Library: evil, Cluster: evil, Profile: evil, Caveats: []string{evil}}
	r.Unknown = []report.UnknownPart{{Resource: evil, Why: evil, Plugins: []string{evil}}}
	for i := range r.Groups {
		r.Groups[i].Words = evil
		r.Groups[i].Nodes[0] = evil
		for j := range r.Groups[i].Rejections {
			rejection := &r.Groups[i].Rejections[j]
			rejection.What, rejection.Short, rejection.Wider = evil, evil, []string{evil + evil}
		}
	}
	events := checkoutEvents()
	for i := range events {
		events[i].Message = evil
	}
	events[0].Reason, events[0].Source = evil, evil
	for _, verdict := range []report.Verdict{report.Unschedulable, report.Unknown, report.Gated} {
		r.Verdict = verdict
		for _, width := range []int{80, 120} {
			app := whyOf(t, width, 40, r, events)
			for _, key := range []string{"j", "tab", "tab", "W", "esc", "!", "esc", "enter"} {
				press(t, app, key)
				requireFrame(t, app, key)
				requireHarmless(t, app)
			}
		}
	}
}

// requireHarmless checks that nothing but colours is left for the terminal to obey.
func requireHarmless(t *testing.T, app *App) {
	t.Helper()
	plain := screen(app)
	for _, raw := range []string{"\x1b", "\x07", "\t", "\u202e", "owned", "[2J"} {
		if strings.Contains(plain, raw) {
			t.Errorf("the screen has %q in it:\n%q", raw, plain)
		}
	}
}

func TestOnlyPluginsThatRefuseGetAColumn(t *testing.T) {
	for _, test := range []struct {
		name    string
		had     []string
		plugins []report.PluginResult
		want    string
	}{
		{"in the scheduler's order", nil, []report.PluginResult{{Name: "NodeResourcesFit", Rejects: 1}, {Name: "TaintToleration", Rejects: 2}, {Name: "NodePorts"}}, "taint fit"},
		{"and kept while the view is open", []string{"NodePorts"}, []report.PluginResult{{Name: "NodeName", Rejects: 1}}, "name ports"},
		{"unknown ones last, by their name", nil, []report.PluginResult{{Name: "MyOwnPlugin", Rejects: 1}, {Name: "InterPodAffinity", Rejects: 1}}, "pod-aff myownplu"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var heads []string
			r := &report.Report{}
			for _, plugin := range test.plugins {
				if plugin.Rejects > 0 {
					r.Groups = append(r.Groups, report.Group{Rejections: []report.Rejection{{Plugin: plugin.Name}}})
				}
			}
			for _, plugin := range r.GroupTable(test.had).Columns {
				heads = append(heads, pluginnames.Head(plugin))
			}
			if got := strings.Join(heads, " "); got != test.want {
				t.Errorf("columns are %q, not %q", got, test.want)
			}
		})
	}
}

func TestColumnsWithoutRoomAreToldTogether(t *testing.T) {
	r := checkoutReport()
	r.Groups = r.Groups[:1]
	for _, plugin := range pluginnames.Headed() {
		r.Plugins = append(r.Plugins, report.PluginResult{Name: plugin, Rejects: 1})
		r.Groups[0].Rejections = append(r.Groups[0].Rejections, report.Rejection{Plugin: plugin, Short: "no"})
	}
	app := whyOf(t, 80, 24, r, nil)
	requireRow(t, app, 5, "NODES name cordon taint node-aff ports fit +9  REASON")
	requireRow(t, app, 6, "   ✗     ✗     ✗      ✗       ✗    ✗   ✗  cpu: std-b-02")
}

func BenchmarkWhyFrame(b *testing.B) {
	r := checkoutReport()
	groups := r.Groups[:0:0]
	r.Nodes = nil
	snapshot := &model.Snapshot{Revision: 1, Status: liveStatus()}
	for g := range 40 {
		group := checkoutReport().Groups[g%5]
		group.Count, group.Nodes = 125, nil
		for n := range 125 {
			name := fmt.Sprintf("node-%02d-%03d", g, n)
			group.Nodes = append(group.Nodes, name)
			r.Nodes = append(r.Nodes, report.NodeResult{Name: name, Fits: new(false), Rejections: group.Rejections})
			snapshot.Nodes = append(snapshot.Nodes, &model.Node{Name: name, Allocatable: model.Resources{MilliCPU: 15900, Pods: 110}})
		}
		groups = append(groups, group)
	}
	r.Groups, r.Total = groups, 5000
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			app := whyOf(b, size.Width, size.Height, r, checkoutEvents())
			app.observed.Snapshot = snapshot
			keys := []tea.KeyPressMsg{keyPress("j"), keyPress("k")}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				app.Update(keys[i%2])
				app.View()
			}
		})
	}
}
