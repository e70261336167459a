package snapshot

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is one of the kinds that a file may hold.
type kind struct {
	gvk      schema.GroupVersionKind
	resource string
	object   runtime.Object
	beside   bool // no plugin reads it: it is asked for beside the informers
}

func (k kind) gvr() schema.GroupVersionResource { return k.gvk.GroupVersion().WithResource(k.resource) }

// kinds are all of them, in the order of a file.
var kinds = []kind{
	{core("Node"), "nodes", &corev1.Node{}, false},
	{core("Namespace"), "namespaces", &corev1.Namespace{}, false},
	{core("Pod"), "pods", &corev1.Pod{}, false},
	{core("PersistentVolume"), "persistentvolumes", &corev1.PersistentVolume{}, false},
	{core("PersistentVolumeClaim"), "persistentvolumeclaims", &corev1.PersistentVolumeClaim{}, false},
	{core("Service"), "services", &corev1.Service{}, false},
	{core("ReplicationController"), "replicationcontrollers", &corev1.ReplicationController{}, false},
	{appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), "replicasets", &appsv1.ReplicaSet{}, false},
	{appsv1.SchemeGroupVersion.WithKind("StatefulSet"), "statefulsets", &appsv1.StatefulSet{}, false},
	{policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"), "poddisruptionbudgets", &policyv1.PodDisruptionBudget{}, false},
	{storage("StorageClass"), "storageclasses", &storagev1.StorageClass{}, false},
	{storage("CSINode"), "csinodes", &storagev1.CSINode{}, false},
	{storage("CSIDriver"), "csidrivers", &storagev1.CSIDriver{}, false},
	{storage("CSIStorageCapacity"), "csistoragecapacities", &storagev1.CSIStorageCapacity{}, false},
	{storage("VolumeAttachment"), "volumeattachments", &storagev1.VolumeAttachment{}, false},
	{device("ResourceClaim"), "resourceclaims", &resourcev1.ResourceClaim{}, false},
	{device("ResourceSlice"), "resourceslices", &resourcev1.ResourceSlice{}, false},
	{device("DeviceClass"), "deviceclasses", &resourcev1.DeviceClass{}, false},
	{device("DeviceTaintRule"), "devicetaintrules", &resourcev1.DeviceTaintRule{}, false},
	{core("ResourceQuota"), "resourcequotas", &corev1.ResourceQuota{}, true},
	{core("LimitRange"), "limitranges", &corev1.LimitRange{}, true},
	{schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"), "priorityclasses", &schedulingv1.PriorityClass{}, true},
	{nodev1.SchemeGroupVersion.WithKind("RuntimeClass"), "runtimeclasses", &nodev1.RuntimeClass{}, true},
	{core("Event"), "events", &corev1.Event{}, true},
}

func core(kind string) schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind(kind) }

func storage(kind string) schema.GroupVersionKind {
	return storagev1.SchemeGroupVersion.WithKind(kind)
}

func device(kind string) schema.GroupVersionKind {
	return resourcev1.SchemeGroupVersion.WithKind(kind)
}

// byKind and byResource find a kind.
var byKind, byResource = indexed()

func indexed() (map[schema.GroupVersionKind]kind, map[string]kind) {
	kinded, named := map[schema.GroupVersionKind]kind{}, map[string]kind{}
	for _, k := range kinds {
		kinded[k.gvk], named[k.resource] = k, k
	}
	return kinded, named
}
