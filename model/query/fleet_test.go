package query

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// fleet is a small cluster that the filters below are tried on.
func fleet() *model.Snapshot {
	b := model.NewBuilder()
	gpu := modeltest.NewNode("gpu-a-01", "eu-1a", "31800m", "120Gi", corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
	gpu.Status.Allocatable["nvidia.com/gpu"] = modeltest.Quantities("g", "8")["g"]
	lost := modeltest.NewNode("spot-b-01", "eu-1b", "7900m", "29Gi",
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute})
	lost.Status.Conditions[0].Status = corev1.ConditionFalse
	cordoned := modeltest.NewNode("spot-a-01", "eu-1a", "7900m", "29Gi", corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	cordoned.Spec.Unschedulable = true
	for _, node := range []*corev1.Node{gpu, lost, cordoned, modeltest.NewNode("std-b-02", "eu-1b", "15900m", "60Gi")} {
		b.Node(nil, node)
	}
	for _, pod := range []*corev1.Pod{
		modeltest.NewPod("batch/report-1", "std-b-02", "4", "8Gi", 3*time.Hour, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = modeltest.Quantities("cpu", "4", "memory", "8Gi")
			p.Status.ContainerStatuses[0].RestartCount = 3
		}),
		modeltest.NewPod("batch/report-2", "std-b-02", "500m", "1Gi", 30*time.Hour, nil),
		modeltest.NewPod("ml/train-7xk2p", "", "32", "64Gi", 2*time.Hour, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = modeltest.Quantities("g", "1")["g"]
			p.Spec.Priority = new(int32(1000))
		}),
		modeltest.NewPod("search/index-0", "gpu-a-01", "3", "4Gi", 14*time.Minute, nil),
		modeltest.NewPod("shop/checkout-6c9d8b7f4-x2x1p", "", "4", "8Gi", 14*time.Minute, nil),
		modeltest.NewPod("web/chat-rack-unit", "spot-b-01", "250m", "64Mi", 90*time.Second, func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0] = corev1.ContainerStatus{Name: "app", State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"},
			}}
		}),
	} {
		b.Pod(nil, pod)
	}
	return b.Build(1, model.Status{}, &model.Usage{
		Nodes: map[string]model.Amount{"std-b-02": {MilliCPU: 6100, Memory: 20 << 30}, "gpu-a-01": {MilliCPU: 31000, Memory: 1 << 30}},
		Pods: map[types.NamespacedName]model.Amount{
			{Namespace: "batch", Name: "report-1"}: {MilliCPU: 3900, Memory: 1 << 30},
			{Namespace: "batch", Name: "report-2"}: {MilliCPU: 10, Memory: 1 << 30},
		},
	})
}
