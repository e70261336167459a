package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// startDevices is startEngine that waits until the claims and slices have come
// to the manager, which is fed by handlers.
func startDevices(t testing.TB, objects ...runtime.Object) *Engine {
	t.Helper()
	return startDevicesOf(t, Options{}, objects...)
}

// startDevicesOf is startDevices with options.
func startDevicesOf(t testing.TB, options Options, objects ...runtime.Object) *Engine {
	t.Helper()
	return startDevicesForbidding(t, options, nil, objects...)
}

// startDevicesForbidding is startDevicesOf with resources that cannot be listed: not claims or slices.
func startDevicesForbidding(t testing.TB, options Options, forbidden []string, objects ...runtime.Object) *Engine {
	t.Helper()
	e := startEngineForbidding(t, options, forbidden, objects...)
	claims, offers := 0, 0
	for _, object := range objects {
		switch object.(type) {
		case *resourcev1.ResourceClaim:
			claims++
		case *resourcev1.ResourceSlice:
			offers++
		}
	}
	for range 5000 {
		seenClaims, _ := e.scheduler.Profile(&corev1.Pod{}).Question(&corev1.Pod{}).DRA.ResourceClaims().List()
		seenSlices, err := e.scheduler.Profile(&corev1.Pod{}).Question(&corev1.Pod{}).DRA.ResourceSlices().ListWithDeviceTaintRules()
		held, failed := e.scheduler.Profile(&corev1.Pod{}).Question(&corev1.Pod{}).DRA.ResourceClaims().GatherAllocatedState()
		if err == nil && failed == nil && len(seenClaims) == claims && len(seenSlices) == offers &&
			len(held.AllocatedDevices)+len(held.AllocatedSharedDeviceIDs) == len(allocatedDevices(objects)) {
			return e
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the claims and slices did not come")
	return nil
}

func allocatedDevices(objects []runtime.Object) map[string]bool {
	found := map[string]bool{}
	for _, object := range objects {
		if claim, ok := object.(*resourcev1.ResourceClaim); ok && claim.Status.Allocation != nil {
			for _, result := range claim.Status.Allocation.Devices.Results {
				found[result.Device+"@"+result.Pool] = true
			}
		}
	}
	return found
}

// gpuClass is the devices of a driver whose attribute kind is gpu.
func gpuClass() *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
		{CEL: &resourcev1.CELDeviceSelector{Expression: `device.attributes["gpu.example.com"].kind == "gpu"`}},
	}}}
}

// aSlice is the pool of a node, complete.
func aSlice(node string, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	return &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + node}, Spec: resourcev1.ResourceSliceSpec{
		Driver: "gpu.example.com", NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}, Devices: devices,
	}}
}

func aDevice(name, kind string, edits ...func(*resourcev1.Device)) resourcev1.Device {
	device := resourcev1.Device{
		Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"kind": {StringValue: &kind}},
		Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("40Gi")}},
	}
	for _, edit := range edits {
		edit(&device)
	}
	return device
}

func deviceTaint(key, value string) func(*resourcev1.Device) {
	return func(d *resourcev1.Device) {
		d.Taints = append(d.Taints, resourcev1.DeviceTaint{Key: key, Value: value, Effect: resourcev1.DeviceTaintEffectNoSchedule})
	}
}

// aDeviceClaim asks for so many devices of class gpu.
func aDeviceClaim(fullName string, count int64, edits ...func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
	namespace, name, _ := strings.Cut(fullName, "/")
	claim := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("claim-" + fullName)},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		}}}}},
	}
	for _, edit := range edits {
		edit(claim)
	}
	return claim
}

func exactly(edit func(*resourcev1.ExactDeviceRequest)) func(*resourcev1.ResourceClaim) {
	return func(c *resourcev1.ResourceClaim) { edit(c.Spec.Devices.Requests[0].Exactly) }
}

// holdingDevices allocates devices of node's pool to the claim.
func holdingDevices(node string, devices ...string) func(*resourcev1.ResourceClaim) {
	return func(c *resourcev1.ResourceClaim) {
		c.Status.Allocation = &resourcev1.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		}}}}
		for _, device := range devices {
			c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
				Request: "r", Driver: "gpu.example.com", Pool: node, Device: device,
			})
		}
	}
}

