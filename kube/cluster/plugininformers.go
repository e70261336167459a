package cluster

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// others are the informers of all kinds that plugins read from listers while they
// run. The engine has asked the factory for the same ones.
func others(factory informers.SharedInformerFactory) []cache.SharedIndexInformer {
	core, apps, storage, devices := factory.Core().V1(), factory.Apps().V1(), factory.Storage().V1(), factory.Resource().V1()
	return []cache.SharedIndexInformer{
		core.Namespaces().Informer(),
		core.PersistentVolumes().Informer(),
		core.PersistentVolumeClaims().Informer(),
		core.Services().Informer(),
		core.ReplicationControllers().Informer(),
		apps.ReplicaSets().Informer(),
		apps.StatefulSets().Informer(),
		storage.StorageClasses().Informer(),
		storage.CSINodes().Informer(),
		storage.CSIDrivers().Informer(),
		storage.CSIStorageCapacities().Informer(),
		storage.VolumeAttachments().Informer(),
		factory.Policy().V1().PodDisruptionBudgets().Informer(),
		devices.ResourceClaims().Informer(),
		devices.ResourceSlices().Informer(),
		devices.DeviceClasses().Informer(),
		devices.DeviceTaintRules().Informer(),
	}
}

// podGroups are the informers of the groups that pods are scheduled with, as far as they are read.
func podGroups(source *Source) []cache.SharedIndexInformer {
	var all []cache.SharedIndexInformer
	if g := source.PodGroups; g != nil && g.Unread == "" {
		all = append(all, source.Factory.Scheduling().V1beta1().PodGroups().Informer())
		if g.Composite {
			all = append(all, source.Factory.Scheduling().V1alpha3().CompositePodGroups().Informer())
		}
	}
	return all
}
