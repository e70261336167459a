package e2e

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// changes are what a step of a fix may change about a pod, by the beginning of
// its title: each makes the field of b as it is in a, or leaves it where it is
// not what the step says.
var changes = map[string]func(a, b *corev1.PodSpec){
	"request ": func(a, b *corev1.PodSpec) {
		sameRequests(a.Containers, b.Containers)
		sameRequests(a.InitContainers, b.InitContainers)
		sameResources(a.Resources, b.Resources)
	},
	"tolerate ": func(a, b *corev1.PodSpec) {
		if extra := len(b.Tolerations) - len(a.Tolerations); extra >= 1 {
			b.Tolerations = slices.DeleteFunc(b.Tolerations, func(t corev1.Toleration) bool { return !slices.ContainsFunc(a.Tolerations, equals(t)) })
		}
	},
	"remove node selector ": func(a, b *corev1.PodSpec) {
		if len(b.NodeSelector) < len(a.NodeSelector) {
			b.NodeSelector = a.NodeSelector
		}
	},
	"remove node affinity ": func(a, b *corev1.PodSpec) {
		if required := &b.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; requirements(*required) == requirements(a.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)-1 {
			*required = a.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		}
	},
	"remove pod anti-affinity ": func(a, b *corev1.PodSpec) {
		if terms := &b.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution; len(*terms) == len(a.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)-1 {
			*terms = a.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		}
	},
	"remove pod affinity ": func(a, b *corev1.PodSpec) {
		if terms := &b.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution; len(*terms) == len(a.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)-1 {
			*terms = a.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		}
	},
	"set schedulerName ": func(a, b *corev1.PodSpec) {
		if b.SchedulerName == corev1.DefaultSchedulerName {
			b.SchedulerName = a.SchedulerName
		}
	},
	"set maxSkew ":          sameSpread,
	"set ScheduleAnyway ":   sameSpread,
	"set nodeTaintsPolicy ": sameSpread,
	"remove host port ": func(a, b *corev1.PodSpec) {
		for i := range min(len(a.Containers), len(b.Containers)) {
			for k := range min(len(a.Containers[i].Ports), len(b.Containers[i].Ports)) {
				if port := &b.Containers[i].Ports[k]; port.HostPort == 0 {
					port.HostPort, port.HostIP = a.Containers[i].Ports[k].HostPort, a.Containers[i].Ports[k].HostIP
				}
			}
		}
	},
	"remove gate": func(a, b *corev1.PodSpec) {
		if len(b.SchedulingGates) == 0 {
			b.SchedulingGates = a.SchedulingGates
		}
	},
}

// equals is a test for a toleration like this one.
func equals(t corev1.Toleration) func(corev1.Toleration) bool {
	return func(other corev1.Toleration) bool { return other.MatchToleration(&t) }
}

// requirements counts those of a node affinity.
func requirements(required *corev1.NodeSelector) int {
	count := 0
	if required != nil {
		for _, term := range required.NodeSelectorTerms {
			count += len(term.MatchExpressions) + len(term.MatchFields)
		}
	}
	return count
}

// sameRequests takes back what was lowered.
func sameRequests(a, b []corev1.Container) {
	for i := range min(len(a), len(b)) {
		sameResources(&a[i].Resources, &b[i].Resources)
	}
}

// sameResources takes back what was lowered of a container, or of a pod as a whole.
func sameResources(a, b *corev1.ResourceRequirements) {
	if a == nil || b == nil {
		return
	}
	for name, amount := range a.Requests {
		if lower, ok := b.Requests[name]; ok && lower.Cmp(amount) < 0 {
			b.Requests[name] = amount
		}
	}
	for name, amount := range a.Limits {
		lower, request := b.Limits[name], a.Requests[name]
		if lower.Cmp(amount) < 0 && request.Cmp(amount) == 0 { // only where it was the request as well
			b.Limits[name] = amount
		}
	}
}

