// Package explain runs the kube-scheduler's own plugins over the live state and
// says why a pod is pending: every Filter plugin on every node, with the words
// and the numbers that the plugins' reasons leave out.
package explain

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Options say what an Engine cannot know from its informers. All may be zero.
type Options struct {
	// Trace holds the resources that could not be listed; nil: all could.
	Trace *scheduler.Unreadable
	// Namespace is the only one whose pods could be read; "": all of them.
	Namespace string
	// ClusterVersion is the API server's ("v1.36.3"), if known.
	ClusterVersion string
	// Configuration is the scheduler's; nil: the default profile is assumed.
	Configuration *scheduler.Configuration
	// Gates are the feature gates of the cluster; nil: those of its version are assumed.
	Gates *scheduler.Gates
	// PoolLabel is the label of nodes that holds their pool, before the known ones; ""
	// without.
	PoolLabel string
	// PodGroups says that Apply is told of PodGroups too, for GangScheduling.
	PodGroups bool
	// PodGroupsUnread is why not, CompositesUnread why it is not told of CompositePodGroups; "" where
	// they are, or where there are none.
	PodGroupsUnread, CompositesUnread string
	// Parallelism is how many goroutines run plugins; 0: 2.
	Parallelism int
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Lookups are what the engine asks for where its informers do not tell.
	Lookups
}

// Lookups ask for what no informer holds. One that is nil has no answer.
type Lookups struct {
	// SchedulerAlive says whether a scheduler of that name lives (a Lease that is
	// renewed, pods that it bound or refused lately, its events), whether that
	// could be found out at all, and what was seen. Nil: never known.
	SchedulerAlive func(ctx context.Context, name string) (alive, known bool, why string)
	// AttemptSeen is the time of the last event that proves an attempt to
	// schedule the pod, nil without one. Nil: never proved.
	AttemptSeen func(ctx context.Context, pod *corev1.Pod) *metav1.Time
	// Autoscalers is what autoscalers of nodes said of the pod, the newest of each
	// and first. Nil: nothing.
	Autoscalers func(ctx context.Context, pod *corev1.Pod) []report.AutoscalerWord
	// Provisioning is what autoscalers of nodes say of themselves in objects, with the
	// NodeClaims that their messages about a pod name; nil without any. Nil: never known.
	Provisioning func(ctx context.Context, about []report.AutoscalerWord) *provisioning.State
	// Queue is what the controller of a queue says about a pod that it holds; nil where
	// none does. Nil: never known.
	Queue func(ctx context.Context, of kueue.Subject) *kueue.State
	// Group is what a scheduler other than kube-scheduler says of the PodGroup that a pod
	// names; nil where none does. Nil: never known.
	Group func(ctx context.Context, of foreignpodgroups.Subject) *foreignpodgroups.State
	// Nominator is who set the nominatedNodeName of a pod; nil where that is not known. Nil:
	// never known.
	Nominator func(ctx context.Context, pod *corev1.Pod) *report.Nominator
	// Preempted are the events that tell of pods of a namespace that were preempted, as far as they
	// can be read. Nil: never known.
	Preempted func(ctx context.Context, namespace string) []*corev1.Event
	// Events are those about an object, asked for only where nothing else tells
	// why a volume is not there. Nil: there are none.
	Events func(ctx context.Context, ref model.Ref) ([]model.Event, error)
	// EventsUnread says why the events about pods of a namespace could not be read;
	// "" if they could. Nil: they could.
	EventsUnread func(ctx context.Context, namespace string) string
	// Whole is a pod with the fields that sources drop, for Pod Security. Nil: never known.
	Whole func(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error)
	// Facts are what fixes have to know of a Deployment or Job, which no informer holds. Nil: they
	// are not asked for.
	Facts func(ctx context.Context, of model.Ref) command.Facts
	// Quotas are the ResourceQuotas of a namespace. They are asked for where nodes
	// may not be read, to tell what is known at all, where pods were not created,
	// and where pods are to be replaced. Nil: never known.
	Quotas func(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error)
	// LimitRanges are those of a namespace, asked for where pods were not created or are to be
	// replaced, and where one gave a pod requests.
	// Nil: never known.
	LimitRanges func(ctx context.Context, namespace string) ([]corev1.LimitRange, error)
	// PriorityClasses are all of them, asked for where a pod has one that its template does not name. Nil:
	// never known.
	PriorityClasses func(ctx context.Context) ([]*schedulingv1.PriorityClass, error)
	// Created is the pod that a controller of Kubernetes creates now, without what LimitRanges
	// fill in, and what rejects it because it does not exist; nil where the controller is gone or
	// another. It is asked for where pods are to be replaced. Nil: never known.
	Created func(ctx context.Context, namespace string, by *metav1.OwnerReference) (*corev1.Pod, []report.Rejection, error)
	// MissingClasses is what rejects a pod because a class that it names does not exist, asked for pods
	// that were not created where Created is nil. Nil: never known.
	MissingClasses func(ctx context.Context, pod *corev1.Pod) []report.Rejection
}

