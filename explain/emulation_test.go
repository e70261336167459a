package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	versionutil "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// emulated gives the rest of a test the feature gates of a minor version.
func emulated(t *testing.T, minor int) {
	t.Helper()
	scheduler.KeepClientGates()
	featuregatetesting.SetFeatureGateEmulationVersionDuringTest(t, utilfeature.DefaultFeatureGate, versionutil.MajorMinor(1, uint(minor)))
}

func TestAnOlderSchedulersWordsAreKnown(t *testing.T) {
	gpu := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	soft := nodeTaint("soft", "", corev1.TaintEffectPreferNoSchedule)
	said := func(message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: message}}
		}
	}
	const helpless = "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
	const now = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). "
	const then = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {dedicated: gpu}. "
	for name, c := range map[string]struct {
		cluster, message string
		agrees, reworded bool
	}{
		"1.33 names the taint":                       {"v1.33.2", then + helpless, true, true},
		"1.34 has idle claims too":                   {"v1.34.0", then + "no new claims to deallocate, " + helpless, true, true},
		"a later 1.34 names no taint":                {"v1.34.4", now + "no new claims to deallocate, " + helpless, true, true},
		"1.36 has idle claims, and names no taint":   {"v1.36.0", now + "no new claims to deallocate, " + helpless, true, true},
		"1.37 has neither":                           {"v1.37.1", now + helpless, true, false},
		"the present words from an older one":        {"v1.34.0", now + helpless, true, false},
		"older words from the present one":           {"v1.37.1", then + helpless, false, false},
		"words of no version":                        {"v1.34.0", "0/3 nodes are available: 3 Insufficient memory.", false, false},
		"the right words for another taint":          {"v1.34.0", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {other: gpu}. no new claims to deallocate, " + helpless, false, false},
		"the words of an older one about more nodes": {"v1.33.2", "0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}.", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			emulated(t, scheduler.MinorOf(c.cluster))
			e := startEngine(t, Options{ClusterVersion: c.cluster}, testNode("std-a-01", "4"), testNode("gpu-a-01", "32", soft, gpu), testPod("batch/a", "std-a-01", "3"))
			r := mustExplain(t, e, testPod("shop/x", "", "4", said(c.message)))
			if r.Observed.Agrees == nil || *r.Observed.Agrees != c.agrees || r.SameReworded() != c.reworded {
				t.Errorf("agrees %v, reworded %t\nours  %s\nolder %s", *r.Observed.Agrees, r.SameReworded(), r.SchedulerMessage, r.Reworded)
			}
			same(t, r.SchedulerMessage, now+helpless)
		})
	}
}

// TestAnOlderSchedulersWordsAboutVolumesAreKnown: up to 1.32 a volume of another node was in conflict.
func TestAnOlderSchedulersWordsAboutVolumesAreKnown(t *testing.T) {
	const then = "0/1 nodes are available: 1 node(s) had volume node affinity conflict. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	for cluster, agrees := range map[string]bool{"v1.32.9": true, "v1.33.5": false} {
		emulated(t, scheduler.MinorOf(cluster))
		e := startEngine(t, Options{ClusterVersion: cluster}, testNode("a", "4"), aClaim("shop/data", "local", boundTo("pv")), aVolume("pv", "local", volumeOn("is", "gone"), volumeOf("shop/data")))
		r := mustExplain(t, e, withClaim(testPod("shop/x", "", "1", func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: then}}
		})))
		if r.Observed.Agrees == nil || *r.Observed.Agrees != agrees {
			t.Errorf("%s: agrees %v\nours  %s\nolder %s", cluster, r.Observed.Agrees, r.SchedulerMessage, r.Reworded)
		}
	}
}

