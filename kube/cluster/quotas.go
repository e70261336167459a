package cluster

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// perNamespace remembers the objects of a kind in a namespace.
type perNamespace[T any] struct{ answers[string, listed[T]] }

type listed[T any] struct {
	list []T
	err  error
}

// Quotas are the ResourceQuotas of a namespace, at most 15 s old.
func (a *CachedReader) Quotas(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error) {
	return a.quotas.of(ctx, namespace, "resourcequotas", a.options.Words, func() ([]corev1.ResourceQuota, error) {
		list, err := a.options.Client.CoreV1().ResourceQuotas(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	})
}

// LimitRanges are those of a namespace, at most 15 s old.
func (a *CachedReader) LimitRanges(ctx context.Context, namespace string) ([]corev1.LimitRange, error) {
	return a.limits.of(ctx, namespace, "limitranges", a.options.Words, func() ([]corev1.LimitRange, error) {
		list, err := a.options.Client.CoreV1().LimitRanges(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	})
}

// of is what is remembered of the namespace, or what ask says.
func (p *perNamespace[T]) of(ctx context.Context, namespace, resource string, words func(error) string, ask func() ([]T, error)) ([]T, error) {
	found, ok := p.answers.of(ctx, namespace, func() listed[T] {
		list, err := ask()
		if err != nil {
			return listed[T]{err: errors.New(unread(resource, err, words))}
		}
		return listed[T]{list: list}
	})
	if !ok {
		return nil, ctx.Err()
	}
	return found.list, found.err
}

// unread says why a list of a resource could not be read.
func unread(resource string, err error, words func(error) string) string {
	if apierrors.IsForbidden(err) {
		return "not allowed to list " + resource
	}
	return words(err)
}
