package explain

import (
	corev1 "k8s.io/api/core/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	volumeutil "k8s.io/kubernetes/pkg/volume/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// readVolumes finds which generic ephemeral volumes of the pods get their place from the scheduler:
// those whose class binds claims once a pod has a node. Of others it is not known where they would
// be: they are left out of the pod, for what else may reject it.
func (t *fitTemplate) readVolumes(e *Engine) {
	volumes := t.Pod.Spec.Volumes
	t.Pod.Spec.Volumes = nil
	for _, volume := range volumes {
		if volume.Ephemeral != nil {
			if why := bindsBeforePod(e.scheduler.State.Listers, volume.Ephemeral.VolumeClaimTemplate); why != "" {
				t.leaveOpen("persistentvolumes", names.VolumeBinding, "where its ephemeral volume "+volume.Name+" would be is not known: "+why)
				continue
			}
		}
		t.Pod.Spec.Volumes = append(t.Pod.Spec.Volumes, volume)
	}
}

// bindsBeforePod says why the claims that are made from a template are not the scheduler's to bind;
// "" if they are. It fills in the default class, as kube-apiserver does (admission plugin
// DefaultStorageClass).
func bindsBeforePod(l plugins.Listers, template *corev1.PersistentVolumeClaimTemplate) string {
	switch {
	case template == nil:
		return "it has no volumeClaimTemplate"
	case !l.Readable("storageclasses"):
		return l.Forbidden["storageclasses"]
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	if !storagehelpers.PersistentVolumeClaimHasClass(claim) {
		class, err := volumeutil.GetDefaultClass(l.Classes)
		switch {
		case err != nil:
			return err.Error()
		case class == nil:
			return "it has no StorageClass, and there is no default one"
		}
		template.Spec.StorageClassName, claim.Spec.StorageClassName = &class.Name, &class.Name
	}
	name := storagehelpers.GetPersistentVolumeClaimClass(claim)
	if name == "" {
		return "it has no StorageClass"
	}
	if _, err := l.Classes.Get(name); err != nil {
		return "StorageClass " + name + " does not exist"
	}
	late, err := storagehelpers.IsDelayBindingMode(claim, l.Classes)
	switch {
	case err != nil:
		return err.Error()
	case claim.Spec.VolumeName != "":
		return "it requests volume " + claim.Spec.VolumeName
	case !late:
		return "StorageClass " + name + " has volumeBindingMode Immediate"
	}
	return ""
}
