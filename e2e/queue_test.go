package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// kueueKind is the custom resource of a kind of Kueue, as far as fathom reads it.
func kueueKind(kind, plural, scope string) string {
	const open = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ` + plural + `.kueue.x-k8s.io, annotations: {api-approved.kubernetes.io: unapproved}}, spec: {
  group: kueue.x-k8s.io, scope: ` + scope + `, names: {kind: ` + kind + `, plural: ` + plural + `}, versions: [{name: v1beta2, served: true, storage: true,
    schema: {openAPIV3Schema: {type: object, properties: {spec: ` + open + `, status: ` + open + `}}}}]}}`
}

// kueueKinds are those that are read.
var kueueKinds = strings.Join([]string{
	kueueKind("Workload", "workloads", "Namespaced"), kueueKind("LocalQueue", "localqueues", "Namespaced"), kueueKind("ClusterQueue", "clusterqueues", "Cluster"),
}, "\n---\n")

// visibility serves the pending Workloads of each ClusterQueue in the namespace ml, as Kueue's
// visibility API does.
type visibility struct {
	t       *testing.T
	mu      sync.Mutex
	pending []string
}

// set says which Workloads are pending, in order.
func (v *visibility) set(pending []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pending = pending
}

const visibleGroup = "/apis/visibility.kueue.x-k8s.io/v1beta2"

// ServeHTTP implements http.Handler.
func (v *visibility) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	var items []string
	for i, name := range v.pending {
		items = append(items, fmt.Sprintf(`{"metadata":{"namespace":"ml","name":%q},"priority":0,"localQueueName":"team-a","positionInClusterQueue":%d,"positionInLocalQueue":%d}`, name, i, i))
	}
	switch {
	case r.URL.Path == visibleGroup:
		v.answer(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"visibility.kueue.x-k8s.io/v1beta2","resources":[`+
			`{"name":"clusterqueues/pendingworkloads","singularName":"","namespaced":false,"kind":"PendingWorkloadsSummary","verbs":["get"]}]}`)
	case strings.HasSuffix(r.URL.Path, "/pendingworkloads"):
		v.answer(w, `{"kind":"PendingWorkloadsSummary","apiVersion":"visibility.kueue.x-k8s.io/v1beta2","metadata":{},"items":[`+strings.Join(items, ",")+`]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// answer writes an answer. Whoever asked may have gone.
func (v *visibility) answer(w http.ResponseWriter, text string) {
	if _, err := io.WriteString(w, text); err != nil {
		v.t.Logf("visibility API: %v", err)
	}
}

// serveVisibility registers the visibility API, behind kube-apiserver's aggregator.
func serveVisibility(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) *visibility {
	t.Helper()
	v := &visibility{t: t}
	server := httptest.NewTLSServer(v)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, plane, `{apiVersion: v1, kind: Namespace, metadata: {name: kueue-system}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: kueue-system, name: kueue-controller-manager, labels: {app.kubernetes.io/name: kueue}},
 spec: {automountServiceAccountToken: false, containers: [{name: manager, image: x}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: kueue-system, name: kueue-visibility-server}, spec: {type: ExternalName, externalName: localhost}}
---
{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1beta2.visibility.kueue.x-k8s.io}, spec: {group: visibility.kueue.x-k8s.io, version: v1beta2,
 groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: kueue-system, name: kueue-visibility-server, port: `+at.Port()+`}}}`, "apply", "-f", "-")
	kubectl(t, plane, "", "wait", "--for=condition=Available", "apiservice/v1beta2.visibility.kueue.x-k8s.io", "--timeout=60s")
	eventually(t, "the visibility API is among the groups", func(context.Context) (bool, error) {
		groups, err := client.Discovery().ServerGroups()
		if err != nil {
			return false, err
		}
		for _, group := range groups.Groups {
			if group.Name == "visibility.kueue.x-k8s.io" {
				return true, nil
			}
		}
		return false, nil
	})
	return v
}

// queueing is what Kueue has written, and what is said about a pod of a Job then.
type queueing struct {
	name     string
	gates    string // of the pod; "" is kueue.x-k8s.io/admission
	labels   string // of the pod, more
	workload string // name of the Workload; "" is job-train
	status   string // fields of the Workload beside its owner; "" for no Workload
	local    string // fields of the LocalQueue team-a; "" for none
	cluster  string // fields of the ClusterQueue gpu; "" for none
	pending  []string
	user     string // who asks; "" is the administrator
	want     []string
	never    []string // beside "will"
}

// conditioned is a Workload of LocalQueue team-a with conditions: type, status, reason, message each.
func conditioned(conditions ...[4]string) string {
	var all []string
	for _, c := range conditions {
		all = append(all, fmt.Sprintf(`{type: %s, status: %q, reason: %s, message: %q, lastTransitionTime: "2026-06-01T12:00:00Z"}`, c[0], c[1], c[2], c[3]))
	}
	return `spec: {queueName: team-a, podSets: []}, status: {conditions: [` + strings.Join(all, ", ") + `]}`
}

const (
	lacksQuota   = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed"
	teamA        = `spec: {clusterQueue: gpu}, status: {pendingWorkloads: 3}`
	activeQueue  = `conditions: [{type: Active, status: "True", reason: Ready, message: Can admit new workloads, lastTransitionTime: "2026-06-01T12:00:00Z"}]`
	gpuQuota     = `resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: 40}]}]}]`
	gpuUsed      = `pendingWorkloads: 12, flavorsReservation: [{name: default, resources: [{name: cpu, total: 42, borrowed: 2}]}], flavorsUsage: [{name: default, resources: [{name: cpu, total: "36"}]}]`
	gpuQueue     = `spec: {` + gpuQuota + `}, status: {` + gpuUsed + `, ` + activeQueue + `}`
	gpuNoUsage   = `spec: {` + gpuQuota + `}`
	stoppedQueue = `spec: {stopPolicy: HoldAndDrain, ` + gpuQuota + `}, status: {conditions: [{type: Active, status: "False", reason: Stopped, message: "Can't admit new workloads: is stopped.", lastTransitionTime: "2026-06-01T12:00:00Z"}]}`
)

var (
	pendingQuota  = [4]string{"QuotaReserved", "False", "Pending", lacksQuota}
	reservedQuota = [4]string{"QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue gpu"}
)

// queueings are the cases. fathom quotes what Kueue says, and promises nothing.
var queueings = []queueing{
	{
		name: "no quota", status: conditioned(pendingQuota), local: teamA, cluster: gpuQueue, pending: []string{"a", "b", "job-train"},
		want: []string{
			"Queued by Kueue: waiting for quota for ", "(Pending): " + lacksQuota + "; position 3 of 12 in ClusterQueue gpu (LocalQueue team-a).",
			"Gated by kueue.x-k8s.io/admission until Kueue admits its Workload.", "gpu: cpu of flavor default: 36 used, 42 reserved (2 borrowed), nominal quota 40",
		}, never: []string{"unknown: "},
	},
	{
		name: "not among the pending ones", status: conditioned(pendingQuota), local: teamA, cluster: gpuQueue, pending: []string{"a"},
		want: []string{lacksQuota + "; ClusterQueue gpu (LocalQueue team-a)."}, never: []string{"position"},
	},
	{
		name: "usage that no status tells", status: conditioned(pendingQuota), local: teamA, cluster: gpuNoUsage, pending: []string{"job-train"},
		want: []string{"position 1 in ClusterQueue gpu", "cpu of flavor default: ? used, ? reserved, nominal quota 40"}, never: []string{"0 used", "position 1 of"},
	},
	{
		name: "evicted", local: teamA, cluster: gpuQueue,
		status: conditioned(pendingQuota, [4]string{"Evicted", "True", "Preempted", "Preempted to accommodate a workload"}),
		want:   []string{"; evicted ", " ago (Preempted): Preempted to accommodate a workload;"},
	},
	{
		name: "an admission check", local: teamA, cluster: gpuQueue,
		status: strings.TrimSuffix(conditioned(reservedQuota), "}") + `, admission: {clusterQueue: gpu}, admissionChecks: [{name: quick, state: Ready, message: ""}, {name: provision, state: Pending, message: waiting for capacity}]}`,
		want:   []string{"Queued by Kueue: quota was reserved ", " ago, but it is not admitted; admission check provision is Pending: waiting for capacity; ClusterQueue gpu"},
		never:  []string{"waiting for quota", "position"},
	},
	{
		name: "admitted", status: conditioned(reservedQuota, [4]string{"Admitted", "True", "Admitted", "The workload is admitted"}, [4]string{"PodsReady", "False", "WaitForStart", "Not all pods are ready"}),
		local: teamA, cluster: gpuQueue,
		want: []string{"it was admitted ", " ago, but its gate is still there", "PodsReady=False for ", "(WaitForStart): Not all pods are ready"}, never: []string{"not admitted", "position"},
	},
	{
		name: "deactivated", status: strings.Replace(conditioned(pendingQuota), "podSets: []", "podSets: [], active: false", 1), local: teamA, cluster: gpuQueue, pending: []string{"job-train"},
		want: []string{"its Workload is deactivated (spec.active is false)"}, never: []string{"position"},
	},
	{name: "not considered yet", status: conditioned(), local: teamA, cluster: gpuQueue, want: []string{"its Workload has no condition QuotaReserved yet; ClusterQueue gpu"}, never: []string{"waiting for quota"}},
	{name: "no Workload", local: teamA, cluster: gpuQueue, want: []string{"there is no Workload for it yet; ClusterQueue gpu (LocalQueue team-a)."}, never: []string{"waiting for quota"}},
	{name: "no LocalQueue", status: conditioned(pendingQuota), cluster: gpuQueue, want: []string{"LocalQueue team-a does not exist."}, never: []string{"ClusterQueue"}},
	{name: "no ClusterQueue", status: conditioned(pendingQuota), local: teamA, want: []string{"ClusterQueue gpu does not exist"}, never: []string{"nominal quota"}},
	{
		name: "stopped queues", status: conditioned([4]string{"QuotaReserved", "False", "Suspended", "ClusterQueue gpu is inactive"}), local: `spec: {clusterQueue: gpu, stopPolicy: Hold}`, cluster: stoppedQueue,
		want: []string{"LocalQueue team-a is stopped (stopPolicy Hold); ClusterQueue gpu is stopped (stopPolicy HoldAndDrain); ClusterQueue gpu is not active (Stopped): Can't admit new workloads: is stopped;"},
	},
	{
		name: "a group of pods", labels: "kueue.x-k8s.io/pod-group-name: group", workload: "group", status: conditioned(pendingQuota), local: teamA, cluster: gpuQueue, pending: []string{"group"},
		want: []string{lacksQuota + "; position 1 of 12 in ClusterQueue gpu"},
	},
	{
		name: "a finished Workload", status: conditioned(reservedQuota, [4]string{"Finished", "True", "Succeeded", ""}), local: teamA, cluster: gpuQueue,
		want: []string{"its Workload is finished"}, never: []string{"admitted "},
	},
	{
		name: "control characters", status: conditioned([4]string{"QuotaReserved", "False", "Pending", "no \x1b[31mred\u202e quota"}), local: teamA, cluster: gpuQueue,
		want: []string{"(Pending): no "}, never: []string{"\x1b[31m", "\u202e"},
	},
	{
		name: "another gate too", gates: "{name: example.com/licence}, {name: kueue.x-k8s.io/topology}", status: conditioned(pendingQuota), local: teamA, cluster: gpuQueue,
		want: []string{"Queued by Kueue: waiting for quota", "Gated by example.com/licence, kueue.x-k8s.io/topology until Kueue admits its Workload and all of them are removed."},
	},
	{
		name: "what may not be read", status: conditioned(pendingQuota), local: teamA, cluster: gpuQueue, pending: []string{"job-train"}, user: noAutoscalers,
		want:  []string{"Queued by Kueue: unknown: not allowed to list workloads.kueue.x-k8s.io; LocalQueue team-a.", "unknown: not allowed to get localqueues.kueue.x-k8s.io"},
		never: []string{"there is no Workload", "does not exist", "position", "waiting for quota"},
	},
	{
		name: "Workloads alone may be read", status: conditioned(pendingQuota), local: teamA, cluster: gpuQueue, pending: []string{"job-train"}, user: someQueues,
		want:  []string{"(Pending): " + lacksQuota, "ClusterQueue gpu (LocalQueue team-a)", "unknown: not allowed to get clusterqueues.kueue.x-k8s.io", "unknown: not allowed to get localqueues/pendingworkloads.visibility.kueue.x-k8s.io"},
		never: []string{"position", "does not exist", "nominal quota"},
	},
}

// someQueues is a user who may read Workloads and LocalQueues, and no ClusterQueues.
const someQueues = "some-queues"

const someQueueRights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: read-some-queues}
rules: [{apiGroups: [kueue.x-k8s.io], resources: [workloads, localqueues], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: read-some-queues}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: read-some-queues}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: some-queues}]
`

