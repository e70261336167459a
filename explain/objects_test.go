package explain

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// testNode is a node of so much cpu, 8Gi and ten pods, changed by the edits.
func testNode(name, cpu string, edits ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"),
			corev1.ResourcePods: resource.MustParse("10"), corev1.ResourceEphemeralStorage: resource.MustParse("20Gi"),
		}},
	}
	for _, edit := range edits {
		edit(node)
	}
	return node
}

// nodeLabel sets a label.
func nodeLabel(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func nodeTaint(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

// testPod is a pod of namespace/name on a node ("" for none), with a request.
func testPod(fullName, node, cpu string, edits ...func(*corev1.Pod)) *corev1.Pod {
	namespace, name, _ := strings.Cut(fullName, "/")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(fullName), Labels: map[string]string{}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "app", Image: "app"}}},
	}
	if cpu != "" {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

func podLabel(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels[key] = value }
}

func requesting(name corev1.ResourceName, amount string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		requests := &p.Spec.Containers[0].Resources.Requests
		if *requests == nil {
			*requests = corev1.ResourceList{}
		}
		(*requests)[name] = resource.MustParse(amount)
	}
}

func nominatedTo(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.NominatedNodeName = node }
}

func hostPort(ip string, port int32, protocol corev1.Protocol) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports,
			corev1.ContainerPort{HostIP: ip, HostPort: port, ContainerPort: port, Protocol: protocol})
	}
}

func nodeSelectorTerms(terms ...corev1.NodeSelectorTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = orNew(p.Spec.Affinity)
		p.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
		}
	}
}

func spreadOver(key string, maxSkew int32, minDomains *int32, app string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew: maxSkew, TopologyKey: key, MinDomains: minDomains, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		})
	}
}

func podTerm(key, app string, namespaces ...string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		TopologyKey: key, Namespaces: namespaces, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}
}

func near(terms ...corev1.PodAffinityTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = orNew(p.Spec.Affinity)
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
	}
}

func awayFrom(terms ...corev1.PodAffinityTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = orNew(p.Spec.Affinity)
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
	}
}

func orNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
