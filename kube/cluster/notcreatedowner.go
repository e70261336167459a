package cluster

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// creator is a kind of controller that creates pods.
type creator struct {
	group, resource string
	list            func(ctx context.Context, client kubernetes.Interface, namespace string, options metav1.ListOptions) (runtime.Object, error)
}

// creators are all kinds whose pods Kubernetes' own controllers create, by kind.
// One object is listed by its name, for which the right to list is enough.
var creators = map[string]*creator{
	"ReplicaSet": {"apps", "replicasets", func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().ReplicaSets(ns).List(ctx, o)
	}},
	"StatefulSet": {"apps", "statefulsets", func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().StatefulSets(ns).List(ctx, o)
	}},
	"DaemonSet": {"apps", "daemonsets", func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().DaemonSets(ns).List(ctx, o)
	}},
	"Job": {"batch", "jobs", func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.BatchV1().Jobs(ns).List(ctx, o)
	}},
	"ReplicationController": {"", "replicationcontrollers", func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().ReplicationControllers(ns).List(ctx, o)
	}},
}

// verdict is what was found out about a suspect.
type verdict struct {
	is     *model.NotCreated // nil: its pods exist, or were not refused
	gone   bool              // there is no such controller
	unread *model.Unread     // it may not be read
	err    error             // it could not be read this time
}

// ask reads the suspect's live object.
func (r *RejectedPods) ask(ctx context.Context, s suspect) verdict {
	c := creators[s.kind]
	list, err := c.list(ctx, r.options.Client, s.namespace, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, s.name).String(),
	})
	switch {
	case apierrors.IsForbidden(err):
		return verdict{unread: &model.Unread{Resource: c.resource, Group: c.group, Why: "not allowed to list " + c.resource}}
	case err != nil:
		return verdict{err: err}
	}
	found := verdict{gone: true}
	err = meta.EachListItem(list, func(o runtime.Object) error {
		if of, err := meta.Accessor(o); err == nil && of.GetUID() == s.uid {
			found = verdict{is: r.judge(ctx, s, o)}
		}
		return nil
	})
	if err != nil {
		return verdict{err: err}
	}
	return found
}

// judge is what is missing of a controller's pods because they were rejected; nil if
// nothing is.
func (r *RejectedPods) judge(ctx context.Context, s suspect, object runtime.Object) *model.NotCreated {
	wanted, missing := lacks(object)
	if missing <= 0 {
		return nil
	}
	told := s.words
	switch condition, failed, _ := saysItself(object); {
	case failed:
		told.since = condition.since
		if told.last.Before(condition.since) {
			told.message, told.last = condition.message, condition.since
		}
	case s.kind == "ReplicaSet" || s.kind == "ReplicationController":
		return nil // its condition would say so
	default:
		newest, unknown := r.newestPod(s.owner)
		if told.last.IsZero() || r.now().Sub(told.last) > eventLife || !unknown && newest.After(told.last) {
			return nil // pods were created since: what is missing has other reasons
		}
		told.since = later(told.since, newest)
	}
	return r.refusedBy(ctx, s.owner, object, told, wanted, missing)
}

// refusedBy is a controller's rejection, with the pod that it would create as the
// API server would complete it. What LimitRanges fill in is left to whoever asks.
func (r *RejectedPods) refusedBy(ctx context.Context, of owner, object runtime.Object, told words, wanted, missing int) *model.NotCreated {
	planned, _ := admission.PodOf(object, of.namespace)
	pod := planned.Pod
	notes := append(planned.Notes, planned.WithoutClaims(pod)...)
	pod.UID, pod.CreationTimestamp = model.NotCreatedUID(of.uid), metav1.NewTime(told.since)
	corev1rules.SetObjectDefaults_Pod(pod)
	labelkeys.Merge(pod)
	rules := &Admission{Client: r.options.Client}
	rules.priority(ctx, pod)
	rules.runtimeClass(ctx, pod)
	tolerateLostNodes(pod)
	return &model.NotCreated{
		Pod: pod, Wanted: wanted, Missing: missing, Since: told.since, Last: told.last, Message: told.message,
		Notes: append(notes, rules.Caveats...),
	}
}

// Listed are the objects of a list that show which controllers' pods were rejected.
type Listed struct {
	Controllers []runtime.Object // that lack pods, with their templates
	Has         map[Kind]bool    // of which it has any controllers
	Events      []*corev1.Event
	Pods        []*corev1.Pod
	Taken       time.Time // when the list was
	// Client reads the PriorityClasses and RuntimeClasses of the list.
	Client kubernetes.Interface
}

// Kind is a kind of objects in a namespace.
type Kind struct{ Kind, Namespace string }

