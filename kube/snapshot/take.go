package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Options say how a snapshot is taken.
type Options struct {
	Taken   time.Time
	TakenBy string   // fathom's version
	Keep    []string // of Keepable: what would be left out
}

// Snapshot is what goes into a file. The objects are the Source's own: they are
// scrubbed as they are written.
type Snapshot struct {
	info    Info
	objects []runtime.Object // in the order of kinds, then by namespace and name
	scrub   *scrubber
}

// Take gathers what explanations of state rest on. The source is asked what the
// engine would ask it, so the answers are the ones that a report of now has.
func Take(ctx context.Context, source *cluster.Source, state *model.Snapshot, options Options) (*Snapshot, error) {
	scrub, err := newScrubber(options.Keep)
	if err != nil {
		return nil, err
	}
	status := state.Status
	s := &Snapshot{scrub: scrub, info: Info{
		Taken: options.Taken.UTC(), TakenBy: options.TakenBy, Context: status.Context, Version: status.Version,
		Namespace: status.Namespace, Kept: options.Keep, Forbidden: source.Trace.Forbidden(),
	}}
	s.info.SetGroupVersionKind(infoKind)
	s.info.Gates = source.Gates
	if g := source.PodGroups; g != nil {
		s.info.PodGroups = &PodGroups{Unread: g.Unread, Composite: g.Composite, CompositeUnread: g.CompositeUnread}
	}
	for _, u := range status.Unread {
		s.info.Unread = append(s.info.Unread, Unread(u))
	}
	t := &taking{ctx: ctx, source: source, state: state, into: s}
	if err := t.read(); err != nil {
		return nil, err
	}
	t.askSchedulers()
	t.askAboutPods()
	t.addRefused()
	addWorkloads(t)
	s.info.Configuration = scrubbedConfiguration(source.Configuration)
	return s, ctx.Err()
}

// Count is how many objects it holds.
func (s *Snapshot) Count() int { return len(s.objects) }

// taking is one run of Take.
type taking struct {
	ctx    context.Context
	source *cluster.Source
	state  *model.Snapshot
	into   *Snapshot
}

// read gathers the objects of all kinds.
func (t *taking) read() error {
	for _, k := range kinds {
		var found []runtime.Object
		var err error
		switch {
		case k.resource == "pods":
			for _, p := range t.state.Pods {
				found = append(found, p.Object)
			}
		case k.resource == "nodes":
			for _, n := range t.state.Nodes {
				found = append(found, n.Object)
			}
		case k.resource == "events":
			found = append(t.events(), t.preempted()...)
		case k.beside:
			found = t.beside(k)
		case k.groups && !t.reads(k):
		default:
			found, err = t.held(k)
		}
		if err != nil {
			return fmt.Errorf("take snapshot: %w", err)
		}
		slices.SortStableFunc(found, byName)
		t.into.objects = append(t.into.objects, found...)
	}
	return nil
}

func byName(a, b runtime.Object) int {
	one, errOne := meta.Accessor(a)
	other, errOther := meta.Accessor(b)
	if errOne != nil || errOther != nil {
		return 0
	}
	return cmp.Or(cmp.Compare(one.GetNamespace(), other.GetNamespace()), cmp.Compare(one.GetName(), other.GetName()))
}

// reads says whether the source has a kind that is read only where pods name PodGroups.
func (t *taking) reads(k kind) bool {
	g := t.source.PodGroups
	return g != nil && g.Unread == "" && (k.resource == podGroups || g.Composite)
}

// held are the objects of a kind that the informers hold.
func (t *taking) held(k kind) ([]runtime.Object, error) {
	informer, err := t.source.Factory.ForResource(k.gvr())
	if err != nil {
		return nil, err
	}
	return informer.Lister().List(labels.Everything())
}

// beside lists a kind that no informer holds: in all namespaces, or where that is
// forbidden in those of pending pods.
func (t *taking) beside(k kind) []runtime.Object {
	found, err := cluster.ListAll(t.ctx, t.source.Client, k.resource, metav1.NamespaceAll)
	if err == nil {
		return found
	}
	why := err.Error()
	if apierrors.IsForbidden(err) {
		why = "not allowed to list " + k.resource
	}
	t.into.info.Unread = append(t.into.info.Unread, Unread{Resource: k.resource, Group: k.gvk.Group, Why: why})
	for _, namespace := range t.namespaces() {
		var objects []runtime.Object
		var err error
		switch k.resource {
		case "resourcequotas":
			objects, err = asked(t.ctx, t.source.Quotas, namespace, pointers[corev1.ResourceQuota])
		case "limitranges":
			objects, err = asked(t.ctx, t.source.LimitRanges, namespace, pointers[corev1.LimitRange])
		default:
			return found
		}
		answer := Asked{Resource: k.resource, Namespace: namespace}
		if err != nil {
			answer.Why = err.Error()
		}
		t.into.info.Asked = append(t.into.info.Asked, answer)
		found = append(found, objects...)
	}
	return found
}

