package ui

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// mockups are the drawn screens, each with how one gets there.
var mockups = []struct {
	name   string
	status func(*model.Status)
	change func(*prodEU)
	keys   []string
	with   func(*Options)
}{
	{name: "pending", keys: []string{"j", "j", "j", "j"}},
	{name: "pods", keys: []string{"2", "j", "j", "j", "space"}},
	{name: "pods-filtered", keys: []string{"2", "/", "c", "p", "u", ">", "1", "space", "a", "g", "e", "<", "1", "d", "enter"}},
	{name: "nodes", keys: []string{"3", "j", "j", "j", "j", "j", "j", "j", "j", "j", "space", "k", "k", "k", "k", "k", "k"}},
	{name: "nodes-of-all-kinds", change: (*prodEU).mixed, keys: []string{"3", "j", "j", "j", "j"}},
	{name: "nodes-filtered", change: (*prodEU).mixed, keys: []string{"3", "/", "p", "o", "o", "l", "=", "s", "t", "d", "enter", "j", "j"}},
	{name: "help", keys: []string{"3", "?"}},
	{name: "palette", keys: []string{"3", ":", "n", "o"}},
	{name: "palette-of-actions", keys: []string{"3", "j", "j", "j", "j", "j", "j", "j", ":", "d", "r", "down"}},
	{
		name:   "loading",
		status: func(s *model.Status) { s.Reading = map[string]int{"pods": 12400} },
		change: func(c *prodEU) { c.keep(func(p *corev1.Pod) bool { return p.Name == "ledger-0" }) },
	},
	{
		name: "lost",
		status: func(s *model.Status) {
			s.Connection = model.Connection{
				Heard: now.Add(-2*time.Minute - 10*time.Second), Err: "i/o timeout", Tries: 4, Retry: now.Add(8 * time.Second),
				Problem: model.Unreachable,
			}
		},
	},
	{
		name: "rbac",
		status: func(s *model.Status) {
			s.Context, s.Namespace = "dev-eu", "shop"
			for _, resource := range []string{"nodes", "persistentvolumes", "storageclasses"} {
				s.Unread = append(s.Unread, model.Unread{Resource: resource, Why: "not allowed to list " + resource})
			}
		},
		change: func(c *prodEU) {
			c.nodes = nil
			c.keep(func(p *corev1.Pod) bool { return p.Namespace == "shop" && p.Spec.NodeName == "" })
		},
	},
	{
		name:   "empty",
		change: func(c *prodEU) { c.keep(func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodPending }) },
		keys:   []string{"1"},
	},
}

// keep drops the pods that are not to be kept, and those that were not created.
func (c *prodEU) keep(wanted func(*corev1.Pod) bool) {
	c.refused = nil
	c.pods = slices.DeleteFunc(c.pods, func(p *corev1.Pod) bool { return !wanted(p) })
}

// allUnknown are the reports as where nodes may not be listed.
func allUnknown(reports map[types.UID]*report.Report) map[types.UID]*report.Report {
	for _, r := range reports {
		r.Verdict, r.State, r.BlockedBy, r.Why = report.Unknown, "unknown", "unknown", "not allowed to list nodes"
	}
	return reports
}

func TestScreensStandAsDrawn(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		for _, m := range mockups {
			t.Run(m.name+"-"+size.name, func(t *testing.T) {
				c := newProdEU()
				if m.change != nil {
					m.change(c)
				}
				status := liveStatus()
				if m.status != nil {
					m.status(&status)
				}
				s := c.at(1, status)
				if size.width >= 120 && m.name == "nodes" {
					s.Usage = c.usage
				}
				cluster := &fakeCluster{reports: verdictsOf(s)}
				if m.name == "rbac" {
					cluster.reports = allUnknown(cluster.reports)
				}
				app := newTestAppWith(t, size.width, size.height, s, cluster, nil)
				press(t, app, m.keys...)
				requireScreen(t, app)
			})
		}
	}
}

func TestEachThemeOnce(t *testing.T) {
	for _, theme := range []string{"dark", "light", "color-blind", "mono"} {
		t.Run(theme, func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) { o.Theme = theme })
			press(t, app, "j", "j", "space")
			requireColours(t, app)
		})
	}
}

func TestASCIIReplacesEverySymbolByItsTwin(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 120, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) { o.ASCII = true })
	press(t, app, "3", "j")
	requireScreen(t, app)
}
