package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	schedulingrules "k8s.io/kubernetes/pkg/apis/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Source serves the file as a cluster in which nothing ever happens. Each call
// gives a Source of its own over the same objects.
func (f *File) Source() (*cluster.Source, error) {
	client, err := f.client()
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	trace := scheduler.NewUnreadable()
	for _, k := range kinds {
		why := f.why(k)
		switch {
		case k.beside:
		case k.groups:
			f.serve(factory, k)
		case why != "" && (k.resource != deviceClasses || !withoutDRA(f)):
			if err := trace.Forbid(factory, k.resource, why); err != nil {
				return nil, fmt.Errorf("open snapshot: %w", err)
			}
		default:
			f.serve(factory, k)
		}
	}
	refused, unread := f.refused()
	status := f.status(unread)
	return &cluster.Source{
		Factory: factory,
		Client:  client,
		Trace:   trace,
		Status:  func() model.Status { return status },
		Now:     func() time.Time { return f.Info.Taken },
		Usage: func(context.Context) (*model.Usage, error) {
			return nil, errors.New("a snapshot has no metrics")
		},
		NotCreated: func() []*model.NotCreated { return refused },
		Lookups: explain.Lookups{
			SchedulerAlive: f.schedulerAlive,
			AttemptSeen:    f.attemptSeen,
			Autoscalers:    f.autoscalers,
			Preempted:      func(_ context.Context, namespace string) []*corev1.Event { return preemptedIn(f, namespace) },
			Provisioning:   f.provisioning,
			Queue:          f.queue,
			Group:          func(_ context.Context, of foreignpodgroups.Subject) *foreignpodgroups.State { return groupIn(f, of) },
			Nominator:      func(_ context.Context, pod *corev1.Pod) *report.Nominator { return nominatorIn(f, pod) },
			Whole:          func(_ context.Context, pod *corev1.Pod) (*corev1.Pod, error) { return wholeIn(f, pod) },
			Facts:          func(_ context.Context, of model.Ref) command.Facts { return factsIn(f, of) },
			Events:         f.Events,
			EventsUnread:   func(context.Context, string) string { return f.why(byResource["events"]) },
			Quotas: func(_ context.Context, namespace string) ([]corev1.ResourceQuota, error) {
				return inNamespace[corev1.ResourceQuota](f, "resourcequotas", namespace)
			},
			MissingClasses: func(ctx context.Context, pod *corev1.Pod) []report.Rejection {
				return missingClassesIn(ctx, f, client, pod)
			},
			LimitRanges: func(_ context.Context, namespace string) ([]corev1.LimitRange, error) {
				return inNamespace[corev1.LimitRange](f, "limitranges", namespace)
			},
		},
		Configuration: f.configuration(),
		PodGroups:     f.podGroups(),
		Gates:         f.Info.Gates,
		Objects:       f.listed,
	}, nil
}

// why says why a kind is not known; "" if all of it is there. A List of kubectl
// does not tell a kind that was not asked for from one of which there is none.
func (f *File) why(k kind) string {
	if f.Own && k.beside {
		if k.resource == leases && len(f.objects[leases]) == 0 {
			return cmp.Or(f.Info.unread(leases), "the snapshot has no leases") // an older one has none
		}
		return f.Info.unread(k.resource)
	}
	if f.Own {
		return f.Info.Forbidden[k.resource]
	}
	if len(f.objects[k.resource]) > 0 {
		return ""
	}
	if version := f.other[k.resource]; version != "" {
		return fmt.Sprintf("the file has %s of %s only, and fathom reads %s", k.resource, version, k.gvk.GroupVersion())
	}
	return Absent(k.resource)
}

// deviceClasses are the resource by which every pod with an extended resource may depend on DRA.
const deviceClasses = "deviceclasses"

