package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// refusedWorkloads are five whose pods admission refuses, each for another
// reason and in a namespace of that name.
const refusedWorkloads = `
{apiVersion: v1, kind: Node, metadata: {name: one, labels: {kubernetes.io/hostname: one}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "50"}, capacity: {cpu: "8", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: two, labels: {kubernetes.io/hostname: two}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "50"}, capacity: {cpu: "8", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: quota}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: partly}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: limits}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: security, labels: {pod-security.kubernetes.io/enforce: restricted}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: policy}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {namespace: quota, name: compute}, spec: {hard: {requests.cpu: "2"}}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {namespace: partly, name: compute}, spec: {hard: {requests.cpu: "2", pods: "10"}}}
---
{apiVersion: v1, kind: LimitRange, metadata: {namespace: limits, name: bounds}, spec: {limits: [{type: Container, max: {cpu: 500m}}]}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: nothing-here}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "false", message: "pods are not wanted here"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: nothing-here}
spec:
  policyName: nothing-here
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: policy}}}
`

// workloadsOfThem come once quotas are counted and the policy is in force.
const workloadsOfThem = `
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: quota, name: api}
spec: {replicas: 2, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}, spec: {containers: [{name: main, image: x, resources: {requests: {cpu: "3"}}}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: partly, name: db}
spec: {replicas: 3, podManagementPolicy: Parallel, serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: x, resources: {requests: {cpu: 900m}}}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {namespace: limits, name: etl}
spec: {parallelism: 2, completions: 2, template: {metadata: {labels: {app: etl}}, spec: {restartPolicy: Never, containers: [{name: main, image: x, resources: {limits: {cpu: "1"}}}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {namespace: security, name: agent}
spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {hostNetwork: true, containers: [{name: main, image: x}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: policy, name: denied}
spec: {replicas: 1, selector: {matchLabels: {app: denied}}, template: {metadata: {labels: {app: denied}}, spec: {containers: [{name: main, image: x}]}}}
`

// notCreated is what the contract says of pods that do not exist.
type notCreated struct {
	Pod struct {
		Namespace, Name string
		Owner           struct{ Kind, Name string }
	}
	Verdict, Summary string
	Admission        struct {
		Desired, Missing int
		Message          string
		Rejections       []rejection
	}
}

// refusedNow are those of explain --all, by namespace.
func refusedNow(t *testing.T, r result) map[string]notCreated {
	t.Helper()
	var list struct{ Items []notCreated }
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
		t.Fatalf("read the explanations: %v\n%.2000s", err, r.stdout)
	}
	found := map[string]notCreated{}
	for _, item := range list.Items {
		if item.Verdict == "NotCreated" {
			found[item.Pod.Namespace] = item
		}
	}
	return found
}

// Pods that were refused are told with what refuses them, and no longer once
// they were created.
func TestPodsThatWereNotCreatedAreTold(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Users: []string{without("events")}})
	config := kubeconfig(t, plane, controlplane.Admin)
	kubectl(t, plane, refusedWorkloads, "apply", "-f", "-")
	client := admin(t, plane)
	eventually(t, "quotas are counted, and the policy is in force", func(ctx context.Context) (bool, error) {
		counted := kubectl(t, plane, "", "get", "resourcequota", "-A", "-o", "jsonpath={.items[*].status.used.requests\\.cpu}")
		probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "probe"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "x"}}}}
		_, err := client.CoreV1().Pods("policy").Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return counted == "0 0" && err != nil && strings.Contains(err.Error(), "pods are not wanted here"), nil
	})
	kubectl(t, plane, workloadsOfThem, "apply", "-f", "-")
	all := func() result {
		return fathom(t, "explain", "--kubeconfig", config, "--all", "-A", "-o", "json")
	}
	var found map[string]notCreated
	eventually(t, "all five are told", func(context.Context) (bool, error) {
		found = refusedNow(t, all())
		return len(found) == 5 && found["partly"].Admission.Missing == 1, nil
	})
	t.Run("which", func(t *testing.T) { checkRefused(t, found) })
	t.Run("figures of quotas", func(t *testing.T) {
		checkQuota(t, plane, found["quota"], "3")
		checkQuota(t, plane, found["partly"], "900m")
	})
	t.Run("without events", func(t *testing.T) { checkWithoutEvents(t, plane) })

	kubectl(t, plane, "", "patch", "resourcequota", "compute", "-n", "quota", "-p", `{"spec":{"hard":{"requests.cpu":"8"}}}`)
	kubectl(t, plane, "", "delete", "limitrange", "bounds", "-n", "limits")
	eventually(t, "the quota is counted anew", func(context.Context) (bool, error) {
		return kubectl(t, plane, "", "get", "resourcequota", "compute", "-n", "quota", "-o", "jsonpath={.status.hard.requests\\.cpu}") == "8", nil
	})
	kubectl(t, plane, "", "annotate", "replicasets", "-n", "quota", "--all", "try=now") // their controllers look again
	kubectl(t, plane, "", "annotate", "jobs", "-n", "limits", "--all", "try=now")
	eventually(t, "the two that recovered are told no more", func(context.Context) (bool, error) {
		found := refusedNow(t, all())
		_, quota := found["quota"]
		_, limits := found["limits"]
		return !quota && !limits && len(found) == 3, nil
	})
}

