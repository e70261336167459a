package labelkeys

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod has a keyed selector of each kind, one without a selector, and one of a label that the pod lacks.
func pod() *corev1.Pod {
	selector := func() *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	}
	term := func(match, mismatch []string) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: selector(), MatchLabelKeys: match, MismatchLabelKeys: mismatch}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web", "hash": "h1", "tenant": ""}},
		Spec: corev1.PodSpec{
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
				{TopologyKey: "zone", LabelSelector: selector(), MatchLabelKeys: []string{"hash", "lacks"}},
				{TopologyKey: "zone", MatchLabelKeys: []string{"hash"}},
				{TopologyKey: "zone", LabelSelector: selector()},
			},
			Affinity: &corev1.Affinity{
				PodAffinity: &corev1.PodAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution:  []corev1.PodAffinityTerm{term([]string{"hash"}, []string{"tenant"})},
					PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{PodAffinityTerm: term([]string{"tenant"}, nil)}},
				},
				PodAntiAffinity: &corev1.PodAntiAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution:  []corev1.PodAffinityTerm{term(nil, []string{"hash"})},
					PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{PodAffinityTerm: term([]string{"lacks"}, []string{"hash"})}},
				},
			},
		},
	}
}

func TestKeysAreMergedIntoSelectorsAsKubeAPIServerDoes(t *testing.T) {
	p := pod()
	Merge(p)
	var got []string
	for _, c := range p.Spec.TopologySpreadConstraints {
		got = append(got, metav1.FormatLabelSelector(c.LabelSelector))
	}
	for _, term := range podTerms(p.Spec.Affinity) {
		got = append(got, metav1.FormatLabelSelector(term.LabelSelector))
	}
	want := []string{
		"app=web,hash in (h1)", "<none>", "app=web",
		"app=web,hash in (h1),tenant notin ()", "app=web,tenant in ()",
		"app=web,hash notin (h1)", "app=web,hash notin (h1)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasMergedIsTakenOutAgain(t *testing.T) {
	p := pod()
	Merge(p)
	merged := p.DeepCopy()
	if diff := cmp.Diff(pod().Spec, *Unmerged(&p.Spec)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(merged, p); diff != "" {
		t.Errorf("the pod itself is different: %s", diff)
	}
}

func TestAPodWithAnotherLabelIsMergedWithThat(t *testing.T) {
	for _, merged := range []bool{true, false} {
		got, want := pod(), pod()
		want.Labels["hash"] = "h2"
		if merged {
			Merge(got)
			Merge(want)
		}
		before := got.DeepCopy()
		if diff := cmp.Diff(want, Relabel(got, "hash", "h2")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(before, got); diff != "" {
			t.Errorf("the pod itself is different: %s", diff)
		}
	}
}

func TestKeysOfSelectorsAreFound(t *testing.T) {
	for key, want := range map[string]bool{"hash": true, "tenant": true, "lacks": true, "app": false} {
		if got := Names(&pod().Spec, key); got != want {
			t.Errorf("%s: %t", key, got)
		}
	}
}
