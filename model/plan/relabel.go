package plan

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// relabel says which running pods' rules use the node labels that change: the pods
// keep running, but could not be scheduled there again.
func relabel(changes []Change, on *model.Snapshot) []string {
	r := relabeling{changed: map[string]bool{}, keys: map[string]bool{}}
	for _, change := range changes {
		r.add(change, on)
	}
	return r.sentences()
}

// relabeling is what new labels of nodes mean for the pods there.
type relabeling struct {
	nodes, pods          int             // whose labels change, and the pods there
	unschedulable, moved []string        // pods that could not be scheduled there again, and that are in another domain
	changed, keys        map[string]bool // keys that change, and those that rules of moved pods use
}

// add takes in the change of one node.
func (r *relabeling) add(change Change, on *model.Snapshot) {
	node, ok := on.Node(change.Target.Name)
	if change.Target.Resource != "nodes" || !ok || node.Object == nil {
		return
	}
	labels := slices.DeleteFunc(slices.Clone(change.Edits), func(e Edit) bool { return !isLabel(e.Path) })
	then := edited(node.Object, labels)
	if len(labels) == 0 || then == nil {
		return
	}
	r.nodes, r.pods = r.nodes+1, r.pods+len(node.Pods)
	for _, edit := range labels {
		r.changed[edit.Path[2]] = true
	}
	for _, pod := range node.Pods {
		switch key := spreadBy(pod.Object, labels); {
		case placed(pod.Object, node.Object) && !placed(pod.Object, then):
			r.unschedulable = append(r.unschedulable, model.Clean(pod.FullName()))
		case key != "":
			r.keys[key] = true
			r.moved = append(r.moved, model.Clean(pod.FullName()))
		}
	}
}

func (r *relabeling) sentences() []string {
	var all []string
	if n := len(r.unschedulable); n > 0 {
		all = append(all, fmt.Sprintf("%s %s running, but could not be scheduled there again (nodeSelector or node affinity on %s): %s.",
			CountPods(n), grammar.Agree(n, "keeps", "keep"), joinKeys(r.changed), namesOf(r.unschedulable)))
	}
	if n := len(r.moved); n > 0 {
		all = append(all, fmt.Sprintf("%s %s running, but in another topology domain (spread constraints or pod affinity on %s): %s.",
			CountPods(n), grammar.Agree(n, "keeps", "keep"), joinKeys(r.keys), namesOf(r.moved)))
	}
	if r.nodes > 0 && len(all) == 0 {
		all = append(all, unaffected(r.nodes, r.pods))
	}
	return all
}

// unaffected says that new labels of some nodes change nothing for their pods.
func unaffected(nodes, pods int) string {
	if pods == 0 {
		return noPods + "."
	}
	return fmt.Sprintf("%s; %s node selectors, required affinity and spread constraints are not affected.",
		stayThere(nodes, pods), grammar.Agree(pods, "its", "their"))
}

func isLabel(path []string) bool {
	return len(path) == 3 && path[0] == "metadata" && path[1] == "labels"
}

// placed says whether the pod's nodeSelector and required node affinity match the
// node, by the scheduler's own matching.
func placed(pod *corev1.Pod, node *corev1.Node) bool {
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return err == nil && matches
}

// spreadBy is the key among the labels that the pod's spread constraints or
// inter-pod affinity use; "" without one.
func spreadBy(pod *corev1.Pod, labels []Edit) string {
	for _, key := range topologyKeys(pod) {
		if slices.ContainsFunc(labels, func(e Edit) bool { return e.Path[2] == key }) {
			return key
		}
	}
	return ""
}

// topologyKeys are the keys of the pod's spread constraints and required terms of
// inter-pod affinity.
func topologyKeys(pod *corev1.Pod) []string {
	var keys []string
	for i := range pod.Spec.TopologySpreadConstraints {
		keys = append(keys, pod.Spec.TopologySpreadConstraints[i].TopologyKey)
	}
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return keys
	}
	var terms []corev1.PodAffinityTerm
	if affinity.PodAffinity != nil {
		terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	if affinity.PodAntiAffinity != nil {
		terms = append(terms, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	for i := range terms {
		keys = append(keys, terms[i].TopologyKey)
	}
	return keys
}

func joinKeys(keys map[string]bool) string {
	var names []string
	for key := range keys {
		names = append(names, model.Clean(key))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
