package plugins

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
)

// Listers are the objects beside nodes and pods that rejections are about. A kind
// that could not be listed looks empty here: where words need more than their
// plugin has read, ask readable before saying that something does not exist.
// Words are found after the plugins have been asked, so what they read is never
// taken for a read of a plugin (Trace).
type Listers struct {
	claims      corelisters.PersistentVolumeClaimLister
	Volumes     corelisters.PersistentVolumeLister
	Classes     storagelisters.StorageClassLister
	csiNodes    storagelisters.CSINodeLister
	csiDrivers  storagelisters.CSIDriverLister
	capacities  storagelisters.CSIStorageCapacityLister
	attachments storagelisters.VolumeAttachmentLister

	ReplicaSets  appslisters.ReplicaSetLister
	StatefulSets appslisters.StatefulSetLister
	Controllers  corelisters.ReplicationControllerLister

	Forbidden map[string]string // resource → why it could not be listed
}

// NewListers are the listers of factory, of which some hold nothing.
func NewListers(factory informers.SharedInformerFactory, forbidden map[string]string) Listers {
	core, apps, storage := factory.Core().V1(), factory.Apps().V1(), factory.Storage().V1()
	return Listers{
		claims:      core.PersistentVolumeClaims().Lister(),
		Volumes:     core.PersistentVolumes().Lister(),
		Classes:     storage.StorageClasses().Lister(),
		csiNodes:    storage.CSINodes().Lister(),
		csiDrivers:  storage.CSIDrivers().Lister(),
		capacities:  storage.CSIStorageCapacities().Lister(),
		attachments: storage.VolumeAttachments().Lister(),

		ReplicaSets:  apps.ReplicaSets().Lister(),
		StatefulSets: apps.StatefulSets().Lister(),
		Controllers:  core.ReplicationControllers().Lister(),

		Forbidden: forbidden,
	}
}

// Claim is the claim of that name.
func (l Listers) Claim(namespace, name string) (*corev1.PersistentVolumeClaim, error) {
	return l.claims.PersistentVolumeClaims(namespace).Get(name)
}

// WithoutTopology says whether a CSI driver runs on nodes, and on none of them with topology keys or a
// limit of volumes: each of its volumes can be used on all of them.
func (l Listers) WithoutTopology(driver string) bool {
	runs := false
	for _, node := range Everything(l.csiNodes) {
		for i := range node.Spec.Drivers {
			if there := &node.Spec.Drivers[i]; there.Name == driver {
				if len(there.TopologyKeys) > 0 || there.Allocatable != nil && there.Allocatable.Count != nil {
					return false
				}
				runs = true
			}
		}
	}
	return runs
}

// Readable says whether resource (plural, as RBAC names it) could be listed.
func (l Listers) Readable(resource string) bool {
	_, unread := l.Forbidden[resource]
	return !unread
}

// Everything is all that a lister holds.
func Everything[T any](lister interface {
	List(selector labels.Selector) ([]T, error)
},
) []T {
	all, err := lister.List(labels.Everything())
	if err != nil {
		return nil
	}
	return all
}
