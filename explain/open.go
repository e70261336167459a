package explain

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// scoringOnly are resources that change where a pod ends up, never whether it
// fits: default spreading reads them.
var scoringOnly = map[string]bool{
	"services": true, "replicationcontrollers": true, "replicasets": true, "statefulsets": true,
}

// leaveOpen notes why the plugin's answer does not count.
func (a *answer) leaveOpen(resource, why string) {
	if a.open == nil {
		a.open = map[string][]string{}
	}
	if !slices.Contains(a.open[resource], why) {
		a.open[resource] = append(a.open[resource], why)
	}
}

// noteReads leaves the answer open if the plugin has just read something that
// could not be listed. Namespaces are left to namespacesMatter: InterPodAffinity
// reads the pod's own whether it needs it or not.
func (e *Engine) noteReads(a *answer) {
	for _, resource := range e.options.Trace.reads() {
		if resource != "namespaces" && !scoringOnly[resource] {
			a.leaveOpen(resource, e.forbidden[resource])
		}
	}
}

// leaveOpen marks the answers that rest on something unread which no read shows:
// what plugins are fed by event handlers, and the pods that are not in the cache.
func (e *Engine) leaveOpen(m *matrix, pod *corev1.Pod) {
	for k := range e.plugins {
		a := &m.answers[k]
		switch e.plugins[k].name {
		case names.VolumeBinding: // keeps volumes and claims in caches of its own
			if a.skipped || a.pre != nil {
				break
			}
			for _, resource := range []string{"persistentvolumes", "persistentvolumeclaims"} {
				if why, forbidden := e.forbidden[resource]; forbidden {
					a.leaveOpen(resource, why)
				}
			}
		case names.InterPodAffinity:
			if why, forbidden := e.forbidden["namespaces"]; forbidden && e.namespacesMatter(pod) {
				a.leaveOpen("namespaces", why)
			}
		}
		if why := e.podsUnread(pod, e.plugins[k].name, a); why != "" {
			a.leaveOpen("pods", why)
		}
	}
}

// podsUnread says why the plugin cannot know the pods that it looks at, "" if it
// can. Spread constraints count the pods of the pod's own namespace only.
func (e *Engine) podsUnread(pod *corev1.Pod, plugin string, a *answer) string {
	why, none := e.forbidden["pods"]
	if !none && e.options.Namespace == "" {
		return ""
	}
	if !none {
		why = "only the pods of namespace " + e.options.Namespace + " could be read"
	}
	switch plugin {
	case names.InterPodAffinity: // pods that are not known may want to be alone
		return why
	case names.PodTopologySpread:
		if !none && pod.Namespace == e.options.Namespace {
			return ""
		}
	case names.NodeResourcesFit, names.NodePorts, names.VolumeRestrictions, names.NodeVolumeLimits:
	default:
		return ""
	}
	if a.skipped {
		return ""
	}
	return why
}

// namespacesMatter says whether some term that InterPodAffinity has to look at
// selects namespaces by their labels.
func (e *Engine) namespacesMatter(pod *corev1.Pod) bool {
	if selectsNamespaces(pod) {
		return true
	}
	nodes, err := e.overlay.NodeInfos().HavePodsWithRequiredAntiAffinityList()
	if err != nil {
		return true
	}
	for _, node := range nodes {
		if slices.ContainsFunc(node.GetPodsWithRequiredAntiAffinity(), func(p fwk.PodInfo) bool { return selectsNamespaces(p.GetPod()) }) {
			return true
		}
	}
	return false
}

// selectsNamespaces says whether a required term of the pod has a
// namespaceSelector that depends on labels; {} selects all of them.
func selectsNamespaces(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	if affinity.PodAffinity != nil {
		terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	if affinity.PodAntiAffinity != nil {
		terms = append(terms, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return byLabels(t.NamespaceSelector) })
}

func byLabels(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

// parts tells what the plugin's answer is open for.
func (a *answer) parts(plugin string) (parts []report.UnknownPart) {
	for resource, reasons := range a.open {
		for _, why := range reasons {
			parts = append(parts, report.UnknownPart{Resource: resource, Why: why, Plugins: []string{plugin}})
		}
	}
	return parts
}

// unknown lists what could not be read or run, with the plugins that it leaves
// open.
func (e *Engine) unknown(m *matrix) []report.UnknownPart {
	var parts []report.UnknownPart
	for k := range e.plugins {
		a, name := &m.answers[k], e.plugins[k].name
		parts = append(parts, a.parts(name)...)
		if failed(a.pre) {
			parts = append(parts, report.UnknownPart{Resource: errorsOf, Why: a.pre.Message(), Plugins: []string{name}})
		}
		said := map[string]bool{}
		for _, status := range a.column {
			if status != nil && failed(status) && !said[status.Message()] {
				said[status.Message()] = true
				parts = append(parts, report.UnknownPart{Resource: errorsOf, Why: status.Message(), Plugins: []string{name}})
			}
		}
	}
	return parts
}

// mergeParts joins lists of parts into one by resource and reason.
func mergeParts(lists ...[]report.UnknownPart) []report.UnknownPart {
	plugins := map[[2]string][]string{}
	for _, part := range slices.Concat(lists...) {
		key := [2]string{part.Resource, part.Why}
		for _, name := range part.Plugins {
			if !slices.Contains(plugins[key], name) {
				plugins[key] = append(plugins[key], name)
			}
		}
	}
	merged := make([]report.UnknownPart, 0, len(plugins))
	for _, key := range slices.SortedFunc(maps.Keys(plugins), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		merged = append(merged, report.UnknownPart{Resource: key[0], Why: key[1], Plugins: plugins[key]})
	}
	return merged
}
