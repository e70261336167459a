package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// deviceClass is the devices whose attribute kind is this.
func deviceClass(name, kind string) *resourcev1.DeviceClass {
	class := gpuClass()
	class.Name = name
	class.Spec.Selectors[0].CEL.Expression = strings.ReplaceAll(class.Spec.Selectors[0].CEL.Expression, `"gpu"`, `"`+kind+`"`)
	return class
}

// sharedDevice is a device of 40Gi that claims share, in steps of 8Gi from 8Gi to 32Gi.
func sharedDevice(d *resourcev1.Device) {
	d.AllowMultipleAllocations = new(true)
	capacity := d.Capacity["memory"]
	capacity.RequestPolicy = &resourcev1.CapacityRequestPolicy{
		Default: new(resource.MustParse("8Gi")),
		ValidRange: &resourcev1.CapacityRequestPolicyRange{
			Min: new(resource.MustParse("8Gi")), Max: new(resource.MustParse("32Gi")), Step: new(resource.MustParse("8Gi")),
		},
	}
	d.Capacity["memory"] = capacity
}

// holdingShare gives the claim so much of a shared device.
func holdingShare(node, device, memory string) func(*resourcev1.ResourceClaim) {
	return func(c *resourcev1.ResourceClaim) {
		holdingDevices(node, device)(c)
		result := &c.Status.Allocation.Devices.Results[0]
		result.ShareID = new(types.UID("11111111-2222-3333-4444-555555555555"))
		result.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(memory)}
	}
}

func memoryOf(amount string) func(*resourcev1.ResourceClaim) {
	return exactly(func(r *resourcev1.ExactDeviceRequest) {
		r.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(amount)}}
	})
}

