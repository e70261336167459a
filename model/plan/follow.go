package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// follow words what follows of the plan's changes, and finds the pods that end by
// them.
func (p *Plan) follow() {
	lead, plain := p.throwOut()
	plain = append(cordons(p.Changes, p.on), plain...)
	plain = append(plain, relabel(p.Changes, p.on)...)
	p.Ending = ending(p.Ends)
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

// cordons say what follows of nodes that are cordoned, and uncordoned.
func cordons(changes []Change, on *model.Snapshot) []string {
	var sentences []string
	nodes, pods, opened := 0, 0, 0
	for node, edit := range editsOf(changes, on, unschedulablePath...) {
		if edit.To == nil {
			opened++
			continue
		}
		nodes++
		pods += len(node.Pods)
	}
	if nodes > 0 {
		sentences = append(sentences, stayThere(nodes, pods)+"; new pods go elsewhere.")
	}
	if opened > 0 {
		sentences = append(sentences, "New pods may go there again.")
	}
	return sentences
}

// stayThere says that the pods of some nodes stay.
func stayThere(nodes, pods int) string {
	if pods == 0 {
		return "No pod is there"
	}
	return fmt.Sprintf("%s %s %s", grammar.Agree(nodes, "Its", "Their"), CountPods(pods), grammar.Agree(pods, "stays", "stay"))
}

// throwOut says what follows of other taints: first for pods that are there,
// which NoExecute ends, then for new ones.
func (p *Plan) throwOut() (lead string, plain []string) {
	var (
		out                     thrown
		throwing                bool
		nodes, pods             int
		barred, shunned, opened int // taints
	)
	for node, edit := range editsOf(p.Changes, p.on, taintsPath...) {
		was, then := items(edit.From), items(edit.To)
		if before, after := noExecute(was), noExecute(then); countOthers(before, after)+countOthers(after, before) > 0 {
			throwing = true
			out.on(node, before, after)
			opened += countOthers(before, after)
		}
		nodes, pods = nodes+1, pods+len(node.Pods)
		before, after := withEffect(was, corev1.TaintEffectNoSchedule), withEffect(then, corev1.TaintEffectNoSchedule)
		barred += countOthers(after, before)
		opened += countOthers(before, after)
		shunned += countOthers(withEffect(then, corev1.TaintEffectPreferNoSchedule), withEffect(was, corev1.TaintEffectPreferNoSchedule))
	}
	if nodes == 0 {
		return "", nil
	}
	stays := stayThere(nodes, pods) + "; "
	if throwing && (out.taints > 0 || out.saved > 0) {
		p.Ends, lead, stays = append(p.Ends, out.ends...), out.words(), ""
	}
	if len(out.ends) > 0 {
		p.warn("A NoExecute taint asks no PodDisruptionBudget; a drain does.")
	}
	switch {
	case barred > 0:
		plain = append(plain, grammar.Capital(stays+"new pods go elsewhere unless they tolerate it."))
	case shunned > 0:
		plain = append(plain, grammar.Capital(stays+"new pods that do not tolerate it go elsewhere if they can."))
	case throwing && out.taints > 0 || opened == 0:
	case opened > 0:
		plain = append(plain, grammar.Capital(stays+"new pods need not tolerate it any more."))
	}
	return lead, plain
}
