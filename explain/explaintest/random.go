package explaintest

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
)

// Dice gives a number below n. A test drives it by a seed or by rapid.
type Dice func(n int) int

// Drawn are dice of a seed that rapid draws: its own numbers lean to the small,
// which would make most clusters alike.
func Drawn(t *rapid.T) Dice {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).IntN
}

// Seeded are dice of a seed.
func Seeded(seed uint64) Dice { return rand.New(rand.NewPCG(seed, 0)).IntN }

// Chance is true in percent of a hundred cases.
func (d Dice) Chance(percent int) bool { return d(100) < percent }

// One is any of some values.
func One[T any](d Dice, of ...T) T { return of[d(len(of))] }

// Cluster is a small cluster with a bit of everything.
type Cluster struct {
	Nodes   []*corev1.Node
	Bound   []*corev1.Pod
	Pending []*corev1.Pod
	Others  []runtime.Object
}

// Objects are all of the cluster.
func (c *Cluster) Objects() (all []runtime.Object) {
	for _, n := range c.Nodes {
		all = append(all, n)
	}
	for _, p := range c.Bound {
		all = append(all, p)
	}
	for _, p := range c.Pending {
		all = append(all, p)
	}
	return append(all, c.Others...)
}

// RandomCluster has so many nodes, pods on them, and pending pods.
func RandomCluster(d Dice, nodes, bound, pending int) *Cluster {
	c := &Cluster{}
	for i := range nodes {
		c.Nodes = append(c.Nodes, RandomNode(d, i))
	}
	c.storage(d)
	c.devices(d)
	for _, name := range []string{"red", "blue"} {
		c.Others = append(c.Others, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"colour": name}}})
	}
	c.Others = append(c.Others, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "red", Name: "few"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}},
		},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(d(2))},
	})
	for i := range bound {
		p := c.RandomPod(d, fmt.Sprintf("bound-%02d", i))
		p.Spec.NodeName = c.Nodes[d(nodes)].Name
		p.Spec.SchedulingGates, p.Status.NominatedNodeName = nil, ""
		p.Status.Phase = corev1.PodRunning
		p.Status.StartTime = new(metav1.NewTime(Now.Add(-time.Duration(d(100)) * time.Minute)))
		if d.Chance(5) {
			p.Status.Phase = corev1.PodSucceeded
		}
		if d.Chance(8) {
			p.DeletionTimestamp = new(metav1.NewTime(Now))
			p.Finalizers = []string{"example.com/hold"}
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler}}
		}
		c.Bound = append(c.Bound, p)
	}
	for i := range pending {
		c.Pending = append(c.Pending, c.RandomPod(d, fmt.Sprintf("pending-%02d", i)))
	}
	return c
}

// RandomNode is a node of any size, with or without taints, labels and a cordon.
func RandomNode(d Dice, i int) *corev1.Node {
	node := LargeNode(fmt.Sprintf("node-%02d", i), One(d, "2", "4", "8", "15900m"))
	node.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse(One(d, "4Gi", "16Gi", "30000Mi"))
	node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse(One(d, "3", "110"))
	node.Status.Allocatable[corev1.ResourceEphemeralStorage] = resource.MustParse("20Gi")
	if d.Chance(30) {
		node.Status.Allocatable["example.com/gpu"] = resource.MustParse("2")
	}
	if d.Chance(90) {
		node.Labels[corev1.LabelTopologyZone] = One(d, "a", "b", "c")
	}
	if d.Chance(70) {
		node.Labels["disktype"] = One(d, "ssd", "hdd")
	}
	node.Labels["size"] = One(d, "1", "5", "9")
	switch d(8) {
	case 0:
		NodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)(node)
	case 1:
		NodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoExecute)(node)
		NodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule)(node)
	case 2:
		NodeTaint("soft", "", corev1.TaintEffectPreferNoSchedule)(node)
	case 3:
		node.Spec.Unschedulable = true
		if d.Chance(70) {
			NodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(node)
		}
	}
	return node
}

