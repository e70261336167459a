package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// preemption says what preemption would do; with all of it for each victim.
func (c composer) preemption() Section {
	p, all := c.report.Preemption, c.options.Verbose
	if p == nil {
		return Section{}
	}
	s := Section{Lines: []string{c.report.PreemptionSentence(!all)}, Close: !all}
	if c.report.Verdict == Preempting {
		s = Section{Lines: []string{"Preemption has chosen " + p.Node + ". Being evicted:"}}
		all = true
	}
	if !all {
		return s
	}
	for _, victim := range p.Victims {
		s.Lines = append(s.Lines, "  "+victim.Sentence())
	}
	if len(p.Tie) > 0 && len(p.Tie[0].Alike) > 0 {
		var names []string
		for _, other := range p.Tie[0].Alike {
			names = append(names, other.Namespace+"/"+other.Name)
		}
		s.Lines = append(s.Lines, "  kube-scheduler may evict one of these instead: "+grammar.List(names, grammar.Many))
	}
	return s
}

// PreemptionSentence says what preemption would do, or why it won't help; "" where it was
// not looked into or is under way.
func (r *Report) PreemptionSentence(short bool) string {
	p := r.Preemption
	switch {
	case p == nil, r.Verdict == Preempting:
		return ""
	case !p.Possible && short && p.Short != "":
		return "Preemption won't help: " + strings.TrimSuffix(p.Short, ".") + "."
	case !p.Possible:
		return "Preemption won't help: " + grammar.Small(p.Why)
	case len(p.Tie) <= 1 && len(staticNames(p.Victims)) > 0:
		named := staticNames(p.Victims)
		return fmt.Sprintf("Preemption won't help: it would evict %s %s from %s, which the kubelet keeps running.",
			grammar.Agree(len(named), "static pod", "static pods"), grammar.List(named, grammar.Few), p.Node)
	case p.Node == "": // which one is not known
		return "Preemption could help. " + p.Why
	case short && len(p.Tie) > 1:
		var others []string
		for _, tied := range p.Tie[1:] {
			others = append(others, tied.Node)
		}
		return fmt.Sprintf("Preemption would evict %s from %s, or pods from %s: these nodes rank equally.",
			grammar.List(victimNames(p.Victims), grammar.Few), p.Node, grammar.List(others, grammar.Few))
	case short || len(p.Victims) == 0:
		return "Preemption would evict " + grammar.List(victimNames(p.Victims), grammar.Few) + " from " + p.Node + "."
	}
	if p.Why == "" {
		return "Preemption would help."
	}
	return "Preemption would help: " + grammar.Small(p.Why)
}

// PreemptionClause is the short PreemptionSentence as a part of another sentence.
func (r *Report) PreemptionClause() string {
	sentence := r.PreemptionSentence(true)
	if sentence == "" {
		return ""
	}
	return strings.TrimSuffix(grammar.Small(sentence), ".")
}

// staticNames are the names of victims that are static pods: their kubelet creates the mirror pods again, and their
// capacity is not freed (tryReconcileMirrorPods of the kubelet).
func staticNames(victims []Victim) (names []string) {
	for _, victim := range victims {
		if victim.Static {
			names = append(names, victim.Namespace+"/"+victim.Name)
		}
	}
	return names
}

// victimNames are the names of pods, with what is wrong with evicting them.
func victimNames(victims []Victim) []string {
	var names []string
	for _, victim := range victims {
		name := victim.Namespace + "/" + victim.Name
		if victim.ViolatesPDB {
			name += " (violates its PodDisruptionBudget)"
		}
		if victim.Static {
			name += " (static pod: keeps running)"
		}
		names = append(names, name)
	}
	return names
}

// Sentence is the victim with its priority and what happens to it.
func (v Victim) Sentence() string {
	text := v.Namespace + "/" + v.Name + ", priority " + strconv.Itoa(int(v.Priority))
	if v.ViolatesPDB {
		text += ", violates its PodDisruptionBudget"
	}
	if v.Afterwards != "" {
		text += "; " + v.Afterwards
	}
	return text
}
