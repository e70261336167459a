package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// decode sets the fields of a struct, to which into points, as the document has them. What is
// wrong is noted, and what is right is set all the same. what is the word for one of them.
func (d *document) decode(into any, what string) {
	if d.text == nil || d.hasFault("") {
		return
	}
	target := reflect.ValueOf(into).Elem()
	begun := reflect.New(target.Type()).Elem()
	begun.Set(target)
	var err error
	if len(d.faults) == 0 {
		if err = yaml.UnmarshalStrict(d.text, into); err == nil {
			return
		}
		target.Set(begun)
	}
	names, types := fields(target.Type())
	for _, e := range d.top {
		of, known := types[e.name]
		switch {
		case !known:
			d.unknown("", e.name, what, names)
		case d.fits(e.name, e.value, of):
			mapping := &yamlv3.Node{Kind: yamlv3.MappingNode, Content: []*yamlv3.Node{e.key, e.value}}
			if err := decodeNode(mapping, into); err != nil {
				d.wrong(e.name, inYAML(err))
			}
		}
	}
	if err != nil && len(d.faults) == 0 {
		d.wrong("", inYAML(err))
	}
}

// decodeNode decodes a node as the file as a whole is decoded.
func decodeNode(node *yamlv3.Node, into any) error {
	text, err := yamlv3.Marshal(node)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(text, into)
}

// fields are the names of the fields of a struct in YAML, and their types.
func fields(of reflect.Type) (names []string, types map[string]reflect.Type) {
	types = map[string]reflect.Type{}
	for field := range of.Fields() {
		if name := field.Tag.Get("json"); name != "" {
			names, types[name] = append(names, name), field.Type
		}
	}
	return names, types
}

// fits reports whether a node can be decoded into a type. What of its parts cannot be is noted
// and taken out, so that the rest can be.
func (d *document) fits(path string, node *yamlv3.Node, of reflect.Type) bool {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	kind := of.Kind()
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		kind = reflect.Invalid // it decodes itself
	}
	switch {
	case kind == reflect.Struct && node.Kind == yamlv3.MappingNode:
		names, types := fields(of)
		d.fitsMapping(path, node, names, func(name string) reflect.Type { return types[name] })
	case kind == reflect.Map && node.Kind == yamlv3.MappingNode:
		d.fitsMapping(path, node, nil, func(string) reflect.Type { return of.Elem() })
	case kind == reflect.Slice && node.Kind == yamlv3.SequenceNode:
		for i, child := range node.Content {
			if !d.fits(item(path, i), child, of.Elem()) {
				node.Content[i] = &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!null"} // the others keep their places
			}
		}
	default:
		if err := decodeNode(node, reflect.New(of).Interface()); err != nil {
			d.wrong(path, inYAML(err))
			return false
		}
	}
	return true
}

// fitsMapping is fits of the fields of a mapping. of is the type of one; nil if there is none of
// that name.
func (d *document) fitsMapping(path string, node *yamlv3.Node, names []string, of func(name string) reflect.Type) {
	var right []*yamlv3.Node
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		at := join(path, key.Value)
		merges := key.Tag == "!!merge" // what it brings is checked once it is merged
		switch {
		case merges:
		case seen[key.Value]:
			d.wrongAt(key.Line+d.before, at, "it is set twice")
			continue
		case of(key.Value) == nil:
			d.unknown(path, key.Value, "field", names)
			continue
		case !d.fits(at, value, of(key.Value)):
			continue
		}
		seen[key.Value] = !merges
		right = append(right, key, value)
	}
	node.Content = right
}

// inYAML words an error of the decoder, which reads YAML by way of JSON, for the file's
// reader.
func inYAML(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if _, field, ok := strings.Cut(text, "json: unknown field "); ok {
		return "unknown field " + field
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return fmt.Sprintf("it must be %s, not %s", wanted(wrong.Type.Kind()), cmp.Or(inFile[wrong.Value], wrong.Value))
	}
	return strings.TrimPrefix(strings.TrimPrefix(text, "error unmarshaling JSON: "), "while decoding JSON: ")
}

// inFile are the decoder's words for what a file holds, as its reader knows them.
var inFile = map[string]string{
	"array": "a list", "object": "a mapping", "string": "text", "bool": "true or false", "number": "a number", "null": "nothing",
}

// wanted is what a setting of such a kind may be.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	}
	return "a mapping"
}
