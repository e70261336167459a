// Package change runs the commands that change the cluster: what is asked for is planned, the plan
// is printed and asked about, and what was confirmed is carried out and watched.
package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Command is one run of a command that changes the cluster: its action is planned,
// the plan is printed and asked about, and what was confirmed is run.
type Command struct {
	*terminal.Streams
	source  *source.Options
	verb    string // begins messages: "drain"
	plan    bool   // stop at the plan
	yes     bool   // answers the plan's question
	output  string
	dryRun  string           // kubectl's flag: none, client or server
	flags   *pflag.FlagSet   // those of the command
	replace *bool            // values may be replaced without asking; nil where the command replaces none
	timeout time.Duration    // of watching what was begun; 0: none
	agree   map[string]*bool // what is agreed to beforehand, by kubectl drain's flag
	answers *terminal.Answers

	settings settings.Settings
	live     *source.Live
	actor    *act.Actor
	changed  []plan.Change // made so far
}

// New makes a command that changes the cluster.
func New(from *source.Options, verb string) *Command {
	streams := from.Streams
	return &Command{Streams: streams, source: from, verb: verb, agree: map[string]*bool{}, answers: terminal.NewAnswers(streams.In, streams.ErrOut)}
}

// Codes are the exit codes of commands that remove no pods from a node, for their help;
// TaintCodes are those of taints, EvictionCodes those of evictions.
const (
	Codes = `Exit codes: 0 done, or nothing to do; 1 rejected or not confirmed;
2 wrong usage; 3 unknown.`
	TaintCodes = `Exit codes: 0 done, or nothing to do; 1 rejected or not confirmed, or
with --plan: a pod would become Pending, or --force is missing; 2 wrong usage;
3 unknown.`
	EvictionCodes = `Exit codes: 0 done, or nothing to do; 1 rejected, not confirmed or not finished,
or with --plan: a pod would become Pending, is blocked by a PodDisruptionBudget,
or needs a flag that is missing; 2 wrong usage; 3 unknown.`
)

// AddFlags adds the flags that all these commands have.
func (c *Command) AddFlags(cmd *cobra.Command) {
	c.flags = cmd.Flags()
	cmd.Flags().BoolVar(&c.plan, "plan", false, "Show the plan and stop; send only dry runs.")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "Do not ask for confirmation.")
	cmd.Flags().StringVar(&c.dryRun, "dry-run", dryRuns[0], "Same as --plan: =client or =server, both send dry runs.")
	cmd.Flags().Lookup("dry-run").NoOptDefVal = "client"
	suggest.Complete(cmd, "dry-run", dryRuns...)
	output.AddFlag(cmd, &c.output, "text", "json")
}

// dryRuns are the values of kubectl's flag --dry-run, the default first.
var dryRuns = []string{"none", "client", "server"}

// AddReplace adds kubectl's flag for replacing values that are there.
func (c *Command) AddReplace(cmd *cobra.Command, what string) {
	c.replace = cmd.Flags().Bool("overwrite", false, "With --yes, replace the value of a "+what+" too.")
}

// addConsent adds a flag that kubectl drain has too, which agrees to a loss.
func (c *Command) addConsent(cmd *cobra.Command, flag, words string) {
	c.agree["--"+flag] = cmd.Flags().Bool(flag, false, words)
}

// AddLosses adds the flags of kubectl drain that agree to what an eviction loses.
func (c *Command) AddLosses(cmd *cobra.Command) {
	c.addConsent(cmd, "force", "Also evict pods that no controller recreates.")
	c.addConsent(cmd, "delete-emptydir-data", "Also evict pods with data in emptyDir volumes.")
}

// AddTimeout adds the flag of commands that begin what takes a while.
func (c *Command) AddTimeout(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&c.timeout, "timeout", 0, "Stop after this time, as ctrl-c does; 0 is never.")
}

// validateDryRun makes a plan of --dry-run, and rejects a value that is none or contradicts --plan.
func validateDryRun(c *Command) error {
	if !slices.Contains(dryRuns, c.dryRun) {
		return exit.Usagef("%s: --dry-run=%s: choose one of %s%s", c.verb, c.dryRun, strings.Join(dryRuns, ", "), suggest.DidYouMean(c.dryRun, dryRuns...))
	}
	dry := c.dryRun != dryRuns[0]
	if dry != c.plan && c.flags.Changed("plan") && c.flags.Changed("dry-run") {
		return exit.Usagef("%s: --plan=%t and --dry-run=%s contradict each other: use one of them", c.verb, c.plan, c.dryRun)
	}
	c.plan = c.plan || dry
	return nil
}

