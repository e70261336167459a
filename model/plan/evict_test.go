package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	if diff := cmp.Diff([]string{"Evicts 3 pods."}, plan.Effects); diff != "" {
		t.Error(diff)
	}
	plan.Warnings = nil
	plan.Foretell(&Forecast{Fates: map[types.UID]Fate{
		"report-1": {Outcome: Lands, Node: "std-a-01"},
		"report-2": {Outcome: Lands, Node: "std-c-01"},
		"front-5d8f9c6b4-8sd2l": {
			Outcome: Waits, Why: "a pending front pod takes the capacity",
			Budget: Budget{Allows: BudgetAllows, Name: "front", Left: 1},
		},
	}})
	plan.Verdict.Asked = true
	want := []string{
		"Evict 3 pods", "Evicts 3 pods: 2 rescheduled, 1 Pending.",
		"  batch/report-1 to std-a-01; its work starts over",
		"  batch/report-2 to std-c-01; its work starts over",
		"! web/front-5d8f9c6b4-8sd2l Pending: a pending front pod takes the capacity",
		"PDB front allows 1 disruption now. Longest grace period 30s.",
		"kube-apiserver accepts it (dry run). Evictions cannot be undone.",
		"Type 3 (pods to evict):",
	}
	if diff := cmp.Diff(want, told(plan)); diff != "" {
		t.Error(diff)
	}
	if words := plan.Question("prod-eu", true).Words; words != "Type prod-eu to evict 3 pods:" {
		t.Errorf("on production the question is %q", words)
	}
}

// asCritical is a pod of class system-cluster-critical.
func asCritical(p *corev1.Pod) { p.Spec.Priority = new(int32(2_000_000_000)) }

