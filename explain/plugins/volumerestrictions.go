package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// volumeRestrictions names the pods that use a ReadWriteOncePod claim, or a disk
// that only one pod may write to.
var volumeRestrictions = explainer{
	Shape: func(q *Question, r NodeRejection) string { return reasonShape(RestrictionReasons(q, r)) },
	Cause: volumeCause,
	Words: func(q *Question, rs []NodeRejection) Words {
		return reasonWords(rs, func(r NodeRejection) []Reason { return RestrictionReasons(q, r) })
	},
}

// RestrictionReasons are the volumes of the pod that another pod uses.
func RestrictionReasons(q *Question, r NodeRejection) []Reason {
	if r.Node == nil {
		return absentClaims(q, false, ", so it is unknown whether another pod uses it")
	}
	return append(diskReasons(q.Pod, r.Node), exclusiveReasons(q, r)...)
}

// seat is a pod on its node.
type seat struct {
	pod  *corev1.Pod
	node string
	lost bool // it is being deleted, which its kubelet has to confirm, and the node is NotReady
}

// seatOn makes the seat of a pod on a node.
func seatOn(pod *corev1.Pod, node *corev1.Node) seat {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return seat{pod, node.Name, pod.DeletionTimestamp != nil && ready != nil && ready.Status != corev1.ConditionTrue}
}

// LostHolder is a pod that should have ended on a NotReady node and keeps q's pod from a ReadWriteOncePod claim, and
// the node; nil where there is none, or where a pod that runs keeps it from one, too.
func LostHolder(q *Question) (holder *corev1.Pod, node string) {
	for _, held := range exclusiveClaims(q) {
		for _, s := range held.seats {
			if !s.lost || s.pod.DeletionTimestamp.After(q.Now) {
				return nil, ""
			}
			holder, node = s.pod, s.node
		}
	}
	return holder, node
}

// exclusiveReasons are the ReadWriteOncePod claims of the pod that others use: on
// any node, or nominated to r's node. Of the nominated the plugin compares only
// the claim's name, not the namespace.
func exclusiveReasons(q *Question, r NodeRejection) []Reason {
	var reasons []Reason
	for _, held := range exclusiveClaims(q) {
		seats := held.seats
		for _, nominee := range r.Nominated {
			if usesClaim(nominee.GetPod(), held.claim.Object.Name) {
				seats = append(slices.Clip(seats), seat{pod: nominee.GetPod(), node: r.Name()})
			}
		}
		if len(seats) == 0 {
			continue
		}
		reasons = append(reasons, newReason(fmt.Sprintf("claim %s is in use by %s", held.claim.Name, listSeats(seats, grammar.Few, false)), func() string {
			return fmt.Sprintf("claim %s is ReadWriteOncePod and in use by %s", held.claim.Name, listSeats(seats, grammar.Many, true))
		}))
	}
	return reasons
}

// exclusive is a ReadWriteOncePod claim of the pod and who uses it already.
type exclusive struct {
	claim PodClaim
	seats []seat
}

func exclusiveClaims(q *Question) []exclusive {
	type exclusiveKey struct{}
	return Remember(q, exclusiveKey{}, func() []exclusive {
		var found []exclusive
		for _, claim := range PodClaims(q) {
			if !claim.Ephemeral && claim.Object != nil && slices.Contains(claim.Object.Spec.AccessModes, corev1.ReadWriteOncePod) {
				found = append(found, exclusive{claim, seatsOf(q, claim)})
			}
		}
		return found
	})
}

// seatsOf are the pods on any node that use claim.
func seatsOf(q *Question, claim PodClaim) []seat {
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil {
		return nil
	}
	var found []seat
	for _, node := range nodes {
		if node.GetPVCRefCounts()[claim.Name] == 0 {
			continue
		}
		for _, info := range node.GetPods() {
			if pod := info.GetPod(); pod.Namespace == claim.Object.Namespace && usesClaim(pod, claim.Object.Name) {
				found = append(found, seatOn(pod, node.Node()))
			}
		}
	}
	slices.SortFunc(found, func(a, b seat) int { return strings.Compare(FullName(a.pod), FullName(b.pod)) })
	return found
}

