package scheduler

import (
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
func (a *Answer) leaveOpen(resource, why string) {
	if a.Open == nil {
		a.Open = map[string][]string{}
	}
	if !slices.Contains(a.Open[resource], why) {
		a.Open[resource] = append(a.Open[resource], why)
	}
}

// noteReads leaves the answer open if the plugin has just read something that
// could not be listed. Namespaces are left to namespacesMatter: InterPodAffinity
// reads the pod's own whether it needs it or not.
func (p *Profile) noteReads(a *Answer) {
	for _, resource := range p.unreadable().reads() {
		if resource != "namespaces" && !scoringOnly[resource] {
			a.leaveOpen(resource, p.Scheduler.Forbidden[resource])
		}
	}
}

// leaveOpen marks the answers that rest on something unread which no read shows:
// what plugins are fed by event handlers, and the pods that are not in the cache.
func (m *Matrix) leaveOpen(pod *corev1.Pod) {
	s := m.Profile.Scheduler
	for k, plugin := range m.Profile.Plugins {
		a := &m.Answers[k]
		switch plugin.Name {
		case names.VolumeBinding: // keeps volumes and claims in caches of its own
			if a.Skipped || a.Pre != nil {
				break
			}
			for _, resource := range []string{"persistentvolumes", "persistentvolumeclaims"} {
				if why, forbidden := s.Forbidden[resource]; forbidden {
					a.leaveOpen(resource, why)
				}
			}
		case names.InterPodAffinity:
			if why, forbidden := s.Forbidden["namespaces"]; forbidden && namespacesMatter(s.State, pod) {
				a.leaveOpen("namespaces", why)
			}
		}
		if why := s.podsUnread(pod, plugin.Name, a); why != "" {
			a.leaveOpen("pods", why)
		}
	}
}

// podsUnread says why the plugin cannot know the pods that it looks at, "" if it
// can. Spread constraints count the pods of the pod's own namespace only.
func (s *Scheduler) podsUnread(pod *corev1.Pod, plugin string, a *Answer) string {
	why, none := s.Forbidden["pods"]
	if !none && s.options.Namespace == "" {
		return ""
	}
	if !none {
		why = "only the pods of namespace " + s.options.Namespace + " are known"
	}
	switch plugin {
	case names.InterPodAffinity: // pods that are not known may want to be alone
		return why
	case names.PodTopologySpread:
		if !none && pod.Namespace == s.options.Namespace {
			return ""
		}
	case names.NodeResourcesFit, names.NodePorts, names.VolumeRestrictions, names.NodeVolumeLimits:
	default:
		return ""
	}
	if a.Skipped {
		return ""
	}
	return why
}

// PodsRead says whether all pods of the nodes are known.
func (s *Scheduler) PodsRead() bool {
	_, forbidden := s.Forbidden["pods"]
	return !forbidden && s.options.Namespace == ""
}

// allRead says whether there is nothing that plugins may look at and that could not be read.
func (s *Scheduler) allRead() bool { return len(s.Forbidden) == 0 && s.options.Namespace == "" }

// namespacesMatter says whether some term that InterPodAffinity has to look at
// selects namespaces by their labels.
func namespacesMatter(s *State, pod *corev1.Pod) bool {
	if selectsNamespaces(pod) {
		return true
	}
	nodes, err := s.overlay.NodeInfos().HavePodsWithRequiredAntiAffinityList()
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

// Parts tells what the plugin's answer is open for.
func (a *Answer) Parts(plugin string) (parts []report.UnknownPart) {
	for resource, reasons := range a.Open {
		for _, why := range reasons {
			parts = append(parts, report.UnknownPart{Resource: resource, Why: why, Plugins: []string{plugin}})
		}
	}
	return parts
}

// Unknown lists what could not be read or run, with the plugins that it leaves
// open.
func (m *Matrix) Unknown() []report.UnknownPart {
	var parts []report.UnknownPart
	for k, plugin := range m.Profile.Plugins {
		a, name := &m.Answers[k], plugin.Name
		parts = append(parts, a.Parts(name)...)
		if Failed(a.Pre) {
			parts = append(parts, report.UnknownPart{Resource: PluginError, Why: a.Pre.Message(), Plugins: []string{name}})
		}
		said := map[string]bool{}
		for _, status := range a.Column {
			if status != nil && Failed(status) && !said[status.Message()] {
				said[status.Message()] = true
				parts = append(parts, report.UnknownPart{Resource: PluginError, Why: status.Message(), Plugins: []string{name}})
			}
		}
	}
	return parts
}
