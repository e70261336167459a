package lessons

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
)

// errNoLesson says of a file that it is something else than a lesson.
var errNoLesson = errors.New("it is no lesson: it must be a YAML mapping with name, title, nodes and steps (docs/guide/teach.md)")

// wrongType is how decoders of JSON, by which YAML is read, say that a field is of another
// type: the type that it has, the field if there is one, and the Go type that it should have.
var wrongType = regexp.MustCompile(`cannot unmarshal (.+?) into Go (?:struct field (\S+)|value) of type (.+)$`)

// yamlTypes are YAML's words for JSON's.
var yamlTypes = map[string]string{
	"array": "a list", "object": "a mapping", "string": "a string", "number": "a number", "bool": "true or false",
}

// inYAML words an error of a decoder for who writes the file: in one line, without the types
// of this program. of is the type of the whole, none the error where the whole is of another.
func inYAML(err error, of string, none error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if strings.Contains(text, "map key") {
		return errors.New("a key of a mapping is a mapping, a list or empty: it must be a string")
	}
	wrong := wrongType.FindStringSubmatch(text)
	if wrong == nil {
		return errors.New(strings.TrimPrefix(text, "error unmarshaling JSON: while decoding JSON: json: "))
	}
	field := fieldName(wrong[2])
	if field == "" && strings.HasPrefix(wrong[3], of) {
		return none
	}
	value, known := yamlTypes[wrong[1]]
	if !known {
		value = strings.TrimPrefix(wrong[1], "number ")
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
