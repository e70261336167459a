package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// drainable is a random cluster of workloads of all kinds, full enough that some
// of a drained node's pods find no other.
type drainable struct {
	rand  *rand.Rand
	nodes []string
	text  strings.Builder
}

// drainRanks are the priority classes, by how likely a workload has one.
const drainRanks = `
{apiVersion: v1, kind: Namespace, metadata: {name: drains}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: first}, value: 1000}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: kind}, value: 500, preemptionPolicy: Never}
`

// newDrainable draws the cluster of a seed.
func newDrainable(seed uint64) *drainable {
	c := &drainable{rand: rand.New(rand.NewPCG(seed, 30))}
	for i := range 4 + c.rand.IntN(9) {
		c.addNode(i)
	}
	for i := range len(c.nodes) + 2 {
		c.addWorkload(i)
	}
	return c
}

func pickOne[T any](c *drainable, of ...T) T { return of[c.rand.IntN(len(of))] }

func (c *drainable) chance(percent int) bool { return c.rand.IntN(100) < percent }

// add adds an object.
func (c *drainable) add(format string, args ...any) { fmt.Fprintf(&c.text, format+"\n---\n", args...) }

func (c *drainable) addNode(i int) {
	name := fmt.Sprintf("drain-%02d", i)
	c.nodes = append(c.nodes, name)
	cpu, taint := pickOne(c, 4, 8, 8, 16), ""
	if c.chance(15) {
		taint = "spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}, "
	}
	c.add(`{apiVersion: v1, kind: Node, metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s, topology.kubernetes.io/zone: zone-%[2]s, disk: %[3]s}}, `+
		`%[4]sstatus: {allocatable: {cpu: "%[5]d", memory: 32Gi, pods: "%[6]d"}, capacity: {cpu: "%[5]d", memory: 32Gi, pods: "%[6]d"}}}`,
		name, pickOne(c, "a", "b", "c"), pickOne(c, "ssd", "hdd"), taint, cpu, pickOne(c, 8, 20, 110))
}

// addWorkload adds one of some kind, and for some a budget.
func (c *drainable) addWorkload(i int) {
	app := fmt.Sprintf("app-%02d", i)
	kind := pickOne(c, "Deployment", "Deployment", "Deployment", "StatefulSet", "StatefulSet", "Job", "DaemonSet", "Pod")
	pod := c.podSpec(app)
	selects := fmt.Sprintf("selector: {matchLabels: {app: %s}}", app)
	template := fmt.Sprintf("template: {metadata: {labels: {app: %s}, annotations: {%s: \"\"}}, spec: {%s}}", app, controlplane.Endless, pod)
	head := fmt.Sprintf("kind: %s, metadata: {namespace: drains, name: %s}", kind, app)
	replicas := 1 + c.rand.IntN(7)
	switch kind {
	case "Deployment":
		c.add("{apiVersion: apps/v1, %s, spec: {replicas: %d, %s, %s}}", head, replicas, selects, template)
	case "StatefulSet":
		c.add("{apiVersion: apps/v1, %s, spec: {replicas: %d, serviceName: x, podManagementPolicy: %s, %s, %s}}", head, min(replicas, 4),
			pickOne(c, "OrderedReady", "Parallel"), selects, template)
	case "Job":
		template = strings.Replace(template, "spec: {", "spec: {restartPolicy: Never, ", 1)
		c.add("{apiVersion: batch/v1, %s, spec: {parallelism: %d, completions: 100, backoffLimit: 1000, %s}}", head, min(replicas, 4), template)
	case "DaemonSet":
		c.add("{apiVersion: apps/v1, %s, spec: {%s, %s}}", head, selects, template)
	default:
		c.add("{apiVersion: v1, kind: Pod, metadata: {namespace: drains, name: %[1]s, labels: {app: %[1]s}}, spec: {%[2]s}}", app, pod)
		return
	}
	if c.chance(30) && kind != "DaemonSet" {
		c.add("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: drains, name: %s}, spec: {maxUnavailable: %d, %s}}", app, 1+c.rand.IntN(2), selects)
	}
}

// podSpec is what the pods of an app want.
func (c *drainable) podSpec(app string) string {
	parts := []string{fmt.Sprintf("containers: [{name: main, image: x, resources: {requests: {cpu: %s}}}]", pickOne(c, "250m", "500m", "1", "1500m", "2", "3"))}
	mine := fmt.Sprintf("labelSelector: {matchLabels: {app: %s}}", app)
	key := pickOne(c, "kubernetes.io/hostname", "kubernetes.io/hostname", "topology.kubernetes.io/zone")
	switch c.rand.IntN(8) {
	case 0, 1:
		parts = append(parts, fmt.Sprintf("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: %s, %s}]}}", key, mine))
	case 2, 3:
		parts = append(parts, fmt.Sprintf("topologySpreadConstraints: [{maxSkew: 1, topologyKey: %s, whenUnsatisfiable: DoNotSchedule, %s}]", key, mine))
	case 4:
		other := fmt.Sprintf("labelSelector: {matchLabels: {app: app-%02d}}", c.rand.IntN(len(c.nodes)))
		parts = append(parts, fmt.Sprintf("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone, %s}]}}", other))
	}
	if c.chance(20) {
		parts = append(parts, "nodeSelector: {disk: "+pickOne(c, "ssd", "hdd")+"}")
	}
	if c.chance(20) {
		parts = append(parts, "tolerations: [{key: dedicated, operator: Exists}]")
	}
	if c.chance(25) {
		parts = append(parts, "priorityClassName: "+pickOne(c, "first", "kind"))
	}
	return strings.Join(parts, ", ")
}

// create makes the cluster on the control plane.
func (c *drainable) create(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	kubectl(t, plane, c.text.String(), "apply", "-f", "-")
}
