package explain

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

func TestLoseTellsWhatBecomesOfThePodsOfNodes(t *testing.T) {
	web := podControlledBy("apps/v1", "ReplicaSet", "web")
	mirror := func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }
	ending := func(p *corev1.Pod) {
		p.DeletionTimestamp, p.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
	}
	e := startEngine(t, Options{},
		testNode("a", "8"), testNode("b", "4"), testNode("c", "4"), testPod("shop/other", "c", "4"),
		testPod("shop/web-1", "a", "3", web), testPod("shop/big-1", "a", "5", podControlledBy("apps/v1", "ReplicaSet", "big")),
		testPod("dev/shell", "a", "", func(*corev1.Pod) {}), testPod("wf/step", "a", "", podControlledBy("argoproj.io/v1", "Workflow", "nightly")),
		testPod("sys/agent", "a", "", podControlledBy("apps/v1", "DaemonSet", "agent")), testPod("sys/static", "a", "", mirror),
		testPod("shop/old", "a", "", web, ending))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Text(100), `Without a, 1 of its 4 pods is rescheduled, 1 becomes Pending, 1 is undecided, 1 is not recreated: no
controller. 1 DaemonSet pod, 1 static pod, 1 terminating pod are removed with the node.

BECOMES PENDING  WHY
shop/big-1       b needs cpu 4 more

UNDECIDED  WHY
wf/step    not known whether its controller (Workflow nightly) recreates it

NOT RECREATED  WHY
dev/shell      no controller

RESCHEDULED  ON
shop/web-1   b

Unknown: 1 pod that may not be recreated would take capacity
`)
	if again := mustLand(t, e, testPod("shop/later", "", "4")); again.Node != "b" {
		t.Errorf("the state has changed: %+v", again)
	}
	if got.Rescheduled[0].From != "a" || got.Rescheduled[0].Outcome != plan.Lands || got.Rescheduled[0].Nodes == nil {
		t.Errorf("%+v", got.Rescheduled[0])
	}
}

// A Job counts a lost pod as failed, and may not replace it.
func TestLoseDoesNotPromiseThatAJobReplacesItsPod(t *testing.T) {
	e := startEngine(t, Options{}, testNode("a", "8"), testNode("b", "4"), testPod("shop/report-1", "a", "1", podControlledBy("batch/v1", "Job", "report")))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if words := got.Text(100); !strings.Contains(words, "\nshop/report-1  b, unless its Job's backoffLimit is reached\n") {
		t.Errorf("it says %s", words)
	}
}

// What is preempted for the pods of a lost node is told too: one finds another node, one becomes Pending, one is not recreated.
func TestLoseTellsWhatBecomesOfThePodsThatArePreempted(t *testing.T) {
	low, high := podControlledBy("apps/v1", "ReplicaSet", "low"), podControlledBy("apps/v1", "ReplicaSet", "vip")
	e := startEngine(t, Options{}, testNode("a", "8"), testNode("b", "8"), testNode("c", "2"),
		testPod("shop/vip-1", "a", "7", high, priority(100)),
		testPod("shop/low-1", "b", "2", low), testPod("shop/low-2", "b", "2", low), testPod("dev/shell", "b", "4", func(*corev1.Pod) {}))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Text(120), `Without a, its only pod is rescheduled. 3 pods on other nodes are preempted for it: 1 is rescheduled, 1 becomes Pending,
1 is not recreated: no controller.

BECOMES PENDING  FROM  WHY
shop/low-1       b     preempted by shop/vip-1; b needs cpu 1 more

NOT RECREATED  FROM  WHY
dev/shell      b     preempted by shop/vip-1; no controller

RESCHEDULED  FROM  ON
shop/low-2   b     c, preempted by shop/vip-1
shop/vip-1   a     b, evicts dev/shell, shop/low-1, shop/low-2
`)
}

// Which of two equal pods is preempted is left to chance; that one of them becomes Pending is not.
func TestLoseCountsThePodsThatArePreemptedWhicheverTheyAre(t *testing.T) {
	low, high := podControlledBy("apps/v1", "ReplicaSet", "low"), podControlledBy("apps/v1", "ReplicaSet", "vip")
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4"), testNode("c", "4"),
		testPod("shop/vip-1", "a", "3", high, priority(100)), testPod("shop/low-1", "b", "3", low), testPod("shop/low-2", "c", "3", low))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Pending) != 1 || len(got.Undecided) > 0 || len(got.Rescheduled) != 1 ||
		got.Pending[0].PreemptedBy != "shop/vip-1" || !strings.HasPrefix(got.Pending[0].Why, "it or a pod like it is preempted by shop/vip-1; ") {
		t.Errorf("got\n%s", got.Text(120))
	}
}

