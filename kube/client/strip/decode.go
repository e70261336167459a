package strip

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/wire"
)

// The replicas of a workload differ in little more than their names, nodes and times. So a pod's
// encoding is divided into parts: what equal parts stand for is decoded and stripped once and shared,
// and only the rest is decoded for each pod. These are the parts after the rest, which has what they do not
// name; of a spec the rest is shared, too.
var (
	metaParts = wire.Divide[metav1.ObjectMeta]([]string{"Labels"}, []string{"Annotations"}, []string{"OwnerReferences"},
		[]string{"GenerateName", "Namespace", "Finalizers"})

	specParts = wire.Divide[corev1.PodSpec]([]string{"Affinity"}, []string{"Volumes"}, []string{"NodeName"})

	statusParts = wire.Divide[corev1.PodStatus]([]string{"Conditions"}, []string{"InitContainerStatuses"},
		[]string{"ContainerStatuses"}, []string{"EphemeralContainerStatuses"}, []string{"Phase", "Reason", "NominatedNodeName", "QOSClass"})

	replicaSetParts  = wire.Divide[appsv1.ReplicaSetSpec]([]string{"Template"})
	statefulSetParts = wire.Divide[appsv1.StatefulSetSpec]([]string{"Template"})

	nodeStatusParts = wire.Divide[corev1.NodeStatus]([]string{"Images"})

	conditionParts = wire.Divide[corev1.PodCondition]([]string{"LastTransitionTime"})
)

// The numbers of fields: of lists, of objects and templates, of PodSpec, PodStatus, NodeStatus,
// PodCondition, and of ReplicaSetSpec and StatefulSetSpec.
const (
	listMeta, listItems                  = 1, 2
	objectMeta, objectSpec, objectStatus = 1, 2, 3
	nodeName                             = 10
	statusConditions                     = 2
	statusImages                         = 8
	conditionTime                        = 4
	templateField                        = 3
)

// decoded marks an object that was stripped as it was decoded, and that Strip has not seen yet.
var decoded = make([]metav1.ManagedFieldsEntry, 0, 2)

func isDecoded(o metav1.Object) bool {
	fields := o.GetManagedFields()
	return len(fields) == 0 && cap(fields) == cap(decoded)
}

// decoder decodes objects whose parts are shared in the pool of a stripper, one at a time: it is held with
// the lock of the pool.
type decoder struct {
	strip  *Stripper
	broken bool // the object at hand, or it is unusual: it is decoded as a whole

	// Room that is used again.
	meta, spec, status, condition, workload wire.Parts
	conditions                              []corev1.PodCondition
}

// readList makes a list of its encoding without what is pruned, reading each item by itself. It is false for one
// that is broken or unusual.
func readList[T any](encoded []byte, meta *metav1.ListMeta, list *[]T, read func(item []byte, object *T) bool) bool {
	var items [][]byte
	for len(encoded) > 0 {
		number, value, rest, ok := wire.Next(encoded)
		switch {
		case !ok || value == nil:
			return false
		case number == listItems:
			items = append(items, value)
		case number != listMeta || meta.Unmarshal(value) != nil:
			return false
		}
		encoded = rest
	}
	if len(items) > 0 {
		*list = make([]T, len(items))
	}
	for i, item := range items {
		if !read(item, &(*list)[i]) {
			return false
		}
	}
	return true
}

// fields are the values of the fields of an object: its metadata, spec and status.
type fields [objectStatus + 1][]byte

// fieldsOf gives those of an encoded object, and is false for one that has others.
func fieldsOf(encoded []byte) (all fields, ok bool) {
	for len(encoded) > 0 {
		number, value, rest, ok := wire.Next(encoded)
		if !ok || value == nil || number > objectStatus || all[number] != nil {
			return all, false
		}
		all[number], encoded = value, rest
	}
	return all, true
}

// readPod makes a pod, stripped and marked, of its encoding without what is pruned. It is false for one
// that is broken or unusual.
func (d *decoder) readPod(encoded []byte, pod *corev1.Pod) bool {
	return d.read(encoded, &pod.ObjectMeta, func(of fields) {
		d.decodeSpec(of[objectSpec], &pod.Spec)
		d.decodeStatus(of[objectStatus], &pod.Status)
	})
}

// readNode is readPod for a node, which has images that other nodes have, too.
func (d *decoder) readNode(encoded []byte, node *corev1.Node) bool {
	return d.read(encoded, &node.ObjectMeta, func(of fields) {
		d.unmarshal(of[objectSpec], &node.Spec)
		d.split(nodeStatusParts, of[objectStatus], &d.status)
		d.unmarshal(d.status[0], &node.Status)
		d.strip.node(node)
		node.Status.Images = madeOnce(d, "images", d.status[1], func() []corev1.ContainerImage { return d.decodeImages(d.status[1]) })
	})
}

