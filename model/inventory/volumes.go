package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// VolumeResources are what Volumes needs, as RBAC names it.
var VolumeResources = []string{"persistentvolumeclaims", "persistentvolumes", "storageclasses", "csinodes", "volumeattachments"}

// The kinds of a Volume.
const (
	ClaimKind  = "PersistentVolumeClaim"
	VolumeKind = "PersistentVolume"
	NodeKind   = "CSINode"

	StorageClassKind = "StorageClass"
)

// Volume is a PersistentVolumeClaim, a PersistentVolume, what a CSI driver attaches to a node, or a
// StorageClass.
type Volume struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"` // of a CSINode the node's
	// Phase is that of a claim or volume; Why says what is wrong with it, as far as its
	// status and its class show.
	Phase string `json:"phase"`
	Why   string `json:"why"`
	Class string `json:"storageClass"`
	// Capacity is the volume's, or what a claim asks for; nil of a CSINode.
	Capacity *resource.Quantity `json:"capacity"`
	// Zones are where the volume can be used; none is everywhere, or no volume yet.
	Zones []string `json:"zones"`
	// BoundTo is the volume of a claim, or the claim that a volume is or was of.
	BoundTo string `json:"boundTo"`
	// Driver attaches volumes to a node, at most Limit; nil is no limit. Attached is how
	// many there are; nil where VolumeAttachments could not be read.
	Driver   string `json:"driver"`
	Limit    *int32 `json:"limit"`
	Attached *int   `json:"attached"`
	// Provision is what a StorageClass does; left out of other kinds.
	Provision *Provision `json:"provision,omitempty"`

	Object runtime.Object `json:"-"`
}

// Provision is what a StorageClass does for its claims.
type Provision struct {
	Provisioner   string `json:"provisioner"`
	BindingMode   string `json:"volumeBindingMode"`
	ReclaimPolicy string `json:"reclaimPolicy"`
	Default       bool   `json:"default"`    // for claims that name no class
	Expandable    bool   `json:"expandable"` // its volumes may grow
	// Claims and Pending are how many claims name the class, and how many of these have no volume yet;
	// null where not all claims are known.
	Claims  *int `json:"claims"`
	Pending *int `json:"pendingClaims"`
}

// Words are what it does in short: "default, WaitForFirstConsumer, ebs.csi.aws.com, 3 claims, 1 pending".
func (p *Provision) Words() string {
	var words []string
	if p.Default {
		words = append(words, "default")
	}
	words = append(words, p.BindingMode, p.Provisioner)
	if p.Claims == nil {
		return strings.Join(append(words, model.UnknownFigure+" claims"), ", ")
	}
	words = append(words, grammar.Count(*p.Claims, "claim", "claims"))
	if *p.Pending > 0 {
		words = append(words, fmt.Sprintf("%d pending", *p.Pending))
	}
	return strings.Join(words, ", ")
}

