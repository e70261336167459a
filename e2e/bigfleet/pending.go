package bigfleet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// largestPending is how many pods of one workload are pending at most, as a
// share of all that are.
const largestPending = 6

// cause is why no node takes a pod.
type cause func(f *Fleet, w *workload)

// causes are those of pending pods.
var causes = []cause{
	func(_ *Fleet, w *workload) { request(w, corev1.ResourceCPU, resource.MustParse("500")) },
	func(_ *Fleet, w *workload) { request(w, corev1.ResourceMemory, resource.MustParse("4Ti")) },
	func(f *Fleet, w *workload) { request(w, corev1.ResourceCPU, largest(f.pools)) },
	func(f *Fleet, w *workload) {
		w.template.Spec.NodeSelector = map[string]string{"tier": "platinum-" + f.draw.word(3)}
	},
	func(f *Fleet, w *workload) {
		w.template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelInstanceTypeStable, Operator: corev1.NodeSelectorOpIn, Values: []string{"p5.48xlarge", "g6." + f.draw.word(2) + "xlarge"}},
			}}},
		}}}
	},
	func(f *Fleet, w *workload) { // where the pool has no taint, as the first: too large
		p := &f.pools[f.draw.IntN(len(f.pools))]
		w.template.Spec.NodeSelector = map[string]string{nodeGroupLabel: p.name}
		if p.taint == nil {
			request(w, corev1.ResourceCPU, resource.MustParse("500"))
		}
	},
	func(_ *Fleet, w *workload) {
		w.template.Spec.Volumes = append(w.template.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: w.name + "-data"},
		}})
	},
	func(f *Fleet, w *workload) {
		w.template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/" + pick(f.draw, "budget", "quota")}}
	},
	func(f *Fleet, w *workload) { w.template.Spec.SchedulerName = "scheduler-" + f.draw.word(2) },
	func(_ *Fleet, w *workload) { // pods of others are in the whole region
		w.template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: corev1.LabelTopologyRegion, NamespaceSelector: &metav1.LabelSelector{},
				LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "app.kubernetes.io/managed-by", Operator: metav1.LabelSelectorOpIn, Values: []string{"Helm", "argocd", "kustomize"}},
				}},
			}},
		}}
	},
	func(_ *Fleet, w *workload) { // no node has the label
		w.template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "example.com/room", WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": w.name}},
		}}
	},
}

// addPending draws workloads of pending pods, each for one cause.
func (f *Fleet) addPending() {
	for left := f.size.Pending; left > 0; {
		size := min(f.draw.powerLaw(f.shape.alpha, f.size.Pending/largestPending), left)
		w := f.workload(pick(f.draw, "ReplicaSet", "ReplicaSet", "StatefulSet", "Job"), size)
		w.pending, w.pool = true, nil
		w.template.Spec.PriorityClassName = "" // they preempt nobody
		w.template.Spec.NodeSelector, w.template.Spec.Tolerations = nil, nil
		pick(f.draw, causes...)(f, w)
		f.workloads = append(f.workloads, w)
		left -= size
	}
}

// request has the first container ask for an amount.
func request(w *workload, name corev1.ResourceName, amount resource.Quantity) {
	first := &w.template.Spec.Containers[0]
	first.Resources.Requests[name] = amount
	if limit, ok := first.Resources.Limits[name]; ok && limit.Cmp(amount) < 0 {
		first.Resources.Limits[name] = amount
	}
}

// largest is a little less than all cpu of the largest node: it fits an empty
// one only.
func largest(pools []pool) resource.Quantity {
	var most int64
	for i := range pools {
		most = max(most, pools[i].machine.cpu)
	}
	return resource.MustParse(fmt.Sprintf("%dm", 1000*most-reservedCPU-10))
}
