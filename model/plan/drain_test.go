package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// drained are the node and the pods of the drain plan that the screens show.
func drained() []runtime.Object {
	objects := []runtime.Object{
		anEmptyNode("std-a-02"),
		owned("dev/shell-anna", "std-a-02", "", grace(60)),
		owned("search/index-1", "std-a-02", "StatefulSet/index", nil),
		owned("shop/cart-7b5c4d9f8-9fj4w", "std-a-02", "ReplicaSet/cart-7b5c4d9f8", nil),
		owned("web/cache-0", "std-a-02", "StatefulSet/cache", withEmptyDir),
		owned("batch/report-2", "std-a-02", "ReplicaSet/report", nil),
		owned("kube-system/proxy-1", "std-a-02", "DaemonSet/proxy", nil),
		owned("kube-system/cni-1", "std-a-02", "DaemonSet/cni", nil),
		owned("kube-system/watchdog", "std-a-02", "", asMirror),
		owned("shop/elsewhere", "std-a-01", "ReplicaSet/elsewhere", nil),
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		objects = append(objects, owned("web/front-"+name, "std-a-02", "ReplicaSet/front", nil))
	}
	return objects
}

func TestADrainIsPlannedAsDrawn(t *testing.T) {
	plan, err := Drain{Nodes: []string{"std-a-02"}}.Plan(factsOf(t, drained()...))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Evicts 11 of 14 pods."}; !slices.Equal(plan.Effects, want) {
		t.Errorf("before anything is foretold: %q, want %q", plan.Effects, want)
	}
	fates := map[types.UID]Fate{}
	for _, end := range plan.Ends {
		fates[end.Pod.Object.UID] = Fate{Outcome: Lands, Node: "std-a-01", Budget: Budget{Allows: BudgetAllows}}
	}
	fates["shell-anna"] = Fate{Outcome: Lost}
	fates["index-1"] = Fate{Outcome: Waits, Why: "volume in eu-1a; needs cpu 1.2 more"}
	fates["cart-7b5c4d9f8-9fj4w"] = Fate{Outcome: Lands, Node: "std-a-01", Budget: Budget{
		Allows: BudgetWaits, Name: "cart", Why: "3 healthy pods, 3 needed",
	}}
	fates["cache-0"] = Fate{Outcome: Lands, Node: "std-c-01"}
	plan.Foretell(&Forecast{Fates: fates})
	plan.Foretell(&Forecast{Fates: fates}) // again makes no difference

	want := []string{
		"Drain std-a-02",
		"Evicts 11 of 14 pods, 10 of them now: 8 rescheduled, 1 Pending, 1 not recreated. 1 is blocked by a PodDisruptionBudget for now; fathom retries until it is allowed.",
		"! dev/shell-anna not recreated: no controller",
		"! search/index-1 Pending: volume in eu-1a; needs cpu 1.2 more",
		"! shop/cart-7b5c4d9f8-9fj4w blocked by PDB cart: 3 healthy pods, 3 needed",
		"! web/cache-0 to std-c-01; emptyDir data is deleted",
		"  batch/report-2 to std-a-01",
		"3 not evicted: 2 DaemonSet pods, 1 static pod",
		"evict 1 pod without a controller (--force)",
		"delete the emptyDir data of 1 pod (--delete-emptydir-data)",
		"Order: cordon, then evict all 11 pods in parallel; longest grace period 60s.",
		"kube-apiserver accepts it (dry run). Undo: uncordon; pods do not move back.",
		"Type 11 (pods to evict):",
	}
	plan.Verdict.Asked = true
	if diff := cmp.Diff(want, slices.DeleteFunc(told(plan), func(line string) bool { return strings.HasPrefix(line, "  web/front") })); diff != "" {
		t.Error(diff)
	}
}

// told is everything that a box says of the plan.
func told(plan *Plan) []string {
	lines := append([]string{plan.Title}, plan.Effects...)
	for _, end := range plan.Ends {
		mark := "  "
		if end.Warn() {
			mark = "! "
		}
		lines = append(lines, mark+end.Pod.FullName()+" "+end.Words())
	}
	for _, change := range plan.Changes {
		for _, edit := range change.Edits {
			if plan.PodsTerminated == 0 {
				lines = append(lines, edit.Words())
			}
		}
	}
	for _, warning := range plan.Warnings {
		lines = append(lines, "warning: "+warning)
	}
	if stay := plan.Stays.Words(); stay != "" {
		lines = append(lines, stay)
	}
	for _, consent := range plan.Consents {
		lines = append(lines, consent.Words+" ("+consent.Flag+")")
	}
	if plan.Order != "" {
		lines = append(lines, plan.Order)
	}
	return append(lines, plan.Closing(), plan.Question("staging-eu", false).Words)
}

