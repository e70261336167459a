package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
)

// Use is what a client may do.
type Use int

// The uses of a client.
const (
	Reads  Use = iota // every write fails
	Tries             // every write is a dry run
	Writes            // everything
)

// forget is the period in which the recorded actions of a fake clientset are cleared.
const forget = time.Second

// Client makes a client of the store. It is client-go's fake clientset, which handles one
// request at a time: code that runs within a request needs another client.
func (s *Store) Client(ctx context.Context, use Use) kubernetes.Interface {
	r, set := reactor{s}, &fake.Clientset{}
	set.AddReactor("*", "*", func(action testing.Action) (bool, runtime.Object, error) {
		object, err := r.react(action, use)
		if err != nil || object == nil {
			return true, nil, err
		}
		return true, object, nil
	})
	set.AddWatchReactor("*", func(action testing.Action) (bool, watch.Interface, error) {
		w, err := r.watch(action)
		return true, w, err
	})
	go func() {
		defer utilruntime.HandleCrash()
		ticker := s.clock.NewTicker(forget)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C():
				set.ClearActions()
			}
		}
	}()
	return set
}

// reactor handles the requests of a fake clientset.
type reactor struct{ store *Store }

// queryOf is the request of an action.
func (r reactor) queryOf(action testing.Action, name string) (query, error) {
	of, ok := r.store.kinds[action.GetResource()]
	if !ok {
		return query{}, apierrors.NewNotFound(action.GetResource().GroupResource(), name)
	}
	return query{
		kind: of, name: types.NamespacedName{Namespace: action.GetNamespace(), Name: name}, subresource: action.GetSubresource(),
	}, nil
}

// react handles one request. Objects that the caller may change are copies.
func (r reactor) react(action testing.Action, use Use) (runtime.Object, error) {
	switch action := action.(type) {
	case testing.GetActionImpl:
		q, err := r.queryOf(action, action.Name)
		if err != nil {
			return nil, err
		}
		return r.store.get(q)
	case testing.ListActionImpl:
		q, err := r.queryOf(action, "")
		if err != nil {
			return nil, err
		}
		restrictions := action.GetListRestrictions()
		return r.store.list(q.kind, selection{action.Namespace, restrictions.Labels, restrictions.Fields})
	}
	if asked, ok := rightsAsked(action); ok {
		return asked, nil
	}
	if use == Reads {
		return nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "", fmt.Errorf("this client only reads"))
	}
	object, err := r.write(action, use == Tries)
	if err != nil || object == nil {
		return nil, err
	}
	if of, ok := r.store.kinds[action.GetResource()]; ok && action.GetSubresource() != "scale" {
		return of.view(object)
	}
	return object.DeepCopyObject(), nil
}

// rightsAsked answers SelfSubjectAccessReviews: everything is allowed.
func rightsAsked(action testing.Action) (runtime.Object, bool) {
	create, ok := action.(testing.CreateActionImpl)
	if !ok {
		return nil, false
	}
	review, ok := create.Object.(*authorizationv1.SelfSubjectAccessReview)
	if !ok {
		return nil, false
	}
	review = review.DeepCopy()
	review.Status.Allowed = true
	return review, true
}

// get gives a copy of one object.
func (s *Store) get(q query) (runtime.Object, error) {
	if q.subresource == "scale" {
		return s.scaleOf(q)
	}
	object, ok := s.storage.object(q.kind, q.name)
	if !ok {
		return nil, q.notFound()
	}
	return q.kind.view(object)
}

// write handles a write or its dry run.
func (r reactor) write(action testing.Action, dry bool) (runtime.Object, error) {
	name, dryRun, ok := writeOf(action)
	if !ok {
		return nil, apierrors.NewMethodNotSupported(action.GetResource().GroupResource(), action.GetVerb())
	}
	q, err := r.queryOf(action, name)
	if err != nil {
		return nil, err
	}
	q.dry = dry || slices.Contains(dryRun, metav1.DryRunAll)
	switch action := action.(type) {
	case testing.CreateActionImpl:
		return r.create(q, action.Object)
	case testing.UpdateActionImpl:
		if scale, ok := action.Object.(*autoscalingv1.Scale); ok {
			return r.store.rescale(q, scale)
		}
		return r.store.update(q, func(runtime.Object) (runtime.Object, error) { return action.Object.DeepCopyObject(), nil })
	case testing.PatchActionImpl:
		return r.store.patch(q, action.PatchType, action.Patch)
	case testing.DeleteActionImpl:
		_, err = r.store.delete(q, action.DeleteOptions)
	case testing.DeleteCollectionActionImpl:
		err = r.store.deleteAll(q, selection{action.Namespace, action.ListRestrictions.Labels, action.ListRestrictions.Fields}, action.DeleteOptions)
	}
	return nil, err
}

// writeOf is the name of the object that an action writes, and its dryRun option.
func writeOf(action testing.Action) (name string, dryRun []string, ok bool) {
	switch action := action.(type) {
	case testing.CreateActionImpl:
		return action.Name, action.CreateOptions.DryRun, true
	case testing.UpdateActionImpl:
		return nameOf(action.Object).Name, action.UpdateOptions.DryRun, true
	case testing.PatchActionImpl:
		return action.Name, action.PatchOptions.DryRun, true
	case testing.DeleteActionImpl:
		return action.Name, action.DeleteOptions.DryRun, true
	case testing.DeleteCollectionActionImpl:
		return "", action.DeleteOptions.DryRun, true
	}
	return "", nil, false
}

// create creates an object or handles a subresource of a pod.
func (r reactor) create(q query, object runtime.Object) (runtime.Object, error) {
	switch object := object.(type) {
	case *corev1.Binding:
		q.name, q.subresource = types.NamespacedName{Namespace: q.name.Namespace, Name: object.Name}, "binding"
		return nil, r.store.bind(q, object)
	case *policyv1.Eviction:
		q.name, q.subresource = types.NamespacedName{Namespace: q.name.Namespace, Name: object.Name}, ""
		return nil, r.store.evict(q, object)
	}
	return r.store.create(q, object)
}

// watch starts a watch.
func (r reactor) watch(action testing.Action) (watch.Interface, error) {
	asked, ok := action.(testing.WatchActionImpl)
	if !ok {
		return nil, apierrors.NewMethodNotSupported(action.GetResource().GroupResource(), action.GetVerb())
	}
	q, err := r.queryOf(action, "")
	if err != nil {
		return nil, err
	}
	which := selection{asked.Namespace, asked.WatchRestrictions.Labels, asked.WatchRestrictions.Fields}
	return r.store.storage.watch(q.kind, asked.WatchRestrictions.ResourceVersion, which.holds)
}
