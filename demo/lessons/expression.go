package lessons

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
)

// resultType is the type that an expression must evaluate to.
type resultType int

const (
	boolResult resultType = iota
	textResult
)

// mostCost limits the cost of an expression, in units of CEL.
const mostCost = 10_000_000

// variables are those of expressions: lists of objects as in kubectl get -o json, and
// three lists of pod summaries: running, unschedulable and ended (deleted
// since the lesson began).
var variables = []string{
	"pods", "nodes", "deployments", "statefulsets", "daemonsets", "jobs", "poddisruptionbudgets", "persistentvolumeclaims", "resourcequotas",
	"running", "unschedulable", "ended",
}

// compile compiles an expression.
func compile(text string, result resultType) (cel.Program, error) {
	options := []cel.EnvOption{cel.OptionalTypes()}
	for _, name := range variables {
		options = append(options, cel.Variable(name, cel.ListType(cel.DynType)))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("read expression: %w", err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, fmt.Errorf("read expression %q: %s", text, strings.Join(strings.Fields(issues.Err().Error()), " "))
	}
	want := cel.BoolType
	if result == textResult {
		want = cel.StringType
	}
	if !ast.OutputType().IsExactType(want) && !ast.OutputType().IsExactType(cel.DynType) {
		return nil, fmt.Errorf("read expression %q: it evaluates to %s, not %s", text, ast.OutputType(), want)
	}
	return env.Program(ast, cel.CostLimit(mostCost))
}

// evalBool evaluates an expression to a boolean.
func evalBool(program cel.Program, state map[string]any) (bool, error) {
	value, _, err := program.Eval(state)
	if err != nil {
		return false, fmt.Errorf("evaluate state: %w", err)
	}
	is, _ := value.Value().(bool)
	return is, nil
}

// evalText evaluates an expression to a text.
func evalText(program cel.Program, state map[string]any) (string, error) {
	value, _, err := program.Eval(state)
	if err != nil {
		return "", fmt.Errorf("evaluate state: %w", err)
	}
	text, _ := value.Value().(string)
	return text, nil
}
