package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// claimsItsOwn is a pending pod with the ResourceClaim that was made for it from a template.
func claimsItsOwn(name string, edits ...func(*corev1.Pod)) []runtime.Object {
	return withMadeClaim(aPod(name, "1", append(edits, claimingFrom("one-gpu"))...), aDeviceClaim("default/made", 1))
}

// wantingGPU requests a device as an extended resource.
func wantingGPU(p *corev1.Pod) {
	p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = *resourceQuantity("1")
}

// someObjects are objects of several lists.
func someObjects(lists ...[]runtime.Object) (all []runtime.Object) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func TestPendingPodsDoNotGetTheSameDevice(t *testing.T) {
	train := podControlledBy("batch/v1", "Job", "train")
	named := gpuClass()
	named.Spec.ExtendedResourceName = new("example.com/gpu")
	oneDevice := aSlice("n", aDevice("gpu-0", "gpu"))
	anywhere := aSlice("n", aDevice("gpu-0", "gpu"))
	anywhere.Spec.NodeName, anywhere.Spec.AllNodes = nil, new(true)
	shared := []runtime.Object{aPod("a", "1", claiming("shared"), train), aPod("b", "1", claiming("shared"), train), aDeviceClaim("default/shared", 1)}
	pods := func(edits ...func(*corev1.Pod)) []runtime.Object {
		return []runtime.Object{aPod("a", "1", edits...), aPod("b", "1", edits...)}
	}
	for name, test := range map[string]struct {
		slice   *resourcev1.ResourceSlice
		objects []runtime.Object
		fits    int
		why     string
	}{
		"of claims made from a template": {
			oneDevice, someObjects(claimsItsOwn("a", train), claimsItsOwn("b", train)), 1,
			"n: no gpu device free for claim default/b-gpu-x7",
		},
		"of two workloads":   {oneDevice, someObjects(claimsItsOwn("a"), claimsItsOwn("b")), 1, ""},
		"unless they share":  {oneDevice, shared, 2, ""},
		"of named claims":    {oneDevice, append(claimsItsOwn("a", train), aPod("b", "1", claiming("own"), train), aDeviceClaim("default/own", 1)), 1, ""},
		"extended resources": {oneDevice, pods(wantingGPU, train), 1, "n: no gpu device free for resource example.com/gpu"},
		"of the network":     {anywhere, pods(wantingGPU, train), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(test.objects, testNode("n", "4"), testNode("other", "4"), testNode("third", "4"), named, test.slice)
			e := startDevices(t, objects...)
			for range 2 { // the second time shows that nothing stays of the first
				got, err := FitPending(t.Context(), e, report.NewNodes{})
				if err != nil {
					t.Fatal(err)
				}
				if got.Fits == nil || *got.Fits != test.fits || got.Asked != 2 {
					t.Fatalf("%v of %d fit, want %d: %+v, unknown %v", got.Fits, got.Asked, test.fits, got.Pending, got.Unknown)
				}
				if test.why != "" && got.Pending[0].Why != test.why {
					t.Errorf("the other one does not fit: %q, want %q", got.Pending[0].Why, test.why)
				}
			}
		})
	}
}

func TestAForecastLetsOnePodInForEachDevice(t *testing.T) {
	train, app := podControlledBy("batch/v1", "Job", "train"), podLabel("app", "train")
	closed, opened := testNode("n", "4", cordoned), testNode("n", "4")
	for devices, slice := range map[int]*resourcev1.ResourceSlice{
		1: aSlice("n", aDevice("gpu-0", "gpu")), 2: aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu")),
	} {
		objects := someObjects(claimsItsOwn("a", train, app), claimsItsOwn("b", train, app))
		e := startDevices(t, append(objects, closed, testNode("other", "4"), gpuClass(), slice)...)
		told := mustForecast(t, e, plan.Hypothesis{Nodes: []*corev1.Node{opened}})
		if len(told.Admitted) != 1 || told.Admitted[0].Count != devices {
			t.Errorf("with %d devices it lets in %+v", devices, told.Admitted)
		}
	}
}

func TestAFixPlacesOnePodForEachDevice(t *testing.T) {
	train := podControlledBy("batch/v1", "Job", "train")
	app := podLabel("app", "train")
	objects := someObjects(claimsItsOwn("a", train, app), claimsItsOwn("b", train, app))
	e := startDevices(t, append(objects, testNode("n", "4", cordoned), testNode("other", "4"), gpuClass(), aSlice("n", aDevice("gpu-0", "gpu")))...)
	told, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(objects[0].(*corev1.Pod).UID), Parts: report.FixesPart})
	if err != nil {
		t.Fatal(err)
	}
	for _, fix := range told.Tried.Tried {
		if fix.Kind != report.FixUncordon {
			continue
		}
		if fix.Alike != 2 || fix.PodsPlaced != 1 || fix.Verified || len(fix.Unless) != 1 {
			t.Errorf("uncordon: %d of %d pods placed, verified %v, unless %+v", fix.PodsPlaced, fix.Alike, fix.Verified, fix.Unless)
		}
		return
	}
	t.Errorf("no uncordon among %+v", told.Tried)
}

// The devices of a pod that is preempted are free for those that come after it.
func TestRemovedPodsGiveTheirDevicesBack(t *testing.T) {
	low := podControlledBy("batch/v1", "Job", "low")
	objects := someObjects(claimsItsOwn("low", low), claimsItsOwn("later"))
	e := startDevices(t, append(objects, testNode("n", "4"), testNode("other", "4"), gpuClass(), aSlice("n", aDevice("gpu-0", "gpu")))...)
	on := e.scheduler.State.NewSimulatedState(nil, nil)
	place := func(pod *corev1.Pod) (placed *corev1.Pod) {
		t.Helper()
		err := e.scheduler.Hold(t.Context(), on, func() error {
			found, err := e.scheduler.FittingNodes(t.Context(), pod, nil)
			if err != nil || len(found.Names) == 0 {
				return err
			}
			placed, err = on.Place(t.Context(), found, pod, found.Names[0])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return placed
	}
	first, later := objects[0].(*corev1.Pod), objects[2].(*corev1.Pod)
	there := place(first)
	if there == nil || place(later) != nil {
		t.Fatalf("the first is at %v, and the device is still free", there)
	}
	if err := e.scheduler.Hold(t.Context(), on, func() error { return on.RemovePod(there) }); err != nil {
		t.Fatal(err)
	}
	if place(later) == nil {
		t.Error("the device is not free again")
	}
}
