package lesson

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Faults are what a trainer can do to the embedded cluster while it runs. It takes
// effect at once.
type Faults interface {
	// Faults are the faults that can be injected into a target. It returns at once.
	Faults(on FaultTarget) []Fault
	// Active are the active faults, the oldest first. It returns at once.
	Active() []ActiveFault
	// Inject injects a fault into a target.
	Inject(ctx context.Context, name string, on FaultTarget) error
	// Remove removes an active fault.
	Remove(ctx context.Context, id int) error
}

// FaultTarget is what a fault is injected into. "" is unknown.
type FaultTarget struct {
	Node, Zone            string
	Namespace, Kind, Name string // of a workload
}

// Fault is a fault that can be injected into the embedded cluster.
type Fault struct {
	Name  string // one word
	Says  string // its effect on the target, or on any
	Takes string // the kind of target: a node, namespace, workload or deployment; "" is none
	Has   bool   // the target is of that kind
}

// ActiveFault is a fault that was injected and not removed.
type ActiveFault struct {
	ID   int
	Says string
}

// TargetOf is what faults are injected into: the selected object.
func TargetOf(o *page.Observed, on page.Selection) FaultTarget {
	node := ""
	switch {
	case on.Node != nil:
		node = on.Node.Name
	case on.Pod != nil:
		node = page.NodeOf(on.Pod)
	}
	var target FaultTarget
	if n, ok := o.Snapshot.Node(node); ok {
		target.Node, target.Zone = n.Name, n.Zone
	}
	if on.Pod != nil {
		target.Namespace, target.Kind, target.Name = on.Pod.Object.Namespace, on.Pod.Owner.Kind, on.Pod.Owner.Name
	}
	return target
}

// Place is one of the targets of a fault, as a menu lists it.
type Place struct {
	Name, What string
	On         FaultTarget
}

// Places are the possible targets of a fault, by what it takes.
func Places(o *page.Observed, takes string) []Place {
	switch takes {
	case "node":
		return nodes(o)
	case "namespace":
		return namespaces(o)
	case "workload", "deployment":
		return workloads(o)
	}
	return nil
}

func nodes(o *page.Observed) (all []Place) {
	for _, n := range o.Snapshot.Nodes {
		all = append(all, Place{o.NodeName(n.Name), n.Zone + "  " + n.Status, FaultTarget{Node: n.Name, Zone: n.Zone}})
	}
	return all
}

func namespaces(o *page.Observed) (all []Place) {
	for _, name := range o.Namespaces() {
		all = append(all, Place{Name: name, On: FaultTarget{Namespace: name}})
	}
	return all
}

// workloads are the owners of the pods, each once.
func workloads(o *page.Observed) (all []Place) {
	known := map[FaultTarget]bool{}
	for _, pod := range o.Snapshot.Pods {
		on := FaultTarget{Namespace: pod.Object.Namespace, Kind: pod.Owner.Kind, Name: pod.Owner.Name}
		if on.Name != "" && !known[on] {
			known[on] = true
			all = append(all, Place{on.Namespace + "/" + on.Name, on.Kind, on})
		}
	}
	return all
}
