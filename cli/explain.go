package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/scope"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// explainForms are the forms that explain writes.
var explainForms = []string{"text", "json", "yaml", "markdown"}

// explainOptions is one run of the explain command.
type explainOptions struct {
	*terminal.Streams
	source *source.Options
	scope  scope.Scope
	files  []string
	all    bool
	nodes  bool
	trace  bool
	fixes  bool
	whole  bool
	wait   time.Duration // with --wait: at most so long, 0 is for ever
	waits  bool          // --wait was given
	output string

	overlooks bool // whether more pods of the workload were rejected is not known
}

// newExplain makes the explain command.
func newExplain(a *app) *cobra.Command {
	e := &explainOptions{Streams: a.Streams, source: a.source}
	cmd := &cobra.Command{
		Use:   "explain {POD | WORKLOAD | -f FILE | --all}",
		Short: "Explain why a pod is pending, and what would get it scheduled",
		Long: `Explain why a pod is pending, and what would get it scheduled. The plugins of
kube-scheduler run for every node, and fixes are simulated; nothing is changed.

POD is NAME, NAMESPACE/NAME, pod/NAME or "pod NAME". WORKLOAD is deployment/NAME
and the like: why its pods were not created, or else one of its pods, a
pending one if any. With -f pods need not exist; replicas are placed one by one.

Exit codes: 0 nothing is blocked; 1 a pod has no node or is not started, or with
-f a pod or replica does not fit now; 2 wrong usage or manifest; 3 unknown. With
--wait: 0 it has a node; 4 the reason changed; 5 timeout; 6 it was deleted.`,
		Example: help.Examples(a.Name, "explain checkout-6c9d8b7f4-x2x1p -n shop", "explain checkout-6c9d8b7f4-x2x1p -n shop --wait=10m",
			"explain --all -A -o json", "explain -f deployment.yaml"),
		Args:              oneObject,
		ValidArgsFunction: complete.New(a.source).Explain,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.waits = cmd.Flags().Changed("wait")
			return e.run(cmd.Context(), joinKind(args))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&e.files, "filename", "f", nil, "Explain each manifest `FILE`; - is standard input.")
	flags.BoolVar(&e.all, "all", false, "Explain pods pending, not created or resizing.")
	flags.BoolVar(&e.nodes, "nodes", false, "Show every node too, not only the groups.")
	flags.BoolVar(&e.trace, "trace", false, "Show the scheduling cycle, stage by stage.")
	flags.BoolVar(&e.fixes, "fixes", false, "Show all fixes and commands; slower with --all.")
	flags.DurationVar(&e.wait, "wait", 0, "Wait until it has a node or the reason changes.")
	flags.Lookup("wait").NoOptDefVal = defaultWait
	flags.BoolVar(&e.whole, "verbose", false, "Show all groups, messages and notes.")
	e.scope.AddFlags(cmd)
	e.source.AddFrom(cmd)
	e.source.AddSchedulerConfig(cmd)
	output.AddFlag(cmd, &e.output, explainForms...)
	return cmd
}

// isKind reports whether a word is kubectl's for pods or a workload.
func isKind(word string) bool {
	return slices.Contains(named.PodKinds, strings.ToLower(word)) || named.WorkloadKind(word) != ""
}

// joinKind makes KIND/NAME of KIND NAME, as kubectl reads it. A pod may be named with its namespace after its kind.
func joinKind(args []string) []string {
	if len(args) == 2 && slices.Contains(named.PodKinds, strings.ToLower(args[0])) && strings.Contains(args[1], "/") {
		return args[1:]
	}
	if len(args) == 2 && isKind(args[0]) {
		return []string{args[0] + "/" + args[1]}
	}
	return args
}

// meantKind suggests a kind that the first of two words is close to; "" if there is
// none. "job" is not suggested: short words are close to names of pods.
func meantKind(args []string) string {
	if len(args) != 2 {
		return ""
	}
	return suggest.DidYouMean(args[0], "pod", "deployment", "replicaset", "statefulset", "daemonset", "replicationcontroller")
}

// oneObject takes one object at most, with its kind before it or not.
func oneObject(_ *cobra.Command, args []string) error {
	if len(args) == 2 {
		if err := named.RejectResource("explain", args[0]+"/"+args[1]); err != nil {
			return err
		}
	}
	if rest := len(args) - 1; rest > 0 && isTime(args[rest]) {
		return fmt.Errorf("explain: name one pod; write --wait=%s with the equals sign", args[rest])
	}
	if len(joinKind(args)) > 1 {
		return fmt.Errorf("explain: name one pod, or use --all; got %d: %s%s", len(args), strings.Join(args, ", "), meantKind(args))
	}
	return nil
}

// run answers, and fails with errBlocked if something is blocked.
func (e *explainOptions) run(ctx context.Context, args []string) error {
	if err := e.validate(args); err != nil {
		return err
	}
	if err := e.complete(ctx, args); err != nil {
		return err
	}
	if len(e.files) > 0 {
		return e.runFiles(ctx)
	}
	live, err := e.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	if e.all {
		return e.runAll(ctx, live)
	}
	pod, err := e.find(ctx, live, args[0])
	if err != nil {
		return err
	}
	if e.waits {
		return e.awaitPod(ctx, live, pod)
	}
	r, err := e.ask(ctx, live, pod)
	if err != nil {
		return err
	}
	if err := e.write(live, r); err != nil {
		return err
	}
	found := exit.Outcome{Undecided: e.overlooks}
	found.Note(r.Verdict, pod.Waits)
	return found.Err()
}

