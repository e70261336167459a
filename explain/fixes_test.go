package explain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// told writes fixes one a line, for tables.
func toldFixes(f *report.Fixes) string {
	var all []string
	for _, fix := range f.Tried {
		mark := "x"
		switch {
		case fix.Verified:
			mark = "+"
		case fix.Simulated:
			mark = "*"
		case len(fix.Unless) > 0:
			mark = "?"
		}
		said := fmt.Sprintf("%s %s", mark, fix.Title)
		if fix.NodesGained > 0 {
			said += fmt.Sprintf(" | %s", strings.Join(fix.Nodes, " "))
		}
		if len(fix.Remaining) > 0 {
			said += " | " + strings.Join(fix.Remaining, "; ")
		}
		for _, a := range fix.Affects {
			if a.Kind == "Pod" {
				said += fmt.Sprintf(" | %s/%s %s", a.Namespace, a.Name, a.How)
			}
		}
		all = append(all, said)
	}
	for _, said := range []string{f.None, f.Stopped} {
		if said != "" {
			all = append(all, said)
		}
	}
	return strings.Join(all, "\n")
}

func cordoned(n *corev1.Node) {
	n.Spec.Unschedulable = true
	n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
}

// testOwner makes the pod one of a ReplicaSet of a Deployment.
func testOwner(pod *corev1.Pod) *appsv1.ReplicaSet {
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "app-1", UID: "app-1", OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "Deployment", Name: "app", UID: "app", Controller: new(true),
		}}},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(1)), Template: corev1.PodTemplateSpec{Spec: *pod.Spec.DeepCopy()}},
	}
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set.Name, UID: set.UID, Controller: new(true),
	}}
	return set
}

// left makes the volume one that a deleted claim has left.
func left(v *corev1.PersistentVolume) {
	volumeOf("shop/gone")(v)
	v.Status.Phase = corev1.VolumeReleased
}

// noProvisioner is the provisioner of classes whose volumes people make.
const noProvisioner = storagehelpers.NotSupportedProvisioner

