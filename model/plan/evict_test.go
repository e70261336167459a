package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAnEvictionIsPlannedAsDrawn(t *testing.T) {
	facts := factsOf(t,
		owned("batch/report-1", "std-b-02", "Job/report", nil),
		owned("batch/report-2", "std-a-02", "Job/report", nil),
		owned("web/front-5d8f9c6b4-8sd2l", "std-a-01", "ReplicaSet/front", nil),
	)
	plan, err := Evict{Pods: []model.Ref{
		podRef("batch", "report-1"), podRef("batch", "report-2"), podRef("web", "front-5d8f9c6b4-8sd2l"),
	}}.Plan(facts)
	if err != nil {
		t.Fatal(err)
	}
	plan.Foretell(&Forecast{Unknown: "nobody knows"})
	if diff := cmp.Diff([]string{"3 pods end."}, plan.Effects); diff != "" {
		t.Error(diff)
	}
	plan.Warnings = nil
	plan.Foretell(&Forecast{Fates: map[types.UID]Fate{
		"report-1": {Outcome: Lands, Node: "std-a-01"},
		"report-2": {Outcome: Lands, Node: "std-c-01"},
		"front-5d8f9c6b4-8sd2l": {
			Outcome: Waits, Why: "a waiting front pod takes its place",
			Budget: Budget{Allows: BudgetAllows, Name: "front", Left: 1},
		},
	}})
	plan.Verdict.Asked = true
	want := []string{
		"Evict 3 pods", "2 land elsewhere, 1 becomes Pending.",
		"  batch/report-1 std-a-01; its Job starts it again from nothing",
		"  batch/report-2 std-c-01; its Job starts it again from nothing",
		"! web/front-5d8f9c6b4-8sd2l Pending: a waiting front pod takes its place",
		"PDB front allows 1 disruption now. Longest grace period 30s.",
		"kube-apiserver accepts it (dry run). An eviction cannot be undone.",
		"Type 3 (pods to evict):",
	}
	if diff := cmp.Diff(want, told(plan)); diff != "" {
		t.Error(diff)
	}
	if words := plan.Question("prod-eu", true).Words; words != "Type prod-eu to evict 3 pods:" {
		t.Errorf("on production the question is %q", words)
	}
}

func TestOnePodThatIsRescheduledNeedsNoNumber(t *testing.T) {
	free := Budget{Allows: BudgetAllows}
	for name, test := range map[string]struct {
		controller string
		change     func(*corev1.Pod)
		fate       *Fate // nil: nothing was foretold
		refused    bool
		want       string // the answer
	}{
		"that fits another node":                {"ReplicaSet/web", nil, &Fate{Outcome: Lands, Node: "n2", Budget: free}, false, "y"},
		"that comes back to its node":           {"DaemonSet/web", nil, &Fate{Outcome: Lands, Node: "n1", Budget: free}, false, "y"},
		"that becomes Pending":                  {"ReplicaSet/web", nil, &Fate{Outcome: Waits, Budget: free}, false, "1"},
		"that preempts others":                  {"ReplicaSet/web", nil, &Fate{Outcome: Preempts, Node: "n2", Budget: free}, false, "1"},
		"that may become Pending":               {"ReplicaSet/web", nil, &Fate{Outcome: Depends, Budget: free}, false, "1"},
		"of which nothing was foretold":         {"ReplicaSet/web", nil, nil, false, "1"},
		"that is not evaluated":                 {"ReplicaSet/web", nil, &Fate{Outcome: NotKnown, Budget: free}, false, "1"},
		"whose budget refuses now":              {"ReplicaSet/web", nil, &Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetWaits}}, false, "1"},
		"whose budgets were not read":           {"ReplicaSet/web", nil, &Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetUnread}}, false, "1"},
		"that loses data":                       {"StatefulSet/web", withEmptyDir, &Fate{Outcome: Lands, Node: "n2", Budget: free}, false, "1"},
		"of a Job, which starts again":          {"Job/web", nil, &Fate{Outcome: Lands, Node: "n2", Budget: free}, false, "1"},
		"that no controller owns":               {"", nil, &Fate{Outcome: Lost, Budget: free}, false, "1"},
		"that had finished":                     {"ReplicaSet/web", asFinished, &Fate{Outcome: Finished, Budget: free}, false, "1"},
		"whose eviction the API server refuses": {"ReplicaSet/web", nil, &Fate{Outcome: Lands, Node: "n2", Budget: free}, true, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := Evict{Pods: []model.Ref{podRef("a", "p")}}.Plan(factsOf(t, owned("a/p", "n1", test.controller, test.change)))
			if err != nil {
				t.Fatal(err)
			}
			if test.fate != nil {
				plan.Foretell(&Forecast{Fates: map[types.UID]Fate{"p": *test.fate}})
			}
			if test.refused {
				plan.Verdict.Refused = []string{"frozen."}
			}
			if got := plan.Question("staging", false).Answer; got != test.want {
				t.Errorf("the answer is %q, want %q", got, test.want)
			}
			if got := plan.Question("prod-eu", true).Answer; got != "prod-eu" {
				t.Errorf("on production the answer is %q", got)
			}
		})
	}
}

