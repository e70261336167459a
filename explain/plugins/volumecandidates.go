package plugins

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// offer is a volume that no other claim has, and what is wrong with it for a
// claim, wherever the pod goes.
type offer struct {
	volume *corev1.PersistentVolume
	why    []string
}

// offers are the volumes that a claim could have.
type offers struct {
	own    []offer                    // of its class, those with least wrong first
	others []string                   // of its class, and other claims have them
	strays []*corev1.PersistentVolume // nothing but their class is wrong
}

// offersFor looks at every volume once.
func (b *Binder) offersFor(claim PodClaim) *offers {
	if known, ok := b.offers[claim.Name]; ok {
		return known
	}
	found := &offers{}
	b.offers[claim.Name] = found
	for _, volume := range Everything(b.Listers.Volumes) {
		stray := storagehelpers.GetPersistentVolumeClass(volume) != claim.Class()
		if ref := volume.Spec.ClaimRef; ref != nil && !storagehelpers.IsVolumeBoundToClaim(volume, claim.Object) {
			if !stray {
				earlier := ""
				if ofEarlier(volume, claim.Object) {
					earlier = "an earlier "
				}
				found.others = append(found.others, fmt.Sprintf("%s (%s%s/%s)", volume.Name, earlier, ref.Namespace, ref.Name))
			}
			continue
		}
		why := b.unfit(claim, volume)
		switch {
		case !stray:
			found.own = append(found.own, offer{volume, why})
		case len(why) == 0:
			found.strays = append(found.strays, volume)
		}
	}
	slices.Sort(found.others)
	slices.SortFunc(found.own, func(a, b offer) int {
		return cmp.Or(cmp.Compare(len(a.why), len(b.why)), strings.Compare(a.volume.Name, b.volume.Name))
	})
	slices.SortFunc(found.strays, func(a, b *corev1.PersistentVolume) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// unfit is what is wrong with a volume that is not another claim's. One that is
// kept for the claim is not asked for everything.
func (b *Binder) unfit(claim PodClaim, volume *corev1.PersistentVolume) []string {
	var why []string
	size, wanted := volume.Spec.Capacity[corev1.ResourceStorage], claim.Size()
	if size.Cmp(wanted) < 0 {
		why = append(why, fmt.Sprintf("has %s, the claim requests %s", size.String(), wanted.String()))
	}
	if storagehelpers.CheckVolumeModeMismatches(&claim.Object.Spec, &volume.Spec) {
		why = append(why, fmt.Sprintf("has volumeMode %s, the claim requests %s", volumeMode(volume.Spec.VolumeMode), volumeMode(claim.Object.Spec.VolumeMode)))
	}
	if has, wants := ptr.Deref(volume.Spec.VolumeAttributesClassName, ""), ptr.Deref(claim.Object.Spec.VolumeAttributesClassName, ""); has != wants {
		why = append(why, fmt.Sprintf("has VolumeAttributesClass %s, the claim requests %s", OrEmpty(has), OrEmpty(wants)))
	}
	if volume.DeletionTimestamp != nil {
		why = append(why, "is being deleted")
	}
	if storagehelpers.IsVolumeBoundToClaim(volume, claim.Object) {
		return why
	}
	if volume.Status.Phase != corev1.VolumeAvailable {
		why = append(why, "is "+string(volume.Status.Phase))
	}
	if selector, err := metav1.LabelSelectorAsSelector(claim.Object.Spec.Selector); claim.Object.Spec.Selector != nil && err == nil && !selector.Matches(labels.Set(volume.Labels)) {
		why = append(why, "does not match the claim's selector "+selectorText(selector))
	}
	if !storagehelpers.CheckAccessModes(claim.Object, volume) {
		why = append(why, fmt.Sprintf("has access modes %s, the claim requests %s", modes(volume.Spec.AccessModes), modes(claim.Object.Spec.AccessModes)))
	}
	return why
}

// whyNone goes through the volumes that claim could have on node, or anywhere
// where node is nil: "pv-1 has 5Gi, the claim requests 10Gi; bound to other
// claims: pv-2 (shop/db)". It looks no further than what it lists: there may be
// thousands.
func (b *Binder) whyNone(claim PodClaim, node *corev1.Node, taken map[string]*corev1.PersistentVolume) string {
	if !b.Readable("persistentvolumes") {
		return "its volumes could not be read"
	}
	found := b.offersFor(claim)
	var said []string
	for _, o := range found.own[:min(len(found.own), grammar.Many)] {
		if why := o.whyNot(node, taken); why != "" {
			said = append(said, o.volume.Name+" "+why)
		}
	}
	if rest := len(found.own) - grammar.Many; rest > 0 {
		said = append(said, grammar.Plural(rest, "more volume")+" cannot be used either")
	}
	if len(found.others) > 0 {
		said = append(said, "bound to other claims: "+grammar.List(found.others, grammar.Few))
	}
	if len(said) == 0 {
		said = append(said, "no volume has this class")
	}
	for _, volume := range found.strays[:min(len(found.strays), grammar.Many)] {
		if offersNode(volume, node) {
			said = append(said, volume.Name+" matches except for its class "+OrEmpty(storagehelpers.GetPersistentVolumeClass(volume)))
		}
	}
	return strings.Join(said, "; ")
}

// whyNot is why the volume cannot be used on node; taken are used for other
// claims of the pod.
func (o offer) whyNot(node *corev1.Node, taken map[string]*corev1.PersistentVolume) string {
	switch {
	case taken[o.volume.Name] != nil:
		return "is used for another claim of the pod"
	case !offersNode(o.volume, node):
		return strings.Join(append(slices.Clip(o.why), volumeOnly(o.volume, false)), " and ")
	case node == nil && len(o.why) == 0:
		return "matches and is not bound yet"
	}
	return strings.Join(o.why, " and ")
}

// offersNode says whether pods on node may use the volume; nil is any node.
func offersNode(volume *corev1.PersistentVolume, node *corev1.Node) bool {
	return node == nil || storagehelpers.CheckNodeAffinity(volume, node.Labels) == nil
}

func volumeMode(mode *corev1.PersistentVolumeMode) string {
	if mode == nil {
		return string(corev1.PersistentVolumeFilesystem)
	}
	return string(*mode)
}

func modes(all []corev1.PersistentVolumeAccessMode) string {
	var names []string
	for _, mode := range all {
		names = append(names, string(mode))
	}
	return strings.Join(names, ", ")
}

// volumeOnly says where the volume can be used: "is only in zone eu-1b", "is only on
// node a", or its node affinity where that is about other labels.
func volumeOnly(volume *corev1.PersistentVolume, brief bool) string {
	terms := volumeTerms(volume)
	if len(terms) == 1 && len(terms[0].MatchExpressions) == 1 && len(terms[0].MatchFields) == 0 {
		r := terms[0].MatchExpressions[0]
		word, in := LabelWord(r.Key), r.Operator == corev1.NodeSelectorOpIn
		switch {
		case in && r.Key == corev1.LabelHostname:
			return "is only on " + grammar.Agree(len(r.Values), "node ", "nodes ") + strings.Join(r.Values, ", ")
		case in && (word == "zone" || word == "region"):
			return "is only in " + grammar.Agree(len(r.Values), word, word+"s") + " " + strings.Join(r.Values, ", ")
		}
	}
	return "is only for nodes with " + volumePlace(volume, brief)
}

// volumeNowhere goes on from volumeOnly where there is no such node.
func volumeNowhere(volume *corev1.PersistentVolume) string {
	if terms := volumeTerms(volume); len(terms) == 1 && len(terms[0].MatchExpressions) == 1 && len(terms[0].MatchFields) == 0 {
		r := terms[0].MatchExpressions[0]
		word, in := LabelWord(r.Key), r.Operator == corev1.NodeSelectorOpIn
		switch {
		case in && r.Key == corev1.LabelHostname:
			return grammar.Agree(len(r.Values), ", which does not exist", ", none of which exists")
		case in && (word == "zone" || word == "region"):
			return grammar.Agree(len(r.Values), ", which has no node", ", none of which has a node")
		}
	}
	return ": there are none"
}

// volumePlace is the node affinity of volume.
func volumePlace(volume *corev1.PersistentVolume, brief bool) string {
	return selectorTerms(volumeTerms(volume), brief)
}

// selectorTerms spells the terms of a node selector; brief leaves out the
// domains of keys that Kubernetes owns.
func selectorTerms(of []corev1.NodeSelectorTerm, brief bool) string {
	var terms []string
	for _, term := range of {
		var all []string
		for _, requirement := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			if brief {
				requirement.Key = LabelWord(requirement.Key)
			}
			all = append(all, RequirementText(requirement))
		}
		terms = append(terms, strings.Join(all, " and "))
	}
	if len(terms) == 0 {
		return "no node (empty selector)"
	}
	return strings.Join(terms, " or ")
}

func volumeTerms(volume *corev1.PersistentVolume) []corev1.NodeSelectorTerm {
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return nil
	}
	return volume.Spec.NodeAffinity.Required.NodeSelectorTerms
}

