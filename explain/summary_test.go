package explain

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// drawnCluster is the cluster of 12 nodes that the screens are drawn with, and
// the pod shop/checkout that fits none of them.
func drawnCluster() ([]runtime.Object, *corev1.Pod) {
	ssd := nodeLabel("disktype", "ssd")
	hdd := nodeLabel("disktype", "hdd")
	gpu := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	notReady := nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)
	cordon := func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(n)
	}
	filled := func(node, cpu string, edits ...func(*corev1.Pod)) *corev1.Pod {
		return testPod("batch/on-"+node, node, cpu, edits...)
	}
	objects := []runtime.Object{
		testNode("std-a-01", "15900m", hdd), testNode("std-a-02", "15900m", hdd), testNode("std-c-01", "15900m"), testNode("std-c-02", "15900m", hdd),
		testNode("std-b-01", "15900m", ssd), testNode("std-b-02", "15900m", ssd), testNode("spot-c-01", "7900m", ssd),
		testNode("gpu-a-01", "31800m", ssd, gpu), testNode("gpu-b-01", "31800m", ssd, gpu), testNode("gpu-c-01", "31800m", ssd, gpu),
		testNode("spot-a-01", "7900m", ssd, cordon), testNode("spot-b-01", "7900m", ssd, notReady),
		filled("std-b-02", "12250m"), filled("spot-c-01", "5100m"), filled("std-b-01", "15"),
		filled("spot-b-01", "5900m"), filled("spot-a-01", "1", requesting(corev1.ResourceMemory, "6Gi")),
	}
	pod := testPod("shop/checkout", "", "4", requesting(corev1.ResourceMemory, "4Gi"), selecting("disktype", "ssd"))
	return objects, pod
}

// rowOf is what the row of Pending says: BLOCKED BY, then WHY.
func rowOf(r *report.Report) string { return r.BlockedBy + " | " + r.Why }

func TestTheDrawnClusterIsToldAsDrawn(t *testing.T) {
	objects, pod := drawnCluster()
	r := mustExplain(t, startEngine(t, Options{}, objects...), pod)
	same(t, r.Summary, "0 of 12 nodes fit. Closest: std-b-02 needs cpu 350m more.")
	same(t, r.State, "unschedulable")
	same(t, rowOf(r), "cpu | std-b-02 needs 350m more")
	var words, wide []string
	for _, g := range r.Groups {
		words, wide = append(words, g.Words), append(wide, longest(&g, 80))
	}
	same(t, strings.Join(words, "\n"), `cpu: std-b-02 needs 350m, 2 others 1.2–3.1
dedicated=gpu:NoSchedule
node selector disktype=ssd: 3 have hdd, 1 has no label
spot-b-01: NotReady; needs cpu 2 more
spot-a-01: cordoned; needs memory 2Gi more`)
	same(t, strings.Join(wide[:2], "\n"), `cpu: std-b-02 needs 350m, spot-c-01 1.2, std-b-01 3.1
gpu-a-01, gpu-b-01, gpu-c-01: dedicated=gpu:NoSchedule`)
}

