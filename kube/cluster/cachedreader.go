package cluster

import (
	"context"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// CachedReaderOptions say whom a CachedReader asks.
type CachedReaderOptions struct {
	Client    kubernetes.Interface // reads, and gives up soon
	Dynamic   dynamic.Interface    // the same, of custom resources; nil: none are read
	Namespace string               // asked about where all namespaces may not be read
	// Watcher gives the client whose watches last; nil: events are listed every time.
	Watcher func() kubernetes.Interface
	// Words says an error in a few words, and Wrap says what failed by it. Nil
	// leaves errors as they are.
	Words func(err error) string
	Wrap  func(what string, err error) error
}

// CachedReader asks an API server what no informer holds: Leases, events, quotas. It
// remembers the answers for a while, so that explaining many pods asks once.
type CachedReader struct {
	options CachedReaderOptions

	schedulers  schedulers
	autoscalers autoscalers
	queues      queueAnswers
	groups      answers[groupKey, *foreignpodgroups.State]
	nominators  answers[nominationKey, *report.Nominator]
	facts       answers[model.Ref, command.Facts]
	created     answers[controllerKey, creation]
	told        toldOf
	quotas      perNamespace[corev1.ResourceQuota]
	limits      perNamespace[corev1.LimitRange]
	objects     perNamespace[runtime.Object] // by resource
	logs        eventLogs
	held        atomic.Pointer[Held]
}

// LookupsOf are what an engine asks a reader.
func LookupsOf(a *CachedReader) explain.Lookups {
	return explain.Lookups{
		SchedulerAlive: a.SchedulerAlive,
		AttemptSeen:    a.AttemptSeen,
		Autoscalers:    a.Autoscalers,
		Provisioning:   a.Provisioning,
		Queue:          func(ctx context.Context, of kueue.Subject) *kueue.State { return queueOf(ctx, a, of) },
		Group: func(ctx context.Context, of foreignpodgroups.Subject) *foreignpodgroups.State {
			return groupOf(ctx, a, of)
		},
		Nominator:    func(ctx context.Context, pod *corev1.Pod) *report.Nominator { return nominatorOf(ctx, a, pod) },
		Preempted:    func(ctx context.Context, namespace string) []*corev1.Event { return preemptedOf(ctx, a, namespace) },
		Events:       a.RecentEvents,
		EventsUnread: a.EventsUnread,
		Whole:        func(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) { return wholePod(ctx, a, pod) },
		Facts:        func(ctx context.Context, of model.Ref) command.Facts { return factsOf(ctx, a, of) },
		Quotas:       a.Quotas,
		LimitRanges:  a.LimitRanges,
		Created:      createdBy(a),
	}
}

// Held is what is known of a cluster without asking for it.
type Held struct {
	// Pods are all pods of the cluster, among which signs of schedulers are looked for instead
	// of asking for them, and Nodes all nodes, with signs of autoscalers. They give nil while
	// these are not in.
	Pods  func() []*corev1.Pod
	Nodes func() []*corev1.Node
	// Groups are the API groups that the server has; nil where it was not asked.
	Groups *metav1.APIGroupList
}

// Use takes over what is known now.
func (a *CachedReader) Use(held Held) { a.held.Store(&held) }

// NewCachedReader makes one that remembers nothing yet.
func NewCachedReader(options CachedReaderOptions) *CachedReader {
	if options.Words == nil {
		options.Words = error.Error
	}
	if options.Wrap == nil {
		options.Wrap = func(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }
	}
	return &CachedReader{options: options}
}

const (
	// page is how many objects are asked for at once.
	page = 500
	// mostEvents bounds what is read about one object.
	mostEvents = 500
)

// kindOf are the kinds of resources as events name them.
var kindOf = map[string]string{"pods": "Pod", "nodes": "Node"}

// EventsOf are those about an object, newest first.
func (a *CachedReader) EventsOf(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	about := fields.Set{"involvedObject.name": ref.Name}
	if ref.UID != "" && ref.Namespace != "" {
		about["involvedObject.uid"] = string(ref.UID) // a node's events carry its name here
	}
	if kind, ok := kindOf[ref.Resource]; ok {
		about["involvedObject.kind"] = kind
	}
	list, err := a.options.Client.CoreV1().Events(ref.Namespace).List(ctx,
		metav1.ListOptions{FieldSelector: about.String(), Limit: mostEvents})
	if err != nil {
		return nil, a.options.Wrap("list events of "+ref.Name, err)
	}
	events := make([]model.Event, len(list.Items))
	for i := range list.Items {
		events[i] = model.NewEvent(&list.Items[i])
	}
	model.SortEvents(events)
	return events, nil
}
