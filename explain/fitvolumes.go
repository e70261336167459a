package explain

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	volumeutil "k8s.io/kubernetes/pkg/volume/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// readVolumes finds which generic ephemeral volumes of the pods the scheduler has a say in: those
// whose class binds claims once a pod has a node, and those that stay unbound. Volumes that every
// node can use are left out. Of others it is not known where they would be: they are left out
// of the pod, for what else may reject it.
func (t *fitTemplate) readVolumes(e *Engine) {
	volumes := t.Pod.Spec.Volumes
	t.Pod.Spec.Volumes = nil
	for _, volume := range volumes {
		if volume.Ephemeral != nil {
			l, template := e.scheduler.State.Listers, volume.Ephemeral.VolumeClaimTemplate
			if claim := existing(l, t.Pod.Namespace, template); claim != "" {
				t.caveats = append(t.caveats, "claim "+t.Pod.Namespace+"/"+claim+" exists already: volume "+volume.Name+" is left out")
				continue
			}
			why, anywhere := whereMade(l, template)
			switch {
			case anywhere:
				continue
			case why != "":
				t.leaveOpen("persistentvolumes", names.VolumeBinding, "where its volume "+volume.Name+" would be is not known: "+why)
				continue
			}
		}
		t.Pod.Spec.Volumes = append(t.Pod.Spec.Volumes, volume)
	}
}

// existing is the claim of a StatefulSet's first pod, if it exists: new ones say nothing then; "" if it
// does not.
func existing(l plugins.Listers, namespace string, template *corev1.PersistentVolumeClaimTemplate) string {
	if template == nil || admission.FirstClaim(template) == "" || !l.Readable("persistentvolumeclaims") {
		return ""
	}
	if _, err := l.Claim(namespace, admission.FirstClaim(template)); err != nil {
		return ""
	}
	return admission.FirstClaim(template)
}

// whereMade says why it is not known where the volumes of claims are that are made from a template;
// "" where the scheduler decides, or can do nothing, or every node can use them. It fills in the
// default class, as kube-apiserver does (admission plugin DefaultStorageClass).
func whereMade(l plugins.Listers, template *corev1.PersistentVolumeClaimTemplate) (why string, anywhere bool) {
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
	switch {
	case err != nil && boundByName(l, name):
		return "a PersistentVolume of class " + strconv.Quote(name) + ", which is no StorageClass, may be bound to it", false
	case err != nil: // it stays unbound
		return "", false
	}
	late, err := storagehelpers.IsDelayBindingMode(claim, l.Classes)
	switch {
	case err != nil:
		return err.Error(), false
	case late && slices.ContainsFunc(volumesOf(l, name), reserved):
		return "a PersistentVolume of class " + name + " is reserved for a claim by its name", false
	case late:
		return "", false
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

// boundByName reports whether the volume controller may bind a claim of a class that does not
// exist: to a volume that names the class, or to any that could not be read.
func boundByName(l plugins.Listers, class string) bool {
	return !l.Readable("persistentvolumes") || slices.ContainsFunc(volumesOf(l, class), func(volume *corev1.PersistentVolume) bool {
		return volume.Spec.ClaimRef == nil || reserved(volume)
	})
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