func claiming(claims ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, claim := range claims {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
		}
	}
}

func devicesOf(t *testing.T, pod *corev1.Pod, objects ...runtime.Object) report.Rejection {
	t.Helper()
	objects = append(objects, testNode("n", "4"), gpuClass())
	return refusalIn(t, mustExplain(t, startDevices(t, objects...), pod), names.DynamicResources, "n")
}

func TestEveryDeviceIsToldWithWhatRefusesIt(t *testing.T) {
	rejection := devicesOf(
		t, testPod("ml/x", "", "", claiming("train")),
		aDeviceClaim("ml/train", 2, exactly(func(r *resourcev1.ExactDeviceRequest) {
			r.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
				Expression: `device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("20Gi"))`,
			}}}
		})),
		aDeviceClaim("ml/other", 1, holdingDevices("n", "gpu-1")),
		aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu"), aDevice("gpu-2", "gpu", deviceTaint("broken", "ecc")),
			aDevice("gpu-3", "gpu", func(d *resourcev1.Device) {
				d.Capacity["memory"] = resourcev1.DeviceCapacity{Value: resource.MustParse("10Gi")}
			}),
			aDevice("nic-0", "nic"), aDevice("nic-1", "nic")),
	)
	same(t, rejection.What, "n: request r of claim ml/train needs 2 devices of class gpu: 1 free device matches, of 6 on the node; "+
		"allocated to claim ml/other: gpu-1; untolerated taint broken=ecc:NoSchedule: gpu-2; "+
		`not device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("20Gi")) (memory 10Gi): gpu-3; not of class gpu: nic-0, nic-1`)
	same(t, rejection.Short, "1 of 2 gpu devices free for claim ml/train")
}

// Where devices are free but do not match, the claim is what is wrong.
func TestFreeDevicesThatDoNotMatchAreToldWithWhatTheyHave(t *testing.T) {
	asking := aDeviceClaim("ml/train", 1, exactly(func(r *resourcev1.ExactDeviceRequest) {
		r.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
			Expression: `device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0`,
		}}}
	}))
	rejection := devicesOf(t, testPod("ml/x", "", "", claiming("train")), asking, aDeviceClaim("ml/other", 1, holdingDevices("n", "gpu-1")),
		aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu"), aDevice("gpu-2", "gpu")))
	same(t, rejection.What, "n: request r of claim ml/train needs 1 device of class gpu: 0 free devices match, of 3 on the node; "+
		`not device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0 (memory 40Gi): gpu-0, gpu-1, gpu-2`)
	same(t, rejection.Short, "no gpu device matches claim ml/train")
}

func TestANodeWithoutDevicesIsToldAsThat(t *testing.T) {
	pod := testPod("ml/x", "", "", claiming("train"))
	rejection := devicesOf(t, pod, aDeviceClaim("ml/train", 1), aSlice("m", aDevice("gpu-0", "gpu")))
	same(t, rejection.What, "n: request r of claim ml/train needs 1 device of class gpu, and no driver publishes any for this node")
	same(t, rejection.Short, "no gpu device for claim ml/train")
	half := aSlice("n", aDevice("gpu-0", "gpu"))
	half.Spec.Pool.ResourceSliceCount = 2
	rejection = devicesOf(t, pod, aDeviceClaim("ml/train", 1), half)
	same(t, rejection.What, "n: request r of claim ml/train needs 1 device of class gpu: pool n of gpu.example.com is being updated: 1 of its 2 slices exist")
}

