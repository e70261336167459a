package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
)

// fits is the cluster of the drawings as far as cpu goes: std-b-02 lacks 350m,
// spot-c-01 1.2 and std-b-01 3.1 of 4.
func fits() *bench {
	return newBench(
		[]*corev1.Node{testNode("std-b-02", "15900m"), testNode("spot-c-01", "7900m"), testNode("std-b-01", "15900m")},
		[]*corev1.Pod{
			testPod("batch/report-1", "std-b-02", "12250m"), testPod("shop/cart", "spot-c-01", "5100m"),
			testPod("shop/checkout", "std-b-01", "15"),
		},
	)
}

func TestFitTellsTheSumBehindAShortage(t *testing.T) {
	w := fits().told(t, names.NodeResourcesFit, testPod("shop/x", "", "4"), "std-b-02")
	same(t, w.What, "std-b-02: cpu 350m short: wants 4, free 3650m = allocatable 15900m − requested 12250m")
	same(t, w.Short, "cpu 350m short")
}

func TestFitTellsEveryResourceThatIsShort(t *testing.T) {
	b := newBench([]*corev1.Node{testNode("n", "1", func(n *corev1.Node) {
		n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("1")
	})}, []*corev1.Pod{testPod("shop/a", "n", "500m", requesting(corev1.ResourceMemory, "7Gi"))})
	pod := testPod("shop/x", "", "750m", requesting(corev1.ResourceMemory, "1536Mi"),
		requesting("example.com/gpu", "2"), requesting(corev1.ResourceEphemeralStorage, "1Gi"))
	w := b.told(t, names.NodeResourcesFit, pod, "n")
	same(t, w.What, "n: pods 1 short: wants 1, free 0 = allocatable 1 − requested 1; "+
		"cpu 250m short: wants 750m, free 500m = allocatable 1 − requested 500m; "+
		"memory 512Mi short: wants 1536Mi, free 1Gi = allocatable 8Gi − requested 7Gi; "+
		"example.com/gpu 2 short: wants 2, free 0 = allocatable 0 − requested 0, more than the node has in all")
	same(t, w.Short, "pods 1, cpu 250m, memory 512Mi, example.com/gpu 2 short")
}

func TestFitOfSeveralNodesNamesTheNearestAndSumsUpTheRest(t *testing.T) {
	w := fits().toldTogether(t, names.NodeResourcesFit, testPod("shop/x", "", "4"), "std-b-02", "spot-c-01", "std-b-01")
	same(t, w.Short, "std-b-02: cpu 350m short; 2 more by 1.2–3.1")
	same(t, strings.Join(w.Wider, "\n"), "std-b-02: cpu 350m short; spot-c-01: 1.2; 1 more by 3.1\n"+
		"std-b-02: cpu 350m short; spot-c-01: 1.2; std-b-01: 3.1")
	same(t, w.What, "std-b-02, spot-c-01, std-b-01: cpu 350m–3100m short: wants 4, free 900m–3650m, "+
		"allocatable 7900m–15900m, requested 5100m–15")
}

func TestFitOfNodesThatLackTheSameSaysItOnce(t *testing.T) {
	b := newBench([]*corev1.Node{testNode("a", "3"), testNode("b", "3")}, nil)
	w := b.toldTogether(t, names.NodeResourcesFit, testPod("shop/x", "", "4"), "a", "b")
	same(t, w.Short, "cpu 1 short on each")
	same(t, w.What, "a, b: cpu 1 short: wants 4, free 3, allocatable 3, requested 0")
}

func TestFitCountsNominatedPodsAndNamesThem(t *testing.T) {
	b := newBench([]*corev1.Node{testNode("n", "4")}, []*corev1.Pod{testPod("shop/first", "", "3", nominatedTo("n"))})
	w := b.told(t, names.NodeResourcesFit, testPod("shop/x", "", "2"), "n")
	same(t, w.What, "n: cpu 1 short: wants 2, free 1 = allocatable 4 − requested 3 (counting shop/first, nominated there)")
}

func TestFitCountsOverheadAndSidecars(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	pod := testPod("shop/x", "", "1", func(p *corev1.Pod) {
		p.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}
		p.Spec.InitContainers = []corev1.Container{{Name: "proxy", RestartPolicy: &always, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")},
		}}}
	})
	w := newBench([]*corev1.Node{testNode("n", "1")}, nil).told(t, names.NodeResourcesFit, pod, "n")
	same(t, w.What, "n: cpu 750m short: wants 1750m, free 1 = allocatable 1 − requested 0, more than the node has in all")
}

func TestFitOrdersNodesByTheShareThatIsMissing(t *testing.T) {
	q, rs := fits().refusals(t, names.NodeResourcesFit, testPod("shop/x", "", "4"))
	for _, r := range rs {
		want := map[string]float64{"std-b-02": 0.0875, "spot-c-01": 0.3, "std-b-01": 0.775}[r.Name()]
		if got := plugins.NodeResourcesFit.Shortage(q, r); got != want {
			t.Errorf("%s lacks %v of what is wanted, want %v", r.Name(), got, want)
		}
	}
}

func TestEveryFigureOfFitStandsInTheSentenceAsWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, pod := anyBench(rt)
		q, rs := b.refusals(t, names.NodeResourcesFit, pod)
		for _, r := range rs {
			what := plugins.NodeResourcesFit.Words(q, []plugins.Refused{r}).What
			for _, f := range plugins.NodeResourcesFit.Figures(q, r) {
				if f.Short != f.Wanted+f.Requested-f.Allocatable || f.Short <= 0 {
					rt.Fatalf("%+v does not add up", f)
				}
				for _, amount := range []int64{f.Wanted, f.Requested, f.Allocatable, f.Short} {
					if !strings.Contains(what, " "+quantity.Canonical(f.Resource, amount)) {
						rt.Fatalf("%q lacks %s", what, quantity.Canonical(f.Resource, amount))
					}
				}
			}
		}
	})
}

// same fails if two texts differ, and shows both.
func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFitNamesItsReasonsInOneOrder(t *testing.T) {
	r := plugins.Refused{Plugin: names.NodeResourcesFit, Status: fwk.NewStatus(fwk.Unschedulable,
		"Insufficient example.com/tpu", "Insufficient memory", "Insufficient example.com/gpu", "Too many pods", "Insufficient cpu")}
	same(t, r.OwnReason(), "Insufficient cpu, Insufficient example.com/gpu, Insufficient example.com/tpu, Insufficient memory, Too many pods")
}