// Each fix that is said to work does: with the claim changed as it says, the pod fits.
func TestFixesForDevices(t *testing.T) {
	all := exactly(func(r *resourcev1.ExactDeviceRequest) {
		r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeAll, 0
	})
	count := func(n int64) func(*resourcev1.ResourceClaim) {
		return exactly(func(r *resourcev1.ExactDeviceRequest) {
			r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeExactCount, n
		})
	}
	class := func(name string) func(*resourcev1.ResourceClaim) {
		return exactly(func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = name })
	}
	tolerates := func(key, value string) func(*resourcev1.ResourceClaim) {
		return exactly(func(r *resourcev1.ExactDeviceRequest) {
			r.Tolerations = []resourcev1.DeviceToleration{{Key: key, Operator: resourcev1.DeviceTolerationOpEqual, Value: value, Effect: resourcev1.DeviceTaintEffectNoSchedule}}
		})
	}
	gpus := aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu"), aDevice("gpu-2", "gpu"))
	for name, test := range map[string]struct {
		claim   *resourcev1.ResourceClaim
		objects []runtime.Object
		want    string
		made    map[string]func(*resourcev1.ResourceClaim) // by title
	}{
		"a tainted one": {
			claim:   aDeviceClaim("ml/train", 1),
			objects: []runtime.Object{aSlice("n", aDevice("gpu-0", "gpu", deviceTaint("team", "a")), aDevice("gpu-1", "gpu", deviceTaint("team", "b"), deviceTaint("x", "y")))},
			want:    "* tolerate the device taint team=a:NoSchedule | n",
			made:    map[string]func(*resourcev1.ResourceClaim){"tolerate the device taint team=a:NoSchedule": tolerates("team", "a")},
		},
		"one that is being emptied": {
			claim: aDeviceClaim("ml/train", 1),
			objects: []runtime.Object{aSlice("n", aDevice("gpu-0", "gpu", func(d *resourcev1.Device) {
				d.Taints = []resourcev1.DeviceTaint{{Key: "broken", Effect: resourcev1.DeviceTaintEffectNoExecute}}
			}))},
			want: "No known change to the pod or to nodes would help.",
		},
		"fewer": {
			claim:   aDeviceClaim("ml/train", 3),
			objects: []runtime.Object{gpus, aDeviceClaim("ml/other", 1, holdingDevices("n", "gpu-0"))},
			want:    "* request 2 gpu devices instead of 3 | n",
			made:    map[string]func(*resourcev1.ResourceClaim){"request 2 gpu devices instead of 3": count(2)},
		},
		"fewer than all": {
			claim:   aDeviceClaim("ml/train", 1, all),
			objects: []runtime.Object{gpus, aDeviceClaim("ml/other", 1, holdingDevices("n", "gpu-0"))},
			want:    "* request 2 gpu devices instead of all | n",
			made:    map[string]func(*resourcev1.ResourceClaim){"request 2 gpu devices instead of all": count(2)},
		},
		"another class": {
			claim:   aDeviceClaim("ml/train", 1),
			objects: []runtime.Object{aSlice("n", aDevice("nic-0", "nic")), deviceClass("nic", "nic"), deviceClass("tpu", "tpu")},
			want:    "* accept nic devices too | n\n* request nic devices instead of gpu | n",
			made:    map[string]func(*resourcev1.ResourceClaim){"request nic devices instead of gpu": class("nic")},
		},
		"less of a device that claims share": {
			claim:   aDeviceClaim("ml/train", 1, memoryOf("20Gi")), // takes 24Gi
			objects: []runtime.Object{aSlice("n", aDevice("gpu-0", "gpu", sharedDevice)), aDeviceClaim("ml/other", 1, holdingShare("n", "gpu-0", "24Gi"))},
			want:    "* request memory 16Gi of a device instead of 20Gi | n",
			made:    map[string]func(*resourcev1.ResourceClaim){"request memory 16Gi of a device instead of 20Gi": memoryOf("16Gi")},
		},
		"no more than a request may ask for": {
			claim:   aDeviceClaim("ml/train", 1, memoryOf("40Gi")),
			objects: []runtime.Object{aSlice("n", aDevice("gpu-0", "gpu", sharedDevice))},
			want:    "* request memory 32Gi of a device instead of 40Gi | n",
			made:    map[string]func(*resourcev1.ResourceClaim){"request memory 32Gi of a device instead of 40Gi": memoryOf("32Gi")},
		},
		"fewer of two": {
			claim: aDeviceClaim("ml/train", 2, func(c *resourcev1.ResourceClaim) {
				second := *c.Spec.Devices.Requests[0].DeepCopy()
				second.Name, second.Exactly.DeviceClassName = "s", "nic"
				c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, second)
			}),
			objects: []runtime.Object{aSlice("n", aDevice("gpu-0", "gpu"), aDevice("nic-0", "nic")), deviceClass("nic", "nic")},
			want:    "* request 1 gpu device instead of 2 and request 1 nic device instead of 2 | n",
			made: map[string]func(*resourcev1.ResourceClaim){"both": func(c *resourcev1.ResourceClaim) {
				for _, request := range c.Spec.Devices.Requests {
					request.Exactly.Count = 1
				}
			}},
		},
		"none is free": {
			claim:   aDeviceClaim("ml/train", 1),
			objects: []runtime.Object{aSlice("n", aDevice("gpu-0", "gpu")), aDeviceClaim("ml/other", 1, holdingDevices("n", "gpu-0"))},
			want:    "No known change to the pod or to nodes would help.",
		},
		"the claim is allocated elsewhere": {
			claim:   aDeviceClaim("ml/train", 3, holdingDevices("m", "gpu-0")),
			objects: []runtime.Object{gpus},
			want:    "No known change to the pod or to nodes would help.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			pod := testPod("ml/x", "", "1", claiming("train"))
			objects := append([]runtime.Object{gpuClass(), testNode("n", "4")}, test.objects...)
			e := startDevices(t, append(objects, test.claim, pod)...)
			found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			same(t, toldFixes(found), test.want)
			for _, fix := range found.Tried {
				if fix.Command != "" || fix.Verified || len(fix.Actions) > 0 || fix.Kind != report.FixDevice {
					t.Errorf("%s has a command, or is of kind %s", fix.Title, fix.Kind)
				}
				if len(fix.Affects) != fix.Steps || fix.Affects[0].Title() != "resourceclaim/train" || fix.Outcome() != "a new ResourceClaim" {
					t.Errorf("%s affects %+v: %s", fix.Title, fix.Affects, fix.Outcome())
				}
			}
			for title, change := range test.made {
				made := test.claim.DeepCopy()
				change(made)
				if x := mustExplain(t, startDevices(t, append(objects, made)...), pod); x.Verdict != report.Schedulable {
					t.Errorf("%s: the verdict is %s: %s", title, x.Verdict, x.Summary)
				}
			}
		})
	}
}

