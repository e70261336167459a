package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	csitranslation "k8s.io/csi-translation-lib"
	fwk "k8s.io/kube-scheduler/framework"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
)

// volumeBinding names the claim that cannot be bound or provisioned, its class, and
// why each volume that it could be bound to cannot be used on the node.
var volumeBinding = explainer{
	Shape:   func(q *Question, r NodeRejection) string { return reasonShape(BindingReasons(q, r)) },
	Figures: CapacityFigures,
	Cause:   volumeCause,
	Words: func(q *Question, rs []NodeRejection) Words {
		return reasonWords(rs, func(r NodeRejection) []Reason { return BindingReasons(q, r) })
	},
}

// Binder matches the pod's claims with volumes as the plugin does.
type Binder struct {
	Listers
	q          *Question
	translator csitranslation.CSITranslator
	attributes bool // VolumeAttributesClasses count

	bound    []PodClaim // their volumes decide
	Started  []PodClaim // a volume is being provisioned for some node
	Free     []PodClaim // the smallest first, as they are matched
	Volumes  map[string][]*corev1.PersistentVolume
	offers   map[string]*offers // by claim
	byNode   map[fwk.NodeInfo][]Reason
	capacity map[fwk.NodeInfo]Figure
}

// BinderOf is the pod's binder, made once a question.
func BinderOf(q *Question) *Binder {
	type binderKey struct{}
	return Remember(q, binderKey{}, func() *Binder {
		b := &Binder{
			Listers: q.Listers, q: q, translator: csitranslation.New(),
			attributes: utilfeature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass),
			Volumes:    map[string][]*corev1.PersistentVolume{}, offers: map[string]*offers{},
			byNode: map[fwk.NodeInfo][]Reason{}, capacity: map[fwk.NodeInfo]Figure{},
		}
		b.sort()
		return b
	})
}

// sort parts the claims by how they are served.
func (b *Binder) sort() {
	for _, claim := range PodClaims(b.q) {
		switch {
		case claim.Object == nil:
		case claim.fullyBound():
			b.bound = append(b.bound, claim)
		case claim.SelectedNode() != "":
			b.Started = append(b.Started, claim)
		default:
			b.Free = append(b.Free, claim)
		}
	}
	slices.SortStableFunc(b.Free, func(a, b PodClaim) int { wanted := a.Size(); return wanted.Cmp(b.Size()) })
	if len(b.Free) == 0 {
		return
	}
	for _, volume := range Everything(b.Listers.Volumes) {
		class := storagehelpers.GetPersistentVolumeClass(volume)
		b.Volumes[class] = append(b.Volumes[class], volume)
	}
	for _, volumes := range b.Volumes { // of equal ones the plugin takes any
		slices.SortFunc(volumes, func(a, b *corev1.PersistentVolume) int { return strings.Compare(a.Name, b.Name) })
	}
}

// BindingReasons are all reasons why the pod's claims cannot be used on r's node.
func BindingReasons(q *Question, r NodeRejection) []Reason {
	if r.Node == nil {
		return waitingReasons(q)
	}
	b := BinderOf(q)
	found, ok := b.byNode[r.Node]
	if !ok {
		found = b.reasons(r.Node)
		b.byNode[r.Node] = found
	}
	return found
}

func (b *Binder) reasons(info fwk.NodeInfo) []Reason {
	node := info.Node()
	var reasons []Reason
	for _, claim := range b.bound {
		if f, ok := b.boundElsewhere(claim, node); ok {
			reasons = append(reasons, f)
		}
	}
	provision := []PodClaim{}
	for _, claim := range b.Started {
		if claim.SelectedNode() != node.Name {
			reasons = append(reasons, b.startedElsewhere(claim))
			continue
		}
		provision = append(provision, claim)
	}
	taken := map[string]*corev1.PersistentVolume{}
	for _, claim := range b.Free {
		volume, err := storagehelpers.FindMatchingVolume(claim.Object, b.Volumes[claim.Class()], node, taken, true, b.attributes)
		switch {
		case err != nil: // the plugin fails, and does not refuse
		case volume != nil:
			taken[volume.Name] = volume
		default:
			provision = append(provision, claim)
		}
	}
	for _, claim := range provision {
		if f, ok := b.notProvisioned(claim, info, taken); ok {
			reasons = append(reasons, f)
		}
	}
	return reasons
}

