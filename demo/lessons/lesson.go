// Package lessons teaches scheduling on the embedded cluster. A lesson is a cluster
// with a problem, questions to answer before the scheduler acts, and a goal that is
// evaluated on the state of the cluster.
package lessons

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Lesson is one lesson, as in its file.
type Lesson struct {
	Name    string   `json:"name"`    // one word: "anti-affinity"
	Title   string   `json:"title"`   // "required pod anti-affinity"
	Level   string   `json:"level"`   // "beginner", "intermediate", "advanced"
	Story   string   `json:"story"`   // the situation at the start
	Nodes   []Node   `json:"nodes"`   // of the cluster
	Steps   []Step   `json:"steps"`   // in order
	Goal    Goal     `json:"goal"`    // reaching it ends the lesson
	Hints   []string `json:"hints"`   // of the last step, each more specific than the one before
	Faults  []Fault  `json:"faults"`  // they happen by themselves
	Failed  *Goal    `json:"failed"`  // if it holds, the lesson must be reset
	Learned string   `json:"learned"` // the explanation at the end
	Link    string   `json:"link"`    // to the Kubernetes documentation
}

// Node is a node of a lesson.
type Node struct {
	Name        string              `json:"name"`
	Labels      map[string]string   `json:"labels"`
	Taints      []corev1.Taint      `json:"taints"`
	Allocatable corev1.ResourceList `json:"allocatable"` // allocatable
	Zone        string              `json:"zone"`
	Cordon      bool                `json:"cordoned"`
}

// Step is a part of a lesson. Its objects are created when it starts.
type Step struct {
	Say     string                 `json:"say"`
	Objects []runtime.RawExtension `json:"objects"`
	Predict *Prediction            `json:"predict"` // nil: nothing is asked
	// Until is the condition for the next step to start; "" is none. After a prediction
	// it is what the right answer predicts, so that the next step can rely on it.
	Until string   `json:"until"`
	Hints []string `json:"hints"` // each more specific than the one before
	// Does is what a student does in the step. It is applied when the step is skipped.
	Does []Effect `json:"does"`
}

// Prediction is a question that is asked before the scheduler acts on the objects of the step.
type Prediction struct {
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Right    int      `json:"right"` // counted from 1
	Because  string   `json:"because"`
	// Unseen says that the objects of the step are created after the answer, because
	// another component than the scheduler acts on them first.
	Unseen bool `json:"unseen"`
}

// Goal is a state of the cluster.
type Goal struct {
	Says string `json:"says"` // "all 7 Running, none evicted"
	When string `json:"when"` // an expression (CEL) over the cluster: see variables
	Now  string `json:"now"`  // an expression for the progress as text; "" is none
}

// MostSize is the maximal size of a lesson file, in bytes.
const MostSize = 1 << 20

// Read reads a lesson. Its errors are one line, and begin with the line of the file that is wrong.
func Read(from io.Reader) (*Lesson, error) {
	text, err := io.ReadAll(io.LimitReader(from, MostSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MostSize:
		return nil, fmt.Errorf("the file is larger than %d bytes", MostSize)
	}
	var lesson Lesson
	if err := yaml.UnmarshalStrict(text, &lesson); err != nil {
		worded := inYAML(err, errNoLesson)
		if root := rootOf(text); root != nil && !errors.Is(worded, errNoLesson) {
			worded = locate(worded, toAny(undecodable(root, reflect.TypeFor[Lesson]()))...)
		}
		return nil, withLine(text, worded)
	}
	if err := lesson.check(); err != nil {
		return nil, withLine(text, err)
	}
	return &lesson, nil
}

// check validates a lesson.
func (l *Lesson) check() error {
	if err := l.complete(); err != nil {
		return err
	}
	for i, step := range l.Steps {
		if err := step.check(l); err != nil {
			return locate(fmt.Errorf("step %d: %w", i+1, err), "steps", i)
		}
	}
	for i := range l.Faults {
		if err := l.Faults[i].check(l); err != nil {
			return locate(fmt.Errorf("fault %d: %w", i+1, err), "faults", i)
		}
	}
	if err := l.namespaces(); err != nil {
		return err
	}
	return l.expressions()
}

// complete checks that all required fields are there.
func (l *Lesson) complete() error {
	switch {
	case l.Name == "":
		return errors.New("\"name\" is required")
	case strings.ContainsAny(l.Name, " /"):
		return locate(fmt.Errorf("name %q is not a single word", l.Name), "name")
	case l.Title == "" || l.Story == "":
		return errors.New("\"title\" and \"story\" are required")
	case len(l.Nodes) == 0:
		return errors.New("\"nodes\" is required")
	case len(l.Steps) == 0:
		return errors.New("\"steps\" is required")
	case l.Goal.When == "" || l.Goal.Says == "":
		return locate(errors.New("\"goal\": \"says\" and \"when\" are required"), "goal")
	case l.Failed != nil && (l.Failed.When == "" || l.Failed.Says == ""):
		return locate(errors.New("\"failed\": \"says\" and \"when\" are required"), "failed")
	}
	return nil
}

func (l *Lesson) hasNode(name string) bool {
	return slices.ContainsFunc(l.Nodes, func(n Node) bool { return n.Name == name })
}

// HintsOf are the hints of a step, counted from 0.
func (l *Lesson) HintsOf(step int) []string {
	if step == len(l.Steps)-1 {
		return slices.Concat(l.Steps[step].Hints, l.Hints)
	}
	return l.Steps[step].Hints
}

func (s *Step) check(l *Lesson) error {
	if _, err := objects(s.Objects); err != nil {
		return err
	}
	for i := range s.Does {
		if err := s.Does[i].check(l); err != nil {
			return locate(fmt.Errorf("does %d: %w", i+1, err), "does", i)
		}
	}
	p := s.Predict
	switch {
	case p == nil:
		return nil
	case p.Question == "" || len(p.Answers) < 2 || len(p.Answers) > 9:
		return locate(errors.New("a prediction needs a question and two to nine answers"), "predict")
	case p.Right < 1 || p.Right > len(p.Answers):
		return locate(fmt.Errorf("right is %d, but there are %d answers", p.Right, len(p.Answers)), "predict", "right")
	}
	return nil
}

// expressions checks that all expressions compile.
func (l *Lesson) expressions() error {
	for _, expression := range l.all() {
		if _, err := compile(expression.text, expression.result); err != nil {
			return locate(err, expression.path...)
		}
	}
	return nil
}

type expression struct {
	text   string
	result resultType
	path   []any // in the file
}

// all are the expressions of the lesson.
func (l *Lesson) all() []expression {
	list := []expression{{l.Goal.When, boolResult, []any{"goal", "when"}}}
	if l.Goal.Now != "" {
		list = append(list, expression{l.Goal.Now, textResult, []any{"goal", "now"}})
	}
	if l.Failed != nil {
		list = append(list, expression{l.Failed.When, boolResult, []any{"failed", "when"}})
	}
	for i, step := range l.Steps {
		if step.Until != "" {
			list = append(list, expression{step.Until, boolResult, []any{"steps", i, "until"}})
		}
	}
	return list
}
