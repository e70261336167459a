package cluster

import corev1 "k8s.io/api/core/v1"

// ReadAnnotations are those that the scheduler's plugins, the explanations or the
// views read. Sources drop all others.
var ReadAnnotations = map[string]bool{
	corev1.MirrorPodAnnotationKey:       true, // a static pod: cannot be evicted
	corev1.MigratedPluginsAnnotationKey: true, // of a CSINode, by NodeVolumeLimits and VolumeBinding
	"kubernetes.io/limit-ranger":        true, // of a pod that got defaults of a LimitRange

	// Of ReplicaSets, by fixes and rollouts: their Deployment makes new pods before it deletes old ones
	// where it allows more pods than are wanted.
	"deployment.kubernetes.io/desired-replicas": true,
	"deployment.kubernetes.io/max-replicas":     true,
	"deployment.kubernetes.io/revision":         true, // which of its templates is the newest

	corev1.PodDeletionCost: true, // which pods of a ReplicaSet go first

	// Of claims and volumes, by VolumeBinding.
	"volume.kubernetes.io/selected-node":               true,
	"volume.kubernetes.io/storage-provisioner":         true,
	"volume.beta.kubernetes.io/storage-provisioner":    true,
	"volume.beta.kubernetes.io/storage-class":          true,
	"pv.kubernetes.io/bind-completed":                  true,
	"pv.kubernetes.io/bound-by-controller":             true,
	"pv.kubernetes.io/provisioned-by":                  true,
	"pv.kubernetes.io/migrated-to":                     true,
	"resource.kubernetes.io/pod-claim-name":            true, // of a ResourceClaim, by DynamicResources
	"resource.kubernetes.io/extended-resource-claim":   true,
	"storageclass.kubernetes.io/is-default-class":      true,
	"storageclass.beta.kubernetes.io/is-default-class": true,
	"cluster-autoscaler.kubernetes.io/safe-to-evict":   true,

	// Of pods, which name their PodGroup of another scheduler by them (explain/podgroups), or their
	// Workload of Kueue (explain/queues).
	"scheduling.k8s.io/group-name":          true,
	"scheduling.volcano.sh/group-name":      true,
	"pod-group-name":                        true,
	"kueue.x-k8s.io/workload":               true,
	"kueue.x-k8s.io/prebuilt-workload-name": true,
	"kueue.x-k8s.io/pod-group-name":         true,
}
