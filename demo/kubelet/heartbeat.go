package kubelet

import (
	"context"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// renewLeases renews the Leases of all nodes that are not silent, until ctx ends.
func (k *Kubelets) renewLeases(ctx context.Context) {
	ticker := k.Clock.NewTicker(k.Heartbeat)
	defer ticker.Stop()
	for {
		for _, object := range k.nodes.GetStore().List() {
			if ctx.Err() != nil {
				return
			}
			if node, ok := object.(*corev1.Node); ok && !k.Silence.Of(node.Name) {
				k.renew(ctx, node)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
	}
}

// renew renews the Lease of a node and reports it Ready. A failure is repaired by the
// next heartbeat.
func (k *Kubelets) renew(ctx context.Context, node *corev1.Node) {
	leases := k.Client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	now := metav1.NewMicroTime(k.Clock.Now())
	lease, err := leases.Get(ctx, node.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, _ = leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: node.Name},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &node.Name, RenewTime: &now, LeaseDurationSeconds: new(int32(4 * k.Heartbeat / time.Second)),
			},
		}, metav1.CreateOptions{})
	case err == nil:
		lease.Spec.RenewTime = &now
		_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	is := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"}
	if k.failed.Of(node.Name) {
		is.Status, is.Reason, is.Message = corev1.ConditionFalse, "KubeletNotReady", "container runtime is down"
	}
	if !isReady(node, is.Status) {
		k.reportReady(ctx, node, is)
	}
}

func isReady(node *corev1.Node, status corev1.ConditionStatus) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == status
	})
}

// reportReady sets the conditions that a kubelet reports; is is the Ready condition.
// Other conditions, such as a pressure that was set before, stay.
func (k *Kubelets) reportReady(ctx context.Context, node *corev1.Node, is corev1.NodeCondition) {
	reported := node.DeepCopy()
	now := metav1.NewTime(k.Clock.Now()).Rfc3339Copy()
	for _, condition := range []corev1.NodeCondition{
		is,
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
	} {
		condition.LastHeartbeatTime, condition.LastTransitionTime = now, now
		at := slices.IndexFunc(reported.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == condition.Type })
		switch {
		case at < 0:
			reported.Status.Conditions = append(reported.Status.Conditions, condition)
		case condition.Type == corev1.NodeReady || reported.Status.Conditions[at].Status == corev1.ConditionUnknown:
			reported.Status.Conditions[at] = condition
		}
	}
	_, _ = k.Client.CoreV1().Nodes().UpdateStatus(ctx, reported, metav1.UpdateOptions{})
}