// withoutDRA reports whether nothing in a List of kubectl shows that the cluster uses dynamic resource
// allocation. Then extended resources are taken to be those of device plugins: most clusters
// have no DeviceClass, and their lists have none.
func withoutDRA(f *File) bool {
	for _, resource := range []string{deviceClasses, "resourceslices", "resourceclaims", "devicetaintrules"} {
		if len(f.objects[resource]) > 0 || f.other[resource] != "" {
			return false
		}
	}
	return !f.Own && !slices.ContainsFunc(f.objects["pods"], func(o runtime.Object) bool {
		pod, ok := o.(*corev1.Pod)
		return ok && (len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil)
	})
}

// Absent says that kubectl's output has no object of a resource.
func Absent(resource string) string { return "the file has no " + resource }

// listed are the objects of a resource that no informer holds, or why they are not known.
func (f *File) listed(_ context.Context, resource string) ([]runtime.Object, error) {
	k, ok := byResource[resource]
	if !ok {
		return nil, fmt.Errorf("the snapshot has no %s", resource)
	}
	if why := f.why(k); why != "" {
		return nil, errors.New(why)
	}
	return f.objects[resource], nil
}

// serve makes the factory read a kind from the file.
func (f *File) serve(factory informers.SharedInformerFactory, k kind) {
	factory.InformerFor(k.object, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformerWithOptions(still(f.objects[k.resource]), k.object, cache.SharedIndexInformerOptions{
			Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		})
	})
}

// still lists what does not change.
type still []runtime.Object

// List implements cache.ListerWatcher.
func (s still) List(metav1.ListOptions) (runtime.Object, error) {
	list := &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: make([]runtime.RawExtension, len(s))}
	for i, object := range s {
		list.Items[i].Object = object
	}
	return list, nil
}

// Watch implements cache.ListerWatcher.
func (still) Watch(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil }

// IsWatchListSemanticsUnSupported makes reflectors list first.
func (still) IsWatchListSemanticsUnSupported() bool { return true }

// status says where the state comes from, and what is not known of it besides kinds.
func (f *File) status(unread []model.Unread) model.Status {
	status := model.Status{
		Context: f.Info.Context, Version: f.Info.Version, Namespace: f.Info.Namespace, Taken: f.Info.Taken,
		Connection: model.Connection{Live: true, Heard: f.Info.Taken},
	}
	if f.Own {
		for _, u := range f.Info.Unread {
			if !byResource[u.Resource].beside || u.Resource == "events" {
				status.Unread = append(status.Unread, model.Unread(u))
			}
		}
		return status
	}
	if f.Info.Namespace != "" {
		status.Unread = append(status.Unread, model.Unread{
			Resource: "pods", Why: "the file has pods of " + f.Info.Namespace + " only",
		})
	}
	for _, k := range kinds {
		if why := f.why(k); why != "" && !k.groups && k.resource != "events" { // what events leave open is in unread
			status.Unread = append(status.Unread, model.Unread{Resource: k.resource, Group: k.gvk.Group, Why: why})
		}
	}
	status.Unread = append(status.Unread, unread...)
	return status
}

func (f *File) schedulerAlive(_ context.Context, name string) (alive, known bool, why string) {
	for _, s := range f.Info.Schedulers {
		if s.Name == name {
			return s.Alive, s.Known, s.Why
		}
	}
	if !f.Own {
		return aliveByLease(f, name)
	}
	return false, false, "the snapshot does not have it"
}

func (f *File) attemptSeen(_ context.Context, pod *corev1.Pod) *metav1.Time {
	for _, h := range f.Info.Heard {
		if h.UID == pod.UID && h.AttemptSeen != nil {
			return &metav1.Time{Time: *h.AttemptSeen}
		}
	}
	if f.Own {
		return nil
	}
	var newest *metav1.Time
	for _, event := range f.events(model.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}) {
		if event.Reason == "FailedScheduling" && event.Source == pod.Spec.SchedulerName && (newest == nil || newest.Time.Before(event.Last)) {
			newest = &metav1.Time{Time: event.Last}
		}
	}
	return newest
}

