package kube

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// quotas remembers those of a namespace for a while, so that explaining many
// pods asks only once.
type quotas struct {
	mu    sync.Mutex
	known map[string]quotaAnswer
}

type quotaAnswer struct {
	list []corev1.ResourceQuota
	err  error
	at   time.Time
}

// Quotas are the ResourceQuotas of a namespace, at most 15 s old.
func (c *Client) Quotas(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error) {
	c.quotas.mu.Lock()
	defer c.quotas.mu.Unlock()
	if answer, ok := c.quotas.known[namespace]; ok && time.Since(answer.at) < remembered {
		return answer.list, answer.err
	}
	answer := quotaAnswer{at: time.Now()}
	list, err := c.brief.CoreV1().ResourceQuotas(namespace).List(ctx, metav1.ListOptions{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case apierrors.IsForbidden(err):
		answer.err = errors.New("not allowed to list resourcequotas")
	case err != nil:
		answer.err = errors.New(shortly(err))
	default:
		answer.list = list.Items
	}
	if c.quotas.known == nil {
		c.quotas.known = map[string]quotaAnswer{}
	}
	c.quotas.known[namespace] = answer
	return answer.list, answer.err
}
