package plan

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// skips are the targets of an action that its plan leaves out; the plan's Action is
// without them.
type skips []skipped

// skipped is a target that a plan leaves out, while it changes others.
type skipped struct {
	name, why string // "ml/train", "not on a node"
	err       error  // why it is not possible; nil where it is already as requested
}

// add leaves out a target for which the action is not possible, or that is already
// as requested: err is nil then.
func (s *skips) add(ref model.Ref, why string, err error) {
	*s = append(*s, skipped{ref.Words(), why, err})
}

// Whole is nil where each target is changed or is already as requested; otherwise
// the error of the first target that the plan leaves out.
func (p *Plan) Whole() error { return p.skips.firstError() }

func (s skips) firstError() error {
	for _, skip := range s {
		if skip.err != nil {
			return skip.err
		}
	}
	return nil
}

// noneLeft is the error of an action that leaves out all its targets. already is
// the reason where each is already as requested.
func (s skips) noneLeft(name, already string) error {
	switch err := s.firstError(); {
	case err == nil:
		return fmt.Errorf("%s: %w: %s", name, ErrNoChange, already)
	case len(s) == 1:
		return err
	}
	return fmt.Errorf("%s: %w: %s", name, ErrNotPossible, s.reasons())
}

// words say which targets are left out, and why: "Skips 1 of 3 pods: ml/train
// (not on a node)."; "" where nothing is.
func (s skips) words(targets []model.Ref) string {
	if len(s) == 0 {
		return ""
	}
	noun := "objects"
	if len(targets) > 0 {
		noun = targets[0].Resource
	}
	return fmt.Sprintf("Skips %d of %d %s: %s.", len(s), len(targets)+len(s), noun, s.reasons())
}

// reasons name the targets that are left out, by reason.
func (s skips) reasons() string {
	var reasons []string
	names := map[string][]string{}
	for _, skip := range s {
		if names[skip.why] == nil {
			reasons = append(reasons, skip.why)
		}
		names[skip.why] = append(names[skip.why], skip.name)
	}
	words := make([]string, len(reasons))
	for i, why := range reasons {
		words[i] = fmt.Sprintf("%s (%s)", namesOf(names[why]), why)
	}
	return strings.Join(words, "; ")
}
