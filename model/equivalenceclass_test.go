package model

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// replica is a pending pod of the Deployment web.
func replica(name string, change func(*corev1.Pod)) *corev1.Pod {
	return modeltest.NewPod("shop/"+name, "", "1", "1Gi", time.Minute, func(pod *corev1.Pod) {
		pod.Labels = map[string]string{"app": "web", "pod-template-hash": "5d8f9c6b4"}
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web-5d8f9c6b4", UID: "rs", Controller: new(true)}}
		token := "kube-api-access-" + name
		pod.Spec.Volumes = []corev1.Volume{{Name: "data"}, {Name: token}}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: token, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}
		if change != nil {
			change(pod)
		}
	})
}

func TestPodsOfOneKindAreAlike(t *testing.T) {
	bound := func(p *corev1.Pod) { p.Spec.NodeName = "n1" }
	for _, c := range []struct {
		says    string
		one     func(*corev1.Pod)
		other   func(*corev1.Pod)
		oneKind bool
	}{
		{"replicas are, whatever their token's volume is called", nil, nil, true},
		{"a host name is the replica's own", nil, func(p *corev1.Pod) { p.Spec.Hostname = "web-1" }, true},
		{"so is its index", nil, func(p *corev1.Pod) { p.Labels["apps.kubernetes.io/pod-index"] = "1" }, true},
		{"so is its name as a label", nil, func(p *corev1.Pod) { p.Labels["statefulset.kubernetes.io/pod-name"] = "web-1" }, true},
		{"so is its completion index", nil, func(p *corev1.Pod) { p.Labels["batch.kubernetes.io/job-completion-index"] = "1" }, true},
		{"an annotation means nothing", nil, func(p *corev1.Pod) { p.Annotations = map[string]string{"a": "b"} }, true},
		{"another label may be selected by", nil, func(p *corev1.Pod) { p.Labels["tier"] = "db" }, false},
		{"another template is another kind", nil, func(p *corev1.Pod) { p.Labels["pod-template-hash"] = "77f" }, false},
		{"so is another controller", nil, func(p *corev1.Pod) { p.OwnerReferences[0].UID = "other" }, false},
		{"so is another namespace", nil, func(p *corev1.Pod) { p.Namespace = "dev" }, false},
		{"so is another request", nil, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = modeltest.Quantities("cpu", "2") }, false},
		{"so is another toleration", nil, func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Key: "a"}} }, false},
		{"so is another gate", nil, func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "a"}} }, false},
		{"so is another claim", nil, func(p *corev1.Pod) { p.Spec.Volumes[0].Name = "other" }, false},
		{"a nominated one is for itself", nil, func(p *corev1.Pod) { p.Status.NominatedNodeName = "n1" }, false},
		{"a bound one waits for something else", nil, bound, false},
		{"bound ones are alike on any node", bound, func(p *corev1.Pod) { p.Spec.NodeName = "n2" }, true},
		{"and in any zone, which binding copies to their labels", func(p *corev1.Pod) {
			bound(p)
			p.Labels[corev1.LabelTopologyZone] = "a"
		}, func(p *corev1.Pod) {
			bound(p)
			p.Labels[corev1.LabelTopologyZone] = "b"
		}, true},
		{"but not for another reason", bound, func(p *corev1.Pod) {
			bound(p)
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}}}
		}, false},
	} {
		b := NewBuilder()
		b.Pod(nil, replica("web-a", c.one))
		b.Pod(nil, replica("web-b", c.other))
		s := b.Build(1, Status{}, nil)
		if got := len(s.Pending) == 1; got != c.oneKind {
			t.Errorf("%s: they make %d kinds", c.says, len(s.Pending))
		}
		if s.Waiting() != 2 {
			t.Errorf("%s: %d wait", c.says, s.Waiting())
		}
	}
}

func TestAKindIsNamedAfterItsWorkload(t *testing.T) {
	b := NewBuilder()
	b.Pod(nil, replica("web-5d8f9c6b4-a", nil))
	one := b.Build(1, Status{}, nil).Pending[0]
	b.Pod(nil, replica("web-5d8f9c6b4-b", func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(modeltest.Epoch.Add(-time.Hour)) }))
	two := b.Build(2, Status{}, nil).Pending[0]
	if one.FullName() != "shop/web-5d8f9c6b4-a" || two.FullName() != "shop/web" {
		t.Errorf("one is %s, two are %s", one.FullName(), two.FullName())
	}
	if one.Key != two.Key {
		t.Error("the key changed with a second pod")
	}
	if two.First().Object.Name != "web-5d8f9c6b4-b" || !two.Since().Equal(modeltest.Epoch.Add(-time.Hour)) {
		t.Errorf("first is %s, since %s", two.First().Object.Name, two.Since())
	}
}

func TestKindsAreInTheOrderOfTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		for range rapid.IntRange(0, 12).Draw(t, "pods") {
			b.Pod(nil, modeltest.AnyPod(t))
		}
		s := b.Build(1, Status{}, nil)
		for i := 1; i < len(s.Pending); i++ {
			before, after := s.Pending[i-1], s.Pending[i]
			if before.Priority() < after.Priority() || (before.Priority() == after.Priority() && before.Since().After(after.Since())) {
				t.Fatalf("%s before %s", before.FullName(), after.FullName())
			}
		}
		for _, kind := range s.Pending {
			for _, pod := range kind.Pods {
				if found, ok := s.ClassOf(pod.Object.UID); !ok || !strings.HasPrefix(found.FullName(), pod.Object.Namespace) {
					t.Fatalf("%s is not found in its kind", pod.FullName())
				}
			}
		}
	})
}

func TestWhatWaits(t *testing.T) {
	waiting := func(reason string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
	}
	for _, c := range []struct {
		says, node string
		change     func(*corev1.Pod)
		waits      bool
	}{
		{"a pod without a node", "", nil, true},
		{"though it is gated", "", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "a"}} }, true},
		{"not one that failed without a node", "", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, false},
		{"a pod that its kubelet has not seen", "n1", func(p *corev1.Pod) { p.Status = corev1.PodStatus{} }, true},
		{"a pod whose image cannot be pulled", "n1", func(p *corev1.Pod) {
			p.Status.Phase, p.Status.ContainerStatuses = corev1.PodPending, waiting("ErrImagePull")
		}, true},
		{"though its phase says that it runs", "n1", func(p *corev1.Pod) { p.Status.ContainerStatuses = waiting("ErrImagePull") }, true},
		{"a pod whose init container does not start", "n1", func(p *corev1.Pod) { p.Status.InitContainerStatuses = waiting("CreateContainerConfigError") }, true},
		{"not a running one", "n1", nil, false},
		{"not one of which nothing but the phase is known", "n1", func(p *corev1.Pod) { p.Status.ContainerStatuses = nil }, false},
		{"not one that crashes: it did start", "n1", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = waiting("CrashLoopBackOff")
			p.Status.ContainerStatuses[0].RestartCount = 1
			p.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1}
		}, false},
		{"not one that was started before, as its count says", "n1", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = waiting("ContainerCreating")
			p.Status.ContainerStatuses[0].RestartCount = 1
		}, false},
		{"not one that is deleted from its node", "n1", func(p *corev1.Pod) {
			p.Status.Phase, p.DeletionTimestamp = corev1.PodPending, new(metav1.NewTime(modeltest.Epoch))
		}, false},
		{"not one that is through", "n1", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, false},
	} {
		if pod := NewPod(modeltest.NewPod("shop/a", c.node, "1", "1Gi", 0, c.change)); pod.Waits != c.waits {
			t.Errorf("%s: waits %t", c.says, pod.Waits)
		}
	}
}

func TestTheOwnerIsTheWorkload(t *testing.T) {
	for _, c := range []struct{ says, kind, name, hash, want string }{
		{"a ReplicaSet with a hash is a Deployment's", "ReplicaSet", "web-5d8f9c6b4", "5d8f9c6b4", "deployment/web"},
		{"one without is itself", "ReplicaSet", "web-5d8f9c6b4", "", "replicaset/web-5d8f9c6b4"},
		{"so is one with another hash", "ReplicaSet", "web-5d8f9c6b4", "77f", "replicaset/web-5d8f9c6b4"},
		{"a Job stays a Job", "Job", "nightly-29384", "29384", "job/nightly-29384"},
		{"a StatefulSet is itself", "StatefulSet", "index", "", "statefulset/index"},
	} {
		pod := NewPod(replica("a", func(p *corev1.Pod) {
			p.Labels["pod-template-hash"] = c.hash
			p.OwnerReferences = []metav1.OwnerReference{
				{Kind: "Other", Name: "no-controller", UID: "x"},
				{Kind: c.kind, Name: c.name, UID: "uid", Controller: new(true)},
			}
		}))
		if got := pod.Owner.String(); got != c.want || pod.Owner.UID != types.UID("uid") {
			t.Errorf("%s: %s (%s), want %s", c.says, got, pod.Owner.UID, c.want)
		}
	}
	if owner := NewPod(replica("a", func(p *corev1.Pod) { p.OwnerReferences = nil })).Owner; owner.String() != "" {
		t.Errorf("a bare pod is owned by %s", owner)
	}
}
