package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// podKinds are kubectl's words for pods.
var podKinds = []string{"pod", "pods", "po"}

// label is the label command.
func (a *app) label() *cobra.Command {
	c := a.change("label")
	cmd := &cobra.Command{
		Use:   "label {node | pod} NAME... {KEY=VALUE | KEY-}...",
		Short: "Label nodes or pods, and say before whose rules that touches",
		Long: `Set labels of nodes or pods, and remove those with a - behind. The plan names the running pods whose rules
name a node's label, and the pods that wait and would fit then. A label that is there gets the new value; with --yes that takes
--overwrite.

A pod's NAME is a name or namespace/name.

` + planFirst + "\n\n" + changeCodes,
		Example:           fmt.Sprintf("  %[1]s label node std-b-02 disktype=ssd\n  %[1]s label node std-b-01 std-b-02 disktype- --plan\n  %[1]s label pod checkout-6c9d8b7f4-x2x1p -n shop traffic=off --yes", a.name),
		Args:              atLeastOne("label", "node or pod, a name and a label"),
		ValidArgsFunction: a.completeLabels,
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := readLabels(args)
			if err != nil {
				return err
			}
			find, err := a.labeled(wanted)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), func(live *live) (plan.Action, error) {
				refs, err := find(live)
				return plan.Label{Refs: refs, Set: wanted.set, Remove: wanted.remove}, err
			})
		},
	}
	c.addFlags(cmd)
	c.addReplace(cmd, "the value of a label")
	return cmd
}

// labeling is what the label command is told.
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
		return wanted, exit.Usagef("label: name node or pod, a name and a label, as in: label node std-b-02 disktype=ssd")
	}
	kind, _, slash := strings.Cut(wanted.names[0], "/")
	wanted.pods = slices.Contains(podKinds, kind)
	if !wanted.pods && !slices.Contains(nodeKinds, kind) {
		return wanted, exit.Usagef("label %s: name first what is labeled: node or pod", wanted.names[0])
	}
	if !slash {
		wanted.names = wanted.names[1:]
	}
	if len(wanted.names) == 0 {
		return wanted, exit.Usagef("label: name a %s", kind)
	}
	return wanted, nil
}

// labeled reads the names, and gives what finds them.
func (a *app) labeled(wanted labeling) (func(*live) ([]model.Ref, error), error) {
	if wanted.pods {
		named, err := a.podNames("label", wanted.names)
		return func(live *live) ([]model.Ref, error) { return live.pods("label", named) }, err
	}
	nodes, err := nodeNames("label", wanted.names)
	return func(live *live) ([]model.Ref, error) {
		refs := make([]model.Ref, 0, len(nodes))
		for _, name := range nodes {
			refs = append(refs, plan.NodeRef(name))
		}
		return refs, live.knows("label", nodes)
	}, err
}

// completeLabels completes what is labeled, then the names.
func (a *app) completeLabels(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return []cobra.Completion{"node", "pod"}, cobra.ShellCompDirectiveNoFileComp
	case slices.Contains(podKinds, args[0]):
		return a.completePods(cmd, args[1:], begun)
	}
	return a.completeNodes(cmd, args[1:], begun)
}
