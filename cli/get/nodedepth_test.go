package get

import (
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestANodeInDepth(t *testing.T) {
	list := func(cpu, memory, pages string) corev1.ResourceList {
		return corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory), "hugepages-2Mi": resource.MustParse(pages), "nvidia.com/gpu": resource.MustParse("4"),
		}
	}
	n := nodeOf("2", list("3500m", "14Gi", "1Gi"))
	n.Object.Status.Capacity = list("4", "16Gi", "1Gi")
	n.Object.Status.Capacity["example.com/lost"] = resource.MustParse("1")
	n.Limits = model.NewResources(corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("7")})
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	n.Object.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady", Message: "no network", LastTransitionTime: metav1.NewTime(since)},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse},
	}
	n.Object.Status.NodeInfo = corev1.NodeSystemInfo{KubeletVersion: "v1.37.1", KernelVersion: "6.12"}
	n.Object.Status.Images = []corev1.ContainerImage{{SizeBytes: 1 << 20}, {SizeBytes: 1 << 20}}

	d := newNodeDepth(n, true)
	if want := map[string]string{"cpu": "500m", "memory": "2Gi"}; !maps.Equal(d.Reserved, want) {
		t.Errorf("reserved %v, want %v: what is not allocatable at all is not known to be reserved", d.Reserved, want)
	}
	if d.Capacity["hugepages-2Mi"] != "1Gi" || d.Capacity["nvidia.com/gpu"] != "4" || d.Capacity["cpu"] != "4" {
		t.Errorf("capacity %v", d.Capacity)
	}
	if want := map[string]int{"cpu": 200}; !maps.Equal(d.LimitsPercent, want) {
		t.Errorf("limits are %v%% of allocatable, want %v", d.LimitsPercent, want)
	}
	if len(d.Conditions) != 2 || d.Conditions[1].Message != "no network" || !d.Conditions[1].Since.Equal(since) || d.Conditions[0].Since != nil {
		t.Errorf("conditions %+v", d.Conditions)
	}
	if d.NodeInfo.KernelVersion != "6.12" || d.Images.Count != 2 || d.Images.Bytes != 2<<20 {
		t.Errorf("%+v, %+v", d.NodeInfo, d.Images)
	}
	if d := newNodeDepth(n, false); d.LimitsPercent != nil {
		t.Errorf("limits of pods that were not read: %v", d.LimitsPercent)
	}
	usage := &model.Usage{Nodes: map[string]model.Amount{"": {MilliCPU: 1500, Memory: 1 << 30}}}
	if used := usedOn(n, usage); used["cpu"] != "1500m" || used["memory"] != "1Gi" {
		t.Errorf("used %v", used)
	}
	if usedOn(n, nil) != nil || usedOn(n, &model.Usage{}) != nil {
		t.Error("what is not measured is used")
	}
}