func TestFixesAreTriedOnACopy(t *testing.T) {
	gpu := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	replicas := ownedBy("ReplicaSet", "web")
	for _, tc := range []struct {
		name    string
		objects []runtime.Object
		pod     *corev1.Pod
		want    []string
	}{
		{
			"a taint is tolerated or removed",
			[]runtime.Object{testNode("a", "4", gpu), testNode("b", "4", gpu)},
			testPod("shop/web", "", "1"),
			[]string{"+ tolerate dedicated=gpu:NoSchedule | a b", "+ remove taint dedicated=gpu from 2 nodes | a b"},
		},
		{
			"a taint that says what is wrong with a node is left alone",
			[]runtime.Object{testNode("a", "4", nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoExecute))},
			testPod("shop/web", "", "1"),
			[]string{"* add a node like a | new-node-1"},
		},
		{
			"a cordon is lifted with its taint, and what would still refuse is said",
			[]runtime.Object{testNode("a", "4", cordoned), testNode("b", "2", cordoned)},
			testPod("shop/web", "", "3"),
			[]string{
				"+ uncordon a | a",
				"+ uncordon b and request cpu 2 instead of 3 | b",
				"* add a node like a | new-node-1",
				"x uncordon b | still needs cpu 1 more",
			},
		},
		{
			"a pod larger than any node is not helped by taints",
			[]runtime.Object{testNode("a", "16", gpu), testNode("b", "16", cordoned), testNode("c", "16")},
			testPod("shop/web", "", "32"),
			[]string{
				"+ request cpu 16 instead of 32 | c",
				"x uncordon b | still needs cpu 16 more",
				"x tolerate dedicated=gpu:NoSchedule | still needs cpu 16 more",
			},
		},
		{
			"nodes that are for such pods by their taint get the value that the pod wants",
			[]runtime.Object{
				testNode("a", "4", gpu, nodeLabel("disktype", "nvme"), nodeLabel("pool", "new")), testNode("b", "4", gpu, nodeLabel("disktype", "nvme"), nodeLabel("pool", "new")),
				testNode("c", "4", gpu, nodeLabel("disktype", "hdd"), nodeLabel("pool", "old")), testNode("d", "4"), testNode("e", "4", nodeLabel("disktype", "nvme")),
			},
			testPod("shop/web", "", "1", selecting("disktype", "ssd"), func(p *corev1.Pod) {
				p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
			}),
			[]string{"+ label 2 nodes of pool new disktype=ssd | a b", "+ remove node selector disktype=ssd | a b c d e"},
		},
		{
			"nodes that lack the label which the rest of their pool has get it before what keeps the pod off others goes",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("disktype", "ssd"), nodeLabel("example.com/pool", "storage"), cordoned),
				testNode("b", "4", nodeLabel("example.com/pool", "storage")), testNode("c", "4", nodeLabel("example.com/pool", "storage")),
				testNode("d", "4", nodeLabel("example.com/pool", "web")),
			},
			testPod("shop/web", "", "1", selecting("disktype", "ssd")),
			[]string{
				"+ uncordon a | a", "+ label 2 nodes of pool storage disktype=ssd | b c",
				"* add a node like a (pool storage) | new-node-1", "+ remove node selector disktype=ssd | b c d",
			},
		},
		{
			"and not where nodes of two pools have it",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("disktype", "ssd"), nodeLabel("pool", "storage"), cordoned), testNode("b", "4", nodeLabel("pool", "storage")),
				testNode("c", "4", nodeLabel("disktype", "ssd"), nodeLabel("pool", "web"), cordoned),
			},
			testPod("shop/web", "", "1", selecting("disktype", "ssd")),
			[]string{
				"+ uncordon a | a", "+ uncordon c | c", "* add a node like a (pool storage) | new-node-1",
				"+ remove node selector disktype=ssd | b", "+ label b disktype=ssd | b",
			},
		},
		{
			"not if another pod asks for the value that they have",
			[]runtime.Object{testNode("a", "4", gpu, nodeLabel("disktype", "nvme")), testPod("shop/fast", "a", "1", selecting("disktype", "nvme"))},
			testPod("shop/web", "", "1", selecting("disktype", "ssd"), func(p *corev1.Pod) {
				p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
			}),
			[]string{"+ remove node selector disktype=ssd | a"},
		},
		{
			"nor for a pod that tolerates everything, nor a label that a driver gives",
			[]runtime.Object{
				testNode("a", "4", gpu, nodeLabel("disktype", "nvme"), nodeLabel("nvidia.com/gpu.product", "A100")),
			},
			testPod("shop/web", "", "1", selecting("nvidia.com/gpu.product", "H100"), func(p *corev1.Pod) {
				p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			}),
			[]string{"+ remove node selector nvidia.com/gpu.product=H100 | a"},
		},
		{
			"a selector is dropped or the label given",
			[]runtime.Object{testNode("a", "4", nodeLabel("disktype", "hdd")), testNode("b", "4")},
			testPod("shop/web", "", "1", selecting("disktype", "ssd")),
			[]string{"+ remove node selector disktype=ssd | a b", "+ label b disktype=ssd | b"},
		},
		{
			"a selector that looks misspelt gets the value that nodes have",
			[]runtime.Object{testNode("a", "4", nodeLabel("disktype", "ssd")), testNode("b", "4", nodeLabel("disktype", "hdd"))},
			testPod("shop/web", "", "1", selecting("disktype", "sdd")),
			[]string{
				"+ set node selector disktype=ssd instead of sdd | a",
				"+ remove node selector disktype=sdd | a b",
			},
		},
		{
			"nodes whose value looks misspelt get the one that the pod and other nodes have",
			[]runtime.Object{
				testNode("a", "4", nodeLabel(corev1.LabelTopologyZone, "eu1-a"), cordoned),
				testNode("b", "4", nodeLabel(corev1.LabelTopologyZone, "eu1a"), nodeLabel("pool", "x")),
				testNode("c", "4", nodeLabel(corev1.LabelTopologyZone, "eu1a"), nodeLabel("pool", "x")),
				testNode("d", "4", nodeLabel(corev1.LabelTopologyZone, "eu1-b"), nodeTaint("d", "", corev1.TaintEffectNoSchedule)),
				testNode("e", "4", nodeLabel(corev1.LabelTopologyZone, "eu1-b"), nodeTaint("d", "", corev1.TaintEffectNoSchedule)),
			},
			testPod("shop/web", "", "1", selecting(corev1.LabelTopologyZone, "eu1-a")),
			[]string{
				"+ label 2 nodes of pool x topology.kubernetes.io/zone=eu1-a instead of eu1a | b c", "+ uncordon a | a",
				"* add a node like a (eu1-a) | new-node-1", "+ remove node selector topology.kubernetes.io/zone=eu1-a | b c",
			},
		},
		{
			"but not where most nodes write it as those do, and the pod does not",
			[]runtime.Object{
				testNode("a", "4", nodeLabel(corev1.LabelTopologyZone, "eu1a"), cordoned),
				testNode("b", "4", nodeLabel(corev1.LabelTopologyZone, "eu1-a")), testNode("c", "4", nodeLabel(corev1.LabelTopologyZone, "eu1-a")),
			},
			testPod("shop/web", "", "1", selecting(corev1.LabelTopologyZone, "eu1a")),
			[]string{"+ uncordon a | a", "* add a node like a (eu1a) | new-node-1", "+ remove node selector topology.kubernetes.io/zone=eu1a | b c"},
		},
		{
			"but not where a node has its value",
			[]runtime.Object{testNode("a", "4", nodeLabel("disktype", "ssd")), testNode("b", "4", nodeLabel("disktype", "sdd"), cordoned)},
			testPod("shop/web", "", "1", selecting("disktype", "sdd")),
			[]string{"+ uncordon b | b", "* add a node like b | new-node-1", "+ remove node selector disktype=sdd | a"},
		},
		{
			"cores that were to be thousandths",
			[]runtime.Object{testNode("a", "4"), testPod("shop/y", "a", "1", podControlledBy("apps/v1", "DaemonSet", "y"))},
			testPod("shop/web", "", "2000"),
			[]string{"+ request cpu 2 instead of 2000 | a"},
		},
		{
			"but not where there is no room for them",
			[]runtime.Object{testNode("a", "4"), testPod("shop/y", "a", "3", podControlledBy("apps/v1", "DaemonSet", "y"))},
			testPod("shop/web", "", "2000"),
			[]string{"No known change to the pod or to nodes would help."},
		},
		{
			"a label of Kubernetes' own is not given",
			[]runtime.Object{testNode("a", "4")},
			testPod("shop/web", "", "1", selecting("topology.kubernetes.io/zone", "b")),
			[]string{"+ remove node selector topology.kubernetes.io/zone=b | a"},
		},
		{
			"an evicted pod that finds more room elsewhere leaves its own",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("pool", "x")), testNode("b", "16"), testPod("batch/old", "a", "2", replicas),
			},
			testPod("shop/web", "", "3", selecting("pool", "x")),
			[]string{
				"+ evict batch/old from a | a | batch/old is rescheduled on b",
				"+ request cpu 2 instead of 3 | a",
				"* add a node like a (pool x) | new-node-1",
				"+ remove node selector pool=x | b",
				"+ label b pool=x | b",
			},
		},
		{
			"an evicted pod that may come back to the same room frees nothing",
			[]runtime.Object{testNode("a", "4"), testPod("batch/old", "a", "3500m", replicas)},
			testPod("shop/web", "", "3"),
			[]string{
				"+ request cpu 500m instead of 3 | a",
				"* add a node like a | new-node-1",
				"? evict batch/old from a | a | its replacement may take the capacity again (5 of 8 orders tried) | batch/old may become Pending: a pending app-1 pod may take the capacity first",
			},
		},
		{
			"a budget that allows nothing stands against an eviction",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("pool", "x")), testNode("b", "16"),
				testPod("batch/old", "a", "3500m", replicas, podLabel("app", "old")),
				&policyv1.PodDisruptionBudget{
					ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: "old"},
					Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "old"}}},
				},
			},
			testPod("shop/web", "", "3", selecting("pool", "x")),
			[]string{
				"+ request cpu 500m instead of 3 | a",
				"* add a node like a (pool x) | new-node-1",
				"+ remove node selector pool=x | b",
				"+ label b pool=x | b",
				"x evict batch/old from a | a | PodDisruptionBudget batch/old allows 0 disruptions now: the eviction of batch/old would be rejected | batch/old is rescheduled on b",
			},
		},
		{
			"a pod that nobody owns is lost, which comes after what loses nothing",
			[]runtime.Object{testNode("a", "4"), testPod("dev/shell", "a", "2")},
			testPod("shop/web", "", "3"),
			[]string{
				"+ request cpu 2 instead of 3 | a", "+ evict dev/shell from a | a | dev/shell is not recreated: no controller owns it",
				"* add a node like a | new-node-1",
			},
		},
		{
			"other pods that wait take the room",
			[]runtime.Object{testNode("a", "4", cordoned), testPod("other/first", "", "3")},
			testPod("shop/web", "", "3"),
			[]string{
				"? uncordon a | a | the pending pod other/first may be scheduled there first (4 of 8 orders tried) | other/first would fit too",
				"? add a node like a | new-node-1 | the pending pod other/first may be scheduled there first (4 of 8 orders tried) | other/first would fit too",
			},
		},
		{
			"a pod like it takes the room on a node, but gets the change of a template",
			[]runtime.Object{
				testNode("a", "4", cordoned), testNode("b", "4", gpu), testPod("shop/web-2", "", "3", podControlledBy("apps/v1", "ReplicaSet", "app-1")),
			},
			testPod("shop/web-1", "", "3"),
			[]string{
				"+ tolerate dedicated=gpu:NoSchedule | b",
				"? uncordon a | a | a pending app-1 pod may be scheduled there first (4 of 8 orders tried)",
				"? remove taint dedicated=gpu from b | b | a pending app-1 pod may be scheduled there first (4 of 8 orders tried)",
				"? add a node like a | new-node-1 | a pending app-1 pod may be scheduled there first (4 of 8 orders tried)",
			},
		},
		{
			"gates are removed where it fits then",
			[]runtime.Object{testNode("a", "4")},
			testPod("shop/web", "", "3", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} }),
			[]string{"+ remove gate example.com/budget | a"},
		},
		{
			"a spread is loosened to the skew that there is",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("zone", "a")), testNode("b", "1", nodeLabel("zone", "b")),
				testPod("shop/web-1", "a", "1", podLabel("app", "web")), testPod("shop/web-2", "a", "1", podLabel("app", "web")),
			},
			testPod("shop/web-3", "", "2", podLabel("app", "web"), spreadOver("zone", 1, nil, "web")),
			[]string{
				"+ set maxSkew 3 for the zone spread | a",
				"+ set ScheduleAnyway for the zone spread | a",
				"+ request cpu 1 instead of 2 | b",
			},
		},
		{
			"a zone of tainted nodes no longer counts for a spread",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("zone", "a")), testNode("b", "4", nodeLabel("zone", "b")), testNode("c", "4", nodeLabel("zone", "c"), gpu),
				testPod("shop/web-1", "a", "1", podLabel("app", "web")), testPod("shop/web-2", "b", "1", podLabel("app", "web")),
			},
			testPod("shop/web-3", "", "1", podLabel("app", "web"), spreadOver("zone", 1, nil, "web")),
			[]string{
				"+ set nodeTaintsPolicy Honor for the zone spread | a b",
				"+ tolerate dedicated=gpu:NoSchedule | c",
				"+ set maxSkew 2 for the zone spread | a b",
				"+ set ScheduleAnyway for the zone spread | a b",
				"+ remove taint dedicated=gpu from c | c",
			},
		},
		{
			"a zone whose tainted nodes are the pod's, beside one of others without taints",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("zone", "a"), nodeLabel("is", "web")), testNode("c", "4", nodeLabel("zone", "c"), nodeLabel("is", "web"), gpu), testNode("d", "4", nodeLabel("zone", "c"), nodeLabel("is", "system")),
				testPod("shop/web-1", "a", "1", podLabel("app", "web")),
			},
			testPod("shop/web-2", "", "1", podLabel("app", "web"), onlyOn("web"), spreadOver("zone", 1, nil, "web")),
			[]string{
				"+ set nodeTaintsPolicy Honor for the zone spread | a",
				"+ tolerate dedicated=gpu:NoSchedule | c",
				"+ set maxSkew 2 for the zone spread | a",
				"+ set ScheduleAnyway for the zone spread | a",
				"+ remove taint dedicated=gpu from c | c",
				"+ remove node selector is=web | d",
			},
		},
		{
			"a zone of nodes that are not ready counts again soon",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("zone", "a")), testNode("c", "4", nodeLabel("zone", "c"), nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)),
				testPod("shop/web-1", "a", "1", podLabel("app", "web")),
			},
			testPod("shop/web-2", "", "1", podLabel("app", "web"), spreadOver("zone", 1, nil, "web")),
			[]string{
				"+ set maxSkew 2 for the zone spread | a",
				"+ set ScheduleAnyway for the zone spread | a",
				"* add a node like c | new-node-1",
			},
		},
		{
			"an anti-affinity is dropped, or the one neighbor evicted",
			[]runtime.Object{testNode("a", "4"), testPod("shop/web-1", "a", "1", podLabel("app", "web"))},
			testPod("shop/web-2", "", "1", podLabel("app", "web"), awayFrom(podTerm(corev1.LabelHostname, "web"))),
			[]string{
				"+ remove pod anti-affinity app=web by hostname | a",
				"+ evict shop/web-1 from a | a | shop/web-1 is not recreated: no controller owns it",
				"* add a node like a | new-node-1",
			},
		},
		{
			"a host port is freed or done without",
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", gpu), testPod("shop/edge", "a", "1", hostPort("", 80, corev1.ProtocolTCP), replicas)},
			testPod("shop/web", "", "1", hostPort("", 80, corev1.ProtocolTCP)),
			[]string{
				"+ tolerate dedicated=gpu:NoSchedule | b",
				"+ remove host port 80/TCP | a",
				"+ remove taint dedicated=gpu from b | b",
				"* add a node like a | new-node-1",
				"? evict shop/edge from a | a | its replacement may take the capacity again (5 of 8 orders tried) | shop/edge may become Pending: a pending app-1 pod may take the capacity first",
			},
		},
		{
			"the control plane keeps its taint",
			[]runtime.Object{testNode("a", "4", nodeTaint("node-role.kubernetes.io/control-plane", "", corev1.TaintEffectNoSchedule))},
			testPod("shop/web", "", "1"),
			[]string{"+ tolerate node-role.kubernetes.io/control-plane:NoSchedule | a"},
		},
		{
			"who holds the port and the capacity is evicted once",
			[]runtime.Object{testNode("a", "4"), testPod("shop/edge", "a", "3", hostPort("", 80, corev1.ProtocolTCP)), testPod("shop/other", "a", "1")},
			testPod("shop/web", "", "2", hostPort("", 80, corev1.ProtocolTCP)),
			[]string{
				"+ evict shop/edge from a | a | shop/edge is not recreated: no controller owns it",
				"* add a node like a | new-node-1",
			},
		},
		{
			"a claim asks for what the largest volume holds",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("small", "local", volumeSize("5Gi")), aClaim("shop/data", "local")},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ recreate claim data with 5Gi instead of 10Gi | a"},
		},
		{
			"a claim is of a class for another zone",
			twoZones(aClass("csi-a", "csi.example.com", onlyIn("eu-1a")), aClass("csi-b", "csi.example.com", onlyIn("eu-1b")), aClass("csi-now", "csi.example.com", atOnce),
				aClass("nfs", "nfs.example.com"), aClaim("shop/data-db-0", "csi-b")),
			testPod("shop/db-0", "", "1", podControlledBy("apps/v1", "StatefulSet", "db"), selecting(corev1.LabelTopologyZone, "eu-1a"), func(p *corev1.Pod) {
				mounting("data-db-0")(p)
				p.Spec.Volumes[0].Name = "data"
			}),
			[]string{
				"+ use StorageClass csi-a instead of csi-b: recreate claim data-db-0 | n",
				"+ remove node selector topology.kubernetes.io/zone=eu-1a | other",
			},
		},
		{
			"a claim is of a class that is misspelt",
			[]runtime.Object{testNode("a", "4"), aClass("fast-ssd", "csi.example.com"), aClass("slow", "csi.example.com", byDefault), aClaim("shop/data", "fast-sdd")},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ use StorageClass fast-ssd instead of fast-sdd: recreate claim data | a"},
		},
		{
			"a claim is of a class that does not exist",
			[]runtime.Object{testNode("a", "4"), aClass("fast", "csi.example.com"), aClass("slow", "csi.example.com", byDefault), aClaim("shop/data", "gold")},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ use StorageClass slow instead of gold: recreate claim data | a"},
		},
		{
			"a volume that a deleted claim has left is released",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("old", "local", left), aClaim("shop/data", "local")},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ release volume old for claim data | a"},
		},
		{
			"a claim that does not wait for a consumer is bound to what it then matches",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner, atOnce), aVolume("old", "local", left), aClaim("shop/data", "local")},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ release volume old for claim data | a"},
		},
		{
			"a volume is released for the claim that names it, which was created again",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("old", "local", volumeOf("shop/data"), func(v *corev1.PersistentVolume) {
				v.Spec.ClaimRef.UID, v.Status.Phase = "earlier", corev1.VolumeReleased
			}), aClaim("shop/data", "local", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "old" })},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ release volume old for claim data | a"},
		},
		{
			"a claim without a class gets one where none is the default",
			[]runtime.Object{testNode("a", "4"), aClass("fast", "csi.example.com"), aClass("now", "csi.example.com", atOnce), aClaim("shop/data", "", classless)},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ give claim data StorageClass fast | a"},
		},
		{
			"a claim without a class gets the default one by itself",
			[]runtime.Object{testNode("a", "4"), aClass("fast", "csi.example.com"), aClass("slow", "csi.example.com", byDefault), aClaim("shop/data", "", classless)},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"No known change to the pod or to nodes would help."},
		},
		{
			"a claim that is to have no class gets none",
			[]runtime.Object{testNode("a", "4"), aClass("fast", "csi.example.com"), aClaim("shop/data", "")},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"No known change to the pod or to nodes would help."},
		},
		{
			"a claim that is provisioned for a node that does not exist is for another one",
			[]runtime.Object{testNode("a", "4"), aClass("csi", "csi.example.com"), aClaim("shop/data", "csi", selectedFor("gone"))},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ let claim data be provisioned for another node than gone | a"},
		},
		{
			"a claim that is provisioned for a node that has no room is for another one",
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/full", "b", "4"), aClass("csi", "csi.example.com"), aClaim("shop/data", "csi", selectedFor("b"))},
			testPod("shop/db", "", "2", mounting("data")),
			[]string{"+ let claim data be provisioned for another node than b | a", "+ evict shop/full from b | b | shop/full is not recreated: no controller owns it"},
		},
		{
			"a volume is released for the claim that has lost it",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("old", "local", volumeOf("shop/data"), func(v *corev1.PersistentVolume) {
				v.Spec.ClaimRef.UID, v.Status.Phase = "earlier", corev1.VolumeReleased
			}), aClaim("shop/data", "local", boundTo("old"), func(c *corev1.PersistentVolumeClaim) { c.Status.Phase = corev1.ClaimLost })},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"+ release volume old for claim data | a"},
		},
		{
			"a volume is not released that the claim which lost it does not name",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("old", "local", left), aClaim("shop/data", "local", boundTo("gone"), func(c *corev1.PersistentVolumeClaim) { c.Status.Phase = corev1.ClaimLost })},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"No known change to the pod or to nodes would help."},
		},
		{
			"a volume that is deleted with its claim is not released",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("old", "local", volumeOf("shop/data"), func(v *corev1.PersistentVolume) {
				v.Spec.ClaimRef.UID, v.Status.Phase, v.Spec.PersistentVolumeReclaimPolicy = "earlier", corev1.VolumeReleased, corev1.PersistentVolumeReclaimDelete
			}), aClaim("shop/data", "local", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "old" })},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"No known change to the pod or to nodes would help."},
		},
		{
			"a volume that the claim names and a claim still has is not released",
			[]runtime.Object{testNode("a", "4"), aClass("local", noProvisioner), aVolume("old", "local", volumeOf("shop/other")), aClaim("shop/data", "local", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "old" })},
			testPod("shop/db", "", "1", mounting("data")),
			[]string{"No known change to the pod or to nodes would help."},
		},
		{
			"of a node affinity of several terms all are removed, or a node gets the label of one",
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", nodeLabel("cores", "4"))},
			testPod("shop/db", "", "1", explaintest.NodeSelectorTerms(
				corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}}}},
				corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "cores", Operator: corev1.NodeSelectorOpGt, Values: []string{"16"}}}},
			)),
			[]string{"+ remove the required node affinity | a b", "+ label a disk=ssd | a"},
		},
		{
			"a node affinity of an empty term matches nothing",
			[]runtime.Object{testNode("a", "4")},
			testPod("shop/db", "", "1", explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{})),
			[]string{"+ remove the required node affinity | a"},
		},
		{
			"a pod that fits needs no fix",
			[]runtime.Object{testNode("a", "4")},
			testPod("shop/web", "", "1"),
			[]string{"It fits 1 node now: there is nothing to fix."},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			own := testOwner(tc.pod)
			e := startEngine(t, Options{}, append(tc.objects, own, tc.pod)...)
			found, err := fixesOf(context.Background(), e, report.PodOf(tc.pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := toldFixes(found), strings.Join(tc.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestAClaimOfAnotherClassHasToBeAdmitted by the quotas of its namespace, which count storage by class.
func TestAClaimOfAnotherClassHasToBeAdmitted(t *testing.T) {
	const title = "use StorageClass fast-ssd instead of fast-sdd: recreate claim data | a"
	ofClass := func(claims string) func(context.Context, string) ([]corev1.ResourceQuota, error) {
		hard := map[string]string{"fast-ssd.storageclass.storage.k8s.io/persistentvolumeclaims": claims}
		return func(context.Context, string) ([]corev1.ResourceQuota, error) {
			return []corev1.ResourceQuota{quotaOf(hard, map[string]string{"fast-ssd.storageclass.storage.k8s.io/persistentvolumeclaims": "2"})}, nil
		}
	}
	full := func(context.Context, string) ([]corev1.ResourceQuota, error) {
		return []corev1.ResourceQuota{quotaOf(map[string]string{"persistentvolumeclaims": "1"}, map[string]string{"persistentvolumeclaims": "1"})}, nil
	}
	without := aClaim("shop/data", "", classless)
	for name, test := range map[string]struct {
		quotas func(context.Context, string) ([]corev1.ResourceQuota, error)
		want   string
		claim  *corev1.PersistentVolumeClaim // nil: of a class that does not exist
	}{
		"without a class, in a full quota": {full, "+ give claim data StorageClass fast-ssd | a", without},
		"without a class, rejected":        {ofClass("2"), "x give claim data StorageClass fast-ssd | a | the new claim may be rejected: ResourceQuota team-a/compute allows fast-ssd.storageclass.storage.k8s.io/persistentvolumeclaims 2, 2 used, its claim shop/data needs 1", without},
		"admitted":                         {ofClass("3"), "+ " + title, nil},
		"rejected":                         {ofClass("2"), "x " + title + " | the new claim may be rejected: ResourceQuota team-a/compute allows fast-ssd.storageclass.storage.k8s.io/persistentvolumeclaims 2, 2 used, its claim shop/data needs 1", nil},
		"not allowed": {func(context.Context, string) ([]corev1.ResourceQuota, error) {
			return nil, errors.New("not allowed to list resourcequotas")
		}, "x " + title + " | unknown: whether a ResourceQuota allows the new claim: not allowed to list resourcequotas", nil},
	} {
		t.Run(name, func(t *testing.T) {
			pod, claim := testPod("shop/db", "", "1", mounting("data")), test.claim
			if claim == nil {
				claim = aClaim("shop/data", "fast-sdd")
			}
			e := startEngine(t, Options{Lookups: Lookups{Quotas: test.quotas}}, testNode("a", "4"), testNamespace("shop"), aClass("fast-ssd", "csi.example.com"), claim, testOwner(pod), pod)
			found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			same(t, toldFixes(found), test.want)
		})
	}
}

// What is told to work works: the changes made to the objects themselves, and
// a new engine over them, let the pod in.
func TestAVerifiedFixHoldsWhenItIsMade(t *testing.T) {
	kinds := map[report.FixKind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		c := newRandomCluster(d, 6, 16, 2)
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			_, tried, err := e.askPod(context.Background(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			for _, fix := range tried {
				if fix.Verified {
					kinds[fix.Kind]++
					holds(t, rt, c, pod, fix)
				}
			}
		}
	})
	t.Logf("fixes by kind: %v", kinds)
	if len(kinds) < 5 && !testing.Short() {
		t.Errorf("only the kinds %v occurred", kinds)
	}
}

// holds makes the fix and asks a new engine about the pod.
func holds(t *testing.T, rt *rapid.T, c *randomCluster, pod *corev1.Pod, fix fixes.Attempt) {
	made := &randomCluster{Nodes: slices.Clone(c.Nodes), Others: c.Others}
	var gone []*corev1.Pod
	changed := pod
	for _, step := range fix.Remedies {
		if e, ok := step.(remedy.Evict); ok {
			gone = append(gone, e.Pods...)
			continue
		}
		for i, node := range made.Nodes {
			made.Nodes[i] = nodeAfter(node, step)
		}
		if r, ok := step.(remedy.SetClaimClass); ok {
			made.Others = append(slices.DeleteFunc(slices.Clone(made.Others), func(o runtime.Object) bool {
				claim, ok := o.(*corev1.PersistentVolumeClaim)
				return ok && claim.Namespace == r.Claim.Namespace && claim.Name == r.Claim.Name
			}), r.Recreated())
		}
		if remedy.ChangesPod(step) {
			changed = must(remedy.Apply(nil, changed, step))
		}
	}
	for _, bound := range c.Bound {
		if !slices.ContainsFunc(gone, func(p *corev1.Pod) bool { return p.UID == bound.UID }) {
			made.Bound = append(made.Bound, bound)
		}
	}
	made.Pending = slices.DeleteFunc(slices.Clone(c.Pending), func(p *corev1.Pod) bool { return p.UID == pod.UID })
	report := mustExplain(t, startEngine(t, Options{}, made.Objects()...), changed)
	if report.Fits != fix.NodesGained {
		rt.Fatalf("%s of %s: it fits %d nodes then, %d were promised (%s)", fix.Title, pod.Name, report.Fits, fix.NodesGained, report.Summary)
	}
}

// nodeAfter is the node as a step leaves it.
func nodeAfter(node *corev1.Node, step remedy.Step) *corev1.Node {
	node = node.DeepCopy()
	switch r := step.(type) {
	case remedy.Uncordon:
		if slices.Contains(r.Nodes, node.Name) {
			node.Spec.Unschedulable = false
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
		}
	case remedy.Untaint:
		if slices.Contains(r.Nodes, node.Name) {
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == r.Taint.Key && t.Effect == r.Taint.Effect })
		}
	case remedy.LabelNode:
		if slices.Contains(r.Nodes, node.Name) {
			node.Labels[r.Key] = r.Value
		}
	}
	return node
}

func TestFixesSayThatNoNewNodeWouldHelp(t *testing.T) {
	for says, objects := range map[string][]runtime.Object{
		"one more node like any of the 2 Ready nodes would not help": {testNode("a", "4"), testNode("b", "8")},
		"one more node like a would not help":                        {testNode("a", "4")},
		"":                                                           {testNode("a", "4"), testNode("b", "16", cordoned)},
	} {
		pod := testPod("shop/web", "", "10")
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, append(objects, pod)...), report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		if found.NoNode != says {
			t.Errorf("it says %q, want %q", found.NoNode, says)
		}
	}
}

// A node without a cordon is no better to be like where it has what keeps the pod away.
func TestANewNodeMayBeLikeOneOfTheSameSizeWithAnotherReason(t *testing.T) {
	pod := testPod("shop/web", "", "10")
	e := startEngine(t, Options{}, testNode("a", "16", cordoned), testNode("b", "16", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)), pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixNode })
	if at < 0 || found.Tried[at].Title != "add a node like a" {
		t.Errorf("no node like a is added: %+v; %s", found.Tried, found.NoNode)
	}
}

