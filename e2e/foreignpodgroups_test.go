package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// groupKind is the custom resource PodGroup of a scheduler, as far as fathom reads it.
func groupKind(group, version string) string {
	const open = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: podgroups.` + group + `, annotations: {api-approved.kubernetes.io: unapproved}}, spec: {
  group: ` + group + `, scope: Namespaced, names: {kind: PodGroup, plural: podgroups}, versions: [{name: ` + version + `, served: true, storage: true,
    schema: {openAPIV3Schema: {type: object, properties: {spec: ` + open + `, status: ` + open + `}}}}]}}`
}

// groupKinds are those that are read.
var groupKinds = strings.Join([]string{
	groupKind("scheduling.volcano.sh", "v1beta1"), groupKind("scheduling.run.ai", "v2alpha2"), groupKind("scheduling.x-k8s.io", "v1alpha1"),
}, "\n---\n")

// grouped is what a scheduler has written about a PodGroup train, and what is said about a pod of it.
type grouped struct {
	name  string
	of    string // apiVersion of the PodGroup
	names string // labels or annotations by which the pod names it
	by    string // the pod's scheduler
	pod   string // more fields of its spec
	group string // fields of the PodGroup; "" for none
	user  string // who asks; "" is the administrator
	left  string // what is left in the way of the default scheduler as a fix; "" where that is not offered
	want  []string
	never []string // beside "will"
}

const (
	byVolcano    = `annotations: {scheduling.k8s.io/group-name: train}`
	volcanoToo   = `annotations: {scheduling.volcano.sh/group-name: train}`
	byKAI        = `annotations: {pod-group-name: train}`
	byLabel      = `labels: {scheduling.x-k8s.io/pod-group: train}`
	volcanoGroup = "scheduling.volcano.sh/v1beta1"
	kaiGroup     = "scheduling.run.ai/v2alpha2"
	pluginGroup  = "scheduling.x-k8s.io/v1alpha1"
	lacksRoom    = "3/8 tasks in gang unschedulable: pod group is not ready, 8 minAvailable, 5 Pending"
	outOfGroup   = "takes the pod out of its group train"
	overLimit    = "Workload requested 9 GPUs, but queue team-a limit is 8 GPUs"
)

// said is a condition that a scheduler wrote, with more fields.
func said(of, status, reason, message, more string) string {
	if more != "" {
		more = ", " + more
	}
	return fmt.Sprintf(`{type: %s, status: %q, transitionID: "1", reason: %q, message: %q, lastTransitionTime: "2026-06-01T12:00:00Z"%s}`, of, status, reason, message, more)
}

// groupings are the cases. fathom quotes what the scheduler says, decides nothing, and promises nothing.
var groupings = []grouped{
	{
		name: "Volcano has no room", of: volcanoGroup, names: byVolcano, by: "volcano",
		group: `spec: {minMember: 8, queue: research, minTaskMember: {worker: 7, master: 1}}, status: {phase: Pending, running: 2, conditions: [` + said("Unschedulable", "True", "NotEnoughResources", lacksRoom, "") + `]}`,
		want: []string{
			"Unknown: Volcano decides about PodGroup train as a whole: its phase is Pending; Unschedulable for ", "(NotEnoughResources): " + lacksRoom,
			"GANG PodGroup train, scheduled by Volcano: it needs 8 pods.", "queue research", "it needs 1 of task master, 7 of task worker", "pods by its status: 2 running, 0 succeeded, 0 failed",
		},
		never: []string{"It fits", "No node fits"},
	},
	{
		name: "Volcano's own annotation", of: volcanoGroup, names: volcanoToo, by: "volcano", group: `spec: {minMember: 2}, status: {phase: Inqueue}`,
		want: []string{"Volcano decides about PodGroup train as a whole: its phase is Inqueue.", "it needs 2 pods"}, never: []string{"Unschedulable", "queue "},
	},
	{
		name: "Volcano, a pod too large for every node", of: volcanoGroup, names: byVolcano, by: "volcano", pod: `, resources: {requests: {cpu: "9"}}`,
		group: `spec: {minMember: 2}, status: {phase: Pending, conditions: [` + said("Unschedulable", "True", "NotEnoughTasks", "1/2 tasks", "") + `]}`,
		want:  []string{"Unknown: Volcano decides about PodGroup train as a whole", "(NotEnoughTasks): 1/2 tasks"},
	},
	{
		name: "Volcano has scheduled it", of: volcanoGroup, names: byVolcano, by: "volcano",
		group: `spec: {minMember: 2}, status: {phase: Running, conditions: [` + said("Unschedulable", "True", "NotEnoughResources", "1/2 tasks", "") + `, ` +
			strings.Replace(said("Scheduled", "True", "tasks in gang are ready to be scheduled", "", ""), "12:00", "13:00", 1) + `]}`,
		want: []string{"as a whole: its phase is Running; Scheduled for ", "(tasks in gang are ready to be scheduled).", "(NotEnoughResources): 1/2 tasks"},
	},
	{
		name: "Volcano has no such PodGroup", of: volcanoGroup, names: byVolcano, by: "volcano",
		left: outOfGroup, want: []string{`Scheduler "volcano" is not running`, "PodGroup train, scheduled by Volcano; it does not exist."}, never: []string{"Unschedulable", "phase"},
	},
	{
		name: "Volcano does not run", of: volcanoGroup, names: byVolcano, by: "volcano", group: `spec: {minMember: 2}`,
		left: outOfGroup, want: []string{`Scheduler "volcano" is not running`, "PodGroup train, scheduled by Volcano: it needs 2 pods; its status is empty."},
	},
	{
		name: "KAI Scheduler has no such PodGroup", of: kaiGroup, names: byKAI, by: "kai-scheduler",
		left: outOfGroup, want: []string{`Scheduler "kai-scheduler" is not running`, "PodGroup train, scheduled by KAI Scheduler; it does not exist."},
	},
	{
		name: "Coscheduling has no such PodGroup", of: pluginGroup, names: byLabel, by: "scheduler-plugins-scheduler",
		left: outOfGroup + ", unless default-scheduler runs the plugin Coscheduling", want: []string{`Scheduler "scheduler-plugins-scheduler" is not running`, "PodGroup train, scheduled by Coscheduling; it does not exist."},
	},
	{
		name: "control characters", of: volcanoGroup, names: byVolcano, by: "volcano",
		group: `spec: {minMember: 2}, status: {phase: Pending, conditions: [` + said("Unschedulable", "True", "NotEnoughResources", "no \x1b[31mred\u202e room", "") + `]}`,
		want:  []string{"(NotEnoughResources): no "}, never: []string{"\x1b[31m", "\u202e"},
	},
	{
		name: "a gated pod of Volcano", of: volcanoGroup, names: byVolcano, by: "volcano", pod: `}], schedulingGates: [{name: example.com/licence`, group: `spec: {minMember: 2}, status: {phase: Pending}`,
		want: []string{"Gated by example.com/licence", "GANG PodGroup train, scheduled by Volcano: it needs 2 pods; its phase is Pending."}, never: []string{"decides"},
	},
	{
		name: "kube-scheduler ignores Volcano's groups", of: volcanoGroup, names: byVolcano, pod: `, resources: {requests: {cpu: "9"}}`,
		group: `spec: {minMember: 2}, status: {phase: Pending}`,
		want:  []string{"Too large for any node"}, never: []string{"Volcano", "GANG"},
	},
	{
		name: "Volcano's PodGroups may not be read", of: volcanoGroup, names: byVolcano, by: "volcano", user: noAutoscalers, group: `spec: {minMember: 2}, status: {phase: Pending}`,
		want: []string{"Unknown: Volcano decides about PodGroup train as a whole: unknown: not allowed to get podgroups.scheduling.volcano.sh"}, never: []string{"phase", "does not exist", "it needs"},
	},
	{
		name: "KAI Scheduler, over a limit", of: kaiGroup, names: byKAI, by: "kai-scheduler",
		group: `spec: {minMember: 9, queue: team-a}, status: {pending: 9, schedulingConditions: [` +
			said("UnschedulableOnNodePool", "True", "Unschedulable", "old words", `nodePool: default, reasons: [{reason: OverLimit, message: "`+overLimit+`"}]`) + `]}`,
		want: []string{
			"Unknown: KAI Scheduler decides about PodGroup train as a whole: UnschedulableOnNodePool default for ", "(OverLimit): " + overLimit,
			"queue team-a", "pods by its status: 9 pending, 0 running, 0 succeeded, 0 failed", "this may be of an earlier attempt",
		},
		never: []string{"old words", "phase"},
	},
	{
		name: "KAI Scheduler, subgroups", of: kaiGroup, names: byKAI, by: "kai-scheduler", group: `spec: {minSubGroup: 2, queue: team-a, subGroups: [{name: a}, {name: b}]}`,
		want: []string{"as a whole: its status is empty.", "it needs 2 subgroups"}, never: []string{"pods by its status"},
	},
	{
		name: "KAI Scheduler, two node pools", of: kaiGroup, names: byKAI, by: "kai-scheduler",
		group: `spec: {minMember: 2}, status: {schedulingConditions: [` + said("UnschedulableOnNodePool", "True", "Unschedulable", "no GPU", "nodePool: spot") + `, ` +
			strings.Replace(said("UnschedulableOnNodePool", "True", "Unschedulable", "no room", "nodePool: gold"), "12:00", "13:00", 1) + `]}`,
		want: []string{"UnschedulableOnNodePool gold for ", "(Unschedulable): no room", "UnschedulableOnNodePool spot for ", "(Unschedulable): no GPU"},
	},
	{
		name: "KAI Scheduler's PodGroups may not be read", of: kaiGroup, names: byKAI, by: "kai-scheduler", user: noAutoscalers, group: `spec: {minMember: 2}`,
		want: []string{"as a whole: unknown: not allowed to get podgroups.scheduling.run.ai"}, never: []string{"says nothing yet"},
	},
	{
		name: "Coscheduling of a scheduler of its own", of: pluginGroup, names: byLabel, by: "scheduler-plugins-scheduler",
		group: `spec: {minMember: 3, scheduleTimeoutSeconds: 10}, status: {phase: Scheduling, running: 1, occupiedBy: ml/train}`,
		want:  []string{"the plugin Coscheduling of its scheduler decides about PodGroup train as a whole: its phase is Scheduling.", "scheduled by Coscheduling: it needs 3 pods", "1 running"},
	},
	{
		name: "Coscheduling of the default scheduler", of: pluginGroup, names: byLabel, pod: `, resources: {requests: {cpu: "9"}}`, group: `spec: {minMember: 3}, status: {phase: Pending}`,
		want: []string{"Unknown: the plugin Coscheduling of its scheduler decides about PodGroup train as a whole: its phase is Pending."},
	},
	{
		name: "Coscheduling's PodGroups may not be read", of: pluginGroup, names: byLabel, pod: `, resources: {requests: {cpu: "9"}}`, group: `spec: {minMember: 3}, status: {phase: Pending}`, user: noAutoscalers,
		want: []string{"as a whole: unknown: not allowed to get podgroups.scheduling.x-k8s.io"}, never: []string{"phase"},
	},
}

// TestGroupsOfOtherSchedulersAreQuoted writes what Volcano, KAI Scheduler and Coscheduling would, and wants
// the words about a pod, from the cluster and from a snapshot of it.
func TestGroupsOfOtherSchedulersAreQuoted(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Users: []string{noAutoscalers, watched}, Audit: true, AuditReads: true})
	kubectl(t, plane, autoscalerUsers+"---"+strings.ReplaceAll(autoscalerUsers, noAutoscalers, watched)+"---\n{apiVersion: v1, kind: Namespace, metadata: {name: ml}}\n---\n"+
		`{apiVersion: v1, kind: Node, metadata: {name: std-1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}`, "apply", "-f", "-")
	t.Run("without their APIs", func(t *testing.T) { otherGroupsAreNotAsked(t, plane) })
	kubectl(t, plane, groupKinds, "apply", "-f", "-")
	kubectl(t, plane, "", "wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
	for i := range groupings {
		t.Run(groupings[i].name, func(t *testing.T) {
			groupings[i].check(t, plane)
		})
	}
}

// write creates the pod and its group, and returns what takes them back.
func (g *grouped) write(t *testing.T, plane *controlplane.ControlPlane) (takeBack func()) {
	t.Helper()
	by := ""
	if g.by != "" {
		by = "schedulerName: " + g.by + ", "
	}
	objects := []string{`{apiVersion: v1, kind: Pod, metadata: {name: train-0, namespace: ml, ` + g.names + `}, spec: {` + by + `automountServiceAccountToken: false, containers: [{name: main, image: x` + g.pod + `}]}}`}
	if g.group != "" {
		objects = append(objects, `{apiVersion: `+g.of+`, kind: PodGroup, metadata: {namespace: ml, name: train}, `+g.group+`}`)
	}
	all := strings.Join(objects, "\n---\n")
	kubectl(t, plane, all, "create", "-f", "-")
	return func() { kubectl(t, plane, all, "delete", "--force", "--grace-period=0", "--wait=true", "-f", "-") }
}

// check wants the words of a case, by the cluster and by a snapshot of it, and no fix that works.
func (g *grouped) check(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	defer g.write(t, plane)()
	user := g.user
	if user == "" {
		user = controlplane.Admin
	}
	config := kubeconfig(t, plane, user)
	requireWords(t, config, "ml", "train-0", g.want, g.never)
	requireSameOfSnapshot(t, config, "ml", "train-0", func(document []byte) string {
		var e struct {
			Verdict, BlockedBy, Summary string
			Gang                        json.RawMessage
			Fixes                       []struct {
				Kind, Command string
				Verified      bool
				Remaining     []string
			}
		}
		if err := json.Unmarshal(document, &e); err != nil {
			t.Fatalf("%v: %s", err, document)
		}
		left := ""
		for i, fix := range e.Fixes {
			if len(e.Gang) == 0 {
				break
			}
			if fix.Verified || fix.Command != "" || i == 0 && fix.Kind != "group" {
				t.Errorf("%+v is offered for a pod of a group", fix)
			}
			if fix.Kind == "scheduler" && len(fix.Remaining) > 0 {
				left = fix.Remaining[0]
			}
		}
		if left != g.left {
			t.Errorf("the default scheduler as a fix: %q, want %q", left, g.left)
		}
		return strings.Join([]string{e.Verdict, e.BlockedBy, e.Summary, string(e.Gang)}, "\n")
	})
}

// otherGroupsAreNotAsked wants a cluster that serves none of the APIs to be asked for no group. A pod that
// names one is why the server is asked once for its API groups, where they were not known; another is not.
func otherGroupsAreNotAsked(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	for name, one := range map[string]struct {
		grouped
		groups int
	}{
		"of none":            {grouped{pod: `, resources: {requests: {cpu: "9"}}`, names: "labels: {app: train}"}, 0},
		"of kube-scheduler":  {grouped{pod: `, resources: {requests: {cpu: "9"}}`, names: byVolcano}, 0},
		"of another":         {grouped{names: byVolcano, by: "volcano"}, 1},
		"with all the names": {grouped{names: `annotations: {scheduling.k8s.io/group-name: train, pod-group-name: train}, ` + byLabel, by: "volcano"}, 1},
	} {
		before, err := plane.Writes(watched)
		if err != nil {
			t.Fatal(err)
		}
		takeBack := one.write(t, plane)
		r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, watched), "-n", "ml", "train-0", "-o", "json")
		takeBack()
		if !strings.Contains(r.stdout, `"verdict"`) || strings.Contains(r.stdout, `"gang"`) {
			t.Errorf("%s: it says %s%s", name, r.stdout, r.stderr)
		}
		asked, err := plane.Writes(watched)
		if err != nil {
			t.Fatal(err)
		}
		asked = asked[len(before):]
		groups := 0
		for _, request := range asked {
			if strings.Contains(request.URI, "podgroups") {
				t.Errorf("%s: asked %s %s", name, request.Verb, request.URI)
			}
			if strings.HasPrefix(request.URI, "/apis?") || request.URI == "/apis" {
				groups++
			}
		}
		t.Logf("%s: %d requests, of which %d for the groups", name, len(asked), groups)
		if len(asked) == 0 || groups > one.groups {
			t.Errorf("%s: %d requests, of which %d for the groups", name, len(asked), groups)
		}
	}
}
