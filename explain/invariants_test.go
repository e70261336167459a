package explain

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Every report holds together, whatever the cluster.
func TestReportsHoldTogether(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		c := newRandomCluster(d, 1+d(6), d(12), 1)
		e := startEngine(t, Options{}, c.Objects()...)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(c.Pending[0].UID), Parts: report.Nodes})
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := json.Marshal(r); err != nil {
			rt.Fatal(err)
		}
		if r.Summary == "" || r.State == "" {
			rt.Errorf("no words: summary %q, state %q", r.Summary, r.State)
		}
		if r.Verdict == report.Gated {
			return
		}
		checkNodes(rt, r)
		checkGroups(rt, r)
		checkPlugins(rt, r)
		checkOutline(rt, e, r)
	})
}

func checkNodes(t *rapid.T, r *report.Report) {
	if !slices.IsSortedFunc(r.Nodes, func(a, b report.NodeResult) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("nodes are not in order of name")
	}
	fits := 0
	for _, n := range r.Nodes {
		if n.Fits != nil && *n.Fits {
			fits++
		}
		if (n.Fits != nil && !*n.Fits) != (len(n.Rejections) > 0) {
			t.Errorf("%s: fits %v with %d rejections", n.Name, n.Fits, len(n.Rejections))
		}
		for _, rejection := range n.Rejections {
			if rejection.What == "" || rejection.Short == "" || rejection.Reason == "" || rejection.Numbers == nil {
				t.Errorf("%s: %s is not told: %+v", n.Name, rejection.Plugin, rejection)
			}
		}
	}
	if fits != r.Fits || r.Total != len(r.Nodes) || (r.Verdict == report.Schedulable && fits == 0) || (r.Verdict == report.Unschedulable && fits > 0) {
		t.Errorf("%s: %d of %d fit, the report says %d of %d", r.Verdict, fits, len(r.Nodes), r.Fits, r.Total)
	}
}

func checkGroups(t *rapid.T, r *report.Report) {
	seen := map[string]bool{}
	for i, g := range r.Groups {
		if g.Count != len(g.Nodes) || g.Count == 0 {
			t.Errorf("group %d counts %d of %v", i, g.Count, g.Nodes)
		}
		for _, name := range g.Nodes {
			if seen[name] {
				t.Errorf("%s is in two groups", name)
			}
			seen[name] = true
			at, _ := slices.BinarySearchFunc(r.Nodes, name, func(n report.NodeResult, name string) int { return strings.Compare(n.Name, name) })
			if !slices.EqualFunc(r.Nodes[at].Rejections, g.Rejections, func(a, b report.Rejection) bool { return a.Plugin == b.Plugin && a.Resolvable == b.Resolvable }) {
				t.Errorf("%s is refused otherwise than its group", name)
			}
		}
		if i > 0 && reasonsOf(g) < reasonsOf(r.Groups[i-1]) {
			t.Errorf("group %d has fewer rejections than the one before it", i)
		}
	}
	if len(seen) != len(r.Nodes) {
		t.Errorf("%d nodes are in groups, there are %d", len(seen), len(r.Nodes))
	}
}

// reasonsOf counts the rejections of a group, a cordon with its own taint once.
func reasonsOf(g report.Group) int {
	count := len(g.Rejections)
	if g.Rejects(names.NodeUnschedulable) && slices.ContainsFunc(g.Rejections, func(r report.Rejection) bool {
		return r.Plugin == names.TaintToleration && r.Short == report.CordonWord
	}) {
		count--
	}
	return count
}

func checkPlugins(t *rapid.T, r *report.Report) {
	for _, p := range r.Plugins {
		refuses, alone := 0, 0
		for _, n := range r.Nodes {
			if slices.ContainsFunc(n.Rejections, func(f report.Rejection) bool { return f.Plugin == p.Name }) {
				refuses++
				if len(n.Rejections) == 1 {
					alone++
				}
			}
		}
		if refuses != p.Rejects || alone != p.Alone {
			t.Errorf("%s: refuses %d, alone %d, the report says %+v", p.Name, refuses, alone, p)
		}
	}
}

// checkOutline holds the outline to the whole.
func checkOutline(t *rapid.T, e *Engine, r *report.Report) {
	outline, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(types.UID(r.Pod.UID))})
	if err != nil {
		t.Fatal(err)
	}
	if len(outline.Nodes) > 0 {
		t.Error("an outline has nodes")
	}
	if outline.Verdict != r.Verdict || upToPreemption(outline.SchedulerMessage) != upToPreemption(r.SchedulerMessage) || len(outline.Groups) != len(r.Groups) {
		t.Errorf("the outline says otherwise: %s %q", outline.Verdict, outline.SchedulerMessage)
	}
}
