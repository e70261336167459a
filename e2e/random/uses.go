package random

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Missing is the name of claims, for volumes or devices, that do not exist.
const Missing = "missing"

// claims are the names that pods ask for.
var claims = []string{
	"late-0", "late-1", "late-2", "late-3", "late-4", "late-5",
	"csi-0", "csi-1", "csi-2", "csi-3", "zonal-0", "zonal-1", "zonal-2", "capacity-0", "capacity-1", "capacity-2", "capacity-3",
	"bound-0", "bound-1", "bound-2", "bound-3", "bound-4", "bound-5", "bound-6", "bound-7",
	"bound-0", "bound-1", "bound-2", "bound-3", "bound-4", "bound-5", "bound-6", "bound-7",
	"now", "instant", "no-such-class", "no-class", "named", "stuck", "ending", "lost", Missing,
}

// addClaim mounts a claim, or two different ones.
func (c *Cluster) addClaim(pod *corev1.Pod) {
	first, second := pick(c, claims...), pick(c, claims...)
	mount(pod, "data", first)
	if c.one(4) && second != first {
		mount(pod, "more", second)
	}
}

// mount adds a volume of a claim.
func mount(pod *corev1.Pod, name, claim string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
	}})
}

// addEphemeral has kube-controller-manager make a claim for the pod.
func (c *Cluster) addEphemeral(pod *corev1.Pod) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{
		Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(c.prefix + "-" + pick(c, "csi", "zonal", "capacity")),
			AccessModes:      []corev1.PersistentVolumeAccessMode{once},
			Resources:        corev1.VolumeResourceRequirements{Requests: amounts("storage", "3Gi")},
		}}},
	}})
}

// addDisk mounts a disk without a claim: one that nobody shares, or only to read.
func (c *Cluster) addDisk(pod *corev1.Pod) {
	disk := corev1.Volume{Name: "disk"}
	switch c.rand.IntN(6) {
	case 0:
		disk.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: "disk-1", ReadOnly: c.one(2)}
	case 1:
		disk.ISCSI = &corev1.ISCSIVolumeSource{TargetPortal: "10.0.0.9", IQN: "iqn.2001-04.com.example:one", ReadOnly: c.one(2)}
	case 2:
		disk.RBD = &corev1.RBDVolumeSource{CephMonitors: []string{"10.0.0.8"}, RBDPool: "kube", RBDImage: "one", ReadOnly: c.one(2)}
	default:
		disk.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: pick(c, "vol-1", "vol-2", "vol-3")}
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, disk)
}

// addDeviceClaim asks for devices by a claim that others may ask for too.
func (c *Cluster) addDeviceClaim(pod *corev1.Pod) {
	name := pick(c, "shared-gpu", "shared-gpu", "shared-nic", "hopeless", Missing)
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "shared", ResourceClaimName: &name})
}

// addDeviceTemplate asks for devices by a claim, or two, that
// kube-controller-manager makes for the pod.
func (c *Cluster) addDeviceTemplate(pod *corev1.Pod) {
	for i := range 1 + c.rand.IntN(5)/4 {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{
			Name: fmt.Sprintf("own-%d", i), ResourceClaimTemplateName: new(pick(c, wanted...)),
		})
	}
}

// addFPGA asks for devices by the name of an extended resource.
func (c *Cluster) addFPGA(pod *corev1.Pod) {
	resources := &pod.Spec.Containers[0].Resources
	if resources.Limits == nil {
		resources.Limits = corev1.ResourceList{}
	}
	resources.Limits[FPGA] = amounts("n", pick(c, "1", "2"))["n"]
}

// addRestartRule has the pod need a feature that some nodes declare.
func (c *Cluster) addRestartRule(pod *corev1.Pod) {
	main := &pod.Spec.Containers[0]
	main.RestartPolicy = new(corev1.ContainerRestartPolicyNever)
	main.RestartPolicyRules = []corev1.ContainerRestartRule{{
		Action:    corev1.ContainerRestartRuleActionRestartAllContainers,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}},
	}}
}
