package random

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Finalizer keeps a pod terminating until somebody removes it.
const Finalizer = "fathom.example/stay"

// chance is something that one in n pods has.
type chance struct {
	n   int
	add func(*corev1.Pod)
}

// pod makes pod i. Most ask for more than one thing.
func (c *Cluster) pod(i int) *corev1.Pod {
	pod := c.plainPod(fmt.Sprintf("pod-%03d", i))
	if c.one(2) {
		pod.Spec.PriorityClassName = pick(c, "low", "middle", "high", "never")
	}
	for _, chance := range append(c.chances(),
		chance{12, c.addDeviceTemplate},
		chance{15, c.addFPGA},
		chance{15, c.addEphemeral},
		chance{15, c.addGate},
		chance{15, c.addNodeName},
		chance{20, c.addOtherScheduler},
		chance{15, c.addJob},
		chance{15, c.addFinalizer},
	) {
		if c.one(chance.n) {
			chance.add(pod)
		}
	}
	return pod
}

// latePod makes late pod i, which ranks above all others.
func (c *Cluster) latePod(i int) *corev1.Pod {
	pod := c.plainPod(fmt.Sprintf("late-%d", i))
	pod.Namespace, pod.Spec.PriorityClassName = c.namespaces[0], urgent
	pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: amounts(
		"cpu", pick(c, "1500m", "3500m", "3500m", "7500m"), "memory", pick(c, "1Gi", "2Gi", "6Gi"),
	)}
	for _, chance := range c.chances() {
		if c.one(2 * chance.n) {
			chance.add(pod)
		}
	}
	if c.one(2) {
		c.addFinalizer(pod)
	}
	return pod
}

// plainPod asks for no more than cpu and memory.
func (c *Cluster) plainPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pick(c, c.namespaces...),
			Name:      name,
			Labels:    map[string]string{"app": fmt.Sprintf("app-%d", c.rand.IntN(5)), "version": pick(c, "1", "2")},
		},
		Spec: corev1.PodSpec{
			Containers:    []corev1.Container{{Name: "main", Image: "registry.example/app:v1", Resources: c.requests()}},
			RestartPolicy: corev1.RestartPolicyNever,
		},
	}
}

// chances are what any pod may have.
func (c *Cluster) chances() []chance {
	return []chance{
		{5, c.addContainers},
		{8, c.addOverhead},
		{8, c.addPodLevel},
		{4, c.addTolerations},
		{4, c.addNodeChoice},
		{3, c.addPodAffinity},
		{3, c.addSpread},
		{6, c.addPorts},
		{3, c.addClaim},
		{12, c.addDisk},
		{12, c.addDeviceClaim},
		{15, c.addRestartRule},
	}
}

// requests of the main container.
func (c *Cluster) requests() corev1.ResourceRequirements {
	if c.one(12) {
		return corev1.ResourceRequirements{} // best effort
	}
	r := corev1.ResourceRequirements{
		Requests: amounts(
			"cpu", pick(c, "50m", "100m", "250m", "250m", "500m", "900m", "1500m", "9"),
			"memory", pick(c, "64Mi", "128Mi", "200M", "500M", "1Gi", "2Gi", "20Gi"),
		),
		Limits: corev1.ResourceList{},
	}
	if c.one(6) {
		r.Requests["ephemeral-storage"] = amounts("s", pick(c, "1Gi", "8Gi", "60Gi"))["s"]
	}
	if c.one(7) {
		r.Limits[GPU] = amounts(GPU, pick(c, "1", "2", "8"))[GPU]
	}
	if c.one(15) {
		r.Limits[hugePages] = amounts("h", pick(c, "32Mi", "128Mi"))["h"]
	}
	if c.one(20) {
		r.Limits["example.com/none-has-it"] = amounts("x", "1")["x"]
	}
	return r
}

// addContainers adds a sidecar, an init container, or both, and a second container.
func (c *Cluster) addContainers(pod *corev1.Pod) {
	if c.one(2) {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{
			Name: "sidecar", Image: "registry.example/sidecar:v1", RestartPolicy: new(corev1.ContainerRestartPolicyAlways),
			Resources: corev1.ResourceRequirements{Requests: amounts("cpu", "300m", "memory", "200Mi")},
		})
	}
	if c.one(2) {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{
			Name: "init", Image: "registry.example/init:v1",
			Resources: corev1.ResourceRequirements{Requests: amounts("cpu", pick(c, "100m", "2500m"), "memory", "1Gi")},
		})
	}
	pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
		Name: "second", Image: "registry.example/second:v1",
		Resources: corev1.ResourceRequirements{Requests: amounts("cpu", "150m")},
	})
}

// addOverhead runs it sandboxed.
func (c *Cluster) addOverhead(pod *corev1.Pod) { pod.Spec.RuntimeClassName = new("sandboxed") }

