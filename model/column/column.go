// Package column is columns of a user's own for Nodes and Pods: a label, an annotation or
// a CEL expression. Nothing here draws.
package column

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// mostHead is how long a heading is at most, in characters.
	mostHead = 30
	// mostExpression is how long an expression is at most, in characters.
	mostExpression = 1000
	// mostCost is how much an evaluation may cost, in CEL's units: far beyond what a field,
	// a comparison or a list of containers takes.
	mostCost = 100_000
	// mostKept is how many values are remembered.
	mostKept = 10_000
)

// Spec is a column as the settings have it: one of Label, Annotation and CEL.
type Spec struct {
	Head       string `json:"head"`       // its heading; "" is made of the label or the annotation
	Label      string `json:"label"`      // the key of a label
	Annotation string `json:"annotation"` // the key of an annotation
	CEL        string `json:"cel"`        // an expression about the variable object
}

// Column is a column that can be shown. It is safe for concurrent use.
type Column struct {
	Head string

	of    func(metav1.Object) (string, error)
	whole bool // it is about more than labels
	cel   bool

	mu   sync.Mutex
	kept map[metav1.Object]string // of objects, which are shared and never changed
}

// errMissing says that an object has not what a column shows.
var errMissing = errors.New("missing")

// New makes a column. The error says what is wrong with the spec; field is which part, "" for
// all of it.
func New(spec Spec) (c *Column, field string, err error) {
	set := 0
	for _, text := range []string{spec.Label, spec.Annotation, spec.CEL} {
		if text != "" {
			set++
		}
	}
	if set != 1 {
		return nil, "", errors.New("set one of label, annotation and cel")
	}
	c = &Column{Head: spec.Head, whole: spec.Label == "", cel: spec.CEL != ""}
	switch {
	case spec.Label != "":
		field = "label"
		c.of, err = ofKey(spec.Label, func(o metav1.Object) map[string]string { return o.GetLabels() })
	case spec.Annotation != "":
		field = "annotation"
		c.of, err = ofKey(spec.Annotation, func(o metav1.Object) map[string]string { return o.GetAnnotations() })
	default:
		field = "cel"
		c.of, err = ofExpression(spec.CEL)
	}
	if err != nil {
		return nil, field, err
	}
	if c.Head == "" {
		key := spec.Label + spec.Annotation
		c.Head = strings.ToUpper(key[strings.LastIndexByte(key, '/')+1:])
	}
	switch {
	case c.Head == "":
		return nil, "", errors.New("a column of cel needs a head")
	case len([]rune(c.Head)) > mostHead || model.Clean(c.Head) != c.Head:
		return nil, "head", fmt.Errorf("it has at most %d characters, and none that cannot be printed", mostHead)
	}
	return c, "", nil
}

// NeedsWhole reports whether the column is about more of an object than fathom keeps.
func (c *Column) NeedsWhole() bool { return c.whole }

// Value is what the column shows of an object: "" where the object has no such label,
// annotation or field, and model.UnknownFigure where that is not known: of an expression
// that fails, and, where objects are not whole, of any expression, and of an annotation that
// is not there.
func (c *Column) Value(object metav1.Object, whole bool) string {
	if c.cel && !whole {
		return model.UnknownFigure // a field that was left out looks like one that is not set
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if text, ok := c.kept[object]; ok {
		return text
	}
	text, err := c.of(object)
	switch {
	case errors.Is(err, errMissing) && (whole || !c.whole):
		text = ""
	case err != nil:
		text = model.UnknownFigure
	}
	if c.kept == nil || len(c.kept) >= mostKept {
		c.kept = map[metav1.Object]string{}
	}
	c.kept[object] = text
	return text
}

// ofKey shows the value of a label or an annotation.
func ofKey(key string, of func(metav1.Object) map[string]string) (func(metav1.Object) (string, error), error) {
	if wrong := content.IsLabelKey(key); len(wrong) > 0 {
		return nil, fmt.Errorf("%q is not a key: %s", key, wrong[0])
	}
	return func(o metav1.Object) (string, error) {
		value, ok := of(o)[key]
		if !ok {
			return "", errMissing
		}
		return value, nil
	}, nil
}

// variable is what an expression is about: the object, as in its YAML.
const variable = "object"

// ofExpression shows what an expression comes to.
func ofExpression(text string) (func(metav1.Object) (string, error), error) {
	if len(text) > mostExpression {
		return nil, fmt.Errorf("it has more than %d characters", mostExpression)
	}
	env, ast, err := compiled(text)
	if err != nil {
		return nil, err
	}
	program, err := env.Program(ast, cel.CostLimit(mostCost))
	if err != nil {
		return nil, firstLine(err)
	}
	return func(o metav1.Object) (string, error) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return "", err
		}
		value, _, err := program.Eval(map[string]any{variable: fields})
		switch {
		case err != nil && strings.Contains(err.Error(), "no such key"), err != nil && strings.Contains(err.Error(), "index out of bounds"):
			return "", errMissing
		case err != nil:
			return "", err
		}
		return textOf(value)
	}, nil
}

// compiled is an expression, and the environment that it is of.
func compiled(text string) (*cel.Env, *cel.Ast, error) {
	env, err := cel.NewEnv(cel.Variable(variable, cel.MapType(cel.StringType, cel.DynType)), ext.Strings(), cel.OptionalTypes())
	if err != nil {
		return nil, nil, fmt.Errorf("set up CEL: %w", err)
	}
	ast, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, nil, firstLine(err)
	}
	return env, ast, nil
}

// firstLine is an error of CEL without the lines that point at the place.
func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(strings.TrimPrefix(line, "ERROR: <input>:"))
}

// textOf is a value as it is shown: a list by its items.
func textOf(value ref.Val) (string, error) {
	switch value := value.(type) {
	case types.Null:
		return "", errMissing
	case *types.Optional:
		if !value.HasValue() {
			return "", errMissing
		}
		return textOf(value.GetValue())
	case traits.Lister:
		var items []string
		for at := value.Iterator(); at.HasNext() == types.True; {
			item, err := textOf(at.Next())
			if err != nil {
				return "", err
			}
			items = append(items, item)
		}
		return strings.Join(items, ","), nil
	}
	text, ok := value.ConvertToType(types.StringType).(types.String)
	if !ok {
		return "", fmt.Errorf("a %s cannot be shown", value.Type().TypeName())
	}
	return string(text), nil
}
