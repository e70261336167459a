package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// scoringOnly are resources that change where a pod ends up, never whether it
// fits: default spreading reads them.
var scoringOnly = map[string]bool{
	"services": true, "replicationcontrollers": true, "replicasets": true, "statefulsets": true,
}

// leaveOpen notes why the plugin's answer does not count.
func (a *Answer) leaveOpen(resource, why string) { a.Open = because(a.Open, resource, why) }

// because adds to reasons why a resource could not be read.
func because(reasons map[string][]string, resource, why string) map[string][]string {
	if reasons == nil {
		reasons = map[string][]string{}
	}
	if !slices.Contains(reasons[resource], why) {
		reasons[resource] = append(reasons[resource], why)
	}
	return reasons
}

// noteReads leaves the answer open if the plugin has just read something that
// could not be listed. Namespaces are left to namespacesMatter: InterPodAffinity
// reads the pod's own whether it needs it or not.
func (p *Profile) noteReads(a *Answer) {
	for _, resource := range p.unreadable().reads() {
		why := p.Scheduler.Forbidden[resource]
		switch {
		case resource == "namespaces" || scoringOnly[resource]:
		case onlyRejects(resource):
			a.Unsure = because(a.Unsure, resource, why)
		default:
			a.leaveOpen(resource, why)
		}
	}
}

// onlyRejects says whether objects of a resource can only add rejections: what a plugin rejects without
// them, it rejects with them too. DeviceTaintRules add taints to devices, and the allocator of
// DynamicResources tries all combinations of the devices that are left (applyPatches of
// resourceslice/tracker, allocateDevice of structured/internal in k8s.io/dynamic-resource-allocation).
// Where devices count as cpu or memory of the node, it compares those of the first combination
// alone: without its devices another one may fit.
func onlyRejects(resource string) bool {
	return resource == "devicetaintrules" && !utilfeature.DefaultFeatureGate.Enabled(features.DRANodeAllocatableResources)
}

// Unsure says whether plugin k has nothing against node i, but may have with objects that could not be read.
func Unsure(m *Matrix, k, i int) bool {
	a := &m.Answers[k]
	return a.Unsure != nil && a.Pre == nil && (a.Column == nil || a.Column[i] == nil)
}

// anyUnsure says whether that is so on any node that was asked about.
func anyUnsure(m *Matrix, k int) bool {
	if m.Answers[k].Unsure == nil {
		return false
	}
	for i := range m.Nodes {
		if !m.skipped[i] && Unsure(m, k, i) {
			return true
		}
	}
	return false
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

// Parts tells what the plugin's answer, or what it has nothing against, is open for.
func (a *Answer) Parts(plugin string) (parts []report.UnknownPart) {
	for _, open := range []map[string][]string{a.Open, a.Unsure} {
		for resource, reasons := range open {
			for _, why := range reasons {
				parts = append(parts, report.UnknownPart{Resource: resource, Why: why, Plugins: []string{plugin}})
			}
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
		if a.Open != nil || anyUnsure(m, k) {
			parts = append(parts, a.Parts(name)...)
		}
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
