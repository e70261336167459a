package snapshot

import (
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
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
	groups   bool // it is read only where a pod names a PodGroup
}

func (k kind) gvr() schema.GroupVersionResource { return k.gvk.GroupVersion().WithResource(k.resource) }

const (
	podGroups          = "podgroups"
	compositePodGroups = "compositepodgroups"
	leases             = "leases"
)

// kinds are all of them, in the order of a file.
var kinds = []kind{
	{core("Node"), "nodes", &corev1.Node{}, false, false},
	{core("Namespace"), "namespaces", &corev1.Namespace{}, false, false},
	{core("Pod"), "pods", &corev1.Pod{}, false, false},
	{core("PersistentVolume"), "persistentvolumes", &corev1.PersistentVolume{}, false, false},
	{core("PersistentVolumeClaim"), "persistentvolumeclaims", &corev1.PersistentVolumeClaim{}, false, false},
	{core("Service"), "services", &corev1.Service{}, false, false},
	{core("ReplicationController"), "replicationcontrollers", &corev1.ReplicationController{}, false, false},
	{appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), "replicasets", &appsv1.ReplicaSet{}, false, false},
	{appsv1.SchemeGroupVersion.WithKind("StatefulSet"), "statefulsets", &appsv1.StatefulSet{}, false, false},
	{policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"), "poddisruptionbudgets", &policyv1.PodDisruptionBudget{}, false, false},
	{storage("StorageClass"), "storageclasses", &storagev1.StorageClass{}, false, false},
	{storage("CSINode"), "csinodes", &storagev1.CSINode{}, false, false},
	{storage("CSIDriver"), "csidrivers", &storagev1.CSIDriver{}, false, false},
	{storage("CSIStorageCapacity"), "csistoragecapacities", &storagev1.CSIStorageCapacity{}, false, false},
	{storage("VolumeAttachment"), "volumeattachments", &storagev1.VolumeAttachment{}, false, false},
	{device("ResourceClaim"), "resourceclaims", &resourcev1.ResourceClaim{}, false, false},
	{device("ResourceSlice"), "resourceslices", &resourcev1.ResourceSlice{}, false, false},
	{device("DeviceClass"), "deviceclasses", &resourcev1.DeviceClass{}, false, false},
	{device("DeviceTaintRule"), "devicetaintrules", &resourcev1.DeviceTaintRule{}, false, false},
	{schedulingv1beta1.SchemeGroupVersion.WithKind("PodGroup"), podGroups, &schedulingv1beta1.PodGroup{}, false, true},
	{schedulingv1alpha3.SchemeGroupVersion.WithKind("CompositePodGroup"), compositePodGroups, &schedulingv1alpha3.CompositePodGroup{}, false, true},
	{core("ResourceQuota"), "resourcequotas", &corev1.ResourceQuota{}, true, false},
	{core("LimitRange"), "limitranges", &corev1.LimitRange{}, true, false},
	{schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"), "priorityclasses", &schedulingv1.PriorityClass{}, true, false},
	{nodev1.SchemeGroupVersion.WithKind("RuntimeClass"), "runtimeclasses", &nodev1.RuntimeClass{}, true, false},
	{coordinationv1.SchemeGroupVersion.WithKind("Lease"), leases, &coordinationv1.Lease{}, true, false},
	{core("Event"), "events", &corev1.Event{}, true, false},
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
