package report

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// preemptionLines tell what preemption can do, who would go and where to.
func (r *Report) preemptionLines() []string {
	p := r.Preemption
	switch {
	case p == nil:
		return nil
	case !p.Possible:
		return []string{"Preemption cannot help. " + p.Why}
	}
	lines := []string{"Preemption can help. " + p.Why}
	if r.Verdict == Preempting {
		lines = []string{fmt.Sprintf("Preemption has taken %s. What ends there:", p.Node)}
	}
	for _, victim := range p.Victims {
		said := fmt.Sprintf("  %s/%s, priority %d", victim.Namespace, victim.Name, victim.Priority)
		if victim.ViolatesPDB {
			said += ", breaks its PodDisruptionBudget"
		}
		if victim.Afterwards != "" {
			said += "; " + victim.Afterwards
		}
		lines = append(lines, said)
	}
	if len(p.Tie) > 0 && len(p.Tie[0].Alike) > 0 {
		var names []string
		for _, other := range p.Tie[0].Alike {
			names = append(names, other.Namespace+"/"+other.Name)
		}
		lines = append(lines, "  or in place of one of them, as nothing ranks them apart: "+grammar.List(names, grammar.Many))
	}
	return lines
}
