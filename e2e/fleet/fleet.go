// Package fleet is a small cluster as it might stand in production: ten nodes in
// three zones, workloads that run, and one that waits for each usual reason.
package fleet

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// expectedPods is how many pods there are when the controllers are done.
const expectedPods = 65

const (
	settleTimeout = 2 * time.Minute
	settlePause   = 200 * time.Millisecond
)

// workloads.yaml says of each workload that waits why it does.
//
//go:embed workloads.yaml
var workloads string

// Fill creates the nodes and the workloads and returns when every pod is where
// it will stay. The control plane must run kwok and the controllers.
func Fill(ctx context.Context, client kubernetes.Interface, kubectl, kubeconfig string) error {
	for _, node := range nodes() {
		_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create node %s: %w", node.Name, err)
		}
	}
	apply := exec.CommandContext(ctx, kubectl, "--kubeconfig", kubeconfig, "apply", "-f", "-")
	apply.Stdin = strings.NewReader(workloads)
	out, err := apply.CombinedOutput()
	if err != nil {
		return fmt.Errorf("create the workloads: %w\n%s", err, out)
	}
	return settle(ctx, client)
}

// settle waits until each pod was looked at by its scheduler and runs, or is
// stuck as its annotation says.
func settle(ctx context.Context, client kubernetes.Interface) error {
	var waits []string
	quiet := 0
	err := wait.PollUntilContextTimeout(ctx, settlePause, settleTimeout, true, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		waits = nil
		for i := range pods.Items {
			settled, err := settlePod(ctx, client, &pods.Items[i])
			if err != nil {
				return false, err
			}
			if !settled {
				waits = append(waits, pods.Items[i].Namespace+"/"+pods.Items[i].Name)
			}
		}
		if len(waits) > 0 || len(pods.Items) < expectedPods {
			quiet = 0
			return false, nil
		}
		quiet++
		return quiet == 10, nil // two seconds without a change
	})
	if err != nil {
		return fmt.Errorf("settle the workloads: %w: still waiting: %s", err, strings.Join(waits, ", "))
	}
	return nil
}

// settlePod tells whether pod is where it will stay, and writes the status of
// a pod that is to be stuck.
func settlePod(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) (bool, error) {
	switch {
	case pod.Spec.NodeName == "":
		return considered(pod), nil
	case pod.Annotations[controlplane.Hold] == "":
		return pod.Status.Phase != corev1.PodPending, nil
	case len(pod.Status.ContainerStatuses) > 0:
		return true, nil
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  pod.Spec.Containers[0].Name,
		Image: pod.Spec.Containers[0].Image,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason:  pod.Annotations[controlplane.Hold],
			Message: `Back-off pulling image "` + pod.Spec.Containers[0].Image + `": ErrImagePull: 403 Forbidden`,
		}},
	}}
	_, err := client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return false, err
}

// considered tells whether kube-scheduler has said something about an unbound
// pod, or never will.
func considered(pod *corev1.Pod) bool {
	if pod.Spec.SchedulerName != corev1.DefaultSchedulerName {
		return true
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return true
		}
	}
	return false
}