// A node whose devices are allocated, tainted or do not match is closer than one without any, and nodes without any share
// one clause.
func TestNodesWithDevicesAreCloserThanThoseWithoutAny(t *testing.T) {
	big := exactly(func(r *resourcev1.ExactDeviceRequest) {
		r.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
			Expression: `device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`,
		}}}
	})
	small := func(d *resourcev1.Device) {
		d.Capacity["memory"] = resourcev1.DeviceCapacity{Value: resource.MustParse("10Gi")}
	}
	pod := testPod("ml/x", "", "", claiming("train"))
	r := mustExplain(t, startDevices(t, gpuClass(), pod, testNode("a", "4"), testNode("b", "4"), testNode("nics", "4"), testNode("other", "4"), testNode("used", "4"), testNode("part", "4"),
		aDeviceClaim("ml/train", 3, big), aDeviceClaim("ml/held", 1, holdingDevices("used", "gpu-0")), aSlice("nics", aDevice("nic-0", "nic")),
		aSlice("other", aDevice("gpu-0", "gpu", small)), aSlice("used", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu", deviceTaint("broken", "ecc"))),
		aSlice("part", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu", deviceTaint("broken", "ecc")))), pod)
	same(t, r.Summary, "0 of 6 nodes fit. Closest: part, 1 of 3 gpu devices free for claim ml/train.")
	var nodes []string
	for _, g := range r.Groups {
		nodes = append(nodes, g.Nodes...)
	}
	same(t, strings.Join(nodes, " "), "part used other nics a b")
	wider := r.Groups[0].Rejections[0].Wider
	same(t, wider[len(wider)-1], "part: 1 of 3 gpu devices free for claim ml/train; used: no gpu device free for claim ml/train; other: no gpu device matches claim ml/train")
	same(t, r.Groups[1].Rejections[0].Short, "no gpu device for claim ml/train")
}

// Nodes that are rejected for the same reason share a clause, whichever others are in the row.
func TestEqualClausesOfNodesAreToldOnce(t *testing.T) {
	pod := testPod("ml/x", "", "", claiming("train"))
	objects := []runtime.Object{gpuClass(), pod, aDeviceClaim("ml/train", 2), aDeviceClaim("ml/held", 1, holdingDevices("n0", "gpu-0"))}
	for i, name := range []string{"n0", "n1", "n2", "n3", "n4"} {
		devices := []resourcev1.Device{aDevice("gpu-0", "gpu")}
		if i == 1 {
			devices[0].Name = "gpu-1"
		}
		objects = append(objects, testNode(name, "4"), aSlice(name, devices...))
	}
	r := mustExplain(t, startDevices(t, objects...), pod)
	wider := r.Groups[0].Rejections[0].Wider
	same(t, wider[len(wider)-1], "n1, n2, n3 and 1 more: 1 of 2 gpu devices free for claim ml/train; n0: no gpu device free for claim ml/train")
}

// A part of a device needs what is left of the whole.
func TestThePartsThatADeviceLacksAreTold(t *testing.T) {
	parts := func(amount string) func(*resourcev1.Device) {
		return func(d *resourcev1.Device) {
			d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
				CounterSet: "gpu", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(amount)}},
			}}
		}
	}
	devices := aSlice("n", aDevice("whole", "gpu", parts("40Gi")), aDevice("half", "gpu", parts("20Gi")))
	devices.Spec.Pool.ResourceSliceCount = 2
	counters := aSlice("n")
	counters.Name = "counters"
	counters.Spec.Pool.ResourceSliceCount = 2
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "gpu", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("40Gi")}}}}
	rejection := devicesOf(t, testPod("ml/x", "", "", claiming("train")), devices, counters,
		aDeviceClaim("ml/train", 1), aDeviceClaim("ml/other", 1, holdingDevices("n", "half")))
	same(t, rejection.What, "n: request r of claim ml/train needs 1 device of class gpu: 0 free of 2 devices on the node; "+
		"counter gpu/memory: 20Gi left, 40Gi needed: whole; allocated to claim ml/other: half")
	same(t, rejection.Short, "no gpu device free for claim ml/train")
}

func TestAClaimThatIsAllocatedElsewhereIsToldWithItsDevices(t *testing.T) {
	rejection := devicesOf(t, testPod("ml/x", "", "", claiming("train")), testNode("m", "4"),
		aDeviceClaim("ml/train", 1, holdingDevices("m", "gpu-0")), aSlice("m", aDevice("gpu-0", "gpu")))
	same(t, rejection.What, "n: ResourceClaim ml/train is allocated on nodes with metadata.name=m: gpu.example.com/m/gpu-0")
	same(t, rejection.Short, "ResourceClaim ml/train is allocated on nodes with metadata.name=m")
}

