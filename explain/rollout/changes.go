package rollout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// changed is what a field of templates holds, by a key under which two values are the same thing
// changed.
type changed struct {
	field  string
	plugin string // that reads it
	sum    bool   // another field tells what changed of one that there was before: the sum of all
	of     func(*corev1.PodTemplateSpec) map[string]string
}

// limited is what only a quota reads, which keeps pods from being created.
var limited = changed{"limit", "", false, func(t *corev1.PodTemplateSpec) map[string]string {
	return amountsOf(resourcehelper.PodLimits(&corev1.Pod{Spec: t.Spec}, resourcehelper.PodResourcesOptions{}))
}}

// compared are the fields that decide where a pod may go.
var compared = []changed{
	{"request", names.NodeResourcesFit, false, requests},
	{"pod overhead", names.NodeResourcesFit, false, func(t *corev1.PodTemplateSpec) map[string]string { return amountsOf(t.Spec.Overhead) }},
	{"container", names.NodeResourcesFit, true, containers},
	{"node selector", names.NodeAffinity, false, func(t *corev1.PodTemplateSpec) map[string]string { return t.Spec.NodeSelector }},
	{"node affinity", names.NodeAffinity, false, nodeAffinity},
	{"toleration", names.TaintToleration, false, tolerations},
	{"pod affinity", names.InterPodAffinity, false, func(t *corev1.PodTemplateSpec) map[string]string {
		if a := t.Spec.Affinity; a != nil && a.PodAffinity != nil {
			return terms(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		}
		return nil
	}},
	{"pod anti-affinity", names.InterPodAffinity, false, func(t *corev1.PodTemplateSpec) map[string]string {
		if a := t.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
			return terms(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		}
		return nil
	}},
	{"topology spread", names.PodTopologySpread, false, spreads},
	{"host port", names.NodePorts, false, hostPorts},
	{"claim", names.VolumeBinding, false, claims},
	{"resource claim", names.DynamicResources, false, resourceClaims},
	{"scheduling gate", names.SchedulingGates, false, gates},
	{"priority class", names.DefaultPreemption, false, priority},
	{"preemption policy", names.DefaultPreemption, false, func(t *corev1.PodTemplateSpec) map[string]string {
		if t.Spec.PreemptionPolicy == nil {
			return map[string]string{"": string(corev1.PreemptLowerPriority)}
		}
		return map[string]string{"": string(*t.Spec.PreemptionPolicy)}
	}},
	{"scheduler", "", false, func(t *corev1.PodTemplateSpec) map[string]string {
		name := t.Spec.SchedulerName
		if name == "" {
			name = corev1.DefaultSchedulerName
		}
		return map[string]string{"": name}
	}},
	{"runtime class", names.NodeResourcesFit, false, func(t *corev1.PodTemplateSpec) map[string]string {
		if t.Spec.RuntimeClassName == nil {
			return nil
		}
		return map[string]string{"": *t.Spec.RuntimeClassName}
	}},
	{"label", names.InterPodAffinity, false, podLabels},
}

// changes are what differs between two templates, in the order of compared; of pods that are not created also their
// limits.
func changes(before, after *corev1.PodTemplateSpec, created bool) []report.TemplateChange {
	found, fields := []report.TemplateChange{}, compared
	if !created {
		fields = append([]changed{limited}, compared...)
	}
	for _, field := range fields {
		was, is := field.of(before), field.of(after)
		keys := slices.Sorted(maps.Keys(was))
		for _, key := range slices.Sorted(maps.Keys(is)) {
			if _, ok := was[key]; !ok {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			from, had := was[key]
			to, has := is[key]
			if had == has && (from == to || field.sum) {
				continue
			}
			found = append(found, report.TemplateChange{
				Field: field.field, Key: key, Plugin: field.plugin, Before: from, After: to, Added: !had, Removed: !has,
			})
		}
	}
	return found
}

// markAdmission marks the changes of pods that are none of their templates. A container that the template adds may
// request what a LimitRange has it request.
func markAdmission(ofPods []report.TemplateChange, before, after *corev1.PodTemplateSpec, created bool) {
	ofTemplates, others := changes(before, after, created), !slices.Equal(containerNames(before), containerNames(after))
	for i := range ofPods {
		change := &ofPods[i]
		ofOthers := others && slices.Contains([]string{"request", "limit", "container"}, change.Field)
		change.Admission = !ofOthers && !slices.ContainsFunc(ofTemplates, func(c report.TemplateChange) bool { return c.Field == change.Field && c.Key == change.Key })
	}
}

// containerNames are all of a template, in their order.
func containerNames(t *corev1.PodTemplateSpec) (all []string) {
	for i := range t.Spec.InitContainers {
		all = append(all, t.Spec.InitContainers[i].Name)
	}
	for i := range t.Spec.Containers {
		all = append(all, t.Spec.Containers[i].Name)
	}
	return all
}

// requests are what a pod of the template requests, as the scheduler counts.
func requests(t *corev1.PodTemplateSpec) map[string]string {
	return amountsOf(resourcehelper.PodRequests(&corev1.Pod{Spec: t.Spec}, resourcehelper.PodResourcesOptions{}))
}

// amountsOf writes resources, without those that are zero, by name.
func amountsOf(of corev1.ResourceList) map[string]string {
	all := map[string]string{}
	for name, amount := range of {
		if !amount.IsZero() {
			all[string(name)] = quantity.OfRequest(name, amount)
		}
	}
	return all
}

// amounts are some resources in a clause: "(cpu 1, memory 512Mi)".
func amounts(of corev1.ResourceList) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, model.ResourceWord(name)+" "+quantity.OfRequest(name, of[name]))
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// containers are those that request anything, by name.
func containers(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	add := func(c *corev1.Container) {
		if len(c.Resources.Requests) > 0 {
			all[c.Name] = amounts(c.Resources.Requests)
		}
	}
	for i := range t.Spec.InitContainers {
		add(&t.Spec.InitContainers[i])
	}
	for i := range t.Spec.Containers {
		add(&t.Spec.Containers[i])
	}
	return all
}

// nodeAffinity is the required one, all terms in one text.
func nodeAffinity(t *corev1.PodTemplateSpec) map[string]string {
	a := t.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var all []string
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		var parts []string
		for _, requirement := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			parts = append(parts, plugins.RequirementText(requirement))
		}
		all = append(all, strings.Join(parts, " and "))
	}
	return map[string]string{"": strings.Join(all, ", or ")}
}

