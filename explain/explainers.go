package explain

import "k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

// explainers has one entry for each plugin whose reason leaves out names or
// numbers, by the plugin's name in the profile. For the others the plugin's own
// reason stands.
var explainers = map[string]explainer{
	names.NodeResourcesFit:     nodeResourcesFit,
	names.TaintToleration:      taintToleration,
	names.NodeUnschedulable:    nodeUnschedulable,
	names.NodeName:             nodeName,
	names.NodeAffinity:         nodeAffinity,
	names.NodePorts:            nodePorts,
	names.PodTopologySpread:    podTopologySpread,
	names.InterPodAffinity:     interPodAffinity,
	names.VolumeRestrictions:   volumeRestrictions,
	names.VolumeBinding:        volumeBinding,
	names.VolumeZone:           volumeZone,
	names.NodeVolumeLimits:     nodeVolumeLimits,
	names.DynamicResources:     dynamicResources,
	names.NodeDeclaredFeatures: nodeDeclaredFeatures,

	names.DeferredPodScheduling: deferredPodScheduling,
}
