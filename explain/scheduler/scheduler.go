// Package scheduler embeds kube-scheduler: its cache, its profiles with their
// plugins, and simulated states that lie over the real one. It finds which plugin
// rejects which node; the sentences about that are made elsewhere.
package scheduler

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// Options say what a Scheduler cannot know from its informers. All may be
// zero.
type Options struct {
	// Unreadable holds the resources that could not be listed; nil: all could.
	Unreadable *Unreadable
	// Namespace is the only one whose pods could be read; "": all of them.
	Namespace string
	// Configuration is kube-scheduler's; nil: the default profile is assumed.
	Configuration *Configuration
	// Parallelism is how many goroutines run plugins; 0: 2.
	Parallelism int
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Scheduler is kube-scheduler's profiles, with their plugins, on the state that
// Apply and the informers give it. There is one per informer factory. All but
// Apply, Touch and Moved is called by whoever has acquired it.
type Scheduler struct {
	State *State
	// Forbidden says by resource why it could not be listed.
	Forbidden map[string]string
	// Notes say what of kube-scheduler's configuration is not reproduced.
	Notes []string
	// Evaluations is how often Evaluate has run.
	Evaluations int

	options    Options
	lock       chan struct{} // holds one token while somebody has the scheduler
	dra        *tracedDRA
	client     kubernetes.Interface // reads only
	namespaces corelisters.NamespaceLister

	profiles map[string]*Profile // by the scheduler name that pods give
	standard *Profile            // for pods whose scheduler has none of them
	backoff  time.Duration       // the longest that a pod backs off between two attempts

	handlers   []cache.ResourceEventHandlerRegistration // of plugins' own caches that may still be filling
	evaluation Matrix                                   // reused from one evaluation to the next
	trial      Matrix                                   // reused from one trial to the next
}

// New builds the profiles around factory, which must not have been started,
// and asks it for every informer that the plugins read. readOnly has to refuse
// writes; plugins hold on to it. The context ends what runs in the background.
func New(ctx context.Context, factory informers.SharedInformerFactory, readOnly kubernetes.Interface, options Options) (*Scheduler, error) {
	if options.Parallelism == 0 {
		options.Parallelism = 2
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Scheduler{
		options:    options,
		lock:       make(chan struct{}, 1),
		State:      newState(ctx, options.Now),
		Forbidden:  options.Unreadable.Forbidden(),
		namespaces: factory.Core().V1().Namespaces().Lister(),
		client:     readOnly,
	}
	fed := informerSet{factory, &s.handlers, s.State.objects, s.State.likeOf}
	s.State.Listers = plugins.NewListers(fed, s.Forbidden)
	request(factory)
	if err := s.build(ctx, fed, readOnly); err != nil {
		return nil, fmt.Errorf("build scheduler framework: %w", err)
	}
	for _, p := range s.profiles {
		s.State.selected.any = s.State.selected.any || spreadsByDefault(p)
	}
	return s, nil
}

// Acquire waits for the scheduler; the function that it returns gives it back.
func (s *Scheduler) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case s.lock <- struct{}{}:
		return func() { <-s.lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Hold acquires the scheduler and runs do in the simulated state; nil: in the real
// one. A panic comes back as an error, and forks that do left are reverted.
func (s *Scheduler) Hold(ctx context.Context, on *SimulatedState, do func() error) (err error) {
	release, err := s.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	defer func() {
		if r := recover(); r != nil {
			err = newPanicked(r)
		}
		s.State.overlay.fork = nil
	}()
	s.Settle(ctx)
	if on == nil {
		return do()
	}
	defer on.enter()()
	return do()
}

// Question is what explainers may look at for the pod.
func (p *Profile) Question(pod *corev1.Pod) *plugins.Question {
	s := p.Scheduler
	info, _ := framework.NewPodInfo(pod) // terms that do not parse count as none; InterPodAffinity says so itself
	return &plugins.Question{
		Pod: pod, PodInfo: info, Nodes: s.State.overlay, DRA: s.dra,
		Namespaces: s.namespaces, Listers: s.State.Listers, Groups: s.State.groups, Logger: s.State.Logger,
		Now: s.options.Now(), Backoff: s.backoff, Args: p.Args,
	}
}

// MaxInUnschedulablePods is after how long the scheduler retries a pod that nothing has
// moved (DefaultPodMaxInUnschedulablePodsDuration of pkg/scheduler/backend/queue).
const MaxInUnschedulablePods = 5 * time.Minute

// Considers says whether the scheduler would place the pod as soon as it fits.
func (s *Scheduler) Considers(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && !Terminal(pod) &&
		len(pod.Spec.SchedulingGates) == 0 && s.Filters(NameOf(pod))
}

// NameOf is whom the pod asks to place it; the API server fills it in,
// manifests often leave it out.
func NameOf(pod *corev1.Pod) string {
	if pod.Spec.SchedulerName == "" {
		return corev1.DefaultSchedulerName
	}
	return pod.Spec.SchedulerName
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