func TestWhyNoNodeFitsIsToldApart(t *testing.T) {
	taint := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	cordon := func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(n)
	}
	small := func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("1Gi") }
	full := func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("0") }
	front := func(p *corev1.Pod) {
		podLabel("app", "front")(p)
		awayFrom(podTerm(corev1.LabelHostname, "front"))(p)
	}
	for name, c := range map[string]struct {
		objects             []runtime.Object
		pod                 *corev1.Pod
		summary, state, why string
	}{
		"no nodes": {
			nil, testPod("shop/x", "", "4"),
			"No node fits: the cluster has no nodes.", "unschedulable", "no nodes | the cluster has no nodes",
		},
		"too large": {
			[]runtime.Object{testNode("a", "31800m"), testNode("b", "15900m", taint)},
			testPod("shop/x", "", "32"),
			"Too large for any node: it requests cpu 32, the largest node has 31.8 allocatable.", "unschedulable", "too large | cpu 32; largest node 31.8",
		},
		"too large in two ways": {
			[]runtime.Object{testNode("a", "8", small), testNode("b", "2")},
			testPod("shop/x", "", "4", requesting(corev1.ResourceMemory, "4Gi")),
			"Too large for any node: no node has cpu 4 and memory 4Gi allocatable.", "unschedulable", "too large | cpu 4 and memory 4Gi",
		},
		"nobody has it": {
			[]runtime.Object{testNode("a", "4")},
			testPod("shop/x", "", "1", requesting("nvidia.com/gpu", "1")),
			"No node has nvidia.com/gpu: it requests 1.", "unschedulable", "gpu | no node has nvidia.com/gpu",
		},
		"full": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/1", "a", "3650m"), testPod("shop/2", "b", "4"), testNode("c", "8", taint, full)},
			testPod("shop/x", "", "1"),
			"The cluster is full for this pod: no node that would accept it has more than cpu 350m free.", "unschedulable", "cpu | a needs 650m more",
		},
		"fragmented": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/1", "a", "350m"), testPod("shop/2", "b", "2")},
			testPod("shop/x", "", "4"),
			"Enough capacity in total, but not on one node: cpu 5.65 free on 2 nodes, at most 3.65 on one; it requests 4.", "unschedulable", "cpu | a needs 350m more",
		},
		"a node with its pod limit reached has no capacity that counts": { // 1 and 3 of 4 would be enough
			[]runtime.Object{
				testNode("a", "4"), testNode("b", "4", nodeHaving(corev1.ResourcePods, "1")),
				testPod("shop/1", "a", "3"), testPod("shop/2", "b", "1"),
			},
			testPod("shop/x", "", "4"),
			"The cluster is full for this pod: no node that would accept it has more than cpu 3 free.", "unschedulable", "cpu | a needs 3 more",
		},
		"only a taint": {
			[]runtime.Object{testNode("a", "4", taint), testNode("b", "4", taint)},
			testPod("shop/x", "", "1"),
			"Only a taint blocks it: 2 nodes would accept it without dedicated=gpu:NoSchedule.", "unschedulable", "taint | dedicated=gpu:NoSchedule",
		},
		"only a label": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", nodeLabel("disktype", "hdd")), testNode("c", "4", taint, cordon)},
			testPod("shop/x", "", "1", selecting("disktype", "ssd")),
			"Only its node selector blocks it: 2 nodes would accept it without disktype=ssd.", "unschedulable", "node selector | disktype=ssd: 1 has hdd, 1 has no label",
		},
		"only a node affinity without terms that match": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4")},
			testPod("shop/x", "", "1", explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{})),
			"Only its node affinity blocks it: 2 nodes would accept it without its empty node affinity.", "unschedulable", "node affinity | is empty and matches no node",
		},
		"only cordons": {
			[]runtime.Object{testNode("a", "4", cordon), testNode("b", "4", cordon, taint)},
			testPod("shop/x", "", "1"),
			"Only a cordon blocks it: a would accept it once uncordoned.", "unschedulable", "cordoned | a",
		},
		"one per node": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/1", "a", "", front), testPod("shop/2", "b", "", front)},
			testPod("shop/x", "", "1", front),
			"0 of 2 nodes fit. Closest: a and 1 more, one per node: each has one.", "unschedulable", "anti-affinity | one per node: each has one",
		},
		"a missing claim": {
			[]runtime.Object{testNode("a", "4"), testNode("b", "4", taint)},
			testPod("shop/x", "", "1", func(p *corev1.Pod) {
				p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "warehouse"},
				}}}
			}),
			"No node fits: claim shop/warehouse does not exist.", "unschedulable", "claim | shop/warehouse does not exist",
		},
		"a cordon is one reason": {
			[]runtime.Object{testNode("a", "2", nodeLabel("disktype", "hdd")), testNode("b", "16", cordon, nodeLabel("disktype", "ssd"))},
			testPod("shop/x", "", "3", selecting("disktype", "ssd")),
			"Only a cordon blocks it: b would accept it once uncordoned.", "unschedulable", "cordoned | b",
		},
		"several things": {
			[]runtime.Object{testNode("a", "4", taint), testNode("b", "2")},
			testPod("shop/x", "", "3"),
			"Too large for every node that would accept it: it requests cpu 3, the largest of them has 2 allocatable; a would accept it without dedicated=gpu:NoSchedule.",
			"unschedulable", "too large | cpu 3; largest node that accepts it 2",
		},
	} {
		r := mustExplain(t, startEngine(t, Options{}, c.objects...), c.pod)
		if r.Summary != c.summary || r.State != c.state || rowOf(r) != c.why {
			t.Errorf("%s: got\n%s\n%s\n%s\nwant\n%s\n%s\n%s", name, r.Summary, r.State, rowOf(r), c.summary, c.state, c.why)
		}
	}
}

