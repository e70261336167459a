package manifest

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	podrules "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// Validate rejects what the API server would call invalid.
func Validate(pod *corev1.Pod) error {
	filled := pod.DeepCopy()
	corev1rules.SetObjectDefaults_Pod(filled)
	filled.OwnerReferences = nil // the owner does not exist yet, so it has no UID
	if filled.Name == "" && filled.GenerateName != "" {
		filled.Name = filled.GenerateName + "00000" // the API server makes one up before it validates
	}
	// Admission adds it before the API server validates; both names are one.
	filled.Spec.ServiceAccountName = cmp.Or(filled.Spec.ServiceAccountName, filled.Spec.DeprecatedServiceAccount, "default")
	filled.Spec.DeprecatedServiceAccount = filled.Spec.ServiceAccountName
	var internal core.Pod
	if err := corev1rules.Convert_v1_Pod_To_core_Pod(filled, &internal, nil); err != nil {
		return err
	}
	options := podrules.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	options.ResourceIsPod = true
	if errs := validation.ValidatePodCreate(&internal, options); len(errs) > 0 {
		return errs.ToAggregate()
	}
	return nil
}
