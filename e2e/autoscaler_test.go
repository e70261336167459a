package e2e

import (
	"context"
	"encoding/json"
	"fmt"
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

// karpenterKinds are the custom resources of Karpenter v1, as far as fathom reads them.
const karpenterKinds = `
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: nodepools.karpenter.sh}, spec: {
  group: karpenter.sh, scope: Cluster, names: {kind: NodePool, plural: nodepools}, versions: [{name: v1, served: true, storage: true,
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}, status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}]}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: nodeclaims.karpenter.sh}, spec: {
  group: karpenter.sh, scope: Cluster, names: {kind: NodeClaim, plural: nodeclaims}, versions: [{name: v1, served: true, storage: true,
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}, status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}]}}
`

// autoscaled is a node that Karpenter made, a namespace, and a volume in a zone.
const autoscaled = `
{apiVersion: v1, kind: Node, metadata: {name: std-1, labels: {kubernetes.io/hostname: std-1, karpenter.sh/nodepool: std, topology.kubernetes.io/zone: eu-1a}},
 status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-c}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: "", hostPath: {path: /x},
 claimRef: {namespace: shop, name: data}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [eu-1c]}]}]}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: shop, name: data, annotations: {pv.kubernetes.io/bind-completed: "yes"}},
 spec: {accessModes: [ReadWriteOnce], storageClassName: "", volumeName: pv-c, resources: {requests: {storage: 1Gi}}}}
`

// autoscalerUsers may read all but the objects of autoscalers.
const autoscalerUsers = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: no-autoscalers}
rules:
- {apiGroups: [""], resources: [nodes, pods, namespaces, persistentvolumes, persistentvolumeclaims, services, replicationcontrollers, limitranges, resourcequotas, events], verbs: [get, list, watch]}
- {apiGroups: [apps, batch, policy, storage.k8s.io, resource.k8s.io, scheduling.k8s.io, coordination.k8s.io], resources: ["*"], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: no-autoscalers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: no-autoscalers}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: no-autoscalers}]
`

const noAutoscalers = "no-autoscalers"

// scaling is what autoscalers have written, and what is said about a pod then.
type scaling struct {
	name   string
	pools  []string // NodePools: fields of spec and status
	claim  string   // the NodeClaim std-x8k2c: fields of metadata, spec and status
	status string   // of Cluster Autoscaler
	pod    string   // fields of its spec beside the container
	owner  string
	cpu    string // that it requests; "" is 9
	says   [3]string
	user   string // who asks; "" is the administrator
	want   []string
	never  []string // beside "will"
}

// ready is the status of a NodePool that is Ready.
const ready = `status: {resources: {cpu: "10", memory: 10Gi}, conditions: [{type: Ready, status: "True", reason: Ready, message: "", lastTransitionTime: "2026-06-01T12:00:00Z"}]}`

// nodePool is a Ready NodePool of requirements, with more fields of its template's spec.
func nodePool(requirements string, more ...string) string {
	fields := "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: [" + requirements + "]"
	return "spec: {template: {spec: {" + strings.Join(append([]string{fields}, more...), ", ") + "}}}, " + ready
}

func inZones(zones string) string {
	return "{key: topology.kubernetes.io/zone, operator: In, values: [" + zones + "]}"
}

// limitedPool is a Ready NodePool with a limit of cpu, of which so much is used.
func limitedPool(limit, used string) string {
	return `spec: {limits: {cpu: "` + limit + `"}, template: {spec: {requirements: []}}}, ` + strings.Replace(ready, `cpu: "10"`, `cpu: "`+used+`"`, 1)
}

// nodeClaim is a NodeClaim of so much cpu that was launched.
func nodeClaim(cpu string) string {
	return `metadata: {name: std-x8k2c, labels: {karpenter.sh/nodepool: std, topology.kubernetes.io/zone: eu-1a}}, spec: {taints: [], startupTaints: [{key: starting, effect: NoSchedule}]},
 status: {allocatable: {cpu: "` + cpu + `", memory: 16Gi, pods: "110"}, conditions: [{type: Launched, status: "True", reason: Launched, message: "", lastTransitionTime: "2026-06-01T12:00:00Z"}]}`
}

var nominates = [3]string{"karpenter", "Nominated", "Pod should schedule on: nodeclaim/std-x8k2c"}

// justNow stands for the time at which a status is written.
const justNow = "JUST NOW"

// groupStatus is the status of Cluster Autoscaler with one group.
func groupStatus(target, most int, scaleUp string) string {
	return fmt.Sprintf(`time: `+justNow+`