func TestWhichPodsMayBeEvictedOrDeleted(t *testing.T) {
	objects := []runtime.Object{
		owned("a/of-replicaset", "n1", "ReplicaSet/web", nil),
		owned("a/of-daemonset", "n1", "DaemonSet/proxy", nil),
		owned("a/static", "n1", "", asMirror),
		owned("a/alone", "n1", "", nil),
		owned("a/going", "n1", "", asTerminating),
		owned("a/over", "n1", "", asFinished),
		owned("a/waits", "", "", nil),
	}
	cases := []struct {
		wish Action
		want string // of the error, or the first effect
		err  error
	}{
		{Evict{[]model.Ref{podRef("a", "of-replicaset")}}, "1 pod ends.", nil},
		{Evict{[]model.Ref{podRef("a", "of-daemonset")}}, "1 pod ends.", nil},
		{Evict{[]model.Ref{podRef("a", "over")}}, "1 pod ends.", nil},
		{Evict{[]model.Ref{podRef("a", "static")}}, "evict a/static: it cannot be done: it is a static pod, which the kubelet of n1 runs from a file on the node: an eviction changes nothing", ErrWrongWish},
		{Evict{[]model.Ref{podRef("a", "waits")}}, "evict a/waits: it cannot be done: it is on no node", ErrWrongWish},
		{Evict{[]model.Ref{podRef("a", "going")}}, "evict a/going: nothing would change: it is terminating already", ErrNoChange},
		{Evict{[]model.Ref{{Resource: "pods", Namespace: "a", Name: "alone", UID: "earlier"}}}, "evict a/alone: it is gone", ErrGone},
		{Delete{podRef("a", "alone")}, "1 pod ends.", nil},
		{Delete{podRef("a", "waits")}, "1 pod ends.", nil},
		{Delete{podRef("a", "of-replicaset")}, "delete a/of-replicaset: it cannot be done: replicaset/web owns it; e evict asks its PodDisruptionBudget", ErrWrongWish},
		{Delete{podRef("a", "static")}, "delete a/static: it cannot be done: it is a static pod, which the kubelet of n1 makes again", ErrWrongWish},
		{Delete{podRef("a", "going")}, "delete a/going: nothing would change: it is terminating already", ErrNoChange},
		{Delete{podRef("a", "nobody")}, "delete a/nobody: it is gone", ErrGone},
	}
	for _, c := range cases {
		plan, err := c.wish.Plan(factsOf(t, objects...))
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.wish.Name(), err, c.err)
			continue
		}
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(plan.Effects, "|")
		}
		if said != c.want {
			t.Errorf("%s: %q, want %q", c.wish.Name(), said, c.want)
		}
	}
}