// validate rejects a command line that cannot be carried out, before anything is
// asked of a server.
func (c *Command) validate() (err error) {
	if err := output.Check(c.output, "text", "json"); err != nil {
		return err
	}
	if err := validateDryRun(c); err != nil {
		return err
	}
	if c.settings, err = settings.Used(settings.ReadOnly, settings.Production); err != nil {
		return err
	}
	switch {
	case c.timeout < 0:
		return exit.Usagef("%s: --timeout %s: it cannot be negative", c.verb, c.timeout)
	case c.plan && c.yes:
		return exit.Usagef("%s: --plan (or --dry-run) and --yes cannot be used together", c.verb)
	case c.plan:
		return nil
	case c.output != "text":
		return exit.Usagef("%s: -o %s needs --plan or --dry-run", c.verb, c.output)
	case c.source.ReadOnly:
		return exit.Usagef("%s: --readonly forbids changes: use --plan to see what would change", c.verb)
	case !c.yes && !c.answers.CanAsk():
		return exit.Usagef("%s: to ask for confirmation, standard input and error must be a terminal: use --yes to skip it, or --plan to see what would change", c.verb)
	}
	return nil
}

// Run carries out an action, or plans it. The action is made from what is read.
func (c *Command) Run(ctx context.Context, wish func(*source.Live) (plan.Action, error)) error {
	if err := c.validate(); err != nil {
		return err
	}
	live, err := c.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	c.source.SayIdle(&c.settings, live.Client)
	live.SayLimits()
	c.live, c.actor = live, c.source.Actor(live.Client, live.Cluster, &c.settings)
	defer c.actor.Close()
	if !c.plan && c.actor.ReadOnly() != "" {
		return exit.Usagef("%s: context %s is read-only (%q in config.yaml): use --plan to see what would change",
			c.verb, live.Client.Context(), "readonly: "+c.settings.ReadOnly.Because(live.Client.Context()))
	}
	action, err := wish(live)
	if err != nil {
		return err
	}
	p, err := c.planned(ctx, action)
	switch {
	case errors.Is(err, plan.ErrNoChange) && c.output == "json":
		return c.print(&plan.Plan{Action: action, Verdict: plan.Verdict{Skipped: err.Error()}})
	case errors.Is(err, plan.ErrNoChange):
		return c.nothingToDo(err)
	case err != nil:
		return err
	case c.plan:
		return c.tell(p)
	}
	return c.carryOut(ctx, p)
}

// planned makes the plan of an action.
func (c *Command) planned(ctx context.Context, action plan.Action) (*plan.Plan, error) {
	p, err := c.actor.Plan(ctx, action)
	if err == nil {
		err = p.Whole() // what is named on the command line is not left out
	}
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, plan.ErrNoChange), errors.Is(err, plan.ErrGone), errors.Is(err, plan.ErrUnread):
		return nil, err
	case errors.Is(err, plan.ErrChanged):
		return nil, fmt.Errorf("%w: run the command again", err)
	case errors.Is(err, plan.ErrNotPossible):
		return nil, exit.Usagef("%w", err)
	}
	return nil, c.live.Client.Explain(action.Name(), err)
}

// mostConfirmed is how often a plan is asked about at most while its objects change.
const mostConfirmed = 5

// carryOut asks, runs what was confirmed, and watches it until it is done. Where
// an object has changed meanwhile, it is planned and asked about again.
func (c *Command) carryOut(ctx context.Context, p *plan.Plan) error {
	for try := 1; ; try++ {
		if err := show(c, p); err != nil {
			return err
		}
		if len(p.Verdict.Rejections) > 0 && !p.Ends.Requested() {
			return rejected(c, p)
		}
		if why := plan.Unforeseen(p); why != "" {
			return alsoChanged(c, fmt.Errorf("%s: %s", p.Action.Name(), why))
		}
		confirmed, err := c.confirm(ctx, p)
		if err != nil {
			return unanswered(ctx, c, p, err)
		}
		ran, err := c.actor.Run(ctx, confirmed)
		if ran != nil && err != nil {
			c.changed = append(c.changed, ran.Changed...)
		}
		switch {
		case err == nil:
			return c.follow(ctx, p, ran)
		case ctx.Err() != nil:
			return interrupted(c, fmt.Errorf("%s: %w", p.Action.Name(), err))
		case !errors.Is(err, plan.ErrChanged) || try == mostConfirmed:
			return c.stopped(p, err)
		}
		next, err := c.plannedAgain(ctx, p, ran)
		if next == nil {
			return err
		}
		p = next
	}
}

