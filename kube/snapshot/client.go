package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/describe"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// client reads the file as it would a cluster. Nothing goes over a wire.
func (f *File) client() (kubernetes.Interface, error) { return kubernetes.NewForConfig(f.config(0)) }

func (f *File) config(later time.Duration) *rest.Config {
	return &rest.Config{Host: "http://snapshot.invalid", Transport: answers{f, later}, QPS: -1}
}

// answers are those that the file gives to a client's requests.
type answers struct {
	file  *File
	later time.Duration // by so much is moved what kubectl describe shows as an age: see moveAges
}

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close() // it is not read
	}
	var answer any
	var err error
	if r.Method != http.MethodGet || r.URL.Query().Get("watch") != "" {
		err = apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "snapshot"}, r.Method)
	} else {
		answer, err = a.file.get(r)
	}
	if a.later != 0 && err == nil {
		moveAges(answer, a.later)
	}
	code := http.StatusOK
	if status, ok := err.(apierrors.APIStatus); ok {
		said := status.Status()
		code, answer = int(said.Code), &said
		said.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {runtime.ContentTypeJSON}}, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}

// query is what a request asks for.
type query struct{ group, resource, namespace, name string }

// parsePath takes /api/v1/… and /apis/GROUP/VERSION/… apart.
func parsePath(text string) (p query, ok bool) {
	parts := strings.Split(strings.Trim(text, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		p.group, parts = parts[1], parts[3:]
	default:
		return p, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		p.namespace, parts = parts[1], parts[2:]
	}
	p.resource = parts[0]
	if len(parts) > 1 {
		p.name = parts[1]
	}
	return p, len(parts) <= 2
}

// claimTemplates are asked for by name, and only where a question is about pods of one: they are
// in no file.
var claimTemplates = schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaimtemplates"}

// noTemplates says that no ResourceClaimTemplate is known, whether there is one or not.
func (f *File) noTemplates() string {
	if f.Own {
		return "the snapshot does not hold ResourceClaimTemplates"
	}
	return "ResourceClaimTemplates are not read from a file"
}

// get answers one request.
func (f *File) get(r *http.Request) (any, error) {
	p, ok := parsePath(r.URL.Path)
	of := schema.GroupResource{Group: p.group, Resource: p.resource}
	k, known := byResource[p.resource]
	if ok && of == claimTemplates {
		return nil, apierrors.NewBadRequest(f.noTemplates())
	}
	if !ok || !known || k.gvk.Group != p.group {
		return nil, apierrors.NewNotFound(of, p.name)
	}
	if why := f.unlisted(p.resource, p.namespace); why != "" && len(f.objects[p.resource]) == 0 {
		return nil, apierrors.NewForbidden(of, p.name, fmt.Errorf("%s", why))
	}
	if p.name != "" {
		at, there := f.places[objectKey{p.resource, p.namespace, p.name}]
		if !there {
			return nil, apierrors.NewNotFound(of, p.name)
		}
		return withKind(f.objects[p.resource][at], k), nil
	}
	return listOf(f, k, p, r.URL.Query().Get("fieldSelector"))
}

// listOf answers the request for a list of one kind.
func listOf(f *File, k kind, p query, fieldSelector string) (any, error) {
	selector, err := fields.ParseSelector(fieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	items := []runtime.Object{}
	for _, object := range f.objects[p.resource] {
		m, err := meta.Accessor(object)
		if err == nil && (p.namespace == "" || m.GetNamespace() == p.namespace) && selector.Matches(fieldsOf(object, m)) {
			items = append(items, withKind(object, k))
		}
	}
	return map[string]any{
		"apiVersion": k.gvk.GroupVersion().String(), "kind": k.gvk.Kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": items,
	}, nil
}

// fieldsOf are the fields that one may select by.
func fieldsOf(object runtime.Object, m metav1.Object) fields.Set {
	set := fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()}
	switch o := object.(type) {
	case *corev1.Pod:
		set["spec.nodeName"], set["status.phase"] = o.Spec.NodeName, string(o.Status.Phase)
	case *corev1.Event:
		of := o.InvolvedObject
		set["involvedObject.kind"], set["involvedObject.name"], set["involvedObject.namespace"] = of.Kind, of.Name, of.Namespace
		set["involvedObject.uid"] = string(of.UID)
	}
	return set
}

// withKind is an object as an API server writes it.
func withKind(object runtime.Object, k kind) runtime.Object {
	whole := object.DeepCopyObject()
	whole.GetObjectKind().SetGroupVersionKind(k.gvk)
	return whole
}

// moveAges moves, in an answer of get, the times that kubectl describe shows as ages alone. It measures them by the clock
// of this machine; moved by the age of the file they are as old as they were when the file was written.
func moveAges(answer any, later time.Duration) {
	switch a := answer.(type) {
	case map[string]any:
		items, _ := a["items"].([]runtime.Object)
		for _, item := range items {
			moveAges(item, later)
		}
	case metav1.Object:
		if at := a.GetDeletionTimestamp(); at != nil {
			a.SetDeletionTimestamp(moved(*at, later))
		}
	}
	switch o := answer.(type) {
	case *corev1.Pod: // among those of a node
		o.CreationTimestamp = *moved(o.CreationTimestamp, later)
		if o.DeletionTimestamp != nil && o.DeletionGracePeriodSeconds == nil { // kubectl relies on it
			o.DeletionGracePeriodSeconds = cmp.Or(o.Spec.TerminationGracePeriodSeconds, new(int64(corev1.DefaultTerminationGracePeriodSeconds)))
		}
	case *corev1.Event:
		o.FirstTimestamp, o.LastTimestamp = *moved(o.FirstTimestamp, later), *moved(o.LastTimestamp, later)
		o.EventTime = movedMicro(o.EventTime, later)
		if o.Series != nil {
			o.Series.LastObservedTime = movedMicro(o.Series.LastObservedTime, later)
		}
	}
}

// moved is a later time; zero, which is not known, stays so.
func moved(at metav1.Time, later time.Duration) *metav1.Time {
	if !at.IsZero() {
		at.Time = at.Add(later)
	}
	return &at
}

func movedMicro(at metav1.MicroTime, later time.Duration) metav1.MicroTime {
	return metav1.MicroTime(*moved(metav1.Time(at), later))
}

// Describe is what kubectl describe says of an object, as far as the file holds it, with the ages that things had when
// the file was written.
func (f *File) Describe(_ context.Context, ref model.Ref) (string, error) {
	k, ok := byResource[strings.SplitN(ref.Resource, ".", 2)[0]]
	if !ok {
		return "", fmt.Errorf("describe %s %s: the snapshot has no %s", ref.Resource, ref.Name, ref.Resource)
	}
	describer, ok := describe.DescriberFor(k.gvk.GroupKind(), f.config(time.Since(f.Info.Taken)))
	if !ok {
		return "", fmt.Errorf("describe %s %s: kubectl cannot describe it", ref.Resource, ref.Name)
	}
	text, err := describer.Describe(ref.Namespace, ref.Name, describe.DescriberSettings{ShowEvents: true, ChunkSize: 500})
	if err != nil {
		return "", fmt.Errorf("describe %s %s: %w", ref.Resource, ref.Name, err)
	}
	if at, ok := f.places[objectKey{k.resource, ref.Namespace, ref.Name}]; ok {
		text = withGracePeriod(text, f.objects[k.resource][at], f.Info.Taken)
	}
	return text, nil
}

// withGracePeriod says how much of its grace period an object has left that was being deleted, where kubectl says that it
// lasts "<invalid>": deletionTimestamp is when the grace period ends.
func withGracePeriod(text string, object runtime.Object, taken time.Time) string {
	m, err := meta.Accessor(object)
	if err != nil || m.GetDeletionTimestamp() == nil || !m.GetDeletionTimestamp().After(taken) {
		return text
	}
	left := duration.HumanDuration(m.GetDeletionTimestamp().Sub(taken))
	return strings.Replace(text, "Terminating (lasts <invalid>)", "Terminating (grace period ends in "+left+")", 1)
}

// YAML is an object as the file holds it.
func (f *File) YAML(_ context.Context, ref model.Ref) (string, error) {
	resource, _, _ := strings.Cut(ref.Resource, ".")
	at, ok := f.places[objectKey{resource, ref.Namespace, ref.Name}]
	if !ok {
		return "", fmt.Errorf("read %s %s: it is not in the snapshot", ref.Resource, ref.Name)
	}
	text, err := escaped.YAML(withKind(f.objects[resource][at], byResource[resource]))
	return string(text), err
}
