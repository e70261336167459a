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
		Short: "Write what explanations rest on to a file",
		Long: fmt.Sprintf(`Write what explanations rest on to a file, for a colleague or for later: --from FILE on the dashboard,
explain and get reads it, on any machine.

It is a List that kubectl can read. Environments, arguments, commands, probes, hooks, annotations
that nothing here reads, options of volumes, messages that containers left, and all Secrets and
ConfigMaps stay out; only the profiles of a KubeSchedulerConfiguration go in. Names, labels and
images of objects, and what the scheduler, the kubelet and autoscalers said of waiting pods, are in
it: read it before you give it away.

The name decides how it is written: .yaml or .json, and .gz or .zst after that to pack it.
--keep puts back %s.

With --every it records: a step is written to the directory DIR at once and then after each while,
until ctrl-c or --steps of them. A step that cannot be taken, for the server does not answer, is told
and left out. Recording goes on in a DIR that holds steps already. --from DIR steps through them.`, strings.Join(snapshot.Keepable(), ", ")),
		Example: fmt.Sprintf("  %[1]s snapshot\n  %[1]s snapshot -o incident.json.zst\n  %[1]s snapshot --every 30s -o incident\n  %[1]s explain --all --from incident.json.zst",
			a.Name),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.recording = cmd.Flags().Changed("every")
			return s.run(cmd.Context())
		},
	}
	cmd.Flags().StringVarP(&s.file, "output", "o", "", `The file, "-" being standard output as YAML; without it fathom-CONTEXT-TIME.yaml.gz here. With --every a directory.`)
	cmd.Flags().BoolVar(&s.force, "force", false, "Replace a file that is there already.")
	cmd.Flags().DurationVar(&s.every, "every", 0, "Record: write a step to the directory of -o now and then after each such while, 30s or 5m.")
	cmd.Flags().IntVar(&s.steps, "steps", 0, "With --every: end after so many steps; 0 goes on until ctrl-c.")
	cmd.Flags().StringSliceVar(&s.keep, "keep", nil, "Keep what is left out otherwise: "+strings.Join(snapshot.Keepable(), ", ")+".")
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
			return exit.Usagef("%w; --force replaces it", err)
		}
		return err
	}
	live.SayLimits()
	_, err = fmt.Fprintf(s.ErrOut, "%s: %d objects of %s\n", terminal.OneLine(s.file), found.Count(), terminal.OneLine(live.Snapshot.Status.Context))
	return err
}

// validate refuses what cannot be carried out, before anything is asked of a server.
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
			return exit.Usagef("snapshot: %w; --force replaces it", err)
		}
		return exit.Usagef("snapshot: %w", err)
	}
	return nil
}
