package inventory

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Priority is a PriorityClass, or what pods have in place of one: none, whose Name is "",
// or one that is not there any more.
type Priority struct {
	Name  string `json:"name"`
	Value int32  `json:"value"`
	// Exists says that there is such a PriorityClass; nil where they could not be read.
	Exists        *bool `json:"exists"`
	GlobalDefault bool  `json:"globalDefault"`
	// PreemptionPolicy is PreemptLowerPriority or Never; without a class that of its pods.
	PreemptionPolicy corev1.PreemptionPolicy `json:"preemptionPolicy"`
	Description      string                  `json:"description"`
	// Running are the pods of the class that are on nodes and have not ended, started or
	// not; Pending are those in the queue. Nil where not all pods were read.
	Running *int `json:"running"`
	Pending *int `json:"pending"`
	// Lower is how many pods on nodes have a lower priority, and LowerClasses their
	// classes, the lowest first: those that its pods may preempt, unless the policy is Never.
	Lower        *int     `json:"lower"`
	LowerClasses []string `json:"lowerClasses"`
	// PreemptedBy are the classes whose pods may preempt pods of this one, the highest
	// first; nil where the classes could not be read.
	PreemptedBy []string `json:"preemptedBy"`
	// Queue are its pending pods without a node; nil where not all pods were read.
	Queue []Queued `json:"queue"`

	Object *schedulingv1.PriorityClass `json:"-"` // nil without one
}

// Queued is a pending pod without a node.
type Queued struct {
	// Place is the pod's in the queue of its scheduler, from 1: by state, then by priority, then
	// by age. The scheduler itself orders equal priorities by its last attempt, which the API
	// does not show.
	Place     int    `json:"place"`
	Scheduler string `json:"schedulerName"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// State is Active, Nominated, BackOff, Unschedulable or Gated.
	State     string `json:"state"`
	Nominated string `json:"nominatedNodeName"`

	Pod *model.Pod `json:"-"`
}

// The states of a pod in the scheduler's queue, as far as its status shows, those that are tried
// first before others: the scheduler takes active pods, then those whose back-off is over; what
// is unschedulable waits for a change (SchedulingQueue in pkg/scheduler/backend/queue).
const (
	Active        = "active"        // it was not tried yet
	Nominated     = "nominated"     // no attempt failed, and it has a nominatedNodeName: it is being bound, or an autoscaler set it
	BackOff       = "back-off"      // an attempt failed with an error; it is tried again
	Unschedulable = "unschedulable" // an attempt found no node; it is tried again once something changes
	Gated         = "gated"         // it has scheduling gates; it is not tried
)

// Priorities are the PriorityClasses, the highest first, and those of pods that are not
// among them.
func Priorities(s *model.Snapshot, classes []*schedulingv1.PriorityClass, known bool) []Priority {
	rows := map[string]*Priority{}
	for _, class := range classes {
		policy := corev1.PreemptLowerPriority
		if class.PreemptionPolicy != nil {
			policy = *class.PreemptionPolicy
		}
		rows[class.Name] = &Priority{
			Name: class.Name, Value: class.Value, Exists: new(true), GlobalDefault: class.GlobalDefault,
			PreemptionPolicy: policy, Description: class.Description, Object: class,
		}
	}
	for _, pod := range s.Pods {
		if name := pod.Object.Spec.PriorityClassName; rows[name] == nil && !pod.Finished() {
			rows[name] = &Priority{Name: name, Value: pod.Priority(), PreemptionPolicy: policyOf(pod)}
			if known || name == "" {
				rows[name].Exists = new(false)
			}
		}
	}
	all := make([]Priority, 0, len(rows))
	for _, row := range rows {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b Priority) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
	})
	relate(all, known)
	if podsKnown(s, "") {
		countPods(s, all)
	}
	return all
}

// policyOf is the preemption policy of a pod.
func policyOf(pod *model.Pod) corev1.PreemptionPolicy {
	if pod.Object.Spec.PreemptionPolicy == nil {
		return corev1.PreemptLowerPriority
	}
	return *pod.Object.Spec.PreemptionPolicy
}

// relate says which classes may preempt which; all are sorted. Where classes are not known,
// a class without pods may preempt them too.
func relate(all []Priority, known bool) {
	for i := range all {
		p := &all[i]
		p.PreemptedBy, p.LowerClasses = []string{}, []string{}
		for _, other := range all {
			switch {
			case other.Value > p.Value && other.PreemptionPolicy != corev1.PreemptNever:
				p.PreemptedBy = append(p.PreemptedBy, other.Name)
			case other.Value < p.Value:
				p.LowerClasses = append(p.LowerClasses, other.Name)
			}
		}
		slices.Reverse(p.LowerClasses)
		if !known {
			p.PreemptedBy = nil
		}
	}
}

// countPods counts the pods of each class, and those of lower priority.
func countPods(s *model.Snapshot, all []Priority) {
	at := map[string]*Priority{}
	for i := range all {
		p := &all[i]
		p.Running, p.Pending, p.Lower, p.Queue = new(0), new(0), new(0), []Queued{}
		at[p.Name] = p
	}
	var placed []int32 // priorities of the pods on nodes
	for _, pod := range s.Pods {
		if pod.Finished() {
			continue
		}
		if pod.Object.Spec.NodeName != "" {
			*at[pod.Object.Spec.PriorityClassName].Running++
			placed = append(placed, pod.Priority())
		}
	}
	slices.Sort(placed)
	for i := range all {
		*all[i].Lower, _ = slices.BinarySearch(placed, all[i].Value)
	}
	for _, queued := range Queue(s) {
		p := at[queued.Pod.Object.Spec.PriorityClassName]
		p.Queue = append(p.Queue, queued)
		*p.Pending++
	}
}

// queueOrder ranks the states.
var queueOrder = map[string]int{Active: 0, Nominated: 0, BackOff: 1, Unschedulable: 2, Gated: 3}

// Queue are the pending pods without a node, those of one scheduler in the order of its
// queue: by state, and among those of a state the PrioritySort plugin's, by priority, then by age.
func Queue(s *model.Snapshot) []Queued {
	var pods []*model.Pod
	for _, pod := range s.Pods {
		if pod.Object.Spec.NodeName == "" && pod.Object.DeletionTimestamp == nil && !pod.Finished() {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(a, b *model.Pod) int {
		first, second := queueOrder[queueState(a.Object)], queueOrder[queueState(b.Object)]
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(b.Priority(), a.Priority()), a.Since().Compare(b.Since()), model.ComparePods(a, b))
	})
	places := map[string]int{}
	queue := make([]Queued, len(pods))
	for i, pod := range pods {
		scheduler := cmp.Or(pod.Object.Spec.SchedulerName, corev1.DefaultSchedulerName)
		places[scheduler]++
		queue[i] = Queued{
			Place: places[scheduler], Scheduler: scheduler, Namespace: pod.Object.Namespace, Name: pod.Object.Name,
			State: queueState(pod.Object), Nominated: pod.Object.Status.NominatedNodeName, Pod: pod,
		}
	}
	return queue
}

// queueState is how far a pod got in its scheduler's queue.
func queueState(pod *corev1.Pod) string {
	if len(pod.Spec.SchedulingGates) > 0 {
		return Gated
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse {
			continue
		}
		switch c.Reason {
		case corev1.PodReasonUnschedulable:
			return Unschedulable
		case corev1.PodReasonSchedulerError:
			return BackOff
		}
	}
	if pod.Status.NominatedNodeName != "" {
		return Nominated
	}
	return Active
}
