package explain

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// nodeHaving sets what a node has allocatable of a resource.
func nodeHaving(name corev1.ResourceName, amount string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable[name] = resource.MustParse(amount) }
}

// tolerating lets a pod tolerate NoSchedule taints of a key with this value.
func tolerating(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpEqual, Value: value, Effect: corev1.TaintEffectNoSchedule})
	}
}

// initially has an init container request cpu.
func initially(name, cpu string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{
			Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
		})
	}
}

// always makes the last init container a sidecar.
func always(p *corev1.Pod) {
	p.Spec.InitContainers[len(p.Spec.InitContainers)-1].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
}

func cordonedNode(n *corev1.Node) {
	n.Spec.Unschedulable = true
	nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(n)
}

// pinnedTo lets a pod run on some nodes alone, as DaemonSets do.
func pinnedTo(nodes ...string) func(*corev1.Pod) {
	var terms []corev1.NodeSelectorTerm
	for _, node := range nodes {
		terms = append(terms, corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
		}})
	}
	return nodeSelectorTerms(terms...)
}

// TestOtherNodesFollowTheClosest where these alone would mislead: nodes with enough capacity that
// one rule keeps the pod off, those where a spread constraint wants it or its volumes are, and where
// its requests are not its own.
func TestOtherNodesFollowTheClosest(t *testing.T) {
	batch, hostname := podLabel("app", "batch"), corev1.LabelHostname
	cache := func(name, node string) *corev1.Pod {
		return testPod("search/"+name, node, "1", podControlledBy("apps/v1", "StatefulSet", "cache"), awayFrom(podTerm(hostname, "batch", "s")))
	}
	web := func(name, node string) *corev1.Pod { return testPod("s/"+name, node, "1", podLabel("app", "web")) }
	spread := func(key string) *corev1.Pod {
		return testPod("s/x", "", "1", podLabel("app", "web"), spreadOver(key, 1, nil, "web"))
	}
	limited := func(cpu string) *corev1.Pod {
		return testPod("s/x", "", cpu, func(p *corev1.Pod) {
			p.Annotations = map[string]string{"kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu request for container main"}
			p.Spec.Containers[0].Name = "main"
		})
	}
	full := []runtime.Object{testNode("a", "4"), testPod("s/y", "a", "3")}
	with := func(pod *corev1.Pod, edit func(*corev1.Pod)) *corev1.Pod {
		edit(pod)
		return pod
	}
	zone := func(name string) func(*corev1.Node) { return nodeLabel("zone", name) }
	unready := func(status corev1.ConditionStatus, message string) func(string, ...func(*corev1.Node)) *corev1.Node {
		return func(name string, edits ...func(*corev1.Node)) *corev1.Node {
			return testNode(name, "16", append([]func(*corev1.Node){nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule), func(n *corev1.Node) {
				n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, Message: message}}
			}}, edits...)...)
		}
	}
	noNetwork := unready(corev1.ConditionFalse, "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized")
	silent := unready(corev1.ConditionUnknown, "Kubelet stopped posting node status.")
	for name, c := range map[string]struct {
		objects []runtime.Object // nodes and the pods on them
		pod     *corev1.Pod
		want    string
	}{
		"an anti-affinity of one workload": {
			append([]runtime.Object{testNode("b", "16"), testNode("c", "16"), cache("cache-0", "b"), cache("cache-1", "c")}, full...), testPod("s/x", "", "2", batch),
			"0 of 3 nodes fit. Closest: a needs cpu 1 more. 2 nodes with enough capacity: rejected by anti-affinity of search/cache (app=batch in namespace s).",
		},
		"on one node": {
			append([]runtime.Object{testNode("b", "16"), cache("cache-0", "b")}, full...), testPod("s/x", "", "2", batch),
			"0 of 2 nodes fit. Closest: a needs cpu 1 more. b with enough capacity: rejected by anti-affinity of search/cache-0 (app=batch in namespace s).",
		},
		"the nodes with the rule are full too": {
			append([]runtime.Object{testNode("b", "2"), cache("cache-0", "b")}, full...), testPod("s/x", "", "2", batch),
			"The cluster is full for this pod: no node that would accept it has more than cpu 1 free.",
		},
		"of a zone with the fewest, nodes that its node selector rejects do not count": {
			[]runtime.Object{
				testNode("a", "4", zone("1"), nodeLabel("pool", "spot")), testNode("b", "4", zone("2")), testNode("c", "4", zone("2"), nodeLabel("pool", "spot"), cordonedNode),
				testNode("d", "4", zone("2"), nodeLabel("pool", "spot"), cordonedNode, nodeTaint("x", "", corev1.TaintEffectNoSchedule)), web("w", "a"),
			},
			with(spread("zone"), selecting("pool", "spot")),
			"0 of 4 nodes fit. Closest: a, zone skew 2, maxSkew 1: 1 has 1, minimum 0. Zone 2 has the fewest (0); 1 of its 2 nodes rejects the pod: cordoned.",
		},
		"two zones have the fewest": {
			[]runtime.Object{testNode("a", "4", zone("1")), testNode("b", "4", zone("2"), cordonedNode), testNode("c", "4", zone("3"), cordonedNode), web("w", "a")},
			spread("zone"),
			"0 of 3 nodes fit. Closest: a, zone skew 2, maxSkew 1: 1 has 1, minimum 0.",
		},
		"too few domains": {
			[]runtime.Object{testNode("a", "4", zone("1")), testNode("b", "4", zone("2")), web("w", "a"), web("v", "a"), web("u", "b"), testPod("s/z", "b", "3")},
			with(spread("zone"), func(p *corev1.Pod) { p.Spec.TopologySpreadConstraints[0].MinDomains = ptr.To[int32](3) }),
			"0 of 2 nodes fit. Closest: a, zone skew 3, maxSkew 1: 1 has 2, minimum 0. Only 2 domains of zone are eligible, minDomains is 3.",
		},
		"too few domains, for some nodes have another value": {
			[]runtime.Object{
				testNode("a", "4", zone("eu-a")), testNode("b", "4", zone("eu-b")), testNode("c", "4", zone("euc")), testNode("d", "4", zone("euc")),
				web("w", "a"), web("v", "b"),
			},
			with(spread("zone"), func(p *corev1.Pod) {
				p.Spec.TopologySpreadConstraints[0].MinDomains = ptr.To[int32](3)
				p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"eu-a", "eu-b", "eu-c"}},
					}}},
				}}}
			}),
			"0 of 4 nodes fit. Closest: a and 1 more, zone skew 2, maxSkew 1. Only 2 domains of zone are eligible, minDomains is 3; " +
				"2 nodes: node affinity zone in (eu-a, eu-b, eu-c): 2 have euc.",
		},
		"a zone with the fewest is cordoned": {
			[]runtime.Object{testNode("a", "4", zone("1")), testNode("b", "4", zone("2"), cordonedNode), testNode("c", "4", zone("2"), cordonedNode), web("w", "a")},
			spread("zone"),
			"0 of 3 nodes fit. Closest: a, zone skew 2, maxSkew 1: 1 has 1, minimum 0. Zone 2 has the fewest (0); its nodes reject the pod: cordoned.",
		},
		"nodes that nobody has initialized": {
			append([]runtime.Object{testNode("b", "16", nodeTaint("node.cloudprovider.kubernetes.io/uninitialized", "true", corev1.TaintEffectNoSchedule))}, full...), testPod("s/x", "", "2"),
			"0 of 2 nodes fit. Closest: a needs cpu 1 more. b with enough capacity: not initialized.",
		},
		"nodes whose kubelets say why they are NotReady": {
			append([]runtime.Object{noNetwork("b"), noNetwork("c")}, full...), testPod("s/x", "", "2"),
			"0 of 3 nodes fit. Closest: a needs cpu 1 more. 2 nodes with enough capacity: NotReady (cni plugin not initialized).",
		},
		"nodes whose kubelets have stopped to report": {
			append([]runtime.Object{silent("b"), silent("c")}, full...), testPod("s/x", "", "2"),
			"0 of 3 nodes fit. Closest: a needs cpu 1 more. 2 nodes with enough capacity: NotReady.",
		},
		"one for this reason and one for that": {
			append([]runtime.Object{noNetwork("b"), noNetwork("c", func(n *corev1.Node) { n.Status.Conditions[0].Message = "PLEG is not healthy" })}, full...), testPod("s/x", "", "2"),
			"0 of 3 nodes fit. Closest: a needs cpu 1 more. 2 nodes with enough capacity: NotReady.",
		},
		"nodes that are kept for others": {
			append([]runtime.Object{testNode("b", "16", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))}, full...), testPod("s/x", "", "2"),
			"0 of 2 nodes fit. Closest: a needs cpu 1 more.",
		},
		"a default of a LimitRange": {
			append([]runtime.Object{}, full...), limited("2"),
			"The cluster is full for this pod: no node that would accept it has more than cpu 1 free. The request of cpu 2 was set by a LimitRange.",
		},
		"a default larger than any node": {
			append([]runtime.Object{}, full...), limited("8"),
			"Too large for any node: it requests cpu 8, the largest node has 4 allocatable. The request of cpu 8 was set by a LimitRange.",
		},
		"no node has the labels where the volumes are": {
			[]runtime.Object{
				testNode("a", "4", nodeLabel("pool", "brokers"), nodeLabel(corev1.LabelTopologyZone, "1")), testNode("b", "4", nodeLabel(corev1.LabelTopologyZone, "2")), testNode("c", "4", nodeLabel(corev1.LabelTopologyZone, "2")),
				aClass("csi", "csi.example.com"), aClaim("s/data", "csi", boundTo("pv-1")), aVolume("pv-1", "csi", volumeOn(corev1.LabelTopologyZone, "2"), volumeOf("s/data")),
			},
			testPod("s/x", "", "1", mounting("data"), selecting("pool", "brokers")),
			"0 of 3 nodes fit. Closest: b and 1 more, node selector pool=brokers: 2 have no label. No node is both: 1 node matches its node selector (1), 2 are where its volumes can be used (2).",
		},
		"a node with the fewest is full": {
			[]runtime.Object{testNode("a", "4", nodeLabel(hostname, "a")), testNode("b", "4", nodeLabel(hostname, "b")), web("w", "a"), testPod("s/y", "b", "4")},
			spread(hostname),
			"0 of 2 nodes fit. Closest: b needs cpu 1 more. a with enough capacity: hostname skew 2, maxSkew 1: a has 1, minimum 0.",
		},
	} {
		r := mustExplain(t, startEngine(t, Options{}, append(slices.Clone(c.objects), c.pod)...), c.pod)
		if r.Summary != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, r.Summary, c.want)
		}
		if r.Further != "" && !strings.HasSuffix(r.Summary, " "+r.Further) {
			t.Errorf("%s: %q is not its end", name, r.Further)
		}
	}
}