// boundElsewhere is the reason of a bound claim whose volume the node cannot use.
func (b *Binder) boundElsewhere(claim PodClaim, node *corev1.Node) (Reason, bool) {
	volume, err := b.Listers.Volumes.Get(claim.Object.Spec.VolumeName)
	if err != nil {
		return claim.volumeGone(), b.Readable("persistentvolumes")
	}
	if volume = b.translated(volume, node); storagehelpers.CheckNodeAffinity(volume, node.Labels) == nil {
		return Reason{}, false
	}
	nowhere := ""
	if b.reachesNoNode(volume) {
		nowhere = volumeNowhere(volume)
	}
	return newReason("volume of claim "+claim.Object.Name+" "+volumeOnly(volume, true)+nowhere, func() string {
		return fmt.Sprintf("claim %s requires nodes with %s, the node has %s (volume %s)",
			claim.Name, volumePlace(volume, false), nodePlace(volume, node), volume.Name)
	}), true
}

// reachesNoNode reports whether the volume can be used on none of the nodes that there are.
func (b *Binder) reachesNoNode(volume *corev1.PersistentVolume) bool {
	type volumeKey struct{ name string }
	return Remember(b.q, volumeKey{volume.Name}, func() bool {
		nodes, err := b.q.Nodes.NodeInfos().List()
		return err == nil && !slices.ContainsFunc(nodes, func(info fwk.NodeInfo) bool {
			return storagehelpers.CheckNodeAffinity(b.translated(volume, info.Node()), info.Node().Labels) == nil
		})
	})
}

// translated is volume as the node's CSI driver sees it, where the node's
// kubelet has handed the in-tree plugin's volumes to a driver.
func (b *Binder) translated(volume *corev1.PersistentVolume, node *corev1.Node) *corev1.PersistentVolume {
	if !b.translator.IsPVMigratable(volume) {
		return volume
	}
	csiNode, err := b.csiNodes.Get(node.Name)
	if err != nil {
		return volume
	}
	plugin, err := b.translator.GetInTreePluginNameFromSpec(volume, nil)
	handedOver := strings.Split(csiNode.Annotations[corev1.MigratedPluginsAnnotationKey], ",")
	if err != nil || !migrated(csiNode, plugin) || !slices.Contains(handedOver, plugin) {
		return volume
	}
	if csi, err := b.translator.TranslateInTreePVToCSI(b.q.Logger, volume); err == nil {
		return csi
	}
	return volume
}

// startedElsewhere is the reason of a claim that a volume is being provisioned
// for on another node.
func (b *Binder) startedElsewhere(claim PodClaim) Reason {
	selected := claim.SelectedNode()
	short := fmt.Sprintf("claim %s is being provisioned for %s", claim.Name, selected)
	if _, err := b.q.Nodes.NodeInfos().Get(selected); err != nil {
		short += ", which does not exist"
	}
	return newReason(short, func() string {
		return fmt.Sprintf("%s (its annotation %s)", short, storagehelpers.AnnSelectedNode)
	})
}

// allowsNoNode reports whether no node has the labels of nodes for which a class provisions volumes.
func (b *Binder) allowsNoNode(class *storagev1.StorageClass) bool {
	type classKey struct{ name string }
	return Remember(b.q, classKey{class.Name}, func() bool {
		nodes, err := b.q.Nodes.NodeInfos().List()
		return err == nil && !slices.ContainsFunc(nodes, func(info fwk.NodeInfo) bool {
			return v1helper.MatchTopologySelectorTerms(class.AllowedTopologies, labels.Set(info.Node().Labels))
		})
	})
}