// tolerations are those without which a taint keeps pods away.
func tolerations(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	for i := range t.Spec.Tolerations {
		of := &t.Spec.Tolerations[i]
		if of.Effect == corev1.TaintEffectPreferNoSchedule {
			continue
		}
		text := of.Key
		if text == "" {
			text = "any taint"
		}
		switch of.Operator {
		case corev1.TolerationOpExists:
		case corev1.TolerationOpGt, corev1.TolerationOpLt:
			text = plugins.Compared(of)
		default:
			text += "=" + of.Value
		}
		if of.Effect != "" {
			text += ":" + string(of.Effect)
		}
		all[text] = ""
	}
	return all
}

// terms are required terms about other pods.
func terms(of []corev1.PodAffinityTerm) map[string]string {
	all := map[string]string{}
	for i := range of {
		term := &of[i]
		text := fmt.Sprintf("%s by %s", metav1.FormatLabelSelector(term.LabelSelector), plugins.LabelWord(term.TopologyKey))
		if len(term.Namespaces) > 0 {
			text += " in " + strings.Join(term.Namespaces, ", ")
		}
		if term.NamespaceSelector != nil {
			text += " in namespaces with " + metav1.FormatLabelSelector(term.NamespaceSelector)
		}
		if len(term.MatchLabelKeys) > 0 {
			text += ", matchLabelKeys " + strings.Join(term.MatchLabelKeys, ", ")
		}
		if len(term.MismatchLabelKeys) > 0 {
			text += ", mismatchLabelKeys " + strings.Join(term.MismatchLabelKeys, ", ")
		}
		all[text] = ""
	}
	return all
}

// spreads are the constraints that keep pods pending, by topology key.
func spreads(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	for i := range t.Spec.TopologySpreadConstraints {
		c := &t.Spec.TopologySpreadConstraints[i]
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		text := fmt.Sprintf("maxSkew %d of %s", c.MaxSkew, metav1.FormatLabelSelector(c.LabelSelector))
		if c.MinDomains != nil {
			text += fmt.Sprintf(", minDomains %d", *c.MinDomains)
		}
		if c.NodeAffinityPolicy != nil {
			text += ", nodeAffinityPolicy " + string(*c.NodeAffinityPolicy)
		}
		if c.NodeTaintsPolicy != nil {
			text += ", nodeTaintsPolicy " + string(*c.NodeTaintsPolicy)
		}
		if len(c.MatchLabelKeys) > 0 {
			text += ", matchLabelKeys " + strings.Join(c.MatchLabelKeys, ", ")
		}
		key := plugins.LabelWord(c.TopologyKey)
		if former, ok := all[key]; ok {
			text = former + "; " + text
		}
		all[key] = text
	}
	return all
}

func hostPorts(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	for i := range t.Spec.Containers {
		for _, port := range t.Spec.Containers[i].Ports {
			if port.HostPort > 0 {
				all[plugins.PortWord(port)] = ""
			}
		}
	}
	return all
}

func claims(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	for i := range t.Spec.Volumes {
		switch volume := &t.Spec.Volumes[i]; {
		case volume.PersistentVolumeClaim != nil:
			all[volume.PersistentVolumeClaim.ClaimName] = ""
		case volume.Ephemeral != nil:
			all[volume.Name] = ""
		}
	}
	return all
}

func resourceClaims(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	for _, claim := range t.Spec.ResourceClaims {
		all[claim.Name] = ""
	}
	return all
}

func gates(t *corev1.PodTemplateSpec) map[string]string {
	all := map[string]string{}
	for _, gate := range t.Spec.SchedulingGates {
		all[gate.Name] = ""
	}
	return all
}

func priority(t *corev1.PodTemplateSpec) map[string]string {
	if t.Spec.PriorityClassName == "" {
		return nil
	}
	return map[string]string{"": t.Spec.PriorityClassName}
}

// podLabels are those that selectors of affinity and spread may count, without what tells templates apart, and
// without those of its node that a pod gets when it is bound (plugin/pkg/admission/podtopologylabels).
func podLabels(t *corev1.PodTemplateSpec) map[string]string {
	all := maps.Clone(t.Labels)
	for _, key := range []string{
		appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey, appsv1.StatefulSetPodNameLabel, appsv1.PodIndexLabel,
		"pod-template-generation", corev1.LabelTopologyZone, corev1.LabelTopologyRegion,
	} {
		delete(all, key)
	}
	return all
}
