// Package foreignpodgroups says what a scheduler other than kube-scheduler writes about a group of pods that it
// schedules together: the status of its PodGroup. It is quoted. Whether the group fits, and when it is
// scheduled, is for that scheduler to decide.
package foreignpodgroups

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Kind is the PodGroup of a scheduler, and how pods name theirs.
type Kind struct {
	Scheduler string // its name on the screen
	Group     string // API group
	Version   string // that is read
	// Plugin is the out-of-tree plugin that reads the groups, where any scheduler may run it; "": only a
	// scheduler of its own does.
	Plugin string

	annotations, labels []string
	makes               bool // a part of the scheduler makes the groups of its pods
}

// The kinds that are known: pkg/apis/scheduling/v1beta1 of volcano.sh/apis, pkg/apis/scheduling/v2alpha2
// and pkg/common/constants of kai-scheduler/KAI-Scheduler, apis/scheduling/v1alpha1 of
// sigs.k8s.io/scheduler-plugins.
var (
	Volcano = &Kind{
		Scheduler: "Volcano", Group: "scheduling.volcano.sh", Version: "v1beta1",
		annotations: []string{"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"},
	}
	KAI = &Kind{
		Scheduler: "KAI Scheduler", Group: "scheduling.run.ai", Version: "v2alpha2", annotations: []string{"pod-group-name"}, makes: true, // pkg/podgrouper
	}
	Coscheduling = &Kind{
		Scheduler: "Coscheduling", Group: "scheduling.x-k8s.io", Version: "v1alpha1", Plugin: "Coscheduling",
		labels: []string{"scheduling.x-k8s.io/pod-group"},
	}
)

// Kinds are those that are known, in the order in which they are asked for.
var Kinds = []*Kind{Volcano, KAI, Coscheduling}

// Resource names the objects of the kind: "podgroups.scheduling.volcano.sh".
func (k *Kind) Resource() string { return "podgroups." + k.Group }

// NameIn is the PodGroup of the kind that a pod names; "" where it names none.
func (k *Kind) NameIn(pod *corev1.Pod) string {
	for _, key := range k.annotations {
		if name := pod.Annotations[key]; name != "" {
			return name
		}
	}
	for _, key := range k.labels {
		if name := pod.Labels[key]; name != "" {
			return name
		}
	}
	return ""
}

// Subject is whom a group is asked about.
type Subject struct {
	UID       types.UID // of the pod
	Namespace string
	Named     []Named
}

// Named is a PodGroup that a pod names.
type Named struct {
	Kind *Kind
	Name string
}

// SubjectOf is what is asked about a pod; false where it names no PodGroup of a kind that may decide
// about it.
func SubjectOf(pod *corev1.Pod, mayDecide func(*Kind) bool) (Subject, bool) {
	s := Subject{UID: pod.UID, Namespace: pod.Namespace}
	for _, k := range Kinds {
		if name := k.NameIn(pod); name != "" && mayDecide(k) {
			s.Named = append(s.Named, Named{k, name})
		}
	}
	return s, len(s.Named) > 0
}

// Has reports whether the subject names a PodGroup.
func (s Subject) Has(group, name string) bool {
	for _, n := range s.Named {
		if n.Kind.Group == group && n.Name == name {
			return true
		}
	}
	return false
}

// State is a PodGroup, as far as it is read. Nil figures are not known.
type State struct {
	Group  string `json:"group"` // API group
	Name   string `json:"name"`
	Gone   bool   `json:"gone,omitempty"`   // it does not exist
	Unread string `json:"unread,omitempty"` // why it could not be read

	Needs      *int           `json:"needs,omitempty"`      // pods, or none is started
	NeedsParts *int           `json:"needsParts,omitempty"` // of its subgroups, by KAI Scheduler
	ByTask     map[string]int `json:"byTask,omitempty"`     // pods of each task, by Volcano
	Queue      string         `json:"queue,omitempty"`
	Phase      string         `json:"phase,omitempty"` // "": none is written
	Counts     []Count        `json:"counts,omitempty"`
	Conditions []Condition    `json:"conditions,omitempty"`
}

// Count is how many pods its status counts in a state.
type Count struct {
	Of   string `json:"of"` // "running"
	Pods int    `json:"pods"`
}

// Condition is what a status says about scheduling the group.
type Condition struct {
	metav1.Condition `json:",inline"`

	NodePool string `json:"nodePool,omitempty"` // about which it speaks, by KAI Scheduler
}

// kind is the group's kind; nil of one that is not known.
func (s *State) kind() *Kind {
	for _, k := range Kinds {
		if k.Group == s.Group {
			return k
		}
	}
	return nil
}

// Plugin is the out-of-tree plugin that reads the group; "" where only a scheduler of its own does, and of
// nil.
func (s *State) Plugin() string {
	if s == nil || s.kind() == nil {
		return ""
	}
	return s.kind().Plugin
}

// ShowsScheduler reports whether the group shows that its scheduler runs, or may: the scheduler wrote into
// the status, a part of it made the group, or the group could not be read.
func (s *State) ShowsScheduler() bool {
	made := s.kind() != nil && s.kind().makes && !s.Gone
	return s.Unread != "" || s.Phase != "" || len(s.Conditions) > 0 || made
}

// newest is the condition that holds since the last; nil where none holds.
func (s *State) newest() *Condition {
	var found *Condition
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if cmp.Or(c.Status, metav1.ConditionTrue) == metav1.ConditionTrue && (found == nil || !c.LastTransitionTime.Before(&found.LastTransitionTime)) {
			found = c
		}
	}
	return found
}