func (f *File) autoscalers(_ context.Context, pod *corev1.Pod) (words []report.AutoscalerWord) {
	if !f.Own {
		for _, event := range f.events(model.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}) {
			if provisioning.IsAutoscaler(event.Source) {
				words = provisioning.WithNewest(words, event)
			}
		}
		return words
	}
	for _, h := range f.Info.Heard {
		if h.UID == pod.UID {
			for _, w := range h.Autoscalers {
				words = append(words, report.AutoscalerWord{
					Component: w.Component, Reason: w.Reason, Message: w.Message, LastSeen: metav1.NewTime(w.LastSeen),
				})
			}
		}
	}
	return words
}

// provisioning is what autoscalers of nodes said, with the NodeClaims that messages name.
func (f *File) provisioning(_ context.Context, about []report.AutoscalerWord) *provisioning.State {
	state := f.Info.Provisioning
	if state == nil || state.Karpenter == nil {
		return state
	}
	copied, karpenter := *state, *state.Karpenter
	copied.Karpenter, karpenter.Claims = &karpenter, nil
	named := provisioning.Nominated(about)
	for _, claim := range state.Karpenter.Claims {
		if slices.Contains(named, claim.Name) {
			karpenter.Claims = append(karpenter.Claims, claim)
		}
	}
	return &copied
}

// queue is what the controller of a queue said of a pod.
func (f *File) queue(_ context.Context, of kueue.Subject) *kueue.State {
	for i := range f.Info.Heard {
		if f.Info.Heard[i].UID == of.UID {
			return f.Info.Heard[i].Queue
		}
	}
	return nil
}

// groupIn is what another scheduler said of the PodGroup that a pod names. Of a List of kubectl it is not known
// whether one that is not there exists.
func groupIn(f *File, of foreignpodgroups.Subject) *foreignpodgroups.State {
	if !f.Own {
		return f.custom.group(of)
	}
	for i := range f.Info.Heard {
		if h := &f.Info.Heard[i]; h.UID == of.UID && h.Group != nil && of.Has(h.Group.Group, h.Group.Name) {
			return h.Group
		}
	}
	return nil
}

// nominatorIn is who set the nominatedNodeName of a pod.
func nominatorIn(f *File, pod *corev1.Pod) *report.Nominator {
	for i := range f.Info.Heard {
		if f.Info.Heard[i].UID == pod.UID {
			return f.Info.Heard[i].Nominator
		}
	}
	return nil
}

// wholeIn is a pod with all its fields, which only a List of kubectl has.
func wholeIn(f *File, pod *corev1.Pod) (*corev1.Pod, error) {
	if f.Own {
		return nil, errors.New("a snapshot has no security contexts")
	}
	return pod, nil
}

// missingClassesIn is what rejects a pod because the file does not have a class that it names, where it has
// all of them. A List of kubectl has all PriorityClasses if it has those that every cluster has; whether it
// has all RuntimeClasses is not known.
func missingClassesIn(ctx context.Context, f *File, client kubernetes.Interface, pod *corev1.Pod) []report.Rejection {
	if !f.Own {
		pod = pod.DeepCopy()
		pod.Spec.RuntimeClassName = nil
		for _, class := range schedulingrules.SystemPriorityClasses() {
			if _, there := f.places[objectKey{"priorityclasses", "", class.Name}]; !there {
				return nil
			}
		}
	}
	return cluster.MissingClasses(ctx, client, pod)
}

// factsIn are what fixes have to know of a Deployment or Job.
func factsIn(f *File, of model.Ref) command.Facts {
	for _, facts := range f.Info.Workloads {
		if facts.UID == of.UID {
			return facts
		}
	}
	switch {
	case f.Own:
		return command.Facts{UID: of.UID, Unread: "the snapshot does not have it"}
	case len(f.Info.Workloads) > 0:
		return command.Facts{UID: of.UID, Unread: "the file does not have it"}
	}
	return command.Facts{UID: of.UID, Unread: Absent(of.Resource)}
}

