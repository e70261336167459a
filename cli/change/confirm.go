package change

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// confirm asks the plan's question, and before it for what is agreed to by no flag.
func (c *Command) confirm(ctx context.Context, p *plan.Plan) (plan.Confirmed, error) {
	question := c.question(p)
	if replaced := p.Replaced(); c.yes && c.replace != nil && !*c.replace && len(replaced) > 0 {
		return plan.Confirmed{}, exit.Usagef("%s would replace %s: use --overwrite to allow it", p.Action.Name(), strings.Join(replaced, ", "))
	}
	agreed, err := c.consents(ctx, p)
	if err != nil {
		return plan.Confirmed{}, err
	}
	answer := question.Answer
	if !c.yes {
		if answer, err = c.answers.Ask(ctx, asked(question)); err != nil {
			return plan.Confirmed{}, err
		}
	}
	confirmed, err := p.Confirm(question, answer, agreed)
	if err != nil {
		return plan.Confirmed{}, notConfirmed(c, p)
	}
	return confirmed, nil
}

// question is the plan's, as the dashboard would ask it.
func (c *Command) question(plan *plan.Plan) plan.Question {
	context := c.live.Client.Context()
	all, err := client.Contexts(c.source.Flags)
	if err != nil {
		all = nil // it was read before: the whole name does
	}
	return plan.Question(model.ShortContext(context, all), model.MatchProduction(c.settings.Production, context))
}

// asked words a question for a line of its own.
func asked(question plan.Question) string {
	if question.Answer == "y" {
		return "Type " + strings.Replace(question.Words, "y ", "y to ", 1) + ":"
	}
	return question.Words
}

// consents are what is agreed to of what the plan wants: by a flag, or by an
// answer. Without a user to ask, a flag has to be there.
func (c *Command) consents(ctx context.Context, p *plan.Plan) ([]bool, error) {
	agreed := make([]bool, len(p.Consents))
	for i, consent := range p.Consents {
		if agreedByFlag(c, consent) {
			agreed[i] = true
			continue
		}
		if c.yes {
			return nil, missingFlags(c, p)
		}
		answer, err := c.answers.Ask(ctx, fmt.Sprintf("It would %s (%s). Type y to agree:", consent.Words, consent.Flag))
		if err != nil {
			return nil, err
		}
		if agreed[i] = answer == "y"; !agreed[i] {
			return nil, notConfirmed(c, p)
		}
	}
	return agreed, nil
}

// missingFlags names all that the plan would do for which a flag has to be given.
func missingFlags(c *Command, p *plan.Plan) error {
	var would, flags []string
	for _, consent := range p.Consents {
		if !agreedByFlag(c, consent) {
			would, flags = append(would, consent.Words), append(flags, consent.Flag)
		}
	}
	return exit.Usagef("%s would %s: use %s to allow it", p.Action.Name(), strings.Join(would, " and "), strings.Join(flags, " and "))
}

// agreedByFlag says whether the flag that agrees was given.
func agreedByFlag(c *Command, consent plan.Consent) bool {
	given := c.agree[consent.Flag]
	return given != nil && *given
}