func TestAReplacementThatToleratesTheCordonIsMarked(t *testing.T) {
	lands := func(node string, nodes ...string) Fate {
		return Fate{Outcome: Lands, Node: node, Tie: nodes, Budget: Budget{Allows: BudgetAllows}}
	}
	likely := lands("n1")
	likely.Likely = true
	for _, test := range []struct {
		fate Fate
		want string
	}{
		{lands("n3"), "  a/web to n3"},
		{lands("n3", "n3", "n4"), "  a/web to n3 or n4 (same score)"},
		{lands("n1"), "! a/web to n1 (same node): it tolerates the cordon, so n1 will not become empty"},
		{lands("n2"), "! a/web to n2: it tolerates the cordon, so n2 will not become empty"},
		{lands("n1", "n1", "n2"), "! a/web to n1 or n2 (same score): it tolerates the cordon, so n1 or 1 more will not become empty"},
		{lands("n3", "n3", "n1"), "! a/web to n3 or n1 (same score): it tolerates the cordon, so n1 may not become empty"},
		{likely, "! a/web to n1 (same node): it tolerates the cordon, so n1 may not become empty"},
	} {
		plan, err := Drain{Nodes: []string{"n1", "n2"}}.Plan(factsOf(t, anEmptyNode("n1"), anEmptyNode("n2"), owned("a/web", "n1", "ReplicaSet/web", nil)))
		if err != nil {
			t.Fatal(err)
		}
		plan.Foretell(&Forecast{Fates: map[types.UID]Fate{plan.Ends[0].Pod.Object.UID: test.fate}})
		if lines := told(plan); !slices.Contains(lines, test.want) {
			t.Errorf("want %q in %q", test.want, lines)
		}
	}
	evict, err := Evict{[]model.Ref{podRef("a", "web")}}.Plan(factsOf(t, owned("a/web", "n1", "ReplicaSet/web", nil)))
	if err != nil {
		t.Fatal(err)
	}
	evict.Foretell(&Forecast{Fates: map[types.UID]Fate{evict.Ends[0].Pod.Object.UID: lands("n1")}})
	if end := evict.Ends[0]; end.Refills() || end.Warn() {
		t.Errorf("an eviction drains no node: %+v", end)
	}
}

func TestDrainsOfSeveralNodesAndOddPods(t *testing.T) {
	cordoned := anEmptyNode("n2")
	cordoned.Spec.Unschedulable = true
	objects := []runtime.Object{
		anEmptyNode("n1"), cordoned,
		owned("a/ends", "n1", "ReplicaSet/a", grace(45)),
		owned("a/going", "n1", "ReplicaSet/a", asTerminating),
		owned("a/over", "n2", "Job/a", func(pod *corev1.Pod) { asFinished(pod); withEmptyDir(pod) }),
		owned("a/alone-and-going", "n2", "", asTerminating),
	}
	cases := []struct {
		about  string
		action Drain
		want   []string
		err    error
	}{
		{"one after the other", Drain{Nodes: []string{"n1", "n2"}, AtOnce: 1}, []string{
			"Drain 2 nodes", "Evicts 2 of 4 pods.",
			"  a/ends ", "  a/over already finished", "  a/alone-and-going already terminating", "  a/going already terminating",
			"Order: cordon 1 node, then drain 1 node at a time, the pods of each in parallel; longest grace period 45s.",
			"No dry run. Undo: uncordon; pods do not move back.", "Type 2 (pods to evict):",
		}, nil},
		{"already cordoned", Drain{Nodes: []string{"n2"}}, []string{
			"Drain n2", "Evicts 1 of 2 pods.", "  a/over already finished", "  a/alone-and-going already terminating",
			"Order: evict 1 pod; grace period 30s.",
			"No dry run. Evictions cannot be undone.", "Type 1 (pods to evict):",
		}, nil},
		{"a node that is gone", Drain{Nodes: []string{"n3"}}, nil, ErrGone},
	}
	for _, c := range cases {
		plan, err := c.action.Plan(factsOf(t, objects...))
		if !errors.Is(err, c.err) {
			t.Fatalf("%s: error %v, want %v", c.about, err, c.err)
		}
		if err != nil {
			continue
		}
		if diff := cmp.Diff(c.want, told(plan)); diff != "" {
			t.Errorf("%s: %s", c.about, diff)
		}
	}
}

func TestADrainThatWouldDoNothing(t *testing.T) {
	cordoned := anEmptyNode("n2")
	cordoned.Spec.Unschedulable = true
	_, err := Drain{Nodes: []string{"n2"}}.Plan(factsOf(t, cordoned))
	if !errors.Is(err, ErrNoChange) || err.Error() != "drain n2: nothing would change: it is already cordoned and has no pods to evict" {
		t.Errorf("a drain of a cordoned, empty node gives %v", err)
	}
	unread := factsOf(t, anEmptyNode("n1"))
	unread.Filtered = nil
	if _, err := (Drain{Nodes: []string{"n1"}}).Plan(unread); !errors.Is(err, ErrNotPossible) {
		t.Errorf("a drain whose pods were not read gives %v", err)
	}
	late := factsOf(t, anEmptyNode("n1"))
	late.Filtered["n1"] = []types.UID{"new"}
	_, err = Drain{Nodes: []string{"n1"}}.Plan(late)
	if !errors.Is(err, ErrUnread) || err.Error() != "drain n1: not all of its pods are read yet: 1 is missing; try again in a moment" {
		t.Errorf("a drain of a pod that the snapshot does not have gives %v", err)
	}
}

// kubectl drain evicts a pod whose DaemonSet is gone with --force only: nothing recreates it.
func TestAPodWhoseDaemonSetIsGoneIsNotRecreated(t *testing.T) {
	facts := factsOf(t, anEmptyNode("n1"), owned("kube-system/proxy-1", "n1", "DaemonSet/proxy", nil))
	var uids []types.UID
	for _, pod := range facts.Snapshot.Pods {
		uids = append(uids, pod.Object.UID)
	}
	facts.Filtered["n1"] = uids
	plan, err := Drain{Nodes: []string{"n1"}}.Plan(facts)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Ends) != 1 || !plan.Ends[0].Lost || len(plan.Consents) != 1 || plan.Consents[0].Flag != "--force" {
		t.Errorf("ends %+v, consents %+v", plan.Ends, plan.Consents)
	}
	if words := plan.Ends[0].Words(); words != "not recreated: no controller" {
		t.Errorf("it says %q", words)
	}
}
