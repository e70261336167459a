package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/snapshot"
)

// shooting is one run of the snapshot command.
type shooting struct {
	*app
	file  string
	force bool
	keep  []string
}

// snapshot is the snapshot command.
func (a *app) snapshot() *cobra.Command {
	s := &shooting{app: a}
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
--keep puts back %s.`, strings.Join(snapshot.Keepable(), ", ")),
		Example: fmt.Sprintf("  %[1]s snapshot\n  %[1]s snapshot -o incident.json.zst\n  %[1]s explain --all --from incident.json.zst",
			a.name),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	cmd.Flags().StringVarP(&s.file, "output", "o", "", `The file, "-" being standard output as YAML; without it fathom-CONTEXT-TIME.yaml.gz here.`)
	cmd.Flags().BoolVar(&s.force, "force", false, "Replace a file that is there already.")
	cmd.Flags().StringSliceVar(&s.keep, "keep", nil, "Keep what is left out otherwise: "+strings.Join(snapshot.Keepable(), ", ")+".")
	completeFlag(cmd, "keep", snapshot.Keepable()...)
	return cmd
}

// run takes a snapshot and writes it.
func (s *shooting) run(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	s.whole = len(s.keep) > 0
	live, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	if err := live.seek(ctx); err != nil {
		return err
	}
	taken := time.Now()
	found, err := snapshot.Take(ctx, live.Source(), live.snapshot, snapshot.Options{
		Taken: taken, TakenBy: buildVersion(), Keep: s.keep,
	})
	if err != nil {
		return err
	}
	if s.file == "-" {
		if err := found.Write(s.stdout, snapshot.YAML); err != nil {
			return err
		}
		live.sayLimits()
		return nil
	}
	if s.file == "" {
		s.file = snapshot.FileName(live.snapshot.Status.Context, taken)
	}
	if err := found.Save(s.file, s.force); err != nil {
		if errors.Is(err, snapshot.ErrExists) {
			return usagef("%w; --force replaces it", err)
		}
		return err
	}
	live.sayLimits()
	_, err = fmt.Fprintf(s.stderr, "%s: %d objects of %s\n", s.file, found.Count(), oneLine(live.snapshot.Status.Context))
	return err
}

// check refuses what cannot be carried out, before anything is asked of a server.
func (s *shooting) check() error {
	for _, field := range s.keep {
		if err := snapshot.CheckKeep(field); err != nil {
			return usagef("snapshot: %w", err)
		}
	}
	if s.file == "" || s.file == "-" {
		return nil
	}
	if err := snapshot.CheckFile(s.file, s.force); err != nil {
		if errors.Is(err, snapshot.ErrExists) {
			return usagef("snapshot: %w; --force replaces it", err)
		}
		return usagef("snapshot: %w", err)
	}
	return nil
}
