package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// follow words the effects of the plan's changes, and finds the pods that they
// terminate and what needs a consent of its own.
func (p *Plan) follow() {
	p.Unread = podsUnknown(p)
	lead, plain := p.taintEffects()
	plain = append(cordons(p), plain...)
	relabeled, deleted := relabel(p)
	plain = append(relabeled, plain...)
	p.PodsTerminated, p.Consents = ending(p.Ends)+deleted, consentsOf(p.Ends)
	p.tell(lead, append(unreadPods(p), plain...)...)
}

// podsUnknown says why pods of the nodes that change may be missing from what was read; "" where
// none is, or where the changes do not matter to them.
func podsUnknown(p *Plan) string {
	for _, change := range p.Changes {
		if !bearsOnPods(change) {
			continue
		}
		if why := p.on.PodsUnknown(); why != "" {
			return why
		}
		if _, found := p.on.Node(change.Target.Name); !found {
			return "node " + change.Target.Words() + " is not among those that could be read"
		}
	}
	return ""
}

// bearsOnPods says whether a change is of a node's labels, taints or spec.unschedulable, which
// matter to its pods.
func bearsOnPods(change Change) bool {
	return change.Target.Resource == "nodes" && slices.ContainsFunc(change.Edits, func(e Edit) bool { return !isAnnotation(e.Path) })
}

// unreadPods say that not all pods of the nodes are known; nil where they are.
func unreadPods(p *Plan) []string {
	if p.Unread == "" {
		return nil
	}
	which, nodes := "which pods run", len(p.Changes)
	if slices.ContainsFunc(p.Changes, func(c Change) bool { node, ok := p.on.Node(c.Target.Name); return ok && len(node.Pods) > 0 }) {
		which = "which other pods run"
	}
	sentences := []string{fmt.Sprintf("Unknown %s %s: %s.", which, grammar.Agree(nodes, "there", "on them"), p.Unread)}
	if p.blind {
		sentences[0] = fmt.Sprintf("Unknown %s %s, and which of them it terminates: %s.", which, grammar.Agree(nodes, "there", "on them"), p.Unread)
	}
	return sentences
}

// Unforeseen says why a plan cannot be carried out: it may terminate pods that could not be
// read; "" where nothing is known to be missing. A drain of such nodes cannot be planned.
func Unforeseen(p *Plan) string {
	if !p.blind {
		return ""
	}
	return "unknown which pods it terminates: " + p.Unread
}

// editsOf gives, for each node of the changes, as the snapshot knows it, the edit
// of the field at path.
func editsOf(changes []Change, on *model.Snapshot, path ...string) map[*model.Node]Edit {
	found := map[*model.Node]Edit{}
	for _, change := range changes {
		if change.Target.Resource != "nodes" {
			continue
		}
		at := slices.IndexFunc(change.Edits, func(e Edit) bool { return slices.Equal(e.Path, path) })
		if at < 0 {
			continue
		}
		node, ok := on.Node(change.Target.Name)
		if !ok {
			node = &model.Node{Name: change.Target.Name}
		}
		found[node] = change.Edits[at]
	}
	return found
}

// cordons say what cordoning and uncordoning nodes does.
func cordons(p *Plan) []string {
	var sentences []string
	nodes, pods, opened, tainted := 0, 0, 0, 0
	kept := map[string]bool{}
	for node, edit := range editsOf(p.Changes, p.on, unschedulablePath...) {
		if edit.To == nil {
			opened++
			taints := keptTaints(node)
			tainted += min(len(taints), 1)
			for _, taint := range taints {
				kept[taint] = true
			}
			continue
		}
		nodes++
		pods += len(node.Pods)
	}
	if nodes > 0 {
		sentences = append(sentences, stayThere(nodes, pods, p.Unread)+"; new pods are scheduled on other nodes.")
	}
	switch {
	case opened > 1 && tainted > 0:
		sentences = append(sentences, fmt.Sprintf("New pods can be scheduled there again, on %d of %d only if they tolerate its taints.", tainted, opened))
	case opened > 0 && tainted > 0:
		sentences = append(sentences, fmt.Sprintf("New pods can be scheduled there again if they tolerate %s.", joinKeys(kept)))
	case opened > 0:
		sentences = append(sentences, "New pods can be scheduled there again.")
	}
	return sentences
}

// keptTaints are the taints that keep pods off a node although it is not cordoned any more.
func keptTaints(node *model.Node) (taints []string) {
	if node.Object == nil {
		return nil
	}
	for i := range node.Object.Spec.Taints {
		taint := &node.Object.Spec.Taints[i]
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && taint.Key != corev1.TaintNodeUnschedulable {
			taints = append(taints, taint.ToString())
		}
	}
	return taints
}

// noPods begins the sentence about nodes without pods.
const noPods = "No pods run there"

// stayThere says that the pods of some nodes keep running. unread is why some may be missing.
func stayThere(nodes, pods int, unread string) string {
	switch {
	case unread != "" && pods == 0:
		return grammar.Agree(nodes, "Its", "Their") + " pods keep running"
	case unread != "":
		return fmt.Sprintf("%s pods, at least %d, keep running", grammar.Agree(nodes, "Its", "Their"), pods)
	case pods == 0:
		return noPods
	}
	return fmt.Sprintf("%s %s %s running", grammar.Agree(nodes, "Its", "Their"), CountPods(pods), grammar.Agree(pods, "keeps", "keep"))
}

// taintEffects says what changed taints do: first to the pods on the nodes, which
// NoExecute evicts, then to new pods.
func (p *Plan) taintEffects() (lead string, plain []string) {
	var (
		out                        = taintEviction{unread: p.Unread != ""}
		evicting                   bool
		nodes, pods                int
		noSchedule, prefer, opened int // taints
	)
	for node, edit := range editsOf(p.Changes, p.on, taintsPath...) {
		was, then := items(edit.From), items(edit.To)
		if before, after := noExecute(was), noExecute(then); countOthers(before, after)+countOthers(after, before) > 0 {
			evicting = true
			out.on(node, before, after)
			out.finished(p.on, node.Name, before, after)
			opened += countOthers(before, after)
		}
		nodes, pods = nodes+1, pods+len(node.Pods)
		before, after := withEffect(was, corev1.TaintEffectNoSchedule), withEffect(then, corev1.TaintEffectNoSchedule)
		noSchedule += countOthers(after, before)
		opened += countOthers(before, after)
		prefer += countOthers(withEffect(then, corev1.TaintEffectPreferNoSchedule), withEffect(was, corev1.TaintEffectPreferNoSchedule))
	}
	if nodes == 0 {
		return "", nil
	}
	stays := stayThere(nodes, pods, p.Unread) + "; "
	if evicting && (out.taints > 0 || out.saved > 0) {
		var rest string
		p.Ends, stays = append(p.Ends, out.ends...), ""
		p.blind = out.blind()
		if lead, rest = out.words(); rest != "" {
			plain = append(plain, rest)
		}
	}
	if out.running() {
		p.warn("NoExecute ignores PodDisruptionBudgets; drain respects them.")
	}
	switch {
	case noSchedule > 0:
		plain = append(plain, grammar.Capital(stays+"new pods are scheduled on other nodes unless they tolerate it."))
	case prefer > 0:
		plain = append(plain, grammar.Capital(stays+"new pods that do not tolerate it prefer other nodes."))
	case evicting && out.taints > 0 || opened == 0:
	case opened > 0:
		plain = append(plain, grammar.Capital(stays+"new pods no longer need to tolerate it."))
	}
	return lead, plain
}
