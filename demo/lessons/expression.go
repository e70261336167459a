package lessons

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
)

// yield is what an expression gives.
type yield int

const (
	truth yield = iota
	words
)

// mostCost bounds what an expression may cost, as CEL counts.
const mostCost = 10_000_000

// variables are what expressions speak of: lists of objects as kubectl get -o
// json shows them, and three of pods in short (brief): those that run, those that
// the scheduler found no node for, and those that ended since the lesson began.
var variables = []string{
	"pods", "nodes", "deployments", "statefulsets", "daemonsets", "jobs", "poddisruptionbudgets", "persistentvolumeclaims",
	"running", "refused", "ended",
}

// compile reads an expression.
func compile(text string, yields yield) (cel.Program, error) {
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
	if yields == words {
		want = cel.StringType
	}
	if !ast.OutputType().IsExactType(want) && !ast.OutputType().IsExactType(cel.DynType) {
		return nil, fmt.Errorf("read expression %q: it yields %s, not %s", text, ast.OutputType(), want)
	}
	return env.Program(ast, cel.CostLimit(mostCost))
}

// holds says whether an expression is true of a state.
func holds(program cel.Program, state map[string]any) (bool, error) {
	value, _, err := program.Eval(state)
	if err != nil {
		return false, fmt.Errorf("judge state: %w", err)
	}
	is, _ := value.Value().(bool)
	return is, nil
}

// told is the text that an expression gives.
func told(program cel.Program, state map[string]any) (string, error) {
	value, _, err := program.Eval(state)
	if err != nil {
		return "", fmt.Errorf("judge state: %w", err)
	}
	text, _ := value.Value().(string)
	return text, nil
}
