package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// mixed are objects of which an action can be done to some, is so for some, and
// cannot be done to others.
func mixed() []runtime.Object {
	cordoned := anEmptyNode("cordoned")
	cordoned.Spec.Unschedulable = true
	tainted := anEmptyNode("tainted")
	tainted.Spec.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}}
	labeled := anEmptyNode("labeled")
	labeled.Labels["tier"] = "web"
	gated := func(pod *corev1.Pod) { pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "x"}} }
	return []runtime.Object{
		anEmptyNode("n1"), anEmptyNode("n2"), cordoned, tainted, labeled,
		owned("a/web-1", "n1", "ReplicaSet/web", nil),
		owned("a/web-2", "n1", "ReplicaSet/web", nil),
		owned("a/waits", "", "ReplicaSet/web", nil),
		owned("a/waits-too", "", "ReplicaSet/web", nil),
		owned("a/gated", "", "ReplicaSet/web", gated),
		owned("a/static", "n1", "", asMirror),
		owned("a/going", "n1", "ReplicaSet/web", asTerminating),
	}
}

// titled says whether the title says what the action does.
func titled(p *Plan) bool {
	verb, _, _ := strings.Cut(p.Action.Name(), " ")
	if verb == "untaint" {
		verb = "remove taint"
	}
	return strings.HasPrefix(strings.ToLower(p.Title), verb)
}

func TestWhatCannotBeDoneIsSkippedAndSaid(t *testing.T) {
	pods := func(names ...string) []model.Ref {
		var refs []model.Ref
		for _, name := range names {
			refs = append(refs, podRef("a", name))
		}
		return refs
	}
	nodes := func(names ...string) []model.Ref { return nodeRefs(names) }
	taint := mustParse(t, "a:NoSchedule")
	taint.Nodes = []string{"tainted", "n1", "missing"}
	untaint := mustParse(t, "a-")
	untaint.Nodes = []string{"tainted", "n1"}
	for name, test := range map[string]struct {
		action Action
		does   string // the name of what is done
		says   string
		whole  string // why it is not all that was wished; "" if it is
	}{
		"evict of one Pending among three": {
			Evict{pods("web-1", "waits", "web-2")},
			"evict 2 pods",
			"Skips 1 of 3 pods: a/waits (not scheduled).", "evict a/waits: not possible: it is not scheduled yet, so there is nothing to evict",
		},
		"evict of which one is left": {
			Evict{pods("waits", "static", "web-1", "waits-too", "missing")},
			"evict a/web-1",
			"Skips 4 of 5 pods: a/waits, a/waits-too (not scheduled); a/static (static pod); a/missing (deleted).", "evict a/waits: not possible: it is not scheduled yet, so there is nothing to evict",
		},
		"evict of one that is terminating": {Evict{pods("web-1", "going")}, "evict 2 pods", "", ""},
		"cordon of one that is cordoned":   {Cordon{Nodes: []string{"n1", "cordoned", "n2"}}, "cordon 2 nodes", "Skips 1 of 3 nodes: cordoned (already cordoned).", ""},
		"cordon of one that was deleted":   {Cordon{Nodes: []string{"n1", "missing"}}, "cordon n1", "Skips 1 of 2 nodes: missing (deleted).", "cordon missing: it no longer exists"},
		"uncordon of one that is not":      {Cordon{Nodes: []string{"n1", "cordoned"}, Off: true}, "uncordon cordoned", "Skips 1 of 2 nodes: n1 (not cordoned).", ""},
		"taint":                            {taint, "taint n1 a:NoSchedule", "Skips 2 of 3 nodes: tainted (no change); missing (deleted).", "taint missing: it no longer exists"},
		"untaint":                          {untaint, "untaint tainted a-", "Skips 1 of 2 nodes: n1 (no change).", ""},
		"label":                            {Label{Refs: nodes("n1", "labeled"), Set: map[string]string{"tier": "web"}}, "label n1 tier=web", "Skips 1 of 2 nodes: labeled (no change).", ""},
		"annotate": {
			Annotate{Refs: pods("web-1", "missing"), Set: map[string]string{"tier": "web"}},
			"annotate a/web-1 tier",
			"Skips 1 of 2 pods: a/missing (deleted).", "annotate 2 pods tier: a/missing: it no longer exists",
		},
		"ungate":                        {Ungate{Pods: pods("gated", "waits")}, "remove gates of a/gated", "Skips 1 of 2 pods: a/waits (no such gate).", ""},
		"drain of one that was deleted": {Drain{Nodes: []string{"n1", "missing"}, AtOnce: 1}, "drain n1", "Skips 1 of 2 nodes: missing (deleted).", "drain missing: it no longer exists"},
		"drain of one that is being drained": {
			Drain{Nodes: []string{"n2", "n1"}, AtOnce: 1}, "drain n1", "Skips 1 of 2 nodes: n2 (already being drained by drain n2).", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			facts := factsOf(t, mixed()...)
			facts.Jobs = []*Progress{{ID: 1, Name: "drain n2", State: JobPaused, Plan: &Plan{Action: Drain{Nodes: []string{"n2"}}}}}
			plan, err := test.action.Plan(facts)
			if err != nil {
				t.Fatal(err)
			}
			if got := plan.Action.Name(); got != test.does || !titled(plan) {
				t.Errorf("it does %q under the title %q, want %q", got, plan.Title, test.does)
			}
			plan.Foretell(&Forecast{})
			said := slices.DeleteFunc(slices.Concat(plan.Effects, plan.Warnings), func(s string) bool { return !strings.HasPrefix(s, "Skips") })
			if got := strings.Join(said, " "); got != test.says {
				t.Errorf("it says %q, want %q", got, test.says)
			}
			whole := ""
			if err := plan.Whole(); err != nil {
				whole = err.Error()
			}
			if whole != test.whole {
				t.Errorf("what is left out is %q, want %q", whole, test.whole)
			}
			undo := "undo " + test.does
			if node, drains := strings.CutPrefix(test.does, "drain "); drains {
				undo = "uncordon " + node // evictions cannot be undone
			}
			if plan.Undo != nil && plan.Undo.Name() != undo {
				t.Errorf("its undo is %q", plan.Undo.Name())
			}
		})
	}
}

func TestWhereNothingIsLeftToBeDoneAllReasonsAreTold(t *testing.T) {
	for _, test := range []struct {
		action Action
		err    error
		want   string
	}{
		{Evict{[]model.Ref{podRef("a", "waits"), podRef("a", "static")}}, ErrNotPossible, "evict 2 pods: not possible: a/waits (not scheduled); a/static (static pod)"},
		{Cordon{Nodes: []string{"cordoned", "missing"}}, ErrNotPossible, "cordon 2 nodes: not possible: cordoned (already cordoned); missing (deleted)"},
		{Cordon{Nodes: []string{"n1", "n2"}, Off: true}, ErrNoChange, "uncordon 2 nodes: nothing would change: all are not cordoned"},
		{Drain{Nodes: []string{"n2"}}, ErrNoChange, "drain n2: nothing would change: it is already being drained"},
	} {
		facts := factsOf(t, mixed()...)
		if _, drains := test.action.(Drain); drains {
			facts.Jobs = []*Progress{{ID: 1, Name: "drain n2", State: JobRuns, Plan: &Plan{Action: Drain{Nodes: []string{"n2"}}}}}
		}
		if _, err := test.action.Plan(facts); !errors.Is(err, test.err) || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.action.Name(), err, test.want)
		}
	}
}
