package explain

import (
	"cmp"
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// claimsAdmitted is for how many pods the quotas of their namespace let claims be created.
type claimsAdmitted struct {
	pods       int
	notCreated []report.Rejection   // of a claim that a StatefulSet makes before it creates the next pod
	rejection  string               // of a claim of the next pod once it is created, and which kind it is; "": none is rejected
	unknown    []report.UnknownPart // what quotas may reject once a pod is bound
}

// claimed counts for how many of the pods, at most so many, quotas let their claims be created.
// Quotas that cannot be read are noted where they are asked about the pods.
func (t *fitTemplate) claimed(ctx context.Context, e *Engine, most int) (claimsAdmitted, error) {
	admitted := claimsAdmitted{pods: most}
	of := t.Template
	of.Pod = of.Pod.DeepCopy()
	of.Pod.Spec.Volumes = append(of.Pod.Spec.Volumes, t.unplaced...)
	made, bound := claimsOf(e.scheduler, of), claimWhenBound(e.scheduler, t.Pod)
	if len(made) == 0 && bound == nil && !placement.MakesClaims(of.Pod) || e.options.Quotas == nil {
		return admitted, nil
	}
	before, err := setClaimsOf(ctx, e, of.Pod, most)
	if err != nil {
		return admitted, err
	}
	quotas, err := e.options.Quotas(ctx, t.Pod.Namespace)
	if err != nil {
		return admitted, ctx.Err()
	}
	var rejected *quotaRequest
	for n := range most {
		if quotas, rejected, err = chargedAll(quotas, before[n]); err != nil {
			admitted.pods, admitted.notCreated = n, admission.ClaimRejections(rejected.object.(*corev1.PersistentVolumeClaim), quotas)
			return admitted, nil
		}
		if quotas, rejected, err = chargedAll(quotas, made); err != nil {
			admitted.pods, admitted.rejection = n, "a "+rejected.kind+" of that pod: "+err.Error()
			return admitted, nil
		}
		if bound == nil {
			continue
		}
		if quotas, _, err = chargedAll(quotas, []*quotaRequest{bound}); err != nil {
			admitted.pods = n
			admitted.unknown = []report.UnknownPart{{
				Resource: "resourcequotas", Plugins: []string{names.DynamicResources},
				Why: "kube-scheduler creates a ResourceClaim for extended resources of a pod that it binds where no device plugin offers them, and kube-apiserver would reject it: " + err.Error(),
			}}
			return admitted, nil
		}
	}
	return admitted, nil
}

// created counts how many of the pods, at most so many, would be created, with what rejects the next one, and for how
// many of these quotas let claims be created.
func (t *fitTemplate) created(ctx context.Context, e *Engine, judged *admission.Judgement, most int) (created int, rejected []report.Rejection, claimed claimsAdmitted, err error) {
	created, rejected = judged.Created(most)
	claimed, err = t.claimed(ctx, e, created)
	if err == nil && len(claimed.notCreated) > 0 { // a StatefulSet makes the claim first, and no pod without it
		created, rejected = claimed.pods, claimed.notCreated
	}
	return created, rejected, claimed, err
}

// setClaimsOf are the claims that a StatefulSet makes for each of so many pods before it creates them.
func setClaimsOf(ctx context.Context, e *Engine, pod *corev1.Pod, pods int) (claims [][]*quotaRequest, err error) {
	err = e.scheduler.Hold(ctx, nil, func() error {
		for n := range pods {
			var made []*quotaRequest
			for _, claim := range placement.SetClaimsOf(e.scheduler.State.Listers, pod, n) {
				made = append(made, newVolumeRequest(claim))
			}
			claims = append(claims, made)
		}
		return nil
	})
	return claims, err
}

// chargedAll are the quotas once claims are created, or where they reject one, that and why.
func chargedAll(quotas []corev1.ResourceQuota, claims []*quotaRequest) (charged []corev1.ResourceQuota, rejected *quotaRequest, err error) {
	for _, claim := range claims {
		if charged, err = resourcequota.CheckRequest(quotas, claim.request(), claim.evaluator, nil); err != nil {
			return quotas, claim, err
		}
		quotas = charged
	}
	return quotas, nil, nil
}

// rejectedLater says what quotas may reject once such pods, so many, are created: claims that are
// made for them, and that admission of a pod does not count.
func rejectedLater(ctx context.Context, e *Engine, pod *corev1.Pod, pods int) ([]report.UnknownPart, error) {
	admitted, err := (&fitTemplate{Template: placement.Template{Pod: pod}}).claimed(ctx, e, max(pods, 1))
	if len(admitted.notCreated) > 0 {
		admitted.rejection = admitted.notCreated[0].What
	}
	if admitted.rejection == "" || err != nil {
		return admitted.unknown, err
	}
	return append(admitted.unknown, report.UnknownPart{
		Resource: "resourcequotas", Why: "kube-apiserver would reject " + admitted.rejection, Plugins: []string{"ResourceQuota"},
	}), nil
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
func claimsOf(s *scheduler.Scheduler, of placement.Template) (made []*quotaRequest) {
	pod := withName(of.Pod)
	for _, claim := range of.ClaimsOf(pod) {
		made = append(made, newDeviceRequest(s, claim, nil))
	}
	for _, claim := range placement.VolumeClaimsOf(pod) {
		made = append(made, newVolumeRequest(claim))
	}
	return made
}

// newVolumeRequest is the creation of a PersistentVolumeClaim.
func newVolumeRequest(claim *corev1.PersistentVolumeClaim) *quotaRequest {
	return &quotaRequest{
		claim, claim, "PersistentVolumeClaim", "persistentvolumeclaims", corev1.SchemeGroupVersion, core.NewPersistentVolumeClaimEvaluator(nil),
	}
}

// withName is a copy of a pod that may have no name yet.
func withName(pod *corev1.Pod) *corev1.Pod {
	named := pod.DeepCopy()
	named.Name = cmp.Or(pod.Name, strings.TrimSuffix(pod.GenerateName, "-"), "pod")
	return named
}

// newDeviceRequest is the creation of a ResourceClaim. What quotas have counted for a pod is not
// counted again for the claim of its extended resources.
func newDeviceRequest(s *scheduler.Scheduler, claim *resourcev1.ResourceClaim, pod *corev1.Pod) *quotaRequest {
	pods := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if pod != nil {
		_ = pods.Add(pod) // it has a name
	}
	none := func(string, types.UID) ([]*resourcev1.ResourceClaim, error) { return nil, nil }
	return &quotaRequest{
		claim, claim, "ResourceClaim", "resourceclaims", resourcev1.SchemeGroupVersion,
		core.NewResourceClaimEvaluator(nil, s.DeviceClasses(), corelisters.NewPodLister(pods), none),
	}
}

// claimWhenBound is the creation of the ResourceClaim that kube-scheduler makes once it binds such a
// pod, for all extended resources that a DeviceClass serves (createRequestsAndMappings of
// pkg/scheduler/framework/plugins/dynamicresources); nil if there are none.
func claimWhenBound(s *scheduler.Scheduler, of *corev1.Pod) *quotaRequest {
	pod := withName(of)
	var requests []resourcev1.DeviceRequest
	for name, amount := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if class := s.DeviceClasses().GetDeviceClass(name); class != nil && amount.Cmp(resource.Quantity{}) > 0 {
			requests = append(requests, resourcev1.DeviceRequest{Name: class.Name, Exactly: &resourcev1.ExactDeviceRequest{
				DeviceClassName: class.Name, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: amount.Value(),
			}})
		}
	}
	if len(requests) == 0 {
		return nil
	}
	return newDeviceRequest(s, &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, Name: pod.Name + "-extended-resources", Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}},
		},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}},
	}, pod)
}
