package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
)

// claimsAdmitted is for how many pods the quotas of their namespace let claims be created.
type claimsAdmitted struct {
	pods      int
	rejection string // of a claim of the next pod, and which kind it is; "": none is rejected
}

// claimed counts for how many of the pods, at most so many, quotas let their claims be created.
// Quotas that cannot be read are noted where they are asked about the pods.
func (t *fitTemplate) claimed(ctx context.Context, e *Engine, most int) (claimsAdmitted, error) {
	admitted := claimsAdmitted{pods: most}
	made := claimsOf(t.Template)
	if len(made) == 0 || e.options.Quotas == nil {
		return admitted, nil
	}
	quotas, err := e.options.Quotas(ctx, t.Pod.Namespace)
	if err != nil {
		return admitted, ctx.Err()
	}
	for n := range most {
		for _, claim := range made {
			charged, err := resourcequota.CheckRequest(quotas, claim.request(), claim.evaluator, nil)
			if err != nil {
				admitted.pods, admitted.rejection = n, "a "+claim.kind+" of that pod: "+err.Error()
				return admitted, nil
			}
			quotas = charged
		}
	}
	return admitted, nil
}

// quotaRequest is the creation of a claim, and who counts it.
type quotaRequest struct {
	object         runtime.Object
	of             metav1.Object
	kind, resource string
	version        schema.GroupVersion
	evaluator      quota.Evaluator
}

// request is the creation, as admission plugins see it.
func (r *quotaRequest) request() apiadmission.Attributes {
	return apiadmission.NewAttributesRecord(r.object, nil, r.version.WithKind(r.kind), r.of.GetNamespace(), r.of.GetName(),
		r.version.WithResource(r.resource), "", apiadmission.Create, &metav1.CreateOptions{}, false, nil)
}

// claimsOf are the creations of the claims of one of the pods.
func claimsOf(of placement.Template) (made []*quotaRequest) {
	pod := of.Pod.DeepCopy()
	for _, claim := range of.ClaimsOf(pod) {
		made = append(made, &quotaRequest{
			claim, claim, "ResourceClaim", "resourceclaims", resourcev1.SchemeGroupVersion, core.NewResourceClaimEvaluator(nil, nil, nil, nil),
		})
	}
	for _, claim := range placement.VolumeClaimsOf(pod) {
		made = append(made, &quotaRequest{
			claim, claim, "PersistentVolumeClaim", "persistentvolumeclaims", corev1.SchemeGroupVersion, core.NewPersistentVolumeClaimEvaluator(nil),
		})
	}
	return made
}
