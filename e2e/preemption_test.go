package e2e

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// aboutToPreempt is a node that is full of a pod of low priority, and a pod
// that ranks above it.
const aboutToPreempt = `
apiVersion: v1
kind: Namespace
metadata: {name: preempts}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: first}
value: 1000
---
apiVersion: v1
kind: Node
metadata: {name: only, labels: {kubernetes.io/hostname: only}}
status:
  allocatable: {cpu: "2", memory: 4Gi, pods: "10"}
  capacity: {cpu: "2", memory: 4Gi, pods: "10"}
---
apiVersion: v1
kind: Pod
metadata: {namespace: preempts, name: victim}
spec:
  nodeName: only
  containers:
  - name: main
    image: registry.example/batch:v1
    resources: {requests: {cpu: 1500m}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: preempts, name: first}
spec:
  priorityClassName: first
  containers:
  - name: main
    image: registry.example/web:v1
    resources: {requests: {cpu: "1"}}
`

// A preemption is foretold before the scheduler has seen the pod, and told as
// one while its victim ends. No kubelet runs, so it never does.
func TestPreemptionIsForetoldAndThenTold(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	client := admin(t, plane)
	config := kubeconfig(t, plane, controlplane.Admin)
	plane.StopScheduler()
	kubectl(t, plane, aboutToPreempt, "apply", "-f", "-")
	foretold := explainAll(t, config)["preempts/first"]
	if foretold.Verdict != "Unschedulable" || foretold.Observed.Agrees != nil {
		t.Errorf("verdict %s, agrees %s; no node fits, and the scheduler has said nothing", foretold.Verdict, boolean(foretold.Observed.Agrees))
	}
	err := plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the scheduler has nominated the node", func(ctx context.Context) (bool, error) {
		pod, err := client.CoreV1().Pods("preempts").Get(ctx, "first", metav1.GetOptions{})
		if err != nil || pod.Status.NominatedNodeName == "" {
			return false, err
		}
		if message := scheduled(pod).Message; message != foretold.SchedulerMessage {
			t.Errorf("kube-scheduler wrote %q\nexplain foretold     %q", message, foretold.SchedulerMessage)
		}
		return true, nil
	})
	told := explainAll(t, config)["preempts/first"]
	if told.Verdict != "Preempting" {
		t.Errorf("verdict %s (%s) while the victim ends", told.Verdict, told.Summary)
	}
}
