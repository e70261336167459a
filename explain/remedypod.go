package explain

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

func (tolerate) kind() report.FixKind       { return report.FixTolerate }
func (lowerRequest) kind() report.FixKind   { return report.FixRequest }
func (dropSelector) kind() report.FixKind   { return report.FixSelector }
func (dropExpression) kind() report.FixKind { return report.FixSelector }
func (dropPodTerm) kind() report.FixKind    { return report.FixAffinity }
func (loosenSpread) kind() report.FixKind   { return report.FixSpread }
func (dropHostPort) kind() report.FixKind   { return report.FixPort }
func (ungate) kind() report.FixKind         { return report.FixGate }

func (ungate) harm() int         { return 10 }
func (tolerate) harm() int       { return 25 }
func (loosenSpread) harm() int   { return 30 }
func (dropSelector) harm() int   { return 45 }
func (dropExpression) harm() int { return 46 }
func (dropHostPort) harm() int   { return 60 }
func (dropPodTerm) harm() int    { return 65 }

// harm of a lower request grows with how much is taken away: a tenth is little,
// half of it may not be enough to run.
func (r lowerRequest) harm() int {
	return 15 + int(50*(r.total[0]-r.total[1])/max(r.total[0], 1))
}

func (r tolerate) title() string { return "tolerate " + r.taint.ToString() }

// title names the pod's own request, all its containers together.
func (r lowerRequest) title() string {
	return fmt.Sprintf("request %s %s instead of %s", r.resource, quantity.RoundedDown(r.resource, r.total[1]), quantity.RoundedDown(r.resource, r.total[0]))
}

func (r dropSelector) title() string {
	return fmt.Sprintf("remove node selector %s=%s", r.key, r.value)
}

func (r dropExpression) title() string { return "remove node affinity " + r.words }

func (r dropPodTerm) title() string {
	if r.anti {
		return "remove pod anti-affinity " + r.words
	}
	return "remove pod affinity " + r.words
}

func (r loosenSpread) title() string {
	if r.maxSkew[1] == 0 {
		return fmt.Sprintf("set ScheduleAnyway for the %s spread", plugins.LabelWord(r.key))
	}
	return fmt.Sprintf("set maxSkew %d for the %s spread", r.maxSkew[1], plugins.LabelWord(r.key))
}

func (r dropHostPort) title() string {
	return fmt.Sprintf("remove host port %d/%s", r.port, r.protocol)
}

func (r ungate) title() string {
	return "remove " + grammar.Agree(len(r.gates), "gate", "gates") + " " + strings.Join(r.gates, ", ")
}

func (r tolerate) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, r.toleration()) }), nil
}

// toleration is of this taint alone.
func (r tolerate) toleration() corev1.Toleration {
	if r.taint.Value == "" {
		return corev1.Toleration{Key: r.taint.Key, Operator: corev1.TolerationOpExists, Effect: r.taint.Effect}
	}
	return corev1.Toleration{Key: r.taint.Key, Operator: corev1.TolerationOpEqual, Value: r.taint.Value, Effect: r.taint.Effect}
}

func (r lowerRequest) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	var found bool
	changed := changePod(pod, func(p *corev1.Pod) {
		containers := p.Spec.Containers
		if r.init {
			containers = p.Spec.InitContainers
		}
		for i := range containers {
			if containers[i].Name == r.container {
				found = true
				containers[i].Resources.Requests[r.resource] = r.quantity()
				if r.limit {
					containers[i].Resources.Limits[r.resource] = r.quantity()
				}
			}
		}
	})
	if !found {
		return nil, fmt.Errorf("lower request of container %s: the pod has none of that name", r.container)
	}
	return changed, nil
}

// quantity is what the container requests then.
func (r lowerRequest) quantity() resource.Quantity {
	return resource.MustParse(quantity.Canonical(r.resource, r.to))
}

func (r dropSelector) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { delete(p.Spec.NodeSelector, r.key) }), nil
}

func (r dropExpression) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) {
		affinity := p.Spec.Affinity.NodeAffinity
		if r.last {
			affinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
			return
		}
		terms := &affinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		if r.lastOfTerm {
			*terms = slices.Delete(*terms, r.term, r.term+1)
			return
		}
		of := &(*terms)[r.term].MatchExpressions
		*of = slices.Delete(*of, r.expression, r.expression+1)
	}), nil
}

func (r dropPodTerm) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) {
		var terms *[]corev1.PodAffinityTerm
		if r.anti {
			terms = &p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		} else {
			terms = &p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		}
		*terms = slices.Delete(*terms, r.index, r.index+1)
	}), nil
}

func (r loosenSpread) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) {
		constraint := &p.Spec.TopologySpreadConstraints[r.index]
		if r.maxSkew[1] == 0 {
			constraint.WhenUnsatisfiable = corev1.ScheduleAnyway
			constraint.MinDomains = nil // validation allows it with DoNotSchedule only
			return
		}
		constraint.MaxSkew = r.maxSkew[1]
	}), nil
}

func (r dropHostPort) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) {
		for i := range p.Spec.Containers {
			if c := &p.Spec.Containers[i]; c.Name == r.container {
				c.Ports[r.index].HostPort, c.Ports[r.index].HostIP = 0, ""
			}
		}
	}), nil
}

func (r ungate) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { p.Spec.SchedulingGates = nil }), nil
}
