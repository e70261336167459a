package command

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// spreading is how a change of a template reaches the pods.
type spreading int

const (
	none     spreading = iota // there is no template: the pod is on its own
	rolled                    // the controller replaces them one after the other
	stuck                     // it would, but waits for the pod, which has to go first
	newOnly                   // only pods that are made later have it: the pod has to go
	remade                    // the template never changes: the controller is made again
	notKnown                  // whose the pod is cannot be found out, or changed
)

// workload is what a pod comes from: the controller whose template would have to
// change, and how many pods that concerns.
type workload struct {
	pod      *corev1.Pod
	kind     string // "Deployment"; "" where the pod is on its own
	name     string
	template *corev1.PodSpec // nil where only the pod tells
	spreads  spreading
	before   []*corev1.Pod // stuck: other pods that it waits for too
	run      int           // of its pods, this one counted
	wait     int
	ended    int
	others   []*corev1.Pod // those that run or wait, without this one
	atOnce   bool          // its Deployment makes no new pods beside the old ones
	facts    *Facts        // of its Deployment or Job; nil where they were not asked for
	why      string        // notKnown: why
	revision int64         // of the state that the pods were counted in
}

// What the Deployment controller notes on a ReplicaSet: how many pods are wanted, and how many
// may be there during a rolling update (pkg/controller/deployment/util).
const (
	desiredReplicas = "deployment.kubernetes.io/desired-replicas"
	maxReplicas     = "deployment.kubernetes.io/max-replicas"
)

// ref is how kubectl names it: "deployment/checkout".
func (w *workload) ref() string { return strings.ToLower(w.kind) + "/" + w.name }

// pods words how many of its pods run and are pending: "2 running, 3 pending".
func (w *workload) pods() string {
	var parts []string
	for _, part := range []struct {
		count int
		state string
	}{{w.run, "running"}, {w.wait, "pending"}, {w.ended, "finished"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.state))
		}
	}
	return strings.Join(parts, ", ")
}

// Defaulted are the containers of a pod whose request of a resource a LimitRange set, as their template,
// which was read, states none; and the other pods of its workload. What an admission webhook may have
// set is not among it.
func (m *Maker) Defaulted(pod *corev1.Pod, name corev1.ResourceName) (containers []string, others []*corev1.Pod) {
	names := model.LimitRangeDefaulted(pod, name)
	if len(names) == 0 {
		return nil, nil
	}
	w := m.known(pod)
	if w.template == nil {
		return nil, nil
	}
	for _, c := range w.template.Containers {
		if _, stated := c.Resources.Requests[name]; !stated && slices.Contains(names, c.Name) {
			containers = append(containers, c.Name)
		}
	}
	return containers, w.others
}

// workloadOf finds whose template the pod is made from.
func (m *Maker) workloadOf(pod *corev1.Pod) *workload {
	w := &workload{pod: pod}
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return w
	}
	w.kind, w.name = owner.Kind, owner.Name
	owners := []types.UID{owner.UID}
	switch group, _, _ := strings.Cut(owner.APIVersion, "/"); group + " " + owner.Kind {
	case "apps ReplicaSet":
		owners = m.ofReplicaSet(w, owner)
	case "apps StatefulSet":
		m.ofStatefulSet(w, owner)
	case "v1 ReplicationController":
		m.ofReplicationController(w, owner)
	case "apps DaemonSet":
		w.spreads = rolled
	case "batch Job":
		w.spreads, w.facts = remade, m.Facts
	case "v1 Node":
		w.cannot("it is a static pod: its manifest is on node %s", owner.Name)
	default:
		w.cannot("it belongs to %s %s, whose template is unknown", owner.Kind, owner.Name)
	}
	if w.spreads != notKnown {
		m.countPods(w, owners)
	}
	return w
}

// NewTemplate is the label that tells pods of the template that steps make from those of the present one, where selectors of
// the pod are about it; "" where they are not, or where the steps change no template.
func NewTemplate(m *Maker, pod *corev1.Pod, steps []remedy.Step) string {
	changes := slices.ContainsFunc(steps, func(step remedy.Step) bool {
		_, ungates := step.(remedy.Ungate)
		return remedy.ChangesPod(step) && !ungates
	})
	if !changes || scheduler.Assigned(pod) {
		return ""
	}
	label := appsv1.ControllerRevisionHashLabelKey
	switch m.known(pod).kind {
	case "Deployment":
		label = appsv1.DefaultDeploymentUniqueLabelKey
	case "StatefulSet", "DaemonSet":
	default:
		return ""
	}
	if pod.Labels[label] == "" || !labelkeys.Names(&pod.Spec, label) {
		return ""
	}
	return label
}

// cannot notes why the template cannot be changed.
func (w *workload) cannot(format string, args ...any) {
	w.spreads, w.why = notKnown, fmt.Sprintf(format, args...)
}

// found tells whether the pod's controller was read and is the one that the pod
// names, and notes what it means if not.
func (m *Maker) found(w *workload, owner *metav1.OwnerReference, resource string, object metav1.Object, err error) bool {
	switch {
	case !m.Scheduler.State.Listers.Readable(resource):
		w.cannot("%s, so its workload is unknown", m.Scheduler.Forbidden[resource])
	case apierrors.IsNotFound(err) || err == nil && object.GetUID() != owner.UID:
		w.cannot("its %s %s no longer exists", owner.Kind, owner.Name)
	case err != nil:
		w.cannot("its %s %s could not be read", owner.Kind, owner.Name)
	default:
		return true
	}
	return false
}

