// Package explaintest makes nodes, pods and random clusters for tests of the engine and of
// what it is made of.
package explaintest

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
)

// Node is a node of so much cpu, 8Gi and ten pods, changed by the edits.
func Node(name, cpu string, edits ...func(*corev1.Node)) *corev1.Node {
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

// NodeLabel sets a label.
func NodeLabel(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

// NodeTaint adds a taint.
func NodeTaint(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

// Pod is a pod of namespace/name on a node ("" for none), with a request.
func Pod(fullName, node, cpu string, edits ...func(*corev1.Pod)) *corev1.Pod {
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

// PodLabel sets a label.
func PodLabel(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels[key] = value }
}

// Requesting sets a request of the first container.
func Requesting(name corev1.ResourceName, amount string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		requests := &p.Spec.Containers[0].Resources.Requests
		if *requests == nil {
			*requests = corev1.ResourceList{}
		}
		(*requests)[name] = resource.MustParse(amount)
	}
}

// NominatedTo nominates the pod to a node.
func NominatedTo(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.NominatedNodeName = node }
}

// HostPort adds a host port to the first container.
func HostPort(ip string, port int32, protocol corev1.Protocol) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports,
			corev1.ContainerPort{HostIP: ip, HostPort: port, ContainerPort: port, Protocol: protocol})
	}
}

// NodeSelectorTerms sets the required node affinity.
func NodeSelectorTerms(terms ...corev1.NodeSelectorTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = OrNew(p.Spec.Affinity)
		p.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
		}
	}
}

// SpreadOver adds a topology spread constraint over pods with the label app.
func SpreadOver(key string, maxSkew int32, minDomains *int32, app string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew: maxSkew, TopologyKey: key, MinDomains: minDomains, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		})
	}
}

// PodTerm is a term of pod affinity about pods with the label app.
func PodTerm(key, app string, namespaces ...string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		TopologyKey: key, Namespaces: namespaces, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}
}

// Near sets the required pod affinity.
func Near(terms ...corev1.PodAffinityTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = OrNew(p.Spec.Affinity)
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
	}
}

// AwayFrom sets the required pod anti-affinity.
func AwayFrom(terms ...corev1.PodAffinityTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = OrNew(p.Spec.Affinity)
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
	}
}

// OrNew is p, or a pointer to a zero value.
func OrNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// Must panics on an error.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Now is the clock of the tests.
var Now = time.Date(2026, 11, 19, 14, 0, 0, 0, time.UTC)

// LargeNode is a node with room for cpu, 32Gi and 110 pods, changed by options.
func LargeNode(name, cpu string, options ...func(*corev1.Node)) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room.DeepCopy()},
	}
	for _, option := range options {
		option(node)
	}
	return node
}

// PendingPod is a pending pod that asks for cpu, changed by options.
func PendingPod(name, cpu string, options ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("pod-" + name), Labels: map[string]string{"app": name},
			CreationTimestamp: metav1.NewTime(Now.Add(-time.Minute)), Generation: 1,
		},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName,
			Containers: []corev1.Container{{Name: "main", Image: "registry.example/main", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, option := range options {
		option(pod)
	}
	return pod
}

// On makes the pod run on a node.
func On(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = node, corev1.PodRunning }
}

// Priority sets the pod's priority.
func Priority(value int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Priority = &value }
}

// Selecting adds a node selector.
func Selecting(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeSelector = orEmptyMap(p.Spec.NodeSelector)
		p.Spec.NodeSelector[key] = value
	}
}

func orEmptyMap(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// GatedBy gives a pod scheduling gates.
func GatedBy(gates ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, name := range gates {
			p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
		}
	}
}

// GangsOn turns gang scheduling on, which is off by default.
func GangsOn(t testing.TB, composite bool) {
	t.Helper()
	featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
		features.GenericWorkload: true, features.TopologyAwareWorkloadScheduling: composite, features.CompositePodGroup: composite,
	})
}

// OfGroup makes a pod a member of a group.
func OfGroup(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &name} }
}

// PodGroup is a group of ml that needs so many pods (0: it is no gang), and
// belongs to parent ("": to none).
func PodGroup(name, parent string, needs int32) *schedulingv1beta1.PodGroup {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}
	if needs > 0 {
		g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: needs}
	} else {
		g.Spec.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
	}
	if parent != "" {
		g.Spec.ParentCompositePodGroupName = &parent
	}
	return g
}

// CompositePodGroup is a group of groups.
func CompositePodGroup(name, parent string, needs int32) *schedulingv1alpha3.CompositePodGroup {
	g := &schedulingv1alpha3.CompositePodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}
	if needs > 0 {
		g.Spec.SchedulingPolicy.Gang = &schedulingv1alpha3.CompositeGangSchedulingPolicy{MinGroupCount: needs}
	}
	if parent != "" {
		g.Spec.ParentCompositePodGroupName = &parent
	}
	return g
}

// Same fails if two texts differ, and shows both.
func Same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// ControlledBy names a controller.
func ControlledBy(apiVersion, kind, name string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}
}

// PodControlledBy names the controller of a pod.
func PodControlledBy(apiVersion, kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{ControlledBy(apiVersion, kind, name)} }
}