func TestAClaimThatServesNoPodIsToldBeforeAnyNode(t *testing.T) {
	made := func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("one-gpu")}}
	}
	for name, c := range map[string]struct {
		pod     *corev1.Pod
		objects []runtime.Object
		what    string
	}{
		"missing":     {testPod("ml/x", "", "", claiming("train")), nil, "ResourceClaim ml/train does not exist"},
		"not created": {testPod("ml/x", "", "", made), nil, "ResourceClaim gpu is not created yet from ResourceClaimTemplate ml/one-gpu"},
		"deleted": {
			testPod("ml/x", "", "", claiming("train")),
			[]runtime.Object{aDeviceClaim("ml/train", 1, func(c *resourcev1.ResourceClaim) {
				c.DeletionTimestamp, c.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
			})},
			"ResourceClaim ml/train is being deleted",
		},
		"another pod's": {
			testPod("ml/x", "", "", made, func(p *corev1.Pod) {
				p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: new("train")}}
			}),
			[]runtime.Object{aDeviceClaim("ml/train", 1)},
			"ResourceClaim ml/train was created for another pod",
		},
		"no class": {
			testPod("ml/x", "", "", claiming("train")),
			[]runtime.Object{aDeviceClaim("ml/train", 1, exactly(func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = "tpu" }))},
			"request r of claim ml/train needs DeviceClass tpu, which does not exist",
		},
	} {
		e := startDevices(t, append(c.objects, testNode("n", "4"), gpuClass())...)
		e.scheduler.Settle(t.Context())
		x, m := e.begin(t.Context(), c.pod), must(e.scheduler.Profile(c.pod).Evaluate(t.Context(), c.pod)) // most of these do not even get into the queue
		k := slices.IndexFunc(m.Profile.Plugins, func(p scheduler.Plugin) bool { return p.Name == names.DynamicResources })
		if told := plugins.Tell(x.question, []plugins.NodeRejection{m.Rejection(k, 0)}); told.What != c.what || m.Answers[k].Pre == nil {
			t.Errorf("%s: got\n%s\nwant\n%s", name, told.What, c.what)
		}
	}
}

func TestADeviceThatIsNotReadyInTimeIsTold(t *testing.T) {
	waits := aDeviceClaim("ml/train", 1, holdingDevices("n", "gpu-0"), func(c *resourcev1.ResourceClaim) {
		c.Status.Allocation.AllocationTimestamp = new(metav1.NewTime(testNow.AddDate(-1, 0, 0)))
		result := &c.Status.Allocation.Devices.Results[0]
		result.BindingConditions, result.BindingFailureConditions = []string{"example.com/attached"}, []string{"example.com/broken"}
	})
	rejection := devicesOf(t, testPod("ml/x", "", "", claiming("train")), waits, aSlice("n", aDevice("gpu-0", "gpu")))
	same(t, rejection.What, "n: device gpu.example.com/n/gpu-0 of claim ml/train is not ready: it is waiting for example.com/attached")
}

func TestAPodIsBoundOnceItsDevicesAreReady(t *testing.T) {
	for name, c := range map[string]struct {
		conditions []metav1.Condition
		waits      string
	}{
		"no status": {nil, "device gpu-0 of claim ml/train: example.com/attached"},
		"not yet":   {[]metav1.Condition{{Type: "example.com/attached", Status: metav1.ConditionFalse}}, "device gpu-0 of claim ml/train: example.com/attached"},
		"ready":     {[]metav1.Condition{{Type: "example.com/attached", Status: metav1.ConditionTrue}}, ""},
	} {
		claim := aDeviceClaim("ml/train", 1, holdingDevices("n", "gpu-0"), func(claim *resourcev1.ResourceClaim) {
			claim.Status.Allocation.AllocationTimestamp = new(metav1.NewTime(testNow))
			result := &claim.Status.Allocation.Devices.Results[0]
			result.BindingConditions = []string{"example.com/attached"}
			if c.conditions != nil {
				claim.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: result.Driver, Pool: result.Pool, Device: result.Device, Conditions: c.conditions}}
			}
		})
		pod := testPod("ml/x", "", "", claiming("train"), nominatedTo("n"))
		by := func(context.Context, *corev1.Pod) *report.Nominator {
			return &report.Nominator{Manager: "kube-scheduler"}
		}
		r := mustExplain(t, startEngine(t, Options{Lookups: Lookups{Nominator: by}}, testNode("n", "4"), pod, claim, aSlice("n", aDevice("gpu-0", "gpu"))), pod)
		if got := strings.Join(r.Nomination.Waits, ", "); got != c.waits {
			t.Errorf("%s: it waits for %q, want %q", name, got, c.waits)
		}
		if bound := strings.Contains(r.Summary+strings.Join(r.Facts, " "), "is being bound there: kube-scheduler waits for device gpu-0"); bound != (c.waits != "") {
			t.Errorf("%s: %s %q", name, r.Summary, r.Facts)
		}
	}
}

