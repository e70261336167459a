package query

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// requested is a cluster of nodes that have 1000m, with a pod that requests some of it.
func requested(nodes map[string]string, change func(*corev1.Node)) []*model.Node {
	b := model.NewBuilder()
	for name, cpu := range nodes {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		}
		change(node)
		b.Node(nil, node)
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Spec: corev1.PodSpec{NodeName: name}}
		pod.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
		}}}
		b.Pod(nil, pod)
	}
	return b.Build(1, model.Status{}, nil).Nodes
}

func names(nodes []*model.Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.Name)
	}
	return strings.Join(all, " ")
}

func TestNodesAreFilteredAndSortedByPercentLifecycleAndCapacityType(t *testing.T) {
	nodes := requested(map[string]string{"a": "955m", "b": "951m", "c": "300m", "d": "2", "e": "900m", "new": "100m"}, func(n *corev1.Node) {
		switch n.Name {
		case "new":
			n.Status.Allocatable, n.Status.Conditions = nil, nil
		case "e":
			n.Labels = map[string]string{"karpenter.sh/capacity-type": "spot"}
			n.Spec.Taints = []corev1.Taint{{Key: "karpenter.sh/disrupted", Effect: corev1.TaintEffectNoSchedule}}
		}
	})
	fields := NodeFields(modeltest.Epoch, nil)
	for filter, want := range map[string]string{
		"cpu.percent>=95": "a b d", "cpu%>=95": "a b d", "cpu.percent>95": "d", "cpu.percent<50%": "c", "cpu%=95": "a b",
		"mem.percent>=0": "", "status=new": "new", "status~initialized": "new", "status=removing": "e", "status=ready": "a b c d e",
		"capacity=spot": "e", "capacity-type!=spot": "a b c d new", `"removing: disrupted"`: "e",
	} {
		compiled, err := Compile(fields, filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		kept, err := compiled.Apply(context.Background(), nodes, nil)
		if err != nil || names(kept.Rows) != want {
			t.Errorf("%s keeps %s, %v, want %s", filter, names(kept.Rows), err, want)
		}
	}
	for _, c := range []struct {
		descending bool
		want       string
	}{{true, "d a b e c new"}, {false, "c e b a d new"}} {
		if sorted, err := fields.Sort(nodes, "cpu.percent", c.descending); err != nil || names(sorted) != c.want {
			t.Errorf("they are sorted as %s, %v, want %s", names(sorted), err, c.want)
		}
	}
}
