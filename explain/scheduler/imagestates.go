package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// imageStates are the images on the nodes, by name, as kube-scheduler's cache counts them. There each node
// has a map of its images, which takes more memory than the node itself; here a node is given one of the
// images that a pod names when ImageLocality is asked about it, who is the only one that reads it.
type imageStates struct {
	byName map[string]*fwk.ImageStateSummary
	seen   map[string]bool // room that is used again
}

func newImageStates() *imageStates {
	return &imageStates{byName: map[string]*fwk.ImageStateSummary{}, seen: map[string]bool{}}
}

// set takes a node in the place of what it was before; either may be nil.
func (s *imageStates) set(old, node *corev1.Node) {
	if old != nil && node != nil && slices.Equal(imagesAt(old), imagesAt(node)) { // they share the list
		return
	}
	s.each(old, func(name string, _ int64) {
		if state := s.byName[name]; state.NumNodes > 1 {
			state.NumNodes--
		} else {
			delete(s.byName, name)
		}
	})
	s.each(node, func(name string, size int64) {
		state, ok := s.byName[name]
		if !ok {
			state = &fwk.ImageStateSummary{Size: size}
			s.byName[name] = state
		}
		state.NumNodes++
	})
}

// imagesAt is where in memory the images of a node are.
func imagesAt(node *corev1.Node) []*corev1.ContainerImage {
	all := node.Status.Images
	if len(all) == 0 {
		return nil
	}
	return []*corev1.ContainerImage{&all[0], &all[len(all)-1]}
}

// each calls do with each name of the images that a node has, once.
func (s *imageStates) each(node *corev1.Node, do func(name string, size int64)) {
	if node == nil {
		return
	}
	clear(s.seen)
	for _, image := range node.Status.Images {
		for _, name := range image.Names {
			if !s.seen[name] {
				s.seen[name] = true
				do(name, image.SizeBytes)
			}
		}
	}
}

// named are those of the images that a pod names which a node has. ImageLocality takes a name without a tag
// for the latest.
func (s *imageStates) named(pod *corev1.Pod) []string {
	var names []string
	note := func(image string) {
		for _, name := range []string{image, image + ":latest"} {
			if s.byName[name] != nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for i := range pod.Spec.InitContainers {
		note(pod.Spec.InitContainers[i].Image)
	}
	for i := range pod.Spec.Containers {
		note(pod.Spec.Containers[i].Image)
	}
	for i := range pod.Spec.Volumes {
		if image := pod.Spec.Volumes[i].Image; image != nil {
			note(image.Reference)
		}
	}
	return names
}

// withImages is a node that tells which of some images are on it.
func (n *nodeInfos) withImages(node fwk.NodeInfo, names []string) fwk.NodeInfo {
	if known := n.byName[node.Node().Name]; len(names) == 0 || known == nil || known.Node() == nil { // a simulated node has none
		return node
	}
	var states map[string]*fwk.ImageStateSummary
	for _, image := range node.Node().Status.Images {
		for _, name := range image.Names {
			if !slices.Contains(names, name) {
				continue
			}
			if states == nil {
				states = make(map[string]*fwk.ImageStateSummary, len(names))
			}
			states[name] = n.images.byName[name]
		}
	}
	if states == nil {
		return node
	}
	return &nodeWithImages{node, states}
}

// nodeWithImages is a node with the images of it that matter.
type nodeWithImages struct {
	fwk.NodeInfo
	states map[string]*fwk.ImageStateSummary
}

// GetImageStates implements fwk.NodeInfo.
func (n *nodeWithImages) GetImageStates() map[string]*fwk.ImageStateSummary { return n.states }
