package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// tokenVolume begins the name of the volume that admission adds to each pod, with
// five letters of its own behind.
const tokenVolume = "kube-api-access-"

// EquivalenceKey is equal for pending pods with the same explanation. It is the
// Key of their EquivalenceClass.
func (p *Pod) EquivalenceKey() string { return equivalenceKey(p) }

// equivalenceKey is equal for pending pods with the same explanation: equal in
// everything that the scheduler looks at, and of one controller. It is the same
// in every run.
func equivalenceKey(pod *Pod) string {
	object := pod.Object
	data := fmt.Appendf(nil, "%s\x00%s\x00%s\x00", object.Namespace, pod.Owner.UID, object.Status.NominatedNodeName)
	if pod.Bound() {
		data = fmt.Appendf(data, "bound\x00%s\x00", pod.Status)
	}
	for _, name := range slices.Sorted(maps.Keys(object.Labels)) {
		if !isIdentity(name) && (!pod.Bound() || !isCopied(name)) {
			data = fmt.Appendf(data, "%s=%s\x00", name, object.Labels[name])
		}
	}
	sum := sha256.Sum256(append(data, specOf(object)...))
	return hex.EncodeToString(sum[:16])
}

// isIdentity reports whether a label tells one replica from the next, and no more.
func isIdentity(label string) bool {
	switch label {
	case appsv1.StatefulSetPodNameLabel, appsv1.PodIndexLabel,
		batchv1.ControllerUidLabel, batchv1.JobNameLabel, "controller-uid", "job-name":
		return true
	}
	return strings.HasPrefix(label, "batch.kubernetes.io/")
}

// isCopied reports whether binding copies a label of the node to the pod
// (admission plugin PodTopologyLabels).
func isCopied(label string) bool {
	return label == corev1.LabelTopologyZone || label == corev1.LabelTopologyRegion
}

// specOf writes the spec without what is the replica's own: its host name, its
// node, the name of its token's volume.
func specOf(pod *corev1.Pod) []byte {
	spec := pod.Spec // shallow: what is changed below is copied first
	spec.Hostname, spec.HostnameOverride, spec.NodeName = "", nil, ""
	spec.Volumes = withoutTokenNames(spec.Volumes)
	spec.InitContainers = withoutTokenMounts(spec.InitContainers)
	spec.Containers = withoutTokenMounts(spec.Containers)
	data, err := spec.Marshal()
	if err != nil { // never, for a spec that was decoded: its UID tells the pod apart
		return []byte(pod.UID)
	}
	return data
}

func withoutTokenNames(volumes []corev1.Volume) []corev1.Volume {
	isToken := func(v corev1.Volume) bool { return strings.HasPrefix(v.Name, tokenVolume) }
	at := slices.IndexFunc(volumes, isToken)
	if at < 0 {
		return volumes
	}
	volumes = slices.Clone(volumes)
	volumes[at].Name = tokenVolume
	return volumes
}

func withoutTokenMounts(containers []corev1.Container) []corev1.Container {
	isToken := func(m corev1.VolumeMount) bool { return strings.HasPrefix(m.Name, tokenVolume) }
	containers = slices.Clone(containers)
	for i := range containers {
		mounts := containers[i].VolumeMounts
		if at := slices.IndexFunc(mounts, isToken); at >= 0 {
			mounts = slices.Clone(mounts)
			mounts[at].Name = tokenVolume
			containers[i].VolumeMounts = mounts
		}
	}
	return containers
}
