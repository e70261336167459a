package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// listable are the kinds that the scheduler's plugins list, by API group.
var listable = map[string][]string{
	"":                {"nodes", "pods", "namespaces", "persistentvolumes", "persistentvolumeclaims", "services", "replicationcontrollers"},
	"apps":            {"replicasets", "statefulsets"},
	"policy":          {"poddisruptionbudgets"},
	"storage.k8s.io":  {"storageclasses", "csinodes", "csidrivers", "csistoragecapacities", "volumeattachments"},
	"resource.k8s.io": {"resourceclaims", "resourceslices", "deviceclasses", "devicetaintrules"},
}

// alsoRead are rights beside them that help, and decide no verdict about nodes.
const alsoRead = `
- {apiGroups: [""], resources: [events, limitranges, resourcequotas], verbs: [get, list, watch]}
- {apiGroups: [scheduling.k8s.io, coordination.k8s.io, metrics.k8s.io, events.k8s.io, batch, node.k8s.io], resources: ["*"], verbs: [get, list, watch]}
- {apiGroups: [apps], resources: [deployments, daemonsets], verbs: [get, list, watch]}
`

// Users of these tests.
const (
	oneNamespace = "one-namespace"
	powerless    = "powerless"
)

// without is the user who may list everything but one kind.
func without(kind string) string { return "without-" + kind }

// kinds are all listable kinds, sorted.
func kinds() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for _, group := range listable {
			for _, kind := range group {
				if !yield(kind) {
					return
				}
			}
		}
	})
}

// scoringOnly are the kinds that decide where a pod goes, never whether it fits.
var scoringOnly = []string{"services", "replicationcontrollers", "replicasets", "statefulsets"}

// restricted counts the verdicts of a user who may not list a kind.
type restricted struct {
	equal, unknown int
	open           int // decided, but something else about the pod is said to be unknown
	plugins        map[string]int
}

// readers are the plugins that read more than the nodes and pods that the
// scheduler's own cache holds.
var readers = []string{
	"InterPodAffinity", "NodeResourcesFit", "VolumeRestrictions", "VolumeBinding", "VolumeZone", "NodeVolumeLimits", "DynamicResources", "DefaultPreemption",
}

// A right that is missing never turns a verdict into another one, never hangs,
// and leaves alone the pods that have nothing to do with it. Each kind that may
// decide leaves something open, and the others nothing.
func TestEachForbiddenKindLeavesVerdictsTrueOrUnknown(t *testing.T) {
	users := []string{oneNamespace}
	for _, kind := range kinds() {
		users = append(users, without(kind))
	}
	plane := startRandom(t, users...)
	client := admin(t, plane)
	cluster := fillRandom(t, plane, client, 1)
	rewritten(t, plane, client, cluster)
	plane.StopScheduler()
	createUsers(t, plane, client, cluster)
	pods := listPods(t, client)
	kubectl(t, plane, roles(), "apply", "-f", "-")
	all := explainAll(t, kubeconfig(t, plane, controlplane.Admin))
	sum := restricted{plugins: map[string]int{}}
	for _, kind := range kinds() {
		t.Run("without "+kind, func(t *testing.T) {
			r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, without(kind)), "--all", "-A", "-o", "json")
			if kind == "pods" {
				checkNoPods(t, r)
				return
			}
			counted := checkRestricted(t, kind, r, all, pods)
			checkMatters(t, kind, counted)
			fmt.Printf("without %s: %d verdicts equal, %d Unknown; %d more leave something open; by plugin %v\n",
				kind, counted.equal, counted.unknown, counted.open, counted.plugins)
			sum.equal, sum.unknown = sum.equal+counted.equal, sum.unknown+counted.unknown
			if kind != "nodes" { // without which nothing is asked
				for plugin, count := range counted.plugins {
					sum.plugins[plugin] += count
				}
			}
		})
	}
	fmt.Printf("%d verdicts with a kind forbidden: %d equal, %d Unknown\n", sum.equal+sum.unknown, sum.equal, sum.unknown)
	for _, plugin := range readers {
		if sum.plugins[plugin] == 0 {
			t.Errorf("%s is never left open: no pod of the cluster has it read anything", plugin)
		}
	}
	t.Run("one namespace and no nodes", func(t *testing.T) { checkOneNamespace(t, plane, pods) })
}

// checkMatters wants a kind to leave something open if and only if it may decide.
func checkMatters(t *testing.T, kind string, counted restricted) {
	t.Helper()
	switch {
	case slices.Contains(scoringOnly, kind):
		if counted.unknown+counted.open > 0 {
			t.Errorf("%d verdicts are Unknown and %d leave something open, though %s decide nothing", counted.unknown, counted.open, kind)
		}
	case kind == "poddisruptionbudgets": // they decide whom preemption ends
		if counted.unknown > 0 || counted.open == 0 {
			t.Errorf("%d verdicts are Unknown, and preemption is open for %d pods", counted.unknown, counted.open)
		}
	case counted.unknown == 0:
		t.Errorf("no verdict is Unknown without %s", kind)
	}
}

// roles gives each user of these tests its rights.
func roles() string {
	var out strings.Builder
	for _, missing := range kinds() {
		fmt.Fprintf(&out, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: %s}\nrules:", without(missing))
		out.WriteString(alsoRead)
		for _, group := range slices.Sorted(maps.Keys(listable)) {
			rest := slices.DeleteFunc(slices.Clone(listable[group]), func(kind string) bool { return kind == missing })
			if len(rest) > 0 {
				fmt.Fprintf(&out, "- {apiGroups: [%q], resources: [%s], verbs: [get, list, watch]}\n", group, strings.Join(rest, ", "))
			}
		}
		fmt.Fprintf(&out, `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %[1]s}]
---
`, without(missing))
	}
	fmt.Fprintf(&out, `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: seed-1-a, name: view}
rules: [{apiGroups: ["", apps, batch, policy, resource.k8s.io], resources: ["*"], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: seed-1-a, name: view}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
`, oneNamespace)
	return out.String()
}

