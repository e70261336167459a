package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/manifest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// fitForms are the forms that fit writes.
var fitForms = []string{"text", "json", "yaml"}

// mostReplicas is how many pods fit may be asked to place.
const mostReplicas = 10_000

// fitOptions is one run of the fit command.
type fitOptions struct {
	*terminal.Streams
	source   *source.Options
	file     string
	requests string
	replicas int
	counted  bool // --replicas is given
	added    addedNodes
	lost     []string
	output   string
}

// newFit makes the fit command.
func newFit(a *app) *cobra.Command {
	f := &fitOptions{Streams: a.Streams, source: a.source}
	cmd := &cobra.Command{
		Use:   "fit [KIND/NAME | -f FILE | --requests LIST]",
		Short: "Show how many more pods fit, where, and what stops the next one",
		Long: `Show how many more pods fit, where, and what stops the next one. The pods are
placed one after another in a simulated state, by the plugins of kube-scheduler;
nothing is changed. Quotas, LimitRanges and Pod Security count. With --add, but
without a workload, the answer is how many of the pending pods would fit.

Exit codes: 0 all fit (--lose: are rescheduled); 1 not all; 2 usage; 3 unknown.`,
		Example: fmt.Sprintf(`  # Do three more pods of this Deployment fit?
  %[1]s fit deployment/web -n shop --replicas 3
  # Do all replicas of this manifest fit?
  %[1]s fit -f deployment.yaml
  # How many of 16 pods of that size fit?
  %[1]s fit --requests cpu=2,memory=4Gi --replicas 16
  # How many pending pods would fit with two more nodes of a pool?
  %[1]s fit --add 2 --pool std
  # Would the pods of a zone find other nodes?
  %[1]s fit --lose zone=eu-1b`, a.Name),
		Args:              oneWorkload,
		ValidArgsFunction: complete.New(a.source).Workloads,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.counted, f.added.counted = cmd.Flags().Changed("replicas"), cmd.Flags().Changed("add")
			for _, flag := range []string{"filename", "requests"} {
				if cmd.Flags().Changed(flag) && cmd.Flags().Lookup(flag).Value.String() == "" {
					return exit.Usagef(`fit: --%s "": it has no value`, flag)
				}
			}
			return f.run(cmd.Context(), joinKind(args))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "filename", "f", "", "Place the pods of `FILE`; - is standard input.")
	flags.StringVar(&f.requests, "requests", "", "Place pods requesting `LIST`: cpu=2,memory=4Gi.")
	flags.IntVar(&f.replicas, "replicas", 1, "Place `N` pods (default: 1, or as FILE says).")
	flags.IntVar(&f.added.count, "add", 0, "Simulate `N` more nodes; see --like and --pool.")
	flags.StringSliceVar(&f.lost, "lose", nil, "Simulate losing each `X,…`: NODE, zone=Z or pool=P.")
	flags.StringVar(&f.added.like, "like", "", "Copy `NODE` for --add.")
	flags.StringVar(&f.added.pool, "pool", "", "Copy a node of `POOL` for --add.")
	complete.New(a.source).Fit(cmd)
	help.ShowNamespace(cmd)
	f.source.AddFrom(cmd)
	f.source.AddSchedulerConfig(cmd)
	output.AddFlag(cmd, &f.output, fitForms...)
	return cmd
}

// oneWorkload takes one workload at most, with its kind before it or not.
func oneWorkload(_ *cobra.Command, args []string) error {
	if len(joinKind(args)) > 1 {
		return fmt.Errorf("fit: name one workload, such as deployment/web; got %d%s", len(args), meantKind(args))
	}
	return nil
}

// run answers, and fails with ErrBlocked if not all pods fit.
func (f *fitOptions) run(ctx context.Context, args []string) error {
	if err := f.validate(args); err != nil {
		return err
	}
	if err := f.source.ReadSchedulerConfig(ctx); err != nil {
		return err
	}
	planned, err := f.planned(ctx)
	if err != nil {
		return err
	}
	live, err := f.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	if len(f.lost) > 0 {
		return f.lose(ctx, live)
	}
	added, err := f.added.of(live)
	if err != nil {
		return err
	}
	if planned == nil && len(args) == 0 {
		return f.pending(ctx, live, added)
	}
	what := "fit"
	if len(args) > 0 {
		what += " " + args[0]
		object, err := named.Template(ctx, live, "fit", args[0], f.source.Namespace(ctx))
		if err != nil {
			return err
		}
		p, ok := admission.FurtherPodOf(object)
		if !ok {
			return exit.Usagef("%s: it has no pod template", what)
		}
		one := 1
		p.Wants, planned = &one, &p
	}
	answer, err := f.ask(ctx, live, what, planned, added)
	if err != nil {
		return err
	}
	return f.tell(live, answer)
}

// pending shows how many of the pending pods would be scheduled with the nodes that are
// added.
func (f *fitOptions) pending(ctx context.Context, live *source.Live, added report.NewNodes) error {
	answer, err := cluster.FitPending(ctx, live.Cluster, added)
	if err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	return f.tell(live, answer)
}

