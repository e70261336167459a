package client

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller"
)

// watchedResource is one of the kinds that the scheduler's plugins or the views read.
type watchedResource struct {
	gvr        schema.GroupVersionResource
	object     runtime.Object
	namespaced bool
	big        bool   // read page by page where it cannot be streamed
	unplugged  bool   // no plugin reads it
	fields     string // only objects of these, as a field selector; "" is all
	open       func(client kubernetes.Interface, namespace string) listWatch
}

// listWatch lists and watches one kind.
type listWatch struct {
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// typedClient is what the typed clients of all kinds have in common.
type typedClient[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// listWatchOf gives access through a typed client.
func listWatchOf[L runtime.Object](client typedClient[L]) listWatch {
	return listWatch{
		list: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := client.List(ctx, options)
			if err != nil {
				return nil, err // not a typed nil
			}
			if err := checkList(list); err != nil {
				return nil, err
			}
			return list, nil
		},
		watch: client.Watch,
	}
}

// failedCreates are the events that tell of pods that could not be created.
var failedCreates = watchedResource{
	gvr: corev1.SchemeGroupVersion.WithResource("events"), object: &corev1.Event{}, namespaced: true, big: true, unplugged: true,
	fields: fields.OneTermEqualSelector("reason", controller.FailedCreatePodReason).String(),
	open:   func(c kubernetes.Interface, ns string) listWatch { return listWatchOf(c.CoreV1().Events(ns)) },
}

// podGroups and compositePodGroups are read once a pod names a PodGroup. Few servers serve them, and
// fewer the second, which is alpha.
var (
	podGroups = watchedResource{
		gvr: schedulingv1beta1.SchemeGroupVersion.WithResource("podgroups"), object: &schedulingv1beta1.PodGroup{}, namespaced: true, big: true, unplugged: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.SchedulingV1beta1().PodGroups(ns))
		},
	}
	compositePodGroups = watchedResource{
		gvr: schedulingv1alpha3.SchemeGroupVersion.WithResource("compositepodgroups"), object: &schedulingv1alpha3.CompositePodGroup{}, namespaced: true, big: true, unplugged: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.SchedulingV1alpha3().CompositePodGroups(ns))
		},
	}
)

// resourcesRead are what is read from the cluster, with the groups where pods name any.
func resourcesRead(grouped bool) []watchedResource {
	if !grouped {
		return watchedResources
	}
	return append(slices.Clip(watchedResources), podGroups, compositePodGroups)
}

// watchedResources are all that is read from every cluster, the ones that matter most first.
var watchedResources = []watchedResource{
	{
		gvr: corev1.SchemeGroupVersion.WithResource("nodes"), object: &corev1.Node{}, big: true,
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.CoreV1().Nodes()) },
	},
	{
		gvr: corev1.SchemeGroupVersion.WithResource("pods"), object: &corev1.Pod{}, namespaced: true, big: true,
		open: func(c kubernetes.Interface, ns string) listWatch { return listWatchOf(c.CoreV1().Pods(ns)) },
	},
	{
		gvr: corev1.SchemeGroupVersion.WithResource("namespaces"), object: &corev1.Namespace{},
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.CoreV1().Namespaces()) },
	},
	{
		gvr: corev1.SchemeGroupVersion.WithResource("persistentvolumes"), object: &corev1.PersistentVolume{}, big: true,
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.CoreV1().PersistentVolumes()) },
	},
	{
		gvr: corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims"), object: &corev1.PersistentVolumeClaim{}, namespaced: true, big: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.CoreV1().PersistentVolumeClaims(ns))
		},
	},
	{
		gvr: corev1.SchemeGroupVersion.WithResource("services"), object: &corev1.Service{}, namespaced: true, big: true,
		open: func(c kubernetes.Interface, ns string) listWatch { return listWatchOf(c.CoreV1().Services(ns)) },
	},
	{
		gvr: corev1.SchemeGroupVersion.WithResource("replicationcontrollers"), object: &corev1.ReplicationController{}, namespaced: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.CoreV1().ReplicationControllers(ns))
		},
	},
	{
		gvr: appsv1.SchemeGroupVersion.WithResource("replicasets"), object: &appsv1.ReplicaSet{}, namespaced: true, big: true,
		open: func(c kubernetes.Interface, ns string) listWatch { return listWatchOf(c.AppsV1().ReplicaSets(ns)) },
	},
	{
		gvr: appsv1.SchemeGroupVersion.WithResource("statefulsets"), object: &appsv1.StatefulSet{}, namespaced: true,
		open: func(c kubernetes.Interface, ns string) listWatch { return listWatchOf(c.AppsV1().StatefulSets(ns)) },
	},
	{
		gvr: policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), object: &policyv1.PodDisruptionBudget{}, namespaced: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.PolicyV1().PodDisruptionBudgets(ns))
		},
	},
	{
		gvr: storagev1.SchemeGroupVersion.WithResource("storageclasses"), object: &storagev1.StorageClass{},
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.StorageV1().StorageClasses()) },
	},
	{
		gvr: storagev1.SchemeGroupVersion.WithResource("csinodes"), object: &storagev1.CSINode{}, big: true,
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.StorageV1().CSINodes()) },
	},
	{
		gvr: storagev1.SchemeGroupVersion.WithResource("csidrivers"), object: &storagev1.CSIDriver{},
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.StorageV1().CSIDrivers()) },
	},
	{
		gvr: storagev1.SchemeGroupVersion.WithResource("csistoragecapacities"), object: &storagev1.CSIStorageCapacity{}, namespaced: true, big: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.StorageV1().CSIStorageCapacities(ns))
		},
	},
	{
		gvr: storagev1.SchemeGroupVersion.WithResource("volumeattachments"), object: &storagev1.VolumeAttachment{}, big: true,
		open: func(c kubernetes.Interface, _ string) listWatch {
			return listWatchOf(c.StorageV1().VolumeAttachments())
		},
	},
	{
		gvr: resourcev1.SchemeGroupVersion.WithResource("resourceclaims"), object: &resourcev1.ResourceClaim{}, namespaced: true, big: true,
		open: func(c kubernetes.Interface, ns string) listWatch {
			return listWatchOf(c.ResourceV1().ResourceClaims(ns))
		},
	},
	{
		gvr: resourcev1.SchemeGroupVersion.WithResource("resourceslices"), object: &resourcev1.ResourceSlice{}, big: true,
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.ResourceV1().ResourceSlices()) },
	},
	{
		gvr: resourcev1.SchemeGroupVersion.WithResource("deviceclasses"), object: &resourcev1.DeviceClass{},
		open: func(c kubernetes.Interface, _ string) listWatch { return listWatchOf(c.ResourceV1().DeviceClasses()) },
	},
	{
		gvr: resourcev1.SchemeGroupVersion.WithResource("devicetaintrules"), object: &resourcev1.DeviceTaintRule{},
		open: func(c kubernetes.Interface, _ string) listWatch {
			return listWatchOf(c.ResourceV1().DeviceTaintRules())
		},
	},
	failedCreates,
}
