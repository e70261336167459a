package demo

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubectl/pkg/describe"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// Describe is the output of kubectl describe for an object.
func (c *Cluster) Describe(_ context.Context, ref model.Ref) (string, error) {
	describers := map[string]describe.ResourceDescriber{
		"pods":             &describe.PodDescriber{Interface: c.client},
		"nodes":            &describe.NodeDescriber{Interface: c.client},
		"replicasets.apps": &describe.ReplicaSetDescriber{Interface: c.client},
		"daemonsets.apps":  &describe.DaemonSetDescriber{Interface: c.client},
		"jobs.batch":       &describe.JobDescriber{Interface: c.client},
	}
	by, ok := describers[ref.Resource]
	if !ok {
		return "", fmt.Errorf("describe %s %s: not available in the demo; y shows its YAML", ref.Resource, ref.Name)
	}
	text, err := by.Describe(ref.Namespace, ref.Name, describe.DescriberSettings{ShowEvents: true})
	if err != nil {
		return "", fmt.Errorf("describe %s %s: %w", ref.Resource, ref.Name, err)
	}
	return text, nil
}

// YAML is an object as kubectl get -o yaml shows it.
func (c *Cluster) YAML(ctx context.Context, ref model.Ref) (string, error) {
	object, err := c.object(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("read %s %s: %w", ref.Resource, ref.Name, err)
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		return "", fmt.Errorf("read %s %s: %w", ref.Resource, ref.Name, err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	text, err := escaped.YAML(object)
	return string(text), err
}

// object is a copy of a stored object: a pod, a node or a controller of pods.
func (c *Cluster) object(ctx context.Context, ref model.Ref) (runtime.Object, error) {
	options := metav1.GetOptions{}
	switch ref.Resource {
	case "pods":
		return c.client.CoreV1().Pods(ref.Namespace).Get(ctx, ref.Name, options)
	case "nodes":
		return c.client.CoreV1().Nodes().Get(ctx, ref.Name, options)
	case "replicasets.apps":
		return c.client.AppsV1().ReplicaSets(ref.Namespace).Get(ctx, ref.Name, options)
	case "statefulsets.apps":
		return c.client.AppsV1().StatefulSets(ref.Namespace).Get(ctx, ref.Name, options)
	case "daemonsets.apps":
		return c.client.AppsV1().DaemonSets(ref.Namespace).Get(ctx, ref.Name, options)
	case "jobs.batch":
		return c.client.BatchV1().Jobs(ref.Namespace).Get(ctx, ref.Name, options)
	}
	return nil, errors.New("not available in the demo")
}
