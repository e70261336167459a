package demo

import (
	"context"
	"hash/fnv"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// usage is the usage of pods and nodes. It is invented, because no container runs.
func (c *Cluster) usage(context.Context) (*model.Usage, error) {
	now := time.Now()
	used := &model.Usage{Nodes: map[string]model.Amount{}, Pods: map[types.NamespacedName]model.Amount{}}
	for _, object := range c.plane.Informers().Core().V1().Nodes().Informer().GetStore().List() {
		if node, ok := object.(*corev1.Node); ok {
			used.Nodes[node.Name] = model.Amount{MilliCPU: 80, Memory: 600 << 20} // the system's own
		}
	}
	for _, object := range c.plane.Informers().Core().V1().Pods().Informer().GetStore().List() {
		pod, ok := object.(*corev1.Pod)
		if !ok || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		amount := usageOf(pod, now)
		used.Pods[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = amount
		if sum, ok := used.Nodes[pod.Spec.NodeName]; ok {
			used.Nodes[pod.Spec.NodeName] = model.Amount{MilliCPU: sum.MilliCPU + amount.MilliCPU, Memory: sum.Memory + amount.Memory}
		}
	}
	return used, nil
}

// usagePeriod is the period in which the usage of a pod rises and falls.
const usagePeriod = 10 * time.Minute

// usageOf is between 10% and 90% of the requests of a pod. The share differs by pod and
// varies slowly.
func usageOf(pod *corev1.Pod, now time.Time) model.Amount {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(pod.UID))
	sum := hash.Sum64()
	part := func(bits uint64, moves float64) float64 {
		own := float64(bits&0xffff) / 0xffff
		turn := 2 * math.Pi * (float64(now.UnixMilli())/float64(usagePeriod.Milliseconds()) + own)
		return 0.1 + moves + (0.8-2*moves)*own + moves*math.Sin(turn)
	}
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	return model.Amount{
		MilliCPU: int64(part(sum, 0.1) * float64(requests.Cpu().MilliValue())),
		Memory:   int64(part(sum>>16, 0.02) * float64(requests.Memory().Value())),
	}
}