// notProvisioned is why no volume can be made for claim on the node, after none
// of those that exist would do.
func (b *Binder) notProvisioned(claim PodClaim, info fwk.NodeInfo, taken map[string]*corev1.PersistentVolume) (Reason, bool) {
	node := info.Node()
	class, err := b.Classes.Get(claim.Class())
	if err != nil {
		return Reason{}, false // the plugin fails, and does not refuse
	}
	switch {
	case class.Provisioner == "" || class.Provisioner == storagehelpers.NotSupportedProvisioner:
		return newReason(fmt.Sprintf("no %s volume for claim %s", class.Name, claim.Name), func() string {
			return fmt.Sprintf("claim %s requests %s of class %s, which has no provisioner: %s",
				claim.Name, claim.wish(), class.Name, b.whyNone(claim, node, taken))
		}), true
	case !v1helper.MatchTopologySelectorTerms(class.AllowedTopologies, labels.Set(node.Labels)):
		short := fmt.Sprintf("class %s provisions only for %s", class.Name, topologyText(class, true))
		if b.allowsNoNode(class) {
			short += ", which no node has"
		}
		return newReason(short, func() string {
			return fmt.Sprintf("claim %s requests %s of class %s, which provisions only for nodes with %s, the node has %s",
				claim.Name, claim.wish(), class.Name, topologyText(class, false), labelsAt(node, topologyKeys(class)))
		}), true
	}
	return b.noCapacity(claim, class, info)
}

// noCapacity is the reason of a driver that has too little storage left for the
// node, by what it publishes.
func (b *Binder) noCapacity(claim PodClaim, class *storagev1.StorageClass, info fwk.NodeInfo) (Reason, bool) {
	driver, err := b.csiDrivers.Get(class.Provisioner)
	if _, sized := claim.Object.Spec.Resources.Requests[corev1.ResourceStorage]; !sized || err != nil ||
		driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity || !b.Readable("csistoragecapacities") {
		return Reason{}, false
	}
	size := claim.Size()
	most, pool := b.mostCapacity(class.Name, info.Node())
	if pool != nil && most >= size.Value() {
		return Reason{}, false
	}
	f := Figure{Resource: corev1.ResourceStorage, Wanted: size.Value(), Allocatable: most, Short: size.Value() - most}
	if f.Short > b.capacity[info].Short {
		b.capacity[info] = f
	}
	kind := fmt.Sprintf("not enough free storage of class %s for claim %s", class.Name, claim.Name)
	if pool == nil {
		short := fmt.Sprintf("no CSIStorageCapacity of class %s for claim %s", class.Name, claim.Name)
		return Reason{kind: kind, short: short, What: func() string {
			return fmt.Sprintf("claim %s requests %s of class %s, and driver %s publishes no CSIStorageCapacity for this node",
				claim.Name, claim.wish(), class.Name, driver.Name)
		}}, true
	}
	short := fmt.Sprintf("claim %s needs storage %s more", claim.Name, quantity.RoundedUp(f.Resource, f.Short))
	return Reason{kind: kind, short: short, What: func() string {
		return fmt.Sprintf("claim %s needs storage %s more: it requests %s of class %s, driver %s has at most %s for this node (CSIStorageCapacity %s/%s)",
			claim.Name, quantity.Canonical(f.Resource, f.Short), claim.wish(), class.Name, driver.Name, quantity.Canonical(f.Resource, most), pool.Namespace, pool.Name)
	}}, true
}

// mostCapacity is the largest volume of class that could be made for node, and
// where; nil if nothing is published for it.
func (b *Binder) mostCapacity(class string, node *corev1.Node) (most int64, pool *storagev1.CSIStorageCapacity) {
	for _, capacity := range b.storagePools() {
		limit := capacity.Capacity
		if capacity.MaximumVolumeSize != nil {
			limit = capacity.MaximumVolumeSize
		}
		if capacity.StorageClassName != class || limit == nil || !reaches(capacity, node) {
			continue
		}
		if pool == nil || limit.Value() > most {
			most, pool = limit.Value(), capacity
		}
	}
	return most, pool
}

// CapacityFigures is the storage that a driver has too little of: of several
// claims the one that is short of the most.
func CapacityFigures(q *Question, r NodeRejection) []Figure {
	if r.Node == nil || len(BindingReasons(q, r)) == 0 {
		return nil
	}
	if f, ok := BinderOf(q).capacity[r.Node]; ok {
		return []Figure{f}
	}
	return nil
}