func TestNearMissesAreToldApart(t *testing.T) {
	taint := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	team := nodeTaint("team", "a", corev1.TaintEffectNoExecute)
	notReady := nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)
	const gpu = corev1.ResourceName("nvidia.com/gpu")
	memory := func(amount string) func(*corev1.Pod) { return requesting(corev1.ResourceMemory, amount) }
	for name, c := range map[string]struct {
		nodes        []runtime.Object // and the pods on them
		pod          *corev1.Pod
		summary, why string
	}{
		"larger than any node comes first, whatever else is in the way": {
			[]runtime.Object{
				testNode("a", "16", taint), testNode("b", "16", taint), testNode("c", "16", taint, team), testNode("d", "16", cordonedNode),
				testNode("e", "16", cordonedNode, taint), testNode("f", "16", notReady), testNode("g", "16"), testPod("s/y", "g", "16"),
			},
			testPod("s/x", "", "32", selecting("disktype", "ssd"), func(p *corev1.Pod) {
				p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "warehouse"},
				}}}
			}),
			"Too large for any node: it requests cpu 32, the largest node has 16 allocatable.", "too large | cpu 32; largest node 16",
		},
		"larger than every node that would take it": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testNode("c", "16", taint), testPod("s/y", "c", "12")},
			testPod("s/x", "", "8"),
			"Too large for every node that would accept it: it requests cpu 8, the largest of them has 4 allocatable.", "too large | cpu 8; largest node that accepts it 4",
		},
		"and one that is large enough is tainted": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "16", taint), testNode("c", "16", taint)},
			testPod("s/x", "", "8"),
			"Too large for every node that would accept it: it requests cpu 8, the largest of them has 4 allocatable; 2 nodes would accept it without dedicated=gpu:NoSchedule.",
			"too large | cpu 8; largest node that accepts it 4",
		},
		"each too small in its own way": {
			[]runtime.Object{
				testNode("a", "16", nodeHaving(corev1.ResourceMemory, "1Gi")), testNode("b", "2"), testNode("c", "16", taint), testPod("s/y", "c", "15"),
			},
			testPod("s/x", "", "4", memory("4Gi")),
			"Too large for every node that would accept it: none has cpu 4 and memory 4Gi allocatable.", "too large | cpu 4 and memory 4Gi",
		},
		"a node that is large enough but full makes it full": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "16"), testPod("s/y", "b", "15")},
			testPod("s/x", "", "6"),
			"The cluster is full for this pod: no node that would accept it has more than cpu 4 free.", "cpu | b needs 5 more",
		},
		"only the nodes that have the device matter": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "16", taint, nodeHaving(gpu, "2"))},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"Only a taint blocks it: b would accept it without dedicated=gpu:NoSchedule.", "taint | b: dedicated=gpu:NoSchedule",
		},
		"and of those the one whose cpu is taken": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", nodeHaving(gpu, "2")), testPod("s/y", "b", "4")},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"The cluster is full for this pod: no node with nvidia.com/gpu that would accept it has any cpu free.", "cpu | b needs 1 more",
		},
		"and one that lost its device has room": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", nodeHaving(gpu, "2")), testPod("s/y", "b", "4"), testNode("c", "4", nodeHaving(gpu, "0"))},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"Node c lacks only nvidia.com/gpu, of which 0 is allocatable: check the device plugin. The cluster is full for this pod: no node with nvidia.com/gpu that would accept it has any cpu free.",
			"gpu | c: nvidia.com/gpu 0 allocatable",
		},
		"all nodes lost their devices": {
			[]runtime.Object{testNode("b", "4", nodeHaving(gpu, "0")), testNode("c", "4", nodeHaving(gpu, "0")), testNode("d", "4")},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"Nodes b and c lack only nvidia.com/gpu, of which 0 is allocatable: check the device plugin. No node has nvidia.com/gpu: it requests 1.",
			"gpu | b and c: nvidia.com/gpu 0 allocatable",
		},
		"three nodes lost their devices": {
			[]runtime.Object{testNode("b", "4", nodeHaving(gpu, "0")), testNode("c", "4", nodeHaving(gpu, "0")), testNode("d", "4", nodeHaving(gpu, "0"))},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"3 nodes lack only nvidia.com/gpu, of which 0 is allocatable: check the device plugin. No node has nvidia.com/gpu: it requests 1.",
			"gpu | 3 nodes: nvidia.com/gpu 0 allocatable",
		},
		"devices under another name are not lost": {
			[]runtime.Object{testNode("b", "4", nodeHaving(gpu, "0"), nodeHaving("nvidia.com/mig-1g.5gb", "7")), testNode("d", "4")},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"No node has nvidia.com/gpu: it requests 1.", "gpu | no node has nvidia.com/gpu",
		},
		"and two that lost their devices are no larger": {
			[]runtime.Object{testNode("b", "4", nodeHaving(gpu, "2")), testPod("s/y", "b", "4"), testNode("c", "4", nodeHaving(gpu, "0")), testPod("s/z", "c", "4")},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"The cluster is full for this pod: no node with nvidia.com/gpu that would accept it has any cpu free.", "cpu | b needs 1 more",
		},
		"no node without another reason has the device": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", taint, nodeHaving(gpu, "2")), testPod("s/y", "b", "4")},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"1 node has nvidia.com/gpu and rejects it: b, dedicated=gpu:NoSchedule; needs cpu 1 more.", "taint | b: dedicated=gpu:NoSchedule; needs cpu 1 more",
		},
		"nor do two, of which the pod tolerates another value of the taint": {
			[]runtime.Object{
				testNode("a", "4"), testNode("b", "4", taint, nodeHaving(gpu, "1")), testNode("c", "4", taint, nodeHaving(gpu, "1")),
				testPod("s/y", "b", "1", requesting(gpu, "1")), testPod("s/z", "c", "1", requesting(gpu, "1")),
			},
			testPod("s/x", "", "1", requesting(gpu, "1"), tolerating("dedicated", "true")),
			"2 nodes have nvidia.com/gpu and reject it. Closest: b, dedicated=gpu:NoSchedule; needs nvidia.com/gpu 1 more. The pod's toleration dedicated=true:NoSchedule does not match.",
			"taint | b: dedicated=gpu:NoSchedule; needs nvidia.com/gpu 1 more",
		},
		"hugepages on one node, which rejects it for more": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", taint, nodeHaving("hugepages-2Mi", "1Gi")), testPod("s/y", "b", "4")},
			testPod("s/x", "", "1", requesting("hugepages-2Mi", "512Mi")),
			"1 node has hugepages-2Mi and rejects it: b, dedicated=gpu:NoSchedule; needs cpu 1 more.", "taint | b: dedicated=gpu:NoSchedule; needs cpu 1 more",
		},
		"devices are free on nodes that reject it for two other reasons": {
			[]runtime.Object{
				testNode("a", "4"), testNode("b", "4", taint, cordonedNode, nodeHaving(gpu, "2")), testNode("c", "4", taint, cordonedNode, nodeHaving(gpu, "2")), testNode("d", "4"),
			},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"2 nodes have nvidia.com/gpu and reject it. Closest: b and 1 more, cordoned and dedicated=gpu:NoSchedule.", "cordoned | cordoned; dedicated=gpu:NoSchedule",
		},
		"nodes without the device are short of cpu first": {
			[]runtime.Object{testNode("a", "2"), testNode("b", "8", taint, cordonedNode, nodeHaving(gpu, "2"))},
			testPod("s/x", "", "4", requesting(gpu, "1")),
			"1 node has nvidia.com/gpu and rejects it: b, cordoned and dedicated=gpu:NoSchedule.", "cordoned | b: cordoned; dedicated=gpu:NoSchedule",
		},
		"a toleration of another value": {
			[]runtime.Object{testNode("a", "4", taint)},
			testPod("s/x", "", "1", tolerating("dedicated", "true")),
			"Only a taint blocks it: a would accept it without dedicated=gpu:NoSchedule. The pod's toleration dedicated=true:NoSchedule does not match.",
			"taint | a: dedicated=gpu:NoSchedule",
		},
		"cores that were to be thousandths": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "8")},
			testPod("s/x", "", "1500"),
			"Too large for any node: it requests cpu 1500, the largest node has 8 allocatable. Check the unit of cpu 1500 in container app: perhaps 1500m was meant.",
			"too large | cpu 1500; largest node 8",
		},
		"more cores than any node has even in thousandths": {
			[]runtime.Object{testNode("a", "4")},
			testPod("s/x", "", "5000"),
			"Too large for any node: it requests cpu 5000, the largest node has 4 allocatable.", "too large | cpu 5000; largest node 4",
		},
		"cores that may be meant": {
			[]runtime.Object{testNode("a", "96")},
			testPod("s/x", "", "128"),
			"Too large for any node: it requests cpu 128, the largest node has 96 allocatable.", "too large | cpu 128; largest node 96",
		},
		"Gi for Mi": {
			[]runtime.Object{testNode("a", "4")},
			testPod("s/x", "", "1", memory("512Gi")),
			"Too large for any node: it requests memory 512Gi, the largest node has 8Gi allocatable. Check the unit of memory 512Gi in container app: perhaps 512Mi was meant.",
			"too large | memory 512Gi; largest node 8Gi",
		},
		"an init container requests most": {
			[]runtime.Object{testNode("a", "4")},
			testPod("s/x", "", "500m", initially("migrate", "8")),
			"Too large for any node: it requests cpu 8, the largest node has 4 allocatable. The request of cpu 8 comes from init container migrate; without it the pod requests 500m.",
			"too large | cpu 8; largest node 4",
		},
		"two init containers request as much": {
			[]runtime.Object{testNode("a", "4")},
			testPod("s/x", "", "500m", initially("migrate", "8"), initially("seed", "8")),
			"Too large for any node: it requests cpu 8, the largest node has 4 allocatable.", "too large | cpu 8; largest node 4",
		},
		"one of two init containers requests most, beside a sidecar before it": {
			[]runtime.Object{testNode("a", "4")},
			testPod("s/x", "", "500m", initially("migrate", "5"), initially("proxy", "4"), always, initially("seed", "4500m")),
			"Too large for any node: it requests cpu 8.5, the largest node has 4 allocatable. The request of cpu 8.5 comes from init container seed; without it the pod requests 5.",
			"too large | cpu 8.5; largest node 4",
		},
		"an init container that runs on is one of the containers": {
			[]runtime.Object{testNode("a", "4")},
			testPod("s/x", "", "500m", initially("proxy", "8"), always),
			"Too large for any node: it requests cpu 8.5, the largest node has 4 allocatable.", "too large | cpu 8.5; largest node 4",
		},
		"all devices are taken": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", nodeHaving(gpu, "1")), testPod("s/y", "b", "1", requesting(gpu, "1"))},
			testPod("s/x", "", "1", requesting(gpu, "1")),
			"The cluster is full for this pod: no node that would accept it has any nvidia.com/gpu free.", "gpu | b needs 1 more",
		},
		"devices are free, one here and one there": {
			[]runtime.Object{
				testNode("a", "4", nodeHaving(gpu, "2")), testNode("b", "4", nodeHaving(gpu, "2")), testNode("c", "4"),
				testPod("s/y", "b", "1", requesting(gpu, "1")), testPod("s/z", "a", "1", requesting(gpu, "1")),
			},
			testPod("s/x", "", "1", requesting(gpu, "2")),
			"Enough capacity in total, but not on one node: nvidia.com/gpu 2 free on 2 nodes, at most 1 on one; it requests 2.", "gpu | 2 nodes need 1 more",
		},
		"enough cpu in sum does not help where memory is short in sum too": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("s/y", "b", "2", memory("7Gi")), testPod("s/z", "a", "2", memory("7Gi"))},
			testPod("s/x", "", "3", memory("4Gi")),
			"The cluster is full for this pod: no node that would accept it has more than memory 1Gi free.", "cpu | 2 nodes need cpu 1, memory 3Gi more each",
		},
		"one lacks cpu, the other memory": {
			[]runtime.Object{
				testNode("a", "4"), testNode("b", "4"), testNode("c", "4"),
				testPod("s/y", "b", "4"), testPod("s/w", "c", "4"), testPod("s/z", "a", "", memory("7Gi")),
			},
			testPod("s/x", "", "3", memory("4Gi")),
			"Enough capacity in total, but not on one node: of the 3 nodes that would accept it 2 lack cpu, 1 lacks memory.", "memory | a needs 3Gi more",
		},
		"room for no more pods": {
			[]runtime.Object{testNode("a", "4", nodeHaving(corev1.ResourcePods, "1")), testPod("s/y", "a", ""), testNode("b", "4", nodeHaving(corev1.ResourcePods, "0"))},
			testPod("s/x", "", ""),
			"The cluster is full for this pod: no node that would accept it has capacity for one more pod.", "pods | 2 nodes have reached their pod limit",
		},
		"as many pods on each as it takes": {
			[]runtime.Object{
				testNode("a", "4", nodeHaving(corev1.ResourcePods, "1")), testPod("s/y", "a", ""),
				testNode("b", "4", nodeHaving(corev1.ResourcePods, "1")), testPod("s/z", "b", ""),
			},
			testPod("s/x", "", ""),
			"The cluster is full for this pod: no node that would accept it has capacity for one more pod.", "pods | 2 nodes have 1 of 1 pods",
		},
		"cordoned and NotReady nodes would not take it": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/y", "a", "3500m"), testNode("b", "16", cordonedNode), testPod("s/z", "b", "16"),
				testNode("c", "16", notReady), testPod("s/w", "c", "16"),
			},
			testPod("s/x", "", "1"),
			"The cluster is full for this pod: no node that would accept it has more than cpu 500m free.", "cpu | a needs 500m more",
		},
		"two taints on a node": {
			[]runtime.Object{testNode("a", "4", taint, team)},
			testPod("s/x", "", "1"),
			"Only taints block it: a would accept it without dedicated=gpu:NoSchedule, team=a:NoExecute.", "taint | a: dedicated=gpu:NoSchedule, team=a:NoExecute",
		},
		"a state of nodes is no taint that somebody set": {
			[]runtime.Object{testNode("a", "4", notReady), testNode("b", "4", notReady)},
			testPod("s/x", "", "1", func(p *corev1.Pod) { // as kube-apiserver adds it to every pod
				p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))}}
			}),
			"Only the condition of nodes blocks it: 2 nodes would accept it but are NotReady.", "NotReady | a, b",
		},
		"a taint here, a label there": {
			[]runtime.Object{testNode("a", "4", taint, nodeLabel("disktype", "ssd")), testNode("b", "4"), testNode("c", "4")},
			testPod("s/x", "", "1", selecting("disktype", "ssd")),
			"Only a taint or its node selector blocks it: a would accept it without dedicated=gpu:NoSchedule, 2 nodes without disktype=ssd.",
			"taint | a: dedicated=gpu:NoSchedule",
		},
		"a taint here, a pressure there": {
			[]runtime.Object{testNode("a", "4", taint), testNode("b", "4", nodeTaint(corev1.TaintNodeMemoryPressure, "", corev1.TaintEffectNoSchedule))},
			testPod("s/x", "", "1"),
			"Only a taint or the condition of nodes blocks it: a would accept it without dedicated=gpu:NoSchedule, b but for MemoryPressure.",
			"taint | a: dedicated=gpu:NoSchedule",
		},
		"a taint of Kubernetes' own domain that is no condition": {
			[]runtime.Object{testNode("a", "4", nodeTaint("node.kubernetes.io/os", "windows", corev1.TaintEffectNoSchedule))},
			testPod("s/x", "", "1"),
			"Only a taint blocks it: a would accept it without node.kubernetes.io/os=windows:NoSchedule.",
			"taint | a: node.kubernetes.io/os=windows:NoSchedule",
		},
		"a condition and a taint on one node": {
			[]runtime.Object{testNode("a", "4", taint, nodeTaint("node.cilium.io/agent-not-ready", "", corev1.TaintEffectNoSchedule))},
			testPod("s/x", "", "1"),
			"Only taints block it: a would accept it without dedicated=gpu:NoSchedule, node.cilium.io/agent-not-ready:NoSchedule.",
			"taint | a: dedicated=gpu:NoSchedule, waiting for the agent of node.cilium.io",
		},
		"a taint here, a cordon there": {
			[]runtime.Object{testNode("a", "4", taint), testNode("b", "4", cordonedNode)},
			testPod("s/x", "", "1"),
			"Only a taint or a cordon blocks it: a would accept it without dedicated=gpu:NoSchedule, b once uncordoned.",
			"taint | a: dedicated=gpu:NoSchedule",
		},
		"a node with room missing and one with a taint: the nearest": {
			[]runtime.Object{testNode("a", "4"), testPod("s/y", "a", "3500m"), testNode("b", "4", taint)},
			testPod("s/x", "", "1"),
			"0 of 2 nodes fit. Closest: a needs cpu 500m more.", "cpu | a needs 500m more",
		},
		"what all nodes reject is told before what the nearest lacks": {
			[]runtime.Object{
				testNode("a", "4", nodeLabel(corev1.LabelTopologyZone, "eu-1a")), testPod("s/y", "a", "3500m", podLabel("app", "x")),
				testNode("b", "2", nodeLabel(corev1.LabelTopologyZone, "eu-1a")), testNode("c", "4", nodeLabel(corev1.LabelTopologyZone, "eu-1a"), cordonedNode),
			},
			testPod("s/x", "", "2500m", func(p *corev1.Pod) { p.Spec.Affinity = shunning(corev1.LabelTopologyZone, "x") }),
			"0 of 3 nodes fit. Closest: a, anti-affinity app=x: s/y runs there; needs cpu 2 more.", "anti-affinity | a: anti-affinity app=x: s/y runs there; needs cpu 2 more",
		},
		"a daemon's node is full": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("s/y", "a", "3650m")},
			testPod("s/x", "", "1", pinnedTo("a")),
			"It can only run on a: needs cpu 650m more.", "cpu | a needs 650m more",
		},
		"a daemon's node is too small": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "16")},
			testPod("s/x", "", "8", pinnedTo("a")),
			"Too large for a, the only node that it can run on: it requests cpu 8, a has 4 allocatable.", "too large | cpu 8; a has 4",
		},
		"a daemon's node is tainted": {
			[]runtime.Object{testNode("a", "4", taint), testNode("b", "16")},
			testPod("s/x", "", "1", pinnedTo("a")),
			"It can only run on a: dedicated=gpu:NoSchedule.", "taint | a: dedicated=gpu:NoSchedule",
		},
		"a daemon's node is cordoned": {
			[]runtime.Object{testNode("a", "4", cordonedNode), testNode("b", "16")},
			testPod("s/x", "", "1", pinnedTo("a")),
			"It can only run on a: cordoned.", "cordoned | a",
		},
		"a daemon's node is gone": {
			[]runtime.Object{testNode("b", "16")},
			testPod("s/x", "", "1", pinnedTo("a")),
			"It can only run on a, which does not exist.", "no such node | can only run on a: no such node",
		},
		"two nodes are named": {
			[]runtime.Object{testNode("a", "4", taint), testNode("b", "16", cordonedNode), testNode("c", "4")},
			testPod("s/x", "", "1", pinnedTo("a", "b")),
			"0 of 3 nodes fit. Closest: a, dedicated=gpu:NoSchedule.", "taint | a: dedicated=gpu:NoSchedule",
		},
	} {
		r := mustExplain(t, startEngine(t, Options{}, c.nodes...), c.pod)
		if r.Summary != c.summary || rowOf(r) != c.why {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, r.Summary, rowOf(r), c.summary, c.why)
		}
	}
}

