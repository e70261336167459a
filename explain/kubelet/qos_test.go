package kubelet

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/util/qos"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// container has requests and limits, each by name and amount.
func container(name string, requests, limits []string) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{
		Requests: modeltest.Quantities(requests...), Limits: modeltest.Quantities(limits...),
	}}
}

func podOf(containers ...corev1.Container) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: containers}}
	pod.Status.QOSClass = qos.GetPodQOS(pod)
	return pod
}

func TestWhyAPodIsOfItsQoSClass(t *testing.T) {
	whole := []string{"cpu", "2", "memory", "1Gi"}
	resized := podOf(container("app", whole, whole))
	resized.Status.QOSClass = corev1.PodQOSBurstable
	podLevel := podOf(container("app", nil, nil))
	podLevel.Spec.Resources = &corev1.ResourceRequirements{Requests: modeltest.Quantities(whole...), Limits: modeltest.Quantities("cpu", "4", "memory", "1Gi")}
	podLevel.Status.QOSClass = corev1.PodQOSBurstable
	for _, test := range []struct {
		pod  *corev1.Pod
		want string
	}{
		{podOf(container("app", whole, whole)), "Guaranteed: the cpu and memory requests of each container equal its limits."},
		{podOf(container("app", nil, nil)), "BestEffort: no container has requests or limits of cpu or memory."},
		{podOf(container("app", []string{"cpu", "1"}, nil)), "Burstable: container app has no cpu limit."},
		{podOf(container("app", whole, []string{"cpu", "4", "memory", "1Gi"})), "Burstable: container app requests cpu 2, its limit is 4."},
		{podOf(container("app", nil, []string{"memory", "1Gi"})), "Burstable: container app requests no memory."},
		{podOf(container("app", []string{"cpu", "1"}, []string{"cpu", "1"})), "Burstable: container app has neither a request nor a limit for memory."},
		{podOf(container("app", whole, whole), container("log", nil, nil)), "Burstable: container app has requests and limits, container log has none."},
		{podLevel, "Burstable: the pod requests cpu 2, its limit is 4."},
		{resized, "Burstable: the class that the pod was created with."},
	} {
		if got := WhyClass(test.pod); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestTheCPUManagerPinsWholeCPUsOfGuaranteedPods(t *testing.T) {
	two, half := []string{"cpu", "2", "memory", "1Gi"}, []string{"cpu", "500m", "memory", "1Gi"}
	sidecar := podOf(container("app", two, two))
	sidecar.Spec.InitContainers = []corev1.Container{container("proxy", two, two), container("init", two, two)}
	sidecar.Spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	podLevel := podOf(container("app", two, two))
	podLevel.Spec.Resources = &corev1.ResourceRequirements{Requests: modeltest.Quantities(two...), Limits: modeltest.Quantities(two...)}
	for what, test := range map[string]struct {
		pod  *corev1.Pod
		want int64
	}{
		"whole CPUs":                       {podOf(container("app", two, two)), 2},
		"half a CPU":                       {podOf(container("app", half, half)), 0},
		"only the container of whole CPUs": {podOf(container("app", two, two), container("log", half, half)), 2},
		"a sidecar and no init container":  {sidecar, 4},
		"a Burstable pod":                  {podOf(container("app", two, nil)), 0},
		"a pod with limits of its own":     {podLevel, 0},
	} {
		if got := ExclusiveCPUs(test.pod); got != test.want {
			t.Errorf("%s: %d CPUs are pinned, want %d", what, got, test.want)
		}
	}
}

// The cases and scores are those of TestGetContainerOOMScoreAdjust in
// pkg/kubelet/qos/policy_test.go, on a node of 8,000,000,000 bytes.
func TestTheOOMScoreIsThatOfTheKubelet(t *testing.T) {
	const memory = 8_000_000_000
	critical := podOf(container("app", nil, nil))
	critical.Spec.Priority, critical.Spec.PriorityClassName = new(int32(2_000_001_000)), "system-node-critical"
	cluster := podOf(container("app", nil, nil))
	cluster.Spec.Priority, cluster.Spec.PriorityClassName = new(int32(2_000_000_000)), "system-cluster-critical"
	sidecar := podOf(container("app", []string{"memory", "4000000000"}, nil))
	sidecar.Spec.InitContainers = []corev1.Container{container("proxy", []string{"memory", "1000000000"}, nil)}
	sidecar.Spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	podLevel := podOf(container("app", []string{"memory", "1000000000"}, nil), container("log", []string{"memory", "1000000000"}, nil))
	podLevel.Spec.Resources = &corev1.ResourceRequirements{Requests: modeltest.Quantities("memory", "4000000000")}
	for what, test := range map[string]struct {
		pod       *corev1.Pod
		container corev1.Container
		want      int
	}{
		"nothing requested":             {podOf(container("app", nil, nil)), container("app", nil, nil), 1000},
		"critical for its node":         {critical, critical.Spec.Containers[0], -997},
		"critical for the cluster":      {cluster, cluster.Spec.Containers[0], 1000},
		"Guaranteed":                    {podOf(container("app", []string{"cpu", "5m", "memory", "10G"}, []string{"cpu", "5m", "memory", "10G"})), container("app", nil, nil), -997},
		"half of the node, Burstable":   {podOf(container("app", []string{"memory", "4000000000"}, nil)), container("app", []string{"memory", "4000000000"}, nil), 500},
		"nearly all, Burstable":         {podOf(container("app", []string{"memory", "7999999999"}, nil)), container("app", []string{"memory", "7999999999"}, nil), 3},
		"cpu only, Burstable":           {podOf(container("app", []string{"cpu", "1"}, nil)), container("app", []string{"cpu", "1"}, nil), 999},
		"a sidecar is not killed first": {sidecar, sidecar.Spec.InitContainers[0], 500},
		"a share of the pod's request":  {podLevel, podLevel.Spec.Containers[0], 750},
	} {
		if got := OOMScoreAdj(test.pod, &test.container, memory); got == nil || *got != test.want {
			t.Errorf("%s: got %v, want %d", what, got, test.want)
		}
	}
	burstable := podOf(container("app", []string{"cpu", "1"}, nil))
	if got := OOMScoreAdj(burstable, &burstable.Spec.Containers[0], 0); got != nil {
		t.Errorf("of a node whose memory is not known: %d", *got)
	}
}
