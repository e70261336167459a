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
	lead, plain := p.taintEffects()
	plain = append(cordons(p.Changes, p.on), plain...)
	relabeled, deleted := relabel(p.Changes, p.on, p.daemonSets)
	plain = append(relabeled, plain...)
	p.PodsTerminated, p.Consents = ending(p.Ends)+deleted, consentsOf(p.Ends)
	p.tell(lead, plain...)
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
func cordons(changes []Change, on *model.Snapshot) []string {
	var sentences []string
	nodes, pods, opened, tainted := 0, 0, 0, 0
	kept := map[string]bool{}
	for node, edit := range editsOf(changes, on, unschedulablePath...) {
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
		sentences = append(sentences, stayThere(nodes, pods)+"; new pods are scheduled on other nodes.")
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

// stayThere says that the pods of some nodes keep running.
func stayThere(nodes, pods int) string {
	if pods == 0 {
		return noPods
	}
	return fmt.Sprintf("%s %s %s running", grammar.Agree(nodes, "Its", "Their"), CountPods(pods), grammar.Agree(pods, "keeps", "keep"))
}

// taintEffects says what changed taints do: first to the pods on the nodes, which
// NoExecute evicts, then to new pods.
func (p *Plan) taintEffects() (lead string, plain []string) {
	var (
		out                        taintEviction
		evicting                   bool
		nodes, pods                int
		noSchedule, prefer, opened int // taints
	)
	for node, edit := range editsOf(p.Changes, p.on, taintsPath...) {
		was, then := items(edit.From), items(edit.To)
		if before, after := noExecute(was), noExecute(then); countOthers(before, after)+countOthers(after, before) > 0 {
			evicting = true
			out.on(node, before, after)
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
	stays := stayThere(nodes, pods) + "; "
	if evicting && (out.taints > 0 || out.saved > 0) {
		var rest string
		p.Ends, stays = append(p.Ends, out.ends...), ""
		if lead, rest = out.words(); rest != "" {
			plain = append(plain, rest)
		}
	}
	if len(out.ends) > 0 {
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
