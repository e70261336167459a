package explain

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
)

// listers are the objects beside nodes and pods that refusals are about. A kind
// that could not be listed looks empty here: where words need more than their
// plugin has read, ask readable before saying that something does not exist.
// Words are found after the plugins have been asked, so what they read is never
// taken for a read of a plugin (Trace).
type listers struct {
	claims      corelisters.PersistentVolumeClaimLister
	volumes     corelisters.PersistentVolumeLister
	classes     storagelisters.StorageClassLister
	csiNodes    storagelisters.CSINodeLister
	csiDrivers  storagelisters.CSIDriverLister
	capacities  storagelisters.CSIStorageCapacityLister
	attachments storagelisters.VolumeAttachmentLister

	replicaSets  appslisters.ReplicaSetLister
	statefulSets appslisters.StatefulSetLister
	controllers  corelisters.ReplicationControllerLister

	forbidden map[string]string // resource → why it could not be listed
}

// newListers are the listers of factory, of which some hold nothing.
func newListers(factory informers.SharedInformerFactory, forbidden map[string]string) listers {
	core, apps, storage := factory.Core().V1(), factory.Apps().V1(), factory.Storage().V1()
	return listers{
		claims:      core.PersistentVolumeClaims().Lister(),
		volumes:     core.PersistentVolumes().Lister(),
		classes:     storage.StorageClasses().Lister(),
		csiNodes:    storage.CSINodes().Lister(),
		csiDrivers:  storage.CSIDrivers().Lister(),
		capacities:  storage.CSIStorageCapacities().Lister(),
		attachments: storage.VolumeAttachments().Lister(),

		replicaSets:  apps.ReplicaSets().Lister(),
		statefulSets: apps.StatefulSets().Lister(),
		controllers:  core.ReplicationControllers().Lister(),

		forbidden: forbidden,
	}
}

// readable says whether resource (plural, as RBAC names it) could be listed.
func (l listers) readable(resource string) bool {
	_, unread := l.forbidden[resource]
	return !unread
}

// everything is all that a lister holds.
func everything[T any](lister interface {
	List(selector labels.Selector) ([]T, error)
},
) []T {
	all, err := lister.List(labels.Everything())
	if err != nil {
		return nil
	}
	return all
}
