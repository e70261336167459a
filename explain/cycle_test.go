package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// mustWay tells the pod's way and fails the test on an error.
func mustWay(t *testing.T, e *Engine, pod *corev1.Pod) *report.Report {
	t.Helper()
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodFrom(pod), Parts: report.Nodes | report.TracePart})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcomes are what the stages come to, in a line.
func outcomes(w *report.SchedulingCycle) string {
	var all []string
	for _, stage := range w.Stages {
		all = append(all, fmt.Sprintf("%s %s %d→%d", stage.Name, stage.Outcome, stage.From, stage.To))
	}
	return strings.Join(all, ", ")
}

// stepOf is a plugin's step in a stage.
func stepOf(t *testing.T, w *report.SchedulingCycle, stage, plugin string) report.Step {
	t.Helper()
	for _, s := range w.Stages {
		for _, step := range s.Steps {
			if step.Stage == stage && step.Plugin == plugin {
				return step
			}
		}
	}
	t.Fatalf("no step %s of %s", plugin, stage)
	return report.Step{}
}

func TestTheWayOfAPodThatFitsNoNodeIsAsDrawn(t *testing.T) {
	r := mustWay(t, startEngine(t, Options{}, prodEU()...), checkout())
	w := r.Cycle
	if got, want := outcomes(w), "PreEnqueue passed 12→12, PreFilter passed 12→12, Filter rejected 12→0, PostFilter rejected 12→0, "+
		"Score not reached 0→0, Bind not reached 0→0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, want := range []struct {
		plugin               string
		asked, refused, left int
		what                 string
	}{
		{"NodeName", 12, 0, 12, ""},
		{"NodeUnschedulable", 12, 1, 11, "spot-a-01: cordoned"},
		{"TaintToleration", 11, 4, 7, "3: dedicated=gpu; 1: NotReady"},
		{"NodeAffinity", 7, 4, 3, "3: disktype=hdd; 1: no label"},
		{"NodePorts", 0, 0, 3, "skipped: no host ports"},
		{"NodeResourcesFit", 3, 3, 0, "3 lack cpu: 350m, 1.2, 3.1"},
		{"VolumeBinding", 0, 0, 0, "not run: no node remains"},
	} {
		step := stepOf(t, w, report.StageFilter, want.plugin)
		if step.Asked != want.asked || *step.Rejected != want.refused || step.Left != want.left || step.What != want.what {
			t.Errorf("got %s %d %d %d %q, want %+v", step.Plugin, step.Asked, *step.Rejected, step.Left, step.What, want)
		}
	}
	taint := stepOf(t, w, report.StageFilter, "TaintToleration")
	if want := "gpu-a-01, gpu-b-01, gpu-c-01: dedicated=gpu:NoSchedule. spot-b-01: not-ready:NoExecute, not-ready:NoSchedule."; taint.Detail != want {
		t.Errorf("got  %s\nwant %s", taint.Detail, want)
	}
	if want := []string{"std-b-02", "spot-c-01", "std-b-01"}; !slices.Equal(stepOf(t, w, report.StageFilter, "NodeResourcesFit").Nodes, want) {
		t.Errorf("nearest first: %v", stepOf(t, w, report.StageFilter, "NodeResourcesFit").Nodes)
	}
	if w.Where != "" || len(w.Ranked) != 0 || r.Verdict != report.Unschedulable {
		t.Errorf("%q, %v, %s", w.Where, w.Ranked, r.Verdict)
	}
}

