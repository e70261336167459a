package api

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// Load stores objects unchanged, with their status and times, like a restored backup. It
// only sets defaults, and missing UIDs and creation times.
func (s *Store) Load(objects ...runtime.Object) error {
	byKind := map[schema.GroupVersionKind]*kind{}
	for _, k := range s.kinds {
		byKind[k.kind] = k
	}
	for _, object := range objects {
		kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
		if err != nil {
			return fmt.Errorf("load %T: %w", object, err)
		}
		of, ok := byKind[kinds[0]]
		if !ok || of.stored != of {
			return fmt.Errorf("load %T: this kind is not served", object)
		}
		if err := s.load(of, object); err != nil {
			return fmt.Errorf("load %s %s: %w", of.kind.Kind, nameOf(object), err)
		}
	}
	return nil
}

func (s *Store) load(of *kind, object runtime.Object) error {
	legacyscheme.Scheme.Default(object)
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	if accessor.GetUID() == "" {
		accessor.SetUID(s.names.uid())
	}
	if accessor.GetCreationTimestamp().Time.IsZero() {
		accessor.SetCreationTimestamp(s.now())
	}
	if !s.storage.put(of, nil, object) {
		return apierrors.NewAlreadyExists(of.resource.GroupResource(), accessor.GetName())
	}
	return nil
}
