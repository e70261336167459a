package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// secretWord begins all that is planted; where it stands follows.
const secretWord = "hunter2"

// secretObjects hold secrets wherever people put them. They come by kubectl apply,
// which keeps all of a manifest in an annotation.
const secretObjects = `
{apiVersion: v1, kind: ConfigMap, metadata: {namespace: NS, name: secretive}, data: {key: hunter2-configmap}, binaryData: {more: aHVudGVyMi1iaW5hcnk=}}
---
{apiVersion: v1, kind: Secret, metadata: {namespace: NS, name: secretive, annotations: {token: hunter2-secret-annotation}}, stringData: {key: hunter2-secret}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: NS-secretive}, provisioner: csi.example, parameters: {password: hunter2-parameters}, mountOptions: [password=hunter2-mount]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: NS-secretive, annotations: {token: hunter2-volume-annotation}}
spec:
  {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: NS-secretive, mountOptions: [password=hunter2-volume-mount],
  csi: {driver: csi.example, volumeHandle: x, volumeAttributes: {password: hunter2-attributes}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: NS, name: secretive, annotations: {token: hunter2-claim-annotation}}, spec: {accessModes: [ReadWriteOnce], storageClassName: NS-secretive, volumeName: NS-secretive, resources: {requests: {storage: 1Gi}}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {namespace: NS, name: secretive}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example}}], config: [{opaque: {driver: gpu.example, parameters: {apiVersion: v1, kind: Config, password: hunter2-opaque}}}]}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: NS, name: secretive, annotations: {token: hunter2-annotation}}
spec: &spec
  nodeSelector: {nobody-has: it}
  initContainers: [{name: init, image: x, env: [{name: A, value: hunter2-init}], args: [hunter2-init-args]}]
  containers:
  - name: main
    image: x
    command: [sh, -c, hunter2-command]
    args: [--password=hunter2-args]
    env: [{name: PASSWORD, value: hunter2-env}]
    workingDir: /hunter2-dir
    livenessProbe: {exec: {command: [hunter2-probe]}}
    readinessProbe: {httpGet: {port: 80, path: /hunter2-path, httpHeaders: [{name: Authorization, value: hunter2-header}]}}
    lifecycle: {preStop: {exec: {command: [hunter2-hook]}}}
  volumes:
  - {name: csi, csi: {driver: csi.example, volumeAttributes: {password: hunter2-inline}}}
  - {name: flex, flexVolume: {driver: example.com/flex, options: {password: hunter2-options}}}
  - {name: data, persistentVolumeClaim: {claimName: secretive}}
  - {name: map, configMap: {name: secretive}}
  - {name: secret, secret: {secretName: secretive}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {namespace: QUOTA, name: secretive, annotations: {token: hunter2-quota}}, spec: {hard: {limits.memory: 1Mi}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {namespace: QUOTA, name: refused, annotations: {token: hunter2-replicaset-annotation}}
spec: {replicas: 3, selector: {matchLabels: {app: refused}}, template: {metadata: {labels: {app: refused}, annotations: {token: hunter2-template-annotation}}, spec: {containers: [{name: main, image: x, env: [{name: A, value: hunter2-template}], resources: {limits: {memory: 1Gi}}}]}}}
`

// plantSecrets creates objects that hold secrets, among them a ReplicaSet whose pods
// a quota refuses, and gives the secrets.
func plantSecrets(t *testing.T, plane *controlplane.ControlPlane, cluster *random.Cluster) []string {
	t.Helper()
	namespaces := cluster.Namespaces()
	text := strings.NewReplacer("NS", namespaces[0], "QUOTA", namespaces[len(namespaces)-1], "&spec", "").Replace(secretObjects)
	kubectl(t, plane, text, "apply", "-f", "-")
	kubectl(t, plane, "", "annotate", "nodes", "--all", "token=hunter2-node")
	client := admin(t, plane)
	eventually(t, "the pods of the ReplicaSet are refused, and the scheduler has tried the pod", func(ctx context.Context) (bool, error) {
		sets, err := client.AppsV1().ReplicaSets(namespaces[len(namespaces)-1]).List(ctx, metav1.ListOptions{})
		if err != nil || len(sets.Items) != 1 || len(sets.Items[0].Status.Conditions) == 0 {
			return false, err
		}
		pod, err := client.CoreV1().Pods(namespaces[0]).Get(ctx, "secretive", metav1.GetOptions{})
		return err == nil && scheduled(pod).Message != "", err
	})
	var words []string
	for part := range strings.SplitAfterSeq(text, secretWord) {
		end := strings.IndexAny(part, "]},\n")
		if strings.HasPrefix(part, "-") && end > 0 {
			words = append(words, secretWord+part[:end])
		}
	}
	words = append(words, secretWord+"-node")
	there := kubectl(t, plane, "", "get", "configmaps,secrets,storageclasses,persistentvolumes,persistentvolumeclaims,resourceclaims,pods,replicasets,resourcequotas,nodes", "-A", "-o", "yaml")
	for _, word := range words {
		if !strings.Contains(there, word) {
			t.Errorf("%s is not in the cluster", word)
		}
	}
	return append(words, secretWord+"-binary")
}