func TestADeviceThatAsksMoreOfTheNodeIsTold(t *testing.T) {
	remote := aDeviceClaim("ml/train", 1, holdingDevices("n", "gpu-0"), func(c *resourcev1.ResourceClaim) {
		c.Status.Allocation.Devices.Results[0].SkipNodeOperations = []resourcev1.SkipNodeOperation{resourcev1.SkipNodeOperationAll}
	})
	rejection := devicesOf(t, testPod("ml/x", "", "", claiming("train")), remote, aSlice("n", aDevice("gpu-0", "gpu")))
	same(t, rejection.What, "n: device gpu-0 of claim ml/train needs node feature DRAOptionalNodeOperations")
}

// Each request has its devices; together they want the same one.
func TestRequestsThatCompeteAreToldTogether(t *testing.T) {
	claim := aDeviceClaim("ml/train", 1, func(c *resourcev1.ResourceClaim) {
		second := *c.Spec.Devices.Requests[0].DeepCopy()
		second.Name = "s"
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, second)
		c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: new(resourcev1.FullyQualifiedName("gpu.example.com/kind"))}}
	})
	rejection := devicesOf(t, testPod("ml/x", "", "", claiming("train")), claim, aSlice("n", aDevice("gpu-0", "gpu")))
	same(t, rejection.What, "n: there are devices for each single request of claim ml/train, but no combination of devices satisfies all requests together "+
		"(constraints: same gpu.example.com/kind for all requests)")
	same(t, rejection.Short, "no combination of devices satisfies claim ml/train")
}

func TestAnExtendedResourceOfADeviceClassIsToldByItsDevices(t *testing.T) {
	class := gpuClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	rejection := refusalIn(t, mustExplain(t, startDevices(t, class, testNode("n", "4"), aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu", deviceTaint("broken", "")))),
		testPod("ml/x", "", "", requesting("example.com/gpu", "2"))), names.DynamicResources, "n")
	same(t, rejection.What, "n: resource example.com/gpu needs 2 devices of class gpu: 1 free of 2 devices on the node; untolerated taint broken=:NoSchedule: gpu-1")
}

func TestADeviceExplainerHasSomethingToSayExactlyWhereThePluginRefuses(t *testing.T) {
	no, yes := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		pod, objects := anyDevices(rt)
		e := startDevices(t, objects...)
		e.scheduler.Settle(t.Context())
		x := e.begin(t.Context(), pod)
		m := must(e.scheduler.Profile(pod).Evaluate(t.Context(), pod))
		for k, plugin := range m.Profile.Plugins {
			if plugin.Name != names.DynamicResources || m.Answers[k].Skipped || scheduler.Failed(m.Answers[k].Pre) {
				continue
			}
			for i, node := range m.Nodes {
				switch {
				case m.Rejects(k, i) != nil:
					no++
					if r := m.Rejection(k, i); len(plugins.DeviceReasons(x.question, r)) == 0 {
						rt.Fatalf("%s is refused (%s), and the explainer finds nothing", node.Node().Name, r.OwnReason())
					}
				case !scheduler.Failed(m.Answers[k].Column[i]):
					yes++
					if found := plugins.DeviceReasons(x.question, plugins.NodeRejection{Plugin: plugin.Name, Node: node, State: m.State}); len(found) > 0 {
						rt.Fatalf("%s is accepted, and the explainer says %s", node.Node().Name, found[0].What())
					}
				}
			}
		}
	})
	t.Logf("%d rejections, %d acceptances", no, yes)
	if no == 0 || yes == 0 {
		t.Error("the drawn clusters show nothing")
	}
}

