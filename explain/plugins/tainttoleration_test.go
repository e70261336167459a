package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestEveryUntoleratedTaintIsNamed(t *testing.T) {
	pod := explaintest.Pod("ml/train", "", "", func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists}}
	})
	for _, c := range []struct {
		node        *corev1.Node
		what, short string
	}{
		{
			explaintest.Node("gpu-a-01", "4", explaintest.NodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
			"gpu-a-01 has the untolerated taint dedicated=gpu:NoSchedule", "dedicated=gpu:NoSchedule",
		},
		{
			explaintest.Node("gpu-a-02", "4", explaintest.NodeTaint("team", "ml", corev1.TaintEffectNoSchedule), explaintest.NodeTaint("old", "", corev1.TaintEffectPreferNoSchedule),
				explaintest.NodeTaint("zeta", "", corev1.TaintEffectNoExecute), explaintest.NodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
			"gpu-a-02 has the untolerated taints dedicated=gpu:NoSchedule, zeta:NoExecute", "dedicated=gpu:NoSchedule, zeta:NoExecute",
		},
		{
			explaintest.Node("spot-b-01", "4", explaintest.NodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoExecute),
				explaintest.NodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)),
			"spot-b-01 has the untolerated taints node.kubernetes.io/not-ready:NoExecute, node.kubernetes.io/not-ready:NoSchedule", "NotReady",
		},
		{
			explaintest.Node("spot-b-02", "4", explaintest.NodeTaint(corev1.TaintNodeDiskPressure, "", corev1.TaintEffectNoSchedule),
				explaintest.NodeTaint("a", "b", corev1.TaintEffectNoSchedule), explaintest.NodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)),
			"spot-b-02 has the untolerated taints node.kubernetes.io/unschedulable:NoSchedule, a=b:NoSchedule, node.kubernetes.io/disk-pressure:NoSchedule",
			"cordoned, a=b:NoSchedule, DiskPressure",
		},
		{
			explaintest.Node("spot-c-01", "4", explaintest.NodeTaint("ToBeDeletedByClusterAutoscaler", "1781000000", corev1.TaintEffectNoSchedule)),
			"spot-c-01 has the untolerated taint ToBeDeletedByClusterAutoscaler=1781000000:NoSchedule: it is being removed by Cluster Autoscaler",
			"being removed by Cluster Autoscaler",
		},
		{
			explaintest.Node("spot-c-02", "4", explaintest.NodeTaint("karpenter.sh/disrupted", "", corev1.TaintEffectNoSchedule)),
			"spot-c-02 has the untolerated taint karpenter.sh/disrupted:NoSchedule: it is being removed by Karpenter", "being removed by Karpenter",
		},
		{
			explaintest.Node("new-1", "4", explaintest.NodeTaint("karpenter.sh/unregistered", "", corev1.TaintEffectNoExecute),
				explaintest.NodeTaint("node.cloudprovider.kubernetes.io/uninitialized", "true", corev1.TaintEffectNoSchedule)),
			"new-1 has the untolerated taints karpenter.sh/unregistered:NoExecute, node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule: " +
				"it is not registered by Karpenter and not initialized by its cloud provider",
			"not registered by Karpenter, not initialized",
		},
	} {
		w := newBench([]*corev1.Node{c.node}, nil).told(t, names.TaintToleration, pod, c.node.Name)
		explaintest.Same(t, w.What, c.what)
		explaintest.Same(t, w.Short, c.short)
	}
}

func TestATolerationThatComparesIsNamed(t *testing.T) {
	pod := explaintest.Pod("ml/train", "", "", func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "sla", Operator: corev1.TolerationOpGt, Value: "950", Effect: corev1.TaintEffectNoSchedule}}
	})
	node := explaintest.Node("std-a", "4", explaintest.NodeTaint("sla", "900", corev1.TaintEffectNoSchedule), explaintest.NodeTaint("sla", "900", corev1.TaintEffectNoExecute))
	const taints = "std-a has the untolerated taints sla=900:NoExecute, sla=900:NoSchedule; "
	w := newBench([]*corev1.Node{node}, nil).told(t, names.TaintToleration, pod, "std-a")
	explaintest.Same(t, w.What, taints+"the pod's toleration of sla > 950 does not count, because the feature gate TaintTolerationComparisonOperators is off")
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.TaintTolerationComparisonOperators, true)
	model.CompareTolerations(true)
	t.Cleanup(func() { model.CompareTolerations(false) })
	b := newBench([]*corev1.Node{node, explaintest.Node("std-b", "4", explaintest.NodeTaint("sla", "951", corev1.TaintEffectNoSchedule))}, nil)
	explaintest.Same(t, b.told(t, names.TaintToleration, pod, "std-a").What, taints+"the pod tolerates sla > 950")
}

func TestNodesWithTheSameTaintShareASentence(t *testing.T) {
	gpu := explaintest.NodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	b := newBench([]*corev1.Node{explaintest.Node("gpu-a-01", "4", gpu), explaintest.Node("gpu-b-01", "4", gpu)}, nil)
	w := b.toldTogether(t, names.TaintToleration, explaintest.Pod("ml/train", "", ""), "gpu-a-01", "gpu-b-01")
	explaintest.Same(t, w.What, "gpu-a-01, gpu-b-01 have the untolerated taint dedicated=gpu:NoSchedule")
	explaintest.Same(t, w.Short, "dedicated=gpu:NoSchedule")
}

func TestTheOrderOfTaintsMakesNoOtherShape(t *testing.T) {
	one, two := explaintest.NodeTaint("a", "", corev1.TaintEffectNoSchedule), explaintest.NodeTaint("b", "", corev1.TaintEffectNoSchedule)
	q, rs := newBench([]*corev1.Node{explaintest.Node("x", "4", one, two), explaintest.Node("y", "4", two, one), explaintest.Node("z", "4", one)}, nil).
		rejections(t, names.TaintToleration, explaintest.Pod("ml/train", "", ""))
	shapes := map[string]string{}
	for _, r := range rs {
		shapes[r.Name()] = plugins.TaintToleration.Shape(q, r)
	}
	if shapes["x"] != shapes["y"] || shapes["x"] == shapes["z"] {
		t.Error(shapes)
	}
}