// podGroups says what the file has of PodGroups; nil where no pod names one. Of a List of kubectl it is
// not known whether one that is not there exists.
func (f *File) podGroups() *cluster.PodGroups {
	if g := f.Info.PodGroups; g != nil {
		return &cluster.PodGroups{Unread: g.Unread, Composite: g.Composite, CompositeUnread: g.CompositeUnread}
	}
	if !slices.ContainsFunc(f.objects["pods"], func(o runtime.Object) bool {
		pod, ok := o.(*corev1.Pod)
		return ok && pod.Spec.SchedulingGroup != nil
	}) {
		return nil
	}
	if len(f.objects[podGroups]) == 0 {
		return &cluster.PodGroups{Unread: Absent(podGroups)}
	}
	g := &cluster.PodGroups{Composite: len(f.objects[compositePodGroups]) > 0}
	if !g.Composite {
		g.CompositeUnread = Absent(compositePodGroups)
	}
	return g
}

// configuration is the scheduler's; nil where the file has none.
func (f *File) configuration() *scheduler.Configuration {
	if f.Info.Configuration == nil {
		return nil
	}
	return &scheduler.Configuration{Data: []byte(f.Info.Configuration.Data), Source: f.Info.Configuration.Source}
}

// NodeLease is when the kubelet of a node renewed its Lease, where the file has that.
// fathom's own snapshots have no Leases of nodes.
func (f *File) NodeLease(_ context.Context, node string) (time.Time, error) {
	for _, lease := range leasesIn(f) {
		if lease.Namespace == corev1.NamespaceNodeLease && lease.Name == node {
			return model.RenewedAt(lease), nil
		}
	}
	return time.Time{}, fmt.Errorf("get the Lease of %s: the snapshot has none", node)
}

// Events are those about an object that the file holds, newest first. A List of kubectl with events of the object's
// namespace, or of several, has all that there were.
func (f *File) Events(_ context.Context, ref model.Ref) ([]model.Event, error) {
	found := f.events(ref)
	if len(found) > 0 {
		return found, nil
	}
	if f.Own {
		return nil, fmt.Errorf("list events of %s: the snapshot has none", ref.Name)
	}
	in := map[string]bool{}
	for _, object := range f.objects["events"] {
		if e, ok := object.(*corev1.Event); ok {
			in[e.InvolvedObject.Namespace] = true
		}
	}
	if len(in) > 1 || in[ref.Namespace] {
		return nil, nil
	}
	return nil, fmt.Errorf("list events of %s: the file has none of its namespace", ref.Name)
}

func (f *File) events(ref model.Ref) (found []model.Event) {
	kind := byResource[strings.SplitN(ref.Resource, ".", 2)[0]].gvk.Kind
	for _, object := range f.objects["events"] {
		e, ok := object.(*corev1.Event)
		if !ok {
			continue
		}
		of := e.InvolvedObject
		if of.Kind == kind && of.Name == ref.Name && of.Namespace == ref.Namespace && (ref.UID == "" || of.UID == ref.UID || ref.Namespace == "") {
			found = append(found, model.NewEvent(e))
		}
	}
	slices.SortStableFunc(found, func(a, b model.Event) int { return b.Last.Compare(a.Last) })
	return found
}

// inNamespace are the objects of a resource in a namespace, or why they are not
// known.
func inNamespace[T any, P interface {
	*T
	runtime.Object
	metav1.Object
}](f *File, resource, namespace string,
) (found []T, err error) {
	if why := f.unlisted(resource, namespace); why != "" {
		return nil, errors.New(why)
	}
	for _, object := range f.objects[resource] {
		if o, ok := object.(P); ok && o.GetNamespace() == namespace {
			found = append(found, *o)
		}
	}
	return found, nil
}

// unlisted says why a resource of a namespace is not known; "" if it is.
func (f *File) unlisted(resource, namespace string) string {
	why := f.why(byResource[resource])
	if why == "" {
		return ""
	}
	for _, a := range f.Info.Asked {
		if a.Resource == resource && a.Namespace == namespace {
			return a.Why
		}
	}
	return cmp.Or(why, "the snapshot has none")
}

// preemptedIn are the events that tell of pods of a namespace that were preempted.
func preemptedIn(f *File, namespace string) (found []*corev1.Event) {
	for _, object := range f.objects["events"] {
		if e, ok := object.(*corev1.Event); ok && e.Reason == model.PreemptedReason && e.InvolvedObject.Namespace == namespace {
			found = append(found, e)
		}
	}
	return found
}
