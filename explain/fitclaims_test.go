package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// oneGPU is a template of claims for a device of class gpu.
func oneGPU(fullName string) *resourcev1.ResourceClaimTemplate {
	claim := aDeviceClaim(fullName, 1)
	return &resourcev1.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: claim.Name}, Spec: resourcev1.ResourceClaimTemplateSpec{Spec: claim.Spec},
	}
}

// claimingFrom has a pod claim gpu from a template.
func claimingFrom(template string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "gpu", ResourceClaimTemplateName: &template})
	}
}

// withMadeClaim notes the claim that was made for a pod, and gives both.
func withMadeClaim(pod *corev1.Pod, claim *resourcev1.ResourceClaim) []runtime.Object {
	claim.Name = pod.Name + "-gpu-x7"
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}}
	pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &claim.Name}}
	return []runtime.Object{pod, claim}
}

// twoGPUs are a node with two devices, and one without, as the objects of a cluster.
func twoGPUs(more ...runtime.Object) []runtime.Object {
	return append([]runtime.Object{
		testNode("n", "4"), testNode("other", "4"), gpuClass(), aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu")),
	}, more...)
}

func TestFitAllocatesTheDevicesOfClaimTemplates(t *testing.T) {
	onN := func(pods int) []report.PlacedOn { return []report.PlacedOn{{Node: "n", Pods: pods}} }
	infer := testPod("ml/infer", "", "1", claimingFrom("one-gpu"))
	first, both := holdingDevices("n", "gpu-0"), holdingDevices("n", "gpu-0", "gpu-1")
	for name, test := range map[string]struct {
		held     func(*resourcev1.ResourceClaim) // what another claim holds
		replicas int
		says     string
		placed   []report.PlacedOn
	}{
		"all fit":         {nil, 2, "2 of 2 fit.", onN(2)},
		"a device free":   {first, 1, "1 of 1 fits.", onN(1)},
		"each needs one":  {first, 3, "1 of 3 fit. The 2nd would be Pending: n: no gpu device free for claim ml/replica-1-gpu.", onN(1)},
		"one for the 3rd": {nil, 3, "2 of 3 fit. The 3rd would be Pending: n: no gpu device free for claim ml/replica-2-gpu.", onN(2)},
		"no device free":  {both, 1, "0 of 1 fits. The 1st would be Pending: n: no gpu device free for claim ml/replica-0-gpu.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects := twoGPUs(oneGPU("ml/one-gpu"))
			if test.held != nil {
				objects = append(objects, aDeviceClaim("ml/other", 1, test.held))
			}
			e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas}}, objects...)
			for range 2 { // the second time shows that nothing stays of the first
				got := mustFit(t, e, report.FitQuery{Pod: infer, Replicas: test.replicas, Admittance: report.Admittance{Admitted: true}})
				if says := got.Sentence(); says != test.says {
					t.Errorf("it says %q, want %q", says, test.says)
				}
				if !slices.Equal(got.Placed, test.placed) || got.Fits == nil || len(got.Unknown) > 0 {
					t.Errorf("placed %v, want %v; %v fit, unknown %v", got.Placed, test.placed, got.Fits, got.Unknown)
				}
			}
		})
	}
}

// A pod that does not exist has no claims yet: that is no reason why it would not be scheduled. It
// is explained with the devices that it would get.
func TestAPodFromAManifestIsExplainedWithTheDevicesOfClaimsThatAreMadeLater(t *testing.T) {
	for name, test := range map[string]struct {
		template, cpu string
		held          int // of the two devices
		verdict       report.Verdict
		says          string
	}{
		"free":        {"one-gpu", "1", 1, report.Schedulable, "It fits 1 node now: n."},
		"taken":       {"one-gpu", "1", 2, report.Unschedulable, "0 of "},
		"too large":   {"one-gpu", "8", 0, report.Unschedulable, "Too large for any node"},
		"no template": {"none", "1", 0, report.Unknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := twoGPUs(oneGPU("ml/one-gpu"))
			for i := range test.held {
				objects = append(objects, aDeviceClaim(fmt.Sprintf("ml/other-%d", i), 1, holdingDevices("n", fmt.Sprintf("gpu-%d", i))))
			}
			e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas}}, objects...)
			told, err := e.Ask(t.Context(), report.Query{Target: report.PodFrom(testPod("ml/infer", "", test.cpu, claimingFrom(test.template))), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			if told.Verdict != test.verdict || !strings.HasPrefix(told.Summary, test.says) || (test.verdict == report.Unknown) != (len(told.Unknown) > 0) {
				t.Errorf("%s, unknown %v: %s", told.Verdict, told.Unknown, told.Summary)
			}
		})
	}
}

