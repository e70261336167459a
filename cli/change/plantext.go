package change

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// print writes a plan: as text, as in the dashboard's box, or as JSON.
func (c *Command) print(plan *plan.Plan) error {
	if c.output == "json" {
		return output.JSON(c.Out, plan.Document())
	}
	_, err := io.WriteString(c.Out, planText(plan, c.live.Client.Context()))
	return err
}

// show prints a plan that a question follows: where standard output is no terminal, also where the
// question stands, so that nobody confirms what he does not see.
func show(c *Command, p *plan.Plan) error {
	if err := c.print(p); err != nil {
		return err
	}
	if c.yes || terminal.Is(c.Out) {
		return nil
	}
	_, err := io.WriteString(c.ErrOut, planText(p, c.live.Client.Context()))
	return err
}

// planText is a plan on a context, as text.
func planText(plan *plan.Plan, context string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(model.Clean(fmt.Sprintf(format, args...)), " ") + "\n")
	}
	line("%s, context %s", model.Clean(plan.Title), model.Clean(context))
	for _, effect := range plan.Effects {
		line("  %s", effect)
	}
	for _, warning := range plan.Warnings {
		line("! %s", warning)
	}
	b.WriteString(endsText(plan.Ends))
	if words := plan.Stays.Words(); words != "" {
		line("  %s", words)
	}
	for _, edit := range editWords(plan) {
		line("  %s", edit)
	}
	for _, consent := range plan.Consents {
		line("  It would %s (%s).", consent.Words, consent.Flag)
	}
	if plan.Order != "" {
		line("  %s", plan.Order)
	}
	line("  %s", plan.Closing())
	return b.String()
}

// endsText has a line for each pod that is evicted or deleted, with what follows.
func endsText(ends []plan.End) string {
	rows := make([][]string, 0, len(ends))
	for _, end := range ends {
		mark := " "
		if end.Warn() {
			mark = "!"
		}
		rows = append(rows, []string{mark + " " + end.Pod.FullName(), end.Words()})
	}
	if len(rows) == 0 {
		return ""
	}
	return output.Table(rows)
}

// editWords are the fields that change, each object's name in a column of its own.
func editWords(p *plan.Plan) []string {
	return plan.EditWords(p, func(target model.Ref) string { return model.Clean(target.Words()) + "  " })
}

// tell prints a plan that is only shown, and gives its exit code.
func (c *Command) tell(p *plan.Plan) error {
	if replaced := p.Replaced(); c.replace != nil && !*c.replace && len(replaced) > 0 {
		p.Consents = append(p.Consents, plan.Consent{Words: "replace " + strings.Join(replaced, ", "), Flag: "--overwrite"})
	}
	if err := c.print(p); err != nil {
		return err
	}
	return verdictOf(p, slices.ContainsFunc(p.Consents, func(consent plan.Consent) bool { return !agreedByFlag(c, consent) }))
}

// verdictOf is the result of a plan, as the error that gives the exit code. unagreed says that it
// wants a flag that was not given, without which the change is refused.
func verdictOf(p *plan.Plan, unagreed bool) error {
	found := exit.Outcome{Blocked: unagreed || len(p.Verdict.Rejections)+p.Verdict.Blocked > 0, Undecided: p.Unread != ""}
	fate := func(of plan.Fate) {
		found.Blocked = found.Blocked || of.Outcome == plan.Waits || of.Outcome == plan.Depends
		found.Undecided = found.Undecided || of.Outcome == plan.NotKnown
	}
	for _, victim := range p.Preempted {
		fate(victim.Fate)
	}
	for _, end := range p.Ends {
		found.Blocked = found.Blocked || end.Refills()
		fate(end.Fate)
		switch end.Budget().Allows {
		case plan.BudgetWaits, plan.BudgetNever:
			found.Blocked = true
		case plan.BudgetUnread:
			found.Undecided = true
		}
	}
	return found.Err()
}
