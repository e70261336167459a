// Package rollout says what a rolling update changed, where a pod of the new template is pending.
package rollout

import (
	"cmp"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// RevisionAnnotation is where the Deployment controller numbers the templates that a Deployment had
// (pkg/controller/deployment/util).
const RevisionAnnotation = "deployment.kubernetes.io/revision"

// Of is the rollout that a pod without a node is part of: pods of an older template of its workload still
// run, or none of its own template does and there was an older one. It is nil where there is none, where
// the pod is not of the newest template, and where templates cannot be read.
func Of(state *scheduler.State, pod *corev1.Pod) *report.Rollout {
	if scheduler.Assigned(pod) {
		return nil
	}
	return ByTemplate(state, pod)
}

// ByTemplate is Of for a pod that may have a node.
func ByTemplate(state *scheduler.State, pod *corev1.Pod) *report.Rollout {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return nil
	}
	switch owner.Kind {
	case "ReplicaSet":
		return ofDeployment(state, pod, owner)
	case "StatefulSet", "DaemonSet":
		return ofRevisions(state, pod, owner)
	}
	return nil
}

// ofDeployment compares the templates of the Deployment's ReplicaSets.
func ofDeployment(state *scheduler.State, pod *corev1.Pod, owner *metav1.OwnerReference) *report.Rollout {
	own, older := ReplicaSets(state, pod.Namespace, owner)
	if own == nil || len(older) == 0 {
		return nil
	}
	told := &report.Rollout{Workload: report.OwnerRef{Kind: "Deployment", Name: metav1.GetControllerOfNoCopy(own).Name}}
	count(told, state.Index.ControlledBy(own.UID))
	before := older[0]
	for _, set := range slices.Backward(older) {
		if running := running(state.Index.ControlledBy(set.UID)); running > 0 {
			before, told.Running = set, told.Running+running
		}
	}
	told.Previous = before.Name
	if !own.CreationTimestamp.IsZero() && !own.CreationTimestamp.Before(&before.CreationTimestamp) { // else it went back to a template that it had
		told.Since = &own.CreationTimestamp
	}
	told.Changes = changes(&before.Spec.Template, &own.Spec.Template, isCreated(state, pod))
	if old := newestRunning(state.Index.ControlledBy(before.UID)); old != nil { // admission may have set what templates leave out
		was, is := templateOf(old, owner.Kind), templateOf(pod, owner.Kind)
		was.Labels, is.Labels = before.Spec.Template.Labels, own.Spec.Template.Labels
		told.Changes = changes(was, is, isCreated(state, pod))
		markAdmission(told.Changes, &before.Spec.Template, &own.Spec.Template, isCreated(state, pod))
	}
	return told.Worth()
}

// isCreated says whether a pod exists.
func isCreated(state *scheduler.State, pod *corev1.Pod) bool {
	_, exists := state.Pods[pod.UID]
	return exists
}

// newestRunning is the newest of some pods that runs; nil where none does.
func newestRunning(pods []*corev1.Pod) (newest *corev1.Pod) {
	for _, pod := range pods {
		if runs(pod) && (newest == nil || cmp.Or(newest.CreationTimestamp.Compare(pod.CreationTimestamp.Time), cmp.Compare(pod.Name, newest.Name)) < 0) {
			newest = pod
		}
	}
	return newest
}

// ReplicaSets are the ReplicaSet of a Deployment that an owner reference names, and the older ones of that
// Deployment, the newest first; own is nil where it is not of the newest template, or not of a Deployment.
func ReplicaSets(state *scheduler.State, namespace string, owner *metav1.OwnerReference) (own *appsv1.ReplicaSet, older []*appsv1.ReplicaSet) {
	own, older = Siblings(state, namespace, owner)
	if own == nil || metav1.GetControllerOfNoCopy(own).Kind != "Deployment" || slices.ContainsFunc(older, func(set *appsv1.ReplicaSet) bool { return newer(set, own) < 0 }) {
		return nil, nil
	}
	slices.SortFunc(older, newer)
	return own, older
}

