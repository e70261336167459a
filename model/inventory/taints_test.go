package inventory

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// ago is a time before the tests' own.
func ago(d time.Duration) *metav1.Time { return new(metav1.NewTime(modeltest.Epoch.Add(-d))) }

// onNode is a pod of a workload that runs on a node, with tolerations.
func onNode(name, node, kind string, tolerations ...corev1.Toleration) *corev1.Pod {
	return modeltest.NewPod(name, node, "1", "1Gi", time.Hour, func(p *corev1.Pod) {
		p.Spec.Tolerations = tolerations
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: p.Name[:len(p.Name)-2], Controller: new(true)}}
	})
}

// selectingPool limits a pod to a pool.
func selectingPool(pool string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.NodeSelector = map[string]string{"karpenter.sh/nodepool": pool}
	return pod
}

var (
	everything = corev1.Toleration{Operator: corev1.TolerationOpExists}
	forML      = corev1.Toleration{Key: "dedicated", Value: "ml"}
	anyTenant  = corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists}
	dedicated  = corev1.Taint{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}
)

// forAWhile tolerates nodes that are not Ready for so many seconds.
func forAWhile(seconds int64) corev1.Toleration {
	return corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
}

// podWords are pods in a line each.
func podWords(pods []TaintPod) []string {
	words := []string{}
	for _, p := range pods {
		word := p.Namespace + "/" + p.Name + " on " + p.Node + ": " + p.Why
		if p.Evicts {
			word += fmt.Sprintf(", evicted after %ds", *p.After)
			if p.At != nil {
				word += " at " + p.At.Sub(modeltest.Epoch).String()
			}
		}
		words = append(words, word)
	}
	return words
}