// Where the pool that the pod selects has no node in the zone of its volume, one there would help; one
// more where the pool has nodes would not.
func TestANewNodeMayBeInAZoneThatHasNone(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return nodeLabel(corev1.LabelTopologyZone, name) }
	csi := func(name string) func(*corev1.Node) { return nodeLabel("topology.csi.example.com/zone", name) }
	pod := testPod("s/db-0", "", "1", mounting("data"), selecting("is", "stateful"))
	e := startEngine(t, Options{PoolLabel: "is"},
		testNode("a", "4", zone("1"), csi("1"), nodeLabel("is", "stateful")), testNode("b", "4", zone("2"), csi("2"), nodeLabel("is", "apps")),
		aClass("csi", "csi.example.com"), aClaim("s/data", "csi", boundTo("pv-1")), aVolume("pv-1", "csi", volumeOn("topology.csi.example.com/zone", "2"), volumeOf("s/data")), pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixNode })
	if at < 0 || found.Tried[at].Title != "add a node like a (pool stateful, in 2, which has none)" || found.Tried[at].NodesGained != 1 {
		t.Errorf("no node of the pool is added in zone 2:\n%s; %s", toldFixes(found), found.NoNode)
	}
}

// A node moves to another zone with the labels that say where it is, and with no others.
func TestANewNodeInAnotherZoneKeepsItsOtherLabels(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return nodeLabel(corev1.LabelTopologyZone, name) }
	for _, c := range []struct{ says, shard, region, want string }{
		{"the pod selects what the node has in any zone", "1", "eu", "add a node like a (pool stateful, in 2, which has none)"},
		{"a label has the name of the zone by chance", "2", "eu", ""},
		{"the zone is in another region", "1", "us", ""},
	} {
		pod := testPod("s/db-0", "", "1", mounting("data"))
		pod.Spec.NodeSelector = map[string]string{"shard": c.shard, "is": "stateful"}
		e := startEngine(t, Options{PoolLabel: "is"},
			testNode("a", "4", zone("1"), nodeLabel("shard", "1"), nodeLabel("is", "stateful"), nodeLabel(corev1.LabelTopologyRegion, "eu")),
			testNode("b", "4", zone("2"), nodeLabel("shard", "9"), nodeLabel("is", "apps"), nodeLabel(corev1.LabelTopologyRegion, c.region)),
			aClass("csi", "csi.example.com"), aClaim("s/data", "csi", boundTo("pv-1")), aVolume("pv-1", "csi", volumeOn(corev1.LabelTopologyZone, "2"), volumeOf("s/data")), pod)
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		title := ""
		if at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixNode }); at >= 0 {
			title = found.Tried[at].Title
		}
		if title != c.want {
			t.Errorf("%s: %q, want %q:\n%s", c.says, title, c.want, toldFixes(found))
		}
	}
}

