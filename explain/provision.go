package explain

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// provision adds what autoscalers of nodes could do for a pod that no node takes.
func (x *explanation) provision(ctx context.Context, state *provisioning.State) error {
	if v := x.report.Verdict; state == nil || v != report.Unschedulable && v != report.Unknown {
		return nil
	}
	return x.profile.Scheduler.State.Guard(func() error {
		var failed error
		x.report.Provisioning = provisioning.Judge(state, &provisioning.Question{
			Pod: x.question.Pod, Requests: requested(x.report.Pod.Requests), Volumes: provisioning.PlacesOf(x.question),
			Words: x.report.Autoscaler, Now: x.question.Now,
			Fits: func(claim *provisioning.NodeClaim) (*bool, string) {
				fits, why, err := x.fitsOnceReady(ctx, claim)
				if err != nil {
					failed = err
				}
				return fits, why
			},
		})
		return failed
	})
}

// requested are requests as quantities.
func requested(requests map[string]string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, amount := range requests {
		if q, err := resource.ParseQuantity(amount); err == nil {
			list[corev1.ResourceName(name)] = q
		}
	}
	return list
}

// fitsOnceReady asks the scheduler's plugins whether the pod would fit the node of a NodeClaim
// that is Ready, with the pods of DaemonSets and those that are on it, and why not.
func (x *explanation) fitsOnceReady(ctx context.Context, claim *provisioning.NodeClaim) (fits *bool, why string, err error) {
	s, node := x.profile.Scheduler, readyNode(claim)
	fork := s.State.Fork()
	defer fork.Revert()
	coming := placement.OnItsWay{Node: node, Startup: claim.StartupTaints, Mates: func(other *corev1.Node) bool {
		return claim.NodePool != "" && other.Labels[provisioning.NodePoolLabel] == claim.NodePool
	}}
	mated, err := coming.Simulate(ctx, s, fork)
	if err != nil {
		return nil, err.Error(), nil
	}
	pod := placement.AsNewPod(x.question.Pod)
	m, err := x.profile.EvaluateNodes(ctx, pod, node.Name)
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(m.Nodes, func(n fwk.NodeInfo) bool { return n.Node().Name == node.Name })
	if i < 0 {
		return nil, "", nil
	}
	q := x.profile.Question(pod)
	var clauses []string
	for k := range m.Answers {
		if m.Rejects(k, i) != nil {
			clauses = append(clauses, plugins.Tell(q, []plugins.NodeRejection{m.Rejection(k, i)}).Short)
		}
	}
	fits = m.Fits(i)
	switch {
	case fits == nil:
		return nil, placement.WhyUnread(m.Unknown()), nil
	case !*fits && !mated && len(plugins.PodClaims(q)) > 0:
		return nil, "no node of its NodePool shows which storage drivers run there", nil
	}
	return fits, strings.Join(clauses, ", "), nil
}

// readyNode is the node of a NodeClaim as it would be once it is Ready.
func readyNode(claim *provisioning.NodeClaim) *corev1.Node {
	name := claim.Node
	if name == "" {
		name = claim.Name
	}
	labels := map[string]string{corev1.LabelHostname: name}
	maps.Copy(labels, claim.Labels)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node of " + claim.Name), Labels: labels},
		Spec:       corev1.NodeSpec{Taints: claim.Taints},
		Status: corev1.NodeStatus{
			Allocatable: claim.Allocatable, Capacity: claim.Allocatable,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}
