package explain

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

func TestOneNodeIsToldAsTheWholeExplanationTellsIt(t *testing.T) {
	compared := 0
	for seed := range uint64(15) {
		d := dice(rand.New(rand.NewPCG(seed, 11)).IntN)
		c := newRandomCluster(d, 6, 30, 12)
		e := startEngine(t, Options{}, c.Objects()...)
		for _, node := range c.Nodes {
			for _, pod := range c.Pending {
				answers, err := e.OnNode(t.Context(), []types.UID{pod.UID}, node.Name)
				if err != nil {
					t.Fatal(err)
				}
				r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes})
				if err != nil {
					t.Fatal(err)
				}
				if len(answers) != 1 {
					t.Fatalf("seed %d: %d answers for %s", seed, len(answers), pod.Name)
				}
				at := slices.IndexFunc(r.Nodes, func(n report.NodeResult) bool { return n.Name == node.Name })
				if at < 0 { // no nodes are told of pods that no scheduler looks at
					if answers[0].Held == "" {
						t.Errorf("seed %d: %s is %s, and is not told to be held", seed, pod.Name, r.Verdict)
					}
					continue
				}
				compared++
				want := r.Nodes[at]
				got := report.NodeResult{Name: want.Name, Fits: answers[0].Fits, Rejections: answers[0].Rejections}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("seed %d, %s on %s:\n%s", seed, pod.Name, node.Name, diff)
				}
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d answers were compared", compared)
	}
}

func TestWhatOnlyNotReadyRejectsFitsTheNodeOnceItIsReady(t *testing.T) {
	fits, rejected := 0, 0
	for seed := range uint64(15) {
		c := newRandomCluster(dice(rand.New(rand.NewPCG(seed, 12)).IntN), 6, 20, 15)
		node := c.Nodes[0]
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable
		})
		ready := startEngine(t, Options{}, c.Objects()...)
		tainted := node.DeepCopy()
		for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule} {
			tainted.Spec.Taints = append(tainted.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: effect})
		}
		c.Nodes[0] = tainted
		unready := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			before, err := unready.OnNode(t.Context(), []types.UID{pod.UID}, node.Name)
			if err != nil {
				t.Fatal(err)
			}
			after, err := ready.OnNode(t.Context(), []types.UID{pod.UID}, node.Name)
			if err != nil {
				t.Fatal(err)
			}
			if before[0].Held != "" || before[0].Fits == nil || *before[0].Fits {
				continue
			}
			want := after[0].Fits != nil && *after[0].Fits
			if got := before[0].OnlyNotReady(); got != want {
				t.Errorf("seed %d: %s is rejected by the node's state only: %v, and fits without it: %v\n%+v", seed, pod.Name, got, want, before[0].Rejections)
			}
			if want {
				fits++
			} else {
				rejected++
			}
		}
	}
	if fits < 5 || rejected < 5 {
		t.Errorf("%d pods would fit, %d would not", fits, rejected)
	}
}

func TestPodsThatFitANodeComeFirstAndHeldOnesLast(t *testing.T) {
	node := testNode("std-b-02", "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))
	tolerant := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}
	gated := func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} }
	pods := []*corev1.Pod{
		testPod("shop/held", "", "1", tolerant, gated),
		testPod("shop/two-ways", "", "8"),
		testPod("shop/far", "", "8", tolerant),
		testPod("shop/near", "", "5", tolerant),
		testPod("shop/fits", "", "4", tolerant),
		testPod("shop/placed", "std-b-02", "", tolerant),
	}
	e := startEngine(t, Options{}, node)
	var uids []types.UID
	for _, pod := range pods {
		if err := e.Apply(2, []scheduler.Change{{New: pod}}); err != nil {
			t.Fatal(err)
		}
		uids = append(uids, pod.UID)
	}
	answers, err := e.OnNode(t.Context(), append(uids, "shop/gone"), "std-b-02")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(answers, func(a, b report.NodeAnswer) int { return a.Compare(&b) })
	var got []string
	for _, a := range answers {
		got = append(got, string(a.UID)+": "+a.Held+a.Words())
	}
	want := []string{
		"shop/fits: ", "shop/near: needs cpu 1 more", "shop/far: needs cpu 4 more", "shop/two-ways: dedicated=gpu:NoSchedule; needs cpu 4 more",
		"shop/held: gated: example.com/budget",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A pod that requests more than is allocatable never fits, however little it lacks.
func TestAPodThatNeverFitsANodeIsNotTheClosest(t *testing.T) {
	taint := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	tolerant := func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	e := startEngine(t, Options{}, testNode("a", "4", taint), testPod("shop/large", "", "4100m", tolerant), testPod("shop/tainted", "", "1"), testPod("shop/gpu", "", "1", tolerant, requesting("example.com/gpu", "1")))
	answers, err := e.OnNode(t.Context(), []types.UID{"shop/large", "shop/tainted", "shop/gpu"}, "a")
	if err != nil {
		t.Fatal(err)
	}
	large, tainted, gpu := &answers[0], &answers[1], &answers[2]
	if tainted.Compare(large) >= 0 || tainted.Compare(gpu) >= 0 || tainted.TooSmall || !large.TooSmall || !gpu.TooSmall {
		t.Errorf("the pod that lacks only a toleration is not the closest: %+v", answers)
	}
}

// On a full node each pod lacks all that it requests: the one that requests least is the closest.
func TestOnAFullNodeTheSmallestPodIsTheClosest(t *testing.T) {
	e := startEngine(t, Options{}, testNode("a", "4"), testPod("shop/full", "a", "4"), testPod("shop/large", "", "2"), testPod("shop/small", "", "1"))
	answers, err := e.OnNode(t.Context(), []types.UID{"shop/large", "shop/small"}, "a")
	if err != nil {
		t.Fatal(err)
	}
	if large, small := &answers[0], &answers[1]; small.Compare(large) >= 0 {
		t.Errorf("cpu 1 is no closer than cpu 2: distances %v, %v", small.Distance, large.Distance)
	}
}

func TestANodeThatIsNotThereHasNoAnswer(t *testing.T) {
	pod := testPod("shop/x", "", "1")
	e := startEngine(t, Options{}, testNode("a", "4"), pod)
	if _, err := e.OnNode(t.Context(), []types.UID{pod.UID}, "b"); !errors.Is(err, ErrNoNode) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.OnNode(ctx, []types.UID{pod.UID}, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWhatCouldNotBeReadLeavesANodeOpen(t *testing.T) {
	pod := testPod("shop/x", "", "1")
	for _, resource := range []string{"nodes", "pods"} {
		e := startEngineForbidding(t, Options{}, []string{resource}, testNode("a", "4"))
		if err := e.Apply(2, []scheduler.Change{{New: pod}}); err != nil {
			t.Fatal(err)
		}
		answers, err := e.OnNode(t.Context(), []types.UID{pod.UID}, "a")
		if err != nil {
			t.Fatal(err)
		}
		if len(answers) != 1 || answers[0].Fits != nil || len(answers[0].Unknown) == 0 {
			t.Errorf("without %s: %+v", resource, answers)
		}
	}
}