// TestKueueIsQuoted writes what Kueue would, and wants the words about a pod, from the cluster and
// from a snapshot of it.
func TestKueueIsQuoted(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Users: []string{noAutoscalers, someQueues, watched}, Audit: true, AuditReads: true})
	client := admin(t, plane)
	roles := autoscalerUsers + "---" + strings.ReplaceAll(autoscalerUsers, noAutoscalers, watched) + "---" + strings.ReplaceAll(autoscalerUsers, noAutoscalers, someQueues)
	kubectl(t, plane, roles+"---"+someQueueRights+"---\n{apiVersion: v1, kind: Namespace, metadata: {name: ml}}\n---\n"+
		`{apiVersion: v1, kind: Node, metadata: {name: std-1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}`, "apply", "-f", "-")
	t.Run("without Kueue", func(t *testing.T) { kueueIsNotAsked(t, plane) })
	kubectl(t, plane, kueueKinds, "apply", "-f", "-")
	kubectl(t, plane, "", "wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
	visible := serveVisibility(t, plane, client)
	visible.set([]string{"job-big"})
	t.Run("suspended Jobs", func(t *testing.T) { suspendedJobsAreQueued(t, plane, client) })
	for i := range queueings {
		t.Run(queueings[i].name, func(t *testing.T) {
			visible.set(queueings[i].pending)
			queueings[i].check(t, plane)
		})
	}
}