// addPodLevel asks for the whole pod, which counts instead of its containers.
func (c *Cluster) addPodLevel(pod *corev1.Pod) {
	pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "registry.example/app:v1"}}
	pod.Spec.InitContainers = nil
	pod.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts("cpu", pick(c, "700m", "6"), "memory", "1Gi")}
}

// addTolerations tolerates some taints, one by value, one by existence.
func (c *Cluster) addTolerations(pod *corev1.Pod) {
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
		Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: pick(c, "gpu", "batch"), Effect: corev1.TaintEffectNoSchedule,
	})
	if c.one(2) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key: "example.com/broken", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(300)), Effect: corev1.TaintEffectNoExecute,
		})
	}
	if c.one(8) {
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
}

// addNodeChoice adds a nodeSelector or a required node affinity.
func (c *Cluster) addNodeChoice(pod *corev1.Pod) {
	if c.one(3) {
		pod.Spec.NodeSelector = map[string]string{"disktype": pick(c, "ssd", "nvme")}
		return
	}
	var terms []corev1.NodeSelectorTerm
	switch c.rand.IntN(4) {
	case 0:
		terms = []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{pick(c, c.Nodes...).Name},
		}}}}
	case 1:
		terms = []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
			Key: "generation", Operator: pick(c, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt), Values: []string{"3"},
		}}}}
	case 2:
		terms = []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "rack", Operator: pick(c, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist)},
			{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"a"}},
		}}}
	default:
		terms = []corev1.NodeSelectorTerm{in(corev1.LabelTopologyZone, "a"), in("disktype", "hdd")}
	}
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
	}}
}

// addPodAffinity adds a required affinity or anti-affinity to pods of an app.
func (c *Cluster) addPodAffinity(pod *corev1.Pod) {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	term := corev1.PodAffinityTerm{
		TopologyKey:   pick(c, corev1.LabelHostname, corev1.LabelTopologyZone, "rack"),
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("app-%d", c.rand.IntN(6))}},
	}
	switch c.rand.IntN(4) {
	case 0:
		term.Namespaces = c.namespaces
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "1"}}
	case 2:
		term.MatchLabelKeys = []string{"version"}
	}
	if c.one(2) {
		pod.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
		return
	}
	pod.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
}

// addSpread spreads the pods of its app.
func (c *Cluster) addSpread(pod *corev1.Pod) {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew:           1,
		TopologyKey:       pick(c, corev1.LabelTopologyZone, corev1.LabelHostname, "rack"),
		WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": pod.Labels["app"]}},
	}
	switch c.rand.IntN(5) {
	case 0:
		constraint.MinDomains = new(int32(4))
	case 1:
		constraint.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
	case 2:
		constraint.NodeAffinityPolicy = new(corev1.NodeInclusionPolicyIgnore)
	case 3:
		constraint.MatchLabelKeys = []string{"version"}
	}
	pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
}

// addPorts asks for a port of the host, of one address or of all.
func (c *Cluster) addPorts(pod *corev1.Pod) {
	port := corev1.ContainerPort{
		ContainerPort: 80, HostPort: pick(c, int32(80), 80, 443),
		Protocol: pick(c, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP),
		HostIP:   pick(c, "", "", "127.0.0.1", "10.0.0.1"),
	}
	pod.Spec.Containers[0].Ports = []corev1.ContainerPort{port}
}

// addGate gates it.
func (c *Cluster) addGate(pod *corev1.Pod) {
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
}

// addNodeName binds it by hand, whether there is room or not. Nobody would
// allocate devices to it.
func (c *Cluster) addNodeName(pod *corev1.Pod) {
	if len(pod.Spec.SchedulingGates) == 0 && len(pod.Spec.ResourceClaims) == 0 {
		pod.Spec.NodeName = pick(c, c.Nodes...).Name
	}
}

// addOtherScheduler leaves it to a scheduler that does not exist.
func (c *Cluster) addOtherScheduler(pod *corev1.Pod) { pod.Spec.SchedulerName = "other-scheduler" }

// addJob has kwok complete it once it runs: then it holds nothing. Of a claim
// for devices that others share, kube-controller-manager would take its
// reservation away and give it back without end.
func (c *Cluster) addJob(pod *corev1.Pod) {
	if len(pod.Spec.ResourceClaims) > 0 {
		return
	}
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "batch/v1", Kind: "Job", Name: "job", UID: types.UID(c.prefix), Controller: new(true),
	}}
}

// addFinalizer lets it stay while it terminates.
func (c *Cluster) addFinalizer(pod *corev1.Pod) {
	pod.Finalizers = []string{Finalizer}
	pod.Spec.PriorityClassName = ending(pod.Spec.PriorityClassName)
}
