package explain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// gangOf are so many pending pods of group train, each of so much cpu.
func gangOf(count int, cpu string, edits ...func(*corev1.Pod)) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range count {
		pods = append(pods, testPod(fmt.Sprintf("ml/train-%d", i), "", cpu, append([]func(*corev1.Pod){ofGroup("train")}, edits...)...))
	}
	return pods
}

// startGang is an engine with nodes of cpu, a group and its pods.
func startGang(t *testing.T, cpus []string, needs int32, pods []*corev1.Pod, more ...runtime.Object) *Engine {
	t.Helper()
	var nodes []runtime.Object
	for i, cpu := range cpus {
		nodes = append(nodes, testNode(fmt.Sprintf("n%d", i+1), cpu))
	}
	e := startEngine(t, Options{PodGroups: true}, nodes...)
	changes := []scheduler.Change{{New: testGroup("train", "", needs)}}
	for _, pod := range pods {
		changes = append(changes, scheduler.Change{New: pod})
	}
	for _, object := range more {
		changes = append(changes, scheduler.Change{New: object})
	}
	if err := e.Apply(2, changes); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAGangIsJudgedAsAWhole(t *testing.T) {
	gangsOn(t, false)
	for _, c := range []struct {
		name    string
		nodes   []string
		needs   int32
		pods    []*corev1.Pod
		more    []runtime.Object
		verdict report.Verdict
		summary string
		why     string
		gang    string
	}{
		{
			name: "five of eight", nodes: []string{"8", "8", "4"}, needs: 8, pods: gangOf(8, "4"), verdict: report.Unschedulable,
			summary: "It fits 3 nodes alone, but PodGroup train does not fit: 5 of 8 pending pods fit now, it needs 8.",
			why:     "train: 5 of 8 fit; the 6th, train-5: n1 needs cpu 4 more",
			gang:    "PodGroup train: it needs 8 pods, 8 exist, 0 have a node; 5 of 8 pending pods fit now; the 6th, train-5: n1 needs cpu 4 more.",
		},
		{
			name: "all of them", nodes: []string{"16", "16"}, needs: 8, pods: gangOf(8, "4"), verdict: report.Schedulable,
			summary: "All 8 pending pods of PodGroup train fit.", gang: "all 8 pending pods fit now.",
		},
		{
			name: "none of them", nodes: []string{"2", "2"}, needs: 2, pods: gangOf(2, "4"), verdict: report.Unschedulable,
			summary: "Too large for any node: it requests cpu 4", gang: "0 of 2 pending pods fit now; the 1st, train-0: n1 needs cpu 2 more.",
		},
		{
			name: "more pods than it needs", nodes: []string{"8", "8", "4"}, needs: 4, pods: gangOf(8, "4"), verdict: report.Unknown,
			summary: "5 of the 8 pending pods of PodGroup train fit, and which of them depends on the order", gang: "5 of 8 pending pods fit now; the 6th",
		},
		{
			name: "some have a node", nodes: []string{"8"}, needs: 3, pods: append(gangOf(2, "4"), testPod("ml/a", "n1", "4", ofGroup("train"))), verdict: report.Unschedulable,
			summary: "1 of 2 pending pods fit now, it needs 2.", gang: "it needs 3 pods, 3 exist, 1 has a node; 1 of 2 pending pods fit now",
		},
		{
			name: "one of them is gated", nodes: []string{"64"}, needs: 2, pods: append(gangOf(1, "4"), testPod("ml/x", "", "1", ofGroup("train"), gatedBy("example.com/wait"))),
			verdict: report.Gated, summary: "PodGroup ml/train is scheduled as a whole, and its pod x is gated (example.com/wait) until the gate is removed.",
			why: "gang train: x is gated", gang: "it needs 2 pods, 2 exist, 0 have a node.",
		},
		{
			name: "of other priority than the group", nodes: []string{"64"}, needs: 2, pods: gangOf(2, "4", priority(7)), verdict: report.Unschedulable,
			summary: "kube-scheduler schedules no pod of PodGroup train: pod train-0 has priority 7 and the PodGroup 0: they have to be equal.",
			why:     "train: pod train-0 has priority 7", gang: "they have to be equal.",
		},
		{
			name: "apart from each other", nodes: []string{"64", "64", "64"}, needs: 4, pods: gangOf(4, "1", podLabel("app", "train"), awayFrom(podTerm(corev1.LabelHostname, "train"))),
			verdict: report.Unschedulable, summary: "3 of 4 pending pods fit now, it needs 4.", gang: "the 4th, train-3: ",
		},
		{
			name: "no gang: each for itself", nodes: []string{"8"}, needs: 0, pods: gangOf(3, "4"), verdict: report.Unknown,
			summary: "2 of the 3 pending pods of PodGroup train fit", gang: "PodGroup train: 3 exist, 0 have a node; 2 of 3 pending pods fit now",
		},
		{
			name: "not enough of them", nodes: []string{"64"}, needs: 8, pods: gangOf(3, "4"), verdict: report.Gated,
			summary: "PodGroup ml/train has 3 of the 8 pods that its gang requires: kube-scheduler does not consider it until 5 more pods exist.",
			why:     "gang train: 3 of 8 pods", gang: "it needs 8 pods, 3 exist, 0 have a node.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := startGang(t, c.nodes, c.needs, c.pods, c.more...)
			r := mustExplain(t, e, c.pods[0])
			if r.Verdict != c.verdict || !strings.Contains(r.Summary, c.summary) || !strings.Contains(r.Why, c.why) {
				t.Errorf("verdict %s, want %s\nsummary %s\n   want %s\nwhy %s, want %s", r.Verdict, c.verdict, r.Summary, c.summary, r.Why, c.why)
			}
			if r.Gang == nil {
				t.Fatal("no gang")
			}
			if said := r.Gang.Sentence(); !strings.Contains(said, c.gang) {
				t.Errorf("gang: %s\nwant: %s", said, c.gang)
			}
			if e.scheduler.State.Forked() {
				t.Error("the simulated state was left behind")
			}
		})
	}
}

