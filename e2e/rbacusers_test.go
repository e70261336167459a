package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// alsoThere is what default spreading reads, one service for all of an app and
// one controller of each kind, and claims that nobody has yet.
const alsoThere = `
apiVersion: v1
kind: Service
metadata: {namespace: seed-1-a, name: everything}
spec: {selector: {app: user}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ReplicationController
metadata: {namespace: seed-1-a, name: user}
spec: {replicas: 0, selector: {app: user}, template: {metadata: {labels: {app: user}}, spec: {containers: [{name: main, image: x}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {namespace: seed-1-a, name: user}
spec: {replicas: 0, selector: {matchLabels: {app: user}}, template: {metadata: {labels: {app: user}}, spec: {containers: [{name: main, image: x}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: seed-1-a, name: user}
spec: {replicas: 0, selector: {matchLabels: {app: user}}, template: {metadata: {labels: {app: user}}, spec: {containers: [{name: main, image: x}]}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {namespace: seed-1-a, name: user-csi}
spec: {storageClassName: seed-1-csi, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {namespace: seed-1-a, name: user-capacity}
spec: {storageClassName: seed-1-capacity, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {namespace: seed-1-a, name: user-nic}
spec: {devices: {requests: [{name: nic, exactly: {deviceClassName: nic.example}}]}}
`

// usersOfKinds are pods that fit, if only by what they ask the nodes for. Each
// uses one thing beside.
var usersOfKinds = map[string]string{
	"plain":      ``,
	"of-rc":      ``,
	"of-rs":      ``,
	"of-sts":     ``,
	"csi":        `volumes: [{name: data, persistentVolumeClaim: {claimName: user-csi}}]`,
	"capacity":   `volumes: [{name: data, persistentVolumeClaim: {claimName: user-capacity}}]`,
	"devices":    `resourceClaims: [{name: nic, resourceClaimName: user-nic}]`,
	"namespaces": `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: nobody}}, namespaceSelector: {matchLabels: {team: "1"}}}]}}`,
}

// ownerOf is the owner of some of them.
var ownerOf = map[string]string{
	"of-rc":  `{apiVersion: v1, kind: ReplicationController, name: user, uid: "%s", controller: true}`,
	"of-rs":  `{apiVersion: apps/v1, kind: ReplicaSet, name: user, uid: "%s", controller: true}`,
	"of-sts": `{apiVersion: apps/v1, kind: StatefulSet, name: user, uid: "%s", controller: true}`,
}

// createUsers creates pods that use each of the kinds, and those that preempt,
// while no scheduler takes them away.
func createUsers(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster) {
	t.Helper()
	kubectl(t, plane, alsoThere, "apply", "-f", "-")
	var manifest strings.Builder
	for name, spec := range usersOfKinds {
		owner := ""
		if of := ownerOf[name]; of != "" {
			kind, _, _ := strings.Cut(of[strings.Index(of, "kind: ")+len("kind: "):], ",")
			uid := kubectl(t, plane, "", "get", kind, "-n", "seed-1-a", "user", "-o", "jsonpath={.metadata.uid}")
			owner = "ownerReferences: [" + fmt.Sprintf(of, uid) + "]"
		}
		fmt.Fprintf(&manifest, `---
apiVersion: v1
kind: Pod
metadata:
  namespace: seed-1-a
  name: user-%s
  labels: {app: user}
  %s
spec:
  containers: [{name: main, image: x, resources: {requests: {cpu: 1m}}}]
  tolerations: [{operator: Exists}]
  %s
`, name, owner, spec)
	}
	kubectl(t, plane, manifest.String(), "apply", "-f", "-")
	for _, pod := range cluster.Late {
		_, err := client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}
