// Package explain runs the kube-scheduler's own plugins over the live state and
// says why a pod is pending: every Filter plugin on every node, with the words
// and the numbers that the plugins' reasons leave out.
package explain

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Options say what an Engine cannot know from its informers. All may be zero.
type Options struct {
	// Trace holds the resources that could not be listed; nil: all could.
	Trace *Unreadable
	// Namespace is the only one whose pods could be read; "": all of them.
	Namespace string
	// ClusterVersion is the API server's ("v1.36.3"), if known.
	ClusterVersion string
	// Configuration is the scheduler's; nil: the default profile is assumed.
	Configuration *Configuration
	// PodGroups says that Apply is told of PodGroups too, for GangScheduling.
	PodGroups bool
	// Parallelism is how many goroutines run plugins; 0: 2.
	Parallelism int
	// Now is the clock; nil: time.Now.
	Now func() time.Time
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
	// Events are those about an object, asked for only where nothing else tells
	// why a volume is not there. Nil: there are none.
	Events func(ctx context.Context, ref model.Ref) ([]model.Event, error)
	// EventsUnread says why the events about pods of a namespace could not be read;
	// "" if they could. Nil: they could.
	EventsUnread func(ctx context.Context, namespace string) string
	// Quotas are the ResourceQuotas of a namespace. They are asked for where nodes
	// may not be read, to tell what is known at all, and where pods were not
	// created. Nil: never known.
	Quotas func(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error)
	// LimitRanges are those of a namespace, asked for where pods were not created.
	// Nil: never known.
	LimitRanges func(ctx context.Context, namespace string) ([]corev1.LimitRange, error)
}

// Engine runs the scheduler's own plugins over the state that it was given with
// Apply and that its informers hold. There is one Engine per informer factory.
// It is a monitor: its methods may be called from any goroutine and wait for
// each other, an explanation never longer than for one other explanation.
type Engine struct {
	options Options
	logger  klog.Logger
	lock    chan struct{} // holds one token while a method runs

	cache      internalcache.Cache
	snapshot   *internalcache.Snapshot
	overlay    *overlay
	nominator  *nominator
	dra        fwk.SharedDRAManager
	namespaces corelisters.NamespaceLister
	listers    plugins.Listers
	laid       objectOverlays
	budgets    policylisters.PodDisruptionBudgetLister

	*profile                     // of the pod in question; set under the lock
	profiles map[string]*profile // by the scheduler name that pods give
	standard *profile            // for pods whose scheduler has none of them
	backoff  time.Duration       // the longest that a pod rests between two tries
	notes    []string            // what of the scheduler's configuration is not reproduced

	nodes       map[string]*corev1.Node
	pods        map[types.UID]*corev1.Pod
	priorities  map[int32]int     // of the pods on the nodes, counted
	forbidden   map[string]string // resource → why it could not be listed
	revision    int64
	moves       moves                                    // when the state moved
	handlers    []cache.ResourceEventHandlerRegistration // of plugins' own caches that may still be filling
	evaluations int                                      // how often all plugins were asked about all nodes, trials apart
	scratch     matrix                                   // reused from one explanation to the next
	trials      matrix                                   // reused from one trial to the next
	workload    *workload                                // of the pod that was last asked about (known)
}

// New builds the framework around factory, which must not have been started, and
// asks it for every informer that the plugins read. readOnly has to refuse
// writes; plugins hold on to it. The context ends what runs in the background.
func New(ctx context.Context, factory informers.SharedInformerFactory, readOnly kubernetes.Interface, options Options) (*Engine, error) {
	if options.Parallelism == 0 {
		options.Parallelism = 2
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	logger := klog.FromContext(ctx)
	e := &Engine{
		options:    options,
		logger:     logger,
		lock:       make(chan struct{}, 1),
		snapshot:   internalcache.NewEmptySnapshot(),
		nominator:  newNominator(),
		namespaces: factory.Core().V1().Namespaces().Lister(),
		nodes:      map[string]*corev1.Node{},
		pods:       map[types.UID]*corev1.Pod{},
		priorities: map[int32]int{},
		forbidden:  options.Trace.Forbidden(),
		laid: objectOverlays{
			reflect.TypeFor[*corev1.PersistentVolume]():      &objectOverlay{},
			reflect.TypeFor[*corev1.PersistentVolumeClaim](): &objectOverlay{},
		},
	}
	e.moves.began = options.Now()
	fed := feed{factory, &e.handlers, e.laid}
	e.listers = plugins.NewListers(fed, e.forbidden)
	e.budgets = factory.Policy().V1().PodDisruptionBudgets().Lister()
	e.overlay = &overlay{Snapshot: e.snapshot}
	e.cache = newCache(ctx)
	request(factory)
	if err := e.build(ctx, fed, readOnly); err != nil {
		return nil, fmt.Errorf("build scheduler framework: %w", err)
	}
	return e, nil
}

// acquire waits for the engine; the function that it returns gives it back.
func (e *Engine) acquire(ctx context.Context) (release func(), err error) {
	select {
	case e.lock <- struct{}{}:
		return func() { <-e.lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// request registers every informer that plugins read, so that the factory's
// first start includes them all.
func request(factory informers.SharedInformerFactory) {
	core, apps, storage, devices := factory.Core().V1(), factory.Apps().V1(), factory.Storage().V1(), factory.Resource().V1()
	core.Nodes().Informer()
	core.Pods().Informer()
	core.Namespaces().Informer()
	core.PersistentVolumes().Informer()
	core.PersistentVolumeClaims().Informer()
	core.Services().Informer()
	core.ReplicationControllers().Informer()
	apps.ReplicaSets().Informer()
	apps.StatefulSets().Informer()
	storage.StorageClasses().Informer()
	storage.CSINodes().Informer()
	storage.CSIDrivers().Informer()
	storage.CSIStorageCapacities().Informer()
	storage.VolumeAttachments().Informer()
	factory.Policy().V1().PodDisruptionBudgets().Informer()
	devices.ResourceClaims().Informer()
	devices.ResourceSlices().Informer()
	devices.DeviceClasses().Informer()
	devices.DeviceTaintRules().Informer()
}

var silence sync.Once

// Silence keeps the log of the scheduler's code and of client-go off the
// terminal. It is the one place that sets klog's logger, once in a process, and has
// to be called before anything is started that logs: by main, and by TestMain.
func Silence() {
	silence.Do(func() { klog.SetLogger(logr.Discard()) })
}
