package explain

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

// volumeBinding names the claim that cannot be served, its class, and why each
// volume that it could be bound to is no use on the node.
var volumeBinding = explainer{
	shape:   func(q *question, r refused) string { return faultShape(bindingFaults(q, r)) },
	figures: capacityFigures,
	words: func(q *question, rs []refused) words {
		return faultWords(rs, func(r refused) []fault { return bindingFaults(q, r) })
	},
}

// binder matches the pod's claims with volumes as the plugin does.
type binder struct {
	listers
	q          *question
	translator csitranslation.CSITranslator
	attributes bool // VolumeAttributesClasses count

	bound    []podClaim // their volumes decide
	started  []podClaim // a volume is being provisioned for some node
	free     []podClaim // the smallest first, as they are matched
	volumes  map[string][]*corev1.PersistentVolume
	offers   map[string]*offers // by claim
	byNode   map[fwk.NodeInfo][]fault
	capacity map[fwk.NodeInfo]figure
}

func binderOf(q *question) *binder {
	type binderKey struct{}
	return remember(q, binderKey{}, func() *binder {
		b := &binder{
			listers: q.listers, q: q, translator: csitranslation.New(),
			attributes: utilfeature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass),
			volumes:    map[string][]*corev1.PersistentVolume{}, offers: map[string]*offers{},
			byNode: map[fwk.NodeInfo][]fault{}, capacity: map[fwk.NodeInfo]figure{},
		}
		b.sort()
		return b
	})
}

// sort parts the claims by how they are served.
func (b *binder) sort() {
	for _, claim := range podClaims(b.q) {
		switch {
		case claim.object == nil:
		case claim.fullyBound():
			b.bound = append(b.bound, claim)
		case claim.selectedNode() != "":
			b.started = append(b.started, claim)
		default:
			b.free = append(b.free, claim)
		}
	}
	slices.SortStableFunc(b.free, func(a, b podClaim) int { wanted := a.size(); return wanted.Cmp(b.size()) })
	if len(b.free) == 0 {
		return
	}
	for _, volume := range everything(b.listers.volumes) {
		class := storagehelpers.GetPersistentVolumeClass(volume)
		b.volumes[class] = append(b.volumes[class], volume)
	}
	for _, volumes := range b.volumes { // of equal ones the plugin takes any
		slices.SortFunc(volumes, func(a, b *corev1.PersistentVolume) int { return strings.Compare(a.Name, b.Name) })
	}
}

// bindingFaults are all that keeps the pod's claims from r's node.
func bindingFaults(q *question, r refused) []fault {
	if r.node == nil {
		return waitingFaults(q)
	}
	b := binderOf(q)
	found, ok := b.byNode[r.node]
	if !ok {
		found = b.faults(r.node)
		b.byNode[r.node] = found
	}
	return found
}

func (b *binder) faults(info fwk.NodeInfo) []fault {
	node := info.Node()
	var faults []fault
	for _, claim := range b.bound {
		if f, ok := b.boundElsewhere(claim, node); ok {
			faults = append(faults, f)
		}
	}
	provision := []podClaim{}
	for _, claim := range b.started {
		if claim.selectedNode() != node.Name {
			faults = append(faults, b.startedElsewhere(claim))
			continue
		}
		provision = append(provision, claim)
	}
	taken := map[string]*corev1.PersistentVolume{}
	for _, claim := range b.free {
		volume, err := storagehelpers.FindMatchingVolume(claim.object, b.volumes[claim.class()], node, taken, true, b.attributes)
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
			faults = append(faults, f)
		}
	}
	return faults
}

// boundElsewhere is the fault of a bound claim whose volume the node cannot use.
func (b *binder) boundElsewhere(claim podClaim, node *corev1.Node) (fault, bool) {
	volume, err := b.listers.volumes.Get(claim.object.Spec.VolumeName)
	if err != nil {
		return claim.volumeGone(), b.readable("persistentvolumes")
	}
	if volume = b.translated(volume, node); storagehelpers.CheckNodeAffinity(volume, node.Labels) == nil {
		return fault{}, false
	}
	return newFault(fmt.Sprintf("volume %s is only for %s", volume.Name, volumePlace(volume, true)), func() string {
		return fmt.Sprintf("volume %s of claim %s is only for nodes with %s, the node has %s",
			volume.Name, claim.name, volumePlace(volume, false), nodePlace(volume, node))
	}), true
}