// anyDevices draws nodes with a few devices in every state, and claims for them.
func anyDevices(t *rapid.T) (*corev1.Pod, []runtime.Object) {
	d := drawn(t)
	objects := []runtime.Object{gpuClass()}
	var claims []string
	for i := range 1 + d(3) {
		node := fmt.Sprintf("n%d", i)
		objects = append(objects, testNode(node, "4"))
		var devices []resourcev1.Device
		for j := range 1 + d(4) {
			devices = append(devices, aDevice(fmt.Sprintf("dev-%d", j), one(d, "gpu", "gpu", "nic")))
			if d.Chance(25) {
				deviceTaint("broken", one(d, "", "ecc"))(&devices[j])
			}
		}
		slice := aSlice(node, devices...)
		if d.Chance(30) {
			sharedDevice(&devices[0])
		}
		slice.Spec.Pool.ResourceSliceCount = int64(one(d, 1, 1, 1, 1, 1, 2))
		if d.Chance(30) {
			objects = append(objects, partition(d, slice)...)
		}
		objects = append(objects, slice)
		if len(devices) > 0 && d.Chance(50) {
			hold := holdingDevices(node, "dev-0")
			if devices[0].AllowMultipleAllocations != nil {
				hold = holdingShare(node, "dev-0", one(d, "8Gi", "24Gi", "32Gi"))
			}
			objects = append(objects, aDeviceClaim("ml/held-"+node, 1, hold))
			if d.Chance(30) {
				claims = append(claims, "held-"+node)
			}
		}
	}
	for i := range d(3) {
		name := fmt.Sprintf("new-%d", i)
		claims = append(claims, name)
		if d.Chance(10) {
			continue
		}
		objects = append(objects, aDeviceClaim("ml/"+name, int64(one(d, 1, 1, 2)), exactly(func(r *resourcev1.ExactDeviceRequest) {
			if d.Chance(20) {
				r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeAll, 0
			}
			if d.Chance(30) {
				r.Tolerations = []resourcev1.DeviceToleration{{Key: "broken", Operator: resourcev1.DeviceTolerationOpExists}}
			}
			if d.Chance(20) {
				r.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: one(d, "false", "true")}}}
			}
			if d.Chance(30) {
				amount := resource.MustParse(one(d, "1Gi", "8Gi", "12Gi", "20Gi", "36Gi", "50Gi"))
				r.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": amount}}
			}
			if d.Chance(10) {
				r.DeviceClassName = "missing"
			}
		}), func(c *resourcev1.ResourceClaim) {
			if d.Chance(20) {
				alternative(d, c)
			}
		}))
	}
	return testPod("ml/asked", "", "", claiming(claims...)), objects
}

// partition makes the devices of slice parts of one whole; the slice of their
// counters may be forgotten.
func partition(d dice, slice *resourcev1.ResourceSlice) []runtime.Object {
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
			CounterSet: "whole", Counters: map[string]resourcev1.Counter{"parts": {Value: resource.MustParse(one(d, "1", "2"))}},
		}}
	}
	if d.Chance(20) {
		return nil
	}
	slice.Spec.Pool.ResourceSliceCount = 2
	counters := slice.DeepCopy()
	counters.Name += "-counters"
	counters.Spec.Devices = nil
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "whole", Counters: map[string]resourcev1.Counter{"parts": {Value: resource.MustParse("2")}}}}
	return []runtime.Object{counters}
}

// alternative lets the claim take fewer devices instead.
func alternative(d dice, claim *resourcev1.ResourceClaim) {
	request := claim.Spec.Devices.Requests[0].Exactly
	claim.Spec.Devices.Requests[0].Exactly = nil
	for i, count := range []int64{2, 1} {
		claim.Spec.Devices.Requests[0].FirstAvailable = append(claim.Spec.Devices.Requests[0].FirstAvailable, resourcev1.DeviceSubRequest{
			Name: fmt.Sprintf("sub-%d", i), DeviceClassName: one(d, "gpu", request.DeviceClassName), AllocationMode: resourcev1.DeviceAllocationModeExactCount,
			Count: count, Tolerations: request.Tolerations,
		})
	}
}

