package summary

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// olderPodsWords say that nodes reject the pod for older pods of its own Deployment alone, which a rolling
// update stops only as new ones get ready; "" otherwise.
func olderPodsWords(q *podQuestion, g *report.Group) string {
	const most = 200 // nodes that are looked at
	set := replicaSet(q, q.Pod)
	if set == nil || len(g.Nodes) == 0 || len(g.Nodes) > most || g.OverAllNodes() {
		return ""
	}
	older := func(pod *corev1.Pod) bool {
		of := replicaSet(q, pod)
		return of != nil && pod.DeletionTimestamp == nil && of.CreationTimestamp.Before(&set.CreationTimestamp) &&
			metav1.GetControllerOfNoCopy(of).UID == metav1.GetControllerOfNoCopy(set).UID
	}
	for _, name := range g.Nodes {
		node, err := q.Nodes.NodeInfos().Get(name)
		if err != nil {
			return ""
		}
		pods, only := blockers(q, g, node)
		if !only || len(pods) == 0 || slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return !older(pod) }) {
			return ""
		}
	}
	return "These are older pods of its own Deployment, kept until a new one is ready unless maxUnavailable lets some stop first."
}

// blockers are the pods on a node, or in its topology domains, for whose host ports or anti-affinity
// it rejects the pod; only is false where it does for anything else.
func blockers(q *podQuestion, g *report.Group, node fwk.NodeInfo) (pods []*corev1.Pod, only bool) {
	for i := range g.Rejections {
		switch g.Rejections[i].Plugin {
		case names.NodePorts:
			for _, port := range plugins.TakenPorts(q.Pod, node) {
				for _, holder := range plugins.Holders(node, port) {
					pods = append(pods, holder.Pod)
				}
			}
		case names.InterPodAffinity:
			for _, clash := range plugins.Clashes(q.Question, plugins.NodeRejection{Node: node}) {
				if clash.Rule == plugins.Together {
					return nil, false
				}
				pods = append(pods, clash.Pods...)
			}
		default:
			return nil, false
		}
	}
	return pods, true
}

// replicaSet is that of a Deployment which the pod is of; nil where it is of none.
func replicaSet(q *podQuestion, pod *corev1.Pod) *appsv1.ReplicaSet {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || owner.Kind != "ReplicaSet" {
		return nil
	}
	of, err := q.Listers.ReplicaSets.ReplicaSets(pod.Namespace).Get(owner.Name)
	if err != nil || of.UID != owner.UID {
		return nil
	}
	if by := metav1.GetControllerOfNoCopy(of); by == nil || by.Kind != "Deployment" {
		return nil
	}
	return of
}
