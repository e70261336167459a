package client

import (
	"cmp"
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/metrics/pkg/apis/metrics/v1beta1"
	metrics "k8s.io/metrics/pkg/client/clientset/versioned"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// usageTime is how long metrics.k8s.io has: it answers for every pod at once.
const usageTime = 30 * time.Second

// podMetrics reads what nodes and pods use from metrics.k8s.io.
type podMetrics struct {
	client  metrics.Interface
	changed func() // is called where the note is another

	mu     sync.Mutex
	reason string // why there is no usage; "" if there is
}

// read asks for all nodes, and for the pods of a namespace; "" is all. Where no
// one serves the API, or it is forbidden, the answer is nil and the status says why.
func (m *podMetrics) read(ctx context.Context, namespace string) (*model.Usage, error) {
	var (
		nodes           *v1beta1.NodeMetricsList
		pods            *v1beta1.PodMetricsList
		nodeErr, podErr error
		asking          sync.WaitGroup
	)
	api := m.client.MetricsV1beta1()
	limited, cancel := context.WithTimeout(ctx, usageTime)
	defer cancel()
	asking.Go(func() {
		defer utilruntime.HandleCrash()
		nodes, nodeErr = api.NodeMetricses().List(limited, metav1.ListOptions{})
	})
	asking.Go(func() {
		defer utilruntime.HandleCrash()
		pods, podErr = api.PodMetricses(namespace).List(limited, metav1.ListOptions{})
	})
	asking.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.setNote(metricsNote(nodeErr, podErr))
	if nodeErr != nil && podErr != nil {
		return nil, nil //nolint:nilnil // the status says why there is none
	}
	used := &model.Usage{
		Nodes: map[string]model.Amount{},
		Pods:  map[types.NamespacedName]model.Amount{},
	}
	if nodeErr == nil {
		for i := range nodes.Items {
			used.Nodes[nodes.Items[i].Name] = amount(nodes.Items[i].Usage)
		}
	}
	if podErr == nil {
		for i := range pods.Items {
			pod := &pods.Items[i]
			var sum model.Amount
			for _, c := range pod.Containers {
				one := amount(c.Usage)
				sum.MilliCPU += one.MilliCPU
				sum.Memory += one.Memory
			}
			used.Pods[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = sum
		}
	}
	return used, nil
}

func amount(list corev1.ResourceList) model.Amount {
	used := model.NewResources(list)
	return model.Amount{MilliCPU: used.MilliCPU, Memory: used.Memory}
}

// metricsNote says why there is no usage, or only half of it.
func metricsNote(nodes, pods error) string {
	switch {
	case nodes == nil && pods == nil:
		return ""
	case apierrors.IsNotFound(nodes) && apierrors.IsNotFound(pods):
		return "metrics.k8s.io is not served"
	case apierrors.IsForbidden(nodes) && apierrors.IsForbidden(pods):
		return "not allowed to list nodes and pods in metrics.k8s.io"
	case apierrors.IsForbidden(nodes):
		return "not allowed to list nodes in metrics.k8s.io"
	case apierrors.IsForbidden(pods):
		return "not allowed to list pods in metrics.k8s.io"
	case isNotAnAPI(cmp.Or(nodes, pods)):
		return "metrics.k8s.io answered with " + shortly(cmp.Or(nodes, pods))
	}
	return "metrics.k8s.io does not answer: " + shortly(cmp.Or(nodes, pods))
}

func (m *podMetrics) setNote(note string) {
	m.mu.Lock()
	changed := m.reason != note
	m.reason = note
	m.mu.Unlock()
	if changed {
		m.changed()
	}
}

func (m *podMetrics) note() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reason
}
