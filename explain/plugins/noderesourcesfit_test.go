package plugins_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
)

// fits is the cluster of the drawings as far as cpu goes: std-b-02 lacks 350m,
// spot-c-01 1.2 and std-b-01 3.1 of 4.
func fits() *bench {
	return newBench(
		[]*corev1.Node{explaintest.Node("std-b-02", "15900m"), explaintest.Node("spot-c-01", "7900m"), explaintest.Node("std-b-01", "15900m")},
		[]*corev1.Pod{
			explaintest.Pod("batch/report-1", "std-b-02", "12250m"), explaintest.Pod("shop/cart", "spot-c-01", "5100m"),
			explaintest.Pod("shop/checkout", "std-b-01", "15"),
		},
	)
}

func TestFitTellsTheSumBehindAShortage(t *testing.T) {
	w := fits().told(t, names.NodeResourcesFit, explaintest.Pod("shop/x", "", "4"), "std-b-02")
	explaintest.Same(t, w.What, "std-b-02 needs cpu 350m more: the pod requests 4, free 3.65 = allocatable 15.9 − requested 12.25")
	explaintest.Same(t, w.Short, "needs cpu 350m more")
}

func TestFitTellsEveryResourceThatIsShort(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("n", "1", func(n *corev1.Node) {
		n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("1")
	})}, []*corev1.Pod{explaintest.Pod("shop/a", "n", "500m", explaintest.Requesting(corev1.ResourceMemory, "7Gi"))})
	pod := explaintest.Pod("shop/x", "", "750m", explaintest.Requesting(corev1.ResourceMemory, "1536Mi"),
		explaintest.Requesting("example.com/gpu", "2"), explaintest.Requesting(corev1.ResourceEphemeralStorage, "1Gi"))
	w := b.told(t, names.NodeResourcesFit, pod, "n")
	explaintest.Same(t, w.What, "n has reached its pod limit (pods: 1 more needed): the pod requests 1, free 0 = allocatable 1 − requested 1; "+
		"needs cpu 250m more: the pod requests 750m, free 500m = allocatable 1 − requested 500m; "+
		"needs memory 512Mi more: the pod requests 1536Mi, free 1Gi = allocatable 8Gi − requested 7Gi; "+
		"needs example.com/gpu 2 more: the pod requests 2, free 0 = allocatable 0 − requested 0 (the pod requests more than is allocatable)")
	explaintest.Same(t, w.Short, "has 1 of 1 pods, needs cpu 250m, memory 512Mi, example.com/gpu 2 more")
}

func TestFitOfSeveralNodesNamesTheNearestAndSumsUpTheRest(t *testing.T) {
	w := fits().toldTogether(t, names.NodeResourcesFit, explaintest.Pod("shop/x", "", "4"), "std-b-02", "spot-c-01", "std-b-01")
	explaintest.Same(t, w.Short, "cpu: std-b-02 needs 350m, 2 others 1.2–3.1")
	explaintest.Same(t, strings.Join(w.Wider, "\n"), "cpu: std-b-02 needs 350m, spot-c-01 1.2, 1 other 3.1\n"+
		"cpu: std-b-02 needs 350m, spot-c-01 1.2, std-b-01 3.1")
	explaintest.Same(t, w.What, "std-b-02, spot-c-01, std-b-01 need cpu 350m–3.1 more: the pod requests 4, free 900m–3.65, "+
		"allocatable 7.9–15.9, requested 5.1–15")
}