func TestANewNodeIsAFixWithoutACommand(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return nodeLabel(corev1.LabelTopologyZone, name) }
	pod := testPod("shop/web-1", "", "3", podLabel("app", "web"))
	owner := testOwner(pod)
	second := testPod("shop/web-2", "", "3", podLabel("app", "web"))
	second.OwnerReferences = pod.OwnerReferences
	e := startEngine(t, Options{PoolLabel: "team.example/pool"},
		testNode("small", "2", zone("eu-1a")), testNode("old", "4", zone("eu-1a"), nodeLabel("team.example/pool", "std")),
		testNode("std", "4", zone("eu-1b"), nodeLabel("team.example/pool", "std")),
		testPod("sys/agent-1", "old", "2", podControlledBy("apps/v1", "DaemonSet", "agent")),
		testPod("shop/x", "std", "3500m"), owner, pod, second)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixNode })
	if at < 0 {
		t.Fatal(toldFixes(found))
	}
	fix := found.Tried[at]
	if fix.Title != "add a node like std (pool std, eu-1b)" || fix.Outcome() != "a pending app-1 pod may be scheduled there first (4 of 8 orders tried)" || fix.Places() != "1 of 2" {
		t.Errorf("%s: %s, places %s", fix.Title, fix.Outcome(), fix.Places())
	}
	if fix.Verified || fix.Command != "" || fix.Undo != "" || len(fix.Actions) > 0 {
		t.Errorf("it has a command: %+v", fix)
	}
	for i, before := range found.Tried[:at] {
		if !before.Works() && fix.Works() {
			t.Errorf("%s, which does not work, is before it, at %d", before.Title, i)
		}
	}
}

