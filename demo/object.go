package demo

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/describe"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Describe is what kubectl describe says of an object.
func (c *Cluster) Describe(_ context.Context, ref model.Ref) (string, error) {
	describers := map[string]describe.ResourceDescriber{
		"pods":  &describe.PodDescriber{Interface: c.client},
		"nodes": &describe.NodeDescriber{Interface: c.client},
	}
	by, ok := describers[ref.Resource]
	if !ok {
		return "", fmt.Errorf("describe %s %s: the embedded cluster describes pods and nodes only", ref.Resource, ref.Name)
	}
	text, err := by.Describe(ref.Namespace, ref.Name, describe.DescriberSettings{ShowEvents: true})
	if err != nil {
		return "", fmt.Errorf("describe %s %s: %w", ref.Resource, ref.Name, err)
	}
	return text, nil
}

// YAML is an object as kubectl get -o yaml shows it.
func (c *Cluster) YAML(ctx context.Context, ref model.Ref) (string, error) {
	var object runtime.Object
	var err error
	var kind string
	switch ref.Resource {
	case "pods":
		kind = "Pod"
		object, err = c.client.CoreV1().Pods(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	case "nodes":
		kind = "Node"
		object, err = c.client.CoreV1().Nodes().Get(ctx, ref.Name, metav1.GetOptions{})
	default:
		return "", fmt.Errorf("read %s %s: the embedded cluster shows pods and nodes only", ref.Resource, ref.Name)
	}
	if err != nil {
		return "", fmt.Errorf("read %s %s: %w", ref.Resource, ref.Name, err)
	}
	object.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	text, err := yaml.Marshal(object)
	return string(text), err
}
