package recount

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
)

const (
	noProvisioner   = "kubernetes.io/no-provisioner"
	annSelectedNode = "volume.kubernetes.io/selected-node"
)

// volumeBinding refuses all nodes while a claim is of no use or waits for
// somebody else, and then nodes that cannot use a claim's volume, where no
// volume would do and none can be made.
func (s *State) volumeBinding(pod *corev1.Pod, node *corev1.Node) *Rejection {
	uses := s.uses(pod)
	r := &Rejection{Plugin: "VolumeBinding"}
	if s.addUnusable(r, uses); r.Names != nil {
		return r
	}
	var free, provision []use
	for _, u := range uses {
		selected := u.object.Annotations[annSelectedNode]
		switch {
		case u.bound():
			s.addUnreachable(r, u, node)
		case selected == node.Name:
			provision = append(provision, u)
		case selected != "":
			r.Names = append(r.Names, u.name, selected)
		default:
			free = append(free, u)
		}
	}
	slices.SortStableFunc(free, func(a, b use) int { return size(a).Cmp(*size(b)) })
	taken := map[string]bool{}
	for _, u := range free {
		volume := s.match(u, node, taken)
		if volume == "" {
			provision = append(provision, u)
			continue
		}
		taken[volume] = true
	}
	for _, u := range provision {
		s.addUnprovided(r, u, node)
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// addUnusable tells of the claims that serve no pod, or else of those that
// ought to be bound already.
func (s *State) addUnusable(r *Rejection, uses []use) {
	var unbound []use
	for _, u := range uses {
		switch {
		case u.object == nil || u.object.DeletionTimestamp != nil:
			r.Names = append(r.Names, u.name)
		case u.object.Status.Phase == corev1.ClaimLost:
			r.Names = append(r.Names, u.name, u.object.Spec.VolumeName)
		case u.bound():
		case u.object.Spec.VolumeName != "" || !s.waits(u):
			unbound = append(unbound, u)
		}
	}
	if r.Names != nil {
		return
	}
	for _, u := range unbound {
		r.Names = append(r.Names, u.name, u.object.Spec.VolumeName)
		r.Figures = append(r.Figures, *size(u))
		s.addSizes(r)
	}
}

// addSizes notes the sizes of all volumes: why each will not do may be told.
func (s *State) addSizes(r *Rejection) {
	for _, volume := range s.volumes {
		r.Also = append(r.Also, volume.Spec.Capacity[corev1.ResourceStorage])
	}
}

// size is what a claim asks for.
func size(u use) *resource.Quantity {
	q := u.object.Spec.Resources.Requests[corev1.ResourceStorage]
	return &q
}

// addUnreachable tells of a bound claim whose volume is not for the node.
func (s *State) addUnreachable(r *Rejection, u use, node *corev1.Node) {
	volume := s.volumes[u.object.Spec.VolumeName]
	if volume == nil {
		r.Names = append(r.Names, u.object.Spec.VolumeName)
		return
	}
	if ok, names := reachable(volume, node); !ok {
		r.Names = append(append(r.Names, u.name, volume.Name), names...)
	}
}

// match is the smallest volume that the claim could have on the node.
func (s *State) match(u use, node *corev1.Node, taken map[string]bool) string {
	var fits []*corev1.PersistentVolume
	for _, volume := range s.volumes {
		near, _ := reachable(volume, node)
		if near && !taken[volume.Name] && suits(volume, u) {
			fits = append(fits, volume)
		}
	}
	if len(fits) == 0 {
		return ""
	}
	best := slices.MinFunc(fits, func(a, b *corev1.PersistentVolume) int {
		left, right := a.Spec.Capacity[corev1.ResourceStorage], b.Spec.Capacity[corev1.ResourceStorage]
		return cmp.Or(left.Cmp(right), strings.Compare(a.Name, b.Name))
	})
	return best.Name
}

// suits tells whether the volume is free and as the claim wants it.
func suits(volume *corev1.PersistentVolume, u use) bool {
	spec := u.object.Spec
	if volume.Spec.ClaimRef != nil || volume.Status.Phase != corev1.VolumeAvailable || volume.Spec.StorageClassName != *spec.StorageClassName {
		return false
	}
	has := volume.Spec.Capacity[corev1.ResourceStorage]
	if has.Cmp(*size(u)) < 0 || *volume.Spec.VolumeMode != *spec.VolumeMode {
		return false
	}
	for _, mode := range spec.AccessModes {
		if !slices.Contains(volume.Spec.AccessModes, mode) {
			return false
		}
	}
	return spec.Selector == nil || selectorOf(spec.Selector).Matches(labels.Set(volume.Labels))
}

// addUnprovided tells of a claim that no volume can be made for.
func (s *State) addUnprovided(r *Rejection, u use, node *corev1.Node) {
	class := s.class(u)
	switch {
	case class.Provisioner == noProvisioner:
		r.Names = append(r.Names, u.name, class.Name)
		r.Figures = append(r.Figures, *size(u))
		s.addOffers(r, u)
	case !allowed(class, node):
		r.Names = append(r.Names, u.name, class.Name)
		r.Figures = append(r.Figures, *size(u))
		for _, term := range class.AllowedTopologies {
			for _, wanted := range term.MatchLabelExpressions {
				r.Names = append(append(r.Names, wanted.Key, node.Labels[wanted.Key]), wanted.Values...)
			}
		}
	default:
		s.addCapacity(r, u, class, node)
	}
}

// addOffers tells of the volumes of the class that nobody has, and how large
// those are that are too small.
func (s *State) addOffers(r *Rejection, u use) {
	for _, volume := range s.volumes {
		if volume.Spec.StorageClassName != *u.object.Spec.StorageClassName || volume.Spec.ClaimRef != nil {
			continue
		}
		r.Names = append(r.Names, volume.Name)
		if has := volume.Spec.Capacity[corev1.ResourceStorage]; has.Cmp(*size(u)) < 0 {
			r.Figures = append(r.Figures, has)
		}
	}
}

// allowed tells whether the class makes volumes for the node.
func allowed(class *storagev1.StorageClass, node *corev1.Node) bool {
	for _, term := range class.AllowedTopologies {
		missed := false
		for _, wanted := range term.MatchLabelExpressions {
			value, ok := node.Labels[wanted.Key]
			missed = missed || !ok || !slices.Contains(wanted.Values, value)
		}
		if !missed {
			return true
		}
	}
	return len(class.AllowedTopologies) == 0
}

// addCapacity tells of a driver that has too little storage for the node. Of
// several claims the one that is short of the most has the number.
func (s *State) addCapacity(r *Rejection, u use, class *storagev1.StorageClass, node *corev1.Node) {
	driver := s.drivers[class.Provisioner]
	if driver == nil || driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity {
		return
	}
	var most resource.Quantity
	known := false
	for i := range s.capacities {
		pool := &s.capacities[i]
		if pool.StorageClassName != class.Name || !selectorOf(pool.NodeTopology).Matches(labels.Set(node.Labels)) {
			continue
		}
		known = true
		if pool.Capacity.Cmp(most) > 0 {
			most = *pool.Capacity
		}
	}
	short := size(u).DeepCopy()
	short.Sub(most)
	if known && short.Sign() <= 0 {
		return
	}
	r.Names = append(r.Names, u.name, class.Name, driver.Name)
	r.Figures = append(r.Figures, *size(u))
	if known {
		r.Figures = append(r.Figures, most, short)
	}
	n := Number{Resource: "storage", Wanted: *size(u), Allocatable: most, Short: short}
	if len(r.Numbers) == 0 || r.Numbers[0].Short.Cmp(short) < 0 {
		r.Numbers = []Number{n}
	}
}
