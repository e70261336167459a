package get

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// schedulers lists the schedulers that pods name, and the components that hold Leases.
// Without Leases only what is known of schedulers is listed.
func schedulers(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	objects, err := live.Objects(ctx, append([]string{"leases"}, inventory.Sets...)...)
	if err != nil {
		return nil, fmt.Errorf("get schedulers: %w", err)
	}
	leases, why := model.ListOf[*coordinationv1.Lease](objects, "leases")
	if why != "" && len(objects.Schedulers) == 0 {
		return nil, errors.New("get schedulers: " + why)
	}
	l := &output.List{
		Kind:  "SchedulerList",
		Heads: []string{"NAME", "STATE", "HOLDER", "RENEWED", "PENDING"},
		More:  []string{"LEASE", "WHY"},
		Empty: "no schedulers found",
	}
	var unnamed []string
	now := live.Now()
	for _, leader := range inventory.Leaders(live.Snapshot, leases, objects.Schedulers, inventory.HoldersOf(live.Snapshot, objects), now) {
		state, renewed, pending := "unknown", time.Time{}, "-"
		if leader.Alive != nil {
			state = map[bool]string{true: "running", false: "not running"}[*leader.Alive]
		}
		if leader.Renewed != nil {
			renewed = *leader.Renewed
		}
		if leader.Scheduler {
			pending = figureOr(leader.Pending)
		}
		l.Add(leader,
			leader.Name,
			state,
			orNone(leader.Holder),
			ago(now, renewed),
			pending,
			orNone(leader.Lease),
			orNone(leader.Why),
		)
		if leader.Object != nil {
			l.Names = append(l.Names, "lease.coordination.k8s.io/"+leader.Object.Name)
			continue
		}
		unnamed = append(unnamed, leader.Name)
	}
	if g.output == "name" && len(unnamed) > 0 {
		g.Say(fmt.Errorf("get schedulers: -o name has no line for what has no Lease: %s", strings.Join(unnamed, ", ")))
	}
	return l, nil
}
