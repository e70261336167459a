package get

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
)

// taintItem is a taint in JSON and YAML.
type taintItem struct {
	inventory.Taint

	// ToleratedBy are the pods that tolerate the taint, wherever they run, as namespace/name; left out
	// where there are none, or pods are not known.
	ToleratedBy []string `json:"toleratedBy,omitempty"`
}

// newTaintItem is a taint with the names of the pods that tolerate it.
func newTaintItem(t inventory.Taint) taintItem {
	item := taintItem{Taint: t}
	for _, pod := range t.Tolerating {
		item.ToleratedBy = append(item.ToleratedBy, pod.FullName())
	}
	return item
}

// taints lists the taints of nodes; -l takes the labels of these.
func taints(_ context.Context, g *Options, live *source.Live) (*output.List, error) {
	if err := live.Unread("nodes"); err != nil {
		return nil, fmt.Errorf("get taints: %w", err)
	}
	now := live.Now()
	l := &output.List{
		Kind:  "TaintList",
		Heads: []string{"TAINT", "NODES", "AGE", "TOLERATED", "NOT TOLERATING", "EVICTS"},
		More:  []string{"RESERVED FOR", "OTHER PODS", "ELSEWHERE", "ZONES"},
		Empty: "no node has a taint",
	}
	if g.scope.Selector != "" {
		l.Empty = "no node that matches -l " + g.scope.Selector + " has a taint"
	}
	matching := map[string]bool{}
	for _, n := range live.Snapshot.Nodes {
		matching[n.Name] = g.scope.Matches.Matches(labels.Set(n.Object.Labels))
	}
	for _, t := range inventory.Taints(live.Snapshot) {
		if !slices.ContainsFunc(t.Nodes, func(name string) bool { return matching[name] }) {
			continue
		}
		age := "<unknown>"
		if t.Since != nil {
			age = ago(now, *t.Since)
		}
		intruders, evicted := model.UnknownFigure, model.UnknownFigure
		if t.Intruders != nil {
			intruders, evicted = strconv.Itoa(len(t.Intruders)), orNone(t.NextEviction(now))
		}
		tenant, inside, outside := reservedCells(&t)
		l.Add(newTaintItem(t), t.Spec(), strconv.Itoa(len(t.Nodes)), age, figureOr(t.Tolerated), intruders, evicted, tenant, inside, outside, zoneCell(t.Zones))
		l.Names = append(l.Names, t.Spec())
	}
	return l, nil
}

// reservedCells are the namespaces of the tenant, and how many pods are in the wrong place.
func reservedCells(t *inventory.Taint) (tenant, inside, outside string) {
	switch {
	case t.Intruders == nil:
		return model.UnknownFigure, model.UnknownFigure, model.UnknownFigure
	case t.Reserved == nil:
		return orNone(""), orNone(""), orNone("")
	}
	return strings.Join(t.Reserved.Namespaces, ","), strconv.Itoa(len(t.Reserved.Inside)), strconv.Itoa(len(t.Reserved.Outside))
}

// zoneCell names the state of zones, and how many nodes a second get their taint there.
func zoneCell(zones []inventory.EvictionZone) string {
	words := make([]string, len(zones))
	for i := range zones {
		words[i] = fmt.Sprintf("%s:%s:%g/s", zones[i].Name(), zones[i].State, zones[i].Rate)
	}
	return orNone(strings.Join(words, ","))
}
