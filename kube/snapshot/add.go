package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	appsv1rules "k8s.io/kubernetes/pkg/apis/apps/v1"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// deepest is how many Lists may be one in another.
const deepest = 8

// add takes in an object of a kind, or the items of a List.
func (r *reader) add(raw []byte, of metav1.TypeMeta, depth int) error {
	gvk := of.GroupVersionKind()
	switch {
	case gvk.Kind == "":
		return errors.New("an object without a kind")
	case gvk == infoKind:
		return r.addInfo(raw)
	case strings.HasSuffix(gvk.Kind, "List"):
		return r.addList(raw, of, depth)
	}
	if of, known := workloads[gvk]; known {
		return r.addWorkload(raw, gvk, of)
	}
	k, known := byKind[gvk]
	if !known {
		if known, err := r.file.custom.add(raw, gvk); known || err != nil {
			return err
		}
		r.leaveOut(gvk)
		return nil
	}
	object, err := decoded(raw, gvk, reflect.TypeOf(k.object))
	if err != nil {
		return err
	}
	r.seeController(gvk.Kind, object)
	return r.store(k, object)
}

// decoded is an object of a kind, whose type is t. Errors name it, and the field of a wrong quantity.
func decoded(raw []byte, gvk schema.GroupVersionKind, t reflect.Type) (runtime.Object, error) {
	if err := CheckAmounts(raw, t); err != nil {
		return nil, fmt.Errorf("%s %w", gvk.Kind, err)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, &gvk, nil)
	if err == nil {
		return object, nil
	}
	if found := WrongAmount(raw, t); found != nil {
		err = found
	}
	return nil, fmt.Errorf("%s: %w", strings.TrimSpace(gvk.Kind+" "+nameIn(raw)), err)
}

// leaveOut counts an object that is not read: fathom uses none of its kind, or those of another version.
func (r *reader) leaveOut(gvk schema.GroupVersionKind) {
	read := replacementOf(gvk).GroupKind()
	for _, k := range kinds {
		if k.gvk.GroupKind() == read {
			r.file.other[k.resource] = gvk.GroupVersion().String()
			r.file.OtherVersions[gvk.Kind+" of "+gvk.GroupVersion().String()]++
			return
		}
	}
	for of := range workloads {
		if of.GroupKind() == read {
			r.file.OtherVersions[gvk.Kind+" of "+gvk.GroupVersion().String()]++
			return
		}
	}
	r.file.Unknown[gvk.Kind]++
}

// replacementOf is the kind that has taken the place of one of a version that Kubernetes no longer serves; any other
// kind as it is.
func replacementOf(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	object, err := scheme.Scheme.New(gvk)
	if err != nil {
		return gvk
	}
	old, ok := object.(interface {
		APILifecycleReplacement() schema.GroupVersionKind
	})
	if !ok {
		return gvk
	}
	return old.APILifecycleReplacement()
}

// seeController keeps a controller that lacks pods as it is, before it is stripped.
func (r *reader) seeController(kind string, object runtime.Object) {
	of, err := meta.Accessor(object)
	if err != nil || !cluster.CreatesPods(kind) || of.GetUID() == "" {
		return
	}
	r.file.controlling[cluster.Kind{Kind: kind, Namespace: of.GetNamespace()}] = true
	delete(r.file.controllers, of.GetUID())
	if cluster.LacksPods(object) {
		r.file.controllers[of.GetUID()] = object.DeepCopyObject()
	}
}

// addInfo takes in what fathom says of its own file.
func (r *reader) addInfo(raw []byte) error {
	if err := CheckAmounts(raw, reflect.TypeFor[Info]()); err != nil {
		return fmt.Errorf("%s: %w", infoKind.Kind, err)
	}
	if err := json.Unmarshal(raw, &r.file.Info); err != nil {
		return fmt.Errorf("%s: %w", infoKind.Kind, err)
	}
	for _, refused := range r.file.Info.NotCreated {
		if refused.Pod == nil || len(refused.Pod.OwnerReferences) == 0 || refused.Pod.UID == "" || refused.Missing <= 0 {
			return fmt.Errorf("%s: a controller whose pods were rejected has no pod, or the pod has no owner", infoKind.Kind)
		}
		if refused.Pod.CreationTimestamp.Unix() == refused.Since.Unix() {
			refused.Pod.CreationTimestamp.Time = refused.Since // JSON has whole seconds
		}
	}
	r.file.Own = true
	return nil
}

// workloads are the kinds of which fixes have to know some facts, or which create pods, and of which
// nothing else is read.
var workloads = map[schema.GroupVersionKind]reflect.Type{
	appsv1.SchemeGroupVersion.WithKind("Deployment"): reflect.TypeFor[*appsv1.Deployment](),
	appsv1.SchemeGroupVersion.WithKind("DaemonSet"):  reflect.TypeFor[*appsv1.DaemonSet](),
	batchv1.SchemeGroupVersion.WithKind("Job"):       reflect.TypeFor[*batchv1.Job](),
}

