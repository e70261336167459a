package pending

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// failingWords say which nodes have failed, where that is news that comes before all pending
// pods: all nodes or a zone without a Ready node for as long as it is so, any other node for
// a short while. "" is none.
func failingWords(o *page.Observed) string {
	zones := map[string]*zone{}
	var young []*model.Node
	all, failed := 0, 0
	for _, node := range o.Snapshot.Nodes {
		if node.Lifecycle != "" {
			continue // it is not there yet, or is about to go
		}
		all++
		z := zones[node.Zone]
		if z == nil {
			z = &zone{name: node.Zone}
			zones[node.Zone] = z
		}
		z.nodes++
		if node.Ready == corev1.ConditionTrue {
			continue
		}
		failed++
		z.failed++
		if z.since == nil || node.ReadySince.After(z.since.ReadySince) {
			z.since = node
		}
		if !node.ReadySince.IsZero() && o.AsOf().Sub(node.ReadySince) < page.Young {
			young = append(young, node)
		}
	}
	switch {
	case failed == 0:
		return ""
	case failed == all && all > 1:
		return "All " + model.FormatCount(all) + " nodes are NotReady."
	}
	return failedWords(o, lostZones(zones), young)
}

// failedWords words the zones that are lost, else the nodes that have just failed.
func failedWords(o *page.Observed, lost []*zone, young []*model.Node) string {
	switch {
	case len(lost) == 1:
		return "Zone " + model.Clean(lost[0].name) + ": all " + model.FormatCount(lost[0].nodes) + " nodes NotReady for " + o.Since(lost[0].since.ReadySince) + "."
	case len(lost) > 1:
		return model.FormatCount(len(lost)) + " zones have no Ready node."
	case len(young) == 1:
		return model.Clean(o.NodeName(young[0].Name)) + " NotReady for " + o.Since(young[0].ReadySince) + "."
	case len(young) > 1:
		return model.FormatCount(len(young)) + " nodes became NotReady."
	}
	return ""
}

// zone counts the nodes of a zone.
type zone struct {
	name          string
	nodes, failed int
	since         *model.Node // the last one that failed
}

// lostZones are those of several nodes of which none is Ready.
func lostZones(zones map[string]*zone) []*zone {
	var lost []*zone
	for _, z := range zones {
		if z.name != "" && z.nodes > 1 && z.failed == z.nodes {
			lost = append(lost, z)
		}
	}
	return lost
}
