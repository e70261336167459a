package explain

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// mustFit asks how many pods fit.
func mustFit(t testing.TB, e *Engine, q report.FitQuery) *report.Fit {
	t.Helper()
	answer, err := e.Fit(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// cpuQuota gives every namespace a quota of cpu.
func cpuQuota(hard, used string) func(context.Context, string) ([]corev1.ResourceQuota, error) {
	return func(_ context.Context, namespace string) ([]corev1.ResourceQuota, error) {
		quota := corev1.ResourceQuota{}
		quota.Namespace, quota.Name = namespace, "compute"
		quota.Status.Hard = corev1.ResourceList{"requests.cpu": *resourceQuantity(hard)}
		quota.Status.Used = corev1.ResourceList{"requests.cpu": *resourceQuantity(used)}
		return []corev1.ResourceQuota{quota}, nil
	}
}

// noQuotas says that a namespace has none.
func noQuotas(context.Context, string) ([]corev1.ResourceQuota, error) { return nil, nil }

func TestFitPlacesPodsUntilOneStops(t *testing.T) {
	apart := awayFrom(podTerm(corev1.LabelHostname, "web"))
	gated := func(pod *corev1.Pod) { pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "hold"}} }
	tainted := testNode("gpu", "64", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))
	for name, test := range map[string]struct {
		pod      *corev1.Pod
		replicas int
		says     string
		placed   []report.PlacedOn
	}{
		"all": {testPod("shop/web", "", "1"), 8, "8 of 8 fit.", []report.PlacedOn{{Node: "n1", Pods: 4}, {Node: "n2", Pods: 4}}},
		"one": {testPod("shop/web", "", "4"), 1, "1 of 1 fits.", []report.PlacedOn{{Node: "n1", Pods: 1}}},
		"more than there is cpu for": {
			testPod("shop/web", "", "3"), 16, "2 of 16 fit. The 3rd ", []report.PlacedOn{{Node: "n1", Pods: 1}, {Node: "n2", Pods: 1}},
		},
		"each on a host of its own": {
			testPod("shop/web", "", "1", podLabel("app", "web"), apart), 3, "2 of 3 fit. The 3rd would be Pending: ",
			[]report.PlacedOn{{Node: "n1", Pods: 1}, {Node: "n2", Pods: 1}},
		},
		"none":  {testPod("shop/web", "", "5"), 2, "0 of 2 fit. The 1st would be Pending: gpu: dedicated=gpu:NoSchedule.", nil}, // the others are too small
		"gated": {testPod("shop/web", "", "1", gated), 2, "0 of 2 fit. The 1st would be Pending: ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, testNode("n1", "4"), testNode("n2", "4"), tainted)
			got := mustFit(t, e, report.FitQuery{Pod: test.pod, Replicas: test.replicas, Admittance: report.Admittance{Admitted: true}})
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if !slices.Equal(got.Placed, test.placed) {
				t.Errorf("placed %v, want %v", got.Placed, test.placed)
			}
			if got.Fits == nil || (*got.Fits == test.replicas) != (got.Next == nil) || got.Stopped() != (got.Next != nil) {
				t.Errorf("%v fit, stopped %v, next %+v", got.Fits, got.Stopped(), got.Next)
			}
			if again := mustLand(t, e, testPod("shop/other", "", "4")); again.Node == "" {
				t.Error("pods stay on their nodes after they were counted")
			}
		})
	}
}

func TestFitCountsWhatAQuotaAdmits(t *testing.T) {
	for name, test := range map[string]struct {
		quota func(context.Context, string) ([]corev1.ResourceQuota, error)
		says  string
	}{
		"stops the third": {cpuQuota("20", "17500m"), "2 of 4 fit. The 3rd would not be created: " +
			"ResourceQuota shop/compute allows requests.cpu 20, 19.5 used, the pod needs 1."},
		"stops none":             {cpuQuota("20", "1"), "4 of 4 fit."},
		"may not be read":        {nil, "4 of 4 fit the nodes; whether they would be created is unknown: it cannot be read here."},
		"lets less than a node ": {cpuQuota("20", "20"), "0 of 4 fit. The 1st would not be created: "},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{Lookups: Lookups{Quotas: test.quota}}, testNode("n1", "4"))
			got := mustFit(t, e, report.FitQuery{Pod: testPod("shop/web", "", "1"), Replicas: 4, Admittance: report.Admittance{Admitted: true}})
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if (got.Fits == nil) != (test.quota == nil) {
				t.Errorf("%v fit", got.Fits)
			}
		})
	}
}