// takeSnapshots takes one of each format, finds no secret in any, and gives the
// path of one.
func takeSnapshots(t *testing.T, config string, words []string, seen *snapshots) (file string) {
	t.Helper()
	dir := t.TempDir()
	seen.planted += len(words)
	for _, name := range []string{"plain.yaml", "plain.json", "packed.yaml.gz", "packed.json.zst"} {
		file = filepath.Join(dir, name)
		if r := fathom(t, "snapshot", "--kubeconfig", config, "-o", file); r.code != 0 {
			t.Fatalf("snapshot: exit code %d\n%s", r.code, r.stderr)
		}
		text := unpacked(t, file)
		if !strings.Contains(text, "secretive") {
			t.Fatalf("%s does not hold the pod with the secrets", name)
		}
		for _, word := range append(words, encodings(secretWord)...) {
			if strings.Contains(text, word) {
				t.Errorf("%s holds %s", name, word)
			}
		}
	}
	kept := filepath.Join(dir, "kept.yaml")
	r := fathom(t, "snapshot", "--kubeconfig", config, "-o", kept, "--keep", "args,env")
	if text := unpacked(t, kept); r.code != 0 || !strings.Contains(text, secretWord+"-env") || !strings.Contains(text, secretWord+"-args") {
		t.Errorf("with --keep args,env they are not in the file: exit code %d\n%s", r.code, r.stderr)
	}
	return file
}

// encodings are what of a word stands in base64, wherever it begins there.
func encodings(word string) []string {
	all := []string{word}
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + word))
		all = append(all, encoded[(8*shift+5)/6:8*(shift+len(word))/6])
	}
	return all
}

// unpacked is the text of a file.
func unpacked(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var from io.Reader = bytes.NewReader(data)
	switch filepath.Ext(file) {
	case ".gz":
		from, err = gzip.NewReader(from)
	case ".zst":
		from, err = zstd.NewReader(from)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// listed are the kinds that people list, few and all.
var listed = []string{"pods,nodes", "pods,nodes,namespaces,persistentvolumes,persistentvolumeclaims,services,replicationcontrollers,replicasets,statefulsets,poddisruptionbudgets," +
	"storageclasses,csinodes,csidrivers,csistoragecapacities,volumeattachments,resourceclaims,resourceslices,deviceclasses,devicetaintrules,resourcequotas,limitranges,priorityclasses,runtimeclasses"}

// compareLists explains what kubectl prints: each verdict is the live one or Unknown,
// each message the live one or not foretold.
func compareLists(t *testing.T, plane *controlplane.ControlPlane, live map[string]map[string]any, seen *snapshots) {
	t.Helper()
	for _, kinds := range listed {
		list := kubectl(t, plane, "", "get", kinds, "-A", "-o", "yaml")
		equal, messages := 0, 0
		for name, e := range explained(t, list, "explain", "--all", "-o", "json", "--from", "-") {
			message := fmt.Sprint(e["schedulerMessage"])
			switch {
			case message == "":
			case message == fmt.Sprint(live[name]["schedulerMessage"]):
				messages++
			default:
				t.Errorf("%s, of a List of %s:\n  live: %v\n  List: %s", name, kinds, live[name]["schedulerMessage"], message)
			}
			switch e["verdict"] {
			case "Unknown":
				seen.unknown++
			case live[name]["verdict"]:
				equal++
			case "Gated":
				// Of a List nobody knows which schedulers live; a scheduling gate holds
				// whoever schedules.
				if live[name]["verdict"] != "NotConsidered" || e["blockedBy"] != "gate" {
					t.Errorf("%s, of a List of %s: live %v, List Gated by %v", name, kinds, live[name]["verdict"], e["blockedBy"])
				}
			default:
				t.Errorf("%s, of a List of %s: live %v, List %v", name, kinds, live[name]["verdict"], e["verdict"])
			}
		}
		seen.equal += equal
		seen.messages += messages
		t.Logf("of %d pods, %d have the same verdict and %d the same message by a List of %s", len(live), equal, messages, kinds)
	}
}
