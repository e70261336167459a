package ui

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// tally counts the pods that wait by what they wait for.
type tally struct {
	pods, noNode, other, open, refused int
}

// tally counts the pods of the namespace's kinds.
func (p *pending) tally() tally {
	var t tally
	namespace := p.app.namespace()
	for _, kind := range p.app.observed.snapshot.Pending {
		if namespace != "" && kind.Pods[0].Object.Namespace != namespace {
			continue
		}
		n := kind.Count()
		r := p.app.verdicts.of(kind)
		switch {
		case kind.Refused != nil:
			t.refused += n
			continue
		case r == nil:
			t.open += n
		case r.Verdict == report.Unschedulable:
			t.noNode += n
		default:
			t.other += n
		}
		t.pods += n
	}
	return t
}

// answer counts the pods that wait and what they wait for.
func (p *pending) answer(width int) string {
	a := p.app
	if a.observed.isReading() {
		return a.contexts.readingWords()
	}
	if words := p.nothingKept(); words != "" {
		return words
	}
	t := p.tally()
	if t.pods+t.refused == 0 {
		return p.nothingPending()
	}
	verb := " wait"
	if t.pods == 1 {
		verb = " waits"
	}
	if a.observed.lost() {
		verb = " waited at " + a.observed.snapshot.Status.Connection.Heard.Format("15:04:05")
	}
	if a.observed.isSnapshot() {
		verb = " waited on " + a.observed.asOf().UTC().Format("2 Jan 15:04 MST")
	}
	if a.observed.snapshot.Status.Steps > 0 { // steps are seconds apart
		verb = " waited at " + a.observed.asOf().UTC().Format("15:04:05 MST")
	}
	words := figures.Count(t.pods, "pod", "pods") + verb
	if t.pods == 0 {
		return p.filtered("No pod waits."+t.refusals(), width)
	}
	if p.limited {
		return p.filtered(words+". Why is unknown: "+a.observed.notRead("nodes")+". kube-scheduler's words:", width)
	}
	if a.verdicts.hidden {
		return p.filtered(words+". Why is "+hiddenWords+"."+t.refusals(), width)
	}
	words += t.words()
	if whole := words + t.refusals(); cells.Width(whole)+cells.Width(p.keeps()) <= width {
		return p.filtered(whole, width)
	}
	return p.filtered(words+t.refusalsShort(), width)
}

// words say what the pods wait for.
func (t tally) words() string {
	words := ""
	switch {
	case t.noNode > 0 && t.other > 0:
		words = fmt.Sprintf(": %s no node, %d %s for something else", fits(t.noNode), t.other, grammar.Agree(t.other, "waits", "wait"))
	case t.noNode > 0:
		words = fmt.Sprintf(": %s no node", fits(t.noNode))
	case t.other > 0 && t.open == 0:
		words = ", none of them for want of a node"
	}
	if t.open > 0 {
		if words != "" {
			words += ", "
		} else {
			words = ": "
		}
		words += fmt.Sprintf("%d not explained yet", t.open)
	}
	return words + "."
}

// refusals say how many pods do not exist; "" if all do.
func (t tally) refusals() string {
	if t.refused == 0 {
		return ""
	}
	return fmt.Sprintf(" %d could not be created.", t.refused)
}

// refusalsShort are the refusals where there is less room.
func (t tally) refusalsShort() string {
	if t.refused == 0 {
		return ""
	}
	return fmt.Sprintf(" %d not created.", t.refused)
}

func fits(n int) string { return fmt.Sprintf("%d %s", n, grammar.Agree(n, "fits", "fit")) }

// idle is what is told where nothing waits.
type idle struct {
	scheduled int
	lastWait  time.Time // when a pod was scheduled last
}

// idle counts the scheduled pods of the namespace.
func (a *App) idle() idle {
	var i idle
	for _, pod := range inNamespace(a.observed.snapshot.Pods, a.namespace()) {
		if pod.Object.Spec.NodeName == "" {
			continue
		}
		i.scheduled++
		for at := range pod.Object.Status.Conditions {
			c := &pod.Object.Status.Conditions[at]
			if c.Type == corev1.PodScheduled && c.LastTransitionTime.After(i.lastWait) {
				i.lastWait = c.LastTransitionTime.Time
			}
		}
	}
	return i
}

// nothingPending says so.
func (p *pending) nothingPending() string {
	words := fmt.Sprintf("Nothing is pending. %s scheduled", figures.Count(p.idle.scheduled, "pod is", "pods are"))
	if !p.idle.lastWait.IsZero() {
		words += "; the last one to wait did so " + p.app.observed.since(p.idle.lastWait) + " ago"
	}
	return words + "."
}

// idleLines are what else there is to know where nothing waits: nodes that are
// not ready or cordoned, and the most room.
func (p *pending) idleLines() []string {
	a := p.app
	if a.observed.notRead("nodes") != "" {
		return []string{cells.Blank(table.Gutter) + "Nodes are unknown: " + a.observed.notRead("nodes") + "."}
	}
	var unready, cordoned []string
	var best *model.Node
	for _, n := range a.observed.snapshot.Nodes {
		switch {
		case n.Ready != corev1.ConditionTrue:
			unready = append(unready, a.observed.nodeName(n.Name)+forAge(a, n.ReadySince))
		case n.Cordoned:
			cordoned = append(cordoned, a.observed.nodeName(n.Name)+forAge(a, cordonedSince(n)))
		case len(n.Object.Spec.Taints) == 0 && (best == nil || freeCPU(n) > freeCPU(best)):
			best = n
		}
	}
	var parts, lines []string
	if len(unready) > 0 {
		parts = append(parts, "NotReady: "+grammar.List(unready, grammar.Few)+".")
	}
	if len(cordoned) > 0 {
		parts = append(parts, "Cordoned: "+grammar.List(cordoned, grammar.Few)+".")
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(append(parts, "Key 3 shows them."), " "))
	}
	if best != nil {
		lines = append(lines, fmt.Sprintf("Most room on a node without taints: %s, cpu %s, memory %s.", a.observed.nodeName(best.Name),
			model.FormatCores(freeCPU(best), model.Down), model.FormatMemory(freeMemory(best), model.Down)))
	}
	for i, line := range lines {
		lines[i] = cells.Blank(table.Gutter) + model.Clean(line)
	}
	return lines
}

// cordonedSince is when the cordon's taint was set; zero where nobody noted it.
func cordonedSince(n *model.Node) time.Time {
	for _, t := range n.Object.Spec.Taints {
		if t.Key == corev1.TaintNodeUnschedulable && t.TimeAdded != nil {
			return t.TimeAdded.Time
		}
	}
	return time.Time{}
}

// forAge is ", for 4m"; nothing where it is not known since when.
func forAge(a *App, since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return ", for " + a.observed.since(since)
}
