package recount

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// topologyKeys are the labels that say where a volume is.
var topologyKeys = []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion}

// volumeZone refuses all nodes while it is not known where a claim's volume is,
// and then those that are elsewhere. Nodes without any such label take all.
func (s *State) volumeZone(pod *corev1.Pod, node *corev1.Node) *Rejection {
	var lost, names []string
	zoned := slices.ContainsFunc(topologyKeys, func(key string) bool { return node.Labels[key] != "" })
	for _, u := range s.uses(pod) {
		if u.ephemeral {
			continue
		}
		if u.object == nil || u.object.Spec.VolumeName == "" {
			if u.object == nil || !s.waits(u) {
				lost = append(lost, u.name)
			}
			continue
		}
		volume := s.volumes[u.object.Spec.VolumeName]
		if volume == nil {
			lost = append(lost, u.name, u.object.Spec.VolumeName)
			continue
		}
		for _, key := range topologyKeys {
			value, ok := volume.Labels[key]
			if ok && zoned && !slices.Contains(strings.Split(value, "__"), node.Labels[key]) {
				names = append(names, u.name, volume.Name, key, value, node.Labels[key])
			}
		}
	}
	if lost != nil {
		return rejection("VolumeZone", lost)
	}
	return rejection("VolumeZone", names)
}

// attachment is a volume that a CSI driver attaches.
type attachment struct{ driver, handle string }

// nodeVolumeLimits refuses nodes without a driver that must be there, and those
// where the pod's volumes and the attached ones are more than a driver's limit.
func (s *State) nodeVolumeLimits(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "NodeVolumeLimits"}
	for _, u := range s.uses(pod) {
		if u.object == nil {
			r.Names = append(r.Names, u.name)
		}
	}
	if r.Names != nil {
		return r
	}
	csiNode := s.csiNodes[node.Name]
	wanted := s.attachments(pod, csiNode)
	for a := range wanted {
		driver := s.drivers[a.driver]
		if driver != nil && driver.Spec.PreventPodSchedulingIfMissing != nil && *driver.Spec.PreventPodSchedulingIfMissing && !installed(csiNode, a.driver) {
			r.Names = append(r.Names, a.driver, wanted[a])
		}
	}
	if r.Names == nil && csiNode != nil {
		s.addLimits(r, node, csiNode, wanted)
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// installed tells whether a node has a driver.
func installed(csiNode *storagev1.CSINode, driver string) bool {
	return csiNode != nil && slices.ContainsFunc(csiNode.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}

// attachments are the volumes of a pod that drivers attach, with their claims. A
// claim without a volume counts for the driver of its class.
func (s *State) attachments(pod *corev1.Pod, csiNode *storagev1.CSINode) map[attachment]string {
	found := map[attachment]string{}
	for _, u := range s.uses(pod) {
		if u.object == nil {
			continue
		}
		volume := s.volumes[u.object.Spec.VolumeName]
		switch {
		case volume != nil && volume.Spec.CSI != nil:
			found[attachment{volume.Spec.CSI.Driver, volume.Spec.CSI.VolumeHandle}] = u.name
		case volume == nil && s.class(u) != nil:
			found[attachment{s.class(u).Provisioner, "claim " + u.name}] = u.name
		}
	}
	for _, volume := range pod.Spec.Volumes { // disks that CSI drivers have taken over
		kind, name, _ := disk(volume)
		switch {
		case csiNode == nil:
		case kind == "ebs":
			found[attachment{"ebs.csi.aws.com", name}] = volume.Name
		case kind == "gce":
			found[attachment{"pd.csi.storage.gke.io", name}] = volume.Name
		}
	}
	return found
}

// addLimits tells of each driver whose limit would be passed.
func (s *State) addLimits(r *Rejection, node *corev1.Node, csiNode *storagev1.CSINode, wanted map[attachment]string) {
	used := map[attachment]bool{}
	for _, other := range s.byNode[node.Name] {
		for a := range s.attachments(other, csiNode) {
			used[a] = true
		}
	}
	more := map[string][]string{}
	for a, claim := range wanted {
		if !used[a] {
			more[a.driver] = append(more[a.driver], claim)
		}
	}
	idle := addAttached(s, node, used)
	inUse := map[string]int{}
	for a := range used {
		inUse[a.driver]++
	}
	for _, driver := range csiNode.Spec.Drivers {
		if driver.Allocatable == nil || driver.Allocatable.Count == nil || len(more[driver.Name]) == 0 {
			continue
		}
		limit := int(*driver.Allocatable.Count)
		short := inUse[driver.Name] + len(more[driver.Name]) - limit
		if short <= 0 {
			continue
		}
		n := Number{
			Resource: "attachable-volumes-csi-" + driver.Name, Wanted: count(len(more[driver.Name])),
			Requested: count(inUse[driver.Name]), Allocatable: count(limit), Short: count(short),
		}
		r.Numbers = append(r.Numbers, n)
		r.Names = append(append(r.Names, driver.Name), more[driver.Name]...)
		r.Figures = append(r.Figures, n.Wanted, n.Requested, n.Allocatable, n.Short)
		if idle[driver.Name] > 0 {
			r.Figures = append(r.Figures, count(idle[driver.Name]))
		}
	}
}

// addAttached adds what VolumeAttachments hold on a node, and counts by driver what no pod on it uses.
func addAttached(s *State, node *corev1.Node, used map[attachment]bool) (idle map[string]int) {
	idle = map[string]int{}
	for i := range s.attached {
		object := &s.attached[i]
		volume := s.volumes[*object.Spec.Source.PersistentVolumeName]
		if object.Spec.NodeName != node.Name || volume == nil {
			continue
		}
		if a := (attachment{object.Spec.Attacher, volume.Spec.CSI.VolumeHandle}); !used[a] {
			used[a] = true
			idle[a.driver]++
		}
	}
	return idle
}

func count(n int) resource.Quantity { return *resource.NewQuantity(int64(n), resource.DecimalSI) }

// features refuses nodes that do not declare what a container's rules need.
func (s *State) features(pod *corev1.Pod, node *corev1.Node) *Rejection {
	const restartAll = "RestartAllContainersOnContainerExits"
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, rule := range container.RestartPolicyRules {
			if rule.Action == corev1.ContainerRestartRuleActionRestartAllContainers && !slices.Contains(node.Status.DeclaredFeatures, restartAll) {
				return rejection("NodeDeclaredFeatures", append([]string{restartAll}, node.Status.DeclaredFeatures...))
			}
		}
	}
	return nil
}
