package explain

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// TestAFixThatRemovesATaintSaysThatOtherPodsMayCome although none is pending now, and what becomes of them
// when the taint is added again.
func TestAFixThatRemovesATaintSaysThatOtherPodsMayCome(t *testing.T) {
	taint := func(effect corev1.TaintEffect) func(*corev1.Node) { return nodeTaint("dedicated", "gpu", effect) }
	for name, c := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"one node": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoSchedule))},
			"other pods may come [node/a may get pods that do not tolerate the taint; undo leaves them there]",
		},
		"several nodes": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoSchedule)), testNode("b", "4", taint(corev1.TaintEffectNoSchedule)), testNode("c", "4", taint(corev1.TaintEffectNoSchedule))},
			"other pods may come [node/a and 2 more may get pods that do not tolerate the taint; undo leaves them there]",
		},
		"NoExecute": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoExecute))},
			"other pods may come [node/a may get pods that do not tolerate the taint; undo evicts them]",
		},
		"another pod is pending": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoSchedule)), testPod("shop/other", "", "1", ownedBy("ReplicaSet", "other"))},
			"1 other workload fits too [node/a may get pods that do not tolerate the taint; undo leaves them there] [shop/other would fit too]",
		},
	} {
		pod := testPod("shop/web", "", "1")
		e := startEngine(t, Options{}, append(c.objects, pod)...)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart})
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		for _, fix := range r.Tried.Tried {
			if fix.Kind == report.FixUntaint && fix.Verified {
				got = fix.Outcome()
				for _, a := range fix.Affects {
					got += fmt.Sprintf(" [%s %s]", a.Title(), a.How)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestAStartupTaintIsLeftToItsAgent whose DaemonSet is named where it is not Ready: to tolerate or to remove the
// taint would start pods without the agent.
func TestAStartupTaintIsLeftToItsAgent(t *testing.T) {
	tolerates := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	ready := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	onHost := func(p *corev1.Pod) { p.Spec.HostNetwork = true }
	daemon := func(name string) func(*corev1.Pod) { return podControlledBy("apps/v1", "DaemonSet", name) }
	pod := testPod("shop/web", "", "1")
	e := startEngine(t, Options{},
		testNode("a", "4", nodeTaint("node.cilium.io/agent-not-ready", "true", corev1.TaintEffectNoExecute)),
		testPod("kube-system/cilium-x", "a", "100m", tolerates, onHost, daemon("cilium")),
		testPod("kube-system/exporter-x", "a", "100m", tolerates, daemon("exporter")),
		testPod("kube-system/proxy-x", "a", "100m", tolerates, onHost, ready, daemon("proxy")), pod)
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart})
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Summary, "Only the condition of nodes blocks it: a would accept it but is waiting for the agent of node.cilium.io.")
	same(t, r.Groups[0].Rejections[0].Short, "waiting for the agent of node.cilium.io (kube-system/cilium not Ready)")
	same(t, r.Groups[0].Rejections[0].What, "a has the untolerated taint node.cilium.io/agent-not-ready=true:NoExecute: it is waiting for the agent of node.cilium.io; not Ready there: DaemonSets kube-system/cilium, kube-system/exporter")
	for _, fix := range r.Tried.Tried {
		if fix.Kind == report.FixTolerate || fix.Kind == report.FixUntaint {
			t.Errorf("%s is offered", fix.Title)
		}
	}
}

// TestAnAgentThatDoesNotTolerateItsOwnTaintIsOfferedTheToleration and is not told to wait for itself; a node on which
// nothing of a DaemonSet is unready may lack the agent.
func TestAnAgentThatDoesNotTolerateItsOwnTaintIsOfferedTheToleration(t *testing.T) {
	pod := testPod("kube-system/ebs-csi-node-x", "", "1", podControlledBy("apps/v1", "DaemonSet", "ebs-csi-node"))
	e := startEngine(t, Options{}, testNode("a", "4", nodeTaint("ebs.csi.aws.com/agent-not-ready", "", corev1.TaintEffectNoExecute)), pod)
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart})
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Groups[0].Rejections[0].What, "a has the untolerated taint ebs.csi.aws.com/agent-not-ready:NoExecute: it is waiting for the agent of ebs.csi.aws.com; no pod of a DaemonSet is unready there: is the agent installed?")
	if len(r.Tried.Tried) == 0 || r.Tried.Tried[0].Kind != report.FixTolerate || !r.Tried.Tried[0].Verified {
		t.Errorf("fixes: %s", toldFixes(r.Tried))
	}
}
