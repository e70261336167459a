package controlplane

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// Duration in seconds of the Lease of the scheduler, and its renewal period;
// kube-scheduler renews it every 2 s.
const (
	leaseHolds = 15
	leaseRenew = 5 * time.Second
)

// lead holds the Lease that shows that the scheduler is running.
func (p *Plane) lead(ctx context.Context) {
	leases := p.store.Client(ctx, api.Writes).CoordinationV1().Leases(metav1.NamespaceSystem)
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		now := metav1.NowMicro()
		lease, err := leases.Get(ctx, "kube-scheduler", metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			_, _ = leases.Create(ctx, &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: "kube-scheduler"},
				Spec: coordinationv1.LeaseSpec{
					HolderIdentity: new("in-this-process"), LeaseDurationSeconds: new(int32(leaseHolds)), AcquireTime: &now, RenewTime: &now,
				},
			}, metav1.CreateOptions{})
		case err == nil:
			lease.Spec.RenewTime = &now
			_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{}) // a failure is repaired by the next renewal
		}
	}, leaseRenew)
}
