package explain

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// limiting allows so much of a resource, of which nothing is used.
func limiting(name corev1.ResourceName, hard string) func(context.Context, string) ([]corev1.ResourceQuota, error) {
	return func(_ context.Context, namespace string) ([]corev1.ResourceQuota, error) {
		quota := corev1.ResourceQuota{}
		quota.Namespace, quota.Name = namespace, "devices"
		quota.Status.Hard = corev1.ResourceList{name: resource.MustParse(hard)}
		quota.Status.Used = corev1.ResourceList{name: resource.MustParse("0")}
		return []corev1.ResourceQuota{quota}, nil
	}
}

// Where nodes take fewer pods than a quota lets have devices, the quota decides nothing.
func TestAQuotaOfDevicesLeavesNothingOpenThatNodesDecide(t *testing.T) {
	class := gpuClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: limiting(corev1.ResourceName("gpu"+corev1.ResourceClaimsPerClass), "2")}}, testNode("n", "4"), class, aSlice("n", aDevice("gpu-0", "gpu")))
	got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", wantingGPU), Replicas: 3, Admittance: report.Admittance{Admitted: true}})
	if says := got.Sentence(); !strings.HasPrefix(says, "1 of 3 fit. The 2nd would be Pending: ") {
		t.Error(says)
	}
}

// What quotas count for devices is counted for ResourceClaims, under up to three names; for extended
// resources also for pods.
func TestFitCountsDevicesAsQuotasDo(t *testing.T) {
	const (
		ofClass  = corev1.ResourceName("gpu" + corev1.ResourceClaimsPerClass)
		implicit = corev1.ResourceName(corev1.ResourceImplicitExtendedClaimsPerClass + "gpu")
		explicit = corev1.ResourceName("requests.example.com/gpu")
	)
	fromTemplate := testPod("ml/infer", "", "1", claimingFrom("one-gpu"))
	extended := testPod("ml/infer", "", "1", wantingGPU)
	bound := "At least 1 of 2 fit; whether more do is unknown: kube-scheduler creates a ResourceClaim for extended resources of a pod that it binds"
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		of   corev1.ResourceName
		hard string
		says string
	}{
		"of a template, by class":                           {fromTemplate, ofClass, "1", "1 of 2 fit. The 2nd would be Pending: "},
		"of a template, by the name of its class":           {fromTemplate, implicit, "1", "1 of 2 fit. The 2nd would be Pending: "},
		"of a template, by the resource of its class":       {fromTemplate, explicit, "1", "1 of 2 fit. The 2nd would be Pending: "},
		"of a template, enough":                             {fromTemplate, explicit, "2", "2 of 2 fit."},
		"of another class":                                  {fromTemplate, "requests.example.com/tpu", "0", "2 of 2 fit."},
		"an extended resource":                              {extended, explicit, "1", "1 of 2 fit. The 2nd would not be created: "},
		"an extended resource, by class":                    {extended, ofClass, "1", bound},
		"an extended resource, by the name of its class":    {extended, implicit, "1", bound},
		"an extended resource, by claims":                   {extended, "count/resourceclaims.resource.k8s.io", "1", bound},
		"an extended resource, enough of all that it needs": {extended, ofClass, "2", "2 of 2 fit."},
	} {
		t.Run(name, func(t *testing.T) {
			class := gpuClass()
			class.Spec.ExtendedResourceName = new("example.com/gpu")
			e := startDevicesOf(t, Options{Lookups: Lookups{Quotas: limiting(test.of, test.hard)}},
				testNode("n", "4"), testNode("other", "4"), class, aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu")), oneGPU("ml/one-gpu"))
			got := mustFit(t, e, report.FitQuery{Pod: test.pod, Replicas: 2, Admittance: report.Admittance{Admitted: true}})
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if open := strings.HasPrefix(test.says, "At least"); open != (got.Fits == nil) {
				t.Errorf("%v fit, unknown %v", got.Fits, got.Unknown)
			}
			rejected := func(caveat string) bool {
				return strings.HasPrefix(caveat, "kube-apiserver would reject a ResourceClaim of that pod: ")
			}
			if caveat := slices.ContainsFunc(got.Scheduler.Caveats, rejected); caveat != strings.Contains(test.says, "would be Pending") {
				t.Errorf("caveats %q", got.Scheduler.Caveats)
			}
		})
	}
}

// A raised quota does not work for certain where another one may reject the claims of the pods.
func TestARaisedQuotaLeavesOpenWhatIsDecidedOncePodsExist(t *testing.T) {
	cpu := quotaOf(map[string]string{"requests.cpu": "20"}, map[string]string{"requests.cpu": "19500m"})
	other := func(name, hard string) corev1.ResourceQuota {
		quota := quotaOf(map[string]string{name: hard}, map[string]string{name: "0"})
		quota.Name = "other"
		return quota
	}
	class := gpuClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	for name, test := range map[string]struct {
		pod   func(*corev1.Pod)
		other corev1.ResourceQuota
		open  string // "": it works
	}{
		"devices of a class":            {wantingGPU, other("gpu"+corev1.ResourceClaimsPerClass, "1"), "unknown: kube-scheduler creates a ResourceClaim for extended resources"},
		"enough devices of a class":     {wantingGPU, other("gpu"+corev1.ResourceClaimsPerClass, "2"), ""},
		"storage":                       {scratch("csi"), other("requests.storage", "15Gi"), "unknown: kube-apiserver would reject a PersistentVolumeClaim of that pod: persistentvolumeclaims \"api-6c9-scratch\" is forbidden: exceeded quota: other"},
		"enough storage":                {scratch("csi"), other("requests.storage", "20Gi"), ""},
		"nothing that is decided later": {func(*corev1.Pod) {}, other("requests.storage", "0"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			rules := rules{quotas: []corev1.ResourceQuota{cpu, test.other}}
			e := startDevicesOf(t, rules.options(), testNode("n", "8"), rules.namespace(), class, aClass("csi", "csi.example.com"), aSlice("n", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu")))
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodsNotCreated(refusedPod("1", test.pod)), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			fix := r.Tried.Tried[0]
			said := slices.ContainsFunc(fix.Remaining, func(remains string) bool { return strings.HasPrefix(remains, test.open) })
			if fix.Verified != (test.open == "") || !fix.Verified && (!said || !fix.Open || len(r.Unknown) == 0) {
				t.Errorf("verified %v, remaining %q, unknown %v", fix.Verified, fix.Remaining, r.Unknown)
			}
		})
	}
}