func TestAnEvictionWarnsOfCriticalPods(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.Pod)
		want   []string
	}{
		"a critical pod": {asCritical, []string{"Critical for the cluster or its node: a/p."}},
		"another one":    {nil, nil},
	} {
		plan, err := Evict{Pods: []model.Ref{podRef("a", "p")}}.Plan(factsOf(t, owned("a/p", "n1", "ReplicaSet/web", test.change)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Warnings, test.want) {
			t.Errorf("%s: warnings %q, want %q", name, plan.Warnings, test.want)
		}
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
		"that the cluster needs":                {"ReplicaSet/web", asCritical, &Fate{Outcome: Lands, Node: "n2", Budget: free}, false, "1"},
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
				plan.Verdict.Rejections = []string{"frozen."}
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
		action Action
		want   string // of the error, or the first effect
		err    error
	}{
		{Evict{[]model.Ref{podRef("a", "of-replicaset")}}, "Evicts 1 pod.", nil},
		{Evict{[]model.Ref{podRef("a", "of-daemonset")}}, "Evicts 1 pod.", nil},
		{Evict{[]model.Ref{podRef("a", "over")}}, "Evicts 1 pod.", nil},
		{Evict{[]model.Ref{podRef("a", "static")}}, "evict a/static: not possible: it is a static pod, which the kubelet of n1 runs from a file on the node: eviction has no effect", ErrNotPossible},
		{Evict{[]model.Ref{podRef("a", "waits")}}, "evict a/waits: not possible: it is not scheduled yet, so there is nothing to evict", ErrNotPossible},
		{Evict{[]model.Ref{podRef("a", "going")}}, "evict a/going: nothing would change: it is already terminating", ErrNoChange},
		{Evict{[]model.Ref{{Resource: "pods", Namespace: "a", Name: "alone", UID: "earlier"}}}, "evict a/alone: it no longer exists", ErrGone},
		{Delete{podRef("a", "alone")}, "Deletes 1 pod.", nil},
		{Delete{podRef("a", "waits")}, "Deletes 1 pod.", nil},
		{Delete{podRef("a", "of-replicaset")}, "delete a/of-replicaset: not possible: replicaset/web owns it; e evicts it and respects PodDisruptionBudgets", ErrNotPossible},
		{Delete{podRef("a", "static")}, "delete a/static: not possible: it is a static pod, which the kubelet of n1 recreates", ErrNotPossible},
		{Delete{podRef("a", "going")}, "delete a/going: nothing would change: it is already terminating", ErrNoChange},
		{Delete{podRef("a", "nobody")}, "delete a/nobody: it no longer exists", ErrGone},
	}
	for _, c := range cases {
		plan, err := c.action.Plan(factsOf(t, objects...))
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.action.Name(), err, c.err)
			continue
		}
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(plan.Effects, "|")
		}
		if said != c.want {
			t.Errorf("%s: %q, want %q", c.action.Name(), said, c.want)
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
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2"}}, "to n2", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Tie: []string{"n2", "n3"}}}, "to n2 or n3 (same score)", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Varies: []string{"n2", "n3"}}}, "to n2 or n3 (depends on other pods)", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n1", Varies: []string{"n1", "n3", "n4"}}}, "to n1 or one of 2 others (depends on other pods)", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Likely: true}}, "to n2 (likely)", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n1"}}, "to n1 (same node)", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Preempts, Node: "n2"}}, "preempts pods on n2", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Preempts, Node: "n2", Why: "ends a/low"}}, "preempts pods on n2: ends a/low", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Depends, Why: "a/q may take the capacity first"}}, "possibly Pending: a/q may take the capacity first", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: NotKnown, Why: "not allowed to list nodes"}}, "not evaluated: not allowed to list nodes", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetUnread}}}, "to n2; not evaluated: PDBs could not be read", false},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetNever}}}, "cannot be evicted: several PDBs select it; to n2", true},
		{End{Pod: web, How: Evicted, Fate: Fate{Outcome: Waits, Why: "needs cpu 1 more", Budget: Budget{Allows: BudgetWaits, Name: "web"}}}, "blocked by PDB web; then Pending: needs cpu 1 more", true},
		{End{Pod: web, How: TaintEvicted, After: 300e9, Fate: Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetWaits}}}, "after 300s: to n2", false},
		{End{Pod: web, How: TaintEvicted, After: 300e9}, "after 300s", false},
		{End{Pod: pod("", nil), How: Evicted, Lost: true, EmptyDir: true}, "not recreated: no controller", true},
		{End{Pod: web, How: Evicted, EmptyDir: true, Fate: Fate{Outcome: Lands, Node: "std-c-01"}}, "to std-c-01; emptyDir data is deleted", true},
		{End{Pod: pod("Job/j", nil), How: Evicted, Fate: Fate{Outcome: Lands, Node: "n2"}}, "to n2; its work starts over", false},
		{End{Pod: web, Terminating: true, Fate: Fate{Outcome: Lands}}, "already terminating", false},
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
	force, data := "evict %d pod%s without a controller", "delete the emptyDir data of %d pod%s"
	for name, test := range map[string]struct {
		pods []string
		want []string
	}{
		"a controller makes it again":       {[]string{"owned"}, nil},
		"it has run to its end":             {[]string{"over"}, nil},
		"nothing makes it again":            {[]string{"alone"}, []string{fmt.Sprintf(force, 1, "") + " --force"}},
		"its data is lost":                  {[]string{"data"}, []string{fmt.Sprintf(data, 1, "") + " --delete-emptydir-data"}},
		"several of which some lose either": {[]string{"owned", "alone", "data", "both", "over"}, []string{fmt.Sprintf(force, 2, "s") + " --force", fmt.Sprintf(data, 2, "s") + " --delete-emptydir-data"}},
	} {
		t.Run(name, func(t *testing.T) {
			action := Evict{}
			for _, pod := range test.pods {
				action.Pods = append(action.Pods, podRef("a", pod))
			}
			plan, err := action.Plan(facts)
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

func TestAnEvictionThatABudgetBlocksIsRetried(t *testing.T) {
	waits := Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetWaits, Name: "web"}}
	allowed := Fate{Outcome: Lands, Node: "n2", Budget: Budget{Allows: BudgetAllows}}
	bare, pct, both := waits, waits, waits
	bare.Budget.Name, bare.Budget.UntilChanged = "bare", true
	pct.Budget.Name, pct.Budget.UntilChanged = "pct", true
	both.Budget = Budget{Allows: BudgetNever, Name: "a", Why: "2 PodDisruptionBudgets select it"}
	for _, c := range []struct {
		fates []Fate
		want  string
	}{
		{[]Fate{allowed, allowed}, "Evicts 2 pods: 2 rescheduled."},
		{[]Fate{allowed, waits}, "Evicts 2 pods, 1 of them now: rescheduled. 1 is blocked by a PodDisruptionBudget for now; fathom retries until it is allowed."},
		{
			[]Fate{allowed, waits, waits},
			"Evicts 3 pods, 1 of them now: rescheduled. 2 are blocked by PodDisruptionBudgets for now; fathom retries until they are allowed.",
		},
		{[]Fate{waits}, "The eviction of 1 pod is blocked by a PodDisruptionBudget for now; fathom retries until it is allowed."},
		{[]Fate{bare}, "The eviction of 1 pod is blocked by a PodDisruptionBudget that allows none until it is changed: bare; fathom retries until then."},
		{[]Fate{bare, bare}, "The evictions of 2 pods are blocked by a PodDisruptionBudget that allows none until it is changed: bare; fathom retries until then."},
		{[]Fate{bare, pct}, "The evictions of 2 pods are blocked by PodDisruptionBudgets that allow none until they are changed: bare, pct; fathom retries until then."},
		{
			[]Fate{allowed, bare, waits, pct},
			"Evicts 4 pods, 1 of them now: rescheduled. 3 are blocked by PodDisruptionBudgets: 1 for now, fathom retries until it is allowed; 2 until a budget is changed: bare, pct.",
		},
		{[]Fate{allowed, both, allowed}, "Evicts 2 of 3 pods: 2 rescheduled. 1 cannot be evicted."},
		{[]Fate{both}, "No pods to evict: 1 cannot be evicted."},
		{[]Fate{both, both}, "No pods to evict: 2 cannot be evicted."},
		{[]Fate{both, allowed, waits}, "Evicts 2 of 3 pods, 1 of them now: 1 rescheduled. 1 cannot be evicted. 1 is blocked by a PodDisruptionBudget for now; fathom retries until it is allowed."},
		{[]Fate{waits, waits}, "The evictions of 2 pods are blocked by PodDisruptionBudgets for now; fathom retries until they are allowed."},
	} {
		var pods []runtime.Object
		var refs []model.Ref
		forecast := &Forecast{Fates: map[types.UID]Fate{}}
		for i, fate := range c.fates {
			pod := owned(fmt.Sprintf("a/web-%d", i), "n1", "ReplicaSet/web", nil)
			pods, refs = append(pods, pod), append(refs, podRef("a", pod.Name))
			forecast.Fates[pod.UID] = fate
		}
		plan, err := Evict{refs}.Plan(factsOf(t, pods...))
		if err != nil {
			t.Fatal(err)
		}
		plan.Foretell(forecast)
		plan.Foretell(forecast) // again makes no difference
		if got := plan.Effects[0]; got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
		ends := len(c.fates) - countEnds(plan.Ends, func(e End) bool { return e.class() == never })
		if want := strconv.Itoa(ends); plan.PodsTerminated != ends || ends > 1 && plan.Question("c", false).Answer != want {
			t.Errorf("%d pods to evict, asks for %q, want %s", plan.PodsTerminated, plan.Question("c", false).Answer, want)
		}
	}
}

func TestAVerdictTellsWhatWasNotTried(t *testing.T) {
	for _, c := range []struct {
		verdict Verdict
		want    string
	}{
		{Verdict{Asked: true}, "kube-apiserver accepts it (dry run)."},
		{Verdict{Asked: true, Waiting: 2}, "kube-apiserver accepts the rest (dry run; blocked evictions not tried)."},
		{Verdict{Asked: true, Waiting: 2, Untried: 7}, "kube-apiserver accepts the rest (dry run; 7 pods not tried)."},
		{Verdict{Asked: true, Blocked: 1}, "kube-apiserver rejects 1 eviction for now (dry run); fathom retries until it is allowed."},
	} {
		if got := c.verdict.Words(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.verdict, got, c.want)
		}
	}
}

func TestPodsThatAreAlreadyTerminatingAreASentenceOfTheirOwn(t *testing.T) {
	moves, stops := End{Fate: Fate{Outcome: Lands, Node: "n2"}}, End{Terminating: true}
	for i := range []int{0, 1} {
		pod := []*End{&moves, &stops}[i]
		pod.Pod = model.NewPod(owned("a/web", "n1", "ReplicaSet/web", nil))
	}
	for want, ends := range map[string]Ends{
		"2 rescheduled. 1 is already terminating":  {moves, stops, moves},
		"1 rescheduled. 2 are already terminating": {moves, stops, stops},
		"2 already terminating":                    {stops, stops},
	} {
		if got := ends.counts(); got != want {
			t.Errorf("the counts are %q, want %q", got, want)
		}
	}
}