// ask is the whole explanation of one pod.
func (e *explainOptions) ask(ctx context.Context, live *source.Live, pod *model.Pod) (*report.Report, error) {
	r, err := live.Ask(ctx, report.Query{Target: report.PodOf(pod.Object.UID), Parts: e.parts() | report.FixesPart | report.PreemptionPart})
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", pod.FullName(), err)
	}
	return r, nil
}

// write writes the explanation of one pod.
func (e *explainOptions) write(live *source.Live, r *report.Report) error {
	out := output.NewReports(e.Streams, e.output, false, e.textOptions(live))
	return errors.Join(out.Write(r), out.Close())
}

// textOptions say how much the text shows.
func (e *explainOptions) textOptions(live *source.Live) report.TextOptions {
	return report.TextOptions{Verbose: e.whole, Nodes: e.nodes, Fixes: e.fixes, Now: live.Now(), KubectlFlags: live.Snapshot.Status.KubectlFlags}
}

// validate rejects flags that do not go together.
func (e *explainOptions) validate(args []string) error {
	asked := len(args)
	if len(e.files) > 0 {
		asked++
	}
	if e.all {
		asked++
	}
	switch {
	case !e.all && (e.scope.All || e.scope.Selector != ""):
		return exit.Usagef("explain: -A and -l need --all")
	case asked == 0:
		return exit.Usagef("explain: name a pod, or use -f FILE or --all; see %s explain --help", e.Name)
	case asked > 1:
		return exit.Usagef("explain: a pod's name, -f and --all cannot be used together")
	case slices.Contains(e.files, ""):
		return exit.Usagef(`explain: -f "": give the name of a file, or - for standard input`)
	case slices.Contains(e.files, "-") && e.source.From == "-":
		return exit.Usagef("explain: -f and --from cannot both be standard input")
	}
	if err := e.validateWait(args); err != nil {
		return err
	}
	return output.Check(e.output, explainForms...)
}

// complete reads what the flags and the argument name, before anything is asked of a server.
func (e *explainOptions) complete(ctx context.Context, args []string) error {
	if err := e.scope.Resolve(ctx, e.source); err != nil {
		return err
	}
	if err := e.source.ReadSchedulerConfig(ctx); err != nil {
		return err
	}
	if len(args) == 0 {
		return nil
	}
	pod, err := e.parsePod(args[0])
	e.source.About(pod.Namespace())
	return err
}

// runAll explains every pending pod, one by one, in the order of the queue, then the running ones
// whose resize in place is not done: these are blocked in nothing that exit codes count.
func (e *explainOptions) runAll(ctx context.Context, live *source.Live) error {
	if err := live.Seek(ctx); err != nil {
		return err
	}
	found := exit.Outcome{Undecided: e.scope.Overlooks(live)}
	if found.Undecided {
		live.SayLimits()
	}
	if e.output == "text" {
		source.Warn(ctx, live, e.scope.Namespace)
	}
	out := output.NewReports(e.Streams, e.output, true, e.textOptions(live))
	out.Empty = e.scope.NonePending(live)
	parts, outlines := e.partsOfEach(), live.Outlines()
	for _, kind := range slices.Concat(live.Snapshot.Pending, live.Snapshot.Resizing) {
		ask := func(ctx context.Context, pod types.UID) (r *report.Report, err error) {
			if parts == 0 {
				r, err = outlines.Of(ctx, kind.Key, pod)
			} else {
				r, err = live.Ask(ctx, report.Query{Target: report.PodOf(pod), Parts: parts})
			}
			if err != nil || r.Plan != nil || r.Preemption == nil || !r.Preemption.Possible {
				return r, err
			}
			// Few pods preempt, or can and have not done so: for these who goes, and what is tied, is told in full.
			return live.Ask(ctx, report.Query{Target: report.PodOf(pod), Parts: parts | report.PreemptionPart})
		}
		for _, pod := range kind.Pods {
			if !e.scope.Holds(pod) {
				continue
			}
			if err := e.explainOne(ctx, ask, pod, out, &found); err != nil {
				return err
			}
		}
	}
	return errors.Join(out.Close(), found.Err())
}

// partsOfEach are those of an answer about one of all pods; none is the outline alone.
func (e *explainOptions) partsOfEach() (parts report.Parts) {
	if e.nodes || e.trace {
		parts = e.parts()
	}
	if e.fixes {
		parts |= report.FixesPart | report.PreemptionPart
	}
	return parts
}

// parts are those of an answer with each node, and with the scheduling cycle if it is asked for.
func (e *explainOptions) parts() report.Parts {
	if e.trace {
		return report.Nodes | report.TracePart
	}
	return report.Nodes
}

// explainOne writes one pod's report. A pod that cannot be explained does not
// keep the others from being.
func (e *explainOptions) explainOne(ctx context.Context, ask func(context.Context, types.UID) (*report.Report, error), pod *model.Pod, out *output.Reports, found *exit.Outcome) error {
	report, err := ask(ctx, pod.Object.UID)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, explain.ErrNoPod):
		return nil // it was deleted meanwhile
	case err != nil:
		e.Say(fmt.Errorf("explain %s: %w", pod.FullName(), err))
		found.Undecided = true
		return nil
	}
	found.Note(report.Verdict, pod.Waits)
	return out.Write(report)
}
