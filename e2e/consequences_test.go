package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// controlled are a node with a label of its own, and workloads whose controllers do not simply
// recreate what goes: DaemonSets that the label decides about, a Job that may not fail, a
// Deployment under a quota.
const controlled = `
apiVersion: v1
kind: Node
metadata: {name: labelled, labels: {kubernetes.io/hostname: labelled, disk: fast}, annotations: {kwok.x-k8s.io/node: fake}}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}, capacity: {cpu: "8", memory: 32Gi, pods: "110"}}
---
apiVersion: v1
kind: Namespace
metadata: {name: controlled}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: by-selector, namespace: controlled}
spec:
  selector: {matchLabels: {app: by-selector}}
  template:
    metadata: {labels: {app: by-selector}}
    spec: {nodeSelector: {disk: fast}, terminationGracePeriodSeconds: 0, containers: [{name: main, image: x}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: by-affinity, namespace: controlled}
spec:
  selector: {matchLabels: {app: by-affinity}}
  template:
    metadata: {labels: {app: by-affinity}}
    spec:
      terminationGracePeriodSeconds: 0
      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [
        {key: disk, operator: Exists}, {key: old, operator: DoesNotExist}]}]}}}
      containers: [{name: main, image: x}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: everywhere, namespace: controlled}
spec:
  selector: {matchLabels: {app: everywhere}}
  template:
    metadata: {labels: {app: everywhere}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: x}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: controlled}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {app: once}, annotations: {fathom.example/endless: "true"}}
    spec: {restartPolicy: Never, terminationGracePeriodSeconds: 0, containers: [{name: main, image: x}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: again, namespace: controlled}
spec:
  backoffLimit: 3
  template:
    metadata: {labels: {app: again}, annotations: {fathom.example/endless: "true"}}
    spec: {restartPolicy: Never, terminationGracePeriodSeconds: 0, containers: [{name: main, image: x}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: controlled}
spec: {hard: {requests.cpu: "4"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: counted, namespace: controlled}
spec:
  replicas: 2
  selector: {matchLabels: {app: counted}}
  template:
    metadata: {labels: {app: counted}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]}
`

// What a plan says of pods whose controllers do not simply recreate them is what becomes of them.
func TestPlansForeseeWhatControllersDo(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Backoff: 1, TerminationTime: time.Second})
	client := admin(t, plane)
	kubectl(t, plane, strings.ReplaceAll(controlled, "containers: [{name: main, image: x}]", "containers: [{name: main, image: x, resources: {requests: {cpu: 10m}}}]"), "apply", "-f", "-")
	for app, pods := range map[string]int{"by-selector": 1, "by-affinity": 1, "everywhere": 1, "once": 1, "again": 1, "counted": 2} {
		eventually(t, app+" runs", func(ctx context.Context) (bool, error) { return len(podsOfApp(ctx, client, app)) == pods, nil })
	}
	t.Run("labels", func(t *testing.T) { labelsDecideOfDaemonPods(t, plane, client) })
	t.Run("jobs", func(t *testing.T) { jobsCountEvictions(t, plane, client) })
	t.Run("quotas", func(t *testing.T) { quotasRejectReplacements(t, plane, client) })
}

// podsOfApp are the names of the pods of an app that have a node and are not ending.
func podsOfApp(ctx context.Context, client kubernetes.Interface, app string) (names []string) {
	list, err := client.CoreV1().Pods("controlled").List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		return nil
	}
	for i := range list.Items {
		if pod := &list.Items[i]; pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			names = append(names, pod.Name)
		}
	}
	return names
}

// onePod is the name of one of the pods of an app.
func onePod(t *testing.T, client kubernetes.Interface, app string) (name string) {
	t.Helper()
	eventually(t, app+" has a pod", func(ctx context.Context) (bool, error) {
		pods := podsOfApp(ctx, client, app)
		if len(pods) > 0 {
			name = pods[0]
		}
		return name != "", nil
	})
	return name
}

// consequences are what a plan says.
type consequences struct {
	PodsTerminated int
	Effects        []string
	Warnings       []string
	Pods           []struct {
		Name string
		Fate struct{ Outcome, Why string }
	}
}

