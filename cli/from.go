package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/kube"
	"github.com/kubectl-fathom/kubectl-fathom/snapshot"
)

// stdinName is how state from standard input is called.
const stdinName = "stdin"

// addFrom adds --from to a command.
func (a *app) addFrom(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.from, "from", "",
		`Read a snapshot, or the YAML or JSON of kubectl get, in place of a cluster; "-" is standard input.`)
}

// readFrom reads the file that --from names.
func (a *app) readFrom() (file *snapshot.File, err error) {
	options := snapshot.ReadOptions{Name: stdinName, Taken: time.Now(), Strip: kube.Strip()}
	if a.from == "-" {
		file, err = snapshot.Read(a.stdin, options)
		if err != nil {
			err = fmt.Errorf("read standard input: %w", err)
		}
	} else {
		file, err = snapshot.Open(a.from, options)
	}
	if err != nil {
		return nil, usageError{err}
	}
	if len(file.Unknown) > 0 {
		var words []string
		for _, kind := range slices.Sorted(maps.Keys(file.Unknown)) {
			words = append(words, fmt.Sprintf("%d %s", file.Unknown[kind], kind))
		}
		say(a.stderr, a.name, errors.New("passed over, for nothing here reads them: "+strings.Join(words, ", ")))
	}
	explain.Emulate(file.Info.Version)
	return file, nil
}

// fileSource serves a file, with the scheduler's configuration where the user
// gave one.
func (a *app) fileSource(file *snapshot.File) (*cluster.Source, error) {
	source, err := file.Source()
	if err == nil && a.configuration != nil {
		source.Configuration = a.configuration
	}
	return source, err
}

// openFile serves the file that --from names, and reads it as a cluster.
func (a *app) openFile(ctx context.Context) (*live, error) {
	saving := newThrift(os.Getenv)
	file, err := a.readFrom()
	if err != nil {
		return nil, err
	}
	source, err := a.fileSource(file)
	if err != nil {
		return nil, err
	}
	l := &live{app: a, reader: source.Client}
	ctx, l.stop = context.WithCancel(ctx)
	if l.Cluster, err = cluster.New(ctx, source, cluster.Options{}); err != nil {
		l.stop()
		return nil, err
	}
	if l.snapshot, err = a.read(ctx, l.Cluster, saving); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
