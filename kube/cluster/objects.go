package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// leases are listed anew each time: their age is judged.
const leases = "leases"

// ComponentLeases selects the Leases of all but kubelets, which are as many as nodes.
const ComponentLeases = "metadata.namespace!=" + corev1.NamespaceNodeLease

// informed are the resources that an informer holds, because a plugin reads them.
var informed = map[string]func(informers.SharedInformerFactory) cache.SharedIndexInformer{
	"namespaces": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Namespaces().Informer()
	},
	"persistentvolumes": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().PersistentVolumes().Informer()
	},
	"persistentvolumeclaims": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().PersistentVolumeClaims().Informer()
	},
	"poddisruptionbudgets": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Policy().V1().PodDisruptionBudgets().Informer()
	},
	"replicasets": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().ReplicaSets().Informer()
	},
	"statefulsets": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().StatefulSets().Informer()
	},
	"storageclasses": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().StorageClasses().Informer()
	},
	"csinodes": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().CSINodes().Informer()
	},
	"volumeattachments": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().VolumeAttachments().Informer()
	},
	"resourceclaims": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().ResourceClaims().Informer()
	},
	"resourceslices": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().ResourceSlices().Informer()
	},
	"deviceclasses": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().DeviceClasses().Informer()
	},
}

// listedKinds are the resources that no informer holds. Each is listed when it is asked for.
var listedKinds = map[string]func(context.Context, kubernetes.Interface, string, metav1.ListOptions) (runtime.Object, error){
	"resourcequotas": func(ctx context.Context, c kubernetes.Interface, namespace string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().ResourceQuotas(namespace).List(ctx, o)
	},
	"limitranges": func(ctx context.Context, c kubernetes.Interface, namespace string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().LimitRanges(namespace).List(ctx, o)
	},
	leases: func(ctx context.Context, c kubernetes.Interface, namespace string, o metav1.ListOptions) (runtime.Object, error) {
		o.FieldSelector = ComponentLeases
		return c.CoordinationV1().Leases(namespace).List(ctx, o)
	},
	"priorityclasses": func(ctx context.Context, c kubernetes.Interface, _ string, o metav1.ListOptions) (runtime.Object, error) {
		return c.SchedulingV1().PriorityClasses().List(ctx, o)
	},
	"runtimeclasses": func(ctx context.Context, c kubernetes.Interface, _ string, o metav1.ListOptions) (runtime.Object, error) {
		return c.NodeV1().RuntimeClasses().List(ctx, o)
	},
}

// Objects are the objects of some resources that snapshots do not hold. A resource that
// could not be listed is in Unread; the error is that of ctx, or ErrReading.
func (c *Cluster) Objects(ctx context.Context, resources ...string) (*model.Objects, error) {
	f := c.feed.Load()
	if !f.settled.Load() {
		return nil, ErrReading
	}
	o := &model.Objects{Lists: map[string][]runtime.Object{}, Unread: map[string]string{}}
	for _, resource := range resources {
		list, err := f.kept(ctx, resource)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			o.Unread[resource] = err.Error()
		default:
			o.Lists[resource] = list
		}
	}
	if slices.Contains(resources, leases) {
		o.Schedulers = livenessOf(ctx, f, c.Newest().Pods)
	}
	return o, countDevices(ctx, f, c.Newest().Nodes, o)
}

// countDevices counts the devices of nodes, where all that this needs was listed and there is
// any.
func countDevices(ctx context.Context, f *feed, nodes []*model.Node, o *model.Objects) (err error) {
	if len(o.Lists["deviceclasses"]) == 0 || len(o.Lists["resourceslices"]) == 0 {
		return nil
	}
	if _, listed := o.Lists["resourceclaims"]; !listed {
		return nil
	}
	o.Devices, err = explain.Devices(ctx, f.engine, nodes)
	if err != nil && ctx.Err() == nil {
		o.Unread["deviceclasses"], err = err.Error(), nil
	}
	return err
}