// BoundAndClasses are what Volumes leaves out: the volumes that are bound, then the StorageClasses, by
// name.
func BoundAndClasses(s *model.Snapshot, o *model.Objects) []Volume {
	claims, unread := model.ListOf[*corev1.PersistentVolumeClaim](o, "persistentvolumeclaims")
	volumes, _ := model.ListOf[*corev1.PersistentVolume](o, "persistentvolumes")
	classes, _ := model.ListOf[*storagev1.StorageClass](o, "storageclasses")
	var all []Volume
	for _, volume := range volumes {
		if volume.Status.Phase == corev1.VolumeBound {
			all = append(all, volumeRow(volume))
		}
	}
	for _, class := range classes {
		row := classRow(class)
		if unread == "" && s.Status.Namespace == "" {
			row.Provision.count(class.Name, claims)
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b Volume) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return all
}

// The annotations of a default StorageClass (pkg/apis/storage/util).
const (
	defaultClass     = "storageclass.kubernetes.io/is-default-class"
	betaDefaultClass = "storageclass.beta.kubernetes.io/is-default-class"
)

// count counts the claims of the class.
func (p *Provision) count(class string, claims []*corev1.PersistentVolumeClaim) {
	p.Claims, p.Pending = new(int), new(int)
	for _, claim := range claims {
		if classOf(claim) != class {
			continue
		}
		*p.Claims++
		if claim.Status.Phase == corev1.ClaimPending {
			*p.Pending++
		}
	}
}

// classRow is a StorageClass without its claims. The defaults are those of the API.
func classRow(class *storagev1.StorageClass) Volume {
	p := &Provision{
		Provisioner: class.Provisioner, BindingMode: string(storagev1.VolumeBindingImmediate), ReclaimPolicy: string(corev1.PersistentVolumeReclaimDelete),
		Default:    class.Annotations[defaultClass] == "true" || class.Annotations[betaDefaultClass] == "true",
		Expandable: class.AllowVolumeExpansion != nil && *class.AllowVolumeExpansion,
	}
	if class.VolumeBindingMode != nil {
		p.BindingMode = string(*class.VolumeBindingMode)
	}
	if class.ReclaimPolicy != nil {
		p.ReclaimPolicy = string(*class.ReclaimPolicy)
	}
	v := Volume{Kind: StorageClassKind, Name: class.Name, Zones: []string{}, Provision: p, Object: class}
	for _, term := range class.AllowedTopologies {
		for _, expression := range term.MatchLabelExpressions {
			if isZone(expression.Key) {
				v.Zones = append(v.Zones, expression.Values...)
			}
		}
	}
	slices.Sort(v.Zones)
	v.Zones = slices.Compact(v.Zones)
	return v
}

// Volumes are the claims, the volumes that are not bound, and the attach limits of nodes:
// what does not work first. Kinds that could not be read are left out.
func Volumes(s *model.Snapshot, o *model.Objects) []Volume {
	claims, unclaimed := model.ListOf[*corev1.PersistentVolumeClaim](o, "persistentvolumeclaims")
	volumes, _ := model.ListOf[*corev1.PersistentVolume](o, "persistentvolumes")
	classes, unread := model.ListOf[*storagev1.StorageClass](o, "storageclasses")
	v := volumeFacts{byName: map[string]*corev1.PersistentVolume{}, classes: map[string]*storagev1.StorageClass{}, classesKnown: unread == "", users: usersOf(s)}
	for _, volume := range volumes {
		v.byName[volume.Name] = volume
	}
	for _, class := range classes {
		v.classes[class.Name] = class
	}
	all := make([]Volume, 0, len(claims))
	for _, claim := range claims {
		all = append(all, v.claim(claim))
	}
	for _, volume := range volumes {
		if volume.Status.Phase != corev1.VolumeBound {
			row := volumeRow(volume)
			if unclaimed == "" && s.Status.Namespace == "" {
				row.reserved(volume, claims)
			}
			all = append(all, row)
		}
	}
	all = append(all, attachLimits(o)...)
	slices.SortFunc(all, compareVolumes)
	return all
}

// compareVolumes puts what does not work first, then claims, volumes and nodes.
func compareVolumes(a, b Volume) int {
	rank := func(v *Volume) int {
		switch {
		case v.Trouble():
			return 0
		case v.Kind == ClaimKind:
			return 1
		case v.Kind == VolumeKind:
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.Driver, b.Driver))
}

// Trouble reports whether a claim has no volume, a volume failed, or nothing more can be
// attached to a node.
func (v *Volume) Trouble() bool {
	if v.Kind == NodeKind {
		return v.Limit != nil && v.Attached != nil && *v.Attached >= int(*v.Limit)
	}
	return v.Phase == string(corev1.ClaimPending) || v.Phase == string(corev1.ClaimLost) || v.Phase == string(corev1.VolumeFailed)
}

// volumeFacts are what claims are explained with.
type volumeFacts struct {
	byName       map[string]*corev1.PersistentVolume
	classes      map[string]*storagev1.StorageClass
	classesKnown bool
	users        map[string]string // by the claim's namespace/name: a pod without a node that uses it
}

// usersOf are pods without a node, by the namespace/name of the claims that they use.
func usersOf(s *model.Snapshot) map[string]string {
	users := map[string]string{}
	for _, pod := range s.Pods {
		if pod.Finished() || pod.Object.Spec.NodeName != "" {
			continue
		}
		for i := range pod.Object.Spec.Volumes {
			switch volume := &pod.Object.Spec.Volumes[i]; {
			case volume.PersistentVolumeClaim != nil:
				users[pod.Object.Namespace+"/"+volume.PersistentVolumeClaim.ClaimName] = pod.Object.Name
			case volume.Ephemeral != nil:
				users[pod.Object.Namespace+"/"+pod.Object.Name+"-"+volume.Name] = pod.Object.Name
			}
		}
	}
	return users
}

// claim is a claim with its volume.
func (f *volumeFacts) claim(claim *corev1.PersistentVolumeClaim) Volume {
	v := Volume{
		Kind: ClaimKind, Namespace: claim.Namespace, Name: claim.Name, Phase: string(claim.Status.Phase), Zones: []string{},
		Class: classOf(claim), BoundTo: claim.Spec.VolumeName, Object: claim,
	}
	if size, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		v.Capacity = &size
	}
	if size, ok := claim.Status.Capacity[corev1.ResourceStorage]; ok {
		v.Capacity = &size
	}
	if volume := f.byName[claim.Spec.VolumeName]; volume != nil {
		v.Zones = zonesOf(volume)
	}
	switch claim.Status.Phase {
	case corev1.ClaimPending:
		v.Why = f.pendingWords(claim)
	case corev1.ClaimLost:
		v.Why = f.lostWords(claim)
	default:
		v.Why = conditionWords(claim)
	}
	return v
}

