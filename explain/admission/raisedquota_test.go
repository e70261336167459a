package admission

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// quotaFor allows so much cpu, of which 19.5 are used.
func quotaFor(hard string) corev1.ResourceQuota {
	list := func(cpu string) corev1.ResourceList {
		return corev1.ResourceList{"requests.cpu": resource.MustParse(cpu)}
	}
	return corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "compute"},
		Spec:       corev1.ResourceQuotaSpec{Hard: list(hard)},
		Status:     corev1.ResourceQuotaStatus{Hard: list(hard), Used: list("19500m")},
	}
}

// TestRaisedQuotaAdmits is what a fix that raises a quota rests on.
func TestRaisedQuotaAdmits(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", GenerateName: "api-"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}},
		}}},
	}
	quota := quotaFor("20")
	rejections := quotasRefusing(pod, []corev1.ResourceQuota{quota})
	if len(rejections) != 1 || quotaAdmits(pod, []corev1.ResourceQuota{quota}) == nil {
		t.Fatalf("rejections %+v", rejections)
	}
	for _, test := range []struct {
		more   string
		admits bool
	}{{"0", true}, {"-1m", false}} {
		raised := rejections[0].hard.DeepCopy()
		raised.Add(rejections[0].short())
		raised.Add(resource.MustParse(test.more))
		if err := quotaAdmits(pod, []corev1.ResourceQuota{quotaFor(raised.String())}); (err == nil) != test.admits {
			t.Errorf("a quota of %s: %v", raised.String(), err)
		}
	}
}
