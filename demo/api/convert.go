package api

import (
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"         // the conversions of the kinds that are served
	_ "k8s.io/kubernetes/pkg/apis/batch/install"        // …
	_ "k8s.io/kubernetes/pkg/apis/coordination/install" // …
	_ "k8s.io/kubernetes/pkg/apis/core/install"         // …
	_ "k8s.io/kubernetes/pkg/apis/events/install"       // …
	_ "k8s.io/kubernetes/pkg/apis/node/install"         // …
	_ "k8s.io/kubernetes/pkg/apis/policy/install"       // …
	_ "k8s.io/kubernetes/pkg/apis/resource/install"     // …
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"   // …
	_ "k8s.io/kubernetes/pkg/apis/storage/install"      // …
)

// internal is an object in its internal version, for the strategies.
func (k *kind) internal(object runtime.Object) (runtime.Object, error) {
	converted, err := legacyscheme.Scheme.ConvertToVersion(object, k.transition)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("read %s: %v", k.kind.Kind, err))
	}
	return converted, nil
}

// external is an object in its stored version.
func (k *kind) external(object runtime.Object) (runtime.Object, error) {
	made, err := k.stored.version(object)
	if err != nil {
		return nil, err
	}
	return restored(made)
}

// message is an object that can be written to etcd.
type message interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// restored is an object as it is read back from etcd: without differences that exist
// only in memory, such as an empty map and nil. Hashes of templates depend on that.
func restored(object runtime.Object) (runtime.Object, error) {
	written, ok := object.(message)
	if !ok {
		return object, nil
	}
	text, err := written.Marshal()
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("write %T: %w", object, err))
	}
	read, ok := reflect.TypeAssert[message](reflect.New(reflect.TypeOf(object).Elem()))
	if !ok {
		return object, nil
	}
	if err := read.Unmarshal(text); err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("read %T: %w", object, err))
	}
	legacyscheme.Scheme.Default(read) // as it is decoded: the phase of a claim is one of those
	return read, nil
}

// view is a copy of a stored object in the version of the kind.
func (k *kind) view(object runtime.Object) (runtime.Object, error) {
	if k.stored == k {
		return object.DeepCopyObject(), nil
	}
	internal, err := k.stored.internal(object.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	return k.version(internal)
}

// version is an internal object in the version of the kind.
func (k *kind) version(object runtime.Object) (runtime.Object, error) {
	converted, err := legacyscheme.Scheme.ConvertToVersion(object, k.kind.GroupVersion())
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("write %s: %w", k.kind.Kind, err))
	}
	converted.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as a typed client gives it
	return converted, nil
}
