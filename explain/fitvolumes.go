package explain

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	volumeutil "k8s.io/kubernetes/pkg/volume/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// readVolumes finds which volumes of the pods, whose claims are made for them, the scheduler has a say in: those
// whose class binds claims once a pod has a node, those that stay unbound, and those of claims of a StatefulSet
// that exist. Of others it is not known where they would be: they are left out of the pod, for what else may
// reject it.
func (t *fitTemplate) readVolumes(e *Engine, replicas int) {
	volumes, l := t.Pod.Spec.Volumes, e.scheduler.State.Listers
	t.Pod.Spec.Volumes, t.Anywhere = nil, map[string]bool{}
	for _, volume := range volumes {
		if volume.Ephemeral == nil {
			t.Pod.Spec.Volumes = append(t.Pod.Spec.Volumes, volume)
			continue
		}
		claims := setClaims(t.Pod.Namespace, &volume, replicas)
		if user := userOf(e.scheduler.State.Pods, claims); user != nil {
			t.caveats = append(t.caveats, "claim "+t.Pod.Namespace+"/"+claims.of[user.Name]+" is that of pod "+user.Name+", which exists: volume "+volume.Name+" is left out")
			continue
		}
		why, anywhere := whereMade(l, &volume, claims)
		switch {
		case why != "" && !claims.exist(l):
			t.leaveOpen("persistentvolumes", names.VolumeBinding, "where its volume "+volume.Name+" would be is not known: "+why)
			t.unplaced = append(t.unplaced, volume)
			continue
		case anywhere:
			t.Anywhere[volume.Name] = true
		}
		t.Pod.Spec.Volumes = append(t.Pod.Spec.Volumes, volume)
	}
}

// claimNames are the claims that a StatefulSet makes from the template of a volume, by the names of the pods that they
// are for; none where claims are made for the pods otherwise.
type claimNames struct {
	namespace, volume string
	of                map[string]string
}

// setClaims are the claims of so many replicas for a volume.
func setClaims(namespace string, volume *corev1.Volume, replicas int) claimNames {
	c := claimNames{namespace, volume.Name, map[string]string{}}
	for n := range max(replicas, 1) {
		if claim, pod := admission.SetClaim(volume, n); claim != "" {
			c.of[pod] = claim
		}
	}
	return c
}

// exist reports whether all of the claims exist.
func (c claimNames) exist(l plugins.Listers) bool {
	for _, claim := range c.of {
		if _, err := l.Claim(c.namespace, claim); err != nil {
			return false
		}
	}
	return len(c.of) > 0
}

// mayBe reports whether a volume may be reserved for one of the claims: of generic ephemeral volumes only the end of
// their names is known before the pods are created.
func (c claimNames) mayBe(ref *corev1.ObjectReference) bool {
	if len(c.of) == 0 {
		return ref.Namespace == c.namespace && strings.HasSuffix(ref.Name, "-"+c.volume)
	}
	return ref.Namespace == c.namespace && slices.Contains(slices.Collect(maps.Values(c.of)), ref.Name)
}

// userOf is one of the pods of the claims that exists, and so uses its claim; nil: there is none.
func userOf(pods map[types.UID]*corev1.Pod, claims claimNames) *corev1.Pod {
	if len(claims.of) == 0 {
		return nil
	}
	for _, pod := range pods {
		if pod.Namespace == claims.namespace && claims.of[pod.Name] != "" {
			return pod
		}
	}
	return nil
}

