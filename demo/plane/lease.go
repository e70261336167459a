package plane

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// How long the scheduler's Lease holds, and how often it is renewed; kube-scheduler
// renews every 2 s.
const (
	leaseHolds = 15
	leaseRenew = 5 * time.Second
)

// lead holds the Lease by which one knows that the scheduler lives.
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
			_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{}) // else with the next
		}
	}, leaseRenew)
}
