package cluster

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// autoscalers remembers their messages by pod.
type autoscalers struct {
	messages answers[string, autoscalerMessages]
	state    answers[string, *provisioning.State]
	claims   answers[string, provisioning.NodeClaim]
}

// autoscalerMessages are the newest of each autoscaler, by pod, and which have written any.
type autoscalerMessages struct {
	about map[types.UID][]report.AutoscalerWord
	by    map[string]bool
	// unread says that no events of theirs may be read, so that none says nothing.
	unread bool
}

// Autoscalers are the autoscalers' messages about the pod: the newest of each, the
// newest first, at most 15 s late.
func (a *CachedReader) Autoscalers(ctx context.Context, pod *corev1.Pod) []report.AutoscalerWord {
	return messagesOf(ctx, a).about[pod.UID]
}

// messagesOf reads the events of autoscalers. Karpenter writes about pods only that it
// nominated a NodeClaim, and that it could not help: the latter are among the failed attempts.
func messagesOf(ctx context.Context, a *CachedReader) autoscalerMessages {
	found, _ := a.autoscalers.messages.of(ctx, "", func() autoscalerMessages {
		said := autoscalerMessages{about: map[types.UID][]report.AutoscalerWord{}, by: map[string]bool{}}
		for _, of := range []fields.Set{{"source": provisioning.ClusterName}, {"reason": "Nominated"}} {
			of["involvedObject.kind"] = "Pod"
			if hear(ctx, a, metav1.NamespaceAll, of, said) != nil {
				_ = hear(ctx, a, a.options.Namespace, of, said) // what is not heard is not told
				said.unread = true
			}
		}
		attempts, _ := a.readAttempts(ctx)
		for _, e := range attempts.others {
			said.note(e)
		}
		return said
	})
	return found
}

// hear notes the newest message of each autoscaler about each pod.
func hear(ctx context.Context, a *CachedReader, namespace string, of fields.Set, said autoscalerMessages) error {
	events, err := a.eventsNow(ctx, namespace, of.String())
	for _, e := range events {
		said.note(e)
	}
	return err
}

// note takes in an event, if an autoscaler wrote it.
func (m autoscalerMessages) note(e *corev1.Event) {
	if event := model.NewEvent(e); provisioning.IsAutoscaler(event.Source) {
		m.by[event.Source] = true
		m.about[e.InvolvedObject.UID] = provisioning.WithNewest(m.about[e.InvolvedObject.UID], event)
	}
}

// preemptedOf are the events that tell of pods of a namespace that were preempted, at most 15 s late: one
// list, or one watch, for all namespaces where they may be read.
func preemptedOf(ctx context.Context, a *CachedReader, namespace string) []*corev1.Event {
	selector := fields.Set{"reason": model.PreemptedReason, "involvedObject.kind": "Pod"}.String()
	events, err := a.eventsNow(ctx, metav1.NamespaceAll, selector)
	if err != nil && ctx.Err() == nil {
		events, _ = a.eventsNow(ctx, a.options.Namespace, selector) // what cannot be read is not told
	}
	return slices.DeleteFunc(events, func(e *corev1.Event) bool { return e.InvolvedObject.Namespace != namespace })
}

// toldOf remembers the events of objects.
type toldOf struct {
	answers[model.Ref, listed[model.Event]]
}

// RecentEvents are EventsOf, at most 15 s late.
func (a *CachedReader) RecentEvents(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	told, ok := a.told.of(ctx, ref, func() listed[model.Event] {
		events, err := a.EventsOf(ctx, ref)
		return listed[model.Event]{events, err}
	})
	if !ok {
		return nil, ctx.Err()
	}
	return told.list, told.err
}
