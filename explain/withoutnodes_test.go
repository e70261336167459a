package explain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestWithoutNodesClaimsAndQuotasAreTold(t *testing.T) {
	mounting := func(claims ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			for _, name := range claims {
				p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
				}})
			}
		}
	}
	pod := aPod("web", "1", mounting("data", "logs", "gone"))
	claim := func(name, volume string, phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				VolumeName: volume, StorageClassName: new("fast"),
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}},
			},
			Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
	}
	quota := corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "compute"},
		Status: corev1.ResourceQuotaStatus{
			Hard: corev1.ResourceList{"requests.cpu": resource.MustParse("20"), "pods": resource.MustParse("10")},
			Used: corev1.ResourceList{"requests.cpu": resource.MustParse("19500m"), "pods": resource.MustParse("3")},
		},
	}
	for _, test := range []struct {
		says      string
		forbidden []string
		quotas    []corev1.ResourceQuota
		err       error
		want      []string
	}{
		{"claims and what is left of a quota", []string{"nodes"}, []corev1.ResourceQuota{quota}, nil, []string{
			"Claim default/data is bound to volume pv-1, class fast.",
			"Claim default/logs is Pending: it requests 10Gi, class fast.",
			"Claim default/gone does not exist.",
			"ResourceQuota default/compute, used: pods 3 of 10, requests.cpu 19500m of 20.",
		}},
		{"that there is no quota", []string{"nodes"}, nil, nil, []string{"Namespace default has no ResourceQuota."}},
		{"what may not be read either", []string{"nodes", "persistentvolumeclaims"}, nil, errors.New("not allowed to list resourcequotas"), []string{
			"Its claims are unknown: not allowed to list persistentvolumeclaims.",
			"The quotas of namespace default are unknown: not allowed to list resourcequotas.",
		}},
	} {
		t.Run(test.says, func(t *testing.T) {
			options := Options{Lookups: Lookups{Quotas: func(context.Context, string) ([]corev1.ResourceQuota, error) { return test.quotas, test.err }}}
			e := startEngineForbidding(t, options, test.forbidden, pod, claim("data", "pv-1", corev1.ClaimBound), claim("logs", "", corev1.ClaimPending))
			r := mustExplain(t, e, pod)
			if r.Verdict != report.Unknown {
				t.Errorf("verdict %s", r.Verdict)
			}
			for _, fact := range test.want {
				fact = strings.ReplaceAll(fact, "default", pod.Namespace)
				if !slices.Contains(r.Facts, fact) {
					t.Errorf("%q is not among\n%s", fact, strings.Join(r.Facts, "\n"))
				}
			}
		})
	}
}