func usesClaim(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == name
	})
}

// listSeats names the first of some pods, with their nodes if asked to.
func listSeats(seats []seat, limit int, nodes bool) string {
	var all []string
	for _, s := range seats {
		said := FullName(s.pod)
		switch {
		case nodes && s.lost && len(seats) == 1:
			said += " on " + s.node + ", which is NotReady: the pod is Terminating until its kubelet confirms it"
		case nodes && s.lost:
			said += " on " + s.node + " (Terminating, node NotReady)"
		case nodes:
			said += " on " + s.node
		case s.lost:
			said += " (Terminating, node NotReady)"
		}
		all = append(all, said)
	}
	return grammar.List(all, limit)
}

// diskReasons are the disks of pod that pods on node hold in a way that does not
// go together.
func diskReasons(pod *corev1.Pod, node fwk.NodeInfo) []Reason {
	var reasons []Reason
	for i := range pod.Spec.Volumes {
		disk := diskName(&pod.Spec.Volumes[i])
		if disk == "" {
			continue
		}
		var seats []seat
		for _, info := range node.GetPods() {
			if conflicts(&pod.Spec.Volumes[i], info.GetPod()) {
				seats = append(seats, seatOn(info.GetPod(), node.Node()))
			}
		}
		if len(seats) == 0 {
			continue
		}
		slices.SortFunc(seats, func(a, b seat) int { return strings.Compare(FullName(a.pod), FullName(b.pod)) })
		reasons = append(reasons, Reason{
			kind:  disk + " is in use there",
			short: fmt.Sprintf("%s is in use by %s", disk, listSeats(seats, grammar.Few, false)),
			What:  func() string { return fmt.Sprintf("%s is in use by %s", disk, listSeats(seats, grammar.Many, true)) },
		})
	}
	return reasons
}

// diskName is what volume mounts, if it is of the kinds that the plugin compares.
func diskName(volume *corev1.Volume) string {
	switch {
	case volume.GCEPersistentDisk != nil:
		return "GCE disk " + volume.GCEPersistentDisk.PDName
	case volume.AWSElasticBlockStore != nil:
		return "EBS volume " + volume.AWSElasticBlockStore.VolumeID
	case volume.ISCSI != nil:
		return "iSCSI target " + volume.ISCSI.IQN
	case volume.RBD != nil:
		return "RBD image " + volume.RBD.RBDPool + "/" + volume.RBD.RBDImage
	}
	return ""
}

// conflicts says whether pod mounts the same disk as wanted, unless both only
// read it.
func conflicts(wanted *corev1.Volume, pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(held corev1.Volume) bool {
		same, shared := sameDisk(wanted, &held)
		return same && !shared
	})
}

// sameDisk says whether two volumes are one disk, and whether both may have it
// because they only read it; an EBS volume is never shared.
func sameDisk(a, b *corev1.Volume) (same, shared bool) {
	switch {
	case a.GCEPersistentDisk != nil && b.GCEPersistentDisk != nil:
		a, b := a.GCEPersistentDisk, b.GCEPersistentDisk
		return a.PDName == b.PDName, a.ReadOnly && b.ReadOnly
	case a.AWSElasticBlockStore != nil && b.AWSElasticBlockStore != nil:
		return a.AWSElasticBlockStore.VolumeID == b.AWSElasticBlockStore.VolumeID, false
	case a.ISCSI != nil && b.ISCSI != nil:
		return a.ISCSI.IQN == b.ISCSI.IQN, a.ISCSI.ReadOnly && b.ISCSI.ReadOnly
	case a.RBD != nil && b.RBD != nil:
		a, b := a.RBD, b.RBD
		served := slices.ContainsFunc(a.CephMonitors, func(monitor string) bool { return slices.Contains(b.CephMonitors, monitor) })
		return served && a.RBDPool == b.RBDPool && a.RBDImage == b.RBDImage, a.ReadOnly && b.ReadOnly
	}
	return false, false
}