// storage makes claims of every state that a pod can meet.
func (c *Cluster) storage(d Dice) {
	wait, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	c.Others = append(c.Others,
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "csi"}, Provisioner: "csi.example.com", VolumeBindingMode: &wait},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "now"}, Provisioner: "csi.example.com", VolumeBindingMode: &now},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: new(d.Chance(50))}},
	)
	for i, node := range c.Nodes {
		if i%2 == 0 {
			c.Others = append(c.Others, &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: storagev1.CSINodeSpec{
				Drivers: []storagev1.CSINodeDriver{{Name: "csi.example.com", NodeID: node.Name, Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(1 + d(2)))}}},
			}})
		}
	}
	for _, namespace := range []string{"red", "blue"} {
		c.claim(d, namespace, "local", "local", "")
		c.claim(d, namespace, "csi", "csi", "")
		c.claim(d, namespace, "now", "now", "")
		c.claim(d, namespace, "once", "csi", "vol-once-"+namespace)
		c.claim(d, namespace, "zonal", "csi", "vol-zonal-"+namespace)
		c.claim(d, namespace, "lost", "csi", "vol-that-is-not")
	}
}

func (c *Cluster) claim(d Dice, namespace, name, class, volume string) {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("pvc-" + namespace + name)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class, VolumeName: volume,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	c.Others = append(c.Others, claim)
	if volume == "" {
		return
	}
	claim.Status.Phase = corev1.ClaimBound
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	if name == "once" {
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	}
	if name == "lost" {
		return
	}
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: volume, Labels: map[string]string{}},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: claim.Spec.AccessModes, StorageClassName: class,
			Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			ClaimRef:               &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: namespace, Name: name, UID: claim.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: volume}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}
	if name == "zonal" {
		zone := One(d, "a", "b", "c")
		pv.Labels[corev1.LabelTopologyZone] = zone
		pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
		}}}}
	}
	c.Others = append(c.Others, pv)
}

// devices are a gpu on some nodes, and claims that are free, taken or hopeless.
func (c *Cluster) devices(d Dice) {
	c.Others = append(c.Others, &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}})
	for _, node := range c.Nodes {
		if d.Chance(50) {
			continue
		}
		c.Others = append(c.Others, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + node.Name}, Spec: resourcev1.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &node.Name,
			Pool:    resourcev1.ResourcePool{Name: node.Name, ResourceSliceCount: 1, Generation: 1},
			Devices: []resourcev1.Device{{Name: "gpu-0"}},
		}})
	}
	for _, namespace := range []string{"red", "blue"} {
		for _, name := range []string{"free", "taken", "hopeless"} {
			class := "gpu"
			if name == "hopeless" {
				class = "tpu"
			}
			claim := &resourcev1.ResourceClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("claim-" + namespace + name)},
				Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
					Name:    "gpu",
					Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
				}}}},
			}
			if name == "taken" {
				allocate(claim, c.Nodes[0].Name)
			}
			c.Others = append(c.Others, claim)
		}
	}
}

// allocate gives claim the gpu of a node, for a pod that is not among the others.
func allocate(claim *resourcev1.ResourceClaim, node string) {
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "someone", UID: "someone"}}
	claim.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{
			Request: "gpu", Driver: "gpu.example.com", Pool: node, Device: "gpu-0",
		}}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
		}}}},
	}
}

