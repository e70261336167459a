package remedy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

func (Tolerate) kind() report.FixKind         { return report.FixTolerate }
func (LowerRequest) kind() report.FixKind     { return report.FixRequest }
func (SetRequests) kind() report.FixKind      { return report.FixRequest }
func (DropSelector) kind() report.FixKind     { return report.FixSelector }
func (SetSelector) kind() report.FixKind      { return report.FixSelector }
func (DropExpression) kind() report.FixKind   { return report.FixSelector }
func (DropNodeAffinity) kind() report.FixKind { return report.FixSelector }
func (DropPodTerm) kind() report.FixKind      { return report.FixAffinity }
func (LoosenSpread) kind() report.FixKind     { return report.FixSpread }
func (DropHostPort) kind() report.FixKind     { return report.FixPort }
func (SetScheduler) kind() report.FixKind     { return report.FixScheduler }
func (Ungate) kind() report.FixKind           { return report.FixGate }

func (Ungate) harm() int           { return 10 }
func (SetRequests) harm() int      { return 15 } // nobody asked for so much
func (SetScheduler) harm() int     { return 20 }
func (SetSelector) harm() int      { return 24 }
func (DropSelector) harm() int     { return 45 }
func (DropExpression) harm() int   { return 46 }
func (DropNodeAffinity) harm() int { return 48 }
func (DropHostPort) harm() int     { return 60 }
func (DropPodTerm) harm() int      { return 65 }

// harm of a spread that leaves out nodes on which the pod may not run is less: it keeps its guarantee.
func (r LoosenSpread) harm() int {
	if r.HonorTaints {
		return 22
	}
	return 30
}

// harm of a toleration is little, but for one of the control plane's taint: what runs there is not meant
// to compete with kube-apiserver and etcd.
func (r Tolerate) harm() int {
	if OfControlPlane(r.Taint.Key) {
		return 70
	}
	return 25
}

// harm of a lower request grows with how much is taken away: a tenth is little,
// half of it may not be enough to run.
func (r LowerRequest) harm() int {
	return 15 + int(50*(r.Total[0]-r.Total[1])/max(r.Total[0], 1))
}

func (r SetScheduler) title() string { return "set schedulerName " + r.Name }

func (r Tolerate) title() string {
	if t := r.Toleration(); t.Operator == corev1.TolerationOpGt || t.Operator == corev1.TolerationOpLt {
		return "tolerate " + plugins.Compared(&t) + ":" + string(t.Effect)
	}
	return "tolerate " + r.Taint.ToString()
}

// title names the pod's own request, all its containers together. The old one is as the pod's
// requests are shown.
func (r LowerRequest) title() string {
	return fmt.Sprintf("request %s %s instead of %s", r.Resource, quantity.RoundedDown(r.Resource, r.Total[1]), quantity.OfPod(r.Resource, r.Total[0]))
}

func (r SetRequests) title() string {
	names := make([]string, len(r.Of))
	for i, of := range r.Of {
		names[i] = of.Container
	}
	return r.Of[0].title() + " (" + grammar.List(names, grammar.Few) + ")"
}

func (r DropSelector) title() string {
	return fmt.Sprintf("remove node selector %s=%s", r.Key, r.Value)
}

func (r SetSelector) title() string {
	return fmt.Sprintf("set node selector %s=%s instead of %s", r.Key, r.Values[1], r.Values[0])
}

func (r DropExpression) title() string { return "remove node affinity " + r.Words }
func (DropNodeAffinity) title() string { return "remove the required node affinity" }

func (r DropPodTerm) title() string {
	if r.Anti {
		return "remove pod anti-affinity " + r.Words
	}
	return "remove pod affinity " + r.Words
}

func (r LoosenSpread) title() string {
	if r.HonorTaints {
		return fmt.Sprintf("set nodeTaintsPolicy Honor for the %s spread", plugins.LabelWord(r.Key))
	}
	if r.Prefers() {
		return fmt.Sprintf("set ScheduleAnyway for the %s spread", plugins.LabelWord(r.Key))
	}
	return fmt.Sprintf("set maxSkew %d for the %s spread", r.MaxSkew[1], plugins.LabelWord(r.Key))
}