// What the pod itself would do to others counts, as nothing of it happens while its gate holds it.
func TestAGateIsNotOpenedWithoutAWordWhereThePodWouldPreempt(t *testing.T) {
	pod := testPod("shop/web", "", "4", priority(10), func(p *corev1.Pod) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
	})
	rival := testPod("other/rival", "", "4", priority(10), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) })
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4"), testPod("dev/low", "b", "4"), pod, rival)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	said := toldFixes(found)
	if !strings.HasPrefix(said, "? remove gate example.com/budget") || !strings.Contains(said, "dev/low may be preempted") || !strings.Contains(said, "other/rival may find no node") {
		t.Errorf("got\n%s", said)
	}
}

// Between its two commands the pod must not preempt: it is smaller already, and its node is not open.
func TestAPairIsNotVerifiedWhereThePodWouldPreemptBetween(t *testing.T) {
	for policy, works := range map[corev1.PreemptionPolicy]bool{corev1.PreemptNever: true, corev1.PreemptLowerPriority: false} {
		pod := testPod("shop/web", "", "4", priority(10), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = &policy })
		e := startEngine(t, Options{}, pod,
			testNode("a", "4"), testPod("dev/low", "a", "3", ownedBy("ReplicaSet", "low")), testPod("sys/high", "a", "1", priority(100)),
			testNode("b", "8", cordoned), testPod("sys/larger", "b", "5", priority(100)))
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return strings.HasPrefix(f.Title, "uncordon b and request cpu") })
		if at < 0 || found.Tried[at].Verified != works {
			t.Errorf("preemptionPolicy %s, want verified %t:\n%s", policy, works, toldFixes(found))
		}
	}
}

