package explain

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
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

	provisioning *provisioning.State
	queue        *kueue.State
	group        *foreignpodgroups.State
	nominator    *report.Nominator
	claims       map[string][]model.Event
	events       []model.Event
	preempted    []*corev1.Event // that tell of preemptions in its namespace
	aside        summary.FactsWithoutNodes
	limitRanges  map[corev1.ResourceName]string // that set its requests, where that is known
	defaultClass string                         // the global default PriorityClass that its priority comes from; "": none, or not known
	unread       string                         // why events about the pod could not be read; "": they could
}

// sources tell what neither the state nor the plugins do: Leases, events, quotas.
type sources struct {
	options    *Options
	scheduler  *scheduler.Scheduler
	namespaces corelisters.NamespaceLister
}

// gather finds out what others know of the pod that find gives. It may take a
// while, so the engine is held only for a look at the pod.
func (s *sources) gather(ctx context.Context, find func() *corev1.Pod) (externalFacts, error) {
	release, err := s.scheduler.Acquire(ctx)
	if err != nil {
		return externalFacts{}, err
	}
	pod := find()
	release()
	var said externalFacts
	if pod == nil {
		return said, nil
	}
	if pod.Spec.NodeName != "" {
		said.unread = s.eventsUnread(ctx, pod)
		if summary.StartOf(pod).Silent() {
			said.events = s.events(ctx, model.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID})
		}
		return said, nil
	}
	wait := s.askAtOnce(ctx, pod, &said)
	for _, claim := range s.scheduler.State.Listers.ClaimsToAsk(pod) {
		if said.claims == nil {
			said.claims = map[string][]model.Event{}
		}
		said.claims[claim.Name] = s.events(ctx, model.Ref{
			Resource: "persistentvolumeclaims", Namespace: pod.Namespace, Name: claim.Object.Name, UID: claim.Object.UID,
		})
	}
	if plugins.AwaitsClaims(pod) {
		said.events = s.events(ctx, model.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID})
	}
	if _, unread := s.scheduler.Forbidden["nodes"]; unread {
		said.aside = s.quotas(ctx, pod.Namespace)
	}
	wait()
	return said, nil
}

// askAtOnce asks all who may know something of a pod without a node at once, for each may take several
// round trips. What it returns waits for their answers.
func (s *sources) askAtOnce(ctx context.Context, pod *corev1.Pod, said *externalFacts) (wait func()) {
	var asking sync.WaitGroup
	for _, ask := range []func(){
		func() {
			said.unread = s.eventsUnread(ctx, pod)
			if s.options.AttemptSeen != nil {
				said.attempt = s.options.AttemptSeen(ctx, pod)
			}
		},
		func() {
			if s.options.SchedulerAlive != nil {
				alive, known, why := s.options.SchedulerAlive(ctx, s.scheduler.LeaseOf(scheduler.NameOf(pod)))
				said.scheduler = summary.Liveness{Alive: alive, Known: known, Why: why}
			}
		},
		func() {
			if s.options.Autoscalers != nil {
				said.autoscalers = s.options.Autoscalers(ctx, pod)
			}
			if s.options.Provisioning != nil { // it needs the messages
				said.provisioning = s.options.Provisioning(ctx, said.autoscalers)
			}
		},
		func() {
			if s.options.Preempted != nil && !scheduler.Assigned(pod) && metav1.GetControllerOfNoCopy(pod) != nil { // else it replaces none
				said.preempted = s.options.Preempted(ctx, pod.Namespace)
			}
		},
		func() { said.queue = s.queue(ctx, pod) },
		func() { said.group = s.group(ctx, pod) },
		func() { said.nominator = s.nominator(ctx, pod) },
		func() { said.limitRanges = s.limitRanges(ctx, pod) },
		func() { said.defaultClass = s.defaultClass(ctx, pod) },
	} {
		asking.Go(func() {
			defer utilruntime.HandleCrash()
			ask()
		})
	}
	return asking.Wait
}

