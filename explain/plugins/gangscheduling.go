package plugins

import (
	"fmt"
	"slices"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// gangScheduling says which group the pod belongs to, how many of its pods
// exist and how many have to, before the scheduler looks at any of them.
func gangScheduling(q *Question) (GateRejection, bool) {
	of := q.Pod.Spec.SchedulingGroup
	if of == nil || of.PodGroupName == nil {
		return GateRejection{}, false
	}
	group := groupOf(q.Groups, q.Pod.Namespace, *of.PodGroupName)
	if group.missing {
		return absentGroup("PodGroup", q.Pod.Namespace, group.name), true
	}
	parent := group.parent
	if parent == "" || !utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup) {
		return group.held(q.Pod.Namespace), !group.ready()
	}
	root, missing := rootOf(q.Groups, q.Pod.Namespace, parent)
	switch {
	case missing:
		return absentGroup("CompositePodGroup", q.Pod.Namespace, root), true
	case root == "":
		return GateRejection{}, false
	}
	tree := treeOf(q.Groups, q.Pod.Namespace, root)
	return tree.held(q.Pod.Namespace), !tree.ready()
}

// absentGroup is for a group that has to be there and is not.
func absentGroup(kind, namespace, name string) GateRejection {
	return GateRejection{
		What:  fmt.Sprintf("%s %s/%s does not exist", kind, namespace, name),
		Short: fmt.Sprintf("%s %s does not exist", kind, name),
		Until: "it exists",
	}
}

// gang is a group and what it lacks: pods, or groups where it is made of groups.
type gang struct {
	name    string
	parent  string
	missing bool // the object does not exist
	wanted  int
	have    int
	groups  bool   // it is made of groups, not of pods
	lacking []gang // those of its groups that are not ready
}

func (g gang) ready() bool { return !g.missing && g.have >= g.wanted }

// groupOf counts the pods of a group. The rules are GangScheduling's: a group
// without a gang policy needs no more than one pod, and that only where
// composite groups are on.
func groupOf(groups fwk.PodGroupManager, namespace, name string) gang {
	g := gang{name: name}
	object, err := groups.PodGroups().Get(namespace, name)
	if err != nil {
		g.missing = true
		return g
	}
	if object.Spec.ParentCompositePodGroupName != nil {
		g.parent = *object.Spec.ParentCompositePodGroupName
	}
	switch policy := object.Spec.SchedulingPolicy.Gang; {
	case policy != nil:
		g.wanted = int(policy.MinCount)
	case utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup):
		g.wanted = 1
	}
	if state, err := groups.PodGroupStates().Get(namespace, name); err == nil {
		g.have = state.AllPodsCount()
	}
	return g
}

// rootOf is the composite group at the top, or the first that does not exist;
// "" where they are their own parents.
func rootOf(groups fwk.PodGroupManager, namespace, name string) (root string, missing bool) {
	for seen := []string{}; !slices.Contains(seen, name); {
		seen = append(seen, name)
		object, err := groups.CompositePodGroups().Get(namespace, name)
		if err != nil {
			return name, true
		}
		if object.Spec.ParentCompositePodGroupName == nil {
			return name, false
		}
		name = *object.Spec.ParentCompositePodGroupName
	}
	return "", false
}

// treeOf counts the groups of a composite group that are ready.
func treeOf(groups fwk.PodGroupManager, namespace, name string) gang {
	g := gang{name: name, wanted: 1, groups: true}
	object, err := groups.CompositePodGroups().Get(namespace, name)
	if err != nil {
		g.missing = true
		return g
	}
	if policy := object.Spec.SchedulingPolicy.Gang; policy != nil {
		g.wanted = int(policy.MinGroupCount)
	}
	state, err := groups.CompositePodGroupStates().Get(namespace, name)
	if err != nil {
		return g
	}
	for _, key := range state.GetChildren() {
		child := gang{}
		if key.Type == fwk.CompositePodGroupKeyType {
			child = treeOf(groups, namespace, key.Name)
		} else {
			child = groupOf(groups, namespace, key.Name)
		}
		if child.ready() {
			g.have++
		} else {
			g.lacking = append(g.lacking, child)
		}
	}
	slices.SortFunc(g.lacking, func(a, b gang) int { return strings.Compare(a.name, b.name) })
	return g
}

// held says what the group lacks.
func (g gang) held(namespace string) GateRejection {
	if !g.groups {
		return GateRejection{
			What:  fmt.Sprintf("PodGroup %s/%s has %d of the %s that its gang requires", namespace, g.name, g.have, grammar.Plural(g.wanted, "pod")),
			Short: fmt.Sprintf("gang %s: %d of %s", g.name, g.have, grammar.Plural(g.wanted, "pod")),
			Until: grammar.Count(g.wanted-g.have, "more pod exists", "more pods exist"),
		}
	}
	what := fmt.Sprintf("CompositePodGroup %s/%s has %d of the %s that its gang requires", namespace, g.name, g.have, grammar.Plural(g.wanted, "group"))
	if len(g.lacking) > 0 {
		what += " (" + grammar.List(g.shortfalls(), grammar.Few) + ")"
	}
	return GateRejection{
		What:  what,
		Short: fmt.Sprintf("gang %s: %d of %s", g.name, g.have, grammar.Plural(g.wanted, "group")),
		Until: grammar.Count(g.wanted-g.have, "more group is complete", "more groups are complete"),
	}
}

// shortfalls are what each group lacks that is not ready.
func (g gang) shortfalls() []string {
	var all []string
	for _, child := range g.lacking {
		switch {
		case child.missing:
			all = append(all, child.name+" does not exist")
		case child.groups:
			all = append(all, fmt.Sprintf("%s has %d of %s", child.name, child.have, grammar.Plural(child.wanted, "group")))
		default:
			all = append(all, fmt.Sprintf("%s has %d of %s", child.name, child.have, grammar.Plural(child.wanted, "pod")))
		}
	}
	return all
}