func (r DropHostPort) title() string {
	return "remove host port " + plugins.PortWord(corev1.ContainerPort{HostIP: r.IP, HostPort: r.Port, Protocol: r.Protocol})
}

func (r Ungate) title() string {
	return "remove " + grammar.Agree(len(r.Gates), "gate", "gates") + " " + strings.Join(r.Gates, ", ")
}

func (r Tolerate) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, r.Toleration()) }), nil
}

// Toleration is of this taint alone, or of all values up to it.
func (r Tolerate) Toleration() corev1.Toleration {
	if bound, ok := r.bound(); ok {
		return corev1.Toleration{Key: r.Taint.Key, Operator: r.Compare, Value: bound, Effect: r.Taint.Effect}
	}
	if r.Taint.Value == "" {
		return corev1.Toleration{Key: r.Taint.Key, Operator: corev1.TolerationOpExists, Effect: r.Taint.Effect}
	}
	return corev1.Toleration{Key: r.Taint.Key, Operator: corev1.TolerationOpEqual, Value: r.Taint.Value, Effect: r.Taint.Effect}
}

// bound is the number that the taint's value just compares with: "899" for Gt and 900; false where the
// toleration compares nothing, or the value is no number or has no neighbor.
func (r Tolerate) bound() (string, bool) {
	value, err := strconv.ParseInt(r.Taint.Value, 10, 64)
	switch {
	case err != nil || len(content.IsDecimalInteger(r.Taint.Value)) > 0:
	case r.Compare == corev1.TolerationOpGt && value > math.MinInt64:
		return strconv.FormatInt(value-1, 10), true
	case r.Compare == corev1.TolerationOpLt && value < math.MaxInt64:
		return strconv.FormatInt(value+1, 10), true
	}
	return "", false
}

func (r LowerRequest) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if r.Pod {
		return r.applyToPod(pod)
	}
	var found bool
	changed := changePod(pod, func(p *corev1.Pod) {
		containers := p.Spec.Containers
		if r.Init {
			containers = p.Spec.InitContainers
		}
		for i := range containers {
			if containers[i].Name == r.Container {
				found = true
				if containers[i].Resources.Requests == nil { // a pod from before a LimitRange gave it one
					containers[i].Resources.Requests = corev1.ResourceList{}
				}
				containers[i].Resources.Requests[r.Resource] = r.quantity()
				if r.Limit {
					if containers[i].Resources.Limits == nil {
						containers[i].Resources.Limits = corev1.ResourceList{}
					}
					containers[i].Resources.Limits[r.Resource] = r.quantity()
				}
			}
		}
	})
	if !found {
		return nil, fmt.Errorf("lower request of container %s: the pod has none of that name", r.Container)
	}
	return changed, nil
}

func (r SetRequests) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	for _, of := range r.Of {
		var err error
		if pod, err = of.apply(s, pod); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// applyToPod lowers what the pod itself requests. A template may leave its requests to admission, which
// takes the limits.
func (r LowerRequest) applyToPod(pod *corev1.Pod) (*corev1.Pod, error) {
	if pod.Spec.Resources == nil {
		return nil, errors.New("lower request of the pod: it has no resources of its own")
	}
	return changePod(pod, func(p *corev1.Pod) {
		of := p.Spec.Resources
		if of.Requests == nil {
			of.Requests = corev1.ResourceList{}
		}
		of.Requests[r.Resource] = r.quantity()
		if r.Limit {
			of.Limits[r.Resource] = r.quantity()
		}
	}), nil
}

// quantity is what the container, or the pod, requests then.
func (r LowerRequest) quantity() resource.Quantity {
	return resource.MustParse(quantity.Canonical(r.Resource, r.To))
}

func (r DropSelector) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { delete(p.Spec.NodeSelector, r.Key) }), nil
}