// eventsUnread says why events about the pod could not be read, if they would tell
// anything; "" otherwise.
func (s *sources) eventsUnread(ctx context.Context, pod *corev1.Pod) string {
	waits := pod.Spec.NodeName == "" || summary.StartOf(pod).Silent()
	if s.options.EventsUnread == nil || !waits || pod.UID == "" || pod.Name == "" {
		return ""
	}
	return s.options.EventsUnread(ctx, pod.Namespace)
}

// events are those of an object; none where they cannot be read.
func (s *sources) events(ctx context.Context, ref model.Ref) []model.Event {
	if s.options.Events == nil || ref.Name == "" {
		return nil
	}
	all, err := s.options.Events(ctx, ref)
	if err != nil {
		return nil
	}
	return all
}

// quotas reads the quotas of the namespace, which is known without nodes.
func (s *sources) quotas(ctx context.Context, namespace string) summary.FactsWithoutNodes {
	known := summary.FactsWithoutNodes{Asked: true, Unread: "they cannot be read here"}
	if s.options.Quotas == nil {
		return known
	}
	all, err := s.options.Quotas(ctx, namespace)
	if err != nil {
		known.Unread = err.Error()
		return known
	}
	known.Quotas, known.Unread = all, ""
	return known
}

// limitRanges are the names of the LimitRanges that set requests of the pod, by resource, where that is
// known.
func (s *sources) limitRanges(ctx context.Context, pod *corev1.Pod) map[corev1.ResourceName]string {
	defaults := model.LimitRangeDefaults(pod)
	if s.options.LimitRanges == nil || defaults == nil {
		return nil
	}
	all, err := s.options.LimitRanges(ctx, pod.Namespace)
	if err != nil {
		return nil
	}
	found := map[corev1.ResourceName]string{}
	for name := range defaults {
		found[name] = admission.DefaultsFrom(all, pod, name)
	}
	return found
}

// noNamespace says whether it is known that there is no such namespace.
func (s *sources) noNamespace(namespace string) bool {
	if _, unread := s.scheduler.Forbidden["namespaces"]; unread {
		return false
	}
	_, err := s.namespaces.Get(namespace)
	return apierrors.IsNotFound(err)
}

// terminating says whether it is known that the namespace is being deleted.
func (s *sources) terminating(namespace string) bool {
	if _, unread := s.scheduler.Forbidden["namespaces"]; unread {
		return false
	}
	object, err := s.namespaces.Get(namespace)
	return err == nil && object.Status.Phase == corev1.NamespaceTerminating
}

// labels are the namespace's labels, or why they are not known.
func (s *sources) labels(namespace string) (all map[string]string, why string) {
	if why, unread := s.scheduler.Forbidden["namespaces"]; unread {
		return nil, why
	}
	object, err := s.namespaces.Get(namespace)
	if err != nil {
		return nil, fmt.Sprintf("namespace %s was not read", namespace)
	}
	return object.Labels, ""
}

// take notes what was heard of the pod.
func (x *explanation) take(said externalFacts) {
	x.facts.Scheduler, x.facts.WithoutNodes = said.scheduler, said.aside
	x.facts.Claims, x.facts.Events = said.claims, said.events
	x.facts.Unread, x.facts.LimitRanges = said.unread, said.limitRanges
	x.report.Pod.DefaultPriorityClass = said.defaultClass
	x.report.Observed.AttemptSeen = said.attempt
	x.report.Autoscaler = said.autoscalers
	x.group = said.group
	addNomination(x, said.nominator)
	if said.group != nil && said.group.ShowsScheduler() && !said.scheduler.Alive {
		x.facts.Scheduler.Known = false // some scheduler writes about its group, or may
	}
	name := scheduler.NameOf(x.question.Pod)
	if s := said.scheduler; s.Known && !s.Alive && x.profile.Scheduler.Serves(name) {
		if name == corev1.DefaultSchedulerName {
			name = "kube-scheduler"
		}
		x.report.Observed.Quiet = name + " may be down: " + s.Why
	}
}
