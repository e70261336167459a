package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// amounts are quantities by resource.
type amounts map[corev1.ResourceName]resource.Quantity

// add sums up.
func (a amounts) add(other amounts) {
	for name, amount := range other {
		sum := a[name]
		sum.Add(amount)
		a[name] = sum
	}
}

// allocated is what a node's pods request, and their limits.
type allocated struct{ Requested, Limits amounts }

// describedRow is a line of Allocated resources: cpu 850m (21%) 1 (25%).
var describedRow = regexp.MustCompile(`^  (\S+) +(\S+)(?: \(\d+%\))? +(\S+)(?: \(\d+%\))?$`)

// described is Allocated resources of kubectl describe node.
func described(t *testing.T, text string) allocated {
	t.Helper()
	_, table, found := strings.Cut(text, "\nAllocated resources:\n")
	if !found {
		t.Fatalf("no allocated resources in\n%s", text)
	}
	table, _, _ = strings.Cut(table, "\nEvents:")
	of := allocated{amounts{}, amounts{}}
	for line := range strings.Lines(table) {
		row := describedRow.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if row == nil || row[1] == "Resource" || strings.HasPrefix(row[1], "-") {
			continue
		}
		of.Requested[corev1.ResourceName(row[1])] = resource.MustParse(row[2])
		of.Limits[corev1.ResourceName(row[1])] = resource.MustParse(row[3])
	}
	return of
}

// items are those of a list that get writes.
func items[T any](t *testing.T, plane *controlplane.ControlPlane, view string) []T {
	t.Helper()
	r := fathom(t, "get", view, "-A", "-o", "json", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	if r.code != 0 {
		t.Fatalf("get %s: exit code %d: %s", view, r.code, r.stderr)
	}
	var list struct{ Items []T }
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// TestSumsAreThoseOfKubectlDescribe compares the requests and limits of every node with
// Allocated resources of kubectl describe, the pools' with the sum over all nodes, and the
// QoS class of every pod with its status.
func TestSumsAreThoseOfKubectlDescribe(t *testing.T) {
	plane := startRandom(t)
	client := admin(t, plane)
	nodes, compared, pods := 0, 0, 0
	clusters := max(1, *seeds*2/5)
	for seed := *firstSeed; seed < *firstSeed+clusters; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			defer clearRandom(t, plane)
			fillRandom(t, plane, client, uint64(seed))
			whole := amounts{}
			for _, node := range items[struct {
				Name              string
				Requested, Limits amounts
			}](t, plane, "nodes") {
				want := described(t, kubectl(t, plane, "", "describe", "node", node.Name))
				compared += equalAmounts(t, node.Name+" requests", want.Requested, node.Requested)
				compared += equalAmounts(t, node.Name+" limits", want.Limits, node.Limits)
				whole.add(node.Requested) // also of what a node does not have, which kubectl leaves out
				nodes++
			}
			pools := amounts{}
			for _, pool := range items[struct{ Requested amounts }](t, plane, "pools") {
				pools.add(pool.Requested)
			}
			compared += equalAmounts(t, "all pools request", whole, pools)
			pods += equalClasses(t, plane)
		})
	}
	if compared < nodes {
		t.Errorf("only %d sums other than zero were compared", compared)
	}
	fmt.Printf("%d sums other than zero of %d nodes equal kubectl describe's, in %d random clusters; %d QoS classes equal the status\n", compared, nodes, clusters, pods)
}

// equalAmounts wants equal amounts of each resource that kubectl describe lists, and
// counts those that are not zero.
func equalAmounts(t *testing.T, what string, want, got amounts) (compared int) {
	t.Helper()
	for name, amount := range want {
		found := got[name]
		if found.Cmp(amount) != 0 {
			t.Errorf("%s %s %s, kubectl describe says %s", what, name, found.String(), amount.String())
		}
		if !amount.IsZero() {
			compared++
		}
	}
	return compared
}

// equalClasses wants the QoS class that each pod's status has, and counts the pods.
func equalClasses(t *testing.T, plane *controlplane.ControlPlane) (pods int) {
	t.Helper()
	var list corev1.PodList
	if err := json.Unmarshal([]byte(kubectl(t, plane, "", "get", "pods", "-A", "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	classes := map[string]string{}
	for _, pod := range items[struct{ Namespace, Name, QOSClass string }](t, plane, "pods") {
		classes[pod.Namespace+"/"+pod.Name] = pod.QOSClass
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if got := classes[pod.Namespace+"/"+pod.Name]; got != string(pod.Status.QOSClass) {
			t.Errorf("pod %s/%s is %s, its status says %s", pod.Namespace, pod.Name, got, pod.Status.QOSClass)
		}
	}
	return len(list.Items)
}
