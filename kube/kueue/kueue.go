// Package kueue reads what Kueue says of pods and queues in objects of the API: Workloads,
// LocalQueues, ClusterQueues, and the pending Workloads of its visibility API.
package kueue

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/kube/custom"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// VisibilityGroup is the API group in which Kueue serves the order of its queues.
const VisibilityGroup = "visibility." + model.KueueGroup

// Versions are those that are read of both groups, the preferred one first.
var Versions = []string{"v1beta2", "v1beta1"}

const (
	// page is how many Workloads are asked for at once.
	page = 500
	// mostWorkloads bounds how many of a namespace are read.
	mostWorkloads = 20 * page
)

// Reader reads the objects. Its client reads only, and gives up soon.
type Reader struct {
	Dynamic dynamic.Interface
	Words   func(error) string // an error in a few words
	// Version and Visibility are the versions of the two groups that the server has; "" where
	// it has not the group.
	Version, Visibility string
}

// resource is one of Kueue's own group.
func (r Reader) resource(name string) dynamic.NamespaceableResourceInterface {
	return r.Dynamic.Resource(schema.GroupVersionResource{Group: model.KueueGroup, Version: r.Version, Resource: name})
}

// why says why something could not be read.
func (r Reader) why(verb, resource string, err error) string {
	return custom.Why(r.Words, verb, resource, err)
}

// Workloads are those of a namespace.
type Workloads struct {
	All    []kueue.Workload
	Absent bool   // they are not served
	Unread string // why they are not known, or not all of them; "" if they are
}

// Workloads lists those of a namespace.
func (r Reader) Workloads(ctx context.Context, namespace string) Workloads {
	var found Workloads
	options := metav1.ListOptions{Limit: page}
	for {
		list, err := r.resource("workloads").Namespace(namespace).List(ctx, options)
		switch {
		case apierrors.IsNotFound(err):
			return Workloads{Absent: true}
		case err != nil:
			return Workloads{Unread: r.why("list", "workloads."+model.KueueGroup, err)}
		}
		for i := range list.Items {
			w, err := workloadOf(&list.Items[i])
			if err != nil {
				return Workloads{Unread: fmt.Sprintf("read Workload %s: %v", list.Items[i].GetName(), err)}
			}
			found.All = append(found.All, *w)
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return found
		}
		if len(found.All) >= mostWorkloads {
			found.Unread = fmt.Sprintf("it is not among the first %s Workloads of namespace %s", model.FormatCount(len(found.All)), namespace)
			return found
		}
	}
}

// LocalQueue gets a LocalQueue; why it could not be read, or "".
func (r Reader) LocalQueue(ctx context.Context, namespace, name string) (*kueue.LocalQueue, string) {
	object, err := r.resource("localqueues").Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return &kueue.LocalQueue{Name: name, Gone: true}, ""
	case err != nil:
		return nil, r.why("get", "localqueues."+model.KueueGroup, err)
	}
	var of localQueue
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &of); err != nil {
		return nil, fmt.Sprintf("read LocalQueue %s: %v", name, err)
	}
	return &kueue.LocalQueue{Name: name, ClusterQueue: of.Spec.ClusterQueue, StopPolicy: of.Spec.StopPolicy, Conditions: of.Status.Conditions}, ""
}

// ClusterQueue gets a ClusterQueue; why it could not be read, or "".
func (r Reader) ClusterQueue(ctx context.Context, name string) (*kueue.ClusterQueue, string) {
	object, err := r.resource("clusterqueues").Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return &kueue.ClusterQueue{Name: name, Gone: true}, ""
	case err != nil:
		return nil, r.why("get", "clusterqueues."+model.KueueGroup, err)
	}
	var of clusterQueue
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &of); err != nil {
		return nil, fmt.Sprintf("read ClusterQueue %s: %v", name, err)
	}
	return &kueue.ClusterQueue{
		Name: name, StopPolicy: of.Spec.StopPolicy, Pending: of.Status.Pending, Conditions: of.Status.Conditions, Quotas: of.quotas(),
	}, ""
}

// Positions are the places of Workloads in a ClusterQueue, from 0, by namespace and name.
type Positions struct {
	Of        map[types.NamespacedName]int
	Unread    string // why they are not known; "" if they are, or if nobody serves them
	Forbidden bool
}

// pending is the subresource of both kinds of queues that lists their pending Workloads.
const pending = "pendingworkloads"

// Positions asks for the pending Workloads of a ClusterQueue. The visibility API gives the first
// 1,000.
func (r Reader) Positions(ctx context.Context, clusterQueue string) Positions {
	return r.positions("clusterqueues", func(of dynamic.NamespaceableResourceInterface) (*unstructured.Unstructured, error) {
		return of.Get(ctx, clusterQueue, metav1.GetOptions{}, pending)
	})
}