func (r SetSelector) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if _, ok := pod.Spec.NodeSelector[r.Key]; !ok {
		return nil, fmt.Errorf("set node selector %s: the pod has none", r.Key)
	}
	return changePod(pod, func(p *corev1.Pod) { p.Spec.NodeSelector[r.Key] = r.Values[1] }), nil
}

func (r DropExpression) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if required := requiredNodeAffinity(pod); required == nil || r.Term >= len(required.NodeSelectorTerms) || r.Expression >= len(required.NodeSelectorTerms[r.Term].MatchExpressions) {
		return nil, errors.New("remove node affinity: the pod has no such requirement")
	}
	return changePod(pod, func(p *corev1.Pod) {
		affinity := p.Spec.Affinity.NodeAffinity
		if r.Last {
			affinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
			return
		}
		terms := &affinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		if r.LastOfTerm {
			*terms = slices.Delete(*terms, r.Term, r.Term+1)
			return
		}
		of := &(*terms)[r.Term].MatchExpressions
		*of = slices.Delete(*of, r.Expression, r.Expression+1)
	}), nil
}

func (DropNodeAffinity) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if requiredNodeAffinity(pod) == nil {
		return nil, errors.New("remove node affinity: the pod has none that is required")
	}
	return changePod(pod, func(p *corev1.Pod) { p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil }), nil
}

func (r DropPodTerm) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if r.Index >= len(requiredPodTerms(pod, r.Anti)) {
		return nil, errors.New("remove pod affinity: the pod has no such term")
	}
	return changePod(pod, func(p *corev1.Pod) {
		var terms *[]corev1.PodAffinityTerm
		if r.Anti {
			terms = &p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		} else {
			terms = &p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		}
		*terms = slices.Delete(*terms, r.Index, r.Index+1)
	}), nil
}

// Prefers says that the constraint becomes a preference: ScheduleAnyway.
func (r LoosenSpread) Prefers() bool { return r.MaxSkew[1] == 0 && !r.HonorTaints }

func (r LoosenSpread) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if all := pod.Spec.TopologySpreadConstraints; r.Index >= len(all) || all[r.Index].TopologyKey != r.Key {
		return nil, fmt.Errorf("loosen topology spread by %s: the pod has no such constraint", r.Key)
	}
	return changePod(pod, func(p *corev1.Pod) {
		switch constraint := &p.Spec.TopologySpreadConstraints[r.Index]; {
		case r.HonorTaints:
			constraint.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
		case r.Prefers():
			constraint.WhenUnsatisfiable = corev1.ScheduleAnyway
			constraint.MinDomains = nil // validation allows it with DoNotSchedule only
		default:
			constraint.MaxSkew = r.MaxSkew[1]
		}
	}), nil
}

func (r DropHostPort) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	if !r.isOf(pod) {
		return nil, fmt.Errorf("remove host port %d: the pod has no such port", r.Port)
	}
	return changePod(pod, func(p *corev1.Pod) {
		for i := range p.Spec.Containers {
			if c := &p.Spec.Containers[i]; c.Name == r.Container {
				c.Ports[r.Index].HostPort, c.Ports[r.Index].HostIP = 0, ""
			}
		}
	}), nil
}

func (r SetScheduler) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { p.Spec.SchedulerName = r.Name }), nil
}

func (r Ungate) apply(_ *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return changePod(pod, func(p *corev1.Pod) { p.Spec.SchedulingGates = nil }), nil
}

// isOf says whether the pod has the port where it is taken off. Other pods of the workload may be of an older template.
func (r DropHostPort) isOf(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
		return c.Name == r.Container && r.Index < len(c.Ports) && c.Ports[r.Index].HostPort == r.Port
	})
}

// requiredNodeAffinity is that of a pod; nil without.
func requiredNodeAffinity(pod *corev1.Pod) *corev1.NodeSelector {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// requiredPodTerms are those of a pod's affinity, or anti-affinity.
func requiredPodTerms(pod *corev1.Pod, anti bool) []corev1.PodAffinityTerm {
	switch a := pod.Spec.Affinity; {
	case a == nil:
	case anti && a.PodAntiAffinity != nil:
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	case !anti && a.PodAffinity != nil:
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}
