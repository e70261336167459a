package cli

import (
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// mostAdded is how many nodes may be added in a simulation.
const mostAdded = 1000

// addedNodes are the nodes that --add, --like and --pool ask for.
type addedNodes struct {
	count      int
	counted    bool // --add is given
	like, pool string
}

// validate rejects flags that do not go together.
func (a *addedNodes) validate() error {
	switch {
	case !a.counted && a.like == "" && a.pool == "":
		return nil
	case !a.counted:
		return exit.Usagef("fit: --like and --pool need --add N, the number of new nodes")
	case a.count < 1 || a.count > mostAdded:
		return exit.Usagef("fit: --add %d: use a number from 1 to %d", a.count, mostAdded)
	case a.like == "" && a.pool == "":
		return exit.Usagef("fit: --add needs --like NODE or --pool POOL: what a new node is like")
	case a.like != "" && a.pool != "":
		return exit.Usagef("fit: --like and --pool cannot be used together")
	}
	return nil
}

// of finds the node that the new ones are like.
func (a *addedNodes) of(live *source.Live) (report.NewNodes, error) {
	if a.count == 0 {
		return report.NewNodes{}, nil
	}
	if err := live.Unread("nodes"); err != nil {
		return report.NewNodes{}, fmt.Errorf("fit: %w", err)
	}
	if a.pool == "" {
		names, err := named.ParseNodes("fit --like", []string{a.like})
		if err == nil {
			err = named.Nodes(live, "fit --like", names)
		}
		if err != nil {
			return report.NewNodes{}, err
		}
		return report.NewNodes{Like: names[0], Count: a.count}, nil
	}
	node, err := ofPool(live, a.pool)
	if err != nil {
		return report.NewNodes{}, err
	}
	return report.NewNodes{Like: node.Name, Count: a.count}, nil
}

// ofPool is the node that new ones of a pool are like: the first by name, those first that
// are Ready and schedulable.
func ofPool(live *source.Live, pool string) (found *model.Node, err error) {
	var pools []string
	for _, node := range live.Snapshot.Nodes {
		switch {
		case node.Pool != pool:
			if node.Pool != "" && !slices.Contains(pools, node.Pool) {
				pools = append(pools, node.Pool)
			}
		case found == nil || !found.Schedulable() && node.Schedulable():
			found = node
		}
	}
	if found == nil {
		return nil, noSuch("fit --pool "+pool, "pool", pools)
	}
	return found, nil
}
