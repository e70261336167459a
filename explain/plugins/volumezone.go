package plugins

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	volumehelpers "k8s.io/cloud-provider/volume/helpers"
)

// volumeZone names the volume whose labels say another zone or region than the
// node's.
var volumeZone = explainer{
	Shape: func(q *Question, r NodeRejection) string { return reasonShape(ZoneReasons(q, r)) },
	Cause: volumeCause,
	Words: func(q *Question, rs []NodeRejection) Words {
		return reasonWords(rs, func(r NodeRejection) []Reason { return ZoneReasons(q, r) })
	},
}

// zoneKeys are the labels that the plugin compares, in its order.
var zoneKeys = []string{
	corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion,
	corev1.LabelTopologyZone, corev1.LabelTopologyRegion,
}

// place is where a volume can be used, by one of its labels.
type place struct {
	claim  PodClaim
	key    string
	value  string // as written
	values sets.Set[string]
	short  string
}

// ZoneReasons are the volumes of the pod that are in another zone or region.
func ZoneReasons(q *Question, r NodeRejection) []Reason {
	if r.Node == nil {
		return unplaced(q)
	}
	type placesKey struct{}
	places := Remember(q, placesKey{}, func() []place { return places(q) })
	node := r.Node.Node()
	if !zoned(node) {
		return nil
	}
	var reasons []Reason
	for _, p := range places {
		if value, ok := p.of(node); !ok || !p.values.Has(value) {
			reasons = append(reasons, newReason(p.short, func() string { return p.sentence(value, ok) }))
		}
	}
	return reasons
}

// zoned says whether node has any of the labels; without, it takes any volume.
func zoned(node *corev1.Node) bool {
	for _, key := range zoneKeys {
		if _, ok := node.Labels[key]; ok {
			return true
		}
	}
	return false
}

// of is node's value for the label, or for what the label is called today.
func (p place) of(node *corev1.Node) (string, bool) {
	value, ok := node.Labels[p.key]
	if ok {
		return value, true
	}
	switch p.key {
	case corev1.LabelFailureDomainBetaZone:
		value, ok = node.Labels[corev1.LabelTopologyZone]
	case corev1.LabelFailureDomainBetaRegion:
		value, ok = node.Labels[corev1.LabelTopologyRegion]
	}
	return value, ok
}

func (p place) sentence(value string, ok bool) string {
	has := "the node has no label " + p.key
	if ok {
		has = "the node is in " + OrEmpty(value)
	}
	return fmt.Sprintf("volume %s of claim %s is in %s=%s, %s", p.claim.Object.Spec.VolumeName, p.claim.Name, p.key, p.value, has)
}

// places are where the pod's bound volumes are, by their labels.
func places(q *Question) []place {
	var found []place
	for _, claim := range PodClaims(q) {
		if claim.Ephemeral || claim.Object == nil || claim.Object.Spec.VolumeName == "" {
			continue
		}
		volume, err := q.Listers.Volumes.Get(claim.Object.Spec.VolumeName)
		if err != nil {
			continue
		}
		for _, key := range zoneKeys {
			written, ok := volume.Labels[key]
			values, err := volumehelpers.LabelZonesToSet(written)
			if !ok || err != nil { // the plugin passes over what it cannot parse
				continue
			}
			short := fmt.Sprintf("volume %s is in %s %s", volume.Name, key[strings.LastIndex(key, "/")+1:], strings.ReplaceAll(written, "__", ", "))
			found = append(found, place{claim: claim, key: key, value: written, values: sets.Set[string](values), short: short})
		}
	}
	return found
}

// unplaced tells why the plugin cannot know where the pod's volumes are: the
// first claim that it could not follow, and the others of which the same holds.
func unplaced(q *Question) []Reason {
	var reasons []Reason
	for _, claim := range PodClaims(q) {
		if claim.Ephemeral {
			continue
		}
		if f, ok := claim.untraced(q); ok {
			reasons = append(reasons, f)
		}
	}
	return reasons
}

// untraced is why the claim leads to no volume, if it should.
func (c PodClaim) untraced(q *Question) (Reason, bool) {
	switch {
	case c.Object == nil:
		return c.absent(", so its volume's zone is unknown"), true
	case c.Object.Spec.VolumeName != "":
		_, err := q.Listers.Volumes.Get(c.Object.Spec.VolumeName)
		return c.volumeGone(), err != nil && q.Listers.Readable("persistentvolumes")
	case c.Class() == "":
		return newReason(c.unboundWhy(q), func() string { return c.unboundWhy(q) + " and has no StorageClass, so its volume's zone is unknown" }), true
	}
	class, err := q.Listers.Classes.Get(c.Class())
	switch {
	case err != nil && !q.Listers.Readable("storageclasses"):
		return Reason{}, false
	case err != nil:
		return newReason(c.unboundWhy(q), func() string { return c.unboundWhy(q) + ", so its volume's zone is unknown" }), true
	case class.VolumeBindingMode == nil:
		return newReason(c.unboundWhy(q), func() string {
			return fmt.Sprintf("%s and its class %s has no volumeBindingMode", c.unboundWhy(q), c.Class())
		}), true
	case *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer:
		return Reason{}, false
	}
	return newReason(c.unboundWhy(q), func() string {
		return fmt.Sprintf("%s although its class %s has volumeBindingMode Immediate, so its volume's zone is unknown", c.unboundWhy(q), c.Class())
	}), true
}