// TestARolloutThatBlocksItselfIsToldSo where only older pods of the pod's own Deployment keep it off
// the closest nodes, and not where others do too.
func TestARolloutThatBlocksItselfIsToldSo(t *testing.T) {
	const words = "These are older pods of its own Deployment, kept until a new one is ready unless maxUnavailable lets some stop first."
	set := func(name, deployment string, age time.Duration) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: "s", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(testNow.Add(-age)),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: deployment, UID: types.UID(deployment), Controller: new(true)}},
		}}
	}
	ending := func(p *corev1.Pod) {
		p.DeletionTimestamp, p.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
	}
	of := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, UID: types.UID(name), Controller: new(true)}}
		}
	}
	port := hostPort("", 8080, corev1.ProtocolTCP)
	apart := func(p *corev1.Pod) {
		podLabel("app", "web")(p)
		awayFrom(podTerm(corev1.LabelHostname, "web", "s"))(p)
	}
	nodes := []runtime.Object{
		testNode("a", "4", nodeLabel(corev1.LabelHostname, "a")), testNode("b", "4", nodeLabel(corev1.LabelHostname, "b")),
		set("web-1", "web", time.Hour), set("web-2", "web", time.Minute), set("other-1", "other", time.Hour),
	}
	for name, c := range map[string]struct {
		running []runtime.Object
		pod     *corev1.Pod
		want    string
	}{
		"host ports":                      {[]runtime.Object{testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), words},
		"anti-affinity":                   {[]runtime.Object{testPod("s/o1", "a", "1", of("web-1"), apart), testPod("s/o2", "b", "1", of("web-1"), apart)}, testPod("s/x", "", "1", of("web-2"), apart), words},
		"of the same ReplicaSet":          {[]runtime.Object{testPod("s/o1", "a", "1", of("web-2"), apart), testPod("s/o2", "b", "1", of("web-2"), apart)}, testPod("s/x", "", "1", of("web-2"), apart), ""},
		"one is of another workload":      {[]runtime.Object{testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("other-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"of a newer ReplicaSet":           {[]runtime.Object{testPod("s/o1", "a", "1", of("web-2"), port), testPod("s/o2", "b", "1", of("web-2"), port)}, testPod("s/x", "", "1", of("web-1"), port), ""},
		"they are being deleted":          {[]runtime.Object{testPod("s/o1", "a", "1", of("web-1"), port, ending), testPod("s/o2", "b", "1", of("web-1"), port, ending)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"no ReplicaSet":                   {[]runtime.Object{testPod("s/o1", "a", "1", of("web-1"), port), testPod("s/o2", "b", "1", of("web-1"), port)}, testPod("s/x", "", "1", port), ""},
		"a ReplicaSet that was not found": {[]runtime.Object{testPod("s/o1", "a", "1", of("gone"), port), testPod("s/o2", "b", "1", of("gone"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
		"the nodes are full as well":      {[]runtime.Object{testPod("s/o1", "a", "4", of("web-1"), port), testPod("s/o2", "b", "4", of("web-1"), port)}, testPod("s/x", "", "1", of("web-2"), port), ""},
	} {
		r := mustExplain(t, startEngine(t, Options{}, append(slices.Concat(nodes, c.running), c.pod)...), c.pod)
		if r.Further != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, r.Summary, c.want)
		}
	}
}

var (
	scattered = regexp.MustCompile(`^Enough capacity in total, but not on one node: (\S+) (\S+) free on (\d+) nodes?, at most (\S+) on one; it requests (\S+)\.$`)
	between   = regexp.MustCompile(`(\d+) nodes\b|\bnode-\d+\b`)
)

func TestEveryNearMissIsTrueOfTheNodesItIsToldOf(t *testing.T) {
	told := map[string]int{}
	for seed := range uint64(120) {
		d := dice(rand.New(rand.NewPCG(seed, 31)).IntN)
		c := newRandomCluster(d, 4, 20, 8)
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			r := mustExplain(t, e, pod)
			if r.Verdict != report.Unschedulable {
				continue
			}
			at := fmt.Sprintf("seed %d, %s: %s", seed, pod.Name, r.Summary)
			if who, _, ok := strings.Cut(r.Further, " with enough capacity: "); ok {
				told["beside"]++
				checkBeside(t, at, who, r)
			}
			switch {
			case strings.HasPrefix(r.Summary, "Too large for any node:"):
				told["larger"]++
				for _, node := range r.Nodes {
					if !lacksSize(node) {
						t.Errorf("%s: %s is large enough", at, node.Name)
					}
				}
			case strings.HasPrefix(r.Summary, "The cluster is full"), strings.HasPrefix(r.Summary, "Enough capacity in total"):
				told["room"]++
				checkRoom(t, at, r)
			case strings.HasPrefix(r.Summary, "Only "):
				told["between"]++
				checkBetween(t, at, r)
			}
		}
	}
	if told["beside"] == 0 {
		t.Error("no answer was about nodes beside the closest")
	}
	for _, kind := range []string{"larger", "room", "between"} {
		if told[kind] < 5 {
			t.Errorf("only %d answers were of the kind %q", told[kind], kind)
		}
	}
}

// lacksSize says whether a node has less of something in all than the pod wants.
func lacksSize(node report.NodeResult) bool {
	for _, rejection := range node.Rejections {
		for _, n := range rejection.Numbers {
			wanted, allocatable := resource.MustParse(n.Wanted), resource.MustParse(n.Allocatable)
			if rejection.Plugin == names.NodeResourcesFit && wanted.Cmp(allocatable) > 0 {
				return true
			}
		}
	}
	return false
}

// checkRoom recomputes what is free on the nodes that only lack room, and nothing that others
// of them have.
func checkRoom(t *testing.T, at string, r *report.Report) {
	t.Helper()
	sum, wanted, lacking, nodes := map[string]int64{}, map[string]int64{}, map[string]int{}, 0
	for _, node := range r.Nodes {
		if len(node.Rejections) != 1 || node.Rejections[0].Plugin != names.NodeResourcesFit {
			continue
		}
		nodes++
		for _, n := range node.Rejections[0].Numbers {
			need := resource.MustParse(n.Wanted)
			wanted[n.Resource] = need.MilliValue()
			lacking[n.Resource]++
		}
	}
	for _, node := range r.Nodes {
		if len(node.Rejections) != 1 || node.Rejections[0].Plugin != names.NodeResourcesFit {
			continue
		}
		if slices.ContainsFunc(node.Rejections[0].Numbers, func(n report.Number) bool { return lacking[n.Resource] < nodes }) {
			continue
		}
		for _, n := range node.Rejections[0].Numbers {
			free, request := resource.MustParse(n.Allocatable), resource.MustParse(n.Requested)
			free.Sub(request)
			sum[n.Resource] += max(free.MilliValue(), 0)
		}
	}
	enough := true
	for name := range lacking {
		enough = enough && (lacking[name] < nodes || sum[name] >= wanted[name])
	}
	if said := strings.HasPrefix(r.Summary, "Enough capacity"); nodes == 0 || said != enough {
		t.Errorf("%s: free %v of %v, lacking %v on %d nodes", at, sum, wanted, lacking, nodes)
	}
	if found := scattered.FindStringSubmatch(r.Summary); found != nil && lacking[found[1]] != nodes {
		t.Errorf("%s: %s is not what all lack", at, found[1])
	}
}

// checkBetween counts the nodes that only a taint, a label or a cordon keeps off.
func checkBetween(t *testing.T, at string, r *report.Report) {
	t.Helper()
	said := 0
	for _, found := range between.FindAllStringSubmatch(r.Summary, -1) {
		n := 1 // a node by its name
		if found[1] != "" {
			if _, err := fmt.Sscan(found[1], &n); err != nil {
				t.Fatal(err)
			}
		}
		said += n
	}
	lone := 0
	for _, node := range r.Nodes {
		only := true
		for _, rejection := range node.Rejections {
			cordon := rejection.Short == report.CordonWord
			only = only && (len(node.Rejections) == 1 || cordon) &&
				(cordon || rejection.Plugin == names.TaintToleration || rejection.Plugin == names.NodeAffinity)
		}
		if only {
			lone++
		}
	}
	if said != lone && !strings.Contains(r.Summary, " more") {
		t.Errorf("%s: %d nodes have one such thing in the way", at, lone)
	}
}

// checkBeside wants as many nodes that have enough capacity and are rejected by one plugin as are
// counted, or the named one.
func checkBeside(t *testing.T, at, who string, r *report.Report) {
	t.Helper()
	var beside []string
	for _, node := range r.Nodes {
		if len(node.Rejections) == 1 && node.Rejections[0].Plugin != names.NodeResourcesFit {
			beside = append(beside, node.Name)
		}
	}
	var counted int
	if _, err := fmt.Sscanf(who, "%d nodes", &counted); err != nil && !slices.Contains(beside, who) || counted > len(beside) {
		t.Errorf("%s: only %v have", at, beside)
	}
}