func TestNodesThatAreLostTogetherTakeNoPodsOfEachOther(t *testing.T) {
	web := podControlledBy("apps/v1", "ReplicaSet", "web")
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4"), testNode("c", "4"),
		testPod("shop/web-1", "a", "3", web), testPod("shop/web-2", "b", "3", web))
	for _, test := range []struct {
		nodes         []string
		moved, waits  int
		undecidedPods int
	}{{[]string{"a"}, 1, 0, 0}, {[]string{"a", "b"}, 0, 0, 2}, {[]string{"a", "b", "c"}, 0, 2, 0}, {[]string{"c"}, 0, 0, 0}} {
		got, err := Lose(t.Context(), e, test.nodes)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Rescheduled) != test.moved || len(got.Pending) != test.waits || len(got.Undecided) != test.undecidedPods {
			t.Errorf("without %v:\n%s", test.nodes, got.Text(80))
		}
	}
}

// A pod that tolerates every taint would go back to a node that is only cordoned.
func TestPodsThatTolerateACordonAreNotRescheduledOnLostNodes(t *testing.T) {
	everything := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		p.Spec.NodeSelector = map[string]string{"pool": "platform"}
	}
	e := startEngine(t, Options{}, testNode("a", "4", nodeLabel("pool", "platform")), testNode("b", "4", nodeLabel("pool", "platform")), testNode("c", "4"),
		testPod("net/egress", "a", "1", podControlledBy("apps/v1", "ReplicaSet", "egress"), everything))
	got, err := Lose(t.Context(), e, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Pending) != 1 || !strings.Contains(got.Pending[0].Why, "c: node selector pool=platform") {
		t.Errorf("%+v\n%s", got.Pending, got.Text(80))
	}
}

func TestLoseFailsWhereItCannotKnow(t *testing.T) {
	for says, e := range map[string]*Engine{
		"no such node":              startEngine(t, Options{}, testNode("a", "4")),
		"not allowed to list nodes": startEngineForbidding(t, Options{}, []string{"nodes"}),
	} {
		if _, err := Lose(t.Context(), e, []string{"b"}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

func TestALossIsUnknownWherePodsOfOneNamespaceAreRead(t *testing.T) {
	e := startEngine(t, Options{Namespace: "shop"}, testNode("a", "4"), testNode("b", "4"))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Unknown) != 1 || got.Unknown[0].Why != "only the pods of namespace shop could be read" {
		t.Errorf("unknown %v", got.Unknown)
	}
}

func TestALossWithoutPodsSaysSo(t *testing.T) {
	loss := &report.Loss{Lost: []string{"a", "b", "c", "d", "e"}}
	if says := loss.Sentence(); says != "Without 5 nodes, no pod has to be rescheduled." {
		t.Error(says)
	}
}

func TestALostNodeIsNotTheReasonWhyItsPodsArePending(t *testing.T) {
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("gpu", "4", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}), testPod("shop/web-1", "a", "1", podControlledBy("apps/v1", "ReplicaSet", "web")))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Pending) != 1 || got.Pending[0].Why != "gpu: dedicated=gpu:NoSchedule" {
		t.Errorf("%+v", got.Pending)
	}
}

// A zone of which all nodes are lost counts for a spread constraint as long as they exist: as after a drain, pods wait
// for its skew. Once they are deleted, it is no topology domain any more.
func TestTheTopologyDomainsOfLostNodesCountUntilTheyAreDeleted(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return nodeLabel(corev1.LabelTopologyZone, name) }
	spread := func(p *corev1.Pod) {
		p.Labels = map[string]string{"app": "web"}
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels},
		}}
	}
	web := podControlledBy("apps/v1", "ReplicaSet", "web")
	e := startEngine(t, Options{}, testNode("a", "8", zone("eu-1a")), testNode("b", "8", zone("eu-1b")), testNode("c", "8", zone("eu-1c")), testNode("c2", "8", zone("eu-1c")),
		testPod("shop/web-1", "a", "1", web, spread), testPod("shop/web-2", "b", "1", web, spread), testPod("shop/web-3", "c", "1", web, spread), testPod("shop/web-4", "c2", "1", web, spread))
	for nodes, want := range map[string]string{
		"c2":  "rescheduled ",
		"a":   "pending zone skew 2–3, maxSkew 1, until the node is deleted",
		"a b": "pending zone skew 3, maxSkew 1, until the nodes are deleted",
	} {
		got, err := Lose(t.Context(), e, strings.Fields(nodes))
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range slices.Concat(got.Rescheduled, got.Pending, got.NotRecreated, got.Undecided) {
			if told := string(pod.Outcome) + " " + pod.Why; told != want {
				t.Errorf("without %s: %q, want %q:\n%s", nodes, told, want, got.Text(80))
			}
		}
	}
}

func TestALossNamesTheTaintsOfAllNodes(t *testing.T) {
	taint := func(key, value string) func(*corev1.Node) { return nodeTaint(key, value, corev1.TaintEffectNoSchedule) }
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4", taint("tenant", "acme")), testNode("c", "4", taint("tenant", "acme")), testNode("d", "4", taint("gpu", "yes")),
		testPod("shop/web-1", "a", "1", podControlledBy("apps/v1", "ReplicaSet", "web")))
	got, err := Lose(t.Context(), e, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "taints on all 3 nodes: tenant=acme:NoSchedule (2), gpu=yes:NoSchedule (1)"; len(got.Pending) != 1 || got.Pending[0].Why != want {
		t.Errorf("%+v, want %q", got.Pending, want)
	}
}