// sameSpread takes back what was loosened.
func sameSpread(a, b *corev1.PodSpec) {
	for i := range min(len(a.TopologySpreadConstraints), len(b.TopologySpreadConstraints)) {
		before, after := a.TopologySpreadConstraints[i], &b.TopologySpreadConstraints[i]
		if after.MaxSkew > before.MaxSkew {
			after.MaxSkew = before.MaxSkew
		}
		if after.NodeTaintsPolicy != nil && *after.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor {
			after.NodeTaintsPolicy = before.NodeTaintsPolicy
		}
		if after.WhenUnsatisfiable == corev1.ScheduleAnyway {
			after.WhenUnsatisfiable, after.MinDomains = before.WhenUnsatisfiable, before.MinDomains
		}
	}
}

// compareSpecs fails if a pod differs from the one before in more than the fix
// says.
func compareSpecs(t testing.TB, before, after *corev1.Pod, f fix) {
	t.Helper()
	a, b := tidy(before), tidy(after)
	for step := range strings.SplitSeq(f.Title, " and ") {
		for prefix, takeBack := range changes {
			if strings.HasPrefix(step, prefix) {
				takeBack(a, b)
			}
		}
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("more than %q is different about %s (-before +after)\n%s", f.Title, after.Name, diff)
	}
	if diff := cmp.Diff(lasting(before.Labels), lasting(after.Labels)); diff != "" {
		t.Errorf("the labels of %s are different (-before +after)\n%s", after.Name, diff)
	}
}

// tidy is the spec of a pod without what each pod of a workload has of its own.
func tidy(pod *corev1.Pod) *corev1.PodSpec {
	spec := pod.Spec.DeepCopy()
	spec.NodeName, spec.Hostname = "", ""
	spec.Affinity = orNew(spec.Affinity)
	spec.Affinity.NodeAffinity = orNew(spec.Affinity.NodeAffinity)
	spec.Affinity.PodAffinity = orNew(spec.Affinity.PodAffinity)
	spec.Affinity.PodAntiAffinity = orNew(spec.Affinity.PodAntiAffinity)
	if spec.NodeSelector == nil {
		spec.NodeSelector = map[string]string{}
	}
	return spec
}

func orNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// fleeting are the labels that say who made the pod, and where it is.
var fleeting = regexp.MustCompile(`-hash$|controller-uid$|generation$|^topology\.kubernetes\.io/`)

// lasting are the labels that a pod has with those that took its place.
func lasting(labels map[string]string) map[string]string {
	kept := maps.Clone(labels)
	maps.DeleteFunc(kept, func(key, _ string) bool { return fleeting.MatchString(key) })
	return kept
}

// ownersOf names the workloads of each pod, as kind/name.
func ownersOf(t *testing.T, client kubernetes.Interface, pods map[string]*corev1.Pod) map[types.UID][]string {
	t.Helper()
	sets, err := client.AppsV1().ReplicaSets("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	above := map[types.UID][]metav1.OwnerReference{}
	for _, set := range sets.Items {
		above[set.UID] = set.OwnerReferences
	}
	owners := map[types.UID][]string{}
	for _, pod := range pods {
		for _, owner := range pod.OwnerReferences {
			for _, one := range append(above[owner.UID], owner) {
				owners[pod.UID] = append(owners[pod.UID], one.Kind+"/"+one.Name)
			}
		}
	}
	return owners
}

// comparePresence fails if a pod is gone, or going, that the fix does not name.
func comparePresence(t testing.TB, before, after map[string]*corev1.Pod, owners map[types.UID][]string, f fix) {
	t.Helper()
	there := map[types.UID]bool{}
	for _, pod := range after {
		there[pod.UID] = pod.DeletionTimestamp == nil
	}
	for name, pod := range before {
		named := slices.ContainsFunc(f.Affects, func(a affected) bool {
			return a.Namespace == pod.Namespace && (a.Kind == "Pod" && a.Name == pod.Name || slices.Contains(owners[pod.UID], a.Kind+"/"+a.Name))
		})
		if !there[pod.UID] && !named {
			t.Errorf("%s is gone, and affects does not name it: %+v", name, f.Affects)
		}
	}
}