autoscalerStatus: Running
nodeGroups:
- name: std
  health: {status: Healthy, nodeCounts: {registered: {total: 3, ready: 3}}, cloudProviderTarget: %d, minSize: 1, maxSize: %d}
  scaleUp: %s
`, target, most, scaleUp)
}

var notScaled = [3]string{"cluster-autoscaler", "NotTriggerScaleUp", "pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached"}

// scalings are the cases. fathom says what is ruled out, and nothing that will be.
var scalings = []scaling{
	{
		name: "no NodePool has the zone", pools: []string{nodePool(inZones("eu-1a, eu-1b"))}, pod: `nodeSelector: {topology.kubernetes.io/zone: eu-1c}`,
		want: []string{"Karpenter: no NodePool allows zone eu-1c: p0 has eu-1a, eu-1b.", "NodePool p0 cannot be used: the pod requires zone eu-1c, the NodePool has eu-1a, eu-1b"}, never: []string{"may be used"},
	},
	{
		name: "no NodePool of two has the zone", pools: []string{nodePool(inZones("eu-1a")), nodePool(inZones("eu-1b"))}, pod: `nodeSelector: {topology.kubernetes.io/zone: eu-1c}`,
		want: []string{"no NodePool allows zone eu-1c: p0 has eu-1a; p1 has eu-1b."},
	},
	{
		name: "one has the zone", pools: []string{nodePool(inZones("eu-1a")), nodePool(inZones("eu-1c"))}, pod: `nodeSelector: {topology.kubernetes.io/zone: eu-1c}`,
		want: []string{"NodePool p1 may be used; p0 cannot: the pod requires zone eu-1c, the NodePool has eu-1a."},
	},
	{
		name: "one of two terms", pools: []string{nodePool(inZones("eu-1a"))},
		pod:  `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [` + inZones("eu-1c") + `]}, {matchExpressions: [` + inZones("eu-1a") + `]}]}}}`,
		want: []string{"NodePool p0 may be used."}, never: []string{"cannot"},
	},
	{
		name: "the zone of a volume", pools: []string{nodePool(inZones("eu-1a, eu-1b"))}, pod: `volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]`,
		want: []string{"no NodePool allows zone eu-1c: p0 has eu-1a, eu-1b."},
	},
	{
		name: "a limit that is reached", pools: []string{limitedPool("100", "100")},
		want: []string{"no NodePool can be used: p0: it is at its limit: cpu 100 of 100."}, never: []string{"may be used"},
	},
	{
		name: "a limit that leaves too little", pools: []string{limitedPool("100", "95")},
		want: []string{"p0: its limit leaves cpu 5 of 100, the pod requests 9."},
	},
	{name: "a limit that suffices", pools: []string{limitedPool("100", "91")}, want: []string{"NodePool p0 may be used.", "cpu 91 of 100"}, never: []string{"cannot"}},
	{
		name: "a NodePool that is not Ready",
		pools: []string{`spec: {template: {spec: {requirements: []}}}, status: {conditions: [{type: NodeClassReady, status: "False", reason: NotFound, message: "no EC2NodeClass default"},
 {type: Ready, status: "False", reason: NodeClassNotReady, message: ""}]}`},
		want: []string{"p0: it is not Ready: NodeClassReady: no EC2NodeClass default."},
	},
	{
		name: "a NodePool that says nothing of itself", pools: []string{`spec: {template: {spec: {requirements: []}}}`},
		want: []string{"it is unknown whether NodePool p0 can be used: it has no condition Ready yet."}, never: []string{"may be used", "cannot"},
	},
	{
		name: "a taint", pools: []string{nodePool("", `taints: [{key: dedicated, value: gpu, effect: NoSchedule}]`)},
		want: []string{"p0: the pod does not tolerate its taint dedicated=gpu:NoSchedule."},
	},
	{
		name: "a taint that the pod tolerates, and a startup taint", pools: []string{nodePool("", `taints: [{key: dedicated, value: gpu, effect: NoSchedule}]`, `startupTaints: [{key: starting, effect: NoExecute}]`)},
		pod: `tolerations: [{key: dedicated, operator: Exists}]`, want: []string{"NodePool p0 may be used."}, never: []string{"cannot", "starting"},
	},
	{
		name: "a label that nobody sets", pools: []string{nodePool(inZones("eu-1a"))}, pod: `nodeSelector: {team: ml}`,
		want: []string{"no NodePool allows team ml: p0 has no label team."},
	},
	{
		name: "bounds that do not meet", pools: []string{nodePool("{key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ['9']}")},
		pod:  `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ['15']}]}]}}}`,
		want: []string{"no NodePool allows karpenter.k8s.aws/instance-cpu > 15"},
	},
	{
		name: "a label that must not be there", pools: []string{nodePool("{key: team, operator: Exists}")},
		pod:  `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: team, operator: DoesNotExist}, {key: kubernetes.io/hostname, operator: NotIn, values: [std-1]}]}]}}}`,
		want: []string{"no NodePool allows no label team: p0 has label team."},
	},
	{name: "no NodePool at all", want: []string{"Karpenter: there is no NodePool, so it cannot add a node."}},
	{
		name: "a NodeClaim that the pod fits", pools: []string{nodePool(inZones("eu-1a"))}, claim: nodeClaim("16"), says: nominates,
		want: []string{"Karpenter: NodeClaim std-x8k2c for the pod is launched", "not registered; the pod fits it once it is Ready."},
	},
	{
		name: "a NodeClaim that is too small", pools: []string{nodePool(inZones("eu-1a"))}, claim: nodeClaim("8"), says: nominates,
		want: []string{"not registered; the pod does not fit it: needs cpu 1 more."}, never: []string{"once it is Ready"},
	},
	{
		name: "a NodeClaim that is gone", pools: []string{nodePool(inZones("eu-1a"))}, says: nominates,
		want: []string{"NodeClaim std-x8k2c for the pod does not exist any more."}, never: []string{"fits it"},
	},
	{
		name: "EKS Auto Mode", pools: []string{nodePool(inZones("eu-1a"))}, pod: `nodeSelector: {topology.kubernetes.io/zone: eu-1c}`,
		says: [3]string{"eks-auto-mode/compute", "FailedScheduling", "Failed to schedule pod, incompatible requirements"},
		want: []string{"EKS Auto Mode: no NodePool allows zone eu-1c: p0 has eu-1a.", "AUTOSCALER eks-auto-mode/compute", "Failed to schedule pod, incompatible requirements"},
	},
	{
		name: "Cluster Autoscaler at its maximum", says: notScaled, status: groupStatus(5, 5, "{status: NoActivity}"),
		want: []string{
			"pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached; no node group can get a node now: std is at its maximum of 5.",
			"node group std: 3 ready of 5, min 1, max 5", "not scaled up: 2 node groups: Insufficient cpu", "not scaled up: 1 node group: max node group size reached",
		},
	},
	{
		name: "Cluster Autoscaler in back-off", says: notScaled, status: groupStatus(3, 5, `{status: Backoff, backoffInfo: {errorCode: QUOTA_EXCEEDED, errorMessage: "Quota 'CPUS' exceeded"}}`),
		want: []string{"no node group can get a node now: std is in back-off: QUOTA_EXCEEDED: Quota 'CPUS' exceeded."},
	},
	{
		name: "Cluster Autoscaler scales up", says: [3]string{"cluster-autoscaler", "TriggeredScaleUp", "pod triggered scale-up: [{std 3->4 (max: 5)}]"}, status: groupStatus(4, 5, "{status: InProgress}"),
		want: []string{"pod triggered scale-up: [{std 3->4 (max: 5)}]; a scale-up of std is in progress."}, never: []string{"cannot get a node"},
	},
	{
		name: "a status that Cluster Autoscaler does not write any more", says: notScaled,
		status: strings.Replace(groupStatus(5, 5, "{status: NoActivity}"), justNow, "2026-06-01 12:00:00.5 +0000 UTC", 1),
		want:   []string{"pod didn't trigger scale-up", "unknown: its status was last written"}, never: []string{"at its maximum of"},
	},
	{
		name: "an older status of Cluster Autoscaler", says: notScaled, status: "Cluster-autoscaler status at 2023-11-24 04:28:19 +0000 UTC:\nCluster-wide:\n  Health:      Healthy (ready=4 unready=0)\n",
		want: []string{"pod didn't trigger scale-up", "unknown: the status of Cluster Autoscaler is not in the format of its versions since 1.30"}, never: []string{"Healthy (ready"},
	},
	{
		name: "a pod of a DaemonSet", pools: []string{nodePool("")}, owner: `ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: 11111111-2222-3333-4444-555555555555, controller: true}]`,
		want: []string{"Autoscalers add no node for a pod of a DaemonSet."}, never: []string{"may be used"},
	},
	{name: "a pod that fits", pools: []string{nodePool("")}, cpu: "1", never: []string{"AUTOSCALER", "NodePool"}},
	{
		name: "NodePools that may not be read", pools: []string{nodePool(inZones("eu-1a"))}, pod: `nodeSelector: {topology.kubernetes.io/zone: eu-1c}`, user: noAutoscalers,
		want: []string{"Karpenter: unknown: not allowed to list nodepools."}, never: []string{"there is no NodePool", "may be used", "no NodePool allows"},
	},
	{
		name: "NodeClaims that may not be read", pools: []string{nodePool(inZones("eu-1a"))}, claim: nodeClaim("16"), says: nominates, user: noAutoscalers,
		want: []string{"NodeClaim std-x8k2c for the pod is unknown: not allowed to get nodeclaims."}, never: []string{"fits it", "any more"},
	},
	{
		name: "a status of Cluster Autoscaler that may not be read", says: notScaled, status: groupStatus(5, 5, "{status: NoActivity}"), user: noAutoscalers,
		want: []string{"unknown: not allowed to get ConfigMap kube-system/cluster-autoscaler-status"}, never: []string{"at its maximum"},
	},
}

// promise is what may not be said of a node.
var promise = regexp.MustCompile(`\b[Ww]ill\b`)

// TestAutoscalersAreQuotedAndRuledOut writes what Karpenter and Cluster Autoscaler would, and
// wants the words about a pod, from the cluster and from a snapshot of it.
func TestAutoscalersAreQuotedAndRuledOut(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Users: []string{noAutoscalers, watched}, Audit: true, AuditReads: true})
	client := admin(t, plane)
	kubectl(t, plane, autoscaled+"---"+autoscalerUsers+"---"+strings.ReplaceAll(autoscalerUsers, noAutoscalers, watched), "apply", "-f", "-")
	t.Run("without Karpenter", func(t *testing.T) { nothingMoreIsAsked(t, plane, client) })
	kubectl(t, plane, karpenterKinds, "apply", "-f", "-")
	kubectl(t, plane, "", "wait", "--for=condition=Established", "crd/nodepools.karpenter.sh", "crd/nodeclaims.karpenter.sh", "--timeout=30s")
	t.Run("Karpenter without a NodePool", func(t *testing.T) { installedWithoutAPool(t, plane, client) })
	for i := range scalings {
		t.Run(scalings[i].name, func(t *testing.T) { scalings[i].check(t, plane, client) })
	}
}

// pending creates a pod that the scheduler rejects, or binds.
func (s *scaling) pending(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) *corev1.Pod {
	t.Helper()
	cpu := s.cpu
	if cpu == "" {
		cpu = "9"
	}
	fields := []string{`automountServiceAccountToken: false`, `containers: [{name: main, image: x, resources: {requests: {cpu: "` + cpu + `"}}}]`}
	if s.pod != "" {
		fields = append(fields, s.pod)
	}
	meta := "name: web, namespace: shop"
	if s.owner != "" {
		meta += ", " + s.owner
	}
	kubectl(t, plane, "{apiVersion: v1, kind: Pod, metadata: {"+meta+"}, spec: {"+strings.Join(fields, ", ")+"}}", "create", "-f", "-")
	var pod *corev1.Pod
	eventually(t, "the scheduler has tried the pod", func(ctx context.Context) (tried bool, err error) {
		pod, err = client.CoreV1().Pods("shop").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && (pod.Spec.NodeName != "" || scheduled(pod).Message != ""), err
	})
	return pod
}

// write has the autoscalers write, and returns what takes it back.
func (s *scaling) write(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, pod *corev1.Pod) (takeBack func()) {
	t.Helper()
	var objects []string
	for i, fields := range s.pools {
		objects = append(objects, fmt.Sprintf("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p%d}, %s}", i, fields))
	}
	if s.claim != "" {
		objects = append(objects, "{apiVersion: karpenter.sh/v1, kind: NodeClaim, "+s.claim+"}")
	}
	if s.status != "" {
		now := time.Now().UTC().Format("2006-01-02 15:04:05.999999999 -0700 MST")
		status, err := json.Marshal(strings.Replace(s.status, justNow, now, 1))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: kube-system, name: cluster-autoscaler-status}, data: {status: "+string(status)+"}}")
	}
	takeBack = func() {}
	if len(objects) > 0 {
		all := strings.Join(objects, "\n---\n")
		kubectl(t, plane, all, "create", "-f", "-")
		takeBack = func() { kubectl(t, plane, all, "delete", "--wait=true", "-f", "-") }
	}
	if s.says[0] == "" {
		return takeBack
	}
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", GenerateName: "web."}, Type: "Normal", Reason: s.says[1], Message: s.says[2],
		Source: corev1.EventSource{Component: s.says[0]}, FirstTimestamp: metav1.Now(), LastTimestamp: metav1.Now(), Count: 1,
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "web", UID: pod.UID},
	}
	if _, err := client.CoreV1().Events("shop").Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return takeBack
}

// check wants the words of a case, by the cluster and by a snapshot of it.
func (s *scaling) check(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	defer func() {
		kubectl(t, plane, "", "delete", "-n", "shop", "pod", "web", "--force", "--grace-period=0")
		kubectl(t, plane, "", "delete", "-n", "shop", "events", "--all")
	}()
	defer s.write(t, plane, client, s.pending(t, plane, client))()
	user := s.user
	if user == "" {
		user = controlplane.Admin
	}
	config := kubeconfig(t, plane, user)
	requireWords(t, config, "shop", "web", s.want, s.never)
	s.checkFile(t, config)
}

// checkFile wants a snapshot to be explained as the cluster is.
func (s *scaling) checkFile(t *testing.T, config string) {
	t.Helper()
	age := regexp.MustCompile(`(launched|scaler,) [0-9a-z]+ ago`) // both say it, of their own times
	requireSameOfSnapshot(t, config, "shop", "web", func(document []byte) string {
		var e struct {
			Provisioning json.RawMessage `json:"provisioning"`
		}
		if err := json.Unmarshal(document, &e); err != nil {
			t.Fatalf("%v: %s", err, document)
		}
		said := age.ReplaceAllString(string(e.Provisioning), "$1")
		if promise.MatchString(said) || (said == "") != (len(s.want) == 0) {
			t.Errorf("provisioning is %s", said)
		}
		return said
	})
}

// installedWithoutAPool is Karpenter where nothing but a pod of it shows that it is there.
func installedWithoutAPool(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	const controller = `{apiVersion: v1, kind: Pod, metadata: {namespace: kube-system, name: karpenter-0, labels: {app.kubernetes.io/name: karpenter}}, spec: {automountServiceAccountToken: false, containers: [{name: controller, image: x}]}}`
	kubectl(t, plane, "", "label", "node", "std-1", "karpenter.sh/nodepool-")
	kubectl(t, plane, controller, "create", "-f", "-")
	defer func() {
		kubectl(t, plane, controller, "delete", "--force", "--grace-period=0", "-f", "-")
		kubectl(t, plane, "", "label", "node", "std-1", "karpenter.sh/nodepool=std")
	}()
	bare := scaling{want: []string{"AUTOSCALER Karpenter: there is no NodePool, so it cannot add a node."}}
	bare.check(t, plane, client)
}

// nothingMoreIsAsked wants a cluster without autoscalers to be asked for events by three lists,
// and for nothing of an autoscaler.
func nothingMoreIsAsked(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	kubectl(t, plane, "", "label", "node", "std-1", "karpenter.sh/nodepool-")
	bare := scaling{}
	bare.pending(t, plane, client)
	fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, watched), "-n", "shop", "web", "-o", "json")
	kubectl(t, plane, "", "delete", "-n", "shop", "pod", "web", "--force", "--grace-period=0")
	kubectl(t, plane, "", "label", "node", "std-1", "karpenter.sh/nodepool=std")
	asked, err := plane.Writes(watched)
	if err != nil {
		t.Fatal(err)
	}
	var events, others []string
	for _, one := range asked {
		switch {
		case strings.Contains(one.URI, "/api/v1/events?") && strings.Contains(one.URI, "involvedObject.kind"):
			events = append(events, one.URI)
		case strings.Contains(one.URI, "karpenter") || strings.Contains(one.URI, "cluster-autoscaler-status"):
			others = append(others, one.Verb+" "+one.URI)
		}
	}
	slices.Sort(events)
	t.Logf("%d requests, of which for events of pods: %q", len(asked), events)
	if len(asked) == 0 || len(events) != 3 || len(others) > 0 {
		t.Errorf("of %d requests for events of pods %q, for autoscalers %q", len(asked), events, others)
	}
}
