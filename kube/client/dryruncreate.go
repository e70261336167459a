package client

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// errOtherPod says that an answer is not the pod that was sent: it would fit anywhere.
var errOtherPod = &notAnAPI{answer: "another Pod than was sent", object: true}

// DryRunCreate asks the server what would become of the pod: with its defaults,
// PriorityClass, RuntimeClass and LimitRange, or its rejection. Nothing is
// created. The error is ErrForbidden where the user may not create pods, and
// ErrRejected where admission rejects this one; where it is not known which of them
// it is, it is neither. The server's own words are in the error.
func (c *Client) DryRunCreate(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	namespace := cmp.Or(pod.Namespace, c.target.namespace)
	created, err := c.dryRunner.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil && (len(created.Spec.Containers) == 0 || pod.Name != "" && created.Name != pod.Name) {
		err = errOtherPod
	}
	what := fmt.Sprintf("dry run of pod %s", cmp.Or(pod.Name, pod.GenerateName))
	switch {
	case err == nil:
		return created, nil
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return nil, rejected(ctx, c, what, namespace, err)
	}
	return nil, classify(what, c.target.config.Host, err)
}

// rejected tells a user who may not create pods from a pod that admission rejects. Both
// are answered with the same status; an access review tells them apart.
func rejected(ctx context.Context, c *Client, what, namespace string, err error) error {
	right, reviewErr := c.access.review(ctx, Access{Verb: "create", Resource: podResource.gvr.Resource, Namespace: namespace})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case reviewErr != nil:
		return fmt.Errorf("%s: %w", what, err)
	case right.Allowed:
		return failf(ErrRejected, err, "%s: %s", what, cause(err))
	}
	return failf(ErrForbidden, err, "%s: %s", what, cause(err))
}