func TestFitCountsMoreOfAPodWhoseClaimsAreMadeFromATemplate(t *testing.T) {
	noLimits := func(context.Context, string) ([]corev1.LimitRange, error) { return nil, nil }
	namespace := testNamespace("ml")
	running := testPod("ml/infer-1", "n", "1", claimingFrom("one-gpu"), podControlledBy("apps/v1", "ReplicaSet", "infer"))
	held := withMadeClaim(running, aDeviceClaim("ml/made", 1, holdingDevices("n", "gpu-0")))
	likeIt := "ResourceClaimTemplate ml/one-gpu was not found: the ResourceClaims are simulated like ml/infer-1-gpu-x7, which was made from it"
	for name, test := range map[string]struct {
		template []runtime.Object
		caveat   bool
	}{
		"read":                          {[]runtime.Object{oneGPU("ml/one-gpu")}, false},
		"known by a claim made from it": {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := twoGPUs(append(slices.Concat(held, test.template), namespace)...)
			e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas, LimitRanges: noLimits}}, objects...)
			got, err := FitLike(t.Context(), e, running.UID, 9)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got.MoreSentence(), "1 more fits. The 2nd would be Pending: n: no gpu device free for claim ml/replica-1-gpu.")
			if said := slices.Contains(got.Scheduler.Caveats, likeIt); said != test.caveat {
				t.Errorf("caveats %q", got.Scheduler.Caveats)
			}
		})
	}
}

func TestFitLeavesOpenWhatUnreadClaimTemplatesDecide(t *testing.T) {
	why := "its ResourceClaims are made from ResourceClaimTemplate ml/one-gpu, which was not found."
	grouped := func(p *corev1.Pod) {
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("training")}
	}
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		says string
		fits bool
	}{
		"devices decide":   {testPod("ml/infer", "", "1", claimingFrom("one-gpu")), "How many of 3 fit is unknown: " + why, false},
		"cpu rejects it":   {testPod("ml/infer", "", "9", claimingFrom("one-gpu")), "0 of 3 fit. The 1st needs cpu 5 more on n, the closest of 2 nodes.", true},
		"of a PodGroup":    {testPod("ml/infer", "", "1", claimingFrom("one-gpu"), grouped), "How many of 3 fit is unknown: ", false},
		"a missing claim":  {testPod("ml/infer", "", "1", claiming("train"), claimingFrom("one-gpu")), "0 of 3 fit. The 1st would be Pending: ", true},
		"none is claimed":  {testPod("ml/infer", "", "1"), "3 of 3 fit.", true},
		"more than quotas": {testPod("ml/infer", "", "30", claimingFrom("one-gpu")), "0 of 3 fit. The 1st ", true},
	} {
		t.Run(name, func(t *testing.T) {
			e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: cpuQuota("20", "1")}}, twoGPUs()...)
			got := mustFit(t, e, report.FitQuery{Pod: test.pod, Replicas: 3, Admittance: report.Admittance{Admitted: true}})
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if (got.Fits != nil) != test.fits || !test.fits && (got.Stopped() || len(got.Placed) > 0) {
				t.Errorf("%v fit, placed %v, stopped %v", got.Fits, got.Placed, got.Stopped())
			}
		})
	}
}

func TestFitCountsWhatAQuotaAdmitsOfClaims(t *testing.T) {
	devices := corev1.ResourceName("gpu" + corev1.ResourceClaimsPerClass)
	quotas := func(_ context.Context, namespace string) ([]corev1.ResourceQuota, error) {
		quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "devices"}}
		quota.Status.Hard = corev1.ResourceList{devices: *resourceQuantity("5")}
		quota.Status.Used = corev1.ResourceList{devices: *resourceQuantity("4")}
		return []corev1.ResourceQuota{quota}, nil
	}
	e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: quotas}}, twoGPUs(oneGPU("ml/one-gpu"))...)
	got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", claimingFrom("one-gpu")), Replicas: 2, Admittance: report.Admittance{Admitted: true}})
	if says, want := got.Sentence(), `1 of 2 fit. The 2nd would be Pending: waiting for ResourceClaim gpu, which is not created yet from ResourceClaimTemplate ml/one-gpu`; !strings.HasPrefix(says, want) {
		t.Errorf("it says %q, want %q …", says, want)
	}
	named := func(caveat string) bool {
		return strings.HasPrefix(caveat, "kube-apiserver would reject a ResourceClaim of that pod: ") && strings.Contains(caveat, "exceeded quota: devices")
	}
	if !slices.ContainsFunc(got.Scheduler.Caveats, named) {
		t.Errorf("caveats %q", got.Scheduler.Caveats)
	}
}

func TestFitPlacesPodsThatShareAClaimWhereItIsAllocated(t *testing.T) {
	shared := testPod("ml/infer", "", "1", claiming("shared"))
	e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas}}, twoGPUs(aDeviceClaim("ml/shared", 1))...)
	got := mustFit(t, e, report.FitQuery{Pod: shared, Replicas: 5, Admittance: report.Admittance{Admitted: true}})
	if says, want := got.Sentence(), "4 of 5 fit. The 5th "; !strings.HasPrefix(says, want) {
		t.Errorf("it says %q, want %q …", says, want)
	}
	if want := []report.PlacedOn{{Node: "n", Pods: 4}}; !slices.Equal(got.Placed, want) {
		t.Errorf("placed %v, want %v", got.Placed, want)
	}
	if claim, err := e.scheduler.Profile(shared).Question(shared).DRA.ResourceClaims().Get("ml", "shared"); err != nil || claim.Status.Allocation != nil {
		t.Errorf("after that the claim is %+v, %v", claim, err)
	}
}