func TestPodsOnTaintedNodes(t *testing.T) {
	notReady := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute, TimeAdded: ago(4 * time.Minute)}
	for _, test := range []struct {
		name      string
		taints    []corev1.Taint
		pods      []*corev1.Pod
		tolerated int
		intruders []string
	}{
		{
			"NoSchedule was added later",
			[]corev1.Taint{dedicated},
			[]*corev1.Pod{onNode("shop/web-0", "gpu-1", "ReplicaSet"), onNode("ml/run-0", "gpu-1", "Job", forML), onNode("ml/run-1", "", "Job", forML)},
			2,
			[]string{"shop/web-0 on gpu-1: does not tolerate it"},
		},
		{
			"NoExecute evicts those first that tolerate it least",
			[]corev1.Taint{notReady},
			[]*corev1.Pod{
				onNode("shop/a-0", "gpu-1", "ReplicaSet", forAWhile(300)), onNode("shop/b-0", "gpu-1", "ReplicaSet", forAWhile(270)),
				onNode("shop/c-0", "gpu-1", "ReplicaSet"), onNode("kube/proxy-0", "gpu-1", "DaemonSet", everything),
			},
			3,
			[]string{
				"shop/c-0 on gpu-1: does not tolerate it, evicted after 0s at -4m0s",
				"shop/b-0 on gpu-1: tolerates it for a time, evicted after 270s at 30s",
				"shop/a-0 on gpu-1: tolerates it for a time, evicted after 300s at 1m0s",
			},
		},
		{
			"a taint without a time has no countdown",
			[]corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute}},
			[]*corev1.Pod{onNode("shop/a-0", "gpu-1", "ReplicaSet", forAWhile(300))},
			1,
			[]string{"shop/a-0 on gpu-1: tolerates it for a time, evicted after 300s"},
		},
		{
			"PreferNoSchedule lets pods in",
			[]corev1.Taint{{Key: "slow", Effect: corev1.TaintEffectPreferNoSchedule}},
			[]*corev1.Pod{onNode("shop/a-0", "gpu-1", "ReplicaSet")},
			0,
			[]string{},
		},
		{
			"no taint stops a mirror pod, and one that is being deleted leaves",
			[]corev1.Taint{dedicated},
			[]*corev1.Pod{
				modeltest.NewPod("kube/api-0", "gpu-1", "1", "1Gi", 0, func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }),
				modeltest.NewPod("shop/web-0", "gpu-1", "1", "1Gi", 0, func(p *corev1.Pod) { p.DeletionTimestamp = ago(0) }),
			},
			0,
			[]string{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := Taints(snapshotOf(model.Status{}, []*corev1.Node{modeltest.NewNode("gpu-1", "a", "8", "8Gi", test.taints...)}, test.pods...))
			if len(found) != 1 || *found[0].Tolerated != test.tolerated {
				t.Fatalf("got %+v, want one taint that %d pods tolerate", found, test.tolerated)
			}
			if diff := cmp.Diff(test.intruders, podWords(found[0].Intruders)); diff != "" {
				t.Errorf("intruders (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnotherTaintMayEvictSooner has a pod that tolerates one taint for longer than another.
func TestAnotherTaintMayEvictSooner(t *testing.T) {
	node := modeltest.NewNode("n1", "a", "8", "8Gi",
		corev1.Taint{Key: "repair", Effect: corev1.TaintEffectNoExecute, TimeAdded: ago(time.Minute)},
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute, TimeAdded: ago(time.Minute)})
	pod := onNode("shop/a-0", "n1", "ReplicaSet", forAWhile(300), corev1.Toleration{Key: "repair", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(90))})
	for _, taint := range Taints(snapshotOf(model.Status{}, []*corev1.Node{node}, pod)) {
		if at := taint.Intruders[0].At; at == nil || at.Sub(modeltest.Epoch) != 30*time.Second {
			t.Errorf("%s: evicted at %v, want 30s from now", taint.Spec(), at)
		}
	}
}

func TestPoolsThatAreReserved(t *testing.T) {
	nodes := []*corev1.Node{
		modeltest.NewNode("gpu-1", "a", "8", "8Gi", dedicated), modeltest.NewNode("gpu-2", "b", "8", "8Gi", dedicated),
		modeltest.NewNode("std-1", "a", "8", "8Gi"),
	}
	tenant := selectingPool("gpu", onNode("ml/train-0", "gpu-1", "Job", forML))
	for _, test := range []struct {
		name            string
		pods            []*corev1.Pod
		reserved        bool
		inside, outside []string
	}{
		{"nobody selects the pool", []*corev1.Pod{onNode("ml/train-0", "gpu-1", "Job", forML)}, false, nil, nil},
		{"the tenant has it to itself", []*corev1.Pod{tenant}, true, []string{}, []string{}},
		{
			"a pod that selects other nodes too is no tenant's", []*corev1.Pod{func() *corev1.Pod {
				p := onNode("ml/train-0", "gpu-1", "Job", forML)
				p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
				return p
			}()}, false, nil, nil,
		},
		{
			"the agent of a DaemonSet is no tenant and no leak", []*corev1.Pod{
				selectingPool("gpu", onNode("kube/agent-0", "gpu-1", "DaemonSet", anyTenant)),
			}, false, nil, nil,
		},
		{
			"pods of others are inside", []*corev1.Pod{
				tenant, onNode("shop/old-0", "gpu-1", "ReplicaSet"), onNode("shop/all-0", "gpu-2", "ReplicaSet", everything),
				onNode("shop/key-0", "gpu-2", "ReplicaSet", anyTenant), onNode("kube/proxy-0", "gpu-2", "DaemonSet", everything),
			}, true, []string{
				"shop/all-0 on gpu-2: tolerates every taint", "shop/key-0 on gpu-2: tolerates every value of the key", "shop/old-0 on gpu-1: does not tolerate it",
			}, []string{},
		},
		{
			"the tenant's pods are outside",
			[]*corev1.Pod{tenant, onNode("ml/serve-0", "std-1", "ReplicaSet", forML), onNode("ml/serve-1", "gpu-2", "ReplicaSet", forML)},
			true,
			[]string{},
			[]string{"ml/serve-0 on std-1: is not limited to these nodes"},
		},
		{
			"a node lost the label",
			[]*corev1.Pod{tenant, selectingPool("gpu", onNode("ml/train-1", "std-1", "Job", forML))},
			true,
			[]string{},
			[]string{"ml/train-1 on std-1: its node no longer matches its node selector"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := Taints(snapshotOf(model.Status{}, nodes, test.pods...))[0]
			if test.reserved != (found.Reserved != nil) {
				t.Fatalf("reserved: %+v, want %v", found.Reserved, test.reserved)
			}
			if !test.reserved {
				return
			}
			if diff := cmp.Diff([]string{"gpu"}, found.Reserved.Pools); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.inside, podWords(found.Reserved.Inside)); diff != "" {
				t.Errorf("inside (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.outside, podWords(found.Reserved.Outside)); diff != "" {
				t.Errorf("outside (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheWorstTaintIsFirst(t *testing.T) {
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: ago(time.Hour)}
	since := func(d time.Duration) corev1.Taint {
		return corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute, TimeAdded: ago(d)}
	}
	s := snapshotOf(model.Status{}, []*corev1.Node{
		modeltest.NewNode("gpu-1", "a", "8", "8Gi", dedicated, cordon), modeltest.NewNode("std-1", "a", "8", "8Gi", since(time.Minute), cordon),
		modeltest.NewNode("std-2", "a", "8", "8Gi", since(2*time.Minute)), modeltest.NewNode("std-3", "a", "8", "8Gi", corev1.Taint{Key: "empty", Effect: corev1.TaintEffectNoExecute}),
	}, onNode("shop/a-0", "std-1", "ReplicaSet", forAWhile(300)), onNode("shop/b-0", "gpu-1", "ReplicaSet"), onNode("shop/c-0", "std-2", "ReplicaSet", forAWhile(300)))
	order := []string{}
	for _, taint := range Taints(s) {
		word := fmt.Sprintf("%s on %v, %d running", taint.Spec(), taint.Nodes, *taint.Running)
		if taint.Since != nil {
			word += ", " + modeltest.Epoch.Sub(*taint.Since).String()
		}
		order = append(order, word)
	}
	if diff := cmp.Diff([]string{
		"node.kubernetes.io/not-ready:NoExecute on [std-1 std-2], 2 running, 2m0s",
		"dedicated=ml:NoSchedule on [gpu-1], 1 running",
		"node.kubernetes.io/unschedulable:NoSchedule on [gpu-1 std-1], 2 running, 1h0m0s",
		"empty:NoExecute on [std-3], 0 running",
	}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhenPodsAreEvicted(t *testing.T) {
	pod := func(after int64, at *metav1.Time) TaintPod {
		p := TaintPod{Evicts: true, After: &after}
		if at != nil {
			p.At = &at.Time
		}
		return p
	}
	for _, test := range []struct {
		pods []TaintPod
		want string
	}{
		{nil, ""},
		{[]TaintPod{{}}, ""},
		{[]TaintPod{pod(0, nil)}, "1 now"},
		{[]TaintPod{pod(0, ago(5*time.Second)), pod(300, ago(-time.Minute))}, "1 now, 1 later"},
		{[]TaintPod{pod(0, ago(3*time.Minute))}, "1 due 3m ago"},
		{[]TaintPod{pod(300, ago(-56*time.Second)), pod(300, ago(-56*time.Second)), {}}, "2 in 56s"},
		{[]TaintPod{pod(300, ago(-56*time.Second)), pod(300, ago(-296*time.Second)), pod(300, nil)}, "1 in 56s, 2 later"},
		{[]TaintPod{pod(300, nil), pod(300, nil)}, "2 within 5m"},
	} {
		taint := Taint{Intruders: test.pods}
		if got := taint.NextEviction(modeltest.Epoch); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestWithoutAllPodsTheirCountsAreUnknown(t *testing.T) {
	for _, status := range []model.Status{
		{Namespace: "shop"}, {Reading: map[string]int{"pods": 3}}, {Unread: []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}},
	} {
		found := Taints(snapshotOf(status, []*corev1.Node{modeltest.NewNode("gpu-1", "a", "8", "8Gi", dedicated)}, onNode("shop/a-0", "gpu-1", "ReplicaSet")))
		if len(found) != 1 || found[0].Tolerated != nil || found[0].Running != nil || found[0].Intruders != nil || found[0].Reserved != nil {
			t.Errorf("%+v: %+v", status, found)
		}
	}
}
