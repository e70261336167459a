package forecast

import (
	"context"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/controller/daemon"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// findDaemonPods finds the pods that DaemonSets create for the nodes that a fix changes: those
// that the controller keeps off them now, by their taints or labels.
func findDaemonPods(ctx context.Context, f *forecasting) error {
	if len(f.trial.trial.Nodes) == 0 {
		return nil
	}
	changed := map[string]*corev1.Node{}
	after := stateAfter(f, nil, len(changesOf(f)))
	err := f.scheduler.Hold(ctx, after, func() error {
		for _, name := range f.trial.trial.Nodes {
			if info, err := f.scheduler.State.NodeInfos().Get(name); err == nil {
				changed[name] = info.Node()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.scheduler.Hold(ctx, nil, func() error {
		for _, set := range daemonSets(f.scheduler) {
			for _, name := range f.trial.trial.Nodes {
				now, then := f.scheduler.State.Nodes[name], changed[name]
				if now != nil && then != nil && !set.on[name] && set.comes(f, now, then) {
					f.daemonPods = append(f.daemonPods, placement.DaemonPod(set.pod, name))
				}
			}
		}
		return nil
	})
}

// daemonSet is what is known of a DaemonSet by its pods. It is not read itself.
type daemonSet struct {
	pod *corev1.Pod     // one of them
	on  map[string]bool // the nodes for which it has created pods
}

// daemonSets are those that have pods, in a stable order.
func daemonSets(s *scheduler.Scheduler) []*daemonSet {
	found := map[types.UID]*daemonSet{}
	for pod := range s.State.Index.OfDaemonSets() {
		owner := metav1.GetControllerOfNoCopy(pod)
		set := found[owner.UID]
		if set == nil {
			set = &daemonSet{on: map[string]bool{}}
			found[owner.UID] = set
		}
		set.on[placement.TargetNode(pod)] = true
		if set.pod == nil || plugins.FullName(pod) < plugins.FullName(set.pod) {
			set.pod = pod
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *daemonSet) int {
		return strings.Compare(plugins.FullName(a.pod), plugins.FullName(b.pod))
	})
}

// comes reports whether the DaemonSet creates a pod for a node after a change, by its
// controller's own rules. Its required node affinity is not in its pods, for the controller puts
// the name of the node in its place: so a change of labels may bring a pod that seems to belong
// there before.
func (d *daemonSet) comes(f *forecasting, before, after *corev1.Node) bool {
	template := templateOf(d.pod)
	if should, _ := daemon.NodeShouldRunDaemonPod(f.scheduler.State.Logger, after, template); !should {
		return false
	}
	should, _ := daemon.NodeShouldRunDaemonPod(f.scheduler.State.Logger, before, template)
	return !should || !maps.Equal(before.Labels, after.Labels)
}

// templateOf is a DaemonSet as far as one of its pods tells: without the required node affinity.
func templateOf(pod *corev1.Pod) *appsv1.DaemonSet {
	template := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace}}
	template.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: *pod.Spec.DeepCopy()}
	template.Spec.Template.Spec.NodeName = ""
	if affinity := template.Spec.Template.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil {
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
	}
	return template
}

// keptOff reports whether a DaemonSet creates no pod again on the node of this one, as where a
// taint has come later that it does not tolerate.
func keptOff(f *forecasting, pod *corev1.Pod) bool {
	node := f.scheduler.State.Nodes[pod.Spec.NodeName]
	for _, supposed := range f.supposed.Nodes {
		if supposed.Name == pod.Spec.NodeName {
			node = supposed
		}
	}
	if node == nil {
		return false
	}
	should, _ := daemon.NodeShouldRunDaemonPod(f.scheduler.State.Logger, node, templateOf(pod))
	return !should
}