// readReplicaSet is readPod for a ReplicaSet, whose template has most of what its pods have.
func (d *decoder) readReplicaSet(encoded []byte, set *appsv1.ReplicaSet) bool {
	return d.read(encoded, &set.ObjectMeta, func(of fields) {
		d.decodeWorkload(of, replicaSetParts, &set.Spec, &set.Status, &set.Spec.Template)
	})
}

// readStatefulSet is readReplicaSet for a StatefulSet.
func (d *decoder) readStatefulSet(encoded []byte, set *appsv1.StatefulSet) bool {
	return d.read(encoded, &set.ObjectMeta, func(of fields) {
		d.decodeWorkload(of, statefulSetParts, &set.Spec, &set.Status, &set.Spec.Template)
	})
}

// read decodes the metadata of an object, and the rest by a function, and marks it.
func (d *decoder) read(encoded []byte, meta *metav1.ObjectMeta, rest func(of fields)) bool {
	of, ok := fieldsOf(encoded)
	if !ok {
		return false
	}
	d.strip.pool.mu.Lock()
	defer d.strip.pool.mu.Unlock()
	d.broken = false
	d.decodeMeta(of[objectMeta], meta)
	rest(of)
	meta.ManagedFields = decoded
	return !d.broken
}

// split gives the parts of a message.
func (d *decoder) split(by *wire.Division, encoded []byte, parts *wire.Parts) {
	d.broken = !by.Split(encoded, parts) || d.broken
}

// only is the value of the one field that a part has, nil where it has none.
func (d *decoder) only(part []byte, number wire.Number) []byte {
	if len(part) == 0 {
		return nil
	}
	value := wire.Value(part, number)
	d.broken = value == nil || d.broken
	return value
}

// unmarshaler is what an API type is decoded with.
type unmarshaler interface{ Unmarshal([]byte) error }

// unmarshal decodes what is shared with no other.
func (d *decoder) unmarshal(part []byte, into unmarshaler) {
	d.broken = into.Unmarshal(part) != nil || d.broken
}

// decodeImages shares each of a node's images.
func (d *decoder) decodeImages(encoded []byte) []corev1.ContainerImage {
	images := make([]corev1.ContainerImage, 0, 50) // a kubelet tells no more, unless it is told to
	for len(encoded) > 0 {
		number, value, rest, ok := wire.Next(encoded)
		if !ok || number != statusImages || value == nil {
			d.broken = true
			return nil
		}
		encoded = rest
		image := corev1.ContainerImage{}
		if shared := once(d, "image", value, func(i *corev1.ContainerImage) *corev1.ContainerImage { return i }); shared != nil {
			image = *shared
		}
		images = append(images, image)
	}
	return exact(images)
}

// decodeWorkload decodes the spec, whose template is a part of its own, and the status of a workload.
func (d *decoder) decodeWorkload(of fields, by *wire.Division, spec, status unmarshaler, template *corev1.PodTemplateSpec) {
	d.unmarshal(of[objectStatus], status)
	d.split(by, of[objectSpec], &d.workload)
	d.unmarshal(d.workload[0], spec)
	d.decodeTemplate(d.only(d.workload[1], templateField), template)
}

// decodeTemplate decodes that of a workload's pods.
func (d *decoder) decodeTemplate(encoded []byte, template *corev1.PodTemplateSpec) {
	of, ok := fieldsOf(encoded)
	if !ok || of[objectStatus] != nil {
		d.broken = true
		return
	}
	d.decodeMeta(of[objectMeta], &template.ObjectMeta)
	d.decodeSpec(of[objectSpec], &template.Spec)
}

// decodable is a pointer to an API type.
type decodable[M any] interface {
	*M
	unmarshaler
}

// once gives what was made of an equal part, or has it made of what this one decodes to. The use tells
// apart what has the same type.
func once[M, T any, P decodable[M]](d *decoder, use string, part []byte, take func(P) T) T {
	return madeOnce(d, use, part, func() (made T) {
		from := P(new(M))
		if d.unmarshal(part, from); !d.broken {
			made = take(from)
		}
		return made
	})
}

// madeOnce is once for what is not decoded as a whole.
func madeOnce[T any](d *decoder, use string, part []byte, make func() T) (made T) {
	if len(part) == 0 || d.broken {
		return made
	}
	p := d.strip.pool
	p.text(use)
	p.scratch = append(p.scratch, part...)
	key := p.digest()
	if known, ok := p.parts.get(key); ok {
		if same, ok := known.(T); ok {
			return same
		}
	}
	if made = make(); !d.broken {
		p.parts.put(key, made)
	}
	return made
}