// plannedAgain plans what is left once an object has changed; nil where the command ends, with that error.
func (c *Command) plannedAgain(ctx context.Context, p *plan.Plan, ran *plan.Ran) (*plan.Plan, error) {
	next, err := c.planned(ctx, p.Action)
	switch {
	case errors.Is(err, plan.ErrNoChange):
		return nil, c.nothingToDo(alsoChanged(c, err))
	case err != nil:
		return nil, alsoChanged(c, err)
	case c.yes && !sameWork(p, next, ran):
		differs := fmt.Errorf("%s: objects changed since the plan was made, and the new plan differs: review it, then run the command again", p.Action.Name())
		return nil, errors.Join(c.print(next), c.blockedf("%w", alsoChanged(c, differs)))
	}
	c.Say(errors.New(p.Action.Name() + ": objects changed since the plan was made; this is the new plan"))
	return next, nil
}

// rejected ends the command at a dry run that failed. The plan has the server's messages, on
// the terminal beside which a user would be asked; a script that reads errors needs them too.
func rejected(c *Command, p *plan.Plan) error {
	switch {
	case len(c.changed) > 0:
		return c.blockedf("%w", alsoChanged(c, fmt.Errorf("%s: rejected: %s", p.Action.Name(), strings.TrimSuffix(p.Verdict.Words(), "."))))
	case !c.yes:
		return exit.ErrBlocked
	}
	return c.blockedf("%s: rejected, nothing was changed: %s", p.Action.Name(), p.Verdict.Words())
}

// stopped reports why a plan was not carried out completely.
func (c *Command) stopped(plan *plan.Plan, err error) error {
	told := c.live.Client.Explain(plan.Action.Name(), err)
	if errors.Is(told, client.ErrUnreachable) && !errors.Is(err, act.ErrUnsent) {
		told = fmt.Errorf("%w. The change may still have been made: check before you try again", told)
	}
	told = alsoChanged(c, told)
	if errors.Is(told, client.ErrUnreachable) {
		return told
	}
	return c.blockedf("%w", told)
}

// alsoChanged adds to an error what the command has changed before it.
func alsoChanged(c *Command, err error) error {
	if len(c.changed) == 0 {
		return err
	}
	return fmt.Errorf("%w. Changed: %s", err, targets(c.changed))
}

// unanswered ends the command at a question without an answer; by ctrl-c it names what was changed before.
func unanswered(ctx context.Context, c *Command, p *plan.Plan, err error) error {
	if ctx.Err() != nil && len(c.changed) > 0 {
		return interrupted(c, fmt.Errorf("%s: interrupted", p.Action.Name()))
	}
	return err
}

// interrupted ends the command by ctrl-c, with what it has changed before.
func interrupted(c *Command, why error) error {
	c.Say(alsoChanged(c, why))
	return exit.ErrUndecided
}

// notConfirmed ends the command at an answer that is not the plan's.
func notConfirmed(c *Command, p *plan.Plan) error {
	if len(c.changed) > 0 {
		return c.blockedf("%w", alsoChanged(c, fmt.Errorf("%s: not confirmed", p.Action.Name())))
	}
	return c.blockedf("%s: not confirmed, nothing was changed", p.Action.Name())
}

// targets name the objects of changes.
func targets(changes []plan.Change) string {
	names := make([]string, 0, len(changes))
	for _, change := range changes {
		names = append(names, change.Target.Words())
	}
	return strings.Join(names, ", ")
}

// nothingToDo reports that the state is as requested already, which is no error.
func (c *Command) nothingToDo(err error) error {
	c.Say(err)
	return nil
}

// blockedf reports why the command failed, and ends it with exit code 1.
func (c *Command) blockedf(format string, args ...any) error {
	c.Say(fmt.Errorf(format, args...))
	return exit.ErrBlocked
}

// PlanFirst is what all these commands do, for their help.
const PlanFirst = `It shows a plan first, checked by a dry run on the API server, then asks for
confirmation on the terminal. Scripts need --yes. --plan changes nothing.`
