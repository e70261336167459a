// Package sample makes pods and nodes as API servers of production send them, for tests of what reads them.
package sample

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// Pod is a running pod of about 6 KB in protobuf, as they are in
// production: an environment, probes, mounts and managed fields. Pods whose
// names end alike differ; the workload is the name up to the last dash.
func Pod(name, node string) *corev1.Pod {
	workload := name[:max(strings.LastIndex(name, "-"), 0)]
	now := metav1.Unix(1_700_000_000+int64(len(name)), 0)
	container, sidecar := containers(name, workload)
	condition := func(of corev1.PodConditionType) corev1.PodCondition {
		return corev1.PodCondition{Type: of, Status: corev1.ConditionTrue, LastTransitionTime: now}
	}
	status := func(c corev1.Container) corev1.ContainerStatus {
		return corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: new(true),
			ImageID: "sha256:" + strings.Repeat("ab", 32), ContainerID: "containerd://" + name + strings.Repeat("cd", 24),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "team-" + workload, GenerateName: workload + "-",
			UID: types.UID("00000000-0000-0000-0000-" + name), ResourceVersion: fmt.Sprint(1_000_000 + len(name)),
			CreationTimestamp: now,
			Labels:            map[string]string{"app": workload, "pod-template-hash": "6d5f8c7b9d"},
			Annotations:       map[string]string{"checksum/config": strings.Repeat("0f", 32)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: workload, UID: types.UID("owner-" + workload),
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate,
				FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{` + strings.Repeat(`"f:labels":{},`, 60) + `"f:x":{}}}`),
			}},
		},
		Spec: corev1.PodSpec{
			NodeName: node, SchedulerName: corev1.DefaultSchedulerName, ServiceAccountName: workload,
			Priority: new(int32(0)), PreemptionPolicy: new(corev1.PreemptLowerPriority),
			RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(30)),
			Containers:   []corev1.Container{container, sidecar},
			NodeSelector: map[string]string{"kubernetes.io/os": "linux"},
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
			},
			Volumes: []corev1.Volume{
				{Name: "kube-api-access-" + name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, QOSClass: corev1.PodQOSBurstable, StartTime: &now,
			PodIP: "10.1.2.3", PodIPs: []corev1.PodIP{{IP: "10.1.2.3"}}, HostIP: "192.168.1.1",
			Conditions: []corev1.PodCondition{
				condition(corev1.PodReadyToStartContainers), condition(corev1.PodInitialized), condition(corev1.PodReady),
				condition(corev1.ContainersReady), condition(corev1.PodScheduled),
			},
			ContainerStatuses: []corev1.ContainerStatus{status(container), status(sidecar)},
		},
	}
}

// containers are the two of a pod.
func containers(pod, workload string) (container, sidecar corev1.Container) {
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz"}}, PeriodSeconds: 10}
	container = corev1.Container{
		Name: "main", Image: "registry.example/team/" + workload + ":v1.2.3",
		Args: []string{"--listen=:8080", "--verbose"},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("250m"), "memory": resource.MustParse("256Mi")},
			Limits:   corev1.ResourceList{"memory": resource.MustParse("512Mi")},
		},
		Ports:         []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
		LivenessProbe: probe, ReadinessProbe: probe,
		VolumeMounts: []corev1.VolumeMount{{Name: "kube-api-access-" + pod, MountPath: "/var/run/secrets"}},
	}
	for i := range 30 {
		container.Env = append(container.Env, corev1.EnvVar{
			Name: fmt.Sprintf("SETTING_%02d", i), Value: strings.Repeat("value ", 8),
		})
	}
	sidecar = container
	sidecar.Name, sidecar.Image = "proxy", "registry.example/mesh/proxy:v4"
	return container, sidecar
}

// SmallPod is a pod of which there can be many in a test.
func SmallPod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name, UID: types.UID(name)},
		Spec: corev1.PodSpec{
			NodeName:   node,
			Containers: []corev1.Container{{Name: "main", Env: []corev1.EnvVar{{Name: "SETTING", Value: "value"}}}},
		},
	}
}

// Node is a node with 50 images.
func Node(name string) *corev1.Node {
	amounts := corev1.ResourceList{
		"cpu": resource.MustParse("16"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("110"),
		"ephemeral-storage": resource.MustParse("200Gi"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID("node-" + name), ResourceVersion: "12345",
			Labels: map[string]string{
				corev1.LabelHostname: name, corev1.LabelTopologyZone: "zone-a", corev1.LabelInstanceTypeStable: "m16",
			},
			Annotations: map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
		},
		Spec: corev1.NodeSpec{
			PodCIDR: "10.1.2.0/24", ProviderID: "cloud:///" + name,
			Taints: []corev1.Taint{{Key: "dedicated", Value: "batch", Effect: corev1.TaintEffectNoSchedule}},
		},
		Status: corev1.NodeStatus{
			Capacity: amounts, Allocatable: amounts,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Unix(1_700_000_000, 0)}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.168.1.1"}},
			NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: "v1.37.1", MachineID: "machine-" + name},
		},
	}
	for i := range 50 {
		repository := fmt.Sprintf("registry.example/team/app-%02d", (i+len(name))%60)
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names: []string{repository + "@sha256:" + strings.Repeat("ab", 32), repository + ":v1.2.3"}, SizeBytes: 100_000_000,
		})
	}
	return node
}

// Encoded is an object as an API server sends it.
func Encoded(t interface{ Fatal(...any) }, object runtime.Object) []byte {
	object = object.DeepCopyObject()
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		t.Fatal(err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	data, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