// TestAClaimThatCannotBeCreatedIsToldWithWhy where the controller that creates claims from templates
// says so in an event about the pod.
func TestAClaimThatCannotBeCreatedIsToldWithWhy(t *testing.T) {
	pod := testPod("ml/x", "", "", func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("none")}}
	})
	said := []model.Event{
		{Type: "Warning", Reason: "FailedResourceClaimCreation", Source: "resource_claim", Message: "too old", Last: testNow.Add(-time.Minute)},
		{Type: "Warning", Reason: "FailedResourceClaimCreation", Source: "resource_claim", Message: `PodResourceClaim gpu: template "none" not found`, Last: testNow},
		{Type: "Warning", Reason: "FailedScheduling", Source: "default-scheduler", Message: "another matter", Last: testNow.Add(time.Minute)},
	}
	const waits = "Waiting for ResourceClaim gpu, which is not created yet from ResourceClaimTemplate ml/none: kube-scheduler does not consider it until that is done."
	for name, c := range map[string]struct {
		events []model.Event
		want   string
	}{
		"an event": {said, waits + ` kube-controller-manager could not create it: PodResourceClaim gpu: template "none" not found.`},
		"none":     {said[2:], waits},
	} {
		options := Options{Lookups: Lookups{Events: func(context.Context, model.Ref) ([]model.Event, error) { return c.events, nil }}}
		r, err := startDevicesOf(t, options, testNode("n", "4"), pod).Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID)})
		if err != nil || r.Verdict != report.Gated || r.Summary != c.want || r.Why != "claim gpu is not created from template none" {
			t.Errorf("%s: %v\n%+v\nwant\n%s", name, err, r, c.want)
		}
	}
}

// A DeviceTaintRule takes devices away: what is rejected without any is rejected with them too.
func TestWithoutDeviceTaintRulesRejectionsCountAndNothingElse(t *testing.T) {
	pod := testPod("ml/x", "", "", claiming("train"))
	held := aDeviceClaim("ml/other", 1, holdingDevices("a", "gpu-0"))
	rules := "not allowed to list devicetaintrules"
	for name, c := range map[string]struct {
		mapped  bool // devices may count as cpu or memory of the node
		nodes   []*corev1.Node
		slices  []runtime.Object
		verdict report.Verdict
		unread  bool
		fits    map[string]string
		says    string
	}{
		"no device is free": {
			nodes: []*corev1.Node{testNode("a", "4"), testNode("b", "4")}, slices: []runtime.Object{aSlice("a", aDevice("gpu-0", "gpu")), aSlice("b", aDevice("nic-0", "nic"))},
			verdict: report.Unschedulable, fits: map[string]string{"a": "no", "b": "no"}, says: "0/2 nodes are available: 2 cannot allocate all claims. ",
		},
		"a device is free": {
			nodes: []*corev1.Node{testNode("a", "4"), testNode("b", "4")}, slices: []runtime.Object{aSlice("a", aDevice("gpu-0", "gpu")), aSlice("b", aDevice("gpu-0", "gpu"))},
			verdict: report.Unknown, unread: true, fits: map[string]string{"a": "no", "b": "unknown"},
		},
		"a device is free on a node that another plugin rejects": {
			nodes: []*corev1.Node{testNode("a", "4"), testNode("b", "4", cordoned)}, slices: []runtime.Object{aSlice("a", aDevice("gpu-0", "gpu")), aSlice("b", aDevice("gpu-0", "gpu"))},
			verdict: report.Unschedulable, unread: true, fits: map[string]string{"a": "no", "b": "no"},
		},
		"devices may count as cpu": {
			mapped: true,
			nodes:  []*corev1.Node{testNode("a", "4")}, slices: []runtime.Object{aSlice("a", aDevice("gpu-0", "gpu"))},
			verdict: report.Unknown, unread: true, fits: map[string]string{"a": "unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.mapped {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.DRANodeAllocatableResources, true)
			}
			objects := append([]runtime.Object{gpuClass(), aDeviceClaim("ml/train", 1), held, pod}, c.slices...)
			for _, node := range c.nodes {
				objects = append(objects, node)
			}
			r := mustExplain(t, startDevicesForbidding(t, Options{}, []string{"devicetaintrules"}, objects...), pod)
			if r.Verdict != c.verdict || (len(r.Unknown) > 0) != c.unread || !strings.HasPrefix(r.SchedulerMessage, c.says) || c.says == "" && r.SchedulerMessage != "" {
				t.Errorf("%s, unknown %v, message %q", r.Verdict, r.Unknown, r.SchedulerMessage)
			}
			if c.unread && (r.Unknown[0].Resource != "devicetaintrules" || r.Unknown[0].Why != rules) {
				t.Errorf("unknown is %v", r.Unknown)
			}
			for _, node := range r.Nodes {
				got := "unknown"
				if node.Fits != nil {
					got = map[bool]string{true: "yes", false: "no"}[*node.Fits]
				}
				if got != c.fits[node.Name] {
					t.Errorf("fits %s: %s, want %s", node.Name, got, c.fits[node.Name])
				}
			}
		})
	}
}

