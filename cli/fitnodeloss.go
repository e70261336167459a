package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// lose shows what becomes of the pods of the nodes that --lose names, and fails with
// ErrBlocked if any becomes Pending or is not recreated.
func (f *fitOptions) lose(ctx context.Context, live *source.Live) error {
	nodes, err := f.lostNodes(live)
	if err != nil {
		return err
	}
	answer, err := cluster.Lose(ctx, live.Cluster, nodes)
	if err != nil {
		return fmt.Errorf("fit --lose %s: %w", strings.Join(f.lost, " --lose "), err)
	}
	switch f.output {
	case "json":
		err = output.JSON(f.Out, answer)
	case "yaml":
		err = output.YAML(f.Out, answer)
	default:
		source.WarnOfControllers(ctx, live)
		_, err = io.WriteString(f.Out, answer.Text(terminal.Width(f.Out)))
	}
	switch {
	case err != nil:
		return err
	case len(answer.Pending)+len(answer.NotRecreated) > 0:
		return exit.ErrBlocked
	case len(answer.Undecided)+len(answer.Unknown) > 0:
		return exit.ErrUndecided
	}
	return nil
}

// lostNodes are the nodes that all --lose together name, each once.
func (f *fitOptions) lostNodes(live *source.Live) (names []string, err error) {
	if err := live.Unread("nodes"); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	for _, lost := range f.lost {
		found, err := lostBy(live, lost)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// lostBy are the nodes that one --lose names.
func lostBy(live *source.Live, lost string) ([]string, error) {
	by, value, cut := strings.Cut(lost, "=")
	if !cut {
		names, err := named.ParseNodes("fit --lose", []string{lost})
		if err == nil {
			err = named.Nodes(live, "fit --lose", names)
		}
		return names, err
	}
	var of func(*model.Node) string
	switch by {
	case "zone":
		of = func(node *model.Node) string { return node.Zone }
	case "pool":
		of = func(node *model.Node) string { return node.Pool }
	default:
		return nil, exit.Usagef("fit: --lose %s: use NODE, zone=ZONE or pool=POOL", lost)
	}
	var found, others []string
	for _, node := range live.Snapshot.Nodes {
		switch other := of(node); {
		case other == value && value != "":
			found = append(found, node.Name)
		case other != "" && !slices.Contains(others, other):
			others = append(others, other)
		}
	}
	if len(found) == 0 {
		return nil, noSuch("fit --lose "+lost, by, others)
	}
	return found, nil
}

// noSuch says that there is no such zone or pool, and which there are.
func noSuch(what, word string, others []string) error {
	slices.Sort(others)
	if len(others) == 0 {
		return fmt.Errorf("%s: no such %s: no node has a %[2]s label", what, word)
	}
	return fmt.Errorf("%s: no such %s: choose one of %s", what, word, grammar.List(others, grammar.Many))
}
