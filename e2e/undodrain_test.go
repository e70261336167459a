package e2e

import (
	"context"
	"strings"
	"testing"
	"time"
)

// webBudget lets one of the four pods of web be down.
const webBudget = `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: default, name: web}, spec: {minAvailable: 3, selector: {matchLabels: {app: web}}}}`

// longestRetry is how long a job waits at most before it asks again for an eviction,
// and some more.
const longestRetry = 35 * time.Second

// The undo of a drain that a budget holds up stops it: the node is schedulable
// again, and no eviction is asked for afterwards, whatever the budget allows.
func TestUndoingADrainThatRunsEvictsNothingMore(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	a := startActing(t)
	a.drained()
	kubectl(t, a.ControlPlane, "", "cordon", "std-2", "std-3") // what is evicted stays Pending
	kubectl(t, a.ControlPlane, webBudget, "apply", "-f", "-")
	s := a.dashboard("std-1")
	s.press("r")
	s.shows(`Type 4 \(pods to evict\)`)
	s.answer("4" + enter)
	eventually(t, "one pod is evicted and the others are refused", func(context.Context) (bool, error) {
		accepted, refused := a.evictions(0)
		return accepted == 1 && refused >= 3, nil
	})

	s.press("r") // the node drains: its page, and no other plan
	s.shows(`› drains › std-1 `)
	s.press(escape)
	s.shows(`› nodes`)
	s.press("z")
	s.shows(`^▸.*drain std-1 .*running`)
	s.press(enter)
	s.shows(`› drains › std-1 `)
	s.shows(`1 of 4 evicted, 3 blocked by PDBs`)
	s.press("U")
	s.shows(`Uncordon std-1 \(undo of drain\) `)
	s.shows(`First stops "drain std-1" \(running\): 1 of 4 pods evicted, 3 blocked by PDBs`)
	if !a.node("std-1").Spec.Unschedulable {
		t.Error("the plan of the undo has uncordoned the node")
	}
	s.answer("y")
	s.hides(`Uncordon std-1 \(undo of drain\) `)
	eventually(t, "the node is schedulable", func(context.Context) (bool, error) {
		return !a.node("std-1").Spec.Unschedulable, nil
	})
	s.shows(`Stopped after \S+: 1 of 4 evicted, 3 not evicted`)
	eventually(t, "what was evicted is back on the node", func(context.Context) (bool, error) {
		return len(a.running()) == 4, nil
	})
	kubectl(t, a.ControlPlane, "", "patch", "pdb", "web", "--type=merge", "-p", `{"spec":{"minAvailable":0}}`)
	time.Sleep(longestRetry)
	var patches []int // of the node: the cordon, and what took it back
	for i, w := range writes(t, a.ControlPlane) {
		if w.Verb == "patch" && strings.HasPrefix(w.URI, "/api/v1/nodes/std-1?") && !strings.Contains(w.URI, "dryRun=All") {
			patches = append(patches, i)
		}
	}
	if len(patches) != 2 {
		t.Fatalf("the node was patched %d times", len(patches))
	}
	if accepted, refused := a.evictions(patches[1]); accepted+refused > 0 {
		t.Errorf("after the undo %d evictions were asked for", accepted+refused)
	}
	if got := a.running(); len(got) != 4 || a.node("std-1").Spec.Unschedulable {
		t.Errorf("%d pods run", len(got))
	}
	s.leave()
}

// evictions counts those that were asked for in earnest from the nth write on:
// accepted, and refused by a budget.
func (a *acting) evictions(since int) (accepted, refused int) {
	a.t.Helper()
	for _, w := range writes(a.t, a.ControlPlane)[since:] {
		path, query, _ := strings.Cut(w.URI, "?")
		switch {
		case !strings.HasSuffix(path, "/eviction") || strings.Contains(query, "dryRun=All"):
		case w.Status == 429:
			refused++
		default:
			accepted++
		}
	}
	return accepted, refused
}
