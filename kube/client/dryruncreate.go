package client

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// errOtherPod says that an answer is not the pod that was sent: it would fit anywhere.
var errOtherPod = &notAnAPI{answer: "another Pod than was sent", object: true}

// DryRunCreate asks the server what would become of the pod: with its defaults,
// PriorityClass, RuntimeClass and LimitRange, or its rejection. Nothing is
// created. The server's own words are in the error.
func (c *Client) DryRunCreate(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	namespace := cmp.Or(pod.Namespace, c.target.namespace)
	created, err := c.dryRunner.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil && (len(created.Spec.Containers) == 0 || pod.Name != "" && created.Name != pod.Name) {
		err = errOtherPod
	}
	if err != nil {
		return nil, classify(fmt.Sprintf("dry run of pod %s", cmp.Or(pod.Name, pod.GenerateName)), c.target.config.Host, err)
	}
	return created, nil
}
