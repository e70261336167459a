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
	same(t, report.Text(mustExplain(t, e, pod), 80, report.TextOptions{Verbose: true, Now: testNow}), `shop/checkout: Unschedulable
0 of 12 nodes fit. Closest: std-b-02 needs cpu 350m more.
requests cpu 4, memory 4Gi · Burstable · priority 0
Agrees with kube-scheduler, unschedulable for 14m.

  NODES cordon taint node-aff fit  REASON (closest first)
      3    ·     ·      ·      ✗   cpu: std-b-02 needs 350m, 2 others 1.2–3.1
      3    ·     ✗      ·      ·   dedicated=gpu:NoSchedule
      4    ·     ·      ✗      ·   node selector disktype=ssd: 3 have hdd, 1 has no label
      1    ·     ✗      ·      ✗   spot-b-01: NotReady; needs cpu 2 more
      1    ✗     ✗      ·      ✗   spot-a-01: cordoned; needs memory 2Gi more
rejects    1     5      4      5   of 12; 10 other plugins pass all nodes
   only    0     3      4      3   nodes that only this plugin rejects

std-b-02 needs cpu 350m more: the pod requests 4, free 3.65 = allocatable 15.9 −
requested 12.25

Preemption won't help: the 3 nodes that lack only free capacity run no lower-
priority pod; the other 9 reject it for other reasons.

KUBE-SCHEDULER, unschedulable for 14m (message identical to fathom's)
  `+said+`

Note: default profile assumed
Note: the cluster runs v1.36.3, the plugins are from v1.37.1
`)
}

func TestTextListsMoreNamesWhereThereIsRoom(t *testing.T) {
	objects, pod := drawnCluster()
	text := report.Text(mustExplain(t, startEngine(t, Options{}, objects...), pod), 120, report.TextOptions{})
	for _, line := range []string{
		"   cpu: std-b-02 needs 350m, spot-c-01 1.2, std-b-01 3.1\n",
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
		"spot-a-01  NodeUnschedulable  is cordoned (spec.unschedulable), and the pod does not tolerate node.kubernetes.io/unschedulable:NoSchedule\n" +
			"spot-a-01  TaintToleration    has the untolerated taint node.kubernetes.io/unschedulable:NoSchedule\n" +
			"spot-a-01  NodeResourcesFit   needs memory 2Gi more: the pod requests 4Gi, free 2Gi = allocatable 8Gi − requested 6Gi\n",
		"std-c-01   NodeAffinity       node selector requires disktype=ssd, the node has no label disktype\n",
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
		"Disagrees with kube-scheduler, 2m ago. The cluster is v1.33.2, fathom's plugins\nare v1.37.1.\n",
		"\nKUBE-SCHEDULER, 2m ago\n  theirs red and more\n\nFATHOM, now (different)\n  mine\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
}

func TestNodesLoseADomainThatAllShareInTheTable(t *testing.T) {
	refused := func(nodes ...string) report.Group {
		return report.Group{Count: len(nodes), Nodes: nodes, Fits: new(false), Words: nodes[0] + ": cordoned", Rejections: []report.Rejection{{Plugin: "NodeUnschedulable"}}}
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
		"Preemption would help: it would fit a after the eviction of 1 pod of lower\npriority.\n",
		"  default/a-1, priority 0; Pending: b needs cpu 1 more\n",
	} {
		if text := report.Text(r, 80, report.TextOptions{Verbose: true}); !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
	e = startEngine(t, Options{}, aNode("a", "4"), aPod("a-1", "2", on("a")), aPod("a-2", "2", on("a")))
	r = mustExplain(t, e, pod)
	r.Preemption = mustPreempt(t, e, pod).Brief(&report.Preemption{})
	if text := report.Text(r, 80, report.TextOptions{Verbose: true}); !strings.Contains(text, "  kube-scheduler may evict one of these instead: default/a-") {
		t.Error(text)
	}
}
