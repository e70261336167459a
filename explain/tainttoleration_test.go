package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

func TestEveryUntoleratedTaintIsNamed(t *testing.T) {
	pod := testPod("ml/train", "", "", func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists}}
	})
	for _, c := range []struct {
		node        *corev1.Node
		what, short string
	}{
		{
			testNode("gpu-a-01", "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
			"gpu-a-01 has the untolerated taint dedicated=gpu:NoSchedule", "dedicated=gpu:NoSchedule",
		},
		{
			testNode("gpu-a-02", "4", nodeTaint("team", "ml", corev1.TaintEffectNoSchedule), nodeTaint("old", "", corev1.TaintEffectPreferNoSchedule),
				nodeTaint("zeta", "", corev1.TaintEffectNoExecute), nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
			"gpu-a-02 has the untolerated taints dedicated=gpu:NoSchedule, zeta:NoExecute", "dedicated=gpu:NoSchedule, zeta:NoExecute",
		},
		{
			testNode("spot-b-01", "4", nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoExecute),
				nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)),
			"spot-b-01 has the untolerated taints node.kubernetes.io/not-ready:NoExecute, node.kubernetes.io/not-ready:NoSchedule", "NotReady",
		},
		{
			testNode("spot-b-02", "4", nodeTaint(corev1.TaintNodeDiskPressure, "", corev1.TaintEffectNoSchedule),
				nodeTaint("a", "b", corev1.TaintEffectNoSchedule), nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)),
			"spot-b-02 has the untolerated taints node.kubernetes.io/unschedulable:NoSchedule, a=b:NoSchedule, node.kubernetes.io/disk-pressure:NoSchedule",
			"cordoned, a=b:NoSchedule, DiskPressure",
		},
	} {
		w := newBench([]*corev1.Node{c.node}, nil).told(t, names.TaintToleration, pod, c.node.Name)
		same(t, w.What, c.what)
		same(t, w.Short, c.short)
	}
}

func TestNodesWithTheSameTaintShareASentence(t *testing.T) {
	gpu := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	b := newBench([]*corev1.Node{testNode("gpu-a-01", "4", gpu), testNode("gpu-b-01", "4", gpu)}, nil)
	w := b.toldTogether(t, names.TaintToleration, testPod("ml/train", "", ""), "gpu-a-01", "gpu-b-01")
	same(t, w.What, "gpu-a-01, gpu-b-01 have the untolerated taint dedicated=gpu:NoSchedule")
	same(t, w.Short, "dedicated=gpu:NoSchedule")
}

func TestTheOrderOfTaintsMakesNoOtherShape(t *testing.T) {
	one, two := nodeTaint("a", "", corev1.TaintEffectNoSchedule), nodeTaint("b", "", corev1.TaintEffectNoSchedule)
	q, rs := newBench([]*corev1.Node{testNode("x", "4", one, two), testNode("y", "4", two, one), testNode("z", "4", one)}, nil).
		refusals(t, names.TaintToleration, testPod("ml/train", "", ""))
	shapes := map[string]string{}
	for _, r := range rs {
		shapes[r.Name()] = plugins.TaintToleration.Shape(q, r)
	}
	if shapes["x"] != shapes["y"] || shapes["x"] == shapes["z"] {
		t.Error(shapes)
	}
}
