package api

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// selection selects objects of a kind.
type selection struct {
	namespace string // "" is all
	labels    labels.Selector
	fields    fields.Selector
}

// holds says whether the object is selected.
func (s selection) holds(object runtime.Object) bool {
	accessor, err := meta.Accessor(object)
	if err != nil || s.namespace != "" && accessor.GetNamespace() != s.namespace {
		return false
	}
	if s.labels != nil && !s.labels.Matches(labels.Set(accessor.GetLabels())) {
		return false
	}
	return s.fields == nil || s.fields.Empty() || s.fields.Matches(fieldsOf(object))
}

// fieldsOf are the fields for field selectors, as kube-apiserver supports them.
func fieldsOf(object runtime.Object) fields.Set {
	set := fields.Set{"metadata.name": nameOf(object).Name, "metadata.namespace": nameOf(object).Namespace}
	switch o := object.(type) {
	case *corev1.Pod:
		set["spec.nodeName"], set["spec.schedulerName"] = o.Spec.NodeName, o.Spec.SchedulerName
		set["spec.restartPolicy"], set["status.phase"] = string(o.Spec.RestartPolicy), string(o.Status.Phase)
		set["status.nominatedNodeName"] = o.Status.NominatedNodeName
	case *corev1.Node:
		set["spec.unschedulable"] = strconv.FormatBool(o.Spec.Unschedulable)
	case *corev1.Event:
		set["reason"], set["type"], set["source"] = o.Reason, o.Type, o.Source.Component
		set["involvedObject.kind"], set["involvedObject.name"] = o.InvolvedObject.Kind, o.InvolvedObject.Name
		set["involvedObject.namespace"], set["involvedObject.uid"] = o.InvolvedObject.Namespace, string(o.InvolvedObject.UID)
	}
	return set
}

// list returns the objects of a kind by namespace and name. They are the stored objects:
// a caller that changes one must copy it.
func (s *Store) list(of *kind, which selection) (runtime.Object, error) {
	list, err := scheme.Scheme.New(of.kind.GroupVersion().WithKind(of.kind.Kind + "List"))
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	objects, version := s.storage.selected(of, which)
	if err := meta.SetList(list, objects); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	accessor.SetResourceVersion(strconv.FormatInt(version, 10))
	return list, nil
}

// selected are the selected objects, and the resourceVersion of the list.
func (s *storage) selected(of *kind, which selection) (objects []runtime.Object, version int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range s.tables[of.stored.resource].objects {
		if which.holds(object) {
			objects = append(objects, object)
		}
	}
	slices.SortFunc(objects, func(a, b runtime.Object) int {
		return strings.Compare(nameOf(a).String(), nameOf(b).String())
	})
	return objects, s.version
}