// Engine runs the scheduler's own plugins over the state that it was given with
// Apply and that its informers hold. There is one Engine per informer factory.
// It is a monitor: its methods may be called from any goroutine and wait for
// each other, an explanation never longer than for one other explanation.
type Engine struct {
	options   Options
	scheduler *scheduler.Scheduler
	sources   sources
	gates     []report.Gate // that the cluster has otherwise than its version
	budgets   *pdb.Budgets
	commands  *command.Maker
	able      forecast.PreemptionCache
}

// New builds the framework around factory, which must not have been started, and
// asks it for every informer that the plugins read. readOnly has to refuse
// writes; plugins hold on to it. The context ends what runs in the background.
func New(ctx context.Context, factory informers.SharedInformerFactory, readOnly kubernetes.Interface, options Options) (*Engine, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	s, err := scheduler.New(ctx, factory, readOnly, scheduler.Options{
		Unreadable: options.Trace, Namespace: options.Namespace, Configuration: options.Configuration,
		Parallelism: options.Parallelism, Now: options.Now,
	})
	if err != nil {
		return nil, err
	}
	e := &Engine{
		options:   options,
		scheduler: s,
		commands:  &command.Maker{Scheduler: s, ClusterVersion: options.ClusterVersion},
		budgets: &pdb.Budgets{
			Lister: factory.Policy().V1().PodDisruptionBudgets().Lister(), Unread: s.Forbidden["poddisruptionbudgets"], Pods: s.State.Pods,
		},
	}
	e.gates = options.Gates.Differing(options.ClusterVersion)
	e.sources = sources{options: &e.options, scheduler: s, namespaces: factory.Core().V1().Namespaces().Lister()}
	return e, nil
}

// Apply brings the engine's state up to changes and numbers it rev. What an
// object was before is taken from what Apply was told, not from Old, so lost or
// doubled events do no harm. Changes that cannot be applied are left out and
// reported together.
func (e *Engine) Apply(rev int64, changes []scheduler.Change) error {
	return e.scheduler.Apply(rev, changes)
}

// LeaseOf is under which name Options.SchedulerAlive of an engine knows the scheduler of
// that name.
func LeaseOf(e *Engine, name string) string { return e.scheduler.LeaseOf(name) }

// Touch notes that an object changed that plugins read and that Apply is not told
// of. It never waits.
func (e *Engine) Touch(object runtime.Object) { e.scheduler.State.Touch(object) }

// Moved is the newest revision with a change that bears on which nodes fit: what
// was explained at an older one may be another now. 0: nothing changed since the
// cluster was read.
func (e *Engine) Moved() int64 { return e.scheduler.State.Moved() }

var silence sync.Once

// Silence keeps the log of the scheduler's code and of client-go off the
// terminal. It is the one place that sets klog's logger, once in a process, and has
// to be called before anything is started that logs: by main, and by TestMain.
func Silence() {
	silence.Do(func() { klog.SetLogger(logr.Discard()) })
}

// Forecast says what the scheduler would do in a simulated state: where the pods
// that are evicted are rescheduled, and which pending pods gain or lose a node. The
// lock is held for one pod at a time, so the real state may move between them.
func (e *Engine) Forecast(ctx context.Context, supposed plan.Hypothesis) (*plan.Forecast, error) {
	told, err := e.simulated().Forecast(ctx, supposed)
	if err != nil {
		return nil, err
	}
	return told, tellReplacements(ctx, e, supposed.Gone, told)
}

// Evictions says for each of some pods of a node where it would be rescheduled if
// only it were evicted, and whether the pod of that uid would fit the node then. Pods
// that are not on the node any more are left out; the others keep their order.
func (e *Engine) Evictions(ctx context.Context, uid types.UID, node string, pods []types.UID) ([]report.Eviction, error) {
	return e.simulated().Evictions(ctx, uid, node, pods)
}

// simulated simulates evictions.
func (e *Engine) simulated() forecast.Simulator {
	return forecast.Simulator{Scheduler: e.scheduler, Budgets: e.budgets, Now: e.options.Now}
}

// DaemonPods says how many of the nodes that a DaemonSet is for would take its pod,
// which does not exist, with the claims that are made for it.
func (e *Engine) DaemonPods(ctx context.Context, set *appsv1.DaemonSet, pod *corev1.Pod) (*report.Replicas, error) {
	of, err := newFitTemplate(ctx, e, pod, 1)
	if err != nil {
		return nil, err
	}
	of.Pod = withName(of.Pod)
	r, err := placement.DaemonPods(ctx, e.scheduler, set, of.Template)
	return onlyIfNone(r, of.unknown), err
}

// FitsWithout says whether a pod would fit a node if some pods were not there. The pod
// need not exist. Null: it could not be decided.
func (e *Engine) FitsWithout(ctx context.Context, pod *corev1.Pod, node string, pods []types.UID) (*bool, error) {
	return placement.FitsWithout(ctx, e.scheduler, pod, node, pods)
}
