package explain

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// prodEU are the twelve nodes of the drawn screens, with one pod each that takes
// what is not free.
func prodEU() (objects []runtime.Object) {
	for _, n := range []struct {
		name, cpu, used, disk string
		change                func(*corev1.Node)
	}{
		{"gpu-a-01", "31800m", "10400m", "ssd", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)},
		{"gpu-b-01", "31800m", "7800m", "ssd", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)},
		{"gpu-c-01", "31800m", "9800m", "ssd", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)},
		{"spot-a-01", "7900m", "2800m", "ssd", func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(n)
		}},
		{"spot-b-01", "7900m", "5900m", "ssd", func(n *corev1.Node) {
			nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoExecute)(n)
			nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)(n)
		}},
		{"spot-c-01", "7900m", "5100m", "ssd", nil},
		{"std-a-01", "15900m", "11400m", "hdd", nil},
		{"std-a-02", "15900m", "11900m", "hdd", nil},
		{"std-b-01", "15900m", "15", "ssd", nil},
		{"std-b-02", "15900m", "12250m", "ssd", nil},
		{"std-c-01", "15900m", "9600m", "", nil},
		{"std-c-02", "15900m", "12300m", "hdd", nil},
	} {
		node := aNode(n.name, n.cpu)
		if n.disk != "" {
			node.Labels["disktype"] = n.disk
		}
		if n.change != nil {
			n.change(node)
		}
		objects = append(objects, node, aPod("on-"+n.name, n.used, on(n.name)))
	}
	return objects
}

// checkout is the pod that most drawn screens are about.
func checkout() *corev1.Pod {
	return aPod("checkout", "4", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disktype": "ssd"} })
}
