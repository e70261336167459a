package api

import (
	"context"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

// strategy is the create, update and delete strategy of a registry of kube-apiserver.
type strategy interface {
	rest.RESTCreateUpdateStrategy
	rest.RESTDeleteStrategy
}

// kind is a served kind of objects.
type kind struct {
	resource   schema.GroupVersionResource
	kind       schema.GroupVersionKind
	strategy   strategy
	subs       map[string]rest.RESTUpdateStrategy // by subresource: what an update of it may change
	transition schema.GroupVersion                // internal
	stored     *kind                              // the kind that objects are kept as: another one where two groups serve the same
}

// namespaced says whether the kind is namespaced.
func (k *kind) namespaced() bool { return k.strategy.NamespaceScoped() }

// status are the subresources of a kind whose only subresource is status.
func status(by rest.RESTUpdateStrategy) map[string]rest.RESTUpdateStrategy {
	return map[string]rest.RESTUpdateStrategy{"status": by}
}

// allow lets everyone do everything: the cluster has one user.
func allow(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

// kinds are the kinds that the scheduler, the controllers and the dashboard use.
func kinds(namespaces corev1client.NamespaceInterface) map[schema.GroupVersionResource]*kind {
	all := map[schema.GroupVersionResource]*kind{}
	add := func(group schema.GroupVersion, resource, name string, by strategy, subs map[string]rest.RESTUpdateStrategy) {
		k := &kind{resource: group.WithResource(resource), kind: group.WithKind(name), strategy: by, subs: subs}
		k.transition = schema.GroupVersion{Group: group.Group, Version: runtime.APIVersionInternal}
		k.stored = k
		all[k.resource] = k
	}
	core, apps, storage := corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion, storagev1.SchemeGroupVersion
	add(core, "pods", "Pod", pod.Strategy, map[string]rest.RESTUpdateStrategy{"status": pod.StatusStrategy, "resize": pod.ResizeStrategy})
	add(core, "nodes", "Node", node.Strategy, status(node.StatusStrategy))
	add(core, "namespaces", "Namespace", namespace.Strategy, status(namespace.StatusStrategy))
	add(core, "persistentvolumes", "PersistentVolume", persistentvolume.Strategy, status(persistentvolume.StatusStrategy))
	add(core, "persistentvolumeclaims", "PersistentVolumeClaim", persistentvolumeclaim.Strategy, status(persistentvolumeclaim.StatusStrategy))
	add(core, "resourcequotas", "ResourceQuota", resourcequota.Strategy, status(resourcequota.StatusStrategy))
	add(core, "limitranges", "LimitRange", limitrange.Strategy, nil)
	add(core, "services", "Service", service.Strategy, status(service.StatusStrategy))
	add(core, "replicationcontrollers", "ReplicationController", replicationcontroller.Strategy, status(replicationcontroller.StatusStrategy))
	add(core, "configmaps", "ConfigMap", configmap.Strategy, nil)
	add(core, "events", "Event", event.Strategy, nil)
	add(eventsv1.SchemeGroupVersion, "events", "Event", event.Strategy, nil)
	newer := all[eventsv1.SchemeGroupVersion.WithResource("events")]
	newer.stored = all[core.WithResource("events")]
	add(apps, "deployments", "Deployment", deployment.Strategy, status(deployment.StatusStrategy))
	add(apps, "replicasets", "ReplicaSet", replicaset.Strategy, status(replicaset.StatusStrategy))
	add(apps, "statefulsets", "StatefulSet", statefulset.Strategy, status(statefulset.StatusStrategy))
	add(apps, "daemonsets", "DaemonSet", daemonset.Strategy, status(daemonset.StatusStrategy))
	add(apps, "controllerrevisions", "ControllerRevision", controllerrevision.Strategy, nil)
	add(batchv1.SchemeGroupVersion, "jobs", "Job", job.Strategy, status(job.StatusStrategy))
	add(policyv1.SchemeGroupVersion, "poddisruptionbudgets", "PodDisruptionBudget", poddisruptionbudget.Strategy, status(poddisruptionbudget.StatusStrategy))
	add(schedulingv1.SchemeGroupVersion, "priorityclasses", "PriorityClass", priorityclass.Strategy, nil)
	add(nodev1.SchemeGroupVersion, "runtimeclasses", "RuntimeClass", runtimeclass.Strategy, nil)
	add(coordinationv1.SchemeGroupVersion, "leases", "Lease", lease.Strategy, nil)
	add(storage, "storageclasses", "StorageClass", storageclass.Strategy, nil)
	add(storage, "csinodes", "CSINode", csinode.Strategy, status(csinode.StatusStrategy))
	add(storage, "csidrivers", "CSIDriver", csidriver.Strategy, nil)
	add(storage, "csistoragecapacities", "CSIStorageCapacity", csistoragecapacity.Strategy, nil)
	add(storage, "volumeattachments", "VolumeAttachment", volumeattachment.Strategy, status(volumeattachment.StatusStrategy))
	add(resourcev1.SchemeGroupVersion, "resourceslices", "ResourceSlice", resourceslice.Strategy, nil)
	add(resourcev1.SchemeGroupVersion, "deviceclasses", "DeviceClass", deviceclass.Strategy, nil)
	add(resourcev1.SchemeGroupVersion, "devicetaintrules", "DeviceTaintRule", devicetaintrule.Strategy, status(devicetaintrule.StatusStrategy))
	claims := resourceclaim.NewStrategy(namespaces, authorizer.AuthorizerFunc(allow))
	add(resourcev1.SchemeGroupVersion, "resourceclaims", "ResourceClaim", claims, status(resourceclaim.NewStatusStrategy(claims)))
	return all
}

// Served are the kinds that the store serves, as in discovery.
func (s *Store) Served() []*metav1.APIResourceList {
	groups := map[string]*metav1.APIResourceList{}
	for _, k := range s.kinds {
		name := k.resource.GroupVersion().String()
		if groups[name] == nil {
			groups[name] = &metav1.APIResourceList{GroupVersion: name}
		}
		groups[name].APIResources = append(groups[name].APIResources, metav1.APIResource{
			Name: k.resource.Resource, Namespaced: k.namespaced(), Kind: k.kind.Kind,
			Verbs: metav1.Verbs{"create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"},
		})
	}
	return slices.Collect(maps.Values(groups))
}
