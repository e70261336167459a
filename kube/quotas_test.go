package kube

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
)

func TestQuotasAreThoseOfTheNamespace(t *testing.T) {
	ours := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "compute"}}
	theirs := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "compute"}}
	client := schedulerClient(t, "", ours, theirs)
	for range 2 { // the second answer is remembered
		got, err := client.Quotas(t.Context(), "dev")
		if err != nil || len(got) != 1 || got[0].Namespace != "dev" {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	if got := len(client.brief.(interface{ Actions() []clienttesting.Action }).Actions()); got != 1 {
		t.Errorf("asked the server %d times", got)
	}
}

func TestQuotasThatMayNotBeListedAreSaidToBe(t *testing.T) {
	_, err := schedulerClient(t, "resourcequotas").Quotas(t.Context(), "dev")
	if err == nil || err.Error() != "not allowed to list resourcequotas" {
		t.Errorf("got %v", err)
	}
}
