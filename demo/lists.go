package demo

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Lists are the objects of the cluster by resource, as kubectl get -o json shows
// them.
func (c *Cluster) Lists() (map[string][]any, error) {
	core, apps := c.plane.Informers().Core().V1(), c.plane.Informers().Apps().V1()
	lists := map[string][]any{}
	for name, informer := range map[string]cache.SharedIndexInformer{
		"pods": core.Pods().Informer(), "nodes": core.Nodes().Informer(), "persistentvolumeclaims": core.PersistentVolumeClaims().Informer(),
		"resourcequotas": core.ResourceQuotas().Informer(),
		"deployments":    apps.Deployments().Informer(), "statefulsets": apps.StatefulSets().Informer(), "daemonsets": apps.DaemonSets().Informer(),
		"jobs":                 c.plane.Informers().Batch().V1().Jobs().Informer(),
		"poddisruptionbudgets": c.plane.Informers().Policy().V1().PodDisruptionBudgets().Informer(),
	} {
		lists[name] = []any{}
		for _, object := range informer.GetStore().List() {
			fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, err
			}
			lists[name] = append(lists[name], fields)
		}
	}
	return lists, nil
}