func TestWhatBecomesOfAPodInWords(t *testing.T) {
	pod := func(controller string, change func(*model.Pod)) *model.Pod {
		p := model.NewPod(owned("a/p", "n1", controller, nil))
		if change != nil {
			change(p)
		}
		return p
	}
	web := pod("ReplicaSet/web", nil)
	cases := []struct {
		end  End
		want string
		warn bool
	}{
		{End{Pod: web}, "", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2"}}, "n2", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Tie: []string{"n2", "n3"}}}, "n2 or alike", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Likely: true}}, "likely n2", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n1"}}, "back to n1", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Preempts, Node: "n2"}}, "preempts on n2", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Preempts, Node: "n2", Why: "ends a/low"}}, "preempts on n2: ends a/low", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Depends, Why: "fits unless a/q comes back first"}}, "fits unless a/q comes back first", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: NotKnown, Why: "not allowed to list nodes"}}, "not evaluated: not allowed to list nodes", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetUnread}}}, "n2; not evaluated: PDBs could not be read", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetNever}}}, "refused: several PDBs select it; n2", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Waits, Why: "cpu 1 short", Budget: Budget{Allows: BudgetWaits, Name: "web"}}}, "waits: PDB web; Pending: cpu 1 short", true},
		{End{Pod: web, How: Thrown, After: 300e9, Fate: Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetWaits}}}, "after 300s: n2", false},
		{End{Pod: web, How: Thrown, After: 300e9}, "after 300s", false},
		{End{Pod: pod("", nil), How: Evicted, Lost: true, EmptyDir: true}, "lost: no controller owns it", true},
		{End{Pod: web, How: Evicted, EmptyDir: true, Fate: Fate{Outcome: Lands, Node: "std-c-01"}}, "std-c-01; its emptyDir data is lost", true},
		{End{Pod: pod("Job/j", nil), How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2"}}, "n2; its Job starts it again from nothing", false},
		{End{Pod: web, Terminating: true, Fate: Fate{Outcome: Lands}}, "terminating already", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Waits, Why: "a\x1b[31mb"}}, "Pending: ab", true},
	}
	for _, c := range cases {
		if got := c.end.Words(); got != c.want || c.end.Warn() != c.warn {
			t.Errorf("%+v: %q (warned of: %v), want %q (%v)", c.end.Fate, got, c.end.Warn(), c.want, c.warn)
		}
	}
}

func TestAnEvictionAsksForWhatKubectlDrainHasAFlagFor(t *testing.T) {
	emptyDir := func(pod *corev1.Pod) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	}
	facts := factsOf(t,
		owned("a/owned", "n1", "ReplicaSet/web", nil),
		owned("a/alone", "n1", "", nil),
		owned("a/over", "n1", "", asFinished),
		owned("a/data", "n1", "ReplicaSet/web", emptyDir),
		owned("a/both", "n1", "", emptyDir),
	)
	force, data := "end %d pod%s that no controller owns", "lose the emptyDir data of %d pod%s"
	for name, test := range map[string]struct {
		pods []string
		want []string
	}{
		"a controller makes it again":       {[]string{"owned"}, nil},
		"it has run to its end":             {[]string{"over"}, nil},
		"nothing makes it again":            {[]string{"alone"}, []string{fmt.Sprintf(force, 1, "") + " kubectl drain --force"}},
		"its data is lost":                  {[]string{"data"}, []string{fmt.Sprintf(data, 1, "") + " --delete-emptydir-data"}},
		"several of which some lose either": {[]string{"owned", "alone", "data", "both", "over"}, []string{fmt.Sprintf(force, 2, "s") + " kubectl drain --force", fmt.Sprintf(data, 2, "s") + " --delete-emptydir-data"}},
	} {
		t.Run(name, func(t *testing.T) {
			wish := Evict{}
			for _, pod := range test.pods {
				wish.Pods = append(wish.Pods, podRef("a", pod))
			}
			plan, err := wish.Plan(facts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, consent := range plan.Consents {
				got = append(got, consent.Words+" "+consent.Flag)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			question := plan.Question("kind", false)
			if _, err := plan.Confirm(question, question.Answer, nil); (err == nil) != (len(test.want) == 0) {
				t.Errorf("without agreeing to anything the plan is confirmed with %v", err)
			}
		})
	}
}