// A pod whose scheduler does not run is given to the default one, where that finds it a node; one
// whose own scheduler is the default one, or that is being deleted, is not.
func TestAPodOfASchedulerThatDoesNotRunIsGivenToTheDefaultOne(t *testing.T) {
	dead := Options{Lookups: Lookups{SchedulerAlive: func(context.Context, string) (bool, bool, string) { return false, true, "no Lease of that name" }}}
	of := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.SchedulerName = name }
	}
	const set = "set schedulerName default-scheduler"
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want string // a part of the fixes
	}{
		"it fits":          {testPod("shop/web", "", "3", of("nobody")), "+ " + set + " | a"},
		"it is too large":  {testPod("shop/web", "", "9", of("nobody")), "x " + set + " | still: a needs cpu 5 more"},
		"a rival is first": {testPod("shop/web", "", "1", of("nobody")), "x " + set + " | a | a pending first pod is scheduled there first"},
		"it is being deleted": {testPod("shop/web", "", "3", of("nobody"), func(p *corev1.Pod) {
			p.DeletionTimestamp, p.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/wait"}
		}), "No scheduler handles it"},
		"it is gated, too": {testPod("shop/web", "", "3", of("nobody"), func(p *corev1.Pod) {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
		}), "No scheduler handles it"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []runtime.Object{testNode("a", "4"), test.pod}
			if strings.HasPrefix(name, "a rival") {
				objects = append(objects, testPod("other/first", "", "4", priority(100), ownedBy("ReplicaSet", "first")))
			}
			e := startEngine(t, dead, objects...)
			found, err := fixesOf(t.Context(), e, report.PodOf(test.pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			if said := toldFixes(found) + found.None; !strings.Contains(said, test.want) {
				t.Errorf("got\n%s\nwant %s", said, test.want)
			}
		})
	}
}

// What is preempted in every order belongs to the fix: it is named, and the fix comes after those
// with which nobody is.
func TestAFixThatAlwaysPreemptsNamesWhomAndComesLast(t *testing.T) {
	only := func(node string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"is": node} }
	}
	pod := testPod("shop/web", "", "4", priority(10), only("a"), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) })
	e := startEngine(t, Options{},
		testNode("a", "4", nodeLabel("is", "a")), testNode("b", "4", nodeLabel("is", "b")), testNode("c", "4", nodeLabel("is", "a"), cordoned),
		testPod("dev/moves", "a", "4", priority(5), only("b"), ownedBy("ReplicaSet", "moves")),
		testPod("dev/low", "b", "4", only("b"), ownedBy("ReplicaSet", "low")), pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	said := toldFixes(found)
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixEvict })
	if at < 1 || !found.Tried[at].Verified || !slices.Contains(found.Tried[at].Affects, report.Affected{Kind: "Pod", Namespace: "dev", Name: "low", How: "is preempted"}) {
		t.Errorf("an eviction of dev/moves has to name dev/low:\n%s", said)
	}
	if found.Tried[0].Kind != report.FixUncordon {
		t.Errorf("uncordon is not first:\n%s", said)
	}
}

// A bare pod is recreated without its node selector: a label that is given can be taken away.
func TestWhatCanBeUndoneComesBeforeWhatCannot(t *testing.T) {
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4"), testPod("shop/web", "", "2", selecting("disk", "ssd")))
	found, err := fixesOf(t.Context(), e, report.PodOf("shop/web"))
	if err != nil {
		t.Fatal(err)
	}
	final, undone := false, 0
	for _, f := range found.Tried {
		if !f.Verified {
			continue
		}
		if f.Undo != "" {
			undone++
		}
		if final = final || f.Undo == ""; final && f.Undo != "" {
			t.Errorf("%s can be undone, and comes after what cannot:\n%s", f.Title, toldFixes(found))
		}
	}
	if !final || undone == 0 {
		t.Errorf("not both kinds were offered:\n%s", toldFixes(found))
	}
}

func TestANewNodeIsForThePodsOfHighPriorityFirst(t *testing.T) {
	for priorityOfOther, simulated := range map[int32]bool{0: true, 10: false, 100: false} {
		pod := testPod("shop/web", "", "3", priority(10))
		e := startEngine(t, Options{}, testNode("a", "4"), testPod("shop/x", "a", "4", priority(10)), pod, testPod("other/first", "", "3", priority(priorityOfOther), ownedBy("ReplicaSet", "first")))
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixNode })
		if at < 0 || found.Tried[at].Simulated != simulated {
			t.Errorf("with another pod of priority %d:\n%s", priorityOfOther, toldFixes(found))
		}
	}
}

// A replica of a StatefulSet has a name of its own: that another one gets the node does not help it.
func TestAFixForAllReplicasOfAStatefulSetIsForTheOneThatIsAskedAbout(t *testing.T) {
	e := startEngine(t, Options{}, replicas("StatefulSet", "4", testNode("a", "3"))...)
	for _, pod := range []types.UID{"shop/db-0", "shop/db-2"} {
		found, err := fixesOf(t.Context(), e, report.PodOf(pod))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixRequest })
		if at < 0 || found.Tried[at].Verified || !strings.Contains(found.Tried[at].Outcome(), "a pending db pod") {
			t.Errorf("%s: one of the others may take the node:\n%s", pod, toldFixes(found))
		}
	}
}

// Where the pod comes to, its replicas may be allowed to go, and preempt.
func TestAFixNamesWhomReplicasPreemptOnceThePodIsPlaced(t *testing.T) {
	rack := func(name string) func(*corev1.Node) { return nodeLabel("rack", name) }
	spread := func(p *corev1.Pod) {
		priority(10)(p)
		p.Labels["app"] = "db"
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
		}}
	}
	for preempted, policy := range map[bool]corev1.PreemptionPolicy{true: corev1.PreemptLowerPriority, false: corev1.PreemptNever} {
		objects := replicas("ReplicaSet", "1", testNode("a", "1", rack("1"), nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)), testNode("b", "2", rack("2")), testPod("dev/low", "b", "1"))
		for _, object := range objects {
			if pod, ok := object.(*corev1.Pod); ok && pod.Namespace == "shop" {
				spread(pod)
				pod.Spec.PreemptionPolicy = &policy
				if pod.Name == "db-0" {
					pod.Spec.NodeName = "b"
				}
			}
		}
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf("shop/db-2"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixTolerate })
		named := report.Affected{Kind: "Pod", Namespace: "dev", Name: "low", How: "is preempted"}
		if at < 0 || slices.Contains(found.Tried[at].Affects, named) != preempted {
			t.Errorf("preemptionPolicy %s:\n%s", policy, toldFixes(found))
		}
	}
}

