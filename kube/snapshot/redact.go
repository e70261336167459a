package snapshot

import (
	_ "embed"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// fieldList has a line for each type of the API: its name, then the fields that
// go into a file. What is not in it does not, so a field that a later version of
// the API brings is left out until somebody lists it. A field with an @ goes in
// only where that is asked for (Options.Keep).
//
//go:embed keptfields.txt
var fieldList string

// allowed are the fields of each type, with what has to be asked for to keep them
// ("" is nothing).
var allowed = readFields(fieldList)

func readFields(text string) map[string]map[string]string {
	types := map[string]map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		fields := map[string]string{}
		for _, word := range words[1:] {
			name, asked, _ := strings.Cut(word, "@")
			fields[name] = asked
		}
		types[words[0]] = fields
	}
	return types
}

// keepAnnotations is what is asked for to keep all annotations.
const keepAnnotations = "annotations"

// Keepable are what Options.Keep may name: what is left out unless it does.
func Keepable() []string {
	found := map[string]bool{keepAnnotations: true}
	for _, fields := range allowed {
		for _, asked := range fields {
			found[asked] = true
		}
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

// CheckKeep says that Options.Keep cannot name a field.
func CheckKeep(field string) error {
	if !slices.Contains(Keepable(), field) {
		return fmt.Errorf("--keep %s: choose from %s", field, strings.Join(Keepable(), ", "))
	}
	return nil
}

// scrubber takes from objects what does not go into a file.
type scrubber struct {
	keep map[string]bool
}

func newScrubber(keep []string) (*scrubber, error) {
	s := &scrubber{keep: map[string]bool{"": true}}
	for _, field := range keep {
		if err := CheckKeep(field); err != nil {
			return nil, err
		}
		s.keep[field] = true
	}
	return s, nil
}

// scrubbed is a copy of object with the fields alone that may go into a file.
func (s *scrubber) scrubbed(object runtime.Object) runtime.Object {
	scrubbed := object.DeepCopyObject()
	s.scrub(reflect.ValueOf(scrubbed).Elem())
	return scrubbed
}

// Kept is a copy of an object with what is left of it in a file that fathom writes.
func Kept(object runtime.Object) runtime.Object {
	s := &scrubber{keep: map[string]bool{"": true}}
	return s.scrubbed(object)
}

// leaves are the types that are kept whole.
var leaves = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity]():  true,
	reflect.TypeFor[metav1.Time]():        true,
	reflect.TypeFor[metav1.MicroTime]():   true,
	reflect.TypeFor[intstr.IntOrString](): true,
}

// typeName is how fieldList names a type.
func typeName(t reflect.Type) string {
	of := path.Base(t.PkgPath())
	if strings.HasPrefix(of, "v1") {
		of = path.Base(path.Dir(t.PkgPath()))
	}
	return of + "." + t.Name()
}

// scrub clears what is not allowed below v.
func (s *scrubber) scrub(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.scrub(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.scrub(v.Index(i))
		}
	case reflect.Map:
		s.scrubMap(v)
	case reflect.Struct:
		if !leaves[v.Type()] {
			s.scrubStruct(v)
		}
	}
}

func (s *scrubber) scrubMap(v reflect.Value) {
	for _, key := range v.MapKeys() {
		element := reflect.New(v.Type().Elem()).Elem()
		element.Set(v.MapIndex(key))
		s.scrub(element)
		v.SetMapIndex(key, element)
	}
}

func (s *scrubber) scrubStruct(v reflect.Value) {
	fields := allowed[typeName(v.Type())]
	for i := range v.NumField() {
		field := v.Field(i)
		if asked, listed := fields[v.Type().Field(i).Name]; !listed || !s.keep[asked] {
			field.SetZero()
			continue
		}
		s.scrub(field)
	}
	if meta, ok := reflect.TypeAssert[*metav1.ObjectMeta](v.Addr()); ok {
		meta.Annotations = s.annotations(meta.Annotations)
	}
}

// annotations are those that somebody reads, or where asked for all but the one
// that kubectl apply keeps whole manifests in.
func (s *scrubber) annotations(all map[string]string) map[string]string {
	some := maps.Clone(all)
	maps.DeleteFunc(some, func(key, _ string) bool {
		if s.keep[keepAnnotations] {
			return key == corev1.LastAppliedConfigAnnotation
		}
		return !cluster.ReadAnnotations[key]
	})
	if len(some) == 0 {
		return nil
	}
	return some
}