// ofReplicaSet goes on to the Deployment behind it, and returns the UIDs of all
// the ReplicaSets whose pods that concerns.
func (m *Maker) ofReplicaSet(w *workload, owner *metav1.OwnerReference) []types.UID {
	sets := m.Scheduler.State.Listers.ReplicaSets.ReplicaSets(w.pod.Namespace)
	set, err := sets.Get(owner.Name)
	if !m.found(w, owner, "replicasets", set, err) {
		return nil
	}
	w.template, w.spreads = &set.Spec.Template.Spec, newOnly
	deployment := metav1.GetControllerOfNoCopy(set)
	if deployment == nil {
		return []types.UID{set.UID}
	}
	if deployment.Kind != "Deployment" || !strings.HasPrefix(deployment.APIVersion, "apps/") {
		w.cannot("its ReplicaSet belongs to %s %s, whose template is unknown", deployment.Kind, deployment.Name)
		return nil
	}
	w.kind, w.name, w.spreads = deployment.Kind, deployment.Name, rolled
	most := set.Annotations[maxReplicas]
	w.atOnce = most != "" && most == set.Annotations[desiredReplicas]
	w.ofDeployment(m.Facts)
	var owners []types.UID
	for _, other := range plugins.Everything(sets) {
		if by := metav1.GetControllerOfNoCopy(other); by != nil && by.UID == deployment.UID {
			owners = append(owners, other.UID)
		}
	}
	return owners
}

// ofDeployment notes how the Deployment replaces its pods, as far as it was read.
func (w *workload) ofDeployment(facts *Facts) {
	switch w.facts = facts; {
	case facts == nil || facts.Unread != "":
	case facts.Gone:
		w.cannot("its Deployment %s no longer exists", w.name)
	case facts.Paused:
		w.cannot("%s is paused: its pods get a change only after it is resumed", w.ref())
	default:
		w.atOnce = facts.MaxSurge == 0
	}
}

func (m *Maker) ofReplicationController(w *workload, owner *metav1.OwnerReference) {
	controller, err := m.Scheduler.State.Listers.Controllers.ReplicationControllers(w.pod.Namespace).Get(owner.Name)
	if !m.found(w, owner, "replicationcontrollers", controller, err) {
		return
	}
	w.spreads = newOnly
	if by := metav1.GetControllerOfNoCopy(controller); by != nil {
		w.managed(by)
	}
	if controller.Spec.Template != nil {
		w.template = &controller.Spec.Template.Spec
	}
}

// managed notes that the controller has one of its own, which would take any
// change of the template back.
func (w *workload) managed(by *metav1.OwnerReference) {
	w.cannot("its %s belongs to %s %s, which would revert a change", w.kind, by.Kind, by.Name)
}

func (m *Maker) ofStatefulSet(w *workload, owner *metav1.OwnerReference) {
	set, err := m.Scheduler.State.Listers.StatefulSets.StatefulSets(w.pod.Namespace).Get(owner.Name)
	if !m.found(w, owner, "statefulsets", set, err) {
		return
	}
	w.template = &set.Spec.Template.Spec
	if by := metav1.GetControllerOfNoCopy(set); by != nil {
		w.managed(by)
		return
	}
	strategy := set.Spec.UpdateStrategy
	if rolling := strategy.RollingUpdate; rolling != nil && rolling.Partition != nil && placement.OrdinalIn(set, w.pod.Name) < int(*rolling.Partition) {
		w.cannot("its StatefulSet does not update pods below partition %d", *rolling.Partition)
		return
	}
	switch {
	case strategy.Type == "": // the API server always sets one: a snapshot was written without it
		w.cannot("the updateStrategy of its StatefulSet is unknown")
	case strategy.Type == appsv1.OnDeleteStatefulSetStrategyType:
		w.spreads = newOnly
	case set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement:
		w.spreads = rolled
	case strategy.RollingUpdate == nil: // newVersionedStatefulSetPod: by status.currentReplicas, which is behind
		w.cannot("its StatefulSet, which has no spec.updateStrategy.rollingUpdate, may recreate it from the old template")
	default: // a pod that does not run holds up those that follow, and the update
		w.spreads = stuck
		w.before = m.before(set, w.pod)
	}
}

// before are the pods of an ordered set that wait, too, and come before pod.
func (m *Maker) before(set *appsv1.StatefulSet, pod *corev1.Pod) []*corev1.Pod {
	var waiting []*corev1.Pod
	for _, other := range m.Scheduler.State.Index.ControlledBy(set.UID) {
		if other.Spec.NodeName == "" && other.DeletionTimestamp == nil && placement.OrdinalIn(set, other.Name) < placement.OrdinalIn(set, pod.Name) {
			waiting = append(waiting, other)
		}
	}
	slices.SortFunc(waiting, func(a, b *corev1.Pod) int { return placement.OrdinalIn(set, a.Name) - placement.OrdinalIn(set, b.Name) })
	return waiting
}

// count counts one pod of the workload.
func (w *workload) count(pod *corev1.Pod) {
	if pod.UID != w.pod.UID && !scheduler.Terminal(pod) && pod.DeletionTimestamp == nil {
		w.others = append(w.others, pod)
	}
	switch {
	case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
		w.ended++
	case pod.Spec.NodeName == "":
		w.wait++
	default:
		w.run++
	}
}

// countPods counts the pods of the owners.
func (m *Maker) countPods(w *workload, owners []types.UID) {
	for _, owner := range owners {
		for _, pod := range m.Scheduler.State.Index.ControlledBy(owner) {
			w.count(pod)
		}
	}
	slices.SortFunc(w.others, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
}
