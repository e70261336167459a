package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// answers asks a user on the terminal.
type answers struct {
	in    io.Reader
	out   io.Writer
	lines *bufio.Reader
}

func newAnswers(in io.Reader, out io.Writer) *answers {
	return &answers{in: in, out: out, lines: bufio.NewReader(in)}
}

// canAsk tells whether there is a user to ask.
func (a *answers) canAsk() bool { return isTerminal(a.in) && isTerminal(a.out) }

// ask puts a question and waits for a line. What was typed before the question
// stood there is no answer to it.
func (a *answers) ask(ctx context.Context, question string) (string, error) {
	discardInput(a.in)
	if _, err := fmt.Fprint(a.out, oneLine(question)+" "); err != nil {
		return "", err
	}
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() { // a read cannot be canceled
		defer utilruntime.HandleCrash()
		line, err := a.lines.ReadString('\n')
		replies <- reply{line, err}
	}()
	select {
	case r := <-replies:
		if errors.Is(r.err, io.EOF) {
			_, _ = fmt.Fprintln(a.out)
			return "", nil // ctrl-d is no answer
		}
		return strings.TrimSpace(r.line), r.err
	case <-ctx.Done():
		_, _ = fmt.Fprintln(a.out)
		return "", ctx.Err()
	}
}

// confirm asks the plan's question, and before it for what is agreed to by no flag.
func (c *changing) confirm(ctx context.Context, p *plan.Plan) (plan.Confirmed, error) {
	question := c.question(p)
	if replaced := p.Replaced(); c.yes && c.replace != nil && !*c.replace && len(replaced) > 0 {
		return plan.Confirmed{}, usagef("%s would replace %s: say --overwrite if it may", p.Action.Name(), strings.Join(replaced, ", "))
	}
	agreed, err := c.consents(ctx, p)
	if err != nil {
		return plan.Confirmed{}, err
	}
	answer := question.Answer
	if !c.yes {
		if answer, err = c.answers.ask(ctx, asked(question)); err != nil {
			return plan.Confirmed{}, err
		}
	}
	confirmed, err := p.Confirm(question, answer, agreed)
	if err != nil {
		return plan.Confirmed{}, c.blockedf("%s: nothing was done", p.Action.Name())
	}
	return confirmed, nil
}

// question is the plan's, as the dashboard would ask it.
func (c *changing) question(plan *plan.Plan) plan.Question {
	context := c.live.client.Context()
	all, err := client.Contexts(c.flags)
	if err != nil {
		all = nil // it was read before: the whole name does
	}
	return plan.Question(model.ShortContext(context, all), model.MatchContext(c.settings.Production, context))
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
func (c *changing) consents(ctx context.Context, plan *plan.Plan) ([]bool, error) {
	agreed := make([]bool, len(plan.Consents))
	for i, consent := range plan.Consents {
		flag := consent.Flag[strings.LastIndex(consent.Flag, " ")+1:]
		if given := c.agree[flag]; given != nil && *given {
			agreed[i] = true
			continue
		}
		if c.yes {
			return nil, usagef("%s would %s: say %s if it may", plan.Action.Name(), consent.Words, flag)
		}
		answer, err := c.answers.ask(ctx, fmt.Sprintf("It would %s (%s). Type y to agree:", consent.Words, consent.Flag))
		if err != nil {
			return nil, err
		}
		if agreed[i] = answer == "y"; !agreed[i] {
			return nil, c.blockedf("%s: nothing was done", plan.Action.Name())
		}
	}
	return agreed, nil
}
