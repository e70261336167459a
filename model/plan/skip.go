package plan

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// skipped is a target of a wish that its plan leaves as it is, while it does
// something to others.
type skipped struct {
	name, why string // "ml/train", "on no node"
	err       error  // why it cannot be done; nil where it is as wished already
}

// skip leaves out a target that it cannot be done to, or that is as wished already:
// err is nil then.
func (p *Plan) skip(ref model.Ref, why string, err error) {
	p.skips = append(p.skips, skipped{ref.Words(), why, err})
}

// Whole is nil where the plan does all that was wished, or all but what is so
// already; else the error that the first target has which it leaves out.
func (p *Plan) Whole() error {
	for _, s := range p.skips {
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

// noneLeft is the error of a wish of which nothing is left to be done. so are the
// words of a wish all of whose targets are as wished already.
func (p *Plan) noneLeft(name, so string) error {
	switch err := p.Whole(); {
	case err == nil:
		return fmt.Errorf("%s: %w: %s", name, ErrNoChange, so)
	case len(p.skips) == 1:
		return err
	}
	return fmt.Errorf("%s: %w: %s", name, ErrWrongWish, p.skipReasons())
}

// skipWords say what the plan leaves out and why: "Skips 1 of 3 pods: ml/train (on
// no node)."; "" where it leaves out nothing.
func (p *Plan) skipWords() string {
	if len(p.skips) == 0 {
		return ""
	}
	targets := p.Action.Targets()
	noun := "objects"
	if len(targets) > 0 {
		noun = targets[0].Resource
	}
	return fmt.Sprintf("Skips %d of %d %s: %s.", len(p.skips), len(targets)+len(p.skips), noun, p.skipReasons())
}

// skipReasons name what is left out, those of one reason together.
func (p *Plan) skipReasons() string {
	var reasons []string
	names := map[string][]string{}
	for _, s := range p.skips {
		if names[s.why] == nil {
			reasons = append(reasons, s.why)
		}
		names[s.why] = append(names[s.why], s.name)
	}
	words := make([]string, len(reasons))
	for i, why := range reasons {
		words[i] = fmt.Sprintf("%s (%s)", namesOf(names[why]), why)
	}
	return strings.Join(words, "; ")
}
