package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/change"
	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// newLabel makes the label command.
func newLabel(a *app) *cobra.Command {
	c := change.New(a.source, "label")
	cmd := &cobra.Command{
		Use:   "label {node | pod} NAME... {KEY=VALUE | KEY-}...",
		Short: "Update labels of nodes or pods, after a preview of what uses them",
		Long: `Update labels of nodes or pods, after a preview of what uses them. A label
with a trailing - is removed. NAME of a pod is NAME or NAMESPACE/NAME.

The plan names the running pods whose node selector or affinity uses a label
of the node, and the pending pods that would fit then.

` + change.PlanFirst + "\n\n" + change.Codes,
		Example: fmt.Sprintf(`  # Show the plan, and ask before it is carried out
  %[1]s label node std-b-02 disktype=ssd
  # Only show the plan to remove a label from two nodes
  %[1]s label node std-b-01 std-b-02 disktype- --plan
  # Label a pod without asking
  %[1]s label pod checkout-6c9d8b7f4-x2x1p -n shop traffic=off --yes`, a.Name),
		Args:              atLeastOne("label", "node or pod, a name and a label"),
		ValidArgsFunction: complete.New(a.source).Labels,
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := readLabels(args)
			if err != nil {
				return err
			}
			find, err := wanted.find(cmd.Context(), a.source)
			if err != nil {
				return err
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				refs, err := find(live)
				return plan.Label{Refs: refs, Set: wanted.set, Remove: wanted.remove}, err
			})
		},
	}
	help.ShowNamespace(cmd)
	c.AddFlags(cmd)
	c.AddReplace(cmd, "label")
	return cmd
}

// labeling are the arguments of the label command.
type labeling struct {
	pods   bool // else nodes
	names  []string
	set    map[string]string
	remove []string
}

// readLabels takes the arguments apart.
func readLabels(args []string) (labeling, error) {
	wanted := labeling{set: map[string]string{}}
	for _, arg := range args {
		key, value, sets := strings.Cut(arg, "=")
		without, removes := strings.CutSuffix(arg, "-")
		switch {
		case sets:
			if was, twice := wanted.set[key]; twice && was != value {
				return wanted, exit.Usagef("label: %s is set twice", key)
			}
			wanted.set[key] = value
		case removes:
			wanted.remove = append(wanted.remove, without)
		default:
			wanted.names = append(wanted.names, arg)
		}
	}
	if len(wanted.names) == 0 || len(wanted.set)+len(wanted.remove) == 0 {
		return wanted, exit.Usagef("label: name node or pod, a name and a label, such as: label node std-b-02 disktype=ssd")
	}
	kind, _, slash := strings.Cut(wanted.names[0], "/")
	wanted.pods = slices.Contains(named.PodKinds, kind)
	if !wanted.pods && !slices.Contains(named.NodeKinds, kind) {
		return wanted, exit.Usagef("label %s: only nodes and pods can be labeled: label {node | pod} NAME KEY=VALUE", wanted.names[0])
	}
	if !slash {
		wanted.names = wanted.names[1:]
	}
	if len(wanted.names) == 0 {
		return wanted, exit.Usagef("label: name a %s", kind)
	}
	return wanted, nil
}

// find reads the names, and gives what finds them.
func (w *labeling) find(ctx context.Context, from *source.Options) (func(*source.Live) ([]model.Ref, error), error) {
	if w.pods {
		names, err := named.ParsePods(ctx, from, "label", w.names)
		return func(live *source.Live) ([]model.Ref, error) { return named.Pods(live, "label", names) }, err
	}
	nodes, err := named.ParseNodes("label", w.names)
	return func(live *source.Live) ([]model.Ref, error) {
		refs := make([]model.Ref, 0, len(nodes))
		for _, name := range nodes {
			refs = append(refs, plan.NodeRef(name))
		}
		return refs, named.Nodes(live, "label", nodes)
	}, err
}