// TestTheWordsOfAnyVersionThatTheClusterMayHaveAgree: a file does not say of which version the cluster is, and no kubelet is
// newer than kube-apiserver.
func TestTheWordsOfAnyVersionThatTheClusterMayHaveAgree(t *testing.T) {
	const helpless = "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
	const now = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). "
	const then = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {dedicated: gpu}. "
	for name, c := range map[string]struct {
		kubelet, message string
		agrees           bool
	}{
		"the present words":            {"v1.33.1", now + helpless, true},
		"1.33":                         {"v1.33.1", then + helpless, true},
		"1.34":                         {"v1.33.1", then + "no new claims to deallocate, " + helpless, true},
		"1.36":                         {"v1.33.1", now + "no new claims to deallocate, " + helpless, true},
		"older than its kubelets":      {"v1.36.0", then + "no new claims to deallocate, " + helpless, false},
		"its kubelets are not known":   {"", then + helpless, false},
		"another taint, in old words":  {"v1.33.1", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {other: gpu}. " + helpless, false},
		"another number, in old words": {"v1.33.1", "0/3 nodes are available: 2 Insufficient cpu, 1 node(s) had untolerated taint {dedicated: gpu}. " + helpless, false},
	} {
		t.Run(name, func(t *testing.T) {
			version := func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = c.kubelet }
			e := startEngine(t, Options{}, testNode("std-a-01", "4", version), testNode("gpu-a-01", "32", version, nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
				testPod("batch/a", "std-a-01", "3"))
			r := mustExplain(t, e, testPod("shop/x", "", "4", func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: c.message}}
			}))
			if r.Observed.Agrees == nil || *r.Observed.Agrees != c.agrees {
				t.Errorf("agrees %v\nours  %s\nolder %s", *r.Observed.Agrees, r.SchedulerMessage, r.Reworded)
			}
		})
	}
}

func TestAnOlderSchedulerSaysNothingOfAPreemptionThatWorks(t *testing.T) {
	e := startEngine(t, Options{ClusterVersion: "v1.36.0"}, aNode("a", "4"), aPod("idle", "3", on("a")))
	r := mustExplain(t, e, aPod("urgent", "4", priority(100), func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available: 1 Insufficient cpu."}}
	}))
	if r.Observed.Agrees == nil || !*r.Observed.Agrees || !r.Preemption.Possible {
		t.Errorf("agrees %v: %s", r.Observed.Agrees, r.Reworded)
	}
}

// Up to 1.36 DynamicResources says in PostFilter whether PreFilter has found claims: it has for an extended
// resource of a DeviceClass, and has not where it rejects the pod.
func TestAnOlderSchedulerSaysWhetherAPodHasClaims(t *testing.T) {
	extended := gpuClass()
	extended.Spec.ExtendedResourceName = new("example.com/gpu")
	unknownClass := aDeviceClaim("ml/train", 1, exactly(func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = "tpu" }))
	const helpless = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	for name, c := range map[string]struct {
		objects []runtime.Object
		pod     func(*corev1.Pod)
		message string
	}{
		"an extended resource of a DeviceClass": {
			[]runtime.Object{extended},
			func(p *corev1.Pod) {
				p.Spec.Containers[0].Resources.Requests[corev1.ResourceName("example.com/gpu")] = resource.MustParse("1")
			},
			"0/1 nodes are available: 1 Insufficient cpu. still not schedulable, " + helpless,
		},
		"a claim of a DeviceClass that does not exist": {
			[]runtime.Object{gpuClass(), unknownClass},
			claiming("train"),
			"0/1 nodes are available: request r: device class tpu does not exist. no new claims to deallocate, " + helpless,
		},
	} {
		t.Run(name, func(t *testing.T) {
			emulated(t, 36)
			e := startDevicesOf(t, Options{ClusterVersion: "v1.36.3"}, append(c.objects, testNode("n", "4"))...)
			r := mustExplain(t, e, testPod("ml/x", "", "5", c.pod, func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: c.message}}
			}))
			if r.Observed.Agrees == nil || !*r.Observed.Agrees {
				t.Errorf("does not agree\nours  %s\nolder %s\nwant  %s", r.SchedulerMessage, r.Reworded, c.message)
			}
		})
	}
}
