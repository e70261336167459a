package placement

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// NewNodes are count further nodes like one that exists, with the pods of its DaemonSets
// that the plugins let on them. change is made to each before. The scheduler is held.
func NewNodes(ctx context.Context, s *scheduler.Scheduler, like string, count int, change func(*corev1.Node)) ([]scheduler.NewNode, error) {
	old := s.State.Nodes[like]
	if old == nil {
		return nil, fmt.Errorf("add a node like %s: no such node", like)
	}
	fork := s.State.Fork()
	defer fork.Revert()
	var added []scheduler.NewNode
	for n := 1; len(added) < count; n++ {
		name := fmt.Sprintf("new-node-%d", n)
		if s.State.Nodes[name] != nil {
			continue
		}
		one := scheduler.NewNode{Node: model.NodeLike(old, name), Like: like}
		change(one.Node)
		if err := fork.AddNode(one); err != nil {
			return nil, err
		}
		for _, pod := range daemonPods(s, like, name) {
			t, err := s.FittingNodes(ctx, pod, []string{name})
			if err != nil {
				return nil, fmt.Errorf("try pod %s on %s: %w", plugins.FullName(pod), name, err)
			}
			if len(t.Names) == 0 && !t.Open {
				continue
			}
			if err := fork.AddPod(pod, name); err != nil {
				return nil, err
			}
			one.Pods = append(one.Pods, pod)
		}
		added = append(added, one)
	}
	return added, nil
}

// daemonPods are the pods that DaemonSets would create for a new node, by those that they
// have created for the node that it is like: the most important first.
func daemonPods(s *scheduler.Scheduler, like, name string) []*corev1.Pod {
	made := map[types.UID]*corev1.Pod{}
	for pod := range s.State.Index.OfDaemonSets() {
		if TargetNode(pod) != like {
			continue
		}
		owner := metav1.GetControllerOfNoCopy(pod)
		if known := made[owner.UID]; known == nil || known.CreationTimestamp.Before(&pod.CreationTimestamp) {
			made[owner.UID] = pod
		}
	}
	pods := slices.SortedFunc(maps.Values(made), func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)), strings.Compare(plugins.FullName(a), plugins.FullName(b)))
	})
	for i, pod := range pods {
		pods[i] = DaemonPod(pod, name)
	}
	return pods
}

// DaemonPod is the pod that a DaemonSet would create for a node, by one that it has created for
// another one.
func DaemonPod(like *corev1.Pod, node string) *corev1.Pod {
	pod := AsNewPod(like).DeepCopy()
	pod.Name = metav1.GetControllerOfNoCopy(like).Name + "-" + node
	pod.UID = types.UID("of a DaemonSet: " + like.Namespace + "/" + pod.Name)
	pod.Spec.Affinity = util.ReplaceDaemonSetPodNodeNameNodeAffinity(pod.Spec.Affinity, node)
	pod.DeletionTimestamp = nil
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return pod
}

// TargetNode is the node that a pod of a DaemonSet is on, or was created for; "" where it
// does not say.
func TargetNode(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	name, err := util.GetTargetNodeName(pod)
	if err != nil {
		return ""
	}
	return name
}