// PositionsOfLocalQueue asks for those of a LocalQueue, for which the rights are others.
func (r Reader) PositionsOfLocalQueue(ctx context.Context, namespace, localQueue string) Positions {
	return r.positions("localqueues", func(of dynamic.NamespaceableResourceInterface) (*unstructured.Unstructured, error) {
		return of.Namespace(namespace).Get(ctx, localQueue, metav1.GetOptions{}, pending)
	})
}

func (r Reader) positions(resource string, get func(dynamic.NamespaceableResourceInterface) (*unstructured.Unstructured, error)) Positions {
	object, err := get(r.Dynamic.Resource(schema.GroupVersionResource{Group: VisibilityGroup, Version: r.Visibility, Resource: resource}))
	switch {
	case apierrors.IsNotFound(err):
		return Positions{}
	case err != nil:
		return Positions{Unread: r.why("get", resource+"/"+pending+"."+VisibilityGroup, err), Forbidden: apierrors.IsForbidden(err)}
	}
	var summary pendingWorkloads
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &summary); err != nil {
		return Positions{Unread: fmt.Sprintf("read the pending Workloads of a queue: %v", err)}
	}
	found := Positions{Of: map[types.NamespacedName]int{}}
	for _, item := range summary.Items {
		found.Of[types.NamespacedName{Namespace: item.Metadata.Namespace, Name: item.Metadata.Name}] = item.Position
	}
	return found
}

// workload are the fields of a Workload that are read, the same in both versions.
type workload struct {
	Metadata struct {
		Created metav1.Time `json:"creationTimestamp"`
		Owners  []struct {
			UID types.UID `json:"uid"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		QueueName string `json:"queueName"`
		Active    *bool  `json:"active"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
		Admission  *struct {
			ClusterQueue string `json:"clusterQueue"`
		} `json:"admission"`
		Checks []kueue.Check `json:"admissionChecks"`
	} `json:"status"`
}

func workloadOf(object *unstructured.Unstructured) (*kueue.Workload, error) {
	var of workload
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &of); err != nil {
		return nil, err
	}
	w := &kueue.Workload{
		Name: object.GetName(), Created: of.Metadata.Created.Time, Queue: of.Spec.QueueName,
		Inactive: of.Spec.Active != nil && !*of.Spec.Active, Conditions: of.Status.Conditions, Checks: of.Status.Checks,
	}
	for _, owner := range of.Metadata.Owners {
		w.Owners = append(w.Owners, owner.UID)
	}
	if of.Status.Admission != nil {
		w.ClusterQueue = of.Status.Admission.ClusterQueue
	}
	return w, nil
}

// localQueue are the fields of a LocalQueue that are read.
type localQueue struct {
	Spec struct {
		ClusterQueue string `json:"clusterQueue"`
		StopPolicy   string `json:"stopPolicy"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// clusterQueue are the fields of a ClusterQueue that are read.
type clusterQueue struct {
	Spec struct {
		StopPolicy string `json:"stopPolicy"`
		Groups     []struct {
			Flavors []struct {
				Name      string `json:"name"`
				Resources []struct {
					Name    corev1.ResourceName `json:"name"`
					Nominal resource.Quantity   `json:"nominalQuota"`
				} `json:"resources"`
			} `json:"flavors"`
		} `json:"resourceGroups"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
		Pending    *int               `json:"pendingWorkloads"`
		Reserved   []flavorUsage      `json:"flavorsReservation"`
		Used       []flavorUsage      `json:"flavorsUsage"`
	} `json:"status"`
}

// flavorUsage is how much of a flavor is used.
type flavorUsage struct {
	Name      string `json:"name"`
	Resources []struct {
		Name     corev1.ResourceName `json:"name"`
		Total    *resource.Quantity  `json:"total"`
		Borrowed *resource.Quantity  `json:"borrowed"`
	} `json:"resources"`
}

// quotas are those of all flavors, in the ClusterQueue's order.
func (c *clusterQueue) quotas() []kueue.Quota {
	var all []kueue.Quota
	for _, group := range c.Spec.Groups {
		for _, flavor := range group.Flavors {
			for _, of := range flavor.Resources {
				q := kueue.Quota{Flavor: flavor.Name, Resource: string(of.Name), Nominal: of.Nominal}
				q.Used, _ = usage(c.Status.Used, flavor.Name, of.Name)
				q.Reserved, q.Borrowed = usage(c.Status.Reserved, flavor.Name, of.Name)
				all = append(all, q)
			}
		}
	}
	return all
}

// usage is how much of a resource in a flavor is used, and how much of that is borrowed; nil where
// the status does not say.
func usage(all []flavorUsage, flavor string, name corev1.ResourceName) (total, borrowed *resource.Quantity) {
	for _, of := range all {
		for _, r := range of.Resources {
			if of.Name == flavor && r.Name == name {
				return r.Total, r.Borrowed
			}
		}
	}
	return nil, nil
}

// pendingWorkloads is a PendingWorkloadsSummary of visibility.kueue.x-k8s.io.
type pendingWorkloads struct {
	Items []struct {
		Metadata struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
		Position int `json:"positionInClusterQueue"`
	} `json:"items"`
}
