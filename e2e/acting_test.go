package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// lookers may read everything and change nothing.
const lookers = "looker"

// armed is how long a box has to stand before it takes an answer, and some more.
const armed = 900 * time.Millisecond

// actedOn is a cluster to be changed: three nodes, pods of a Deployment and one of
// its own.
const actedOn = `
apiVersion: v1
kind: Node
metadata: {name: std-1, labels: {kubernetes.io/hostname: std-1}}
---
apiVersion: v1
kind: Node
metadata: {name: std-2, labels: {kubernetes.io/hostname: std-2}}
---
apiVersion: v1
kind: Node
metadata: {name: std-3, labels: {kubernetes.io/hostname: std-3}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: default, name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: x, resources: {requests: {cpu: 100m}}}]
`

// acting is a control plane on which what is asked for is noted.
type acting struct {
	*controlplane.ControlPlane
	t      *testing.T
	client kubernetes.Interface
	config string // of the user who may do everything
	seen   int    // writes that were looked at
}

func startActing(t *testing.T) *acting {
	t.Helper()
	plane := startPlane(t, controlplane.Options{Users: []string{watched, lookers}, Audit: true, Kwok: true, Controllers: true})
	kubectl(t, plane, "", "create", "clusterrolebinding", watched, "--clusterrole=cluster-admin", "--user="+watched)
	role, err := filepath.Abs("../docs/clusterrole.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, plane, "", "apply", "-f", role)
	kubectl(t, plane, "", "create", "clusterrolebinding", lookers, "--clusterrole=fathom", "--user="+lookers)
	kubectl(t, plane, actedOn, "apply", "-f", "-")
	a := &acting{ControlPlane: plane, t: t, client: admin(t, plane), config: kubeconfig(t, plane, watched)}
	eventually(t, "all pods run", func(context.Context) (bool, error) { return len(a.running()) == 4, nil })
	eventually(t, "no new node is tainted", func(context.Context) (bool, error) { return !a.tainted(), nil })
	return a
}

// tainted says whether a node has a taint yet. kube-controller-manager takes that of a
// new node away late on a busy machine, which then changes what a test has planned.
func (a *acting) tainted() bool {
	a.t.Helper()
	list, err := a.client.CoreV1().Nodes().List(a.t.Context(), metav1.ListOptions{})
	if err != nil {
		a.t.Fatal(err)
	}
	return slices.ContainsFunc(list.Items, func(node corev1.Node) bool { return len(node.Spec.Taints) > 0 })
}

// running are the pods that run, by name.
func (a *acting) running() []corev1.Pod {
	a.t.Helper()
	list, err := a.client.CoreV1().Pods("default").List(a.t.Context(), metav1.ListOptions{})
	if err != nil {
		a.t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(p corev1.Pod) bool {
		return p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil
	})
}

// node is a node as it is now.
func (a *acting) node(name string) *corev1.Node {
	a.t.Helper()
	node, err := a.client.CoreV1().Nodes().Get(a.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		a.t.Fatal(err)
	}
	return node
}

// asked are the changes that the user asked for since the last call: dry runs, and
// those in earnest as "patch /api/v1/nodes/std-1 200".
func (a *acting) asked() (dry int, earnest []string) {
	a.t.Helper()
	all := writes(a.t, a.ControlPlane)
	for _, w := range all[a.seen:] {
		path, query, _ := strings.Cut(w.URI, "?")
		if strings.Contains(query, "dryRun=All") {
			dry++
			continue
		}
		earnest = append(earnest, fmt.Sprintf("%s %s %d", w.Verb, path, w.Status))
	}
	a.seen = len(all)
	return dry, earnest
}

// wants checks what was asked for in earnest: each pattern once, in any order.
func (a *acting) wants(when string, patterns ...string) {
	a.t.Helper()
	dry, earnest := a.asked()
	a.matches(when, earnest, patterns)
	fmt.Printf("%-52s %2d dry runs, %d changes %s\n", when, dry, len(earnest), strings.Join(earnest, ", "))
}

func (a *acting) matches(when string, earnest, patterns []string) {
	a.t.Helper()
	left := slices.Clone(earnest)
	for _, pattern := range patterns {
		wanted := regexp.MustCompile("^" + pattern + "$")
		at := slices.IndexFunc(left, wanted.MatchString)
		if at < 0 {
			a.t.Errorf("%s: no %s was asked for, but %q", when, pattern, earnest)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		a.t.Errorf("%s: %q was asked for", when, left)
	}
}

// wantsNothing checks that not even a dry run was asked for.
func (a *acting) wantsNothing(when string) {
	a.t.Helper()
	dry, earnest := a.asked()
	if dry+len(earnest) > 0 {
		a.t.Errorf("%s: %d dry runs and %q were asked for", when, dry, earnest)
	}
	fmt.Printf("%-52s %2d dry runs, %d changes\n", when, dry, len(earnest))
}

// dashboard opens the dashboard on Nodes, with the node of that name selected.
func (a *acting) dashboard(node string, args ...string) screen {
	a.t.Helper()
	s := open(a.t, 100, 30, append([]string{"--kubeconfig", a.config}, args...)...)
	s.shows(`› (pending|nodes).* live$`)
	s.press("3")
	s.shows(`› nodes`)
	s.choose(node)
	return s
}

// choose selects the row of a list that has the name, and lets no other be there.
func (s screen) choose(name string) {
	s.t.Helper()
	s.press("/" + name + enter)
	s.shows(`: 1 matches\.`)
	s.shows(`^▸.*` + name)
}

// answer waits until a box has armed, and types.
func (s screen) answer(keys string) {
	s.t.Helper()
	time.Sleep(armed)
	s.press(keys)
}

// leave quits the dashboard.
func (s screen) leave() {
	s.t.Helper()
	s.press(ctrlC)
	s.ends(0)
}
