package snapshot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// customs is what kubectl get nodepools,nodeclaims,podgroups.scheduling.volcano.sh,pods -A -o yaml prints.
const customs = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: train-0, annotations: {scheduling.k8s.io/group-name: train}}, spec: {schedulerName: volcano, containers: [{name: a, image: x}]}}
- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: std}, spec: {weight: 3, limits: {cpu: "100"}, template: {spec: {requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [eu-1a]}], nodeClassRef: {group: karpenter.k8s.aws}}}}, status: {resources: {cpu: "98"}}}
- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: gpu}, spec: {template: {spec: {}}}}
- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: std-x8k2c}, spec: {}, status: {nodeName: std-2}}
- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {namespace: ml, name: train}, spec: {minMember: 8}, status: {phase: Pending}}
- {apiVersion: scheduling.volcano.sh/v2, kind: PodGroup, metadata: {namespace: ml, name: newer}, spec: {minMember: 8}}
`

func TestCustomResourcesOfAListAreQuoted(t *testing.T) {
	f, err := Read(strings.NewReader(customs), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	state := f.provisioning(t.Context(), []report.AutoscalerWord{{Component: "karpenter", Reason: "Nominated", Message: "Pod should schedule on: nodeclaim/std-x8k2c"}})
	if state == nil || len(state.Karpenter.NodePools) != 2 || state.Karpenter.NodePools[1].Weight != 3 || len(state.Karpenter.Claims) != 1 {
		t.Fatalf("%+v", state)
	}
	if limit := state.Karpenter.NodePools[1].Limits[corev1.ResourceCPU]; limit.String() != "100" {
		t.Errorf("limit %s", limit.String())
	}
	for annotation, want := range map[string]string{"train": "8 Pending ", "other": "podgroups.scheduling.volcano.sh other is not in the file"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Annotations: map[string]string{"scheduling.k8s.io/group-name": annotation}}}
		subject, _ := foreignpodgroups.SubjectOf(pod, func(*foreignpodgroups.Kind) bool { return true })
		s := groupIn(f, subject)
		got := s.Unread
		if s.Needs != nil {
			got = fmt.Sprintf("%d %s ", *s.Needs, s.Phase)
		}
		if got != want || s.Gone {
			t.Errorf("%s: got %q, want %q", annotation, got, want)
		}
	}
	if f.Unknown["PodGroup"] != 1 || f.Unknown["NodePool"] != 0 {
		t.Errorf("%v", f.Unknown)
	}
}

func TestACustomResourceThatIsBrokenIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: std}, spec: {limits: {cpu: 1e99999}}}":                       "NodePool",
		"{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {}}":                                                                "a NodePool without a name",
		"{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {namespace: ml, name: train}, spec: {minMember: eight}}": "PodGroup train",
	} {
		if _, err := Read(strings.NewReader(text), ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Of a Deployment or Job in a List of kubectl fixes know what they know in a cluster.
func TestWorkloadsOfAListAreKnownToFixes(t *testing.T) {
	const list = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web, uid: u1}, spec: {replicas: 8, paused: true}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: cart, uid: u2}, spec: {strategy: {type: Recreate}}}
- {apiVersion: batch/v1, kind: Job, metadata: {namespace: shop, name: etl-29, uid: u3, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: etl, uid: u4, controller: true}]}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: nameless}}
`
	f, err := Read(strings.NewReader(list), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[types.UID]command.Facts{
		"u1": {UID: "u1", Paused: true, Replicas: 8, MaxSurge: 2, MaxUnavailable: 2, Unavailable: "25%"},
		"u2": {UID: "u2", Recreate: true, Replicas: 1},
		"u3": {UID: "u3", CronJob: "etl"},
		"u5": {UID: "u5", Unread: "the file does not have it"},
	} {
		if diff := cmp.Diff(want, factsIn(f, model.Ref{Resource: "deployments", UID: uid})); diff != "" {
			t.Error(diff)
		}
	}
	if f.Unknown["Deployment"] != 1 || f.Unknown["Job"] != 0 {
		t.Errorf("%v", f.Unknown)
	}
	const info = "---\n{apiVersion: fathom/v1, kind: SnapshotInfo, workloads: []}\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: cart, uid: u2}}\n"
	if _, err := Read(strings.NewReader(list+strings.Replace(info, "fathom/v1, kind: SnapshotInfo", infoKind.GroupVersion().String()+", kind: "+infoKind.Kind, 1)), ReadOptions{}); err != nil {
		t.Errorf("with an Info between: %v", err)
	}
	if _, err := Read(strings.NewReader(strings.Replace(list, "replicas: 8", "replicas: many", 1)), ReadOptions{}); err == nil || !strings.Contains(err.Error(), "Deployment") {
		t.Errorf("of a broken one: %v", err)
	}
}