func planOf(t *testing.T, plane *controlplane.ControlPlane, args ...string) (plan consequences) {
	t.Helper()
	r := fathom(t, append(args, "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "--plan", "-o", "json")...)
	if err := json.Unmarshal([]byte(r.stdout), &plan); err != nil {
		t.Fatalf("plan %v: %v\n%s%s", args, err, r.stdout, r.stderr)
	}
	return plan
}

// labelsDecideOfDaemonPods changes labels of the node, each plan first.
func labelsDecideOfDaemonPods(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	for _, c := range []struct {
		labels []string
		goes   []string // the apps whose pods are deleted
	}{
		{[]string{"team=a"}, nil},
		{[]string{"old=yes"}, []string{"by-affinity"}},
		{[]string{"disk-"}, []string{"by-selector"}},
	} {
		plan := planOf(t, plane, append([]string{"label", "node", "labelled"}, c.labels...)...)
		said := strings.Join(plan.Effects, " ")
		onePod(t, client, "everywhere")
		for _, app := range []string{"by-selector", "by-affinity", "everywhere"} {
			for _, pod := range podsOfApp(t.Context(), client, app) {
				if named := strings.Contains(said, pod); named != slices.Contains(c.goes, app) {
					t.Errorf("%v: %s is named %t: %s", c.labels, pod, named, said)
				}
			}
		}
		if plan.PodsTerminated != len(c.goes) {
			t.Errorf("%v: %d pods are terminated: %s", c.labels, plan.PodsTerminated, said)
		}
		kubectl(t, plane, "", append([]string{"label", "node", "labelled"}, c.labels...)...)
		for _, app := range c.goes {
			eventually(t, "the pod of "+app+" is deleted", func(ctx context.Context) (bool, error) { return len(podsOfApp(ctx, client, app)) == 0, nil })
		}
		if len(podsOfApp(t.Context(), client, "everywhere")) != 1 {
			t.Errorf("%v: the pod of everywhere is gone", c.labels)
		}
	}
}

// evictOne evicts the pod and gives what the plan said of it.
func evictOne(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, pod string) (outcome, why string) {
	t.Helper()
	plan := planOf(t, plane, "evict", "controlled/"+pod)
	if len(plan.Pods) != 1 {
		t.Fatalf("the plan of %s has %d pods", pod, len(plan.Pods))
	}
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "controlled", Name: pod}}
	if err := client.PolicyV1().Evictions("controlled").Evict(t.Context(), eviction); err != nil {
		t.Fatal(err)
	}
	return plan.Pods[0].Fate.Outcome, plan.Pods[0].Fate.Why
}

// jobsCountEvictions evicts the pods of Jobs.
func jobsCountEvictions(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	outcome, why := evictOne(t, plane, client, onePod(t, client, "once"))
	if outcome != "notRecreated" || why != "its Job fails (backoffLimit 0)" {
		t.Errorf("the plan says %s, %s", outcome, why)
	}
	eventually(t, "the Job has failed", func(ctx context.Context) (bool, error) {
		job, err := client.BatchV1().Jobs("controlled").Get(ctx, "once", metav1.GetOptions{})
		return err == nil && slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == batchv1.JobFailed && c.Reason == batchv1.JobReasonBackoffLimitExceeded
		}), err
	})
	pod := onePod(t, client, "again")
	if outcome, why := evictOne(t, plane, client, pod); outcome != "rescheduled" {
		t.Errorf("of a Job that may fail the plan says %s, %s", outcome, why)
	}
	eventually(t, "the Job has another pod", func(ctx context.Context) (bool, error) {
		pods := podsOfApp(ctx, client, "again")
		return len(pods) == 1 && pods[0] != pod, nil
	})
}

// quotasRejectReplacements evicts a pod of a Deployment, once the quota is too small for two.
func quotasRejectReplacements(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	pod := onePod(t, client, "counted")
	if outcome, why := evictOne(t, plane, client, pod); outcome != "rescheduled" {
		t.Errorf("with a quota that is large enough the plan says %s, %s", outcome, why)
	}
	eventually(t, "there are two again", func(ctx context.Context) (bool, error) {
		now := podsOfApp(ctx, client, "counted")
		return len(now) == 2 && !slices.Contains(now, pod), nil
	})
	kubectl(t, plane, "", "patch", "resourcequota", "compute", "-n", "controlled", "-p", `{"spec": {"hard": {"requests.cpu": "1"}}}`)
	eventually(t, "the quota is counted", func(ctx context.Context) (bool, error) {
		quota, err := client.CoreV1().ResourceQuotas("controlled").Get(ctx, "compute", metav1.GetOptions{})
		hard := quota.Status.Hard[corev1.ResourceRequestsCPU]
		return err == nil && hard.String() == "1", err
	})
	outcome, why := evictOne(t, plane, client, onePod(t, client, "counted"))
	if outcome != "notRecreated" || why != "quota compute: requests.cpu" {
		t.Errorf("the plan says %s, %s", outcome, why)
	}
	eventually(t, "kube-apiserver has rejected the replacement", func(ctx context.Context) (bool, error) {
		events, err := client.CoreV1().Events("controlled").List(ctx, metav1.ListOptions{FieldSelector: "reason=FailedCreate"})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return strings.Contains(e.Message, "exceeded quota: compute") }), nil
	})
	if n := len(podsOfApp(t.Context(), client, "counted")); n != 1 {
		t.Errorf("%d pods run", n)
	}
}
