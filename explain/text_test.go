package explain

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestTextIsTheScreenOfWhyWithoutAScreen(t *testing.T) {
	objects, pod := drawnCluster()
	e := startEngine(t, Options{ClusterVersion: "v1.36.3"}, objects...)
	said := mustExplain(t, e, pod).SchedulerMessage
	pod = pod.DeepCopy()
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: said,
		LastTransitionTime: metav1.NewTime(testNow.Add(-14 * time.Minute)),
	}}
	same(t, report.Text(mustExplain(t, e, pod), 80, report.TextOptions{Now: testNow}), `shop/checkout: Unschedulable
No node fits. Nearest: std-b-02, cpu 350m short.
requests cpu 4, memory 4Gi · Burstable · priority 0
kube-scheduler says the same, unschedulable for 14m.

 NODES cordon taint node-aff fit  WHAT STANDS IN THE WAY, NEAREST FIRST
     3    ·     ·      ·      ✗   std-b-02: cpu 350m short; 2 more by 1.2–3.1
     3    ·     ✗      ·      ·   dedicated=gpu:NoSchedule
     4    ·     ·      ✗      ·   wants disktype=ssd: 3 have hdd, 1 no label
     1    ·     ✗      ·      ✗   spot-b-01: NotReady; cpu 2 short
     1    ✗     ✗      ·      ✗   spot-a-01: cordoned; memory 2Gi short
refuse    1     5      4      5   of 12; the 10 other plugins refuse none
 alone    0     3      4      3   nodes that this plugin alone keeps away

nearest  std-b-02, spot-c-01, std-b-01: cpu 350m–3100m short: wants 4, free 900m–3650m, allocatable 7900m–15900m, requested 5100m–15

Preemption cannot help. No pod of lower priority on the 3 nodes where only room lacks; it cannot help the other 9.

KUBE-SCHEDULER, unschedulable for 14m, and the plugins here, now: the same, byte for byte
  `+said+`

Note: default profile assumed
Note: the cluster is v1.36.3, the plugins are those of v1.37.1
`)
}

func TestTextListsMoreNamesWhereThereIsRoom(t *testing.T) {
	objects, pod := drawnCluster()
	text := report.Text(mustExplain(t, startEngine(t, Options{}, objects...), pod), 120, report.TextOptions{})
	for _, line := range []string{
		"   std-b-02: cpu 350m short; spot-c-01: 1.2; std-b-01: 3.1\n",
		"   gpu-a-01, gpu-b-01, gpu-c-01: dedicated=gpu:NoSchedule\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
}

func TestTextTellsEveryNodeWhereAsked(t *testing.T) {
	objects, pod := drawnCluster()
	text := report.Text(mustExplain(t, startEngine(t, Options{}, objects...), pod), 0, report.TextOptions{Nodes: true})
	for _, line := range []string{
		"spot-a-01: cordoned (spec.unschedulable), and node.kubernetes.io/unschedulable:NoSchedule is not tolerated (NodeUnschedulable)\n" +
			"spot-a-01: untolerated taint node.kubernetes.io/unschedulable:NoSchedule (TaintToleration)\n" +
			"spot-a-01: memory 2Gi short: wants 4Gi, free 2Gi = allocatable 8Gi − requested 6Gi (NodeResourcesFit)\n",
		"std-c-01: nodeSelector wants disktype=ssd, has no label disktype (NodeAffinity)\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
}

func TestTextShowsBothMessagesWhereTheyDiffer(t *testing.T) {
	r := &report.Report{
		Verdict: report.Unschedulable, SchedulerMessage: "mine", Scheduler: report.SchedulerInfo{Library: "v1.37.1", Cluster: "v1.33.2"},
		Observed: report.Observed{Message: "theirs \x1b[31mred\nand more", Agrees: new(false), AttemptSeen: new(metav1.NewTime(testNow.Add(-2 * time.Minute)))},
	}
	text := report.Text(r, 80, report.TextOptions{Now: testNow})
	for _, line := range []string{
		"kube-scheduler says otherwise; both messages are below. It is v1.33.2, the plugins here are v1.37.1.\n",
		"KUBE-SCHEDULER, 2m ago\n  theirs red and more\nTHE PLUGINS HERE, now\n  mine\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
}

func TestNodesLoseADomainThatAllShareInTheTable(t *testing.T) {
	refused := func(nodes ...string) report.Group {
		return report.Group{Count: len(nodes), Nodes: nodes, Fits: new(false), Words: nodes[0] + ": cordoned", Refusals: []report.Refusal{{Plugin: "NodeUnschedulable"}}}
	}
	r := &report.Report{Verdict: report.Unschedulable, Groups: []report.Group{refused("ip-10-0-1-17.eu.internal"), refused("ip-10-0-1-18.eu.internal")}}
	if text := report.Text(r, 80, report.TextOptions{}); !strings.Contains(text, "  ip-10-0-1-17: cordoned\n") {
		t.Error(text)
	}
	r.Groups[1] = refused("ip-10-0-1-18.us.internal")
	if text := report.Text(r, 80, report.TextOptions{}); !strings.Contains(text, "  ip-10-0-1-17.eu.internal: cordoned\n") {
		t.Error(text)
	}
}

func TestTextTellsWhatPreemptionEndsAndWhereThatLands(t *testing.T) {
	pod := aPod("urgent", "2", priority(100))
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "3"), aPod("held", "2", on("b"), priority(200)),
		aPod("a-1", "2", on("a"), ownedBy("ReplicaSet", "a"), startedAgo(time.Hour)), aPod("a-2", "2", on("a"), startedAgo(time.Hour), priority(1)))
	r := mustExplain(t, e, pod)
	r.Preemption = mustPreempt(t, e, pod).Brief(&report.Preemption{})
	for _, line := range []string{
		"Preemption can help. It would fit a once 1 pod of lower priority ended.\n",
		"  default/a-1, priority 0; Pending: b: cpu 1 short; 1 more by 2\n",
	} {
		if text := report.Text(r, 80, report.TextOptions{}); !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
	e = startEngine(t, Options{}, aNode("a", "4"), aPod("a-1", "2", on("a")), aPod("a-2", "2", on("a")))
	r = mustExplain(t, e, pod)
	r.Preemption = mustPreempt(t, e, pod).Brief(&report.Preemption{})
	if text := report.Text(r, 80, report.TextOptions{}); !strings.Contains(text, "  or in place of one of them, as nothing ranks them apart: default/a-") {
		t.Error(text)
	}
}