func TestWhatIsNotSimulatedForAWholeGangIsNotSaid(t *testing.T) {
	gangsOn(t, false)
	pods := gangOf(8, "4", priority(5))
	group := testGroup("train", "", 8)
	group.Spec.Priority = new(int32(5))
	e := startGang(t, []string{"8", "8", "4"}, 8, pods, group, testPod("ml/low", "n1", "1"))
	r := must(e.Ask(context.Background(), report.Query{Target: report.PodFrom(pods[0]), Parts: report.FixesPart | report.PreemptionPart | report.TracePart}))
	same(t, string(r.Verdict), string(report.Unschedulable))
	if len(r.Tried.Tried) > 0 || r.Preemption != nil || r.SchedulerMessage != "" {
		t.Errorf("fixes %v, preemption %v, message %q", r.Tried.Tried, r.Preemption, r.SchedulerMessage)
	}
	same(t, r.Tried.None, "Not simulated: the pod is scheduled with PodGroup train.")
	same(t, r.Plan.Answer, "Unknown: kube-scheduler preempts for a PodGroup as a whole, which is not simulated.")
	if want := "; preemption for the whole group is not simulated"; !strings.HasSuffix(r.Gang.Reason, want) {
		t.Errorf("the gang: %s, want %s", r.Gang.Reason, want)
	}
	if want := "The pod alone, not PodGroup train: It would be scheduled on "; !strings.HasPrefix(r.Cycle.Where, want) {
		t.Errorf("the cycle: %s, want %s", r.Cycle.Where, want)
	}
	if text := report.Text(r, 100, report.TextOptions{}); !strings.Contains(text, "\nGANG PodGroup train: it needs 8 pods, 8 exist, 0 have a node; the 5th,") {
		t.Error(text)
	}
}

func TestAGangWithARequiredTopologyThatFitsIsOpen(t *testing.T) {
	gangsOn(t, false)
	pods := gangOf(2, "4")
	group := testGroup("train", "", 2)
	group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: "rack"}}}
	r := mustExplain(t, startGang(t, []string{"8", "8"}, 2, pods, group), pods[0])
	same(t, string(r.Verdict), string(report.Unknown))
	same(t, r.Unknown[0].Why, "whether PodGroup train is scheduled is not known: the topology that the PodGroup requires is not simulated")
	r = mustExplain(t, startGang(t, []string{"4"}, 2, pods, group), pods[0])
	same(t, string(r.Verdict), string(report.Unschedulable))
}
