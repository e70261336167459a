package named

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAWrongNameOfAPodIsNearOthers(t *testing.T) {
	b := model.NewBuilder()
	for _, pod := range []struct {
		namespace, generate, suffix string
		phase                       corev1.PodPhase
	}{
		{"shop", "checkout-6f7d9c5b4-", "x2k8p", corev1.PodRunning},
		{"shop", "checkout-6f7d9c5b4-", "qq7vd", corev1.PodPending},
		{"shop", "", "index-0", corev1.PodRunning},
		{"shop", "", "index-9", corev1.PodFailed},
		{"data", "", "etl", corev1.PodPending},
		{"data", "", "n-1", corev1.PodPending},
		{"data", "", "n-2", corev1.PodPending},
		{"data", "", "n-3", corev1.PodPending},
		{"data", "", "n-4", corev1.PodPending},
	} {
		b.Pod(nil, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.namespace, Name: pod.generate + pod.suffix, GenerateName: pod.generate},
			Status:     corev1.PodStatus{Phase: pod.phase},
		})
	}
	s := b.Build(1, model.Status{}, nil)
	for _, c := range []struct {
		about, namespace, name string
		want                   []string
	}{
		{"a replica that was replaced", "shop", "checkout-6f7d9c5b4-zzzzz", []string{"shop/checkout-6f7d9c5b4-qq7vd", "shop/checkout-6f7d9c5b4-x2k8p"}},
		{"a typo", "shop", "idnex-0", []string{"shop/index-0"}},
		{"a typo without a namespace", "", "elt", []string{"data/etl"}},
		{"a typo of a pod in another namespace", "shop", "elt", nil},
		{"as near to four", "data", "n-5", nil},
		{"nothing like it", "shop", "frontend", nil},
	} {
		var got []string
		for _, pod := range (Pod{namespace: c.namespace, name: c.name}).near(s) {
			got = append(got, pod.FullName())
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.about, got, c.want)
		}
	}
}
