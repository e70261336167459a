package admission

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
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

// TestRaisedQuotasAdmitAllMissingPods, and nothing less than what they are raised to does.
func TestRaisedQuotasAdmitAllMissingPods(t *testing.T) {
	list := func(cpu, memory, pods string) corev1.ResourceList {
		return corev1.ResourceList{"requests.cpu": resource.MustParse(cpu), "requests.memory": resource.MustParse(memory), "pods": resource.MustParse(pods)}
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "pay", GenerateName: "api-"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("1Gi")}},
		}}},
	}
	j := &Judgement{Pod: pod, refused: &model.NotCreated{Missing: 4}, existing: []corev1.ResourceQuota{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "pay", Name: "team-pay"},
		Status:     corev1.ResourceQuotaStatus{Hard: list("3", "8Gi", "10"), Used: list("3", "6Gi", "6")},
	}}}
	raises, why := j.raises(nil)
	if why != "" || len(raises) != 1 || len(raises[0].limits) != 2 {
		t.Fatalf("raises %+v: %s", raises, why)
	}
	if n := created(pod, raised(j.existing, raises), 4); n != 4 {
		t.Errorf("the raised quota admits %d of 4 pods", n)
	}
	for _, limit := range raises[0].limits {
		quotas := raised(j.existing, raises)
		less := limit.needed()
		less.Sub(resource.MustParse("1m"))
		quotas[0].Status.Hard[limit.resource] = less
		if n := created(pod, quotas, 4); n != 3 {
			t.Errorf("with less %s it admits %d pods, want 3", limit.resource, n)
		}
	}
	if n := created(pod, raised(j.existing, nil), 1); n != 0 {
		t.Error("the quotas themselves are raised")
	}
}
