package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

const rolledOut = `
{apiVersion: v1, kind: Node, metadata: {name: one, labels: {kubernetes.io/hostname: one, topology.kubernetes.io/zone: a, topology.kubernetes.io/region: r}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "50"}, capacity: {cpu: "4", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: two, labels: {kubernetes.io/hostname: two, topology.kubernetes.io/zone: b, topology.kubernetes.io/region: r}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "50"}, capacity: {cpu: "4", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: app, image: registry.example/web:v1, resources: {requests: {cpu: "1"}}}]
`

// TestAStuckRolloutIsToldAndUndone: what the new template changed is said, and the command that undoes it leaves all
// replicas running.
func TestAStuckRolloutIsToldAndUndone(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true})
	client := admin(t, plane)
	kubectl(t, plane, rolledOut, "apply", "-f", "-")
	if err := plane.StartScheduler(t.Context()); err != nil {
		t.Fatal(err)
	}
	var pending *corev1.Pod
	pods := func(cpu string, running, unschedulable int) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			list, err := client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, err
			}
			run, wait := 0, 0
			for i := range list.Items {
				switch pod := &list.Items[i]; {
				case pod.Spec.NodeName == "" && scheduled(pod).Reason == corev1.PodReasonUnschedulable:
					pending = pod
					wait++
				case pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil && pod.Spec.Containers[0].Resources.Requests.Cpu().String() == cpu:
					run++
				default:
					return false, nil
				}
			}
			return run == running && wait == unschedulable, nil
		}
	}
	eventually(t, "all replicas run", pods("1", 4, 0))
	kubectl(t, plane, "", "-n", "shop", "set", "resources", "deployment/web", "--requests=cpu=6")
	eventually(t, "the new pods are pending", pods("1", 3, 2))
	r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-n", "shop", pending.Name, "--fixes", "-o", "json")
	var told struct {
		Rollout struct {
			Running, New, Pending int
			Changes               []struct{ Field, Key, Before, After, Plugin string }
		}
		Fixes []fix
	}
	if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
		t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	if c := told.Rollout; c.Running != 3 || c.New != 0 || c.Pending != 2 || len(c.Changes) != 1 || c.Changes[0].Key != "cpu" || c.Changes[0].Before != "1" || c.Changes[0].After != "6" {
		t.Errorf("told of the rollout: %+v", c)
	}
	text := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-n", "shop", pending.Name).stdout
	if !strings.Contains(text, "deployment/web changed ") || !strings.Contains(text, " ago: cpu request 6 instead of 1; 3 old pods run.") {
		t.Errorf("not told in the text:\n%s", text)
	}
	for _, f := range told.Fixes {
		if f.Kind != "undo" {
			continue
		}
		if f.Verified {
			t.Errorf("to delete the pod is said to give it a node: %+v", f)
		}
		shell(t, plane, f.Command)
		eventually(t, "all replicas run again", pods("1", 4, 0))
		return
	}
	t.Errorf("undoing the rollout is not offered: %+v", told.Fixes)
}