func TestEveryOtherVerdictIsToldInItsWords(t *testing.T) {
	node := testNode("std-a-01", "4")
	ago := func(d time.Duration) metav1.Time { return metav1.NewTime(testNow.Add(-d)) }
	bound := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: ago(3 * time.Minute)}}
	}
	waiting := func(reason, message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			bound(p)
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Name: "app", Image: "registry.example/cart:v9",
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
			}}
		}
	}
	unschedulable := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, LastTransitionTime: ago(14 * time.Minute), Message: "0/1 nodes"}}
	}
	noLease := func(context.Context, string) (alive, known bool, why string) {
		return false, true, "no Lease, no events, no pods bound by it"
	}
	seen := func(context.Context, *corev1.Pod) *metav1.Time { return new(ago(15 * time.Second)) }
	for name, c := range map[string]struct {
		options             Options
		pod                 *corev1.Pod
		summary, state, why string
	}{
		"gated": {
			Options{},
			testPod("shop/x", "", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} }),
			"Gated by example.com/budget until the gate is removed.", "gated", "gate | example.com/budget",
		},
		"gated twice": {
			Options{},
			testPod("shop/x", "", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "a"}, {Name: "b"}} }),
			"Gated by a, b until all of them are removed.", "gated", "gate | a, b",
		},
		"no scheduler": {
			Options{Lookups: Lookups{SchedulerAlive: noLease}},
			testPod("shop/x", "", "1", func(p *corev1.Pod) { p.Spec.SchedulerName = "ml-scheduler" }),
			"Scheduler \"ml-scheduler\" is not running: no Lease, no events, no pods bound by it.", "no scheduler",
			"no scheduler | \"ml-scheduler\" is not running: no Lease, no events, no pods bound by it",
		},
		"fits, seen": {
			Options{Lookups: Lookups{AttemptSeen: seen}},
			testPod("shop/x", "", "1", unschedulable),
			"It fits 1 node now: std-a-01. kube-scheduler last tried it 15s ago.", "fits now", "nothing | fits 1 node; tried 15s ago",
		},
		"fits, not seen": {
			Options{},
			testPod("shop/x", "", "1", unschedulable),
			"It fits 1 node now: std-a-01. kube-scheduler has reported it as unschedulable for 14m.", "fits now", "nothing | fits 1 node; unschedulable for 14m",
		},
		"fits, new": {
			Options{},
			testPod("shop/x", "", "1"),
			"It fits 1 node now: std-a-01. No scheduler has tried it yet.", "fits now", "nothing | fits 1 node; not tried by a scheduler yet",
		},
		"image": {
			Options{},
			testPod("shop/x", "std-a-01", "1", waiting("ErrImagePull", "failed to pull and unpack image: unexpected status from HEAD request: 403 Forbidden")),
			"Scheduled to std-a-01 3m ago, not started: the image registry.example/cart:v9 cannot be pulled (403 Forbidden).", "image",
			"image | std-a-01: ErrImagePull, 403 Forbidden",
		},
		"container": {
			Options{},
			testPod("shop/x", "std-a-01", "1", waiting("CreateContainerConfigError", `secret "db" not found`)),
			`Scheduled to std-a-01 3m ago, not started: container app does not start (CreateContainerConfigError, secret "db" not found).`, "not started",
			`not started | std-a-01: CreateContainerConfigError, secret "db" not found`,
		},
		"kubelet": {
			Options{},
			testPod("shop/x", "std-a-01", "1", bound),
			"Scheduled to std-a-01 3m ago, not started: the kubelet has not started it.", "not started", "not started | std-a-01: waiting for the kubelet",
		},
		"no such node": {
			Options{},
			testPod("shop/x", "gone", "1", bound),
			"Scheduled to gone 3m ago: Node gone does not exist. The pod garbage collector of kube-controller-manager deletes such pods.", "no such node",
			"no such node | gone does not exist",
		},
	} {
		r := mustExplain(t, startEngine(t, c.options, node), c.pod)
		if r.Summary != c.summary || r.State != c.state || rowOf(r) != c.why {
			t.Errorf("%s: got\n%s\n%s\n%s\nwant\n%s\n%s\n%s", name, r.Summary, r.State, rowOf(r), c.summary, c.state, c.why)
		}
	}
}

