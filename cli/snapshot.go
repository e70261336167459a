package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// snapshotOptions is one run of the snapshot command.
type snapshotOptions struct {
	*terminal.Streams
	source *source.Options
	file   string
	force  bool
	keep   []string

	recording bool // --every was given
	every     time.Duration
	steps     int // to record; 0 is until it is ended
}

// newSnapshot makes the snapshot command.
func newSnapshot(a *app) *cobra.Command {
	s := &snapshotOptions{Streams: a.Streams, source: a.source}
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Save the cluster state that explanations need to a file",
		Long: `Save the cluster state that explanations need to a file. --from FILE opens it in
the dashboard, explain, fit and get, on any machine; kubectl can read it too.

The file has names, labels and images of objects, and the messages of scheduler,
kubelet and autoscalers about pending pods: read it before you share it. It has
no Secrets or ConfigMaps (except the profiles of a KubeSchedulerConfiguration),
environment variables, commands, arguments, probes, hooks, volume options,
termination messages, or annotations that fathom does not use.

With --every it records: it saves a step to a directory now, and one after each
interval. A step that cannot be read is reported and skipped. To continue a
recording, name its directory again.`,
		Example: fmt.Sprintf(`  # Save a compressed snapshot; the name sets the format
  %[1]s snapshot -o incident.json.zst
  # Open it in the dashboard
  %[1]s --from incident.json.zst
  # Record a step every 30 seconds, until ctrl-c
  %[1]s snapshot --every 30s -o incident`, a.Name),
		Args:              suggest.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.recording = cmd.Flags().Changed("every")
			return s.run(cmd.Context())
		},
	}
	cmd.Flags().StringVarP(&s.file, "output", "o", "", "The `FILE`: .yaml or .json, also with .gz or .zst; with --every a directory; - is standard output (default fathom-CONTEXT-TIME.yaml.gz)")
	cmd.Flags().BoolVar(&s.force, "force", false, "Replace an existing file.")
	cmd.Flags().DurationVar(&s.every, "every", 0, "Record a step after each interval, such as 30s or 5m.")
	cmd.Flags().IntVar(&s.steps, "steps", 0, "With --every, the number of steps; 0: until ctrl-c.")
	cmd.Flags().StringSliceVar(&s.keep, "keep", nil, "Also save `FIELDS`: "+strings.Join(snapshot.Keepable(), ", ")+".")
	suggest.Complete(cmd, "keep", snapshot.Keepable()...)
	return cmd
}

// run takes a snapshot and writes it.
func (s *snapshotOptions) run(ctx context.Context) error {
	if err := s.validate(); err != nil {
		return err
	}
	s.source.Whole = len(s.keep) > 0
	if s.recording {
		return s.record(ctx)
	}
	live, err := s.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	s.sayAll(live)
	if err := live.Seek(ctx); err != nil {
		return err
	}
	taken := time.Now()
	found, err := snapshot.Take(ctx, live.Source(), live.Snapshot, snapshot.Options{
		Taken: taken, TakenBy: build.Version(), Keep: s.keep,
	})
	if err != nil {
		return err
	}
	if s.file == "-" {
		if err := found.Write(s.Out, snapshot.YAML); err != nil {
			return err
		}
		live.SayLimits()
		return nil
	}
	if s.file == "" {
		s.file = snapshot.FileName(live.Snapshot.Status.Context, taken)
	}
	if err := found.Save(s.file, s.force); err != nil {
		if errors.Is(err, snapshot.ErrExists) {
			return exit.Usagef("%w: use --force to replace it", err)
		}
		return err
	}
	live.SayLimits()
	_, err = fmt.Fprintf(s.ErrOut, "saved %d objects of context %s to %s\n", found.Count(), terminal.OneLine(live.Snapshot.Status.Context), terminal.OneLine(s.file))
	return err
}

// sayAll says that -n leaves no namespace out where all may be read.
func (s *snapshotOptions) sayAll(live *source.Live) {
	if flag := *s.source.Flags.Namespace; flag != "" && live.Snapshot.Status.Namespace == "" {
		s.Say(fmt.Errorf("snapshot: -n %s: all namespaces are saved, because their pods take up capacity too", flag))
	}
}

// validate rejects what cannot be carried out, before anything is asked of a server.
func (s *snapshotOptions) validate() error {
	for _, field := range s.keep {
		if err := snapshot.CheckKeep(field); err != nil {
			return exit.Usagef("snapshot: %w", err)
		}
	}
	if err := s.validateRecording(); err != nil || s.recording || s.file == "" || s.file == "-" {
		return err
	}
	if err := snapshot.CheckFile(s.file, s.force); err != nil {
		if errors.Is(err, snapshot.ErrExists) {
			return exit.Usagef("snapshot: %w: use --force to replace it", err)
		}
		return exit.Usagef("snapshot: %w", err)
	}
	return nil
}
