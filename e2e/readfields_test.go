package e2e

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	corev1 "k8s.io/api/core/v1"
)

// notOfTheState are fields that are read, though snapshots or what informers hold are without them.
var notOfTheState = map[string]string{
	"core.Container.Args":                   "of static pods of kube-scheduler, which are read for it",
	"core.Container.Command":                "of static pods of kube-scheduler, which are read for it",
	"core.ContainerStatus.ContainerID":      "get cgroups reads the pods of the node",
	"core.PodSpec.DeprecatedServiceAccount": "of a manifest",
	"core.PodSpec.ServiceAccountName":       "of a manifest",
	"meta.ObjectMeta.ManagedFields":         "of an object that is read for it",
	"storage.StorageClass.Parameters":       "may name Secrets; the order of suggestions alone rests on them",
}

// A field that some code reads is neither left out of snapshots nor stripped of what informers hold: what rests on it
// would be wrong there, without a word.
func TestFieldsThatAreReadAreKept(t *testing.T) {
	inFiles, stripped, read := fieldsInFiles(t), strippedFields(t), fieldsRead(t)
	for field, where := range read {
		if notOfTheState[field] != "" {
			continue
		}
		of, name := field[:strings.LastIndex(field, ".")], path.Ext(field)[1:]
		if fields, listed := inFiles[of]; listed && !fields[name] {
			t.Errorf("%s reads %s, which kube/snapshot/keptfields.txt does not list", where, field)
		}
		if stripped[field] {
			t.Errorf("%s reads %s, which kube/client/strip takes", where, field)
		}
	}
	for field := range notOfTheState {
		if read[field] == "" {
			t.Errorf("nothing reads %s any more", field)
		}
	}
	const least = 200 // a search that finds less is broken
	if len(read) < least || len(inFiles) == 0 || len(stripped) == 0 {
		t.Errorf("%d fields are read, %d types listed, %d fields stripped", len(read), len(inFiles), len(stripped))
	}
}

// fieldsInFiles are those that go into a snapshot, by their type: "core.PodSpec".
func fieldsInFiles(t *testing.T) map[string]map[string]bool {
	types := map[string]map[string]bool{}
	for line := range strings.Lines(readFile(t, "../kube/snapshot/keptfields.txt")) {
		words := strings.Fields(line)
		types[words[0]] = map[string]bool{}
		for _, word := range words[1:] {
			name, _, _ := strings.Cut(word, "@")
			types[words[0]][name] = true
		}
	}
	return types
}

// strippedFields are those of pods and nodes that informers hold nowhere: "core.PodSpec.Hostname".
func strippedFields(t *testing.T) map[string]bool {
	stripped, kept := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(readFile(t, "../kube/client/strip/testdata/fields.txt")) {
		words := strings.Fields(line)
		steps := strings.Split(words[1], ".")
		for n := 2; n < len(steps); n++ { // something of it is told apart, so it is there
			kept[fieldAt(t, steps[:n])] = true
		}
		if words[0] == "stripped" {
			stripped[fieldAt(t, steps)] = true
		} else {
			kept[fieldAt(t, steps)] = true
		}
	}
	maps.DeleteFunc(stripped, func(field string, _ bool) bool { return kept[field] })
	return stripped
}

// fieldAt is the field at a path, such as Pod.Spec.Hostname.
func fieldAt(t *testing.T, steps []string) string {
	of, field := map[string]reflect.Type{"Pod": reflect.TypeFor[corev1.Pod](), "Node": reflect.TypeFor[corev1.Node]()}[steps[0]], ""
	for _, step := range steps[1:] {
		name, _, _ := strings.Cut(step, "[")
		at, ok := of.FieldByName(name)
		if !ok {
			t.Fatalf("%s has no field %s", of, name)
		}
		field, of = apiName(of.PkgPath(), of.Name())+"."+name, at.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
	}
	return field
}

// fieldsRead are the fields of API types that the code reads, each with a place where it does.
func fieldsRead(t *testing.T) map[string]string {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: ".."}, "./explain/...", "./model/...", "./kube/cluster/...", "./kube/client", "./ui/...", "./cli/...")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors[0])
		}
		for _, file := range p.Syntax {
			written := writtenIn(file)
			ast.Inspect(file, func(n ast.Node) bool {
				if selector, ok := n.(*ast.SelectorExpr); ok && !written[selector] {
					for _, field := range fieldsOf(p.TypesInfo.Selections[selector]) {
						at := p.Fset.Position(selector.Pos())
						at.Filename = filepath.Base(at.Filename)
						read[field] = p.PkgPath + " " + at.String()
					}
				}
				return true
			})
		}
	}
	return read
}

// writtenIn are the fields that a file assigns to.
func writtenIn(file *ast.File) map[ast.Expr]bool {
	written := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if assignment, ok := n.(*ast.AssignStmt); ok && assignment.Tok == token.ASSIGN {
			for _, to := range assignment.Lhs {
				written[to] = true
			}
		}
		return true
	})
	return written
}

// fieldsOf names the fields of API types that are selected: of PodSpec.Hostname one, of Pod.Labels ObjectMeta too.
func fieldsOf(s *types.Selection) (fields []string) {
	if s == nil || s.Kind() != types.FieldVal {
		return nil
	}
	of := s.Recv()
	for _, step := range s.Index() {
		of = types.Unalias(of)
		if pointer, ok := of.Underlying().(*types.Pointer); ok {
			of = types.Unalias(pointer.Elem())
		}
		within, ok := of.Underlying().(*types.Struct)
		if !ok {
			return fields
		}
		field := within.Field(step)
		if named, ok := of.(*types.Named); ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), "k8s.io/api") {
			fields = append(fields, apiName(named.Obj().Pkg().Path(), named.Obj().Name())+"."+field.Name())
		}
		of = field.Type()
	}
	return fields
}

// apiName is "core.PodSpec" of k8s.io/api/core/v1, as keptfields.txt names types.
func apiName(pkg, name string) string {
	of := path.Base(pkg)
	if strings.HasPrefix(of, "v1") {
		of = path.Base(path.Dir(pkg))
	}
	return of + "." + name
}
