package plugins

import "k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

// Explainers has one entry for each plugin whose reason leaves out names or
// numbers, by the plugin's name in the profile. For the others the plugin's own
// reason stands.
var Explainers = map[string]explainer{
	names.NodeResourcesFit:     NodeResourcesFit,
	names.TaintToleration:      TaintToleration,
	names.NodeUnschedulable:    nodeUnschedulable,
	names.NodeName:             nodeName,
	names.NodeAffinity:         nodeAffinity,
	names.NodePorts:            nodePorts,
	names.PodTopologySpread:    PodTopologySpread,
	names.InterPodAffinity:     InterPodAffinity,
	names.VolumeRestrictions:   volumeRestrictions,
	names.VolumeBinding:        volumeBinding,
	names.VolumeZone:           volumeZone,
	names.NodeVolumeLimits:     nodeVolumeLimits,
	names.DynamicResources:     dynamicResources,
	names.NodeDeclaredFeatures: nodeDeclaredFeatures,

	names.DeferredPodScheduling: deferredPodScheduling,
}