// addWorkload takes in a DaemonSet, and what fixes have to know of a Deployment or Job. One of the same UID that came
// before gives way.
func (r *reader) addWorkload(raw []byte, gvk schema.GroupVersionKind, of reflect.Type) error {
	object, err := decoded(raw, gvk, of)
	if err != nil {
		return err
	}
	r.seeController(gvk.Kind, object)
	var facts command.Facts
	switch object := object.(type) {
	case *appsv1.Deployment:
		appsv1rules.SetObjectDefaults_Deployment(object) // perhaps no API server has seen it
		facts = command.FactsOfDeployment(object)
	case *batchv1.Job:
		facts = command.FactsOfJob(object)
	case *appsv1.DaemonSet:
		return nil // its pods are what counts
	}
	if facts.UID == "" { // no ReplicaSet and no pod can name it
		r.file.Unknown[gvk.Kind]++
		return nil
	}
	all := &r.file.Info.Workloads
	if at, there := r.workloads[facts.UID]; there && at < len(*all) && (*all)[at].UID == facts.UID { // an Info may have replaced them
		(*all)[at] = facts
		return nil
	}
	r.workloads[facts.UID] = len(*all)
	*all = append(*all, facts)
	return nil
}

// addList takes in the items of a list that is an item itself.
func (r *reader) addList(raw []byte, of metav1.TypeMeta, depth int) error {
	if depth == deepest {
		return errors.New("the Lists are nested too deeply")
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("%s: %w", of.Kind, err)
	}
	for _, item := range list.Items {
		kind := typeOf(item)
		if kind.Kind == "" {
			kind = metav1.TypeMeta{APIVersion: of.APIVersion, Kind: strings.TrimSuffix(of.Kind, "List")}
		}
		if err := r.add(item, kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// errNoName rejects an object of a kind that has no name.
func errNoName(kind string) error {
	article := "a"
	if strings.ContainsAny(kind[:min(1, len(kind))], "AEIO") {
		article = "an"
	}
	return fmt.Errorf("%s %s without a name", article, kind)
}

// setDefaults fills in what an API server would have, where none has seen the object.
func setDefaults(object runtime.Object) {
	switch o := object.(type) {
	case *corev1.Pod:
		if o.Spec.RestartPolicy == "" {
			corev1rules.SetObjectDefaults_Pod(o)
		}
	case *appsv1.StatefulSet:
		if o.Spec.PodManagementPolicy == "" {
			appsv1rules.SetObjectDefaults_StatefulSet(o)
		}
	}
}

// store keeps an object. One of the same name that came before gives way.
func (r *reader) store(k kind, object runtime.Object) error {
	m, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	if m.GetName() == "" {
		return errNoName(k.gvk.Kind)
	}
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as informers have them
	identify(k, m)
	setDefaults(object)
	if r.options.Strip != nil {
		if _, err := r.options.Strip(object); err != nil {
			return err
		}
	}
	f, key := r.file, objectKey{k.resource, m.GetNamespace(), m.GetName()}
	r.distinguish(key, m)
	if at, there := f.places[key]; there {
		f.objects[k.resource][at] = object
		return nil
	}
	f.places[key] = len(f.objects[k.resource])
	f.objects[k.resource] = append(f.objects[k.resource], object)
	return nil
}

// distinguish gives a pod or a node that has the UID of another one a UID of its
// own: by it they are explained and selected.
func (r *reader) distinguish(key objectKey, m metav1.Object) {
	if key.resource != "pods" && key.resource != "nodes" {
		return
	}
	if of, taken := r.uids[uidKey{key.resource, m.GetUID()}]; taken && of != key {
		m.SetUID(madeUp(string(m.GetUID()), key.resource, key.namespace, key.name))
		r.file.SameUID++
	}
	r.uids[uidKey{key.resource, m.GetUID()}] = key
}

// identify gives an object what the API server would have: what is made up is the
// same whenever the file is read.
func identify(k kind, m metav1.Object) {
	if m.GetUID() == "" {
		m.SetUID(madeUp(k.resource, m.GetNamespace(), m.GetName()))
	}
	if m.GetResourceVersion() == "" {
		m.SetResourceVersion("1")
	}
}

// madeUp is a UID made from what tells an object from others.
func madeUp(from ...string) types.UID {
	sum := sha256.Sum256([]byte(strings.Join(from, "/")))
	return types.UID("made-up-" + hex.EncodeToString(sum[:8]))
}

// onlyNamespace is the one that all pods are of. A cluster has pods in kube-system
// at least, so then the list is that of one namespace.
func (f *File) onlyNamespace() string {
	only := ""
	for _, object := range f.objects["pods"] {
		pod, ok := object.(*corev1.Pod)
		if !ok || only != "" && pod.Namespace != only {
			return ""
		}
		only = pod.Namespace
	}
	return only
}
