// Package lessons teaches scheduling on the embedded cluster: each lesson is a
// cluster with something wrong, questions to answer before the scheduler acts,
// and a goal that the state of the cluster decides.
package lessons

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Lesson is one lesson, as its file says.
type Lesson struct {
	Name    string   `json:"name"`    // a word: "one-too-many"
	Title   string   `json:"title"`   // "one replica too many"
	Level   string   `json:"level"`   // "first hour", "next", "hard"
	Story   string   `json:"story"`   // what the student finds
	Nodes   []Node   `json:"nodes"`   // of the cluster
	Steps   []Step   `json:"steps"`   // one after the other
	Goal    Goal     `json:"goal"`    // what ends the lesson
	Hints   []string `json:"hints"`   // of the last step: each says more than the one before
	Faults  []Fault  `json:"faults"`  // what happens by itself
	Spoilt  *Goal    `json:"spoilt"`  // where this holds, the lesson has to begin again
	Learned string   `json:"learned"` // the explanation at the end
	Link    string   `json:"link"`    // to the Kubernetes documentation
}

// Node is a node of a lesson, in short.
type Node struct {
	Name   string              `json:"name"`
	Labels map[string]string   `json:"labels"`
	Taints []corev1.Taint      `json:"taints"`
	Room   corev1.ResourceList `json:"room"` // allocatable
	Zone   string              `json:"zone"`
	Cordon bool                `json:"cordoned"`
}

// Step is a part of a lesson. Its objects are made when it begins.
type Step struct {
	Say     string                 `json:"say"`
	Objects []runtime.RawExtension `json:"objects"`
	Predict *Prediction            `json:"predict"` // nil: nothing is asked
	// Until says when the next step may begin; "" is at once. After a prediction it
	// is what the right answer foretells, so that the next step begins on it.
	Until string   `json:"until"`
	Hints []string `json:"hints"` // each says more than the one before
	// Does is what a student does in it, for who goes to a later step at once.
	Does []Effect `json:"does"`
}

// Prediction is a question that is put before the scheduler acts on the step's objects.
type Prediction struct {
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Right    int      `json:"right"` // counted from 1
	Because  string   `json:"because"`
	// Unseen says that the step's objects are made after the answer: where it is
	// not the scheduler that acts first.
	Unseen bool `json:"unseen"`
}

// Goal is a state of the cluster.
type Goal struct {
	Says string `json:"says"` // "all 7 Running, none evicted"
	When string `json:"when"` // an expression (CEL) over the cluster: see variables
	Now  string `json:"now"`  // an expression whose text says how far it is; "" is left out
}

// MostSize is how large a lesson's file may be, in bytes.
const MostSize = 1 << 20

// Read reads a lesson. Its errors are one line.
func Read(from io.Reader) (*Lesson, error) {
	text, err := io.ReadAll(io.LimitReader(from, MostSize+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read lesson: %w", err)
	case len(text) > MostSize:
		return nil, fmt.Errorf("read lesson: it is larger than %d bytes", MostSize)
	}
	var lesson Lesson
	if err := yaml.UnmarshalStrict(text, &lesson); err != nil {
		return nil, fmt.Errorf("read lesson: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	if err := lesson.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSpace("read lesson "+lesson.Name), err)
	}
	return &lesson, nil
}

// check says what a lesson lacks.
func (l *Lesson) check() error {
	if err := l.complete(); err != nil {
		return err
	}
	for i, step := range l.Steps {
		if err := step.check(l); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	for i := range l.Faults {
		if err := l.Faults[i].check(l); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	return l.expressions()
}

// complete says which part is not there.
func (l *Lesson) complete() error {
	switch {
	case l.Name == "":
		return errors.New("it needs a name")
	case strings.ContainsAny(l.Name, " /"):
		return fmt.Errorf("name %q is no single word", l.Name)
	case l.Title == "" || l.Story == "":
		return errors.New("it needs a title and a story")
	case len(l.Nodes) == 0:
		return errors.New("it needs nodes")
	case len(l.Steps) == 0:
		return errors.New("it needs steps")
	case l.Goal.When == "" || l.Goal.Says == "":
		return errors.New("it needs a goal with says and when")
	case l.Spoilt != nil && (l.Spoilt.When == "" || l.Spoilt.Says == ""):
		return errors.New("spoilt needs says and when")
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
			return fmt.Errorf("does %d: %w", i+1, err)
		}
	}
	p := s.Predict
	switch {
	case p == nil:
		return nil
	case p.Question == "" || len(p.Answers) < 2 || len(p.Answers) > 9:
		return errors.New("a prediction needs a question and two to nine answers")
	case p.Right < 1 || p.Right > len(p.Answers):
		return fmt.Errorf("the right answer is %d of %d", p.Right, len(p.Answers))
	}
	return nil
}

// expressions checks that all of them can be read.
func (l *Lesson) expressions() error {
	for _, expression := range l.all() {
		if _, err := compile(expression.text, expression.yields); err != nil {
			return err
		}
	}
	return nil
}

type expression struct {
	text   string
	yields yield
}

// all are the lesson's expressions.
func (l *Lesson) all() []expression {
	list := []expression{{l.Goal.When, truth}}
	if l.Goal.Now != "" {
		list = append(list, expression{l.Goal.Now, words})
	}
	if l.Spoilt != nil {
		list = append(list, expression{l.Spoilt.When, truth})
	}
	for _, step := range l.Steps {
		if step.Until != "" {
			list = append(list, expression{step.Until, truth})
		}
	}
	return list
}