// checkRefused wants each workload with its own reason.
func checkRefused(t *testing.T, found map[string]notCreated) {
	t.Helper()
	for namespace, want := range map[string]struct {
		owner           string
		wanted, missing int
		plugin, summary string
	}{
		"quota":    {"Deployment/api", 2, 2, "ResourceQuota", "Not created: ResourceQuota quota/compute allows requests.cpu 2, 0 used, the pod needs 3."},
		"partly":   {"StatefulSet/db", 3, 1, "ResourceQuota", "Not created: ResourceQuota partly/compute allows requests.cpu 2, 1.8 used, the pod needs 900m."},
		"limits":   {"Job/etl", 2, 2, "LimitRanger", "Not created: LimitRange limits/bounds allows at most cpu 500m per Container, container main has limit 1."},
		"security": {"DaemonSet/agent", 2, 2, "PodSecurity", "Not created: namespace security enforces Pod Security level restricted, which forbids host namespaces (hostNetwork=true)"},
		"policy":   {"Deployment/denied", 1, 1, "", "Not created: kube-apiserver rejected it"},
	} {
		got := found[namespace]
		plugin := ""
		if len(got.Admission.Rejections) > 0 {
			plugin = got.Admission.Rejections[0].Plugin
		}
		owner := got.Pod.Owner.Kind + "/" + got.Pod.Owner.Name
		if owner != want.owner || got.Pod.Name != "" || got.Admission.Desired != want.wanted || got.Admission.Missing != want.missing || plugin != want.plugin {
			t.Errorf("%s: %s lacks %d of %d, refused by %q; want %+v", namespace, owner, got.Admission.Missing, got.Admission.Desired, plugin, want)
		}
		if !strings.HasPrefix(got.Summary, want.summary) {
			t.Errorf("%s: %q, want %q", namespace, got.Summary, want.summary)
		}
		if !strings.Contains(got.Admission.Message, "is forbidden") {
			t.Errorf("%s: kube-apiserver said %q", namespace, got.Admission.Message)
		}
	}
	if said := found["policy"].Admission.Message; !strings.Contains(said, "pods are not wanted here") {
		t.Errorf("the policy's words are not in %q", said)
	}
}

// checkQuota recounts the figures from the quota itself.
func checkQuota(t *testing.T, plane *controlplane.ControlPlane, of notCreated, wants string) {
	t.Helper()
	read := func(which string) resource.Quantity {
		text := kubectl(t, plane, "", "get", "resourcequota", "compute", "-n", of.Pod.Namespace, "-o", fmt.Sprintf("jsonpath={.status.%s.requests\\.cpu}", which))
		return resource.MustParse(text)
	}
	hard, used, wanted := read("hard"), read("used"), resource.MustParse(wants)
	short := used.DeepCopy()
	short.Add(wanted)
	short.Sub(hard)
	if len(of.Admission.Rejections) != 1 || len(of.Admission.Rejections[0].Numbers) != 1 {
		t.Fatalf("rejections %+v", of.Admission.Rejections)
	}
	n := of.Admission.Rejections[0].Numbers[0]
	for name, pair := range map[string]struct {
		told string
		is   resource.Quantity
	}{"hard": {n.Allocatable, hard}, "used": {n.Requested, used}, "wanted": {n.Wanted, wanted}, "short": {n.Short, short}} {
		if told, err := resource.ParseQuantity(pair.told); err != nil || told.Cmp(pair.is) != 0 {
			t.Errorf("%s: %s is told as %q, is %s", of.Pod.Namespace, name, pair.told, pair.is.String())
		}
	}
}

// checkWithoutEvents wants what ReplicaSets say themselves, and that the rest
// may be missing.
func checkWithoutEvents(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	var rules strings.Builder
	for group, resources := range map[string]string{
		"":                             "nodes, pods, namespaces, persistentvolumes, persistentvolumeclaims, services, replicationcontrollers, resourcequotas, limitranges",
		"apps":                         "replicasets, statefulsets, daemonsets",
		"batch":                        "jobs",
		"policy":                       "poddisruptionbudgets",
		"storage.k8s.io":               "'*'",
		"resource.k8s.io":              "'*'",
		"scheduling.k8s.io":            "priorityclasses",
		"coordination.k8s.io":          "leases",
		"admissionregistration.k8s.io": "'*'",
	} {
		fmt.Fprintf(&rules, "- {apiGroups: [%q], resources: [%s], verbs: [get, list, watch]}\n", group, resources)
	}
	user := without("events")
	kubectl(t, plane, fmt.Sprintf(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %[1]s}
rules:
%[2]s---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %[1]s}]
`, user, rules.String()), "apply", "-f", "-")
	r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, user), "--all", "-A", "-o", "json")
	found := refusedNow(t, r)
	if len(found) != 2 || found["quota"].Verdict == "" || found["policy"].Verdict == "" {
		t.Errorf("told are %+v, want the two Deployments", found)
	}
	if r.code != 3 || !strings.Contains(r.stderr, "not allowed to list events") {
		t.Errorf("exit code %d, want 3; stderr %q", r.code, r.stderr)
	}
}
