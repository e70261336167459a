package plan

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// skips are the targets of a wish that its plan leaves as they are; its Action is
// without them.
type skips []skipped

// skipped is a target of a wish that its plan leaves as it is, while it does
// something to others.
type skipped struct {
	name, why string // "ml/train", "on no node"
	err       error  // why it cannot be done; nil where it is as wished already
}

// add leaves out a target that it cannot be done to, or that is as wished already:
// err is nil then.
func (s *skips) add(ref model.Ref, why string, err error) {
	*s = append(*s, skipped{ref.Words(), why, err})
}

// Whole is nil where the plan does all that was wished, or all but what is so
// already; else the error that the first target has which it leaves out.
func (p *Plan) Whole() error { return p.skips.firstError() }

func (s skips) firstError() error {
	for _, skip := range s {
		if skip.err != nil {
			return skip.err
		}
	}
	return nil
}

// noneLeft is the error of a wish of which nothing is left to be done. so are the
// words of a wish all of whose targets are as wished already.
func (s skips) noneLeft(name, so string) error {
	switch err := s.firstError(); {
	case err == nil:
		return fmt.Errorf("%s: %w: %s", name, ErrNoChange, so)
	case len(s) == 1:
		return err
	}
	return fmt.Errorf("%s: %w: %s", name, ErrWrongWish, s.reasons())
}

// words say what is left out beside the targets and why: "Skips 1 of 3 pods: ml/train
// (on no node)."; "" where nothing is.
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

// reasons name what is left out, those of one reason together.
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
