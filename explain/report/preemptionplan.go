package report

import (
	"fmt"
	"slices"
	"strings"
)

// PreemptionPlan is what preemption could do for one pod: on which nodes, which pods it would
// evict there, and where those would be rescheduled.
type PreemptionPlan struct {
	PriorityClass string // by name; "" without one
	Answer        string // one sentence
	Why           string // the same in full, as JSON tells it

	Nominated string           // the node that the pod is nominated to already
	Node      string           // the node that the scheduler takes, or would; "" if none or not known
	Nodes     []PreemptionNode // where evicting pods lets the pod fit, as the scheduler ranks them
	Sampled   bool             // it looks at some of them only, from a random one on
	Others    []NoPreemption   // the nodes where it does not, the most first
	Could     int              // nodes where evicting pods could help
	Tried     int              // of these, those where that was tried
}

// PreemptionNode is a node that the pod fits once pods of lower priority are evicted.
type PreemptionNode struct {
	Name     string
	Victims  []PreemptionVictim // the most important first; nil if they are not known
	Broken   int                // victims whose eviction violates a PodDisruptionBudget; -1: not known
	Budgets  []string           // the names of those budgets
	May      bool               // the scheduler may take this node: its ranking leaves that open, or decides for it
	Why      string             // why it takes it, or why not
	Room     string             // the sum that decides: "free cpu 6.3 + 2 from its victims = 8.3; the pod wants 8"
	Resource string             // that the victims' amounts are of
	Alike    []PodName          // pods that may go in place of victims: neither priority nor start ranks them apart
	Landed   bool               // where the victims are rescheduled was looked into
}

// Highest is the highest priority among the victims.
func (n *PreemptionNode) Highest() int32 {
	if len(n.Victims) == 0 {
		return 0
	}
	return n.Victims[0].Priority
}

// PreemptionVictim is a victim with what it requests and what protects it.
type PreemptionVictim struct {
	Victim
	Amount  string   // what it holds of the node's Resource
	Budgets []string // "front: allows 1"
}

// NoPreemption is some nodes on which preemption won't help, for one reason.
type NoPreemption struct {
	Why   string // "gpu taint"
	Nodes []string
}

// On is the node of that name among those.
func (p *PreemptionPlan) On(name string) (*PreemptionNode, bool) {
	i := slices.IndexFunc(p.Nodes, func(n PreemptionNode) bool { return n.Name == name })
	if i < 0 {
		return nil, false
	}
	return &p.Nodes[i], true
}

// Brief is the plan as JSON tells it: the node that the scheduler would take, its
// victims and where they would land. It is nil where the report has none.
func (p *PreemptionPlan) Brief(outline *Preemption) *Preemption {
	node, ok := p.On(p.Node)
	switch {
	case !ok && outline == nil:
		return nil
	case !ok:
		brief := *outline
		return &brief
	}
	brief := &Preemption{Possible: true, Node: node.Name, Why: p.Why, Victims: []Victim{}}
	for _, victim := range node.Victims {
		brief.Victims = append(brief.Victims, victim.Victim)
	}
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.May {
			brief.Tie = append(brief.Tie, n.tied())
		}
	}
	if len(brief.Tie) == 1 && len(brief.Tie[0].Alike) == 0 {
		brief.Tie = nil
	}
	return brief
}

// tied is the node as one that the scheduler may take.
func (n *PreemptionNode) tied() Tied {
	tied := Tied{Node: n.Name, Victims: []PodName{}, Alike: n.Alike}
	for _, victim := range n.Victims {
		tied.Victims = append(tied.Victims, PodName{victim.Namespace, victim.Name})
	}
	return tied
}

// OthersLine counts the nodes on which preemption won't help, and says why: "won't help on 6:
// gpu taint (3), NotReady, cordoned, allocatable cpu only 7.9".
func (p *PreemptionPlan) OthersLine() string {
	if len(p.Others) == 0 {
		return ""
	}
	count := 0
	var all []string
	for _, other := range p.Others {
		count += len(other.Nodes)
		why := other.Why
		if len(other.Nodes) > 1 {
			why += fmt.Sprintf(" (%d)", len(other.Nodes))
		}
		all = append(all, why)
	}
	return fmt.Sprintf("won't help on %d: %s", count, strings.Join(all, ", "))
}