// whereMade says why it is not known where the volumes of claims are that are made from a template;
// "" where the scheduler decides, or can do nothing, or every node can use them. It fills in the
// default class, as kube-apiserver does (admission plugin DefaultStorageClass).
func whereMade(l plugins.Listers, of *corev1.Volume, claims claimNames) (why string, anywhere bool) {
	template := of.Ephemeral.VolumeClaimTemplate
	switch {
	case template == nil:
		return "it has no volumeClaimTemplate", false
	case template.Spec.VolumeName != "":
		return "it requests volume " + template.Spec.VolumeName, false
	case !l.Readable("storageclasses"):
		return l.Forbidden["storageclasses"], false
	}
	claim, err := claimOfClass(l, template)
	if err != nil {
		return err.Error(), false
	}
	name := storagehelpers.GetPersistentVolumeClaimClass(claim)
	class, err := l.Classes.Get(name)
	if err != nil {
		return whyWithoutClass(l, name, claims), false
	}
	late, err := storagehelpers.IsDelayBindingMode(claim, l.Classes)
	switch {
	case err != nil:
		return err.Error(), false
	case late:
		return reservedFor(l, name, claims), false
	case len(class.AllowedTopologies) == 0 && l.WithoutTopology(class.Provisioner) && !slices.ContainsFunc(volumesOf(l, name), somewhere):
		return "", true
	}
	return "StorageClass " + name + " has volumeBindingMode " + string(storagev1.VolumeBindingImmediate), false
}

// claimOfClass is a claim from a template, with the default class where neither names one: the template
// gets it too.
func claimOfClass(l plugins.Listers, template *corev1.PersistentVolumeClaimTemplate) (*corev1.PersistentVolumeClaim, error) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	if storagehelpers.PersistentVolumeClaimHasClass(claim) {
		return claim, nil
	}
	class, err := volumeutil.GetDefaultClass(l.Classes)
	if class != nil {
		template.Spec.StorageClassName, claim.Spec.StorageClassName = &class.Name, &class.Name
	}
	return claim, err
}

// whyWithoutClass says why it is not known where the volumes of claims of a class that does not exist are; "": the claims
// stay unbound.
func whyWithoutClass(l plugins.Listers, class string, claims claimNames) string {
	if !l.Readable("persistentvolumes") {
		return l.Forbidden["persistentvolumes"]
	}
	if volume := boundByName(l, class, claims); volume != nil {
		return "PersistentVolume " + volume.Name + " of class " + strconv.Quote(class) + ", which is no StorageClass, may be bound to it"
	}
	return ""
}

// reservedFor says which volume of a class is reserved for one of the claims; "": none is.
func reservedFor(l plugins.Listers, class string, claims claimNames) string {
	for _, volume := range volumesOf(l, class) {
		if reserved(volume) && claims.mayBe(volume.Spec.ClaimRef) {
			return "PersistentVolume " + volume.Name + " is reserved for claim " + volume.Spec.ClaimRef.Namespace + "/" + volume.Spec.ClaimRef.Name
		}
	}
	return ""
}

// boundByName is a volume that the volume controller may bind to one of the claims of a class that does not
// exist: it names the class; nil if there is none.
func boundByName(l plugins.Listers, class string, claims claimNames) *corev1.PersistentVolume {
	for _, volume := range volumesOf(l, class) {
		if volume.Spec.ClaimRef == nil || reserved(volume) && claims.mayBe(volume.Spec.ClaimRef) {
			return volume
		}
	}
	return nil
}

// volumesOf are the volumes of a class.
func volumesOf(l plugins.Listers, class string) []*corev1.PersistentVolume {
	return slices.DeleteFunc(plugins.Everything(l.Volumes), func(volume *corev1.PersistentVolume) bool {
		return storagehelpers.GetPersistentVolumeClass(volume) != class
	})
}

// reserved reports whether somebody has reserved a volume for a claim of a certain name, which it is not
// bound to.
func reserved(volume *corev1.PersistentVolume) bool {
	return volume.Spec.ClaimRef != nil && volume.Spec.ClaimRef.UID == ""
}

// somewhere reports whether a volume is free, and not every node can use it.
func somewhere(volume *corev1.PersistentVolume) bool {
	return (volume.Spec.ClaimRef == nil || reserved(volume)) && volume.Spec.NodeAffinity != nil
}
