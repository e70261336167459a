package cluster

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestLeasesAreListedAnewAndQuotasAreRemembered(t *testing.T) {
	client := fake.NewClientset()
	asker := NewCachedReader(CachedReaderOptions{Client: client})
	counts := func() (quotas, leaders int) {
		t.Helper()
		listed, err := asker.Objects(t.Context(), "resourcequotas")
		if err != nil {
			t.Fatal(err)
		}
		held, err := asker.Objects(t.Context(), leases)
		if err != nil {
			t.Fatal(err)
		}
		return len(listed), len(held)
	}
	if quotas, leaders := counts(); quotas+leaders != 0 {
		t.Fatalf("%d quotas and %d Leases of an empty cluster", quotas, leaders)
	}
	_, err := client.CoreV1().ResourceQuotas("dev").Create(t.Context(), &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.CoordinationV1().Leases("kube-system").Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if quotas, leaders := counts(); quotas != 0 || leaders != 1 {
		t.Errorf("%d quotas and %d Leases soon after one of each was created, want what was remembered and 1", quotas, leaders)
	}
}

func TestLeasesOfOneNamespaceAreNotTakenForAll(t *testing.T) {
	if held, err := newTestCachedReader(t, "leases in all namespaces").Objects(t.Context(), leases); err == nil {
		t.Errorf("%d Leases of one namespace, want an error", len(held))
	}
}
