package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// selectedLabels are the keys of the labels by which pods say which other pods bear on
// them, each with how often: in required affinity and anti-affinity, and in constraints of
// topology spread that keep a pod from a node (Filter of InterPodAffinity and
// PodTopologySpread). No other label of a pod on a node bears on which nodes fit.
type selectedLabels struct {
	keys map[string]int
	any  bool // a default constraint may select by every label
}

// count adds what a pod selects by, or takes it off again; nil selects nothing.
func (l *selectedLabels) count(pod *corev1.Pod, change int) {
	if pod == nil {
		return
	}
	if affinity := pod.Spec.Affinity; affinity != nil {
		if to := affinity.PodAffinity; to != nil {
			l.countTerms(to.RequiredDuringSchedulingIgnoredDuringExecution, change)
		}
		if from := affinity.PodAntiAffinity; from != nil {
			l.countTerms(from.RequiredDuringSchedulingIgnoredDuringExecution, change)
		}
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		if c := &pod.Spec.TopologySpreadConstraints[i]; c.WhenUnsatisfiable == corev1.DoNotSchedule {
			l.countSelector(c.LabelSelector, change)
			l.countKeys(c.MatchLabelKeys, change)
		}
	}
}

func (l *selectedLabels) countTerms(terms []corev1.PodAffinityTerm, change int) {
	for i := range terms {
		l.countSelector(terms[i].LabelSelector, change)
		l.countKeys(terms[i].MatchLabelKeys, change)
		l.countKeys(terms[i].MismatchLabelKeys, change)
	}
}

func (l *selectedLabels) countSelector(selector *metav1.LabelSelector, change int) {
	if selector == nil {
		return
	}
	for key := range selector.MatchLabels {
		l.add(key, change)
	}
	for i := range selector.MatchExpressions {
		l.add(selector.MatchExpressions[i].Key, change)
	}
}

func (l *selectedLabels) countKeys(keys []string, change int) {
	for _, key := range keys {
		l.add(key, change)
	}
}

func (l *selectedLabels) add(key string, change int) {
	l.keys[key] += change
	if l.keys[key] == 0 {
		delete(l.keys, key)
	}
}

// differ reports whether two sets of labels differ in one that is selected by.
func (l *selectedLabels) differ(a, b map[string]string) bool {
	for key, value := range a {
		if other, ok := b[key]; (!ok || other != value) && (l.any || l.keys[key] > 0) {
			return true
		}
	}
	for key := range b {
		if _, ok := a[key]; !ok && (l.any || l.keys[key] > 0) {
			return true
		}
	}
	return false
}

// spreadsByDefault reports whether a profile's own constraints of topology spread, for pods
// that have none, keep pods from nodes. They select as services and controllers do.
func spreadsByDefault(p *Profile) bool {
	spread, ok := p.Args[names.PodTopologySpread].(*config.PodTopologySpreadArgs)
	return ok && slices.ContainsFunc(spread.DefaultConstraints, func(c corev1.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable == corev1.DoNotSchedule
	})
}
