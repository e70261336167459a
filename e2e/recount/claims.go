package recount

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// use is a claim that a volume of a pod stands for.
type use struct {
	name      string // namespace/name
	ephemeral bool
	object    *corev1.PersistentVolumeClaim // nil if it does not exist
}

// uses are the claims of a pod.
func (s *State) uses(pod *corev1.Pod) []use {
	var found []use
	for _, volume := range pod.Spec.Volumes {
		u := use{}
		switch {
		case volume.PersistentVolumeClaim != nil:
			u.name = pod.Namespace + "/" + volume.PersistentVolumeClaim.ClaimName
		case volume.Ephemeral != nil:
			u.name, u.ephemeral = pod.Namespace+"/"+pod.Name+"-"+volume.Name, true
		default:
			continue
		}
		u.object = s.claims[u.name]
		found = append(found, u)
	}
	return found
}

// bound tells whether the binding of the claim is over.
func (u use) bound() bool {
	return u.object.Spec.VolumeName != "" && u.object.Annotations["pv.kubernetes.io/bind-completed"] != ""
}

// class is the StorageClass of the claim; nil if it names none that exists.
func (s *State) class(u use) *storagev1.StorageClass {
	if u.object.Spec.StorageClassName == nil {
		return nil
	}
	return s.classes[*u.object.Spec.StorageClassName]
}

// waits tells whether the claim is bound only when a pod has a node.
func (s *State) waits(u use) bool {
	class := s.class(u)
	return class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// reachable tells whether a node may use a volume, and names what the volume
// asks of nodes.
func reachable(volume *corev1.PersistentVolume, node *corev1.Node) (ok bool, names []string) {
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return true, nil
	}
	for _, term := range volume.Spec.NodeAffinity.Required.NodeSelectorTerms {
		missed := missedRequirements(term, node)
		if missed == nil {
			return true, nil
		}
		names = append(names, missed...)
	}
	return false, names
}

// rejection is the rejection with the names, if there are any.
func rejection(plugin string, names []string) *Rejection {
	if len(names) == 0 {
		return nil
	}
	return &Rejection{Plugin: plugin, Names: names}
}

// volumeRestrictions refuses nodes with a pod that holds the same disk, and all
// nodes while another pod has a claim that is for one pod.
func (s *State) volumeRestrictions(pod *corev1.Pod, node *corev1.Node) *Rejection {
	var missing []string
	for _, u := range s.uses(pod) {
		if u.object == nil && !u.ephemeral {
			missing = append(missing, u.name)
		}
	}
	if missing != nil {
		return rejection("VolumeRestrictions", missing)
	}
	return rejection("VolumeRestrictions", append(s.heldDisks(pod, node), s.heldClaims(pod, node)...))
}

// heldClaims names the pod's claims for one pod that others have, and those. A
// pod that is only nominated counts by the claim's name alone, and only if the
// plugin has something to look at anyway.
func (s *State) heldClaims(pod *corev1.Pod, node *corev1.Node) []string {
	var names, nominees []string
	for _, u := range s.uses(pod) {
		if u.ephemeral || !slices.Contains(u.object.Spec.AccessModes, corev1.ReadWriteOncePod) {
			continue
		}
		for _, others := range s.byNode {
			for _, other := range others {
				switch {
				case !mounts(other, u.object.Name):
				case other.Spec.NodeName == "":
					nominees = append(nominees, u.name, full(other))
				case other.Namespace == pod.Namespace:
					names = append(names, u.name, full(other), other.Spec.NodeName)
				}
			}
		}
	}
	if names == nil && !hasDisk(pod) {
		return nil
	}
	return append(names, nominees...)
}

// mounts tells whether a pod uses a claim of that name.
func mounts(pod *corev1.Pod, claim string) bool {
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ClaimName == claim {
			return true
		}
	}
	return false
}

func full(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// disk is a disk that a pod names itself: what it is, and whether it only reads.
func disk(volume corev1.Volume) (kind, name string, reads bool) {
	switch {
	case volume.GCEPersistentDisk != nil:
		return "gce", volume.GCEPersistentDisk.PDName, volume.GCEPersistentDisk.ReadOnly
	case volume.AWSElasticBlockStore != nil:
		return "ebs", volume.AWSElasticBlockStore.VolumeID, false // never shared
	case volume.ISCSI != nil:
		return "iscsi", volume.ISCSI.IQN, volume.ISCSI.ReadOnly
	case volume.RBD != nil:
		return "rbd", volume.RBD.RBDPool + "/" + volume.RBD.RBDImage, volume.RBD.ReadOnly
	}
	return "", "", false
}

func hasDisk(pod *corev1.Pod) bool {
	for _, volume := range pod.Spec.Volumes {
		if kind, _, _ := disk(volume); kind != "" {
			return true
		}
	}
	return false
}

// heldDisks names the pod's disks that pods on the node have, and those.
func (s *State) heldDisks(pod *corev1.Pod, node *corev1.Node) []string {
	var names []string
	for _, wanted := range pod.Spec.Volumes {
		kind, name, reads := disk(wanted)
		for _, other := range s.byNode[node.Name] {
			for _, held := range other.Spec.Volumes {
				heldKind, heldName, heldReads := disk(held)
				if kind != "" && kind == heldKind && name == heldName && (!reads || !heldReads) {
					names = append(names, name, full(other))
				}
			}
		}
	}
	return names
}
