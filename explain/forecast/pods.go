package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// pendingPod is a pod that looks for a node in the supposed state: one that waits, or
// the successor of one that ends.
type pendingPod struct {
	pod    *corev1.Pod // as the scheduler would meet it
	ends   *corev1.Pod // whose successor it is; nil for one that waits
	when   recreation
	before []earlier // of an ordered StatefulSet: it is made once these run
	unless string    // what else has to be so for it to be made, in short words
	class  *equivalenceClass
	sums   sums

	recreated bool // it is a new pod in the place of one that is pending
	following bool // its controller makes it later: a StatefulSet once the pods before it are placed, a DaemonSet after the change
}

// earlier is a pending pod that an ordered StatefulSet makes before another one.
type earlier struct {
	*pendingPod
	mayStay bool // it may still be there when the other one is to be made
}

// recreation is when a controller makes a pod's successor.
type recreation int

const (
	early  recreation = iota // as soon as it terminates
	late                     // once it is gone
	either                   // as its controller is set, which is not read
)

// comings are by the kind of the controller; of others nothing is known.
var comings = map[string]recreation{
	"ReplicaSet": early, "ReplicationController": early, "StatefulSet": late, "DaemonSet": late,
}

// fateWithoutSuccessor is that of a pod which needs no forecast; its Outcome is
// empty for others.
func (f *forecasting) fateWithoutSuccessor(pod *corev1.Pod) plan.Fate {
	kind := placement.ControllerKind(pod)
	if fate, decided := f.supposed.Decided[pod.UID]; decided {
		return fate
	}
	switch {
	case scheduler.Terminal(pod):
		return plan.Fate{Outcome: plan.Finished}
	case kind == "":
		return plan.Fate{Outcome: plan.Lost}
	case plan.RecreationUnknown(pod) != "":
		return plan.Fate{Outcome: plan.NotKnown, Why: plan.RecreationUnknown(pod)}
	case f.scheduler.Forbidden["nodes"] != "":
		return plan.Fate{Outcome: plan.NotKnown, Why: f.scheduler.Forbidden["nodes"]}
	case kind == "Node":
		return plan.Fate{Outcome: plan.NotKnown, Why: "a static pod: its kubelet decides"}
	case !f.scheduler.Filters(scheduler.NameOf(pod)):
		return plan.Fate{Outcome: plan.NotKnown, Why: fmt.Sprintf("the profile of scheduler %s is unknown", scheduler.NameOf(pod))}
	case pod.Spec.SchedulingGroup != nil:
		return plan.Fate{Outcome: plan.NotKnown, Why: "it is scheduled with its PodGroup"}
	case placement.HasOwnClaims(pod):
		return plan.Fate{Outcome: plan.NotKnown, Why: "its own claims are recreated"}
	case !scheduler.Assigned(pod):
		return plan.Fate{Outcome: plan.NotKnown, Why: "it has no node yet"}
	case kind == "DaemonSet" && keptOff(f, pod):
		return plan.Fate{Outcome: plan.NotMade}
	case kind == "StatefulSet" && f.revised(pod):
		return plan.Fate{Outcome: plan.NotKnown, Why: "its StatefulSet recreates it from a newer template"}
	}
	return plan.Fate{}
}

// successorUID is the UID of the pod's successor in a simulation.
func successorUID(pod *corev1.Pod) types.UID { return "successor of " + pod.UID }

// successor is what the pod's controller makes in its place.
func (f *forecasting) successor(pod *corev1.Pod) *pendingPod {
	next := pod.DeepCopy()
	next.UID = successorUID(pod)
	next.DeletionTimestamp, next.DeletionGracePeriodSeconds = nil, nil
	next.CreationTimestamp = f.now
	next.Spec.NodeName = ""
	next.Status = corev1.PodStatus{Phase: corev1.PodPending}
	for _, label := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion} {
		// Binding copies them from the node (admission plugin PodTopologyLabels).
		if node := f.scheduler.State.Nodes[pod.Spec.NodeName]; node != nil && next.Labels[label] == node.Labels[label] {
			delete(next.Labels, label)
		}
	}
	when, known := comings[placement.ControllerKind(pod)]
	if !known {
		when = either
	}
	return &pendingPod{pod: next, ends: pod, when: when}
}

// addWaiting adds the pods that wait already, and those that do after the change.
func (f *forecasting) addWaiting() {
	changed := map[types.UID]*corev1.Pod{}
	for _, pod := range f.supposed.Pods {
		changed[pod.UID] = pod
		if real := f.scheduler.State.Pods[pod.UID]; real != nil && real.Spec.NodeName != "" {
			wait(f, pod)
		}
	}
	for pod := range f.scheduler.State.Index.Unassigned() {
		if now, ok := changed[pod.UID]; ok {
			pod = now
		}
		wait(f, pod)
	}
	if f.grouped > 0 {
		f.unsaid(grammar.Plural(f.grouped, "pending pod") + " of PodGroups not simulated")
	}
}

