package trace

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// skipWords say what the pod does not have, which is why the plugin skipped it.
func skipWords(q *plugins.Question, plugin string) string {
	volumes := q.Pod.Spec.Volumes
	claims := slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil })
	switch plugin {
	case names.NodeAffinity:
		return "no node affinity"
	case names.NodePorts:
		return "no host ports"
	case names.VolumeRestrictions:
		return "no volumes for one pod only"
	case names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone:
		if !claims {
			return "no PersistentVolumeClaims"
		}
		return "no matching PersistentVolumeClaims"
	case names.PodTopologySpread:
		return "no spread constraints"
	case names.InterPodAffinity:
		return "no pod affinity rules"
	case names.DynamicResources:
		return "no resource claims"
	case names.NodeDeclaredFeatures:
		return "no required node features"
	case names.DeferredPodScheduling:
		return "no deferred resize"
	}
	return "not applicable to this pod"
}

// skipScoreWords say the same for the plugins that rank nodes.
func skipScoreWords(plugin string) string {
	switch plugin {
	case names.NodeAffinity:
		return "no preferred node affinity"
	case names.VolumeBinding:
		return "no claim to bind"
	case names.PodTopologySpread:
		return "no spread constraints"
	case names.InterPodAffinity:
		return "no preferred pod affinity"
	case names.NodeResourcesBalancedAllocation:
		return "requests nothing"
	}
	return "not applicable to this pod"
}
