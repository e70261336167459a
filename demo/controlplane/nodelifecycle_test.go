package controlplane

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

func TestOnlyASilentKubeletsLeaseGrowsOld(t *testing.T) {
	informer := informers.NewSharedInformerFactory(fake.NewClientset(), 0).Coordination().V1().Leases()
	long := metav1.NewMicroTime(time.Now().Add(-time.Hour))
	for _, name := range []string{"late", "silent"} {
		err := informer.Informer().GetStore().Add(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: name}, Spec: coordinationv1.LeaseSpec{RenewTime: &long},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	leases := heartbeats{informer, func(node string) bool { return node != "silent" }}.Lister().Leases(corev1.NamespaceNodeLease)
	for _, c := range []struct {
		node  string
		grows bool
	}{{"late", false}, {"never", false}, {"silent", true}} {
		var times []metav1.MicroTime
		for range 2 {
			lease, err := leases.Get(c.node)
			if err != nil {
				t.Fatalf("%s: %v", c.node, err)
			}
			times = append(times, *lease.Spec.RenewTime)
		}
		if grows := times[0].Equal(&times[1]); grows != c.grows {
			t.Errorf("the Lease of %s was renewed at %v", c.node, times)
		}
	}
}
