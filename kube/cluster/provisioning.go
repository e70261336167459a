package cluster

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	reader "github.com/kubectl-fathom/kubectl-fathom/kube/provisioning"
)

// Provisioning is what autoscalers of nodes say of themselves in objects, with the NodeClaims
// that their messages about a pod name, at most 15 s late; nil without any. Nothing is asked
// where nothing shows that there is one: no API group, no event, no node, no pod of it.
func (a *CachedReader) Provisioning(ctx context.Context, about []report.AutoscalerWord) *provisioning.State {
	if a.options.Dynamic == nil {
		return nil
	}
	from := reader.Reader{Dynamic: a.options.Dynamic, Core: a.options.Client, Words: a.options.Words}
	found, _ := a.autoscalers.state.of(ctx, "", func() *provisioning.State {
		karpenter, cluster := autoscalerSigns(ctx, a)
		state := &provisioning.State{}
		if karpenter {
			state.Karpenter = from.Karpenter(ctx)
		}
		if cluster {
			state.ClusterAutoscaler = from.ClusterAutoscaler(ctx)
		}
		return state
	})
	if found == nil || found.Karpenter == nil && found.ClusterAutoscaler == nil {
		return nil
	}
	names := provisioning.Nominated(about)
	if found.Karpenter == nil || len(names) == 0 {
		return found
	}
	state, karpenter := *found, *found.Karpenter
	state.Karpenter = &karpenter
	for _, name := range names {
		claim, ok := a.autoscalers.claims.of(ctx, name, func() provisioning.NodeClaim { return from.NodeClaim(ctx, name) })
		if ok {
			karpenter.Claims = append(karpenter.Claims, claim)
		}
	}
	return &state
}

// appName is the label of pods that names their program, by the recommended labels of Kubernetes.
const appName = "app.kubernetes.io/name"

// runsKarpenter reports whether one of the pods that are read is Karpenter's, as its Helm chart labels them.
func runsKarpenter(held *Held) bool {
	return held != nil && held.Pods != nil && slices.ContainsFunc(held.Pods(), func(pod *corev1.Pod) bool {
		return pod.Labels[appName] == provisioning.KarpenterName
	})
}

// autoscalerSigns reports whether anything shows that the cluster has Karpenter, or Cluster
// Autoscaler: the API groups where they are known, events that they wrote, nodes, and Karpenter's own
// pods, which show one that has no NodePool yet.
func autoscalerSigns(ctx context.Context, a *CachedReader) (karpenter, cluster bool) {
	said := messagesOf(ctx, a)
	karpenter = said.by[provisioning.KarpenterName] || said.by[provisioning.AutoModeName]
	cluster = said.by[provisioning.ClusterName]
	held := a.held.Load()
	if held != nil && held.Nodes != nil {
		for _, node := range held.Nodes() {
			_, of := node.Labels[provisioning.NodePoolLabel]
			karpenter = karpenter || of
			cluster = cluster || slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
				return taint.Key == provisioning.ToBeDeleted || taint.Key == provisioning.DeletionCandidate
			})
		}
	}
	karpenter = karpenter || runsKarpenter(held)
	var groups *metav1.APIGroupList
	switch {
	case held != nil && held.Groups != nil:
		groups = held.Groups
	case !karpenter && said.unread: // nothing else tells, and it is asked for once
		groups = AskGroups(ctx, a)
	}
	if groups != nil {
		karpenter = slices.ContainsFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == reader.Group })
	}
	return karpenter, cluster
}