// suspended is a Job of four pods that is suspended, with labels.
func suspended(name, labels string) string {
	return `{apiVersion: batch/v1, kind: Job, metadata: {namespace: ml, name: ` + name + `, labels: {` + labels + `}}, spec: {suspend: true, parallelism: 4, template: {spec: {
 automountServiceAccountToken: false, restartPolicy: Never, containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]}}}}`
}

// suspendedJobsAreQueued wants Jobs that Kueue keeps suspended to be rows of Pending and to be
// explained, as by a snapshot, and others not to be.
func suspendedJobsAreQueued(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	kubectl(t, plane, suspended("big", "kueue.x-k8s.io/queue-name: team-a")+"\n---\n"+suspended("alone", ""), "create", "-f", "-")
	job, err := client.BatchV1().Jobs("ml").Get(t.Context(), "big", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	objects := `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {namespace: ml, name: job-big, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: big, uid: ` + string(job.UID) + `}]}, ` + conditioned(pendingQuota) + `}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {namespace: ml, name: team-a}, ` + teamA + `}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: gpu}, ` + gpuQueue + `}`
	kubectl(t, plane, objects, "create", "-f", "-")
	defer func() {
		kubectl(t, plane, objects, "delete", "-f", "-")
		kubectl(t, plane, "", "delete", "-n", "ml", "jobs", "big", "alone")
	}()
	config, file := kubeconfig(t, plane, controlplane.Admin), filepath.Join(t.TempDir(), "state.yaml")
	if r := fathom(t, "snapshot", "--kubeconfig", config, "-o", file); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	for _, from := range [][]string{{"--kubeconfig", config}, {"--from", file}} {
		rows := fathom(t, append([]string{"get", "pending", "-A", "-o", "wide"}, from...)...).stdout
		if !strings.Contains(rows, "big") || !strings.Contains(rows, "queued") || strings.Contains(rows, "alone") {
			t.Errorf("the rows are\n%s", rows)
		}
		whole := fathom(t, append([]string{"explain", "job/big", "-n", "ml", "--verbose"}, from...)...)
		said := strings.Join(strings.Fields(whole.stdout), " ")
		for _, want := range []string{
			"Queued by Kueue: waiting for quota for ", "(Pending): " + lacksQuota + "; position 1 of 12 in ClusterQueue gpu (LocalQueue team-a).",
			"Job big is suspended until Kueue admits its Workload: it has no pods yet and needs quota for 4 pods at once", "If a pod were created, it would fit 1 node: std-1.",
		} {
			if !strings.Contains(said, want) {
				t.Errorf("it does not say %q: %s%s", want, said, whole.stderr)
			}
		}
		if promise.MatchString(said) || strings.Contains(said, "reject") {
			t.Errorf("it says %s", said)
		}
	}
	kubectl(t, plane, `{apiVersion: batch/v1, kind: CronJob, metadata: {namespace: ml, name: nightly}, spec: {schedule: "@daily", suspend: true, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}}}}`, "create", "-f", "-")
	defer kubectl(t, plane, "", "delete", "-n", "ml", "cronjob", "nightly")
	for asked, want := range map[string]string{
		"job/alone":       "explain job/alone: it is suspended (spec.suspend is true), so it has no pods",
		"cronjob/nightly": "explain cronjob/nightly: it is suspended (spec.suspend is true), so it creates no Jobs",
	} {
		if r := fathom(t, "explain", asked, "-n", "ml", "--kubeconfig", config); !strings.Contains(r.stderr, want) || r.code == 0 {
			t.Errorf("it says %s%s, want %s", r.stdout, r.stderr, want)
		}
	}
	unread := fathom(t, "get", "pending", "-A", "-o", "wide", "--kubeconfig", kubeconfig(t, plane, someQueues)).stdout
	if !strings.Contains(unread, "LocalQueue team-a") && !strings.Contains(unread, "team-a, quota not reserved") {
		t.Errorf("without ClusterQueues the rows are\n%s", unread)
	}
}

// write creates the pod and what Kueue says of it, and returns what takes it back.
func (q *queueing) write(t *testing.T, plane *controlplane.ControlPlane) (takeBack func()) {
	t.Helper()
	const owner = `ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: 11111111-2222-3333-4444-555555555555, controller: true}]`
	gates, labels, name := q.gates, "kueue.x-k8s.io/queue-name: team-a", q.workload
	switch {
	case gates == "":
		gates = "{name: kueue.x-k8s.io/admission}"
	case !strings.Contains(gates, "kueue"):
		labels = "app: train"
	}
	if q.labels != "" {
		labels += ", " + q.labels
	}
	owners := owner
	if name == "" {
		name = "job-train"
	} else {
		owners = "labels: {}"
	}
	objects := []string{`{apiVersion: v1, kind: Pod, metadata: {name: train-0, namespace: ml, labels: {` + labels + `}, ` + owner + `},
 spec: {automountServiceAccountToken: false, schedulingGates: [` + gates + `], containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]}}`}
	if q.status != "" {
		objects = append(objects, `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {namespace: ml, name: `+name+`, `+owners+`}, `+q.status+`}`,
			`{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {namespace: ml, name: other}, spec: {queueName: other}}`)
	}
	if q.local != "" {
		objects = append(objects, `{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {namespace: ml, name: team-a}, `+q.local+`}`)
	}
	if q.cluster != "" {
		objects = append(objects, `{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: gpu}, `+q.cluster+`}`)
	}
	all := strings.Join(objects, "\n---\n")
	kubectl(t, plane, all, "create", "-f", "-")
	return func() { kubectl(t, plane, all, "delete", "--force", "--grace-period=0", "--wait=true", "-f", "-") }
}

// check wants the words of a case, by the cluster and by a snapshot of it.
func (q *queueing) check(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	defer q.write(t, plane)()
	user := q.user
	if user == "" {
		user = controlplane.Admin
	}
	config := kubeconfig(t, plane, user)
	requireWords(t, config, "ml", "train-0", q.want, q.never)
	q.checkFile(t, config)
}

// checkFile wants a snapshot to be explained as the cluster is, and no fix that removes a gate.
func (q *queueing) checkFile(t *testing.T, config string) {
	t.Helper()
	requireSameOfSnapshot(t, config, "ml", "train-0", func(document []byte) string {
		var e struct {
			BlockedBy string          `json:"blockedBy"`
			Queue     json.RawMessage `json:"queue"`
			Fixes     []struct {
				Kind, Command string
				Verified      bool
			} `json:"fixes"`
		}
		if err := json.Unmarshal(document, &e); err != nil {
			t.Fatalf("%v: %s", err, document)
		}
		if e.BlockedBy != "queue" || len(e.Queue) == 0 || len(e.Fixes) == 0 || e.Fixes[0].Kind != "queue" {
			t.Errorf("blocked by %q, queue %s, fixes %+v", e.BlockedBy, e.Queue, e.Fixes)
		}
		for _, fix := range e.Fixes {
			if fix.Verified || fix.Command != "" {
				t.Errorf("%+v works", fix)
			}
		}
		return string(e.Queue)
	})
}

// kueueIsNotAsked wants a cluster without Kueue to be asked for nothing of it, even by a gated pod,
// and for its groups no more often than for another pod.
func kueueIsNotAsked(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	for _, gates := range []string{"{name: example.com/licence}", ""} {
		kueueIsNotAskedBy(t, plane, &queueing{gates: gates})
	}
}

// kueueIsNotAskedBy is kueueIsNotAsked for one pod. Only a gate of Kueue's is why the server is asked
// once for its groups, if it was not before.
func kueueIsNotAskedBy(t *testing.T, plane *controlplane.ControlPlane, gated *queueing) {
	t.Helper()
	before, err := plane.Writes(watched)
	if err != nil {
		t.Fatal(err)
	}
	takeBack := gated.write(t, plane)
	r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, watched), "-n", "ml", "train-0", "-o", "json")
	takeBack()
	cause := "queue"
	if gated.gates != "" {
		cause = "gate"
	}
	if strings.Contains(r.stdout, `"queue": {`) || !strings.Contains(r.stdout, `"blockedBy": "`+cause+`"`) {
		t.Errorf("it says %s%s", r.stdout, r.stderr)
	}
	asked, err := plane.Writes(watched)
	if err != nil {
		t.Fatal(err)
	}
	groups := 0
	most, jobs := 1, 0
	if gated.gates != "" {
		most = 0
	}
	asked = asked[len(before):]
	for _, one := range asked {
		if strings.Contains(one.URI, "/batch/v1/jobs") {
			jobs++
		}
		if strings.Contains(one.URI, "kueue") {
			t.Errorf("asked %s %s", one.Verb, one.URI)
		}
		if strings.HasPrefix(one.URI, "/apis?") || one.URI == "/apis" {
			groups++
		}
	}
	t.Logf("%d requests, of which %d for the groups", len(asked), groups)
	if len(asked) == 0 || groups > most || jobs > 0 {
		t.Errorf("%d requests, of which %d for the groups, %d for Jobs", len(asked), groups, jobs)
	}
}