// namespaces are those of pending pods.
func (t *taking) namespaces() []string {
	found := map[string]bool{}
	for _, k := range t.state.Pending {
		found[k.Namespace()] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// asked is what a source says of a namespace.
func asked[T any](ctx context.Context, ask func(context.Context, string) ([]T, error), namespace string, as func([]T) []runtime.Object) ([]runtime.Object, error) {
	if ask == nil {
		return nil, errors.New("not available from this source")
	}
	list, err := ask(ctx, namespace)
	return as(list), err
}

func pointers[T any, P interface {
	*T
	runtime.Object
}](list []T,
) []runtime.Object {
	objects := make([]runtime.Object, len(list))
	for i := range list {
		objects[i] = P(&list[i])
	}
	return objects
}

// askSchedulers asks about those that pending pods name.
func (t *taking) askSchedulers() {
	if t.source.SchedulerAlive == nil {
		return
	}
	names := map[string]bool{corev1.DefaultSchedulerName: true}
	if t.source.Configuration != nil {
		names[cmp.Or(t.source.Configuration.Alive(), corev1.DefaultSchedulerName)] = true
	}
	for _, k := range t.state.Pending {
		names[cmp.Or(k.First().Object.Spec.SchedulerName, corev1.DefaultSchedulerName)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		alive, known, why := t.source.SchedulerAlive(t.ctx, name)
		t.into.info.Schedulers = append(t.into.info.Schedulers, Scheduler{name, alive, known, why})
	}
}

// askAboutPods notes what others said of each pending pod.
func (t *taking) askAboutPods() {
	for _, k := range t.state.Pending {
		for _, p := range k.Pods {
			heard := t.heardOf(k, p.Object)
			if !reflect.DeepEqual(heard, Heard{UID: heard.UID}) {
				t.into.info.Heard = append(t.into.info.Heard, heard)
			}
		}
	}
}

// heardOf is what others said of a pending pod.
func (t *taking) heardOf(k *model.EquivalenceClass, pod *corev1.Pod) Heard {
	heard := Heard{UID: pod.UID}
	if t.source.AttemptSeen != nil {
		if at := t.source.AttemptSeen(t.ctx, pod); at != nil {
			heard.AttemptSeen = &at.Time
		}
	}
	if t.source.Autoscalers != nil && pod.Spec.NodeName == "" {
		words := t.source.Autoscalers(t.ctx, pod)
		for _, w := range words {
			heard.Autoscalers = append(heard.Autoscalers, Word{w.Component, w.Reason, w.Message, w.LastSeen.Time})
		}
		t.askAutoscalers(words)
	}
	t.hearControllers(k, pod, &heard)
	return heard
}

// hearControllers notes what the queue, the group and the nominator of a pending pod are.
func (t *taking) hearControllers(k *model.EquivalenceClass, pod *corev1.Pod, heard *Heard) {
	subject, held := kueue.SubjectOf(pod)
	if k.NotCreated != nil {
		subject, held = kueue.SubjectOfSuspended(k.NotCreated)
	}
	if held && t.source.Queue != nil {
		heard.Queue = t.source.Queue(t.ctx, subject)
	}
	if group, named := foreignpodgroups.SubjectOf(pod, func(*foreignpodgroups.Kind) bool { return true }); named && t.source.Group != nil {
		heard.Group = t.source.Group(t.ctx, group)
	}
	if t.source.Nominator != nil && pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" {
		heard.Nominator = t.source.Nominator(t.ctx, pod)
	}
}

// askAutoscalers notes what autoscalers of nodes say in objects, with the NodeClaims that their
// messages about a pod name.
func (t *taking) askAutoscalers(words []report.AutoscalerWord) {
	if t.source.Provisioning == nil {
		return
	}
	state := t.source.Provisioning(t.ctx, words)
	if state == nil {
		return
	}
	var known []provisioning.NodeClaim
	if old := t.into.info.Provisioning; old != nil && old.Karpenter != nil {
		known = old.Karpenter.Claims
	}
	copied := *state
	if state.Karpenter != nil {
		karpenter := *state.Karpenter
		karpenter.Claims = slices.Clone(known)
		for _, claim := range state.Karpenter.Claims {
			if !slices.ContainsFunc(known, func(other provisioning.NodeClaim) bool { return other.Name == claim.Name }) {
				karpenter.Claims = append(karpenter.Claims, claim)
			}
		}
		copied.Karpenter = &karpenter
	}
	t.into.info.Provisioning = &copied
}

// addWorkloads adds what fixes have to know of the Deployments and Jobs of pending pods.
func addWorkloads(t *taking) {
	if t.source.Facts == nil {
		return
	}
	sets := t.source.Factory.Apps().V1().ReplicaSets().Lister()
	asked := map[model.Ref]bool{}
	for _, k := range t.state.Pending {
		for _, p := range k.Pods {
			of, ok := command.WorkloadOf(sets, p.Object)
			if !ok || asked[of] || t.ctx.Err() != nil || p.Object.Spec.NodeName != "" || p.Object.Name == "" {
				continue
			}
			asked[of] = true
			t.into.info.Workloads = append(t.into.info.Workloads, t.source.Facts(t.ctx, of))
		}
	}
}

// addRefused adds the controllers whose pods were not created.
func (t *taking) addRefused() {
	for _, k := range t.state.Pending {
		if r := k.NotCreated; r != nil {
			t.into.info.NotCreated = append(t.into.info.NotCreated, NotCreated{
				Pod: r.Pod, Wanted: r.Wanted, Missing: r.Missing, Since: r.Since, Last: r.Last, Message: r.Message, Notes: r.Notes, Queue: r.Queue,
			})
		}
	}
}

// events are those about pending pods that explanations ask for: of bound ones,
// of the first of each kind, and of claims whose volumes are not there.
func (t *taking) events() []runtime.Object {
	if t.source.Events == nil {
		return nil
	}
	refs := map[model.Ref]bool{}
	for _, k := range t.state.Pending {
		if k.NotCreated != nil {
			continue
		}
		for i, p := range k.Pods {
			if i == 0 || p.Object.Spec.NodeName != "" {
				refs[p.Ref()] = true
			}
			for _, claim := range t.claims(p.Object) {
				refs[claim] = true
			}
		}
	}
	const atOnce = 8
	var (
		mu     sync.Mutex
		found  []runtime.Object
		asking sync.WaitGroup
		slots  = make(chan struct{}, atOnce)
	)
	for ref := range refs {
		asking.Go(func() {
			defer utilruntime.HandleCrash()
			slots <- struct{}{}
			defer func() { <-slots }()
			events, err := t.source.Events(t.ctx, ref)
			if err != nil {
				return // explanations do without, live as from a file
			}
			mu.Lock()
			defer mu.Unlock()
			for i, event := range events {
				found = append(found, eventObject(ref, i, event))
			}
		})
	}
	asking.Wait()
	return found
}

// preempted are the events that tell of pods that were preempted where pods wait that may replace them.
func (t *taking) preempted() (found []runtime.Object) {
	if t.source.Preempted == nil {
		return nil
	}
	asked := map[string]bool{}
	for _, k := range t.state.Pending {
		for _, p := range k.Pods {
			namespace := p.Object.Namespace
			if asked[namespace] || k.NotCreated != nil || p.Object.Spec.NodeName != "" || metav1.GetControllerOfNoCopy(p.Object) == nil {
				continue
			}
			asked[namespace] = true
			for _, event := range t.source.Preempted(t.ctx, namespace) {
				found = append(found, event)
			}
		}
	}
	return found
}

// claims are those of a pod without a node that have no volume yet.
func (t *taking) claims(pod *corev1.Pod) (refs []model.Ref) {
	if pod.Spec.NodeName != "" {
		return nil
	}
	lister := t.source.Factory.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(pod.Namespace)
	for _, v := range pod.Spec.Volumes {
		name := pod.Name + "-" + v.Name
		switch {
		case v.PersistentVolumeClaim != nil:
			name = v.PersistentVolumeClaim.ClaimName
		case v.Ephemeral == nil:
			continue
		}
		if claim, err := lister.Get(name); err == nil && claim.Status.Phase != corev1.ClaimBound {
			refs = append(refs, model.Ref{Resource: "persistentvolumeclaims", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID})
		}
	}
	return refs
}

// eventObject is an event as the API has it, to the microsecond.
func eventObject(of model.Ref, nth int, event model.Event) runtime.Object {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: fmt.Sprintf("%s.%s.%d", of.Name, strings.ToLower(byResource[of.Resource].gvk.Kind), nth)},
		InvolvedObject: corev1.ObjectReference{
			Kind: byResource[of.Resource].gvk.Kind, Namespace: of.Namespace, Name: of.Name, UID: of.UID,
		},
		Type: event.Type, Reason: event.Reason, Message: event.Message, ReportingController: event.Source,
		EventTime: metav1.NewMicroTime(event.First),
		Series:    &corev1.EventSeries{Count: event.Count, LastObservedTime: metav1.NewMicroTime(event.Last)},
	}
}