func TestANominatedPodTellsWhatItWaitsFor(t *testing.T) {
	ending := func(p *corev1.Pod) {
		p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(18 * time.Second)))
		p.Finalizers = []string{"example.com/keep"}
	}
	pod := testPod("payments/ledger-0", "", "4", priority(1000), nominatedTo("std-c-01"))
	e := startEngine(t, Options{}, testNode("std-c-01", "4"), testPod("batch/a", "std-c-01", "2", ending), testPod("batch/b", "std-c-01", "2", ending))
	r := mustExplain(t, e, pod)
	same(t, r.Summary, "Preempting: nominated to std-c-01; 2 pods terminating, 18s of grace left.")
	same(t, r.State, "preempting")
	same(t, rowOf(r), "preempting | std-c-01: 2 pods, 18s left")
	if want := []string{"batch/a is terminating on std-c-01, 18s of grace left", "batch/b is terminating on std-c-01, 18s of grace left"}; !slices.Equal(slices.Sorted(slices.Values(r.Facts)), want) {
		t.Error(r.Facts)
	}
}

// A second deletion may shorten a grace period: kube-apiserver lets it through. A kubelet that does not respond ends
// nothing.
func TestLongGracePeriodsOfVictimsAreToldWithWhatEndsThemSooner(t *testing.T) {
	const command = "kubectl delete pod -n batch a b --grace-period=60"
	for name, c := range map[string]struct {
		left  time.Duration
		ready corev1.ConditionStatus
		want  bool
	}{
		"hours":                       {5*time.Hour + 6*time.Minute, corev1.ConditionTrue, true},
		"seconds":                     {18 * time.Second, corev1.ConditionTrue, false},
		"hours on a node that is off": {5 * time.Hour, corev1.ConditionUnknown, false},
		"over":                        {-time.Hour, corev1.ConditionTrue, false},
	} {
		t.Run(name, func(t *testing.T) {
			ending := func(p *corev1.Pod) {
				p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(c.left)))
				p.Finalizers = []string{"example.com/keep"}
			}
			node := testNode("std-c-01", "4")
			node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: c.ready}}
			pod := testPod("payments/ledger-0", "", "4", priority(1000), nominatedTo("std-c-01"))
			e := startEngine(t, Options{}, node, pod, testPod("batch/b", "std-c-01", "2", ending), testPod("batch/a", "std-c-01", "2", ending))
			r := must(e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID)}))
			said := strings.Join(r.Facts, "\n")
			if got := strings.Contains(said, command+" ends them sooner: they get less time to shut down, so ask the owner first."); got != c.want {
				t.Errorf("the facts have the command: %t, want %t:\n%s", got, c.want, said)
			}
			found := must(fixesOf(t.Context(), e, report.PodOf(pod.UID)))
			want := "Its victims are terminating: it is waiting for their capacity."
			if c.want {
				want = "Its victims are terminating: it is waiting for their capacity, 5h of grace left. " + command
			}
			if got := found.Sentence(); !strings.HasPrefix(got, want) {
				t.Errorf("fixes: %s, want %s", got, want)
			}
		})
	}
}

func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	r := mustExplain(t, startEngineForbidding(t, Options{}, []string{"nodes"}), testPod("shop/x", "", "1"))
	if !strings.HasPrefix(r.Summary, "Unknown: not allowed to list nodes. ") || !strings.HasSuffix(r.Summary, " more could not be evaluated.") {
		t.Error(r.Summary)
	}
	same(t, r.State, "unknown")
	same(t, r.Why, "not allowed to list nodes")
}

// longest are the longest words of a group within width cells.
func longest(g *report.Group, width int) string {
	words := g.Words
	if len(g.Rejections) == 1 {
		for _, wider := range g.Rejections[0].Wider {
			if grammar.Cells(wider) <= width {
				words = wider
			}
		}
	}
	return words
}
