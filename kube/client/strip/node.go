package strip

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (s *Stripper) node(n *corev1.Node) {
	s.meta(&n.ObjectMeta)
	s.pool.word(&n.Name)
	n.Spec.PodCIDR, n.Spec.PodCIDRs = "", nil
	n.Spec.Taints = s.taints(n.Spec.Taints)

	status := &n.Status
	status.Capacity = s.pool.amounts(status.Capacity)
	status.Allocatable = s.pool.amounts(status.Allocatable)
	status.VolumesInUse, status.VolumesAttached, status.Config = nil, nil, nil
	status.DaemonEndpoints = corev1.NodeDaemonEndpoints{}
	status.Addresses = exact(status.Addresses)
	status.Images = s.images(status.Images)
	status.DeclaredFeatures = s.pool.list(status.DeclaredFeatures)
	status.RuntimeHandlers = sharedSlice(s.pool, status.RuntimeHandlers)
	for i := range status.Conditions {
		c := &status.Conditions[i]
		c.LastHeartbeatTime = metav1.Time{}
		for _, word := range []*string{(*string)(&c.Type), (*string)(&c.Status), &c.Reason, &c.Message} {
			s.pool.word(word)
		}
	}
	info := &status.NodeInfo
	info.MachineID, info.SystemUUID, info.BootID = "", "", ""
	for _, word := range []*string{
		&info.KernelVersion, &info.OSImage, &info.ContainerRuntimeVersion, &info.KubeletVersion,
		&info.OperatingSystem, &info.Architecture,
	} {
		s.pool.word(word)
	}
}

func (s *Stripper) taints(taints []corev1.Taint) []corev1.Taint {
	for i := range taints {
		s.pool.word(&taints[i].Key)
		s.pool.word(&taints[i].Value)
		s.pool.word((*string)(&taints[i].Effect))
	}
	return exact(taints)
}

// images shares the list of nodes that hold the same images, and otherwise the
// images that several nodes hold. ImageLocality reads names and sizes.
func (s *Stripper) images(images []corev1.ContainerImage) []corev1.ContainerImage {
	return sharedSliceOf(s.pool, images, func(images []corev1.ContainerImage) []corev1.ContainerImage {
		for i := range images {
			images[i] = *sharedMessage(s.pool, &images[i], clone)
		}
		return exact(images)
	})
}