// classOf is the StorageClass that a claim names; "" without one.
func classOf(claim *corev1.PersistentVolumeClaim) string {
	if name, ok := claim.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		return name
	}
	if claim.Spec.StorageClassName == nil {
		return ""
	}
	return *claim.Spec.StorageClassName
}

// pendingWords say what a pending claim waits for, as far as the API shows.
func (f *volumeFacts) pendingWords(claim *corev1.PersistentVolumeClaim) string {
	name := classOf(claim)
	class := f.classes[name]
	user := f.users[claim.Namespace+"/"+claim.Name]
	node := claim.Annotations["volume.kubernetes.io/selected-node"]
	switch {
	case claim.Spec.VolumeName != "":
		return "waiting to be bound to volume " + claim.Spec.VolumeName
	case name == "":
		return "it names no StorageClass: waiting for a volume that matches"
	case class == nil && !f.classesKnown:
		return "unknown: StorageClasses could not be read"
	case class == nil:
		return fmt.Sprintf("StorageClass %q does not exist", name)
	case node != "":
		return "waiting for " + class.Provisioner + " to provision it for node " + node
	case class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer && user != "":
		return "waiting for pod " + user + " to be scheduled"
	case class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer:
		return "waiting for a pod that uses it"
	case class.Provisioner == "kubernetes.io/no-provisioner":
		return "waiting for a volume of its class: it has no provisioner"
	}
	return "waiting for " + class.Provisioner + " to provision it"
}

// lostWords say why a claim is lost (syncBoundClaim in
// pkg/controller/volume/persistentvolume).
func (f *volumeFacts) lostWords(claim *corev1.PersistentVolumeClaim) string {
	name := claim.Spec.VolumeName
	if volume := f.byName[name]; volume != nil && volume.Spec.ClaimRef != nil && volume.Spec.ClaimRef.UID != claim.UID {
		if of := volume.Spec.ClaimRef; of.UID != "" && of.Namespace == claim.Namespace && of.Name == claim.Name {
			return "its volume " + name + " still belongs to an earlier claim of the same name"
		}
		return "its volume " + name + " is bound to another claim"
	}
	return strings.TrimSpace("it lost its volume " + name)
}