func TestFitCountsTheDevicesOfExtendedResources(t *testing.T) {
	class := gpuClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	wanted := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = *resourceQuantity("1")
	}
	e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas}}, testNode("n", "4"), class, aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu")))
	got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", wanted), Replicas: 3, Admittance: report.Admittance{Admitted: true}})
	if says, want := got.Sentence(), "2 of 3 fit. The 3rd would be Pending: n: no gpu device free for resource example.com/gpu."; says != want {
		t.Errorf("it says %q, want %q", says, want)
	}
}

func TestFitCountsSharesAndPartsOfDevices(t *testing.T) {
	const memory = "memory"
	capacity := func(d *resourcev1.Device) { d.AllowMultipleAllocations = new(true) }
	share := oneGPU("ml/one-gpu")
	share.Spec.Spec.Devices.Requests[0].Exactly.Capacity = &resourcev1.CapacityRequirements{
		Requests: map[resourcev1.QualifiedName]resource.Quantity{memory: resource.MustParse("15Gi")},
	}
	part := func(amount string) func(*resourcev1.Device) {
		return func(d *resourcev1.Device) {
			d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
				CounterSet: "gpu", Counters: map[string]resourcev1.Counter{memory: {Value: resource.MustParse(amount)}},
			}}
		}
	}
	parts, counters := aSlice("n", aDevice("half-0", "gpu", part("20Gi")), aDevice("half-1", "gpu", part("20Gi")), aDevice("whole", "gpu", part("40Gi"))), aSlice("n")
	parts.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount, counters.Name = 2, 2, "counters"
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "gpu", Counters: map[string]resourcev1.Counter{memory: {Value: resource.MustParse("40Gi")}}}}
	for name, devices := range map[string][]runtime.Object{
		"shares of 40Gi": {aSlice("n", aDevice("gpu-0", "gpu", capacity)), share},
		"parts of 40Gi":  {parts, counters, oneGPU("ml/one-gpu")},
	} {
		t.Run(name, func(t *testing.T) {
			e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas}}, append(devices, testNode("n", "4"), gpuClass())...)
			got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", claimingFrom("one-gpu")), Replicas: 3, Admittance: report.Admittance{Admitted: true}})
			if got.Fits == nil || *got.Fits != 2 || !got.Stopped() {
				t.Errorf("%s Placed %v, unknown %v", got.Sentence(), got.Placed, got.Unknown)
			}
		})
	}
}

func TestDevicesStayAllocatedInASimulatedStateWhenTheRealOneMovesOn(t *testing.T) {
	first, second := testPod("ml/first", "", "1", claiming("a")), testPod("ml/second", "", "1", claiming("b"))
	e := startDevices(t, testNode("n", "4"), gpuClass(), aSlice("n", aDevice("gpu-0", "gpu")), aDeviceClaim("ml/a", 1), aDeviceClaim("ml/b", 1))
	on := e.scheduler.State.NewSimulatedState(nil, nil)
	fits := func(on *scheduler.SimulatedState, pod *corev1.Pod, place bool) (nodes []string) {
		t.Helper()
		err := e.scheduler.Hold(t.Context(), on, func() error {
			found, err := e.scheduler.FittingNodes(t.Context(), pod, nil)
			if err != nil || !place {
				nodes = found.Names
				return err
			}
			_, err = on.Place(t.Context(), found, pod, "n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return nodes
	}
	fits(on, first, true)
	for range 2 {
		if nodes := fits(on, second, false); len(nodes) > 0 {
			t.Errorf("the device is free in the simulated state: the second pod fits %v", nodes)
		}
		if nodes := fits(nil, second, false); len(nodes) != 1 {
			t.Errorf("in truth the second pod fits %v", nodes)
		}
		if err := e.Apply(2, []scheduler.Change{{New: testPod("ml/other", "n", "1")}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFitSaysNothingForCertainWhereDevicesOfNewNodesDecide(t *testing.T) {
	both := aDeviceClaim("ml/other", 1, holdingDevices("n", "gpu-0", "gpu-1"))
	e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: noQuotas}}, twoGPUs(both, oneGPU("ml/one-gpu"))...)
	added := report.NewNodes{Like: "n", Count: 1}
	got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", claimingFrom("one-gpu")), Replicas: 1, Admittance: report.Admittance{Admitted: true}, New: added})
	same(t, got.Sentence(), "With 1 more node like n, how many of 1 fit is unknown: the devices of a new node are not known.")
	if got.Fits != nil || got.Stopped() {
		t.Errorf("%v fit, stopped %v", got.Fits, got.Stopped())
	}
	got = mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "9", claimingFrom("one-gpu")), Replicas: 1, Admittance: report.Admittance{Admitted: true}, New: added})
	if got.Fits == nil || *got.Fits != 0 || !got.Stopped() {
		t.Errorf("of a pod that is too large %v fit, stopped %v", got.Fits, got.Stopped())
	}
}