// Places are the terms of where the volume of a claim is, or where its class provisions one; nil
// where it is everywhere, or that is not known.
func (c PodClaim) Places(q *Question) []corev1.NodeSelectorTerm {
	if c.Object == nil {
		return nil
	}
	if name := c.Object.Spec.VolumeName; name != "" {
		volume, err := q.Listers.Volumes.Get(name)
		if err != nil {
			return nil
		}
		return volumeTerms(volume)
	}
	class, err := q.Listers.Classes.Get(c.Class())
	if err != nil {
		return nil
	}
	var terms []corev1.NodeSelectorTerm
	for _, topology := range class.AllowedTopologies {
		var term corev1.NodeSelectorTerm
		for _, r := range topology.MatchLabelExpressions {
			term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: r.Key, Operator: corev1.NodeSelectorOpIn, Values: r.Values})
		}
		terms = append(terms, term)
	}
	return terms
}

// nodePlace is what node has of the labels that volume's affinity requires.
func nodePlace(volume *corev1.PersistentVolume, node *corev1.Node) string {
	var keys []string
	for _, term := range volumeTerms(volume) {
		for _, requirement := range term.MatchExpressions {
			keys = append(keys, requirement.Key)
		}
	}
	return labelsAt(node, keys)
}

// labelsAt spells node's labels of some keys: "zone=b, no label rack".
func labelsAt(node *corev1.Node, keys []string) string {
	var all []string
	for _, key := range keys {
		said := "no label " + key
		if value, ok := node.Labels[key]; ok {
			said = key + "=" + value
		}
		if !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	if len(all) == 0 {
		return "none of these labels"
	}
	return strings.Join(all, ", ")
}

// topologyText is where class provisions: "zone in (a, b)".
func topologyText(class *storagev1.StorageClass, brief bool) string {
	var terms []string
	for _, term := range class.AllowedTopologies {
		var all []string
		for _, requirement := range term.MatchLabelExpressions {
			key := requirement.Key
			if brief {
				key = LabelWord(key)
			}
			all = append(all, RequirementText(corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: requirement.Values}))
		}
		terms = append(terms, strings.Join(all, " and "))
	}
	return strings.Join(terms, " or ")
}

func topologyKeys(class *storagev1.StorageClass) []string {
	var keys []string
	for _, term := range class.AllowedTopologies {
		for _, requirement := range term.MatchLabelExpressions {
			keys = append(keys, requirement.Key)
		}
	}
	return keys
}

// storagePools are all CSIStorageCapacities, by name.
func (b *Binder) storagePools() []*storagev1.CSIStorageCapacity {
	type poolsKey struct{}
	return Remember(b.q, poolsKey{}, func() []*storagev1.CSIStorageCapacity {
		pools := slices.Clone(Everything(b.capacities))
		slices.SortFunc(pools, func(a, b *storagev1.CSIStorageCapacity) int {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		})
		return pools
	})
}

// reaches says whether node has access to the storage.
func reaches(capacity *storagev1.CSIStorageCapacity, node *corev1.Node) bool {
	if capacity.NodeTopology == nil {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(capacity.NodeTopology)
	return err == nil && selector.Matches(labels.Set(node.Labels))
}
