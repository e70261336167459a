package lessons

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode"
)

// errNoLesson says of a file that it is something else than a lesson.
var errNoLesson = errors.New("not a lesson: it must be a YAML mapping with name, title, nodes and steps (docs/guide/teach.md)")

// yamlTypes are YAML's words for JSON's.
var yamlTypes = map[string]string{
	"array": "a list", "object": "a mapping", "string": "a string", "number": "a number", "bool": "true or false",
}

// inYAML words an error of a decoder for who writes the file: in one line, without the types
// of this program. none is the error where the whole is no mapping.
func inYAML(err error, none error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if strings.Contains(text, "map key") {
		return errors.New("a key of a mapping is a mapping, a list or empty: it must be a string")
	}
	if at, ok := strings.CutPrefix(text, "error converting YAML to JSON: yaml: "); ok {
		return errors.New(at)
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(text, "error unmarshaling JSON: while decoding JSON: json: "))
	}
	field := fieldName(wrong.Field)
	if wrong.Field == "" && wrong.Type.Kind() == reflect.Struct {
		return none
	}
	value, known := yamlTypes[wrong.Value]
	if !known {
		value = strings.TrimPrefix(wrong.Value, "number ")
	}
	if field == "" {
		return errors.New("a field cannot be " + value)
	}
	return errors.New(field + " cannot be " + value)
}

// fieldName is the path of a field as the file has it, without the names of Go types.
func fieldName(path string) string {
	var names []string
	for name := range strings.SplitSeq(path, ".") {
		if name != "" && !unicode.IsUpper([]rune(name)[0]) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ".")
}
