// Package kueue says what the controller of a queue, Kueue, writes about a pod that it holds: the
// conditions of its Workload, its LocalQueue and ClusterQueue, and its position in them. It is
// quoted. Whether quota suffices, and when the pod is admitted, is not judged here.
package kueue

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// KueueName is the controller's name on the screen.
const KueueName = "Kueue"

// How pods and Jobs name their Workload (pkg/controller/constants, pkg/controller/jobs/pod/constants
// and apis/kueue of sigs.k8s.io/kueue).
const (
	workloadKey = model.KueueGroup + "/workload"               // an annotation of pods that were admitted
	prebuiltKey = model.KueueGroup + "/prebuilt-workload-name" // a label, later an annotation
	groupKey    = model.KueueGroup + "/pod-group-name"         // a label, later an annotation: the Workload has this name
)

// Subject is whom a queue is asked about.
type Subject struct {
	UID       types.UID // of the pod
	Namespace string
	Owners    []types.UID // the pod and what owns it: a Workload's owner is among them
	Names     []string    // of Workloads that it names
	Queue     string      // the LocalQueue that it names; "": none
}

// SubjectOf is what is asked about a pod that Kueue holds by a gate; false where it holds it by none.
func SubjectOf(pod *corev1.Pod) (Subject, bool) {
	for _, gate := range pod.Spec.SchedulingGates {
		if controller, ok := model.QueueingOf(gate.Name); ok && controller.Name == KueueName {
			return subjectOf(pod), true
		}
	}
	return Subject{}, false
}

// SubjectOfSuspended is what is asked about a Job that Kueue keeps suspended; false of other
// controllers whose pods do not exist.
func SubjectOfSuspended(r *model.NotCreated) (Subject, bool) {
	s := subjectOf(r.Pod)
	s.Queue = r.Queue
	return s, r.Queue != ""
}

func subjectOf(pod *corev1.Pod) Subject {
	s := Subject{UID: pod.UID, Namespace: pod.Namespace, Owners: []types.UID{pod.UID}, Queue: pod.Labels[model.KueueQueueLabel]}
	for i := range pod.OwnerReferences {
		s.Owners = append(s.Owners, pod.OwnerReferences[i].UID)
	}
	for _, key := range []string{workloadKey, prebuiltKey, groupKey} {
		for _, from := range []map[string]string{pod.Labels, pod.Annotations} {
			if name := from[key]; name != "" {
				s.Names = append(s.Names, name)
			}
		}
	}
	return s
}

// State is what Kueue says about a pod; what is not there is nil.
type State struct {
	Workload     *Workload     `json:"workload,omitempty"` // nil: there is none, or see Unread
	LocalQueue   *LocalQueue   `json:"localQueue,omitempty"`
	ClusterQueue *ClusterQueue `json:"clusterQueue,omitempty"`
	Position     *int          `json:"position,omitempty"` // in the ClusterQueue, from 0; nil: not known
	Queue        string        `json:"queue,omitempty"`    // the LocalQueue that the Workload, else the pod, names
	Unread       []Unread      `json:"unread,omitempty"`
}

// Unread is what could not be read, and why.
type Unread struct {
	Resource string `json:"resource"`
	Why      string `json:"why"`
}

// Workload is kueue.x-k8s.io Workload, as far as it is read.
type Workload struct {
	Name         string             `json:"name"`
	Owners       []types.UID        `json:"owners,omitempty"`
	Created      time.Time          `json:"created,omitzero"`
	Queue        string             `json:"queue,omitempty"`        // its LocalQueue
	Inactive     bool               `json:"inactive,omitempty"`     // spec.active is false
	ClusterQueue string             `json:"clusterQueue,omitempty"` // where its quota is reserved
	Conditions   []metav1.Condition `json:"conditions,omitempty"`
	Checks       []Check            `json:"admissionChecks,omitempty"`
}

// Check is the state of an admission check of a Workload.
type Check struct {
	Name    string `json:"name"`
	State   string `json:"state"` // "Pending", "Ready", "Retry", "Rejected"
	Message string `json:"message,omitempty"`
}

// LocalQueue is kueue.x-k8s.io LocalQueue, as far as it is read.
type LocalQueue struct {
	Name         string             `json:"name"`
	Gone         bool               `json:"gone,omitempty"` // it does not exist
	ClusterQueue string             `json:"clusterQueue,omitempty"`
	StopPolicy   string             `json:"stopPolicy,omitempty"` // "None", "Hold", "HoldAndDrain"
	Conditions   []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterQueue is kueue.x-k8s.io ClusterQueue, as far as it is read.
type ClusterQueue struct {
	Name       string             `json:"name"`
	Gone       bool               `json:"gone,omitempty"` // it does not exist
	StopPolicy string             `json:"stopPolicy,omitempty"`
	Pending    *int               `json:"pending,omitempty"` // Workloads; nil: not known
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Quotas     []Quota            `json:"quotas,omitempty"`
}

// Quota is what a ClusterQueue has of a resource in a flavor. Nil amounts are not known.
type Quota struct {
	Flavor   string             `json:"flavor"`
	Resource string             `json:"resource"`
	Nominal  resource.Quantity  `json:"nominal"`
	Used     *resource.Quantity `json:"used,omitempty"`
	Reserved *resource.Quantity `json:"reserved,omitempty"`
	Borrowed *resource.Quantity `json:"borrowed,omitempty"`
}

// Note adds why something could not be read; "" adds nothing.
func (s *State) Note(resource, why string) {
	if why != "" {
		s.Unread = append(s.Unread, Unread{resource, why})
	}
}

// Waits reports whether the Workload waits for quota: only those have a position in the queue.
func (w *Workload) Waits() bool {
	return !w.Inactive && !meta.IsStatusConditionTrue(w.Conditions, "QuotaReserved") && !meta.IsStatusConditionTrue(w.Conditions, "Finished")
}

// WorkloadOf is the Workload that a subject belongs to: one that it names, else one that is owned by
// it or by what owns it. One that is not finished, and the newest, comes first; nil without any.
func WorkloadOf(all []Workload, of Subject) *Workload {
	var found *Workload
	rank := func(w *Workload) int {
		switch {
		case meta.IsStatusConditionTrue(w.Conditions, "Finished"):
			return 0
		case named(w, of):
			return 2
		}
		return 1
	}
	for i := range all {
		w := &all[i]
		if !named(w, of) && !owned(w, of) {
			continue
		}
		if found == nil || rank(w) > rank(found) || rank(w) == rank(found) && w.Created.After(found.Created) {
			found = w
		}
	}
	return found
}

func named(w *Workload, of Subject) bool {
	return slices.Contains(of.Names, w.Name)
}

func owned(w *Workload, of Subject) bool {
	for _, uid := range w.Owners {
		for _, owner := range of.Owners {
			if uid == owner && uid != "" {
				return true
			}
		}
	}
	return false
}
