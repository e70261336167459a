package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// SuspendedJobs finds the Jobs that Kueue keeps suspended: those with the name of a queue that have
// no pods. They are watched only where Kueue is served.
type SuspendedJobs struct {
	options SuspendedOptions
	wake    chan struct{} // capacity one: a Job changed

	mu      sync.Mutex
	seeking bool
	unread  string
	known   map[types.UID]suspendedJob
	found   []*model.NotCreated
	classes map[string]*corev1.Pod // what admission fills in of a PriorityClass, by its name
}

// SuspendedOptions are what suspended Jobs are found by.
type SuspendedOptions struct {
	Watcher   kubernetes.Interface // reads; its watches last
	Client    kubernetes.Interface // reads, and gives up soon
	Namespace string               // "" is all
	Groups    *metav1.APIGroupList // that the server has; nil where it was not asked
	// Pods are those that are read, nil while they are not in: where Groups are not known one of
	// them has to show that there is Kueue before the server is asked for more.
	Pods    func() []*corev1.Pod
	Ask     func(context.Context) *metav1.APIGroupList // for the groups then; nil where that fails
	Changed func()                                     // is called when the result changed
	Stale   <-chan struct{}                            // closed: the source is no longer used
}

// suspendedJob is what a Job came to.
type suspendedJob struct {
	version string // of the Job
	is      *model.NotCreated
}

// NewSuspendedJobs makes one that knows nothing yet; Run looks for Jobs.
func NewSuspendedJobs(options SuspendedOptions) *SuspendedJobs {
	seeking := options.Groups == nil || versionOf(options.Groups, model.KueueGroup) != ""
	return &SuspendedJobs{
		options: options, wake: make(chan struct{}, 1), seeking: seeking, known: map[types.UID]suspendedJob{}, classes: map[string]*corev1.Pod{},
	}
}

// Run watches Jobs with a queue until ctx ends or the source is no longer used; where Kueue is not
// served it does nothing.
func (s *SuspendedJobs) Run(ctx context.Context) {
	if !s.served(ctx) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	informer := s.informer()
	changed := func(any) { s.poke() }
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: changed, UpdateFunc: func(_, is any) { changed(is) }, DeleteFunc: changed}); err != nil {
		return
	}
	go func() {
		defer utilruntime.HandleCrash()
		informer.RunWithContext(ctx)
	}()
	go func() {
		defer utilruntime.HandleCrash()
		if cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			s.poke()
		}
	}()
	for {
		select {
		case <-s.wake:
		case <-s.options.Stale:
			return
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(together):
		case <-ctx.Done():
			return
		}
		synced := informer.HasSynced() // before the list, which is whole then
		s.round(ctx, informer.GetStore().List(), synced)
	}
}

// served waits, where the API groups are not known, until a pod shows that there is Kueue, and
// reports whether its API is served. Until then nothing is asked for.
func (s *SuspendedJobs) served(ctx context.Context) bool {
	if s.options.Groups != nil {
		return versionOf(s.options.Groups, model.KueueGroup) != ""
	}
	for {
		pods := s.options.Pods()
		pace := askAgain
		switch {
		case pods == nil:
			pace = together
		case slices.ContainsFunc(pods, showsKueue):
			if groups := s.options.Ask(ctx); groups != nil {
				is := versionOf(groups, model.KueueGroup) != ""
				s.seek(is)
				return is
			}
			s.seek(false)
		default:
			s.seek(false)
		}
		select {
		case <-time.After(pace):
		case <-s.options.Stale:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// showsKueue reports whether a pod is one of Kueue's own, or one that it manages.
func showsKueue(pod *corev1.Pod) bool {
	if _, of := pod.Labels[model.KueueQueueLabel]; of || pod.Labels["app.kubernetes.io/name"] == "kueue" {
		return true
	}
	return slices.ContainsFunc(pod.Spec.SchedulingGates, func(gate corev1.PodSchedulingGate) bool { return model.GateDomain(gate.Name) == model.KueueGroup })
}

// seek notes whether Jobs are still looked for.
func (s *SuspendedJobs) seek(seeking bool) {
	s.mu.Lock()
	was := s.seeking
	s.seeking = seeking
	s.mu.Unlock()
	if was != seeking {
		s.options.Changed()
	}
}

// informer is the one of Jobs that name a queue, not started yet.
func (s *SuspendedJobs) informer() cache.SharedIndexInformer {
	jobs := s.options.Watcher.BatchV1().Jobs(s.options.Namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = model.KueueQueueLabel
			list, err := jobs.List(ctx, o)
			s.listed(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = model.KueueQueueLabel
			return jobs.Watch(ctx, o)
		},
	}
	informer := cache.NewSharedIndexInformerWithOptions(
		cache.ToListWatcherWithWatchListSemantics(source, s.options.Watcher), &batchv1.Job{}, cache.SharedIndexInformerOptions{})
	_ = informer.SetTransform(stripJob) // these fail only once started
	_ = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {})
	return informer
}

// poke has the Jobs looked at soon.
func (s *SuspendedJobs) poke() {
	select {
	case s.wake <- struct{}{}:
	default: // they are to be already
	}
}

// listed notes whether Jobs may be listed.
func (s *SuspendedJobs) listed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.unread
	switch {
	case err == nil:
		s.unread = ""
	case apierrors.IsForbidden(err):
		s.unread, s.seeking = "not allowed to list jobs", false
	}
	if s.unread != was {
		s.options.Changed()
	}
}

// stripJob keeps what is needed of a Job: of one that is not suspended little.
func stripJob(object any) (any, error) {
	job, ok := object.(*batchv1.Job)
	if !ok {
		return object, nil
	}
	job.ManagedFields, job.Annotations = nil, nil
	if !waitsForQueue(job) {
		job.Spec.Template = corev1.PodTemplateSpec{}
	}
	return job, nil
}

// waitsForQueue reports whether a queue keeps the Job suspended, and it has no pods.
func waitsForQueue(job *batchv1.Job) bool {
	finished := slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	})
	return job.Labels[model.KueueQueueLabel] != "" && ptr.Deref(job.Spec.Suspend, false) && job.Status.Active == 0 && job.DeletionTimestamp == nil && !finished
}

