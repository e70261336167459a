package e2e

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// hardCases is one node with everything against it, one that holds the pods
// that the others count, and pods that the first refuses for many reasons.
const hardCases = `
apiVersion: v1
kind: Namespace
metadata: {name: hard}
---
apiVersion: v1
kind: Node
metadata:
  name: bad
  labels: {kubernetes.io/hostname: bad, zone: one, disktype: hdd}
spec:
  unschedulable: true
  taints:
  - {key: dedicated, value: gpu, effect: NoSchedule}
  - {key: example.com/empty, effect: NoExecute}
status:
  allocatable: {cpu: 1500m, memory: 1000Mi, pods: "2"}
  capacity: {cpu: "2", memory: 2Gi, pods: "2"}
---
apiVersion: v1
kind: Pod
metadata: {namespace: hard, name: there, labels: {app: web}}
spec:
  nodeName: bad
  containers:
  - name: main
    image: registry.example/web:v1
    ports: [{containerPort: 80, hostPort: 8080}]
    resources: {requests: {cpu: 1250m, memory: 300M}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: hard, name: hater}
spec:
  nodeName: bad
  containers: [{name: main, image: registry.example/web:v1}]
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchLabels: {hated: "yes"}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: hard, name: three}
spec:
  containers:
  - name: main
    image: registry.example/web:v1
    resources: {requests: {cpu: "1", memory: 5Gi}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: hard, name: seven, labels: {app: web, hated: "yes"}}
spec:
  nodeSelector: {disktype: ssd}
  containers:
  - name: main
    image: registry.example/web:v1
    ports: [{containerPort: 80, hostPort: 8080}]
    resources: {requests: {cpu: "1"}}
  topologySpreadConstraints:
  - maxSkew: 1
    minDomains: 2
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    nodeAffinityPolicy: Ignore
    labelSelector: {matchLabels: {app: web}}
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchLabels: {app: web}}
`

// createHardCases creates them and waits until the scheduler has tried both.
func createHardCases(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	kubectl(t, plane, hardCases, "apply", "-f", "-")
	err := plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the scheduler has tried the hard cases", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods("hard").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		tried := 0
		for i := range list.Items {
			if scheduled(&list.Items[i]).Status == corev1.ConditionFalse {
				tried++
			}
		}
		return tried == 2, nil
	})
}

// NodeName refuses only a pod that is bound already, so only a manifest can ask.
func TestManifestWithNodeNameIsAnswered(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	kubectl(t, plane, hardCases, "apply", "-f", "-")
	manifest := "apiVersion: v1\nkind: Pod\nmetadata: {namespace: hard, name: asks}\nspec:\n  nodeName: elsewhere\n  containers: [{name: main, image: x}]\n"
	r := fathomWithInput(t, manifest, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-f", "-", "-o", "json", "--nodes")
	if r.code != 0 && r.code != 1 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	e := readExplanation(t, r.stdout)
	if e.Pod.Name != "asks" || e.Verdict == "" || e.Summary == "" {
		t.Errorf("the explanation says too little: %s", r.stdout)
	}
}