// A pod that a quota rejects is not created: whether it would fit a node does not matter then.
func TestFitSaysFirstThatAPodWouldNotBeCreated(t *testing.T) {
	e := startEngine(t, Options{Lookups: Lookups{Quotas: cpuQuota("20", "20")}}, testNode("n1", "4"))
	got := mustFit(t, e, report.FitQuery{Pod: testPod("shop/web", "", "8"), Replicas: 1, Admittance: report.Admittance{Admitted: true}})
	if says := got.Sentence(); !strings.HasPrefix(says, "0 of 1 fits. The 1st would not be created: ResourceQuota shop/compute") {
		t.Errorf("it says %q", says)
	}
}

func TestFitLeavesOpenWhatCannotBeRead(t *testing.T) {
	e := startEngineForbidding(t, Options{Lookups: Lookups{Quotas: noQuotas}}, []string{"persistentvolumeclaims"}, testNode("n1", "4"))
	pod := testPod("shop/web", "", "1")
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	got := mustFit(t, e, report.FitQuery{Pod: pod, Replicas: 3, Admittance: report.Admittance{Admitted: true}})
	if got.Fits != nil || got.Stopped() || len(got.Unknown) == 0 {
		t.Errorf("%v fit, stopped %v, unknown %v", got.Fits, got.Stopped(), got.Unknown)
	}
	if says := got.Sentence(); !strings.HasPrefix(says, "How many of 3 fit is unknown: not allowed to list persistentvolumeclaims") {
		t.Errorf("it says %q", says)
	}
}

func TestFitEndsWhenItIsCancelled(t *testing.T) {
	e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, testNode("n1", "4"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Fit(ctx, report.FitQuery{Pod: testPod("shop/web", "", "1"), Replicas: 3}); err == nil {
		t.Error("no error")
	}
}

func TestTheTextOfFitIsByPoolWhereThereAreSome(t *testing.T) {
	e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, testNode("n1", "4"), testNode("n2", "4"), testNode("n3", "2"))
	got := mustFit(t, e, report.FitQuery{Pod: testPod("shop/web", "", "2"), Replicas: 6, Admittance: report.Admittance{Admitted: true}})
	nowhere := func(string) string { return "" }
	rest := `
NODES fit  REASON (closest first)
    3  ✗   n1, n2, n3: each needs cpu 2 more
Preemption won't help: no lower-priority pod on otherwise suitable nodes.
`
	first := "5 of 6 fit. The 6th needs cpu 2 more on n1, the closest of 3 nodes.\n\n"
	same(t, got.Text(80, nowhere), first+`NODE  PODS
n1       2
n2       2
n3       1
`+rest)
	pools := map[string]string{"n1": "std", "n2": "std"}
	same(t, got.Text(80, func(node string) string { return pools[node] }), first+`POOL    PODS  NODES
<none>     1  n3
std        4  n1, n2
`+rest)
}

func TestFitLikeCountsFurtherPodsLikeOne(t *testing.T) {
	scratch := func(claim string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}}}
		}
	}
	set := podControlledBy("apps/v1", "StatefulSet", "db")
	running := testPod("shop/web-1", "n1", "2", podControlledBy("apps/v1", "ReplicaSet", "web"))
	pending := testPod("shop/big-1", "", "5")
	ordinal := testPod("shop/db-0", "n1", "1", set, scratch("data-db-0"))
	large := testPod("shop/large-0", "", "3", podControlledBy("apps/v1", "StatefulSet", "large"), scratch("data-large-0"))
	agent := testPod("sys/agent", "n1", "", podControlledBy("apps/v1", "DaemonSet", "agent"))
	e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas, LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return nil, nil }}},
		testNamespace("shop"), testNode("n1", "8"), testNode("n2", "4"), running, pending, ordinal, large, agent)
	for _, test := range []struct {
		pod    *corev1.Pod
		says   string
		caveat bool
	}{
		{running, "4 more fit. The 5th needs cpu 1 more on n1, the closest of 2 nodes.", false},
		{pending, "1 more fits. The 2nd needs ", false},
		{ordinal, "Without its volumes at least 9 more would fit.", true},
		{large, "Without its volumes 2 more would fit; the 3rd needs cpu 1 more on n1, the closest of 2 nodes.", true},
	} {
		got, err := FitLike(t.Context(), e, test.pod.UID, 9)
		if err != nil {
			t.Fatal(err)
		}
		if says := got.MoreSentence(); !strings.HasPrefix(says, test.says) {
			t.Errorf("of %s it says %q, want %q …", test.pod.Name, says, test.says)
		}
		left := slices.Contains(got.Scheduler.Caveats, "the volumes of another replica do not exist yet and are left out")
		if left != test.caveat {
			t.Errorf("of %s: caveats %q", test.pod.Name, got.Scheduler.Caveats)
		}
	}
	for says, uid := range map[string]types.UID{"one pod per node": agent.UID, "no such pod": "none"} {
		if _, err := FitLike(t.Context(), e, uid, 1); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}
