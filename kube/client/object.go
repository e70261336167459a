package client

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/kubectl/pkg/describe"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// Describe is what kubectl describe says of the live object.
func (c *Client) Describe(ctx context.Context, ref model.Ref) (string, error) {
	what := "describe " + ref.Resource + " " + ref.Name
	mapping, err := c.mapping(ref)
	if err != nil {
		return "", classify(what, c.target.config.Host, err)
	}
	describer, ok := describe.DescriberFor(mapping.GroupVersionKind.GroupKind(), c.config)
	if !ok {
		describer, ok = describe.GenericDescriberFor(mapping, c.config)
	}
	if !ok {
		return "", failf(ErrNotFound, nil, "%s: kubectl cannot describe it", what)
	}
	return await(ctx, func() (string, error) {
		text, err := describer.Describe(ref.Namespace, ref.Name, describe.DescriberSettings{ShowEvents: true, ChunkSize: page})
		return text, classify(what, c.target.config.Host, err)
	})
}

// await calls f, which knows no context, and leaves it when ctx ends.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		defer utilruntime.HandleCrash()
		value, err := f()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// YAML is the live object, without managed fields.
func (c *Client) YAML(ctx context.Context, ref model.Ref) (string, error) {
	what := "read " + ref.Resource + " " + ref.Name
	mapping, err := c.mapping(ref)
	if err != nil {
		return "", classify(what, c.target.config.Host, err)
	}
	var objects dynamic.ResourceInterface = c.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		objects = c.dynamic.Resource(mapping.Resource).Namespace(ref.Namespace)
	}
	object, err := objects.Get(ctx, ref.Name, metav1.GetOptions{})
	if err != nil {
		return "", classify(what, c.target.config.Host, err)
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "managedFields")
	text, err := escaped.YAML(object.Object)
	return string(text), err
}

// known are the resources whose kind needs no discovery.
var known = map[string]schema.GroupVersionKind{
	"pods":  corev1.SchemeGroupVersion.WithKind("Pod"),
	"nodes": corev1.SchemeGroupVersion.WithKind("Node"),
}

// mapping finds the kind of a resource, as kubectl does.
func (c *Client) mapping(ref model.Ref) (*meta.RESTMapping, error) {
	if kind, ok := known[ref.Resource]; ok {
		scope := meta.RESTScopeNamespace
		if ref.Namespace == "" {
			scope = meta.RESTScopeRoot
		}
		return &meta.RESTMapping{
			Resource:         kind.GroupVersion().WithResource(ref.Resource),
			GroupVersionKind: kind,
			Scope:            scope,
		}, nil
	}
	mapper, err := c.target.getter.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	name, group, _ := strings.Cut(ref.Resource, ".")
	kind, err := mapper.KindFor(schema.GroupVersionResource{Group: group, Resource: name})
	if err != nil {
		return nil, err
	}
	return mapper.RESTMapping(kind.GroupKind(), kind.Version)
}

// NodeLease is when the kubelet of a node last renewed its Lease; zero where it has none.
func (c *Client) NodeLease(ctx context.Context, node string) (time.Time, error) {
	return c.asker.NodeLease(ctx, node)
}

// Events are those about the object, newest first.
func (c *Client) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return c.asker.EventsOf(ctx, ref)
}
