package bigfleet

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func namespaceName(i int) string { return fmt.Sprintf("team-%02d", i%namespaces) }

func nodeName(i int) string {
	return fmt.Sprintf("ip-10-%d-%d-%d.eu-central-1.compute.internal", i/65000, i/250%256, i%250)
}

// node is one of ten pools in three zones. Two pools are tainted, and one node
// in fifty is cordoned.
func node(i int) *corev1.Node {
	amounts := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("15890m"),
		corev1.ResourceMemory:           resource.MustParse("60Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("180Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{
			corev1.LabelHostname:           nodeName(i),
			corev1.LabelOSStable:           "linux",
			corev1.LabelArchStable:         "amd64",
			corev1.LabelTopologyZone:       fmt.Sprintf("eu-central-1%c", 'a'+i%3),
			corev1.LabelTopologyRegion:     "eu-central-1",
			corev1.LabelInstanceTypeStable: "m6i.4xlarge",
			"eks.amazonaws.com/nodegroup":  fmt.Sprintf("pool-%d", i%10),
			"rack":                         fmt.Sprintf("rack-%d", i/20),
		}},
		Status: corev1.NodeStatus{
			Capacity: amounts, Allocatable: amounts,
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.37.1", OperatingSystem: "linux", Architecture: "amd64"},
			Images:   images(i),
		},
	}
	for _, t := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		status := corev1.ConditionFalse
		if t == corev1.NodeReady {
			status = corev1.ConditionTrue
		}
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: t, Status: status, Reason: "Kubelet" + string(t), Message: "as the kubelet says"})
	}
	switch i % 10 {
	case 3:
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
	case 7:
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "team", Value: "data", Effect: corev1.TaintEffectNoSchedule})
	}
	if i%50 == 11 {
		n.Spec.Unschedulable = true
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return n
}

// images are fifty of the six hundred that the cluster runs.
func images(i int) []corev1.ContainerImage {
	var list []corev1.ContainerImage
	for k := range 50 {
		image := (i*7 + k*12) % 600
		list = append(list, corev1.ContainerImage{
			Names: []string{
				fmt.Sprintf("registry.example.com/app/image-%d@sha256:%064d", image, image),
				fmt.Sprintf("registry.example.com/app/image-%d:v1.%d", image, image%9),
			},
			SizeBytes: int64(40+image) << 20,
		})
	}
	return list
}

// bound is a pod of one of the workloads, on a node.
func bound(i, nodes int) *corev1.Pod {
	w := (i*7 + i/nodes*13) % workloads
	p := pod(fmt.Sprintf("app-%03d-7c9d8f6b5-%05d", w, i), w, "300m", "1200Mi")
	p.Spec.NodeName = nodeName(i % nodes)
	if w%20 == 0 {
		p.Spec.Affinity = apart(p.Labels["app"])
	}
	return p
}

// pending is a pod of one of 25 workloads that fit nowhere.
func pending(i int) *corev1.Pod {
	w := i % 25
	p := pod(fmt.Sprintf("wait-%02d-6c9d8b7f4-%05d", w, i), w, "40", "8Gi")
	p.Labels["app"] = fmt.Sprintf("wait-%02d", w)
	switch w % 3 {
	case 1:
		p.Spec.NodeSelector = map[string]string{"eks.amazonaws.com/nodegroup": "pool-3"}
	case 2:
		p.Spec.Affinity = apart("app-000")
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}},
		}}
	}
	return p
}

// apart keeps a pod off hosts that run the app.
func apart(app string) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:   corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		}},
	}}
}

// pod is about six kilobytes in protobuf, most of it what charts put there:
// environment, arguments and annotations.
func pod(name string, w int, cpu, memory string) *corev1.Pod {
	app := fmt.Sprintf("app-%03d", w)
	var env []corev1.EnvVar
	for k := range 30 {
		env = append(env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d", k), Value: strings.Repeat("value ", 8) + name})
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespaceName(w), Name: name,
			Labels: map[string]string{
				"app": app, "app.kubernetes.io/name": app, "app.kubernetes.io/instance": app + "-prod",
				"pod-template-hash": "7c9d8f6b5",
			},
			Annotations: map[string]string{
				"checksum/config": strings.Repeat("0123456789abcdef", 4),
				"notes":           strings.Repeat("what a chart has to say ", 20),
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-7c9d8f6b5", UID: types.UID(fmt.Sprintf("%08d-0000-4000-8000-000000000000", w)),
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "app", Image: fmt.Sprintf("registry.example.com/app/image-%d:v1.%d", w, w%9),
				Args: []string{"serve", "--listen", ":8080"}, Env: env,
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)},
					Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)},
				},
				VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/app"}},
			}},
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app}},
			}}},
		},
	}
}

// running is the status that a kubelet would write.
func running(p *corev1.Pod) corev1.PodStatus {
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, HostIP: "10.0.0.1", PodIP: "10.1.0.1", QOSClass: corev1.PodQOSBurstable,
		StartTime: &p.CreationTimestamp,
	}
	for _, t := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodReady, corev1.PodInitialized, corev1.ContainersReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: p.CreationTimestamp})
	}
	status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "app", Ready: true, Started: new(true), Image: p.Spec.Containers[0].Image,
		ImageID:     "registry.example.com/app/image@sha256:" + strings.Repeat("0123456789abcdef", 4),
		ContainerID: "containerd://" + strings.Repeat("fedcba9876543210", 4),
		State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: p.CreationTimestamp}},
	}}
	return status
}
