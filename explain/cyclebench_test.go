package explain

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// benchFitting are pods that fit most nodes, which all are to be ranked.
var benchFitting = []struct {
	name   string
	option func(*corev1.Pod)
}{
	{"plain", func(*corev1.Pod) {}},
	{"spread", func(p *corev1.Pod) {
		p.Labels["app"] = "app-1"
		for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelHostname} {
			p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
				MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}},
			})
		}
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 10, PodAffinityTerm: corev1.PodAffinityTerm{
				TopologyKey: "rack", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}},
			}}},
		}}
	}},
}

func BenchmarkRankAndWay(b *testing.B) {
	for _, size := range benchSizes {
		e, _ := benchEngine(b, size)
		for _, kind := range benchFitting {
			pod := aPod("fitting", "100m", kind.option)
			m, err := e.scheduler.Profile(pod).Evaluate(b.Context(), pod)
			if err != nil {
				b.Fatal(err)
			}
			var feasible []fwk.NodeInfo
			for i, node := range m.Nodes {
				if fits := m.Fits(i); fits != nil && *fits {
					feasible = append(feasible, node)
				}
			}
			b.Run(fmt.Sprintf("nodes=%d/%s/rank", size, kind.name), func(b *testing.B) {
				for b.Loop() {
					if _, err := e.scheduler.Profile(pod).Prioritize(b.Context(), m.State, pod, feasible); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("nodes=%d/%s/outline", size, kind.name), func(b *testing.B) {
				for b.Loop() {
					if _, err := e.Ask(b.Context(), report.Query{Target: report.PodFrom(pod)}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("nodes=%d/%s/way", size, kind.name), func(b *testing.B) {
				for b.Loop() {
					if _, err := e.Ask(b.Context(), report.Query{Target: report.PodFrom(pod), Parts: report.Nodes | report.TracePart}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
