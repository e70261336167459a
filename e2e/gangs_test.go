package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// gangNodes are three nodes, a namespace, and a pod of no group.
const gangNodes = `
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {allocatable: {cpu: "8", memory: 64Gi, pods: "110"}, capacity: {cpu: "8", memory: 64Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}, status: {allocatable: {cpu: "6", memory: 64Gi, pods: "110"}, capacity: {cpu: "6", memory: 64Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n3, labels: {kubernetes.io/hostname: n3}}, status: {allocatable: {cpu: "3", memory: 64Gi, pods: "110"}, capacity: {cpu: "3", memory: 64Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ml}}
`

// gangUsers may read all but PodGroups.
var gangUsers = strings.ReplaceAll(strings.Replace(autoscalerUsers, "scheduling.k8s.io, ", "", 1), noAutoscalers, noGroups)

const noGroups = "no-groups"

// gangPod is a pod of a group ("": of none).
func gangPod(name, group string, cpu int) string {
	of := ""
	if group != "" {
		of = "schedulingGroup: {podGroupName: " + group + "}, "
	}
	return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: %s}, spec: {%sautomountServiceAccountToken: false, containers: [{name: main, image: x, resources: {requests: {cpu: "%d"}}}]}}`, name, of, cpu)
}

// gangAnswer is what fathom says of a pod.
type gangAnswer struct {
	Verdict string `json:"verdict"`
	Summary string `json:"summary"`
	Gang    *struct {
		MinCount, Members, Places *int
		Fits                      *bool
		Reason                    string
	} `json:"gang"`
	Unknown []struct{ Resource, Why string } `json:"unknown"`
}

func explainGang(t *testing.T, args ...string) (gangAnswer, string) {
	t.Helper()
	r := fathom(t, append([]string{"explain", "-n", "ml", "-o", "json"}, args...)...)
	var e gangAnswer
	if err := json.Unmarshal([]byte(r.stdout), &e); err != nil {
		t.Fatalf("%v: %s %s", err, r.stdout, r.stderr)
	}
	gang, err := json.Marshal(e.Gang)
	if err != nil {
		t.Fatal(err)
	}
	return e, e.Verdict + " " + string(gang)
}

// TestGangsAreScheduledAsForetold explains random gangs before the scheduler runs, starts it, and wants
// it to bind those that were said to fit, and none of the others.
func TestGangsAreScheduledAsForetold(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Users: []string{noGroups, watched}, Audit: true, AuditReads: true, Groups: true})
	client := admin(t, plane)
	kubectl(t, plane, gangNodes+"---"+gangUsers+"---"+strings.ReplaceAll(autoscalerUsers, noAutoscalers, watched), "apply", "-f", "-")
	config := kubeconfig(t, plane, controlplane.Admin)
	t.Run("without groups nothing of them is asked for", func(t *testing.T) {
		kubectl(t, plane, gangPod("alone", "", 99), "create", "-f", "-")
		explainGang(t, "--kubeconfig", kubeconfig(t, plane, watched), "alone")
		kubectl(t, plane, "", "delete", "-n", "ml", "pod", "alone", "--force", "--grace-period=0")
		asked, err := plane.Writes(watched)
		if err != nil || len(asked) == 0 {
			t.Fatal(err, len(asked))
		}
		for _, one := range asked {
			if strings.Contains(one.URI, "podgroups") || strings.HasPrefix(one.URI, "/apis?") || one.URI == "/apis" {
				t.Error(one.Verb, one.URI)
			}
		}
	})
	fits := 0
	for seed := range uint64(8) {
		d := rand.New(rand.NewPCG(seed, 3))
		t.Run(fmt.Sprint("gang ", seed), func(t *testing.T) {
			if gangFits(t, plane, client, config, 2+d.IntN(5), 1+d.IntN(3)) {
				fits++
			}
		})
	}
	if fits == 0 || fits == 8 {
		t.Errorf("%d of 8 gangs fit", fits)
	}
}

// gangFits makes a gang of so many pods and says whether the scheduler bound it.
func gangFits(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, config string, pods, cpu int) bool {
	t.Helper()
	plane.StopScheduler()
	group := fmt.Sprintf("train-%d-%d", pods, cpu) // a PodGroup is not deleted without its controller
	defer kubectl(t, plane, "", "delete", "-n", "ml", "pods", "--all", "--force", "--grace-period=0")
	objects := []string{fmt.Sprintf(`{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: ml, name: %s}, spec: {schedulingPolicy: {gang: {minCount: %d}}}}`, group, pods)}
	for i := range pods {
		objects = append(objects, gangPod(fmt.Sprint("train-", i), group, cpu))
	}
	kubectl(t, plane, strings.Join(objects[:pods], "\n---\n"), "apply", "-f", "-")
	incomplete, said := explainGang(t, "--kubeconfig", config, "train-0")
	if want := fmt.Sprintf("PodGroup ml/%s has %d of the %d pods", group, pods-1, pods); incomplete.Verdict != "Gated" || !strings.Contains(incomplete.Summary, want) {
		t.Errorf("one pod short: %s %s", said, incomplete.Summary)
	}
	kubectl(t, plane, objects[pods], "create", "-f", "-")
	told, live := explainGang(t, "--kubeconfig", config, "train-0")
	if told.Gang == nil || told.Gang.Fits == nil {
		t.Fatalf("%s %s", live, told.Summary)
	}
	file := filepath.Join(t.TempDir(), "state.yaml")
	fathom(t, "snapshot", "--kubeconfig", config, "-o", file)
	if _, filed := explainGang(t, "--from", file, "train-0"); filed != live {
		t.Errorf("the cluster: %s\nthe snapshot: %s", live, filed)
	}
	blind, said := explainGang(t, "--kubeconfig", kubeconfig(t, plane, noGroups), "train-0")
	if blind.Verdict != "Unknown" || !strings.Contains(fmt.Sprint(blind.Unknown), "not allowed to list podgroups") {
		t.Errorf("without the right: %s %v", said, blind.Unknown)
	}
	if err := plane.StartScheduler(t.Context()); err != nil {
		t.Fatal(err)
	}
	bound := 0
	eventually(t, "the scheduler has decided about the gang", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods("ml").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		decided := 0
		bound = 0
		for i := range list.Items {
			if list.Items[i].Spec.NodeName != "" {
				bound++
			}
			if scheduled(&list.Items[i]).Status == corev1.ConditionFalse || list.Items[i].Spec.NodeName != "" {
				decided++
			}
		}
		return decided == pods, nil
	})
	t.Logf("%d pods of cpu %d: %s; %d bound", pods, cpu, live, bound)
	if *told.Gang.Fits != (bound == pods) || bound != 0 && bound != pods {
		t.Errorf("%s %s; the scheduler bound %d", live, told.Summary, bound)
	}
	if (told.Verdict == "Schedulable") != (bound == pods) {
		t.Errorf("the verdict is %s", told.Verdict)
	}
	return bound == pods
}
