package warnings

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Failing says which nodes have failed or report pressure, where that is news that comes before
// all pending pods: all nodes or a zone without a Ready node for as long as it is so, any other
// node for a short while. "" is none; name is how a node is named.
func Failing(s *model.Snapshot, now time.Time, name func(string) string) string {
	f := failuresOf(s.Nodes, now)
	switch {
	case f.all():
		return "All " + model.FormatCount(f.nodes) + " nodes are NotReady."
	case len(f.lost()) > 0:
		return f.lostWords(now)
	case len(f.young) == 1:
		return model.Clean(name(f.young[0].Name)) + " NotReady for " + model.FormatAge(f.young[0].ReadySince, now) + "."
	case len(f.young) > 1:
		return model.FormatCount(len(f.young)) + " nodes became NotReady."
	case len(f.pressed) == 1:
		node := f.pressed[0]
		return model.Clean(name(node.Name)) + " " + node.Pressure[0] + " for " + model.FormatAge(pressedSince(node), now) + "."
	case len(f.pressed) > 1:
		return model.FormatCount(len(f.pressed)) + " nodes report " + f.pressure() + "."
	}
	return ""
}

// LostZones names the zone, or counts the zones, of which none of some nodes is Ready while others are, and
// follows the number of those that are NotReady: "all of eu-1b", "with all 3 of eu-1b"; "" is none.
func LostZones(nodes []*model.Node, notReady int) string {
	f := failuresOf(nodes, time.Time{})
	lost, of := f.lost(), 0
	if len(lost) == 0 || f.all() {
		return ""
	}
	for _, z := range lost {
		of += z.nodes
	}
	where := model.Clean(lost[0].name)
	if len(lost) > 1 {
		where = model.FormatCount(len(lost)) + " zones"
	}
	if of < notReady {
		return "with all " + model.FormatCount(of) + " of " + where
	}
	return "all of " + where
}

// young is for how long a failure of a node is news.
const young = 2 * time.Minute

// failures are the nodes that are not Ready.
type failures struct {
	nodes, failed int // but for those that are new or being removed
	zones         map[string]*zone
	young         []*model.Node // that failed a short while ago
	pressed       []*model.Node // that began to report pressure a short while ago
}

func failuresOf(nodes []*model.Node, now time.Time) failures {
	f := failures{zones: map[string]*zone{}}
	for _, node := range nodes {
		if node.Lifecycle != "" {
			continue // it is not there yet, or is about to go
		}
		f.nodes++
		z := f.zones[node.Zone]
		if z == nil {
			z = &zone{name: node.Zone}
			f.zones[node.Zone] = z
		}
		z.nodes++
		if node.Ready == corev1.ConditionTrue {
			if since := pressedSince(node); !since.IsZero() && now.Sub(since) < young {
				f.pressed = append(f.pressed, node)
			}
			continue
		}
		f.failed++
		z.failed++
		if z.since == nil || node.ReadySince.After(z.since.ReadySince) {
			z.since = node
		}
		if !node.ReadySince.IsZero() && now.Sub(node.ReadySince) < young {
			f.young = append(f.young, node)
		}
	}
	return f
}

// pressedSince is when the first of its conditions of pressure began that still hold; zero where
// none does.
func pressedSince(node *model.Node) (since time.Time) {
	if len(node.Pressure) == 0 {
		return since
	}
	for _, condition := range node.Object.Status.Conditions {
		at := condition.LastTransitionTime.Time
		if slices.Contains(node.Pressure, string(condition.Type)) && (since.IsZero() || at.Before(since)) {
			since = at
		}
	}
	return since
}

// pressure is the condition that all of the nodes under pressure report, or "pressure".
func (f failures) pressure() string {
	one := f.pressed[0].Pressure[0]
	if slices.ContainsFunc(f.pressed, func(node *model.Node) bool { return len(node.Pressure) > 1 || node.Pressure[0] != one }) {
		return "pressure"
	}
	return one
}

// all reports whether no node of several is Ready.
func (f failures) all() bool { return f.nodes > 1 && f.failed == f.nodes }

func (f failures) lostWords(now time.Time) string {
	lost := f.lost()
	switch len(lost) {
	case 0:
		return ""
	case 1:
		return "Zone " + model.Clean(lost[0].name) + ": all " + model.FormatCount(lost[0].nodes) + " nodes NotReady for " + model.FormatAge(lost[0].since.ReadySince, now) + "."
	}
	return model.FormatCount(len(lost)) + " zones have no Ready node."
}

// zone counts the nodes of a zone.
type zone struct {
	name          string
	nodes, failed int
	since         *model.Node // the last one that failed
}

// lost are the zones of several nodes of which none is Ready.
func (f failures) lost() []*zone {
	var lost []*zone
	for _, z := range f.zones {
		if z.name != "" && z.nodes > 1 && z.failed == z.nodes {
			lost = append(lost, z)
		}
	}
	return lost
}