// What would let the pod pass rests on the rules too.
func TestWithoutDeviceTaintRulesNoFixIsVerified(t *testing.T) {
	pod := testPod("ml/x", "", "", claiming("train"))
	e := startDevicesForbidding(t, Options{}, []string{"devicetaintrules"}, gpuClass(), aDeviceClaim("ml/train", 1), pod,
		testNode("a", "4", cordoned), aSlice("a", aDevice("gpu-0", "gpu")))
	f := must(fixesOf(t.Context(), e, report.PodFrom(pod)))
	if len(f.Tried) == 0 {
		t.Error("no fix is tried")
	}
	for _, fix := range f.Tried {
		if fix.Verified || fix.Simulated || !fix.Open {
			t.Errorf("%s: verified %t, open %t", fix.Title, fix.Verified, fix.Open)
		}
	}
}

// TestAPluginThatFailsOnANodeEndsTheAttempt of kube-scheduler, although the pod fits another node: a selector fails where a
// device has no such attribute. Nodes that another plugin rejects first are not asked.
func TestAPluginThatFailsOnANodeEndsTheAttempt(t *testing.T) {
	without := func(d *resourcev1.Device) { d.Attributes = nil }
	const failure = "class gpu: selector #0 on device gpu.example.com/b/odd: CEL runtime error: no such key: kind"
	for name, c := range map[string]struct {
		node *corev1.Node
		pod  []func(*corev1.Pod)
		want report.Verdict
	}{
		"it looks at the node":       {testNode("b", "4"), nil, report.Unknown},
		"another plugin rejects it":  {testNode("b", "4", cordoned), nil, report.Schedulable},
		"the pod is nominated to it": {testNode("b", "4"), []func(*corev1.Pod){nominatedTo("a")}, report.Schedulable},
	} {
		t.Run(name, func(t *testing.T) {
			pod := testPod("s/x", "", "1", append(c.pod, claiming("gpus"))...)
			e := startDevices(t, gpuClass(), testNode("a", "4"), c.node, aSlice("a", aDevice("g", "gpu")), aSlice("b", aDevice("odd", "", without)), aDeviceClaim("s/gpus", 1), pod)
			r := mustExplain(t, e, pod)
			if r.Verdict != c.want || r.Fits != 1 {
				t.Fatalf("%s, fits %d: %s", r.Verdict, r.Fits, r.Summary)
			}
			if c.want == report.Schedulable {
				return
			}
			if !strings.HasPrefix(r.Summary, "Unknown: "+failure) || !strings.HasPrefix(r.SchedulerMessage, `running "DynamicResources" filter plugin: `+failure) {
				t.Errorf("got %s\nmessage %s", r.Summary, r.SchedulerMessage)
			}
			if want := "It fits 1 node, but kube-scheduler gives up where a plugin fails on a node that it looks at."; !slices.Contains(r.Facts, want) {
				t.Errorf("got %q, want %s", r.Facts, want)
			}
		})
	}
}
