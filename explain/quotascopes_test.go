package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// TestTheScopesOfQuotasAreThoseOfTheQuotaEvaluator on random quotas and pods.
func TestTheScopesOfQuotasAreThoseOfTheQuotaEvaluator(t *testing.T) {
	evaluator := core.NewPodEvaluator(nil, clock.RealClock{})
	classes := []string{"", "high", "low"}
	rapid.Check(t, func(rt *rapid.T) {
		object := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "q"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"pods": resource.MustParse("100")}},
		}
		object.Status.Hard = object.Spec.Hard
		object.Spec.Scopes = rapid.SliceOfNDistinct(rapid.SampledFrom([]corev1.ResourceQuotaScope{
			corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
			corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity, corev1.ResourceQuotaScopeVolumeAttributesClass,
		}), 0, 2, rapid.ID).Draw(rt, "scopes")
		if rapid.Bool().Draw(rt, "selector") {
			term := corev1.ScopedResourceSelectorRequirement{
				ScopeName: corev1.ResourceQuotaScopePriorityClass,
				Operator: rapid.SampledFrom([]corev1.ScopeSelectorOperator{
					corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn, corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist,
				}).Draw(rt, "operator"),
			}
			if term.Operator == corev1.ScopeSelectorOpIn || term.Operator == corev1.ScopeSelectorOpNotIn {
				term.Values = rapid.SliceOfNDistinct(rapid.SampledFrom(classes[1:]), 1, 2, rapid.ID).Draw(rt, "values")
			}
			object.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{term}}
		}
		cpu := rapid.SampledFrom([]string{"0", "1"}).Draw(rt, "cpu")
		pod := testPod("dev/p", "n", cpu, func(p *corev1.Pod) {
			p.Spec.PriorityClassName = rapid.SampledFrom(classes).Draw(rt, "class")
			if rapid.Bool().Draw(rt, "deadline") {
				p.Spec.ActiveDeadlineSeconds = new(int64(60))
			}
			term := corev1.PodAffinityTerm{TopologyKey: "zone"}
			if rapid.Bool().Draw(rt, "other namespaces") {
				term.Namespaces = []string{"shop"}
			}
			switch rapid.IntRange(0, 2).Draw(rt, "affinity") {
			case 0:
				p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}}
			case 1:
				p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{PodAffinityTerm: term}}}}
			}
		})
		want, err := evaluator.Matches(object, pod)
		if err != nil {
			rt.Fatal(err)
		}
		b := model.NewBuilder()
		b.Pod(nil, pod)
		got := inventory.Quotas(b.Build(1, model.Status{}, nil), []*corev1.ResourceQuota{object}, nil, true)[0].Pods == 1
		if got != want {
			rt.Errorf("counted: %v, by the evaluator %v; quota %v %v, pod %v", got, want, object.Spec.Scopes, object.Spec.ScopeSelector, pod.Spec)
		}
	})
}
