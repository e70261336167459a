// Package manifest reads the pods that a manifest asks for, and validates them as kube-apiserver does.
package manifest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// strict refuses fields that the API does not know, as kubectl does.
var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// Namespace is where the pods of a manifest are.
type Namespace struct {
	Name string // of the objects that name none
	Only bool   // -n gives it: objects that name another are rejected, as kubectl does
}

// Read reads the file, "-" being stdin, and gives the pods it asks for.
// What is no pod and no workload is passed over.
func Read(ctx context.Context, file string, stdin io.Reader, namespace Namespace) ([]admission.UncreatedPod, error) {
	data, err := input.ReadAll(ctx, file, stdin, input.MostManifest)
	if err != nil {
		return nil, exit.Usagef("read manifest: %w", err)
	}
	pods, err := input.UnlessEnded(ctx, func() ([]admission.UncreatedPod, error) { return podsIn(data, namespace) })
	if err != nil {
		return nil, exit.Usagef("read manifest %s: %w", file, err)
	}
	if len(pods) == 0 {
		return nil, exit.Usagef("read manifest %s: it has no pod and no workload with a pod template", file)
	}
	return pods, nil
}

// podsIn gives the pods that the documents of a manifest ask for. Errors name the line where a
// document begins that is not the first, and those of YAML the line of the file.
func podsIn(data []byte, namespace Namespace) (pods []admission.UncreatedPod, err error) {
	reader := bytes.NewReader(data)
	text := bufio.NewReader(reader)
	documents := yaml.NewYAMLReader(text)
	for {
		before := bytes.Count(data[:len(data)-reader.Len()-text.Buffered()], []byte{'\n'})
		document, err := documents.Read()
		switch {
		case errors.Is(err, io.EOF):
			return pods, nil
		case err != nil:
			return nil, err
		case len(document) > input.MostDocument:
			return nil, fmt.Errorf("one document of more than %d MiB", input.MostDocument>>20)
		}
		raw, err := asJSON(document)
		if err != nil {
			return nil, snapshot.AtLine(err, before)
		}
		found, err := podsOf(raw, namespace)
		switch {
		case err != nil && before > 0:
			return nil, fmt.Errorf("line %d: %w", before+beginOf(document), err)
		case err != nil:
			return nil, err
		}
		pods = append(pods, found...)
	}
}

// beginOf is the line of a document, from 1, that has its first field.
func beginOf(document []byte) int {
	at := 1
	for line := range bytes.Lines(document) {
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' && !bytes.HasPrefix(line, []byte("---")) {
			break
		}
		at++
	}
	return at
}

// podsOf gives the pods that one document, or an item of a List, asks for.
func podsOf(raw []byte, namespace Namespace) ([]admission.UncreatedPod, error) {
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return nil, nil // comments only
	}
	var of metav1.TypeMeta
	if err := json.Unmarshal(raw, &of); err != nil || of.Kind == "" || of.APIVersion == "" {
		return nil, errors.New("it is not a manifest: each document needs apiVersion and kind")
	}
	if err := checkAmounts(raw); err != nil {
		return nil, err
	}
	object, _, err := strict.Decode(raw, nil, nil)
	switch {
	case runtime.IsNotRegisteredError(err):
		return nil, unknownVersion(raw, of) // nil of a custom resource
	case err != nil:
		return nil, wrongAmount(raw, err)
	}
	list, isList := object.(*corev1.List)
	if !isList {
		return podOf(object, raw, namespace)
	}
	var pods []admission.UncreatedPod
	for i, item := range list.Items {
		found, err := podsOf(item.Raw, namespace)
		if err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
		pods = append(pods, found...)
	}
	return pods, nil
}

// podOf gives the pod that an object asks for, of which raw is the manifest; none of other kinds.
func podOf(object runtime.Object, raw []byte, namespace Namespace) ([]admission.UncreatedPod, error) {
	w, ok := admission.PodOf(object, namespace.Name)
	if !ok {
		return nil, oldVersion(object, raw)
	}
	if other := w.Pod.Namespace; namespace.Only && other != namespace.Name {
		return nil, fmt.Errorf("%s: its namespace is %s, and %s in -n: give -n %[2]s, or leave it out", nameOf(raw), other, namespace.Name)
	}
	if err := validateWorkload(object); err != nil {
		return nil, err
	}
	if err := checkSums(raw, w.Pod); err != nil {
		return nil, err
	}
	return []admission.UncreatedPod{w}, nil
}

