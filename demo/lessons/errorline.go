package lessons

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// located is an error with the part of the file that it is about: keys, and indexes of lists. Where
// errors wrap each other, the path goes on in the inner one.
type located struct {
	path []string
	error
}

// locate places an error; nil stays nil.
func locate(err error, path ...any) error {
	if err == nil {
		return nil
	}
	p := located{error: err}
	for _, step := range path {
		p.path = append(p.path, fmt.Sprint(step))
	}
	return p
}

func (p located) Unwrap() error { return p.error }

// pathOf is the whole path of an error.
func pathOf(err error) (path []string) {
	for p := (located{}); errors.As(err, &p); err = p.error {
		path = append(path, p.path...)
	}
	return path
}

// withLine puts the line of a lesson's file before an error that is located in it.
func withLine(text []byte, err error) error {
	path := pathOf(err)
	root := rootOf(text)
	if len(path) == 0 || root == nil {
		return err
	}
	return fmt.Errorf("line %d: %w", lineAt(root, path), err)
}

// rootOf is the outermost value of a file; nil where it cannot be read as YAML.
func rootOf(text []byte) *yamlv3.Node {
	var document yamlv3.Node
	if yamlv3.Unmarshal(text, &document) != nil || len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}

// lineAt is the line of the part at a path, as deep as there is one; a value of several lines begins
// at its key.
func lineAt(node *yamlv3.Node, path []string) int {
	line := node.Line
	for _, step := range path {
		key, value := childAt(node, step)
		if value == nil {
			return line
		}
		node, line = value, value.Line
		if key != nil {
			line = key.Line
		}
	}
	return line
}

// childAt is a value of a mapping with its key, or an item of a list.
func childAt(node *yamlv3.Node, step string) (key, value *yamlv3.Node) {
	switch node.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if strings.EqualFold(node.Content[i].Value, step) { // as Go's JSON matches
				return node.Content[i], node.Content[i+1]
			}
		}
	case yamlv3.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(node.Content) {
			return nil, node.Content[i]
		}
	case yamlv3.AliasNode:
		return childAt(node.Alias, step)
	case yamlv3.DocumentNode, yamlv3.ScalarNode:
	}
	return nil, nil
}

// undecodable is the path to what of a value cannot be decoded as a type: the deepest part that
// fails by itself.
func undecodable(node *yamlv3.Node, as reflect.Type) []string {
	for as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	switch {
	case as == reflect.TypeFor[runtime.RawExtension]():
		return nil
	case node.Kind == yamlv3.SequenceNode && as.Kind() == reflect.Slice:
		for i, item := range node.Content {
			if fails(item, as.Elem()) {
				return append([]string{strconv.Itoa(i)}, undecodable(item, as.Elem())...)
			}
		}
	case node.Kind == yamlv3.MappingNode && as.Kind() == reflect.Struct:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i].Value, node.Content[i+1]
			field, known := fieldsByKey(as)[strings.ToLower(key)]
			if !known {
				return []string{key}
			}
			if fails(value, field) {
				return append([]string{key}, undecodable(value, field)...)
			}
		}
	}
	return nil
}

// fails reports whether a value cannot be decoded as a type.
func fails(node *yamlv3.Node, as reflect.Type) bool {
	text, err := yamlv3.Marshal(node)
	return err != nil || yaml.UnmarshalStrict(text, reflect.New(as).Interface()) != nil
}

// fieldsByKey are the types of a struct's fields by their keys, in lower case.
func fieldsByKey(as reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(as) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[strings.ToLower(name)] = field.Type
		}
	}
	return fields
}

// fieldNamed is the field that an error about a manifest names: unknown field "spec.containers[0].imag".
var fieldNamed = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]+)"|^([a-z][A-Za-z.\[\]0-9]*) cannot be`)

// pathIn is the path of that field; nil where it names none.
func pathIn(words string) []string {
	found := fieldNamed.FindStringSubmatch(words)
	if found == nil {
		return nil
	}
	return slices.DeleteFunc(strings.FieldsFunc(found[1]+found[2], func(r rune) bool { return strings.ContainsRune(".[]", r) }),
		func(step string) bool { return step == "" })
}
