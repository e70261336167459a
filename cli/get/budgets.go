package get

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// budgets lists the PodDisruptionBudgets of the scope.
func budgets(ctx context.Context, g *Options, live *source.Live) (*output.List, error) {
	objects, err := listOf[*policyv1.PodDisruptionBudget](ctx, live, "budgets", "poddisruptionbudgets")
	if err != nil {
		return nil, err
	}
	l := &output.List{
		Kind:  "BudgetList",
		Heads: []string{"NAMESPACE", "NAME", "ALLOWED", "HEALTHY", "DESIRED", "BLOCKS DRAIN OF"},
		More:  []string{"SHARED PODS"},
		Empty: g.scope.Empty("PodDisruptionBudgets"),
	}
	sharing := map[string]bool{}
	budgets, unprotected := inventory.Budgets(live.Snapshot, objects)
	for _, b := range budgets {
		if !g.scope.Takes(b.Namespace, b.Object.Labels) {
			continue
		}
		l.Add(b,
			b.Namespace,
			b.Name,
			strconv.Itoa(int(b.Allowed)),
			strconv.Itoa(int(b.Healthy)),
			strconv.Itoa(int(b.Desired)),
			orNone(strings.Join(b.Nodes, ",")),
			orNone(strings.Join(b.Shared, ",")),
		)
		l.Names = append(l.Names, "poddisruptionbudget.policy/"+b.Name)
		l.Notes = append(l.Notes, budgetLines(&b, sharing)...)
	}
	if more := len(l.Notes) - linesOfBudgets; more > 1 {
		l.Notes = append(l.Notes[:linesOfBudgets], fmt.Sprintf("%d more lines like these: -o json has why each budget allows no eviction", more))
	}
	g.tellUnprotected(l, live.Snapshot, unprotected)
	return l, nil
}

// budgetLines say after the table why a budget allows no eviction, that it selects no pods, or which other budgets
// select its pods, once of all of these: sharing has those of which that is said.
func budgetLines(b *inventory.Budget, sharing map[string]bool) (lines []string) {
	name := b.Namespace + "/" + b.Name
	switch {
	case b.SelectsNone:
		return []string{name + ": selects no pods, its labels may be wrong"}
	case b.AllowsNone != "":
		lines = append(lines, name+": "+b.AllowsNone)
	}
	if len(b.SharedWith) == 0 {
		return lines
	}
	together := b.Namespace + "/" + strings.Join(slices.Sorted(slices.Values(append([]string{b.Name}, b.SharedWith...))), " ")
	if sharing[together] {
		return lines
	}
	sharing[together] = true
	n := len(b.Shared)
	return append(lines, fmt.Sprintf("%s: %s %s %s too, kube-apiserver rejects %s", name, grammar.List(b.SharedWith, grammar.Few),
		grammar.Agree(len(b.SharedWith), "selects", "select"), grammar.List(b.Shared, grammar.Few), grammar.Agree(n, "its eviction", "their evictions")))
}

// linesOfBudgets is how many lines after the table are about budgets.
const linesOfBudgets = 10

// unprotectedField is the field of a BudgetList with the workloads that no budget selects.
const unprotectedField = "unprotected"

// unprotectedItem is a workload of several pods that no PodDisruptionBudget selects.
type unprotectedItem struct {
	Namespace string `json:"namespace"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Pods      int    `json:"pods"`
}

// tellUnprotected adds the workloads of the scope's namespace without a budget, whatever labels are
// selected; null where not all pods are known.
func (g *Options) tellUnprotected(l *output.List, s *model.Snapshot, all []inventory.Unprotected) {
	l.Extra = map[string]any{unprotectedField: nil}
	if s.PodsUnknown() != "" {
		return
	}
	items := []unprotectedItem{}
	for _, u := range all {
		if g.scope.Namespace == "" || g.scope.Namespace == u.Namespace {
			items = append(items, unprotectedItem{u.Namespace, u.Owner.Kind, u.Owner.Name, u.Pods})
		}
	}
	l.Extra[unprotectedField] = items
	if len(items) == 0 {
		return
	}
	var names []string
	for _, item := range items {
		names = append(names, item.Namespace+"/"+item.Name)
	}
	l.Notes = append(l.Notes, grammar.Count(len(items), "workload", "workloads")+" of several pods without a PodDisruptionBudget: "+grammar.List(names, grammar.Few))
}

// listOf are the objects of a resource that a view needs. That it could not be listed is
// an error of the view.
func listOf[T runtime.Object](ctx context.Context, live *source.Live, view, resource string) ([]T, error) {
	objects, err := live.Objects(ctx, resource)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", view, err)
	}
	list, why := model.ListOf[T](objects, resource)
	if why != "" {
		return nil, fmt.Errorf("get %s: %s", view, why)
	}
	return list, nil
}
