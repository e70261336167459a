package api

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// patch applies a patch to an object.
func (s *Store) patch(q query, how types.PatchType, patch []byte) (runtime.Object, error) {
	return s.update(q, func(old runtime.Object) (runtime.Object, error) {
		text, err := json.Marshal(old)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		patched, err := apply(text, old, how, patch)
		if err != nil {
			return nil, err
		}
		object, err := scheme.Scheme.New(q.kind.kind)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		if err := json.Unmarshal(patched, object); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return object, nil
	})
}

// apply is the JSON of an object after the patch.
func apply(text []byte, old runtime.Object, how types.PatchType, patch []byte) (patched []byte, err error) {
	switch how {
	case types.MergePatchType:
		patched, err = jsonpatch.MergePatch(text, patch)
	case types.StrategicMergePatchType:
		patched, err = strategicpatch.StrategicMergePatch(text, patch, old)
	case types.JSONPatchType:
		var steps jsonpatch.Patch
		if steps, err = jsonpatch.DecodePatch(patch); err == nil {
			patched, err = steps.Apply(text)
		}
	default:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("patches of type %s are not supported", how))
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return patched, nil
}
