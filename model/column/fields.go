package column

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UnknownField is a field in an expression that objects of a kind do not have.
type UnknownField struct {
	Name  string
	Path  string   // up to the field, as in "object.metadat"
	Names []string // the fields that are there instead, sorted
}

// UnknownField is the first field in the expression that an object of this kind cannot have, by
// the types of k8s.io/api: objects are decoded into these, so that any other field is left out
// of what the expression sees. It is nil where there is none, and for other columns. What an
// expression makes of a function's result is not looked at.
func (s Spec) UnknownField(of metav1.Object) *UnknownField {
	_, expression, err := compiled(s.CEL)
	if err != nil {
		return nil // New says why
	}
	f := &fieldFinder{}
	f.visit(expression.NativeRep().Expr(), scope{variable: reflect.TypeOf(of)})
	return f.found
}

// scope is the types of variables; nil is one that is not known.
type scope map[string]reflect.Type

// with is the scope in which a variable has another type.
func (s scope) with(name string, of reflect.Type) scope {
	inner := maps.Clone(s)
	inner[name] = of
	return inner
}

// fieldFinder looks for a field that does not exist.
type fieldFinder struct{ found *UnknownField }

// visit looks through an expression, and gives its type and how it is written; nil where that is
// not known.
func (f *fieldFinder) visit(e ast.Expr, in scope) (reflect.Type, string) {
	switch e.Kind() {
	case ast.IdentKind:
		return in[e.AsIdent()], e.AsIdent()
	case ast.SelectKind:
		of, path := f.visit(e.AsSelect().Operand(), in)
		return f.field(of, path, e.AsSelect().FieldName())
	case ast.CallKind:
		return f.call(e.AsCall(), in)
	case ast.ComprehensionKind:
		f.comprehension(e.AsComprehension(), in)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			f.visit(element, in)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			f.visit(entry.AsMapEntry().Key(), in)
			f.visit(entry.AsMapEntry().Value(), in)
		}
	}
	return nil, ""
}

// call is visit of a function or an operator; those that take a part of an object have its type.
func (f *fieldFinder) call(call ast.CallExpr, in scope) (reflect.Type, string) {
	args := call.Args()
	if call.IsMemberFunction() {
		f.visit(call.Target(), in)
	}
	if len(args) == 0 {
		return nil, ""
	}
	of, path := f.visit(args[0], in)
	for _, arg := range args[1:] {
		f.visit(arg, in)
	}
	switch call.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		if args[1].Kind() == ast.LiteralKind {
			if name, ok := args[1].AsLiteral().(types.String); ok {
				return f.field(of, path, string(name))
			}
		}
		return element(of), path + "[]"
	}
	return nil, ""
}

// comprehension is visit of a macro such as map and exists, whose variable is an item of a list.
func (f *fieldFinder) comprehension(c ast.ComprehensionExpr, in scope) {
	of, _ := f.visit(c.IterRange(), in)
	f.visit(c.AccuInit(), in)
	in = in.with(c.AccuVar(), nil)
	f.visit(c.Result(), in)
	switch of = plain(of); {
	case c.HasIterVar2():
		in = in.with(c.IterVar(), nil).with(c.IterVar2(), element(of))
	case of != nil && of.Kind() == reflect.Slice:
		in = in.with(c.IterVar(), of.Elem())
	default:
		in = in.with(c.IterVar(), nil) // a key of a map
	}
	f.visit(c.LoopCondition(), in)
	f.visit(c.LoopStep(), in)
}

// field is a field of a type.
func (f *fieldFinder) field(of reflect.Type, path, name string) (reflect.Type, string) {
	path += "." + name
	of = plain(of)
	if of == nil || of.Kind() != reflect.Struct {
		return element(of), path
	}
	fields := map[string]reflect.Type{}
	addFields(of, fields)
	found, ok := fields[name]
	if !ok && f.found == nil {
		f.found = &UnknownField{Name: name, Path: path, Names: slices.Sorted(maps.Keys(fields))}
	}
	return found, path
}

// addFields adds the fields that a struct has in YAML.
func addFields(of reflect.Type, to map[string]reflect.Type) {
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous:
			addFields(field.Type, to)
		case name != "" && name != "-":
			to[name] = field.Type
		}
	}
}

// element is the type of the items of a list or the values of a map.
func element(of reflect.Type) reflect.Type {
	if of = plain(of); of != nil && (of.Kind() == reflect.Slice || of.Kind() == reflect.Map) {
		return of.Elem()
	}
	return nil
}

// plain is a type without its pointer; nil for one that is something else in YAML, such as an
// amount.
func plain(of reflect.Type) reflect.Type {
	if of == nil {
		return nil
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	return of
}