// wait adds a pod, if a scheduler considers it.
func wait(f *forecasting, pod *corev1.Pod) {
	switch {
	case !f.scheduler.Considers(pod) || slices.Contains(f.supposed.Gone, pod.UID):
	case f.trial != nil && slices.Contains(f.trial.trial.Stopped, pod.UID):
	case pod.Spec.SchedulingGroup != nil:
		f.grouped++
	default:
		f.competitors = append(f.competitors, &pendingPod{pod: pod})
	}
}

// sortCompetitors puts them in the order of the scheduler's queue, and into classes.
func (f *forecasting) sortCompetitors() {
	slices.SortFunc(f.competitors, func(a, b *pendingPod) int {
		return cmp.Or(
			cmp.Compare(corev1helpers.PodPriority(b.pod), corev1helpers.PodPriority(a.pod)),
			a.pod.CreationTimestamp.Compare(b.pod.CreationTimestamp.Time),
			strings.Compare(plugins.FullName(a.pod), plugins.FullName(b.pod)),
		)
	})
	byKey := map[string]*equivalenceClass{}
	for _, c := range f.competitors {
		key := model.NewPod(c.pod).EquivalenceKey()
		if c.ends != nil {
			key = "successors " + key
		} else if slices.Contains(f.supposed.Pods, c.pod) {
			key = "changed " + key
		} else if c.following {
			key = "following " + key
		}
		class := byKey[key]
		if class == nil {
			class = &equivalenceClass{key: key, waits: c.ends == nil && !c.following}
			byKey[key] = class
			f.classes = append(f.classes, class)
		}
		class.competitors = append(class.competitors, c)
		c.class = class
	}
}

// orderSets notes for the pods of ordered StatefulSets which ones come first.
func (f *forecasting) orderSets() {
	bySet := map[types.UID][]*pendingPod{}
	for _, c := range f.competitors {
		if owner := metav1.GetControllerOfNoCopy(c.pod); owner != nil && owner.Kind == "StatefulSet" {
			bySet[owner.UID] = append(bySet[owner.UID], c)
		}
	}
	for uid, competitors := range bySet {
		set := f.setOf(competitors[0].pod)
		if set == nil || set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
			continue
		}
		slices.SortFunc(competitors, func(a, b *pendingPod) int {
			return placement.OrdinalIn(set, a.pod.Name) - placement.OrdinalIn(set, b.pod.Name)
		})
		for i, c := range competitors {
			if c.ends != nil || c.recreated || c.following {
				c.before = f.earlierThan(c, competitors[:i])
				c.unless = f.notReadyBefore(uid, set, c.pod)
			}
		}
	}
}

// earlierThan are the pending pods as they come before c. A pod that is asked to go
// after c, or that a budget may keep, does not hold c back as long as it is there.
func (f *forecasting) earlierThan(c *pendingPod, competitors []*pendingPod) []earlier {
	var before []earlier
	for _, other := range competitors {
		one := earlier{pendingPod: other}
		if other.ends != nil {
			one.mayStay = slices.Index(f.gone, other.ends) > slices.Index(f.gone, c.ends) ||
				f.told.Fates[other.ends.UID].Budget.Allows != plan.BudgetAllows
		}
		before = append(before, one)
	}
	return before
}

// mayComeFirst names the first of those before the pending pod that may still be there
// when it is made; "" if there is none.
func (c *pendingPod) mayComeFirst() string {
	for _, before := range c.before {
		if before.mayStay {
			return before.pod.Name
		}
	}
	return ""
}

// setOf is the StatefulSet of a pod; nil where it could not be read.
func (f *forecasting) setOf(pod *corev1.Pod) *appsv1.StatefulSet {
	owner := metav1.GetControllerOfNoCopy(pod)
	set, err := f.scheduler.State.Listers.StatefulSets.StatefulSets(pod.Namespace).Get(owner.Name)
	if err != nil || set.UID != owner.UID {
		return nil
	}
	return set
}

// revised says whether the pod's StatefulSet has another template by now and
// makes the pod's successor from it.
func (f *forecasting) revised(pod *corev1.Pod) bool {
	set := f.setOf(pod)
	if set == nil || set.Status.UpdateRevision == "" {
		return false
	}
	if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil && placement.OrdinalIn(set, pod.Name) < int(*rolling.Partition) {
		return false
	}
	made := pod.Labels[appsv1.ControllerRevisionHashLabelKey]
	return made != "" && made != labelkeys.NotCreated && made != set.Status.UpdateRevision
}

// notReadyBefore names a pod of the set on a node that comes before this one and
// is not ready: the set makes none after it until it is.
func (f *forecasting) notReadyBefore(uid types.UID, set *appsv1.StatefulSet, pod *corev1.Pod) string {
	found := ""
	for _, other := range f.scheduler.State.Index.ControlledBy(uid) {
		if !scheduler.Assigned(other) || placement.OrdinalIn(set, other.Name) >= placement.OrdinalIn(set, pod.Name) ||
			podutil.IsPodReady(other) || slices.Contains(f.supposed.Gone, other.UID) {
			continue
		}
		if found == "" || other.Name < found {
			found = other.Name
		}
	}
	return found
}
