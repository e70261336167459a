package inventory

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// replica is a pod of 2 cpu and 1Gi of a controller.
func replica(name, node string, change func(*corev1.Pod)) *corev1.Pod {
	return modeltest.NewPod("dev/"+name, node, "2", "1Gi", 0, func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", Controller: new(true)}}
		if change != nil {
			change(p)
		}
	})
}

// TestWhatARebalancerWouldEvict has nodes of 10 cpu, with so many pods of 2 cpu each.
func TestWhatARebalancerWouldEvict(t *testing.T) {
	for _, c := range []struct {
		says        string
		pods        []int
		change      func(*corev1.Pod)
		node        func(int, *corev1.Node)
		under, over string
		evicts      int
	}{
		{"from nodes over 50% to those under 20%", []int{4, 0}, nil, nil, "n1", "n0", 2},
		{"20% is under, 50% is not over", []int{4, 1, 2}, nil, nil, "n1", "n0", 2},
		{"while those under are below 50%", []int{5, 5, 0}, nil, nil, "n2", "n0 n1", 3},
		{"nothing where none is under", []int{5, 2}, nil, nil, "", "n0", 0},
		{"nothing where none is over", []int{2, 0}, nil, nil, "n1", "", 0},
		{"nothing where all are under", []int{1, 1}, nil, nil, "n0 n1", "", 0},
		{"a cordoned node is not under", []int{5, 0}, nil, func(i int, n *corev1.Node) { n.Spec.Unschedulable = i == 1 }, "", "n0", 0},
		{"a NotReady node is neither", []int{5, 0}, nil, func(i int, n *corev1.Node) {
			n.Status.Conditions[0].Status = []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue}[i]
		}, "n1", "", 0},
		{"nothing where those that are under have no memory", []int{4, 0}, nil, func(_ int, n *corev1.Node) { delete(n.Status.Allocatable, "memory") }, "n1", "n0", 0},
		{"not the pods of DaemonSets", []int{4, 0}, func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "DaemonSet" }, nil, "n1", "n0", 0},
		{"nor static ones", []int{4, 0}, func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "a"} }, nil, "n1", "n0", 0},
		{"nor those without a controller", []int{4, 0}, func(p *corev1.Pod) { p.OwnerReferences = nil }, nil, "n1", "n0", 0},
		{"nor those with local storage", []int{4, 0}, func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		}, nil, "n1", "n0", 0},
		{"nor critical ones", []int{4, 0}, func(p *corev1.Pod) { p.Spec.Priority = new(int32(model.SystemCritical)) }, nil, "n1", "n0", 0},
		{"nor those that do not tolerate the node that is under", []int{4, 0}, nil, func(i int, n *corev1.Node) {
			if i == 1 {
				n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
			}
		}, "n1", "n0", 0},
	} {
		var nodes []*corev1.Node
		var pods []*corev1.Pod
		for i, count := range c.pods {
			n := modeltest.NewNode(fmt.Sprintf("n%d", i), "", "10", "64Gi")
			if c.node != nil {
				c.node(i, n)
			}
			nodes = append(nodes, n)
			for k := range count {
				pods = append(pods, replica(fmt.Sprintf("p%d-%d", i, k), n.Name, c.change))
			}
		}
		b := balanceOf(grouped(nodes, pods...).Nodes)
		if under, over := strings.Join(b.Under, " "), strings.Join(b.Over, " "); under != c.under || over != c.over || b.Evicts != c.evicts {
			t.Errorf("%s: under %q, over %q, evicts %d", c.says, under, over, b.Evicts)
		}
	}
}

func TestPodsOfTheLowestPriorityAreEvictedFirst(t *testing.T) {
	node := modeltest.NewNode("n0", "", "10", "64Gi")
	priority := func(value int32, limited bool) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Priority = &value
			if limited {
				p.Spec.Containers[0].Resources.Limits = p.Spec.Containers[0].Resources.Requests
			}
		}
	}
	s := grouped([]*corev1.Node{node, modeltest.NewNode("n1", "", "10", "64Gi")},
		replica("a", "n0", priority(10, false)), replica("b", "n0", priority(0, true)), replica("c", "n0", priority(0, false)))
	var got []string
	for _, p := range evictable(s.Nodes[0].Pods, []*load{newLoad(s.Nodes[1])}) {
		got = append(got, p.Object.Name)
	}
	if strings.Join(got, " ") != "c b a" {
		t.Errorf("%v", got)
	}
}

func TestTheLeastAndTheMostRequestedNode(t *testing.T) {
	s := grouped([]*corev1.Node{modeltest.NewNode("n0", "", "10", "64Gi"), modeltest.NewNode("n1", "", "10", "64Gi"), modeltest.NewNode("n2", "", "10", "64Gi")},
		replica("a", "n1", nil), replica("b", "n1", nil), replica("c", "n2", nil))
	if b := balanceOf(s.Nodes); b.Least.Name != "n0" || b.Most.Name != "n1" {
		t.Errorf("least %s, most %s", b.Least.Name, b.Most.Name)
	}
	if b := balanceOf(nil); b.Least != nil || b.Most != nil || b.Evicts != 0 {
		t.Errorf("of no nodes: %+v", b)
	}
}