func (d *decoder) decodeMeta(encoded []byte, m *metav1.ObjectMeta) {
	parts := &d.meta
	d.split(metaParts, encoded, parts)
	d.unmarshal(parts[0], m)
	m.Labels = once(d, "labels", parts[1], func(m *metav1.ObjectMeta) map[string]string { return d.strip.pool.dictionary(m.Labels) })
	m.Annotations = once(d, "annotations", parts[2], func(m *metav1.ObjectMeta) map[string]string {
		_, bookmark := m.Annotations[metav1.InitialEventsAnnotationKey]
		d.broken = d.broken || bookmark // client-go reads it, and then drops the object
		return d.strip.pool.dictionary(d.strip.annotations(m.Annotations))
	})
	m.OwnerReferences = once(d, "owners", parts[3], func(m *metav1.ObjectMeta) []metav1.OwnerReference {
		return sharedSlice(d.strip.pool, m.OwnerReferences)
	})
	if group := once(d, "group", parts[4], func(m *metav1.ObjectMeta) *metav1.ObjectMeta { d.strip.pool.meta(m); return m }); group != nil {
		m.GenerateName, m.Namespace, m.Finalizers = group.GenerateName, group.Namespace, group.Finalizers
	}
}

func (d *decoder) decodeSpec(encoded []byte, spec *corev1.PodSpec) {
	parts := &d.spec
	d.split(specParts, encoded, parts)
	if shared := once(d, "spec", parts[0], d.strip.sharedSpec); shared != nil {
		*spec = *shared
	}
	spec.Affinity = once(d, "affinity", parts[1], func(s *corev1.PodSpec) *corev1.Affinity { return d.strip.affinity(s.Affinity) })
	spec.Volumes = once(d, "volumes", parts[2], func(s *corev1.PodSpec) []corev1.Volume { return d.strip.volumes(s.Volumes) })
	if name := d.only(parts[3], nodeName); name != nil {
		spec.NodeName = d.strip.pool.wordOf(name)
	}
}

func (d *decoder) decodeStatus(encoded []byte, status *corev1.PodStatus) {
	parts := &d.status
	d.split(statusParts, encoded, parts)
	d.unmarshal(parts[0], status)
	if words := once(d, "status", parts[5], func(s *corev1.PodStatus) *corev1.PodStatus { d.strip.words(s); return s }); words != nil {
		status.Phase, status.Reason, status.QOSClass = words.Phase, words.Reason, words.QOSClass
		status.NominatedNodeName = words.NominatedNodeName
	}
	status.InitContainerStatuses = once(d, "inits", parts[2], func(s *corev1.PodStatus) []corev1.ContainerStatus {
		return d.strip.containerStatuses(s.InitContainerStatuses)
	})
	status.ContainerStatuses = once(d, "containers", parts[3], func(s *corev1.PodStatus) []corev1.ContainerStatus {
		return d.strip.containerStatuses(s.ContainerStatuses)
	})
	status.EphemeralContainerStatuses = once(d, "ephemerals", parts[4], func(s *corev1.PodStatus) []corev1.ContainerStatus {
		return d.strip.containerStatuses(s.EphemeralContainerStatuses)
	})
	d.decodeConditions(parts[1], status)
	d.strip.ownStatus(status)
}

// decodeConditions shares what conditions have in common but for their times.
func (d *decoder) decodeConditions(encoded []byte, status *corev1.PodStatus) {
	d.conditions = d.conditions[:0]
	for len(encoded) > 0 {
		number, value, rest, ok := wire.Next(encoded)
		if !ok || number != statusConditions || value == nil {
			d.broken = true
			return
		}
		encoded = rest
		parts := &d.condition
		d.split(conditionParts, value, parts)
		condition := corev1.PodCondition{}
		if shared := once(d, "condition", parts[0], func(c *corev1.PodCondition) *corev1.PodCondition { d.strip.conditionWords(c); return c }); shared != nil {
			condition = *shared
		}
		if isUnreadCondition(&condition, status) {
			continue
		}
		d.conditions = append(d.conditions, condition)
		if at := d.only(parts[1], conditionTime); at != nil {
			d.unmarshal(at, &d.conditions[len(d.conditions)-1].LastTransitionTime)
		}
	}
	if len(d.conditions) > 0 {
		status.Conditions = append(make([]corev1.PodCondition, 0, len(d.conditions)), d.conditions...)
	}
}