// RejectedIn finds the controllers whose pods were rejected in a list of objects, and the kinds of
// those of which only events are there.
func RejectedIn(ctx context.Context, list *Listed) (found []*model.NotCreated, unread []model.Unread) {
	byNamespace := map[string][]*corev1.Pod{}
	for _, pod := range list.Pods {
		byNamespace[pod.Namespace] = append(byNamespace[pod.Namespace], pod)
	}
	r := &RejectedPods{
		options: RejectedPodOptions{Client: list.Client, Reads: func(string) bool { return true }},
		now:     func() time.Time { return list.Taken }, podsIn: func(namespace string) ([]*corev1.Pod, error) { return byNamespace[namespace], nil },
		wake: make(chan struct{}, 1), suspects: map[types.UID]*suspect{},
	}
	for _, event := range list.Events {
		if event.Reason == controller.FailedCreatePodReason {
			r.seeEvent(event)
		}
	}
	for _, object := range list.Controllers {
		r.seeOwner(object)
	}
	objects := map[types.UID]runtime.Object{}
	for _, object := range list.Controllers {
		if of, err := meta.Accessor(object); err == nil {
			objects[of.GetUID()] = object
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(r.suspects)) {
		s := r.suspects[uid]
		switch object := objects[uid]; {
		case object == nil && list.Has[Kind{s.kind, s.namespace}]: // it is gone, or has all its pods
		case object == nil:
			unread = append(unread, model.Unread{Resource: "events", Why: "the file does not have " + s.kind + " " + s.namespace + "/" + s.name + ", whose pods kube-apiserver rejected"})
		default:
			if is := r.judge(ctx, *s, object); is != nil {
				found = append(found, is)
			}
		}
	}
	if lately := func(e *corev1.Event) bool { return list.Taken.Sub(model.NewEvent(e).Last) <= eventLife }; !slices.ContainsFunc(list.Events, lately) {
		unread = append(unread, model.Unread{Resource: "events", Why: "the file has no events of the last hour: pods that kube-apiserver rejected are known of ReplicaSets only"})
	}
	return found, unread
}

// CreatesPods says whether objects of a kind are controllers whose pods RejectedIn looks for.
func CreatesPods(kind string) bool { return creators[kind] != nil }

// LacksPods says whether such a controller wants more pods than there are.
func LacksPods(object runtime.Object) bool {
	_, missing := lacks(object)
	return missing > 0
}

// lacks counts the pods that a controller wants, and those of them that do not exist.
func lacks(object runtime.Object) (wanted, missing int) {
	if of, err := meta.Accessor(object); err != nil || of.GetDeletionTimestamp() != nil {
		return 0, 0
	}
	count := func(wanted, there int32) (int, int) { return int(wanted), int(wanted - there) }
	switch o := object.(type) {
	case *appsv1.ReplicaSet:
		return count(ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas)
	case *corev1.ReplicationController:
		return count(ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas)
	case *appsv1.StatefulSet:
		return count(ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas)
	case *appsv1.DaemonSet:
		return count(o.Status.DesiredNumberScheduled, o.Status.CurrentNumberScheduled)
	case *batchv1.Job:
		return count(jobWants(o), o.Status.Active)
	}
	return 0, 0
}

// jobWants is how many pods a Job wants at once now.
func jobWants(job *batchv1.Job) int32 {
	if ptr.Deref(job.Spec.Suspend, false) {
		return 0
	}
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return 0
		}
	}
	wants := ptr.Deref(job.Spec.Parallelism, 1)
	if job.Spec.Completions != nil {
		wants = min(wants, *job.Spec.Completions-job.Status.Succeeded)
	}
	if ptr.Deref(job.Spec.PodReplacementPolicy, batchv1.TerminatingOrFailed) == batchv1.Failed {
		wants -= ptr.Deref(job.Status.Terminating, 0) // these are replaced once they are gone
	}
	return wants
}

// itself is what a controller says of its failure.
type itself struct {
	message string
	since   time.Time
}

// saysItself reads the condition ReplicaFailure, which two kinds of controllers
// set while their pods cannot be created and take back after.
func saysItself(seen any) (said itself, failed bool, of owner) {
	switch o := seen.(type) {
	case *appsv1.ReplicaSet:
		of = owner{"ReplicaSet", o.Namespace, o.Name, o.UID}
		for _, c := range o.Status.Conditions {
			if c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue && c.Reason == controller.FailedCreatePodReason {
				return itself{c.Message, c.LastTransitionTime.Time}, true, of
			}
		}
	case *corev1.ReplicationController:
		of = owner{"ReplicationController", o.Namespace, o.Name, o.UID}
		for _, c := range o.Status.Conditions {
			if c.Type == corev1.ReplicationControllerReplicaFailure && c.Status == corev1.ConditionTrue && c.Reason == controller.FailedCreatePodReason {
				return itself{c.Message, c.LastTransitionTime.Time}, true, of
			}
		}
	case *appsv1.StatefulSet:
		of = owner{"StatefulSet", o.Namespace, o.Name, o.UID}
	}
	return itself{}, false, of
}

// newestPod is when the newest pod of a controller was created; the zero time
// where it has none, and unknown where pods may not be read.
func (r *RejectedPods) newestPod(of owner) (newest time.Time, unknown bool) {
	if !r.options.Reads("pods") {
		return time.Time{}, true
	}
	pods, err := r.podsIn(of.namespace)
	if err != nil {
		return time.Time{}, true
	}
	for _, pod := range pods {
		if by := metav1.GetControllerOfNoCopy(pod); by != nil && by.UID == of.uid {
			newest = later(newest, pod.CreationTimestamp.Time)
		}
	}
	return newest, false
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// alike reports whether two findings are equal.
func alike(a, b *model.NotCreated) bool {
	if a == nil || b == nil {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}
