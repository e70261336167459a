package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// slaNode is a node with a taint whose value is a number, and a namespace.
const slaNode = `
{apiVersion: v1, kind: Node, metadata: {name: std-1}, spec: {taints: [{key: sla, value: "900", effect: NoSchedule}]},
 status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
`

// slaPod is a pod that tolerates numbers.
func slaPod(name, operator, value string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: %s}, spec: {automountServiceAccountToken: false, tolerations: [{key: sla, operator: %s, value: %q, effect: NoSchedule}], containers: [{name: main, image: x}]}}`, name, operator, value)
}

// startedWith is a pod as a kubelet mirrors kube-scheduler's.
func startedWith(flag string) string {
	return `{apiVersion: v1, kind: Pod, metadata: {namespace: kube-system, name: kube-scheduler-cp, labels: {component: kube-scheduler, tier: control-plane}}, spec: {nodeName: cp,
 automountServiceAccountToken: false, tolerations: [{operator: Exists}], containers: [{name: kube-scheduler, image: x, command: [kube-scheduler, --leader-elect=true, "` + flag + `"]}]}}`
}

// gatedAnswer is what fathom says of a pod.
type gatedAnswer struct {
	Verdict string
	Summary string
	Groups  []struct{ Rejections []struct{ What string } }
	Fixes   []struct {
		Title, Command string
		Verified       bool
	}
	Scheduler struct {
		GatesFrom string
		Caveats   []string
		Gates     []struct {
			Name, Source     string
			Enabled, Applied bool
		}
	}
}

func explainGates(t *testing.T, args ...string) (gatedAnswer, string) {
	t.Helper()
	r := fathom(t, append([]string{"explain", "-n", "shop", "--fixes", "-o", "json"}, args...)...)
	var e gatedAnswer
	if err := json.Unmarshal([]byte(r.stdout), &e); err != nil {
		t.Fatalf("%v: %s %s", err, r.stdout, r.stderr)
	}
	gates, err := json.Marshal(e.Scheduler)
	if err != nil {
		t.Fatal(err)
	}
	return e, string(gates)
}

// TestGatesAreThoseOfTheCluster turns a feature gate on and wants verdicts, words and fixes to follow it, by
// either way to read it, and nobody to be asked more often than once.
func TestGatesAreThoseOfTheCluster(t *testing.T) {
	const gate = "TaintTolerationComparisonOperators"
	plane := startPlane(t, controlplane.Options{Users: []string{noAutoscalers, watched}, Audit: true, AuditReads: true, Gates: gate + "=true"})
	client := admin(t, plane)
	kubectl(t, plane, slaNode+"---"+autoscalerUsers+"---"+strings.ReplaceAll(autoscalerUsers, noAutoscalers, watched), "apply", "-f", "-")
	kubectl(t, plane, slaPod("low", "Gt", "950"), "create", "-f", "-")
	config := kubeconfig(t, plane, controlplane.Admin)
	t.Run("by the metrics", func(t *testing.T) {
		e, text := explainGates(t, "low", "--kubeconfig", config)
		wantGate(t, e, text, gate, "kube-apiserver's metrics")
		if !strings.Contains(strings.Join(e.Scheduler.Caveats, " "), "feature gate "+gate+" is on by kube-apiserver's metrics") {
			t.Errorf("%q", e.Scheduler.Caveats)
		}
		file := filepath.Join(t.TempDir(), "state.yaml")
		if r := fathom(t, "snapshot", "--kubeconfig", config, "-o", file); r.code != 0 {
			t.Fatalf("exit code %d: %s", r.code, r.stderr)
		}
		if filed, filedText := explainGates(t, "low", "--from", file); text != filedText || filed.Summary != e.Summary {
			t.Errorf("the cluster: %s %s\nthe snapshot: %s %s", e.Summary, text, filed.Summary, filedText)
		}
	})
	t.Run("without rights the defaults are assumed", func(t *testing.T) {
		before := requests(t, plane)
		e, text := explainGates(t, "low", "--kubeconfig", kubeconfig(t, plane, watched))
		if e.Scheduler.GatesFrom != "" || len(e.Scheduler.Gates) > 0 || !strings.Contains(e.Groups[0].Rejections[0].What, "the feature gate "+gate+" is off") {
			t.Errorf("%s %+v", text, e.Groups)
		}
		requireReads(t, requests(t, plane)[len(before):], 1, 1)
	})
	kubectl(t, plane, startedWith("--feature-gates="+gate+"=true"), "create", "-f", "-")
	t.Run("by the command line", func(t *testing.T) {
		e, text := explainGates(t, "low", "--kubeconfig", config)
		wantGate(t, e, text, gate, "kube-scheduler's command line")
		if strings.Contains(strings.Join(e.Scheduler.Caveats, " "), gate) {
			t.Errorf("%q", e.Scheduler.Caveats)
		}
		before := requests(t, plane)
		explainGates(t, "low", "--kubeconfig", kubeconfig(t, plane, watched))
		requireReads(t, requests(t, plane)[len(before):], 1, 0)
	})
	t.Run("the fix holds", func(t *testing.T) { theFixCompares(t, plane, client, config) })
}

// wantGate wants the gate to be on, applied and told of.
func wantGate(t *testing.T, e gatedAnswer, text, gate, source string) {
	t.Helper()
	if e.Scheduler.GatesFrom != source || len(e.Scheduler.Gates) != 1 || e.Scheduler.Gates[0].Name != gate || !e.Scheduler.Gates[0].Enabled || !e.Scheduler.Gates[0].Applied {
		t.Errorf("the gates are %s", text)
	}
	if e.Verdict != "Unschedulable" || len(e.Groups) != 1 || !strings.Contains(e.Groups[0].Rejections[0].What, "; the pod tolerates sla > 950") {
		t.Errorf("%s: %+v", e.Verdict, e.Groups)
	}
}

// requests are those of the watched user.
func requests(t *testing.T, plane *controlplane.ControlPlane) []controlplane.Write {
	t.Helper()
	all, err := plane.Writes(watched)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// requireReads wants so many reads of kube-scheduler's pod and of the metrics.
func requireReads(t *testing.T, asked []controlplane.Write, pods, metrics int) {
	t.Helper()
	gotPods, gotMetrics := 0, 0
	for _, one := range asked {
		switch {
		case strings.Contains(one.URI, "labelSelector=component"):
			gotPods++
		case strings.HasPrefix(one.URI, "/metrics"):
			gotMetrics++
		}
	}
	t.Logf("%d requests, of which %d for kube-scheduler's pod and %d for metrics", len(asked), gotPods, gotMetrics)
	if len(asked) == 0 || gotPods != pods || gotMetrics != metrics {
		t.Errorf("of %d requests %d for kube-scheduler's pod, %d for metrics; want %d and %d", len(asked), gotPods, gotMetrics, pods, metrics)
	}
}

// theFixCompares runs the fix that compares and wants the pod to be bound.
func theFixCompares(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, config string) {
	t.Helper()
	e, _ := explainGates(t, "low", "--kubeconfig", config)
	for _, fix := range e.Fixes {
		if fix.Title == "tolerate sla > 899:NoSchedule" && fix.Verified {
			shell(t, plane, fix.Command)
			eventually(t, "the pod is bound", func(ctx context.Context) (bool, error) {
				pod, err := client.CoreV1().Pods("shop").Get(ctx, "low", metav1.GetOptions{})
				return err == nil && pod.Spec.NodeName == "std-1", err
			})
			return
		}
	}
	t.Fatalf("%+v", e.Fixes)
}
