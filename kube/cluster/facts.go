package cluster

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/kube/custom"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// factsOf reads what fixes have to know of a Deployment or Job, at most 15 s late.
func factsOf(ctx context.Context, a *CachedReader, of model.Ref) command.Facts {
	found, ok := a.facts.of(ctx, of, func() command.Facts {
		facts, err := readFacts(ctx, a, of)
		switch {
		case apierrors.IsNotFound(err), err == nil && facts.UID != of.UID:
			return command.Facts{UID: of.UID, Gone: true}
		case err != nil:
			return command.Facts{UID: of.UID, Unread: custom.Why(a.options.Words, "get", of.Resource, err)}
		}
		return facts
	})
	if !ok {
		return command.Facts{UID: of.UID, Unread: context.Cause(ctx).Error()}
	}
	return found
}

// wholePod reads a pod with the fields that informers drop.
func wholePod(ctx context.Context, a *CachedReader, pod *corev1.Pod) (*corev1.Pod, error) {
	whole, err := a.options.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return nil, errors.New(custom.Why(a.options.Words, "get", "pods", err))
	case whole.UID != pod.UID:
		return nil, errors.New("it no longer exists")
	}
	return whole, nil
}

func readFacts(ctx context.Context, a *CachedReader, of model.Ref) (facts command.Facts, err error) {
	if of.Resource == "jobs" {
		job, err := a.options.Client.BatchV1().Jobs(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
		if err != nil {
			return facts, err
		}
		return command.FactsOfJob(job), nil
	}
	deployment, err := a.options.Client.AppsV1().Deployments(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
	if err != nil {
		return facts, err
	}
	return command.FactsOfDeployment(deployment), nil
}