// Siblings are the ReplicaSet that an owner reference names and the others of its controller, in no order; own is nil
// where it cannot be read, or has no controller.
func Siblings(state *scheduler.State, namespace string, owner *metav1.OwnerReference) (own *appsv1.ReplicaSet, others []*appsv1.ReplicaSet) {
	sets := state.Listers.ReplicaSets.ReplicaSets(namespace)
	own, err := sets.Get(owner.Name)
	if err != nil || own.UID != owner.UID {
		return nil, nil
	}
	by := metav1.GetControllerOfNoCopy(own)
	if by == nil {
		return nil, nil
	}
	for _, set := range plugins.Everything(sets) {
		if set.UID != own.UID && metav1.IsControlledBy(set, &metav1.ObjectMeta{UID: by.UID}) {
			others = append(others, set)
		}
	}
	return own, others
}

// newer orders ReplicaSets by the revision of their template, the newest first; without revisions by their age.
func newer(a, b *appsv1.ReplicaSet) int {
	first, errA := strconv.ParseInt(a.Annotations[RevisionAnnotation], 10, 64)
	second, errB := strconv.ParseInt(b.Annotations[RevisionAnnotation], 10, 64)
	byAge := b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	if errA != nil || errB != nil {
		return cmp.Or(byAge, cmp.Compare(a.Name, b.Name))
	}
	return cmp.Or(cmp.Compare(second, first), byAge, cmp.Compare(a.Name, b.Name))
}

// ofRevisions compares pods of two revisions of a StatefulSet or DaemonSet: no informer holds their older
// templates.
func ofRevisions(state *scheduler.State, pod *corev1.Pod, owner *metav1.OwnerReference) *report.Rollout {
	revision := pod.Labels[appsv1.ControllerRevisionHashLabelKey]
	if revision == "" || !isNewest(state, pod, owner, revision) {
		return nil
	}
	told := &report.Rollout{Workload: report.OwnerRef{Kind: owner.Kind, Name: owner.Name}}
	var same, others []*corev1.Pod
	for _, other := range state.Index.ControlledBy(owner.UID) {
		switch hash := other.Labels[appsv1.ControllerRevisionHashLabelKey]; {
		case hash == revision:
			same = append(same, other)
		case hash != "" && runs(other):
			told.Running++
			others = append(others, other)
		}
	}
	before := newestRunning(others)
	if before == nil || owner.Kind == "DaemonSet" && pod.CreationTimestamp.Before(&before.CreationTimestamp) {
		return nil
	}
	count(told, same)
	told.Previous = before.Labels[appsv1.ControllerRevisionHashLabelKey]
	told.Changes = changes(templateOf(before, owner.Kind), templateOf(pod, owner.Kind), isCreated(state, pod))
	return told.Worth()
}

// isNewest says whether a StatefulSet updates its pods to that revision; of a DaemonSet it is not known.
func isNewest(state *scheduler.State, pod *corev1.Pod, owner *metav1.OwnerReference, revision string) bool {
	if owner.Kind != "StatefulSet" {
		return true
	}
	set, err := state.Listers.StatefulSets.StatefulSets(pod.Namespace).Get(owner.Name)
	return err == nil && set.UID == owner.UID && set.Status.UpdateRevision == revision
}

// templateOf is a pod's template as far as the pod shows it: without what its controller makes different for
// each of its pods.
func templateOf(pod *corev1.Pod, kind string) *corev1.PodTemplateSpec {
	template := &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: *labelkeys.Unmerged(&pod.Spec)}
	switch kind {
	case "DaemonSet": // its controller adds the node's name to each term (ReplaceDaemonSetPodNodeNameNodeAffinity)
		if affinity := template.Spec.Affinity; affinity != nil {
			affinity.NodeAffinity = nil
		}
	case "StatefulSet": // the names of its claims end in the pod's
		template.Spec.Volumes = slices.DeleteFunc(template.Spec.Volumes, func(v corev1.Volume) bool {
			return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == v.Name+"-"+pod.Name
		})
	}
	return template
}

// runs says whether a pod has a node and neither ended nor ends.
func runs(pod *corev1.Pod) bool {
	return scheduler.Assigned(pod) && !scheduler.Terminal(pod) && pod.DeletionTimestamp == nil
}

func running(pods []*corev1.Pod) (count int) {
	for _, pod := range pods {
		if runs(pod) {
			count++
		}
	}
	return count
}

// count counts the pods of the new template.
func count(told *report.Rollout, pods []*corev1.Pod) {
	for _, pod := range pods {
		switch {
		case scheduler.Terminal(pod) || pod.DeletionTimestamp != nil:
		case scheduler.Assigned(pod):
			told.New++
		default:
			told.Pending++
		}
	}
}