// conditionWords are the conditions of a bound claim, such as a resize.
func conditionWords(claim *corev1.PersistentVolumeClaim) string {
	var words []string
	for i := range claim.Status.Conditions {
		c := &claim.Status.Conditions[i]
		if c.Status != corev1.ConditionTrue {
			continue
		}
		word := string(c.Type)
		if c.Message != "" {
			word += ": " + c.Message
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// volumeRow is a volume with the claim that it is or was of.
func volumeRow(volume *corev1.PersistentVolume) Volume {
	v := Volume{
		Kind: VolumeKind, Name: volume.Name, Phase: string(volume.Status.Phase), Class: volume.Spec.StorageClassName,
		Zones: zonesOf(volume), Why: cmp.Or(volume.Status.Message, volume.Status.Reason), Object: volume,
	}
	if size, ok := volume.Spec.Capacity[corev1.ResourceStorage]; ok {
		v.Capacity = &size
	}
	if ref := volume.Spec.ClaimRef; ref != nil {
		v.BoundTo = ref.Namespace + "/" + ref.Name
		if v.Why == "" && volume.Status.Phase == corev1.VolumeReleased {
			v.Why = "its claim " + v.BoundTo + " was deleted"
		}
	}
	return v
}

// reserved says of a volume that is available which claim it is reserved for, and that this does not exist where claims
// of all namespaces are known.
func (v *Volume) reserved(volume *corev1.PersistentVolume, claims []*corev1.PersistentVolumeClaim) {
	ref := volume.Spec.ClaimRef
	if ref == nil || v.Why != "" || volume.Status.Phase != corev1.VolumeAvailable {
		return
	}
	v.Why = "reserved for " + v.BoundTo
	if !slices.ContainsFunc(claims, func(c *corev1.PersistentVolumeClaim) bool { return c.Namespace == ref.Namespace && c.Name == ref.Name }) {
		v.Why += ", which does not exist"
	}
}

// zonesOf are the zones that a volume can be used in, by its node affinity and its label.
func zonesOf(volume *corev1.PersistentVolume) []string {
	zones := []string{}
	add := func(names ...string) {
		for _, name := range names {
			if name != "" && !slices.Contains(zones, name) {
				zones = append(zones, name)
			}
		}
	}
	if affinity := volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		for _, term := range affinity.Required.NodeSelectorTerms {
			for _, expression := range term.MatchExpressions {
				if isZone(expression.Key) && expression.Operator == corev1.NodeSelectorOpIn {
					add(expression.Values...)
				}
			}
		}
	}
	if len(zones) == 0 {
		add(strings.Split(volume.Labels[corev1.LabelTopologyZone], "__")...) // regional disks have several
	}
	slices.Sort(zones)
	return zones
}

// isZone reports whether a label is of zones: the well-known one or that of a CSI driver.
func isZone(label string) bool {
	return label == corev1.LabelTopologyZone || label == corev1.LabelFailureDomainBetaZone || strings.HasSuffix(label, "/zone")
}

// attachLimits are how many volumes each CSI driver has attached to each node.
func attachLimits(o *model.Objects) []Volume {
	nodes, _ := model.ListOf[*storagev1.CSINode](o, "csinodes")
	attachments, unread := model.ListOf[*storagev1.VolumeAttachment](o, "volumeattachments")
	attached := map[[2]string]int{}
	for _, attachment := range attachments {
		attached[[2]string{attachment.Spec.NodeName, attachment.Spec.Attacher}]++
	}
	var all []Volume
	for _, node := range nodes {
		for _, driver := range node.Spec.Drivers {
			v := Volume{Kind: NodeKind, Name: node.Name, Driver: driver.Name, Zones: []string{}, Object: node}
			if driver.Allocatable != nil {
				v.Limit = driver.Allocatable.Count
			}
			if unread == "" {
				v.Attached = new(attached[[2]string{node.Name, driver.Name}])
			}
			if v.Trouble() {
				v.Why = "attach limit reached"
			}
			all = append(all, v)
		}
	}
	return all
}