// Replicas that come at once may preempt while victims of the first are still terminating: whom
// is not certain.
func TestAFixWhoseReplicasPreemptDependsOnWhom(t *testing.T) {
	objects := replicas("StatefulSet", "4", testNode("a", "2"), testNode("b", "2"), testNode("c", "2"), testPod("dev/low-b", "b", "1"), testPod("dev/low-c", "c", "1"))
	found, err := fixesOf(t.Context(), startEngine(t, Options{}, ofPriority(10, objects)...), report.PodOf("shop/db-0"))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixRequest && f.Steps == 1 })
	if at < 0 || found.Tried[at].Verified || !strings.Contains(found.Tried[at].Outcome(), "dev/low-b is preempted") {
		t.Errorf("the request of two replicas preempts:\n%s", toldFixes(found))
	}
}

// Replicas of the pod may preempt once they are changed, before the rest of the fix is done: the
// first of them takes what room there is.
func TestAFixOfTwoCommandsIsNoneIfReplicasPreemptBetween(t *testing.T) {
	gpu := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	for low, works := range map[int32]bool{0: false, 10: true} {
		objects := replicas("StatefulSet", "1", testNode("a", "1", gpu), testNode("b", "2", gpu), testNode("c", "4", gpu, cordoned))
		objects = append(ofPriority(10, objects), testPod("dev/low", "b", "2", priority(low), func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		}))
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf("shop/db-0"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Steps == 2 && strings.HasPrefix(f.Title, "uncordon c and tolerate") })
		if at < 0 || found.Tried[at].Verified != works {
			t.Errorf("with another pod of priority %d:\n%s", low, toldFixes(found))
		}
	}
}

// While the pods that a fix evicts are terminating, the first of the changed pods is only nominated
// to their node: it does not count for the spread of the next one yet, which may preempt elsewhere.
func TestAFixThatEvictsIsNoneIfReplicasPreemptMeanwhile(t *testing.T) {
	rack := func(name string) func(*corev1.Node) { return nodeLabel("rack", name) }
	for low, works := range map[int32]bool{0: false, 10: true} {
		objects := replicas("ReplicaSet", "2",
			testNode("a", "2", rack("1")), testPod("dev/lowest", "a", "2", priority(-5), ownedBy("ReplicaSet", "lowest")),
			testNode("b", "2", rack("1")), testPod("dev/low", "b", "2", priority(low), ownedBy("ReplicaSet", "low")),
			testNode("c", "2", rack("1")), testNode("d", "2", rack("2")), testPod("sys/high", "d", "2", priority(100)))
		spread := []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
		}}
		for _, pod := range podsOfShop(ofPriority(10, objects)) {
			pod.Labels["app"], pod.Spec.TopologySpreadConstraints = "db", spread
			if pod.Name == "db-2" {
				pod.Spec.NodeName = "c"
			}
		}
		for _, object := range objects {
			if set, ok := object.(*appsv1.ReplicaSet); ok {
				set.Spec.Template.Spec.TopologySpreadConstraints = spread
				set.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "db", UID: "deployment", Controller: new(true)}}
			}
		}
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf("shop/db-0"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool {
			return f.Steps == 2 && strings.HasPrefix(f.Title, "evict dev/lowest") && strings.Contains(f.Title, "maxSkew 2")
		})
		if at < 0 || found.Tried[at].Verified != works {
			t.Errorf("with another pod of priority %d:\n%s", low, toldFixes(found))
		}
	}
}

// ofPriority gives the pods of shop a priority.
func ofPriority(value int32, objects []runtime.Object) []runtime.Object {
	for _, pod := range podsOfShop(objects) {
		priority(value)(pod)
	}
	return objects
}

// replicas are three pods of one controller, and what else there is.
func replicas(kind, cpu string, others ...runtime.Object) []runtime.Object {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "db"}
	for i := range 3 {
		pod := testPod(fmt.Sprintf("shop/db-%d", i), "", cpu)
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: groupOf(kind), Kind: kind, Name: meta.Name, UID: meta.UID, Controller: new(true)}}
		template := corev1.PodTemplateSpec{Spec: *pod.Spec.DeepCopy()}
		others = append(others, pod)
		switch {
		case i > 0:
		case kind == "Job":
			others = append(others, &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Parallelism: new(int32(3)), Completions: new(int32(3)), Template: template}})
		case kind == "StatefulSet":
			spec := appsv1.StatefulSetSpec{Replicas: new(int32(3)), PodManagementPolicy: appsv1.ParallelPodManagement, Template: template, UpdateStrategy: updatesAll}
			others = append(others, &appsv1.StatefulSet{ObjectMeta: meta, Spec: spec})
		default:
			others = append(others, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(3)), Template: template}})
		}
	}
	return others
}

// Pods of a DaemonSet are each for a node of their own: one that the change lets onto its node, and
// others that preempt on theirs once they request less.
func TestAFixOfADaemonSetForeseesWhomItsOtherPodsPreempt(t *testing.T) {
	for preempts, priorityOfLow := range map[bool]int32{true: -5, false: 5} {
		objects := replicas("DaemonSet", "4", testNode("a", "2"), testNode("b", "2"), testNode("c", "2"), testPod("dev/even", "a", "1"), testPod("dev/low", "b", "2", priority(priorityOfLow)))
		for _, object := range objects {
			if pod, ok := object.(*corev1.Pod); ok && pod.Namespace == "shop" {
				node := map[string]string{"db-0": "a", "db-1": "b", "db-2": "c"}[pod.Name]
				pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}},
				}}}
			}
		}
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf("shop/db-0"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixRequest })
		if at < 0 || found.Tried[at].Verified == preempts {
			t.Errorf("low has priority %d:\n%s", priorityOfLow, toldFixes(found))
		}
	}
}

// The new pods of a fix come in the order of their names, whatever the clock: one that runs, as
// in a cluster, says what one says that stands, as in a file.
func TestFixesDoNotDependOnTheClock(t *testing.T) {
	recreated := 0
	for seed := range uint64(12) {
		objects := explaintest.RandomCluster(explaintest.Seeded(seed), 6, 14, 8).Objects()
		objects = ofPriority(5, replicas("Job", "1", objects...))
		for i, pod := range podsOfShop(objects) { // pods of a Job that was changed are not alike
			pod.Spec.NodeSelector = map[string]string{"disktype": "nvme"}
			pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewQuantity(int64(i+1), resource.DecimalSI)
		}
		for _, pod := range []string{"shop/db-0", "shop/db-2"} {
			runs := testNow
			stands := fixesByClock(t, func() time.Time { return testNow }, pod, objects)
			moves := fixesByClock(t, func() time.Time { runs = runs.Add(time.Microsecond); return runs }, pod, objects)
			ofBoth(stands, moves)
			if diff := cmp.Diff(toldFixes(stands), toldFixes(moves)); diff != "" {
				t.Errorf("seed %d, %s, with a clock that stands (-) and one that runs (+):\n%s", seed, pod, diff)
			}
			for _, fix := range stands.Tried {
				if fix.Recreates {
					recreated++
				}
			}
		}
	}
	if recreated == 0 {
		t.Error("no fix makes new pods")
	}
}