// round takes over the Jobs as they are, and reports if anything changed.
func (s *SuspendedJobs) round(ctx context.Context, jobs []any, synced bool) {
	is := map[types.UID]suspendedJob{}
	for _, object := range jobs {
		job, ok := object.(*batchv1.Job)
		if !ok || !waitsForQueue(job) {
			continue
		}
		if old, there := s.known[job.UID]; there && old.version == job.ResourceVersion {
			is[job.UID] = old
			continue
		}
		is[job.UID] = suspendedJob{job.ResourceVersion, s.refused(ctx, job)}
	}
	if ctx.Err() != nil {
		return
	}
	found := make([]*model.NotCreated, 0, len(is))
	for _, uid := range slices.Sorted(maps.Keys(is)) {
		found = append(found, is[uid].is)
	}
	s.mu.Lock()
	news := s.seeking && synced || !slices.Equal(found, s.found)
	s.known, s.found, s.seeking = is, found, s.seeking && !synced
	s.mu.Unlock()
	if news {
		s.options.Changed()
	}
}

// refused is a Job whose pods do not exist, with one of them as the API server would complete it.
func (s *SuspendedJobs) refused(ctx context.Context, job *batchv1.Job) *model.NotCreated {
	resumed := job.DeepCopy()
	resumed.Spec.Suspend = nil
	wants := max(1, int(jobWants(resumed)))
	planned, _ := admission.PodOf(job, job.Namespace)
	pod, since := planned.Pod, job.CreationTimestamp.Time
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobSuspended && c.Status == corev1.ConditionTrue {
			since = later(since, c.LastTransitionTime.Time)
		}
	}
	pod.UID, pod.CreationTimestamp = model.NotCreatedUID(job.UID), metav1.NewTime(since)
	corev1rules.SetObjectDefaults_Pod(pod)
	labelkeys.Merge(pod)
	rules := &Admission{Client: s.options.Client}
	s.priority(ctx, rules, pod)
	rules.runtimeClass(ctx, pod)
	tolerateLostNodes(pod)
	return &model.NotCreated{
		Pod: pod, Queue: job.Labels[model.KueueQueueLabel], Wanted: wants, Missing: wants, Since: since, Notes: append(planned.Notes, rules.Caveats...),
	}
}

// priority fills in the pod's priority. Each class is asked for once.
func (s *SuspendedJobs) priority(ctx context.Context, rules *Admission, pod *corev1.Pod) {
	name := pod.Spec.PriorityClassName
	if class, ok := s.classes[name]; ok {
		pod.Spec.PriorityClassName, pod.Spec.Priority, pod.Spec.PreemptionPolicy = class.Spec.PriorityClassName, class.Spec.Priority, class.Spec.PreemptionPolicy
		return
	}
	rules.priority(ctx, pod)
	if pod.Spec.Priority != nil {
		s.classes[name] = &corev1.Pod{Spec: corev1.PodSpec{
			PriorityClassName: pod.Spec.PriorityClassName, Priority: pod.Spec.Priority, PreemptionPolicy: pod.Spec.PreemptionPolicy,
		}}
	}
}

// Found are the suspended Jobs.
func (s *SuspendedJobs) Found() []*model.NotCreated {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found
}

// Status adds what is not known.
func (s *SuspendedJobs) Status(status *model.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status.Seeking = status.Seeking || s.seeking
	if u := (model.Unread{Resource: "jobs", Group: "batch", Why: s.unread}); s.unread != "" && !slices.Contains(status.Unread, u) {
		status.Unread = append(status.Unread, u)
	}
}