func TestAStepTellsNodesThatLackSeveralThingsTogether(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "1"), aNode("b", "2"), aNode("c", "64"))
	w := mustWay(t, e, aPod("web", "4", func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = *resourceQuantity("64Gi")
	})).Cycle
	if got, want := stepOf(t, w, report.StageFilter, "NodeResourcesFit").What, "2 lack cpu, memory; 1: needs memory 32Gi more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheTraceOfAReportIsAContract(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "8"), aPod("held", "2", on("b")))
	encoded, err := json.Marshal(mustWay(t, e, aPod("web", "1")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"trace":[{"stage":"PreEnqueue","plugin":"SchedulingGates","checked":2,"rejected":0,"left":2,"scores":[]}`,
		`{"stage":"Filter","plugin":"NodeResourcesFit","checked":2,"rejected":0,"left":2,"scores":[]}`,
		`{"stage":"PreScore","plugin":"NodeAffinity","checked":0,"rejected":0,"left":2,"scores":[]}`,
		`{"stage":"Score","plugin":"TaintToleration","checked":2,"rejected":0,"left":2,"scores":[{"node":"a","score":100,"weight":3},{"node":"b","score":100,"weight":3}]}`,
	} {
		if !strings.Contains(string(encoded), want) {
			t.Errorf("no %s in\n%s", want, encoded)
		}
	}
	if encoded, _ = json.Marshal(mustExplain(t, e, aPod("web", "1"))); strings.Contains(string(encoded), "trace") {
		t.Errorf("an explanation without a trace has one: %s", encoded)
	}
}

func TestTheWayEndsWhereThePodIsHeldBack(t *testing.T) {
	nodes := []runtime.Object{aNode("a", "4"), aNode("b", "4")}
	gated := aPod("web", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} })
	w := mustWay(t, startEngine(t, Options{}, nodes...), gated).Cycle
	if got := outcomes(w); !strings.HasPrefix(got, "PreEnqueue rejected 2→0, PreFilter not reached 0→0, Filter not reached") {
		t.Error(got)
	}
	if step := stepOf(t, w, report.StageQueue, "SchedulingGates"); step.Outcome != report.Rejected || step.What != "example.com/budget" || *step.Rejected != 2 {
		t.Errorf("%+v", step)
	}
	ending := aPod("web", "1", func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow)) })
	w = mustWay(t, startEngine(t, Options{}, nodes...), ending).Cycle
	if got := w.Stages[0]; got.Outcome != report.Rejected || !strings.Contains(got.Words, "being deleted") {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsNotReadIsUnknownOnTheWay(t *testing.T) {
	for _, test := range []struct {
		unread, want string
	}{
		{"nodes", "PreEnqueue passed 0→0, PreFilter unknown 0→0, Filter unknown 0→0, PostFilter unknown 0→0, Score unknown 0→0, Bind unknown 0→0"},
		{"pods", "PreEnqueue passed 2→2, PreFilter unknown 2→2, Filter unknown 2→2, PostFilter not reached 2→2, Score not reached 2→2, Bind not reached 2→2"},
		{"services", "PreEnqueue passed 2→2, PreFilter passed 2→2, Filter passed 2→2, PostFilter not reached 2→2, Score unknown 2→2, Bind unknown 2→1"},
	} {
		e := startEngineForbidding(t, Options{}, []string{test.unread}, aNode("a", "4"), aNode("b", "1"))
		r := mustWay(t, e, aPod("web", "500m"))
		w := r.Cycle
		if got := outcomes(w); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.unread, got, test.want)
		}
		if test.unread == "pods" {
			step := stepOf(t, w, report.StageFilter, "NodeResourcesFit")
			if step.Rejected != nil || step.Outcome != report.Open || step.What != "unknown: not allowed to list pods" {
				t.Errorf("%+v", step)
			}
		}
		if test.unread == "services" && (!strings.Contains(w.Where, "not be read") || len(r.Unknown) != 1) {
			t.Errorf("%q, %+v", w.Where, r.Unknown)
		}
	}
}

func TestWhereAPodWouldGo(t *testing.T) {
	with := func(objects ...runtime.Object) *Engine { return startEngine(t, Options{}, objects...) }
	pod := aPod("web", "1")
	big := aPod("web", "5")
	two := []runtime.Object{aNode("a", "4"), aNode("b", "8"), aPod("held", "3", on("a"))}
	running := func(node string) runtime.Object { return aPod("web", "1", on(node)) }
	for _, test := range []struct {
		name string
		e    *Engine
		pod  *corev1.Pod
		want string
	}{
		{"ranked", with(two...), pod, "It would be scheduled on b: it scores 464, next a 418."},
		{"alone", with(two...), big, "It would be scheduled on b: no other node fits."},
		{"tied", with(aNode("a", "4"), aNode("b", "4"), aNode("c", "2")), pod, "It would be scheduled on one of a, b at random: each scores 455, next c 436."},
		{"none", with(two...), aPod("web", "9"), ""},
		{"there", with(append(two, running("b"))...), nil, "It would be scheduled on b again: it scores 464, next a 418. Simulated as if the pod had no node yet."},
		{"elsewhere", with(append(two, running("a"))...), nil, "It would be scheduled elsewhere now: b scores 464, a 418. Simulated as if the pod had no node yet."},
		{
			"refused", with(append(two, running("a"), aPod("more", "1", on("a")))...), nil,
			"It would not be scheduled on a now: NodeResourcesFit, needs cpu 1 more. Best is b. Simulated as if the pod had no node yet.",
		},
		{"only there", with(aNode("a", "4"), running("a")), nil, "It would be scheduled on a again: no other node fits. Simulated as if the pod had no node yet."},
		{
			"nowhere", with(aNode("a", "4", func(n *corev1.Node) { n.Spec.Unschedulable = true }), running("a")), nil,
			"No node would fit now. a: NodeUnschedulable, cordoned. Simulated as if the pod had no node yet.",
		},
		{
			"alike", with(aNode("a", "4"), aNode("b", "4"), running("a")), nil,
			"It may be scheduled on a again: it scores 455, as does b. Simulated as if the pod had no node yet.",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := test.e.Ask(t.Context(), report.Query{Target: report.PodOf("pod-web"), Parts: report.Nodes | report.TracePart})
			if test.pod != nil {
				r, err = test.e.Ask(t.Context(), report.Query{Target: report.PodFrom(test.pod), Parts: report.Nodes | report.TracePart})
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Cycle.Where != test.want {
				t.Errorf("got  %q\nwant %q", r.Cycle.Where, test.want)
			}
		})
	}
}

func TestTheWayIsLikelyWhereTheSchedulerDoesNotLookAtAllThatFit(t *testing.T) {
	var nodes []runtime.Object
	for n := range 240 {
		nodes = append(nodes, aNode(fmt.Sprintf("node-%03d", n), "4"))
	}
	w := mustWay(t, startEngine(t, Options{}, nodes...), aPod("web", "1")).Cycle
	if !w.Likely || w.Sample != 117 || len(w.Ranked) != 240 {
		t.Errorf("likely %v, %d of %d", w.Likely, w.Sample, len(w.Ranked))
	}
	if want := "Likely: kube-scheduler scores only 117 of the 240 nodes that fit."; !strings.HasSuffix(w.Where, want) {
		t.Errorf("%q does not end in %q", w.Where, want)
	}
}

func TestPreemptionIsAStageOfTheWay(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"), aPod("held", "3", on("a"), priority(-5)))
	w := mustWay(t, e, aPod("web", "2")).Cycle
	stage := w.Stage(report.StagePostFilter)
	if stage.Outcome != report.Passed || stage.To != 1 || stepOf(t, w, report.StagePostFilter, "DefaultPreemption").What != "helps on a" {
		t.Errorf("%+v", stage)
	}
	missing := aPod("web", "2", func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "none"},
		}}}
	})
	w = mustWay(t, e, missing).Cycle
	if got := w.Stage(report.StagePreFilter); got.Outcome != report.Rejected || stepOf(t, w, report.StagePreFilter, "DynamicResources").Outcome != report.Unreached {
		t.Errorf("%+v", got)
	}
	if got := stepOf(t, w, report.StagePostFilter, "DefaultPreemption"); got.Outcome != report.Unreached {
		t.Errorf("%+v", got)
	}
}

func TestTheNominatedNodeIsAskedAlone(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "8"), aNode("b", "4"))
	w := mustWay(t, e, aPod("web", "1", func(p *corev1.Pod) { p.Status.NominatedNodeName = "b" })).Cycle
	if got := w.Stage(report.StageFilter); got.From != 1 || !strings.Contains(got.Words, "Nominated to b") || w.Ranked[0].Node != "b" {
		t.Errorf("%+v, %+v", got, w.Ranked)
	}
}
