package snapshot

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// page is how many objects are asked for at once.
const page = 500

// listAll lists one of the kinds that no informer holds, in all namespaces.
func listAll(ctx context.Context, client kubernetes.Interface, resource string) (all []runtime.Object, err error) {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		switch resource {
		case "resourcequotas":
			return client.CoreV1().ResourceQuotas(metav1.NamespaceAll).List(ctx, options)
		case "limitranges":
			return client.CoreV1().LimitRanges(metav1.NamespaceAll).List(ctx, options)
		case "priorityclasses":
			return client.SchedulingV1().PriorityClasses().List(ctx, options)
		case leases:
			options.FieldSelector = cluster.ComponentLeases
			return client.CoordinationV1().Leases(metav1.NamespaceAll).List(ctx, options)
		default:
			return client.NodeV1().RuntimeClasses().List(ctx, options)
		}
	})
	pages.PageSize = page
	list, _, err := pages.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return meta.ExtractList(list)
}
