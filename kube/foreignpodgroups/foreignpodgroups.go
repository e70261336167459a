// Package foreignpodgroups reads the PodGroups of schedulers other than kube-scheduler: Volcano, KAI Scheduler,
// and Coscheduling of scheduler-plugins.
package foreignpodgroups

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/kube/custom"
)

// Reader reads the objects. Its client reads only, and gives up soon.
type Reader struct {
	Dynamic dynamic.Interface
	Words   func(error) string // an error in a few words
}

// Get gets a PodGroup; what could not be read says so.
func (r Reader) Get(ctx context.Context, kind *foreignpodgroups.Kind, namespace, name string) *foreignpodgroups.State {
	s := &foreignpodgroups.State{Group: kind.Group, Name: name}
	of := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: "podgroups"}
	object, err := r.Dynamic.Resource(of).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		s.Gone = true
		return s
	case err != nil:
		s.Unread = custom.Why(r.Words, "get", kind.Resource(), err)
		return s
	}
	if err := Fill(s, object); err != nil {
		return &foreignpodgroups.State{Group: kind.Group, Name: name, Unread: err.Error()}
	}
	return s
}

// podGroup are the fields of a PodGroup that are read, of all three kinds.
type podGroup struct {
	Spec struct {
		MinMember     *int           `json:"minMember"`
		MinSubGroup   *int           `json:"minSubGroup"`   // KAI Scheduler
		MinTaskMember map[string]int `json:"minTaskMember"` // Volcano
		Queue         string         `json:"queue"`
	} `json:"spec"`
	Status *struct {
		Phase                string                `json:"phase"`
		Pending              int                   `json:"pending"` // KAI Scheduler
		Running              int                   `json:"running"`
		Succeeded            int                   `json:"succeeded"`
		Failed               int                   `json:"failed"`
		Conditions           []metav1.Condition    `json:"conditions"`
		SchedulingConditions []schedulingCondition `json:"schedulingConditions"` // KAI Scheduler
	} `json:"status"`
}

// schedulingCondition is a condition of KAI Scheduler. Reasons have replaced its reason and message.
type schedulingCondition struct {
	metav1.Condition `json:",inline"`

	NodePool string `json:"nodePool"`
	Reasons  []struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"reasons"`
}

// Shape are the fields of a PodGroup that are read.
var Shape = reflect.TypeFor[podGroup]()

// Fill fills in what a PodGroup says. Its error says why it cannot be read.
func Fill(s *foreignpodgroups.State, object *unstructured.Unstructured) error {
	var of podGroup
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &of); err != nil {
		return fmt.Errorf("read PodGroup %s: %w", object.GetName(), err)
	}
	s.Needs, s.NeedsParts, s.ByTask, s.Queue = of.Spec.MinMember, of.Spec.MinSubGroup, of.Spec.MinTaskMember, of.Spec.Queue
	status := of.Status
	if status == nil {
		return nil
	}
	s.Phase = status.Phase
	for i := range status.Conditions {
		s.Conditions = append(s.Conditions, foreignpodgroups.Condition{Condition: status.Conditions[i]})
	}
	for i := range status.SchedulingConditions {
		s.Conditions = append(s.Conditions, status.SchedulingConditions[i].condition())
	}
	if status.Phase != "" || status.Running+status.Succeeded+status.Failed+status.Pending > 0 {
		if s.Group == foreignpodgroups.KAI.Group {
			s.Counts = append(s.Counts, foreignpodgroups.Count{Of: "pending", Pods: status.Pending})
		}
		s.Counts = append(s.Counts,
			foreignpodgroups.Count{Of: "running", Pods: status.Running}, foreignpodgroups.Count{Of: "succeeded", Pods: status.Succeeded}, foreignpodgroups.Count{Of: "failed", Pods: status.Failed})
	}
	return nil
}

// condition takes over the reasons, the newer field, where there are any.
func (c *schedulingCondition) condition() foreignpodgroups.Condition {
	of := foreignpodgroups.Condition{Condition: c.Condition, NodePool: c.NodePool}
	if len(c.Reasons) == 0 {
		return of
	}
	of.Reason = c.Reasons[0].Reason
	var messages []string
	for i, r := range c.Reasons {
		message := strings.TrimSpace(r.Message)
		if i > 0 && r.Reason != of.Reason {
			message = strings.TrimSuffix(r.Reason+": "+message, ": ")
		}
		if message != "" {
			messages = append(messages, message)
		}
	}
	of.Message = strings.Join(messages, "; ")
	return of
}