// tell writes the answer, and fails with ErrBlocked if not all fit.
func (f *fitOptions) tell(live *source.Live, answer *report.Fit) error {
	if err := f.write(live, answer); err != nil {
		return err
	}
	switch {
	case answer.Stopped() || answer.Fits != nil && *answer.Fits < answer.Asked:
		return exit.ErrBlocked
	case answer.Fits == nil:
		return exit.ErrUndecided
	}
	return nil
}

// validate rejects flags that do not go together.
func (f *fitOptions) validate(args []string) error {
	asked := len(args)
	for _, flag := range []string{f.file, f.requests} {
		if flag != "" {
			asked++
		}
	}
	if err := f.added.validate(); err != nil {
		return err
	}
	switch {
	case len(f.lost) > 0 && (asked > 0 || f.added.count > 0 || f.counted):
		return exit.Usagef("fit: --lose cannot be used with a workload, --add, -f, --replicas or --requests; several nodes are --lose A,B")
	case asked == 0 && f.added.count > 0 && f.counted:
		return exit.Usagef("fit: --replicas needs a workload, -f or --requests")
	case len(f.lost) > 0 || asked == 0 && f.added.count > 0: // about the pods that there are
		return output.Check(f.output, fitForms...)
	}
	return f.validatePods(asked)
}

// validatePods rejects flags that do not say which pods are placed.
func (f *fitOptions) validatePods(asked int) error {
	switch {
	case asked == 0:
		return exit.Usagef("fit: name a workload, or use -f FILE or --requests; see %s fit --help", f.Name)
	case asked > 1:
		return exit.Usagef("fit: a workload's name, -f and --requests cannot be used together")
	case f.file == "-" && f.source.From == "-":
		return exit.Usagef("fit: -f and --from cannot both be standard input")
	case f.replicas < 1 || f.replicas > mostReplicas:
		return exit.Usagef("fit: --replicas %d: use a number from 1 to %d", f.replicas, mostReplicas)
	}
	return output.Check(f.output, fitForms...)
}

// planned are the pods that the flags ask for; nil where an argument does.
func (f *fitOptions) planned(ctx context.Context) (*admission.UncreatedPod, error) {
	namespace := manifestNamespace(f.source, f.source.Namespace(ctx))
	switch {
	case f.requests != "":
		pod, err := manifest.Requesting(f.requests, namespace.Name)
		if err != nil {
			return nil, exit.Usagef("fit: --requests %s: %w", f.requests, err)
		}
		return &admission.UncreatedPod{Pod: pod}, nil
	case f.file == "":
		return nil, nil
	}
	all, err := manifest.Read(ctx, f.file, f.In, namespace)
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, exit.Usagef("fit -f %s: it has %d pods or workloads: give one", f.file, len(all))
	case all[0].Set != nil:
		return nil, exit.Usagef("fit -f %s: a DaemonSet has one pod per node, however many fit; use explain -f", f.file)
	}
	return &all[0], nil
}

// ask asks how many of the pods fit, as the API server would store them.
func (f *fitOptions) ask(ctx context.Context, live *source.Live, what string, planned *admission.UncreatedPod, added report.NewNodes) (*report.Fit, error) {
	q := report.FitQuery{Replicas: f.replicas, New: added}
	if !f.counted && planned.Wants != nil {
		q.Replicas = max(1, *planned.Wants)
	}
	switch {
	case q.Replicas > mostReplicas:
		return nil, exit.Usagef("%s: %d replicas: give a number up to %d with --replicas", what, q.Replicas, mostReplicas)
	case planned.Pod.Spec.NodeName != "":
		return nil, exit.Usagef("%s: spec.nodeName is %s: kube-scheduler does not place such pods", what, planned.Pod.Spec.NodeName)
	}
	if f.file != "" {
		planned.Notes = append(planned.Notes, takeRevision(ctx, live, planned)...)
	}
	pod, err := admitted(ctx, live, what, planned.Pod)
	if err != nil {
		return nil, err
	}
	q.Pod, q.Admittance = pod.Pod, pod.Admittance
	notes := append(planned.Notes, planned.WithNewClaims(q.Pod)...)
	if planned.WantsNone() && !f.counted {
		notes = append(notes, "no replicas are asked for: the answer is for 1 replica")
	}
	answer, err := cluster.Fit(ctx, live.Cluster, q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	answer.Scheduler.Caveats = append(append(pod.caveats, notes...), answer.Scheduler.Caveats...)
	return answer, nil
}

// write writes the answer in the form that -o chooses.
func (f *fitOptions) write(live *source.Live, answer *report.Fit) error {
	switch f.output {
	case "json":
		return output.JSON(f.Out, answer)
	case "yaml":
		return output.YAML(f.Out, answer)
	}
	pool := func(name string) string {
		if node, ok := live.Snapshot.Node(name); ok {
			return node.Pool
		}
		return ""
	}
	_, err := io.WriteString(f.Out, answer.Text(terminal.Width(f.Out), pool))
	return err
}