// The claim of a template is replaced by way of the template.
func TestAFixForDevicesNamesTheTemplate(t *testing.T) {
	pod := testPod("ml/x", "", "1", func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("two-gpus")}}
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: new("x-gpu-abcde")}}
	})
	claim := aDeviceClaim("ml/x-gpu-abcde", 2, func(c *resourcev1.ResourceClaim) {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}}
	})
	e := startDevices(t, gpuClass(), testNode("n", "4"), aSlice("n", aDevice("gpu-0", "gpu")), claim, pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	same(t, toldFixes(found), "* request 1 gpu device instead of 2 | n")
	if of := found.Tried[0].Affects; len(of) != 1 || of[0].Title() != "resourceclaimtemplate/two-gpus" {
		t.Errorf("it affects %+v", of)
	}
}

// A pod's extended resource that a DeviceClass provides is lowered by a command.
func TestAnExtendedResourceOfDevicesIsLowered(t *testing.T) {
	class := gpuClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	pod := testPod("ml/x", "", "1", func(p *corev1.Pod) {
		two := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), "example.com/gpu": resource.MustParse("2")}
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: two, Limits: corev1.ResourceList{"example.com/gpu": resource.MustParse("2")}}
	})
	e := startDevices(t, class, testNode("n", "4"), aSlice("n", aDevice("gpu-0", "gpu")), pod)
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(toldFixes(found), "+ request example.com/gpu 1 instead of 2 | n") {
		t.Error(toldFixes(found))
	}
}

// extendedClass is gpuClass as an extended resource.
func extendedClass() *resourcev1.DeviceClass {
	class := gpuClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	return class
}

func TestReplicasGetADeviceEach(t *testing.T) {
	e := startDevices(t, testNamespace("ml"), extendedClass(), testNode("n", "8"), aSlice("n", aDevice("gpu-0", "gpu")))
	got, err := Replicas(t.Context(), e, testPod("ml/infer", "", "1", wantingGPU), 3, report.Admittance{})
	if err != nil || got.Fit == nil || *got.Fit != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The devices of a new node, and those that an evicted pod frees, are not known.
func TestDevicesOfNodesAndPodsThatChangeAreUnknown(t *testing.T) {
	holder := testPod("ml/holder", "n", "1", claiming("held"))
	pending := testPod("ml/infer", "", "1", wantingGPU)
	e := startDevices(t, extendedClass(), testNode("n", "8"), aSlice("n", aDevice("gpu-0", "gpu")), aDeviceClaim("ml/held", 1, holdingDevices("n", "gpu-0")), holder, pending)
	found, err := fixesOf(t.Context(), e, report.PodOf(pending.UID))
	if err != nil || found.NoNode != "" {
		t.Errorf("%s, %v", found.NoNode, err)
	}
	if fits, err := e.FitsWithout(t.Context(), pending, "n", []types.UID{holder.UID}); err != nil || fits != nil {
		t.Errorf("without the holder: %v, %v", fits, err)
	}
	fit, err := FitPending(t.Context(), e, report.NewNodes{Count: 1, Like: "n"})
	if err != nil || fit.Fits != nil || len(fit.Pending) != 1 || fit.Pending[0].Why != "the devices of a new node are not known" {
		t.Errorf("with one more node: %+v, %v", fit, err)
	}
}
