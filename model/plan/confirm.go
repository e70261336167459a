package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// ErrNotConfirmed says that an answer is not the one that the plan asks for.
var ErrNotConfirmed = errors.New("not confirmed")

// Question is asked before a plan is run. It grows with the disruption.
type Question struct {
	Answer string // "y" is a key, anything else is typed and entered
	Words  string // "y cordon", "Type 11 (pods to evict):"
}

// Question is the plan's, on the context of that name as the header shows it.
// A plan that can be undone needs a key, and so does the eviction of one pod that is
// rescheduled and loses nothing. Any other plan that terminates pods needs their
// number, on production the context's name.
func (p *Plan) Question(context string, production bool) Question {
	switch {
	case p.PodsTerminated == 0, !production && p.reschedules():
		return Question{Answer: "y", Words: "y " + p.Does}
	case production:
		return Question{Answer: context, Words: fmt.Sprintf("Type %s to %s:", context, p.disrupts())}
	}
	return Question{
		Answer: strconv.Itoa(p.PodsTerminated),
		Words:  fmt.Sprintf("Type %d (%s):", p.PodsTerminated, toType(p.Action)),
	}
}

// Number says whether the answer is a number: only digits can be typed then.
func (q Question) Number() bool {
	return q.Answer != "" && strings.Trim(q.Answer, "0123456789") == ""
}

// toType says what the number counts that has to be typed.
func toType(action Action) string { return "pods to " + verbOf(action) }

// verbOf is what the action does to the pods that it terminates: "evict".
func verbOf(action Action) string {
	switch action.(type) {
	case Evict, Drain, Taint:
		return "evict"
	case Delete, Scale:
		return "delete"
	case Restart:
		return "replace"
	}
	return "terminate"
}

// reschedules says whether the plan only evicts one pod that its controller
// recreates, that fits a node, and that loses nothing: a Job starts over. The cluster
// does not go without critical pods for a while either.
func (p *Plan) reschedules() bool {
	if _, evicts := p.Action.(Evict); !evicts || p.PodsTerminated != 1 || len(p.Consents) > 0 || len(p.Verdict.Rejections) > 0 {
		return false
	}
	return !slices.ContainsFunc(p.Ends, func(end End) bool {
		class := end.class()
		return !end.Terminating && (end.Pod.Priority() >= model.SystemCritical || class != lands && class != comesBack ||
			end.Budget().Allows != BudgetAllows || end.EmptyDir || end.Lost || end.Pod.Owner.Kind == "Job")
	})
}

// disrupts says what running the plan does to pods: "evict 3 pods", "drain and evict 11 pods".
func (p *Plan) disrupts() string {
	does := verbOf(p.Action)
	if does != p.Does {
		does = p.Does + " and " + does
	}
	return does + " " + CountPods(p.PodsTerminated)
}

// CountPods is "1 pod", "3 pods".
func CountPods(n int) string {
	if n == 1 {
		return "1 pod"
	}
	return strconv.Itoa(n) + " pods"
}

// Confirmed is a plan whose question was answered. Nothing else can be run.
type Confirmed struct{ plan *Plan }

// Plan is the confirmed plan; nil for the zero value.
func (c Confirmed) Plan() *Plan { return c.plan }

// Confirm takes the answer to the question and the consents, one for each of
// the plan's. Where one is missing, the error is ErrNotConfirmed; so it is where the plan may
// terminate pods that could not be read.
func (p *Plan) Confirm(question Question, answer string, consents []bool) (Confirmed, error) {
	if why := Unforeseen(p); why != "" {
		return Confirmed{}, fmt.Errorf("%s: %w: %s", p.Action.Name(), ErrNotConfirmed, why)
	}
	if answer != question.Answer || question.Answer == "" {
		return Confirmed{}, fmt.Errorf("%s: %w: the answer is %q", p.Action.Name(), ErrNotConfirmed, question.Answer)
	}
	for i, consent := range p.Consents {
		if i >= len(consents) || !consents[i] {
			return Confirmed{}, fmt.Errorf("%s: %w: confirm: %s", p.Action.Name(), ErrNotConfirmed, consent.Words)
		}
	}
	return Confirmed{plan: p}, nil
}