// translated is volume as the node's CSI driver sees it, where the node's
// kubelet has handed the in-tree plugin's volumes to a driver.
func (b *binder) translated(volume *corev1.PersistentVolume, node *corev1.Node) *corev1.PersistentVolume {
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
	if csi, err := b.translator.TranslateInTreePVToCSI(b.q.logger, volume); err == nil {
		return csi
	}
	return volume
}

// startedElsewhere is the fault of a claim that a volume is being provisioned
// for on another node.
func (b *binder) startedElsewhere(claim podClaim) fault {
	selected := claim.selectedNode()
	short := fmt.Sprintf("claim %s is being provisioned for %s", claim.name, selected)
	if _, err := b.q.nodes.NodeInfos().Get(selected); err != nil {
		short += ", which does not exist"
	}
	return newFault(short, func() string {
		return fmt.Sprintf("%s (its annotation %s)", short, storagehelpers.AnnSelectedNode)
	})
}

// notProvisioned is why no volume can be made for claim on the node, after none
// of those that exist would do.
func (b *binder) notProvisioned(claim podClaim, info fwk.NodeInfo, taken map[string]*corev1.PersistentVolume) (fault, bool) {
	node := info.Node()
	class, err := b.classes.Get(claim.class())
	if err != nil {
		return fault{}, false // the plugin fails, and does not refuse
	}
	switch {
	case class.Provisioner == "" || class.Provisioner == storagehelpers.NotSupportedProvisioner:
		return newFault(fmt.Sprintf("no %s volume for claim %s", class.Name, claim.name), func() string {
			return fmt.Sprintf("claim %s wants %s of class %s, which has no provisioner: %s",
				claim.name, claim.wish(), class.Name, b.whyNone(claim, node, taken))
		}), true
	case !v1helper.MatchTopologySelectorTerms(class.AllowedTopologies, labels.Set(node.Labels)):
		return newFault(fmt.Sprintf("class %s is only for %s", class.Name, topologyText(class, true)), func() string {
			return fmt.Sprintf("claim %s wants %s of class %s, which provisions only for nodes with %s, the node has %s",
				claim.name, claim.wish(), class.Name, topologyText(class, false), labelsAt(node, topologyKeys(class)))
		}), true
	}
	return b.noCapacity(claim, class, info)
}

// noCapacity is the fault of a driver that has too little storage left for the
// node, by what it publishes.
func (b *binder) noCapacity(claim podClaim, class *storagev1.StorageClass, info fwk.NodeInfo) (fault, bool) {
	driver, err := b.csiDrivers.Get(class.Provisioner)
	if _, sized := claim.object.Spec.Resources.Requests[corev1.ResourceStorage]; !sized || err != nil ||
		driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity || !b.readable("csistoragecapacities") {
		return fault{}, false
	}
	size := claim.size()
	most, pool := b.mostCapacity(class.Name, info.Node())
	if pool != nil && most >= size.Value() {
		return fault{}, false
	}
	f := figure{Resource: corev1.ResourceStorage, Wanted: size.Value(), Allocatable: most, Short: size.Value() - most}
	if f.Short > b.capacity[info].Short {
		b.capacity[info] = f
	}
	kind := fmt.Sprintf("too little storage of class %s for claim %s", class.Name, claim.name)
	if pool == nil {
		short := fmt.Sprintf("no storage of class %s known for claim %s", class.Name, claim.name)
		return fault{kind: kind, short: short, what: func() string {
			return fmt.Sprintf("claim %s wants %s of class %s, and driver %s publishes no storage for this node",
				claim.name, claim.wish(), class.Name, driver.Name)
		}}, true
	}
	short := fmt.Sprintf("storage %s short for claim %s", quantity.RoundedUp(f.Resource, f.Short), claim.name)
	return fault{kind: kind, short: short, what: func() string {
		return fmt.Sprintf("claim %s: storage %s short: wants %s of class %s, driver %s has at most %s for this node (CSIStorageCapacity %s/%s)",
			claim.name, quantity.Canonical(f.Resource, f.Short), claim.wish(), class.Name, driver.Name, quantity.Canonical(f.Resource, most), pool.Namespace, pool.Name)
	}}, true
}

// mostCapacity is the largest volume of class that could be made for node, and
// where; nil if nothing is published for it.
func (b *binder) mostCapacity(class string, node *corev1.Node) (most int64, pool *storagev1.CSIStorageCapacity) {
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

// capacityFigures is the storage that a driver has too little of: of several
// claims the one that is short of the most.
func capacityFigures(q *question, r refused) []figure {
	if r.node == nil || len(bindingFaults(q, r)) == 0 {
		return nil
	}
	if f, ok := binderOf(q).capacity[r.node]; ok {
		return []figure{f}
	}
	return nil
}
