package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
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
	fits, open := 0, 0
	for seed := range uint64(*gangs) {
		t.Run(fmt.Sprint("gang ", seed), func(t *testing.T) {
			switch bound := gangFits(t, plane, client, config, drawGang(seed)); {
			case bound == nil:
				open++
			case *bound:
				fits++
			}
		})
	}
	fmt.Printf("%d gangs were bound as foretold, %d were not, as foretold; of %d fathom said that it depends\n", fits, *gangs-fits-open, open)
	if fits == 0 || fits+open == *gangs || open > *gangs/4 {
		t.Errorf("%d of %d gangs fit, %d are open", fits, *gangs, open)
	}
}

// randomGang is a PodGroup whose pods request so many cpus each, and what else runs.
type randomGang struct {
	name   string
	cpu    []int
	others []string // pods that have a node
}

// drawGang draws two to seven pods, half of the time of different sizes, and up to two other pods.
func drawGang(seed uint64) randomGang {
	d := rand.New(rand.NewPCG(seed, 3))
	g := randomGang{name: fmt.Sprint("train-", seed), cpu: make([]int, 2+d.IntN(6))} // a PodGroup is not deleted without its controller
	same, size := d.IntN(2) == 0, 1+d.IntN(5)
	for i := range g.cpu {
		g.cpu[i] = size
		if !same {
			g.cpu[i] = 1 + d.IntN(4)
		}
	}
	for i := range d.IntN(3) {
		pod := gangPod(fmt.Sprint("else-", i), "", 1+d.IntN(3))
		g.others = append(g.others, strings.Replace(pod, "spec: {", fmt.Sprintf("spec: {nodeName: n%d, ", 1+d.IntN(3)), 1))
	}
	return g
}

// gangFits makes a gang and says whether the scheduler bound it; nil where fathom said that it depends.
func gangFits(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, config string, g randomGang) *bool {
	t.Helper()
	plane.StopScheduler()
	group, pods := g.name, len(g.cpu)
	defer kubectl(t, plane, "", "delete", "-n", "ml", "pods", "--all", "--force", "--grace-period=0")
	for _, pod := range g.others {
		kubectl(t, plane, pod, "create", "-f", "-")
	}
	objects := []string{fmt.Sprintf(`{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: ml, name: %s}, spec: {schedulingPolicy: {gang: {minCount: %d}}}}`, group, pods)}
	for i, cpu := range g.cpu {
		objects = append(objects, gangPod(fmt.Sprint("train-", i), group, cpu))
	}
	kubectl(t, plane, strings.Join(objects[:pods], "\n---\n"), "apply", "-f", "-")
	incomplete, said := explainGang(t, "--kubeconfig", config, "train-0")
	if want := fmt.Sprintf("PodGroup ml/%s has %d of the %d pods", group, pods-1, pods); incomplete.Verdict != "Gated" || !strings.Contains(incomplete.Summary, want) {
		t.Errorf("one pod short: %s %s", said, incomplete.Summary)
	}
	kubectl(t, plane, objects[pods], "create", "-f", "-")
	told, live := explainGang(t, "--kubeconfig", config, "train-0")
	if told.Gang == nil || told.Gang.Fits == nil && !strings.Contains(told.Gang.Reason, "order") {
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
		list.Items = slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return strings.HasPrefix(pod.Name, "else-") })
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
	t.Logf("pods of cpu %v beside %d others: %s; %d bound", g.cpu, len(g.others), live, bound)
	all := bound == pods
	switch {
	case bound != 0 && !all:
		t.Errorf("%s %s; the scheduler bound %d", live, told.Summary, bound)
	case told.Gang.Fits == nil:
		return nil
	case *told.Gang.Fits != all || (told.Verdict == "Schedulable") != all:
		t.Errorf("%s %s; the scheduler bound %d", live, told.Summary, bound)
	}
	return &all
}