// checkNoPods wants one clear line: without pods there is nothing to explain.
func checkNoPods(t *testing.T, r result) {
	t.Helper()
	if r.code != 3 || !strings.Contains(r.stderr, "pods") {
		t.Errorf("exit code %d, want 3 and a word about pods\nstdout: %.500s\nstderr: %s", r.code, r.stdout, r.stderr)
	}
}

// checkRestricted compares verdicts and counts them.
func checkRestricted(t *testing.T, kind string, r result, all map[string]explanation, pods map[string]*corev1.Pod) (counted restricted) {
	t.Helper()
	if r.code != 0 && r.code != 1 && r.code != 3 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	found := readExplanations(t, r.stdout)
	counted.plugins = map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		e, ok := found[name]
		for _, part := range e.Unknown {
			for _, plugin := range part.Plugins {
				counted.plugins[plugin]++
			}
		}
		switch {
		case !ok:
			t.Errorf("%s is not explained", name)
			continue
		case e.Verdict == "Unknown":
			counted.unknown++
		case saysUnknown(e, kind):
			counted.open++
			counted.equal++
		default:
			counted.equal++
		}
		switch {
		case e.Verdict != all[name].Verdict && e.Verdict != "Unknown":
			t.Errorf("%s: %s, with all rights %s", name, e.Verdict, all[name].Verdict)
		case e.Verdict == "Unknown" && !uses(pods[name], kind, pods):
			t.Errorf("%s: Unknown, though it has nothing to do with %s: %+v", name, kind, e.Unknown)
		case e.Verdict == "Unknown" && !saysUnknown(e, kind):
			t.Errorf("%s: Unknown, and %s is not told as the cause: %+v", name, kind, e.Unknown)
		case e.SchedulerMessage != "" && e.SchedulerMessage != all[name].SchedulerMessage:
			t.Errorf("%s: without %s the message is foretold as %q, with all rights %q", name, kind, e.SchedulerMessage, all[name].SchedulerMessage)
		}
	}
	return counted
}

// saysUnknown tells whether unknown[] names the kind.
func saysUnknown(e explanation, kind string) bool {
	for _, u := range e.Unknown {
		if u.Resource == kind && strings.Contains(u.Why, kind) {
			return true
		}
	}
	return false
}

// uses tells whether a pod's verdict may depend on a kind.
func uses(pod *corev1.Pod, kind string, all map[string]*corev1.Pod) bool {
	switch kind {
	case "nodes":
		return lookedAt(pod)
	case "namespaces":
		if selectsNamespaces(pod) {
			return true
		}
		for _, other := range all { // which may refuse this pod by its namespace's labels
			if other.Spec.NodeName != "" && selectsNamespaces(other) {
				return true
			}
		}
	case "persistentvolumes", "persistentvolumeclaims", "storageclasses", "csinodes", "csidrivers", "csistoragecapacities", "volumeattachments":
		return len(pod.Spec.Volumes) > 0
	case "resourceclaims", "resourceslices", "deviceclasses", "devicetaintrules":
		return len(pod.Spec.ResourceClaims) > 0 || asksForExtended(pod)
	}
	return false
}

// asksForExtended tells whether a pod asks for a resource that a DeviceClass can
// stand for.
func asksForExtended(pod *corev1.Pod) bool {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for name := range container.Resources.Requests {
			if strings.HasPrefix(string(name), "example.com/") {
				return true
			}
		}
	}
	return false
}

// selectsNamespaces tells whether a pod's affinities look at namespaces' labels.
func selectsNamespaces(pod *corev1.Pod) bool {
	var terms []corev1.PodAffinityTerm
	if affinity := pod.Spec.Affinity; affinity != nil {
		if affinity.PodAffinity != nil {
			terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		}
		if affinity.PodAntiAffinity != nil {
			terms = append(terms, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		}
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return t.NamespaceSelector != nil })
}

// checkOneNamespace wants the scheduler's own words where nothing else is known.
func checkOneNamespace(t *testing.T, plane *controlplane.ControlPlane, pods map[string]*corev1.Pod) {
	t.Helper()
	config := kubeconfig(t, plane, oneNamespace)
	r := fathom(t, "explain", "--kubeconfig", config, "-n", "seed-1-a", "--all", "-o", "json")
	if r.code != 3 {
		t.Fatalf("exit code %d, want 3: nothing was decided\n%s", r.code, r.stderr)
	}
	checked := 0
	for name, e := range readExplanations(t, r.stdout) {
		if !lookedAt(pods[name]) {
			continue
		}
		checked++
		if e.Verdict != "Unknown" || e.Observed.Message != scheduled(pods[name]).Message {
			t.Errorf("%s: %s, observed.message %q; kube-scheduler said %q", name, e.Verdict, e.Observed.Message, scheduled(pods[name]).Message)
		}
		if checked > 3 { // three texts are enough
			continue
		}
		text := fathom(t, "explain", "--kubeconfig", config, "-n", "seed-1-a", e.Pod.Name)
		if !strings.Contains(oneLine(text.stdout), oneLine(scheduled(pods[name]).Message)) {
			t.Errorf("%s: the text does not hold kube-scheduler's words %q:\n%s", name, scheduled(pods[name]).Message, text.stdout)
		}
	}
	if checked == 0 {
		t.Error("no pod of the namespace was explained")
	}
}

// oneLine joins lines and runs of blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
