package api

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// query is one request.
type query struct {
	kind        *kind
	name        types.NamespacedName
	subresource string
	dry         bool // dry run
}

// context describes the request to strategies and admission plugins.
func (q query) context() context.Context {
	ctx := request.WithNamespace(context.Background(), q.name.Namespace)
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, APIGroup: q.kind.resource.Group, APIVersion: q.kind.resource.Version,
		Resource: q.kind.resource.Resource, Subresource: q.subresource, Namespace: q.name.Namespace, Name: q.name.Name,
	})
}

func (q query) notFound() error {
	return apierrors.NewNotFound(q.kind.resource.GroupResource(), q.name.Name)
}

func (q query) conflict() error {
	return apierrors.NewConflict(q.kind.resource.GroupResource(), q.name.Name,
		fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
}

// create stores a new object.
func (s *Store) create(q query, object runtime.Object) (runtime.Object, error) {
	object = object.DeepCopyObject()
	legacyscheme.Scheme.Default(object)
	internal, err := q.kind.internal(object)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if q.kind.namespaced() && accessor.GetNamespace() == "" {
		accessor.SetNamespace(q.name.Namespace)
	}
	rest.FillObjectMetaSystemFields(accessor)
	accessor.SetCreationTimestamp(s.now())
	accessor.SetUID(s.names.uid())
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(s.names.generateName(accessor.GetGenerateName()))
	}
	q.name.Name = accessor.GetName()
	options := &metav1.CreateOptions{}
	if err := s.admitted(q, admission.Create, internal, nil, options, func() error {
		return rest.BeforeCreate(q.kind.strategy, q.context(), internal)
	}); err != nil {
		return nil, err
	}
	made, err := q.kind.external(internal)
	if err != nil || q.dry {
		return made, err
	}
	if !s.storage.put(q.kind, nil, made) {
		return nil, apierrors.NewAlreadyExists(q.kind.resource.GroupResource(), q.name.Name)
	}
	return made, nil
}

// admitted runs mutating admission, then validate, then validating admission, as
// kube-apiserver does.
func (s *Store) admitted(q query, does admission.Operation, object, old runtime.Object, options runtime.Object, validate func() error) error {
	s.mu.Lock()
	plugins := s.admit
	s.mu.Unlock()
	attributes := admission.NewAttributesRecord(object, old, q.kind.kind, q.name.Namespace, q.name.Name, q.kind.resource,
		q.subresource, does, options, q.dry, &user.DefaultInfo{Name: "demo"})
	interfaces := admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)
	if changing, ok := plugins.(admission.MutationInterface); ok && plugins.Handles(does) {
		if err := changing.Admit(q.context(), attributes, interfaces); err != nil {
			return err
		}
	}
	if err := validate(); err != nil {
		return err
	}
	if judging, ok := plugins.(admission.ValidationInterface); ok && plugins.Handles(does) {
		return judging.Validate(q.context(), attributes, interfaces)
	}
	return nil
}

// mostTries limits the retries of an update without a resourceVersion.
const mostTries = 100

// update changes an object: next makes the new object from the stored one. If it has a
// resourceVersion, that must be the stored one.
func (s *Store) update(q query, next func(old runtime.Object) (runtime.Object, error)) (runtime.Object, error) {
	for range mostTries {
		old, ok := s.storage.object(q.kind, q.name)
		if !ok {
			return nil, q.notFound()
		}
		made, err := s.changed(q, old, next)
		switch {
		case err != nil:
			return nil, err
		case q.dry:
			return made, nil
		case made == old:
			return old, nil // as it was: nothing is written
		}
		if removable(made) {
			if s.storage.drop(q.kind, old) {
				return made, nil
			}
			continue
		}
		if s.storage.put(q.kind, old, made) {
			return made, nil
		}
	}
	return nil, q.conflict()
}

// changed is the new object; it is the old one if nothing differs.
func (s *Store) changed(q query, old runtime.Object, next func(runtime.Object) (runtime.Object, error)) (runtime.Object, error) {
	shown, err := q.kind.view(old)
	if err != nil {
		return nil, err
	}
	object, err := next(shown)
	if err != nil {
		return nil, err
	}
	if err := q.sameObject(old, object); err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(object)
	internal, err := q.kind.internal(object)
	if err != nil {
		return nil, err
	}
	was, err := q.kind.stored.internal(old.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	var by rest.RESTUpdateStrategy = q.kind.strategy
	if q.subresource != "" && q.subresource != "binding" {
		if by = q.kind.subs[q.subresource]; by == nil {
			return nil, q.notFound()
		}
	}
	if err := s.admitted(q, admission.Update, internal, was, &metav1.UpdateOptions{}, func() error {
		if q.subresource == "binding" {
			return nil // it is not the user who writes the node
		}
		return rest.BeforeUpdate(by, q.context(), internal, was)
	}); err != nil {
		return nil, err
	}
	made, err := q.kind.external(internal)
	if err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(old, made) {
		return old, nil
	}
	return made, nil
}

// sameObject checks that a new version is of the stored object.
func (q query) sameObject(old, object runtime.Object) error {
	was, err := meta.Accessor(old)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	is, err := meta.Accessor(object)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	switch {
	case is.GetUID() != "" && is.GetUID() != was.GetUID():
		return apierrors.NewConflict(q.kind.resource.GroupResource(), q.name.Name, fmt.Errorf( //nolint:staticcheck // kube-apiserver's own words
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", is.GetUID(), was.GetUID()))
	case is.GetResourceVersion() != "" && is.GetResourceVersion() != was.GetResourceVersion():
		return q.conflict()
	}
	is.SetUID(was.GetUID())
	is.SetResourceVersion(was.GetResourceVersion())
	return nil
}

// removable says whether an object that is being deleted can be removed.
func removable(object runtime.Object) bool {
	accessor, err := meta.Accessor(object)
	if err != nil || accessor.GetDeletionTimestamp() == nil || len(accessor.GetFinalizers()) > 0 {
		return false
	}
	grace := accessor.GetDeletionGracePeriodSeconds()
	return grace != nil && *grace == 0
}
