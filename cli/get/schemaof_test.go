package get

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

var listKind = regexp.MustCompile(`"[A-Z][A-Za-z]+List"`)

// unknownWords stand in the comment of a list or a map that is null where it is not known:
// without them it is never null.
var unknownWords = regexp.MustCompile(`\b(nil|null)\b`)

// schema is a JSON Schema, of the parts that are needed here.
type schema struct {
	Draft                string             `json:"$schema,omitempty"`
	Title                string             `json:"title,omitempty"`
	Description          string             `json:"description,omitempty"`
	Type                 any                `json:"type,omitempty"` // a name, or several
	Format               string             `json:"format,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	AdditionalProperties *schema            `json:"additionalProperties,omitempty"`
}

// named is the schema of an object of that kind.
func (s *schema) named(kind string) *schema {
	s.Draft, s.Title = "https://json-schema.org/draft/2020-12/schema", kind
	s.Properties["apiVersion"] = &schema{Type: "string", Enum: []string{report.APIVersion}}
	s.Properties["kind"] = &schema{Type: "string", Enum: []string{strings.TrimSuffix(kind, "Lose")}}
	s.Required = slices.Compact(slices.Sorted(slices.Values(append(s.Required, "apiVersion", "kind"))))
	return s
}

// unknown are the fields of an answer that the schema does not have.
func (s *schema) unknown(answer any, path string) []string {
	var found []string
	switch is := answer.(type) {
	case []any:
		for _, item := range is {
			if s.Items != nil {
				found = append(found, s.Items.unknown(item, path+"[]")...)
			}
		}
	case map[string]any:
		for name, value := range is {
			switch of := s.Properties[name]; {
			case of != nil:
				found = append(found, of.unknown(value, path+"."+name)...)
			case s.AdditionalProperties != nil:
				found = append(found, s.AdditionalProperties.unknown(value, path+"."+name)...)
			default:
				found = append(found, path+"."+name)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// described are the comments of fields, by type and field, and the values of types that have constants.
type described struct {
	fields map[string]string
	values map[string][]string // by package and type
}

// comments reads those of the packages whose types are printed.
func comments(t *testing.T) described {
	t.Helper()
	all := described{map[string]string{}, map[string][]string{}}
	for _, folder := range []string{".", "../lessonlist", "../../demo/lessons", "../../explain/report", "../../explain/kubelet", "../../model/inventory", "../../model/plan"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(node ast.Node) bool {
				switch is := node.(type) {
				case *ast.TypeSpec:
					all.note(is)
				case *ast.ValueSpec:
					all.noteValues(t, parsed.Name.Name, is)
				}
				return true
			})
		}
	}
	return all
}

// note keeps the comments of the fields of a struct.
func (d described) note(spec *ast.TypeSpec) {
	of, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range of.Fields.List {
		words := strings.TrimSpace(field.Doc.Text() + " " + field.Comment.Text())
		for _, name := range field.Names {
			d.fields[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(words), " ")
		}
	}
}

// noteValues keeps the constants of a type that is a string.
func (d described) noteValues(t *testing.T, of string, spec *ast.ValueSpec) {
	t.Helper()
	kind, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, value := range spec.Values {
		if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			d.values[of+"."+kind.Name] = append(d.values[of+"."+kind.Name], text)
		}
	}
}

// texts are the types that are printed as a text.
var texts = map[reflect.Type]schema{
	reflect.TypeFor[time.Time]():         {Type: "string", Format: "date-time"},
	reflect.TypeFor[metav1.Time]():       {Type: "string", Format: "date-time"},
	reflect.TypeFor[resource.Quantity](): {Type: "string"},
	reflect.TypeFor[inventory.Amounts](): {Type: "object", AdditionalProperties: &schema{Type: "string"}},
}

// schemaOf is the schema of what a value of the type is printed as.
func (d described) schemaOf(t *testing.T, of reflect.Type) *schema {
	t.Helper()
	if known, ok := texts[of]; ok {
		return &known
	}
	if of.Kind() != reflect.Pointer && of.Implements(reflect.TypeFor[json.Marshaler]()) {
		t.Fatalf("%s prints itself: say as what", of)
	}
	switch of.Kind() {
	case reflect.Pointer:
		s := d.schemaOf(t, of.Elem())
		if s.Enum != nil {
			t.Fatalf("%s: null is none of its values", of)
		}
		s.Type = []string{fmt.Sprint(s.Type), "null"}
		return s
	case reflect.Slice, reflect.Array:
		return &schema{Type: "array", Items: d.schemaOf(t, of.Elem())}
	case reflect.Map:
		return &schema{Type: "object", AdditionalProperties: d.schemaOf(t, of.Elem())}
	case reflect.Struct:
		s := &schema{Type: "object", Properties: map[string]*schema{}}
		d.addFields(t, s, of)
		slices.Sort(s.Required)
		return s
	case reflect.Interface:
		return &schema{} // whatever an object has there, such as the old and new value of an edit
	case reflect.String:
		return &schema{Type: "string", Enum: d.values[of.String()]}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer"}
	}
	t.Fatalf("no schema for %s", of)
	return nil
}

// addFields adds the fields of a struct, and of those that it embeds.
func (d described) addFields(t *testing.T, s *schema, of reflect.Type) {
	t.Helper()
	for field := range of.Fields() {
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() && !field.Anonymous {
			continue
		}
		if field.Anonymous && name == "" {
			d.addFields(t, s, field.Type)
			continue
		}
		if name == "" {
			t.Fatalf("%s.%s has no name in JSON", of, field.Name)
		}
		property := d.schemaOf(t, field.Type)
		property.Description = d.fields[of.Name()+"."+field.Name]
		if kind := field.Type.Kind(); (kind == reflect.Map || kind == reflect.Slice) && unknownWords.MatchString(property.Description) {
			property.Type = []string{fmt.Sprint(property.Type), "null"}
		}
		if property.Enum != nil && strings.Contains(property.Description, `""`) {
			property.Enum = append([]string{""}, property.Enum...)
		}
		s.Properties[name] = property
		if !strings.Contains(rest, "omit") {
			s.Required = append(s.Required, name)
		}
	}
}