// RandomPod is a pod without a node.
func (c *Cluster) RandomPod(d Dice, name string) *corev1.Pod {
	p := PendingPod(name, One(d, "100m", "500m", "1", "2", "7", "32"), Priority(One(d, int32(-10), 0, 0, 1000)))
	p.Namespace = One(d, "red", "blue")
	p.Labels["app"] = One(d, "a", "b", "c")
	requests := p.Spec.Containers[0].Resources.Requests
	if d.Chance(50) {
		requests[corev1.ResourceMemory] = resource.MustParse(One(d, "128Mi", "3Gi", "100000000", "17Gi"))
	}
	if d.Chance(10) {
		requests["example.com/gpu"] = resource.MustParse(One(d, "1", "2", "3"))
	}
	if d.Chance(10) {
		requests[corev1.ResourceEphemeralStorage] = resource.MustParse(One(d, "1Gi", "30Gi"))
	}
	c.randomShape(d, p)
	randomPlacement(d, p)
	randomNeighbours(d, p)
	if d.Chance(8) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new(One(d, "free", "taken", "hopeless", "missing"))}}
	}
	if d.Chance(15) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: One(d, "local", "csi", "now", "once", "zonal", "lost", "missing")},
		}})
	}
	return p
}

// randomShape changes what the pod is: sidecars, overhead, ports, gates, policy.
func (c *Cluster) randomShape(d Dice, p *corev1.Pod) {
	always := corev1.ContainerRestartPolicyAlways
	if d.Chance(15) {
		p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{Name: "side", RestartPolicy: &always, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("300m")},
		}}, corev1.Container{Name: "init", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")},
		}})
	}
	if d.Chance(10) {
		p.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("120Mi")}
	}
	if d.Chance(10) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5")}}
	}
	if d.Chance(15) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: int32(8080 + d(2)), ContainerPort: 80, Protocol: corev1.ProtocolTCP, HostIP: One(d, "", "10.0.0.1")}}
	}
	if d.Chance(5) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
	}
	if d.Chance(8) {
		p.Spec.PreemptionPolicy = new(corev1.PreemptNever)
	}
	if d.Chance(15) {
		p.Status.NominatedNodeName = c.Nodes[d(len(c.Nodes))].Name
	}
}

// randomPlacement changes which nodes the pod wants and tolerates.
func randomPlacement(d Dice, p *corev1.Pod) {
	if d.Chance(20) {
		p.Spec.NodeSelector = map[string]string{"disktype": One(d, "ssd", "hdd", "tape")}
	}
	if d.Chance(30) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "dedicated", Operator: One(d, corev1.TolerationOpEqual, corev1.TolerationOpExists), Value: ""})
	}
	if d.Chance(10) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
	}
	if !d.Chance(20) {
		return
	}
	requirement := One(
		d,
		corev1.NodeSelectorRequirement{Key: "disktype", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}},
		corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"a"}},
		corev1.NodeSelectorRequirement{Key: "disktype", Operator: corev1.NodeSelectorOpDoesNotExist},
		corev1.NodeSelectorRequirement{Key: "size", Operator: corev1.NodeSelectorOpGt, Values: []string{"3"}},
	)
	terms := []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{requirement}}}
	if d.Chance(25) {
		terms[0].MatchFields = []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{fmt.Sprintf("node-%02d", d(14))}}}
	}
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
}

// randomNeighbours changes which pods the pod wants near.
func randomNeighbours(d Dice, p *corev1.Pod) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": One(d, "a", "b", "c")}}
	key := One(d, corev1.LabelHostname, corev1.LabelTopologyZone)
	if d.Chance(15) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: int32(1 + d(2)), TopologyKey: key, LabelSelector: selector,
			WhenUnsatisfiable: One(d, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway),
		}}
		if d.Chance(30) && p.Spec.TopologySpreadConstraints[0].WhenUnsatisfiable == corev1.DoNotSchedule {
			p.Spec.TopologySpreadConstraints[0].MinDomains = new(int32(4))
		}
	}
	if !d.Chance(20) {
		return
	}
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	term := corev1.PodAffinityTerm{TopologyKey: key, LabelSelector: selector}
	switch d(4) {
	case 0:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"colour": One(d, "red", "blue")}}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{}
	}
	if d.Chance(60) {
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
		return
	}
	p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
}
