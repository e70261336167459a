package get

import (
	"context"
	"strconv"

	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// priorities lists the PriorityClasses, and what pods have in place of one; -l takes the
// labels of classes.
func priorities(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	classes, err := listOf[*schedulingv1.PriorityClass](ctx, live, "priorities", "priorityclasses")
	if err != nil {
		return nil, err
	}
	l := &output.List{
		Kind:  "PriorityList",
		Heads: []string{"NAME", "VALUE", "DEFAULT", "PREEMPTION", "ON NODES", "PENDING", "LOWER"},
		More:  []string{"DESCRIPTION"},
		Empty: "no PriorityClasses found",
	}
	for _, p := range inventory.Priorities(live.Snapshot, classes, true) {
		var labels map[string]string
		if p.Object != nil {
			labels = p.Object.Labels
		}
		if !g.scope.Takes(g.scope.Namespace, labels) {
			continue
		}
		l.Add(p,
			orNone(p.Name),
			strconv.Itoa(int(p.Value)),
			strconv.FormatBool(p.GlobalDefault),
			string(p.PreemptionPolicy),
			figureOr(p.Running),
			figureOr(p.Pending),
			figureOr(p.Lower),
			orNone(p.Description),
		)
		if p.Object != nil {
			l.Names = append(l.Names, "priorityclass.scheduling.k8s.io/"+p.Name)
		}
	}
	return l, nil
}
