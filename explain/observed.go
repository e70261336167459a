package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// externalFacts is what is known of a pod beside its object and the plugins.
type externalFacts struct {
	scheduler   summary.Liveness
	attempt     *metav1.Time
	autoscalers []report.AutoscalerWord
	claims      map[string][]model.Event
	events      []model.Event
	aside       summary.FactsWithoutNodes
	unread      string // why events about the pod could not be read; "": they could
}

// gatherFacts finds out what others know of the pod that find gives. It may take a
// while, so the engine is held only for a look at the pod.
func (e *Engine) gatherFacts(ctx context.Context, find func() *corev1.Pod) (externalFacts, error) {
	release, err := e.scheduler.Acquire(ctx)
	if err != nil {
		return externalFacts{}, err
	}
	pod := find()
	release()
	var said externalFacts
	if pod == nil {
		return said, nil
	}
	said.unread = e.eventsUnread(ctx, pod)
	if pod.Spec.NodeName != "" {
		if summary.StartOf(pod).Silent() {
			said.events = e.events(ctx, model.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID})
		}
		return said, nil
	}
	if e.options.SchedulerAlive != nil {
		alive, known, why := e.options.SchedulerAlive(ctx, e.scheduler.LeaseOf(scheduler.NameOf(pod)))
		said.scheduler = summary.Liveness{Alive: alive, Known: known, Why: why}
	}
	if e.options.AttemptSeen != nil {
		said.attempt = e.options.AttemptSeen(ctx, pod)
	}
	if e.options.Autoscalers != nil {
		said.autoscalers = e.options.Autoscalers(ctx, pod)
	}
	for _, claim := range e.scheduler.State.Listers.ClaimsToAsk(pod) {
		if said.claims == nil {
			said.claims = map[string][]model.Event{}
		}
		said.claims[claim.Name] = e.events(ctx, model.Ref{
			Resource: "persistentvolumeclaims", Namespace: pod.Namespace, Name: claim.Object.Name, UID: claim.Object.UID,
		})
	}
	if _, unread := e.scheduler.Forbidden["nodes"]; unread {
		said.aside = e.gatherQuotas(ctx, pod.Namespace)
	}
	return said, nil
}

// eventsUnread says why events about the pod could not be read, if they would tell
// anything; "" otherwise.
func (e *Engine) eventsUnread(ctx context.Context, pod *corev1.Pod) string {
	waits := pod.Spec.NodeName == "" || summary.StartOf(pod).Silent()
	if e.options.EventsUnread == nil || !waits || pod.UID == "" || pod.Name == "" {
		return ""
	}
	return e.options.EventsUnread(ctx, pod.Namespace)
}

// events are those of an object; none where they cannot be read.
func (e *Engine) events(ctx context.Context, ref model.Ref) []model.Event {
	if e.options.Events == nil || ref.Name == "" {
		return nil
	}
	all, err := e.options.Events(ctx, ref)
	if err != nil {
		return nil
	}
	return all
}

// gatherQuotas reads the quotas of the namespace, which is known without nodes.
func (e *Engine) gatherQuotas(ctx context.Context, namespace string) summary.FactsWithoutNodes {
	known := summary.FactsWithoutNodes{Asked: true, Unread: "they cannot be read here"}
	if e.options.Quotas == nil {
		return known
	}
	quotas, err := e.options.Quotas(ctx, namespace)
	if err != nil {
		known.Unread = err.Error()
		return known
	}
	known.Quotas, known.Unread = quotas, ""
	return known
}

// take notes what was heard of the pod.
func (x *explanation) take(said externalFacts) {
	x.facts.Scheduler, x.facts.WithoutNodes = said.scheduler, said.aside
	x.facts.Claims, x.facts.Events = said.claims, said.events
	x.facts.Unread = said.unread
	x.report.Observed.AttemptSeen = said.attempt
	x.report.Autoscaler = said.autoscalers
	name := scheduler.NameOf(x.question.Pod)
	if s := said.scheduler; s.Known && !s.Alive && x.scheduler.Serves(name) {
		if name == corev1.DefaultSchedulerName {
			name = "kube-scheduler"
		}
		x.report.Observed.Quiet = name + " may be down: " + s.Why
	}
}

// observe reads what the scheduler itself said last.
func observe(pod *corev1.Pod) report.Observed {
	var observed report.Observed
	condition := scheduler.PodScheduled(pod)
	if condition == nil {
		return observed
	}
	observed.Message = condition.Message
	if condition.Status == corev1.ConditionFalse && !condition.LastTransitionTime.IsZero() {
		observed.UnschedulableSince = condition.LastTransitionTime.DeepCopy()
	}
	if condition.ObservedGeneration != 0 && pod.Generation != 0 {
		observed.GenerationCurrent = new(condition.ObservedGeneration >= pod.Generation)
	}
	return observed
}