// Nodes where a resource is in use and nodes that have none of it, as without a device plugin, are told apart, also where
// pods still hold some there.
func TestFitOfNodesThatHaveNoneOfAResourceSaysSo(t *testing.T) {
	has := func(amount string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Status.Allocatable["example.com/gpu"] = resource.MustParse(amount) }
	}
	b := newBench([]*corev1.Node{
		explaintest.Node("a", "3", has("1")), explaintest.Node("b", "3", has("1")), explaintest.Node("c", "3", has("0")), explaintest.Node("d", "3", has("0")),
	}, []*corev1.Pod{
		explaintest.Pod("shop/1", "a", "", explaintest.Requesting("example.com/gpu", "1")), explaintest.Pod("shop/2", "b", "", explaintest.Requesting("example.com/gpu", "1")),
		explaintest.Pod("shop/3", "d", "", explaintest.Requesting("example.com/gpu", "1")),
	})
	pod := explaintest.Pod("shop/x", "", "", explaintest.Requesting("example.com/gpu", "1"))
	explaintest.Same(t, b.toldTogether(t, names.NodeResourcesFit, pod, "a", "b").Short, "each needs example.com/gpu 1 more")
	explaintest.Same(t, b.toldTogether(t, names.NodeResourcesFit, pod, "c", "d").Short, "example.com/gpu 0 allocatable")
	explaintest.Same(t, b.told(t, names.NodeResourcesFit, pod, "c").Short, "needs example.com/gpu 1 more (0 allocatable)")
}

func TestFitOfNodesThatLackTheSameSaysItOnce(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("a", "3"), explaintest.Node("b", "3")}, nil)
	w := b.toldTogether(t, names.NodeResourcesFit, explaintest.Pod("shop/x", "", "4"), "a", "b")
	explaintest.Same(t, w.Short, "each needs cpu 1 more")
	explaintest.Same(t, w.What, "a, b need cpu 1 more: the pod requests 4, free 3, allocatable 3, requested 0")
}

func TestFitCountsNominatedPodsAndNamesThem(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("n", "4")}, []*corev1.Pod{explaintest.Pod("shop/first", "", "3", explaintest.NominatedTo("n"))})
	w := b.told(t, names.NodeResourcesFit, explaintest.Pod("shop/x", "", "2"), "n")
	explaintest.Same(t, w.What, "n needs cpu 1 more: the pod requests 2, free 1 = allocatable 4 − requested 3 (counting shop/first, nominated to it)")
}

func TestFitCountsOverheadAndSidecars(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	pod := explaintest.Pod("shop/x", "", "1", func(p *corev1.Pod) {
		p.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}
		p.Spec.InitContainers = []corev1.Container{{Name: "proxy", RestartPolicy: &always, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")},
		}}}
	})
	w := newBench([]*corev1.Node{explaintest.Node("n", "1")}, nil).told(t, names.NodeResourcesFit, pod, "n")
	explaintest.Same(t, w.What, "n needs cpu 750m more: the pod requests 1.75, free 1 = allocatable 1 − requested 0 (the pod requests more than is allocatable)")
}

func TestFitOrdersNodesByTheShareThatIsMissing(t *testing.T) {
	q, rs := fits().rejections(t, names.NodeResourcesFit, explaintest.Pod("shop/x", "", "4"))
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
		q, rs := b.rejections(t, names.NodeResourcesFit, pod)
		for _, r := range rs {
			what := plugins.NodeResourcesFit.Words(q, []plugins.NodeRejection{r}).What
			for _, f := range plugins.NodeResourcesFit.Figures(q, r) {
				if f.Short != f.Wanted+f.Requested-f.Allocatable || f.Short <= 0 {
					rt.Fatalf("%+v does not add up", f)
				}
				for _, amount := range []int64{f.Wanted, f.Requested, f.Allocatable, f.Short} {
					if !strings.Contains(what, " "+quantity.Exact(f.Resource, amount)) {
						rt.Fatalf("%q lacks %s", what, quantity.Exact(f.Resource, amount))
					}
				}
			}
		}
	})
}

func TestFitNamesItsReasonsInOneOrder(t *testing.T) {
	r := plugins.NodeRejection{Plugin: names.NodeResourcesFit, Status: fwk.NewStatus(fwk.Unschedulable,
		"Insufficient example.com/tpu", "Insufficient memory", "Insufficient example.com/gpu", "Too many pods", "Insufficient cpu")}
	explaintest.Same(t, r.OwnReason(), "Insufficient cpu, Insufficient example.com/gpu, Insufficient example.com/tpu, Insufficient memory, Too many pods")
}