// kept are the objects of one resource: an informer's, or listed.
func (f *feed) kept(ctx context.Context, resource string) ([]runtime.Object, error) {
	for _, unread := range f.source.Status().Unread {
		if unread.Resource == resource {
			return nil, errors.New(unread.Why)
		}
	}
	informer, ok := informed[resource]
	if !ok {
		if f.source.Objects == nil {
			return nil, fmt.Errorf("%s are not known here", resource)
		}
		return f.source.Objects(ctx, resource)
	}
	held := informer(f.source.Factory)
	if !held.HasSynced() {
		return nil, fmt.Errorf("%s are being read", resource)
	}
	stored := held.GetStore().List()
	list := make([]runtime.Object, 0, len(stored))
	for _, object := range stored {
		if typed, ok := object.(runtime.Object); ok {
			list = append(list, typed)
		}
	}
	return list, nil
}

// Objects lists a resource that no informer holds, in all namespaces, or where that is
// not allowed in the only one that could be read; the Leases of components are not there.
// What was listed is remembered for a while.
func (a *CachedReader) Objects(ctx context.Context, resource string) ([]runtime.Object, error) {
	ask := func() ([]runtime.Object, error) {
		all, err := ListAll(ctx, a.options.Client, resource, metav1.NamespaceAll)
		if apierrors.IsForbidden(err) && a.options.Namespace != "" && resource != "priorityclasses" && resource != leases {
			return ListAll(ctx, a.options.Client, resource, a.options.Namespace)
		}
		return all, err
	}
	if resource != leases {
		return a.objects.of(ctx, resource, resource, a.options.Words, ask)
	}
	all, err := ask()
	if err != nil && ctx.Err() == nil {
		return nil, errors.New(unread(resource, err, a.options.Words))
	}
	return all, err
}

// livenessOf says of each scheduler that a pod names, and of the default one, whether it
// is running.
func livenessOf(ctx context.Context, f *feed, pods []*model.Pod) map[string]model.Liveness {
	if f.source.SchedulerAlive == nil {
		return nil
	}
	judged := map[string]model.Liveness{}
	judge := func(name string) {
		if _, done := judged[name]; done {
			return
		}
		lease := explain.LeaseOf(f.engine, name)
		alive, known, why := f.source.SchedulerAlive(ctx, lease)
		judged[name] = model.Liveness{Alive: alive, Known: known, Why: why, Lease: LeaseName(lease)}
	}
	judge(corev1.DefaultSchedulerName)
	for _, pod := range pods {
		judge(cmp.Or(pod.Object.Spec.SchedulerName, corev1.DefaultSchedulerName))
	}
	return judged
}

// ListAll lists a resource that no informer holds, page by page, in a namespace; "" is all. Of Leases
// those of components are listed.
func ListAll(ctx context.Context, client kubernetes.Interface, resource, namespace string) ([]runtime.Object, error) {
	list, ok := listedKinds[resource]
	if !ok {
		return nil, fmt.Errorf("%s are not read", resource)
	}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return list(ctx, client, namespace, options)
	})
	pages.PageSize = page
	all, _, err := pages.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return meta.ExtractList(all)
}

// priorityClassesOf lists the PriorityClasses that a source knows; nil where it lists none.
func priorityClassesOf(source *Source) func(context.Context) ([]*schedulingv1.PriorityClass, error) {
	if source.Objects == nil {
		return nil
	}
	return func(ctx context.Context) ([]*schedulingv1.PriorityClass, error) {
		listed, err := source.Objects(ctx, "priorityclasses")
		if err != nil {
			return nil, err
		}
		classes := make([]*schedulingv1.PriorityClass, 0, len(listed))
		for _, object := range listed {
			if class, ok := object.(*schedulingv1.PriorityClass); ok {
				classes = append(classes, class)
			}
		}
		return classes, nil
	}
}