// asJSON is a document as JSON. YAML may begin with a brace too.
func asJSON(document []byte) ([]byte, error) {
	if json.Valid(document) {
		return document, nil
	}
	return sigsyaml.YAMLToJSON(document)
}

// wrongAmount names the field where a manifest was not decoded for a quantity.
func wrongAmount(raw []byte, decoding error) error {
	var of metav1.TypeMeta
	_ = json.Unmarshal(raw, &of)
	object, err := scheme.Scheme.New(of.GroupVersionKind())
	if err != nil {
		return decoding
	}
	if found := snapshot.WrongAmount(raw, reflect.TypeOf(object)); found != nil {
		decoding = found
	}
	return fmt.Errorf("%s: %w", nameOf(raw), decoding)
}

// unknownVersion rejects a pod or a workload of a version that its API group does not have.
func unknownVersion(raw []byte, of metav1.TypeMeta) error {
	if _, workload := strategies[of.Kind]; !workload && of.Kind != "Pod" || !scheme.Scheme.IsGroupRegistered(of.GroupVersionKind().Group) {
		return nil
	}
	return fmt.Errorf("%s: there is no %s of %s", nameOf(raw), of.Kind, of.APIVersion)
}

// removed is an object of a version of an API that Kubernetes no longer serves.
type removed interface {
	APILifecycleRemoved() (major, minor int)
	APILifecycleReplacement() schema.GroupVersionKind
}

// oldVersion rejects a workload of a version that Kubernetes no longer serves.
func oldVersion(object runtime.Object, raw []byte) error {
	old, ok := object.(removed)
	if !ok || strategies[old.APILifecycleReplacement().Kind] == nil {
		return nil
	}
	major, minor := old.APILifecycleRemoved()
	return fmt.Errorf("%s: %s was removed in Kubernetes %d.%d: use %s", nameOf(raw), object.GetObjectKind().GroupVersionKind().GroupVersion(),
		major, minor, old.APILifecycleReplacement().GroupVersion())
}

// nameOf names an object by its kind.
func nameOf(raw []byte) string {
	var of struct {
		metav1.TypeMeta
		Metadata struct{ Name string }
	}
	_ = json.Unmarshal(raw, &of) // what it does not hold is not named
	return strings.TrimSpace(of.Kind + " " + of.Metadata.Name)
}

// checkSums refuses a pod that requests more than 64 bits hold. The API server stores it, and
// kube-scheduler overflows: it would find a node for it anywhere.
func checkSums(raw []byte, pod *corev1.Pod) error {
	filled := pod.DeepCopy()
	corev1rules.SetObjectDefaults_Pod(filled) // a limit is a request, too
	beyond := model.NewPod(filled).Requests.Beyond
	if len(beyond) == 0 {
		return nil
	}
	name, what := slices.Min(slices.Collect(maps.Keys(beyond))), nameOf(raw)
	if !strings.Contains(what, " ") { // it has a kind only
		what = "the pod"
	}
	amount := beyond[name]
	return fmt.Errorf("%s requests %s %s, more than kube-scheduler can count in 64 bits: request less", what, name, amount.String())
}

// checkAmounts refuses quantities that take for ever to decode.
func checkAmounts(raw []byte) error {
	var of metav1.TypeMeta
	// What is no kind fails where it is decoded.
	_ = json.Unmarshal(raw, &of)
	object, err := scheme.Scheme.New(of.GroupVersionKind())
	if err != nil {
		return nil //nolint:nilerr // a custom resource, which is not decoded
	}
	if err := snapshot.CheckAmounts(raw, reflect.TypeOf(object)); err != nil {
		return fmt.Errorf("%s %w", of.Kind, err)
	}
	return nil
}