// Heartbeats of nodes that come while fixes are simulated change nothing about them.
func TestFixesDoNotDependOnHeartbeats(t *testing.T) {
	for seed := range uint64(6) {
		objects := explaintest.RandomCluster(explaintest.Seeded(seed), 6, 14, 8).Objects()
		objects = ofPriority(5, replicas("ReplicaSet", "1", objects...))
		for _, pod := range []string{"shop/db-0", "shop/db-2"} {
			quiet := fixesByClock(t, func() time.Time { return testNow }, pod, objects)
			e := startEngine(t, Options{}, objects...)
			moved, ends, ended := e.Moved(), make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				beat(t, e, ends)
			}()
			busy, err := fixesOf(t.Context(), e, report.PodOf(types.UID(pod)))
			close(ends)
			<-ended
			if err != nil {
				t.Fatal(err)
			}
			if e.Moved() != moved {
				t.Error("heartbeats count as changes")
			}
			ofBoth(quiet, busy)
			if diff := cmp.Diff(toldFixes(quiet), toldFixes(busy)); diff != "" {
				t.Errorf("seed %d, %s, without heartbeats (-) and with them (+):\n%s", seed, pod, diff)
			}
		}
	}
}

// beat has each node tell that it lives, again and again until ends is closed.
func beat(t *testing.T, e *Engine, ends <-chan struct{}) {
	t.Helper()
	nodes := slices.Collect(maps.Values(e.scheduler.State.Nodes))
	for revision := e.scheduler.State.Revision + 1; ; revision++ {
		select {
		case <-ends:
			return
		default:
		}
		node := nodes[int(revision)%len(nodes)]
		if err := e.Apply(revision, []scheduler.Change{{Old: node, New: node.DeepCopy()}}); err != nil {
			t.Error(err)
			return
		}
	}
}

// In a large cluster pairs of steps are not tried where one of them alone lets the pod onto more nodes
// than there are pods without a node: the change has no command, alone and in a pair.
func TestPairsThatOnlyAddNodesAreNotTriedInALargeCluster(t *testing.T) {
	for size, wanted := range map[int]bool{scheduler.SampledFrom - 1: true, scheduler.SampledFrom + 20: false} {
		pod := testPod("shop/web", "", "1", onlyOn("nowhere"), ownedBy("Widget", "web"))
		objects := []runtime.Object{pod}
		for i := range size {
			objects = append(objects, testNode(fmt.Sprintf("n-%03d", i), "2", func(n *corev1.Node) { n.Spec.Unschedulable = i == 0 }))
		}
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		paired := slices.ContainsFunc(found.Tried, func(f report.Fix) bool { return f.Title == "uncordon n-000 and remove node selector is=nowhere" })
		alone := slices.ContainsFunc(found.Tried, func(f report.Fix) bool { return f.Steps == 1 && f.NodesGained == size-1 && !f.Verified })
		if paired != wanted || !alone {
			t.Errorf("%d nodes: pairs are tried: %t:\n%s", size, paired, toldFixes(found))
		}
	}
}

// fixesByClock gives the fixes of a pod.
func fixesByClock(t *testing.T, clock func() time.Time, pod string, objects []runtime.Object) *report.Fixes {
	t.Helper()
	found, err := fixesOf(t.Context(), startEngine(t, Options{Now: clock}, objects...), report.PodOf(types.UID(pod)))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ofBoth leaves in two answers what both simulated to its end, where a busy machine had no time
// for the rest, or for as many orders.
func ofBoth(a, b *report.Fixes) {
	unknown := func(fix *report.Fix) bool {
		return slices.ContainsFunc(fix.Remaining, func(why string) bool { return strings.HasPrefix(why, "unknown:") })
	}
	orders := func(fix *report.Fix) (tried int) {
		for _, unless := range fix.Unless {
			tried = max(tried, unless.Of)
		}
		return tried
	}
	lacks := func(other []report.Fix) func(report.Fix) bool {
		return func(fix report.Fix) bool {
			return unknown(&fix) || !slices.ContainsFunc(other, func(same report.Fix) bool {
				return same.Title == fix.Title && !unknown(&same) && orders(&same) == orders(&fix)
			})
		}
	}
	inTime := a.Stopped+b.Stopped == "" && !slices.ContainsFunc(slices.Concat(a.Tried, b.Tried), func(fix report.Fix) bool { return unknown(&fix) })
	if inTime && slices.EqualFunc(a.Tried, b.Tried, func(a, b report.Fix) bool { return orders(&a) == orders(&b) }) {
		return
	}
	whole := slices.Clone(a.Tried)
	a.Tried, b.Tried = slices.DeleteFunc(a.Tried, lacks(b.Tried)), slices.DeleteFunc(b.Tried, lacks(whole))
	a.Stopped, b.Stopped = "", ""
}

// podsOfShop are the pods of the namespace shop.
func podsOfShop(objects []runtime.Object) (pods []*corev1.Pod) {
	for _, object := range objects {
		if pod, ok := object.(*corev1.Pod); ok && pod.Namespace == "shop" {
			pods = append(pods, pod)
		}
	}
	return pods
}

// groupOf is the API group and version of a kind of controllers.
func groupOf(kind string) string {
	if kind == "Job" {
		return batchv1.SchemeGroupVersion.String()
	}
	return appsv1.SchemeGroupVersion.String()
}

// A fix that is not enough names all that still rejects the pod, or its reader mends one thing and
// finds the next.
func TestAFixThatIsNotEnoughNamesAllThatIsLeft(t *testing.T) {
	gpu := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	pod := testPod("shop/web", "", "3", selecting("disktype", "ssd"))
	e := startEngine(t, Options{}, testNode("a", "2", cordoned, gpu), pod)
	found := must(fixesOf(t.Context(), e, report.PodOf(pod.UID)))
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == "uncordon a" })
	if at < 0 {
		t.Fatal(toldFixes(found))
	}
	same(t, strings.Join(found.Tried[at].Remaining, " | "), "still: dedicated=gpu:NoSchedule; node selector disktype=ssd, has no label; needs cpu 1 more")
}

// TestFixesOfAPodThatCannotBeJudgedAreUnknown and not said to be none.
func TestFixesOfAPodThatCannotBeJudgedAreUnknown(t *testing.T) {
	pod := testPod("shop/web", "", "8")
	e := startEngine(t, Options{Namespace: "shop"}, testNode("a", "16"), pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	same(t, found.None, "Unknown which changes would help: only the pods of namespace shop are known.")
}

// TestTheLargestRequestThatFitsIsOffered: cpu to the hundredth, memory to the MiB.
func TestTheLargestRequestThatFitsIsOffered(t *testing.T) {
	node := testNode("a", "3657m", func(n *corev1.Node) {
		n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("6523Mi")
	})
	for _, c := range []struct {
		pod  *corev1.Pod
		want string
	}{
		{testPod("s/x", "", "8"), "cpu=3650m"},
		{testPod("s/x", "", "1", requesting(corev1.ResourceMemory, "8Gi")), "memory=6523Mi"},
	} {
		e := startEngine(t, Options{}, node, testOwner(c.pod), c.pod)
		fixes := must(fixesOf(t.Context(), e, report.PodOf(c.pod.UID)))
		if command := fixes.Tried[0].Command; !strings.HasSuffix(command, "--requests="+c.want) {
			t.Errorf("%s: %s", c.want, command)
		}
	}
}
