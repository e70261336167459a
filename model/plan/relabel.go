package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// RelabeledNodes implements Relabels.
func (l Label) RelabeledNodes() []string { return nodesOf(l.Refs) }

// RelabeledNodes implements Relabels.
func (r Restore) RelabeledNodes() []string {
	var refs []model.Ref
	for _, made := range r.Changes {
		if len(labelsOf(made.Edits)) > 0 {
			refs = append(refs, made.Target)
		}
	}
	return nodesOf(refs)
}

func nodesOf(refs []model.Ref) []string {
	var nodes []string
	for _, ref := range refs {
		if ref.Resource == "nodes" {
			nodes = append(nodes, ref.Name)
		}
	}
	return nodes
}

// relabel says what the node labels that change mean for the pods there: which ones their
// DaemonSets delete, which keep running, but could not be scheduled there again, and which
// DaemonSets create pods there. deleted is how many pods are deleted.
func relabel(p *Plan) (sentences []string, deleted int) {
	r := relabeling{changed: map[string]bool{}, keys: map[string]bool{}, creators: map[string]bool{}, daemonSets: p.daemonSets, unlisted: p.daemonSetsUnlisted, unread: p.Unread != ""}
	for _, change := range p.Changes {
		r.add(change, p.on)
		p.blind = p.blind || r.unread && change.Target.Resource == "nodes" && len(labelsOf(change.Edits)) > 0
	}
	return r.sentences(), len(r.deleted)
}

// relabeling is what new labels of nodes mean for the pods there.
type relabeling struct {
	nodes, pods          int             // whose labels change, and the pods that stay there
	deleted              []string        // pods that their DaemonSets delete
	unknown              int             // pods of DaemonSets that could not be read
	created              int             // pods that DaemonSets create
	creators             map[string]bool // these DaemonSets
	unschedulable, moved []string        // pods that could not be scheduled there again, and that are in another domain
	changed, keys        map[string]bool // keys that change, and those that rules of moved pods use

	daemonSets map[types.UID]*appsv1.DaemonSet // as in Facts
	unlisted   bool                            // there may be more DaemonSets
	unread     bool                            // some pods of the nodes could not be read
}

// add takes in the change of one node.
func (r *relabeling) add(change Change, on *model.Snapshot) {
	node, ok := on.Node(change.Target.Name)
	if change.Target.Resource != "nodes" || !ok || node.Object == nil {
		return
	}
	labels := labelsOf(change.Edits)
	then := edited(node.Object, labels)
	if len(labels) == 0 || then == nil {
		return
	}
	r.nodes++
	for _, edit := range labels {
		r.changed[edit.Path[2]] = true
	}
	r.addCreators(node.Object, then)
	for _, pod := range node.Pods {
		name := model.Clean(pod.FullName())
		switch key := spreadBy(pod.Object, labels); {
		case model.OfDaemonSet(pod.Object):
			r.addDaemonPod(pod, node.Object, then)
			continue
		case placed(pod.Object, node.Object) && !placed(pod.Object, then):
			r.unschedulable = append(r.unschedulable, name)
		case key != "":
			r.keys[key] = true
			r.moved = append(r.moved, name)
		}
		r.pods++
	}
}

// addDaemonPod takes in a pod of a DaemonSet, which deletes it where the node selector or the
// node affinity of its template do not match (NodeShouldRunDaemonPod of
// k8s.io/kubernetes/pkg/controller/daemon). The pod itself has the node selector only.
func (r *relabeling) addDaemonPod(pod *model.Pod, now, then *corev1.Node) {
	if pod.Finished() || pod.Object.DeletionTimestamp != nil {
		return
	}
	of := pod.Object
	set := r.daemonSets[metav1.GetControllerOfNoCopy(of).UID]
	if set != nil {
		of = &corev1.Pod{Spec: set.Spec.Template.Spec}
	}
	switch {
	case placed(of, now) && !placed(of, then):
		r.deleted = append(r.deleted, model.Clean(pod.FullName()))
	case set == nil:
		r.unknown++
	default:
		r.pods++
	}
}

// addCreators takes in the DaemonSets that are for the node then and are not now, and whose pods
// tolerate its taints; those by which a controller says what state it is in they tolerate, or
// will see removed.
func (r *relabeling) addCreators(now, then *corev1.Node) {
	for _, set := range r.daemonSets {
		of := &corev1.Pod{Spec: set.Spec.Template.Spec}
		keepsOff := func(taint corev1.Taint) bool {
			return taint.Effect != corev1.TaintEffectPreferNoSchedule && !model.IsStateTaint(taint.Key) && !model.Tolerates(of.Spec.Tolerations, &taint)
		}
		if set.DeletionTimestamp != nil || placed(of, now) || !placed(of, then) || slices.ContainsFunc(then.Spec.Taints, keepsOff) {
			continue
		}
		r.created++
		r.creators[model.Clean(set.Namespace+"/"+set.Name)] = true
	}
}

// createdWords say which DaemonSets create pods, or that this is not known; nil where none do.
func (r *relabeling) createdWords() []string {
	var words []string
	if n := r.created; n > 0 {
		words = append(words, fmt.Sprintf("%s %s created by %s, whose node selector or node affinity then matches: %s.",
			CountPods(n), grammar.Agree(n, "is", "are"), grammar.Agree(len(r.creators), "a DaemonSet", "DaemonSets"), namesOf(slices.Sorted(maps.Keys(r.creators)))))
	}
	switch {
	case r.unlisted && r.nodes > 0 && r.created > 0:
		words = append(words, "Whether other DaemonSets create pods there is not known: they could not be listed.")
	case r.unlisted && r.nodes > 0:
		words = append(words, "Whether DaemonSets create pods there is not known: they could not be listed.")
	}
	return words
}

func (r *relabeling) sentences() []string {
	var all []string
	if n := len(r.deleted); n > 0 {
		all = append(all, fmt.Sprintf("%s %s deleted by %s, whose node selector or node affinity then no longer matches: %s.",
			CountPods(n), grammar.Agree(n, "is", "are"), grammar.Agree(n, "its DaemonSet", "their DaemonSets"), namesOf(r.deleted)))
	}
	if n := r.unknown; n > 0 {
		all = append(all, r.unknownWords(n))
	}
	if n := len(r.unschedulable); n > 0 {
		all = append(all, fmt.Sprintf("%s %s running, but could not be scheduled there again (nodeSelector or node affinity on %s): %s.",
			CountPods(n), grammar.Agree(n, "keeps", "keep"), joinKeys(r.changed), namesOf(r.unschedulable)))
	}
	if n := len(r.moved); n > 0 {
		all = append(all, fmt.Sprintf("%s %s running, but in another topology domain (spread constraints or pod affinity on %s): %s.",
			CountPods(n), grammar.Agree(n, "keeps", "keep"), joinKeys(r.keys), namesOf(r.moved)))
	}
	switch {
	case r.unread && r.pods == 0:
	case r.nodes > 0 && len(all) == 0 && r.unread:
		all = append(all, fmt.Sprintf("Of %s pods, at least %d %s running; node selectors, required affinity and spread constraints of these are not affected.",
			grammar.Agree(r.nodes, "its", "their"), r.pods, grammar.Agree(r.pods, "keeps", "keep")))
	case r.nodes > 0 && len(all) == 0:
		all = append(all, unaffected(r.nodes, r.pods))
	case r.pods > 0 && len(r.unschedulable)+len(r.moved) == 0:
		all = append(all, fmt.Sprintf("%s %s running.", grammar.Capital(otherPods(r.pods)), grammar.Agree(r.pods, "keeps", "keep")))
	}
	return append(all, r.createdWords()...)
}

// unknownWords are for pods of DaemonSets of which it is not known whether they stay.
func (r *relabeling) unknownWords(pods int) string {
	whose := grammar.Agree(pods, "Whether its DaemonSet deletes 1 pod", fmt.Sprintf("Whether their DaemonSets delete %s", CountPods(pods)))
	if r.daemonSets == nil {
		return whose + " is checked before you confirm."
	}
	return whose + " is not known: DaemonSets could not be read."
}

func otherPods(n int) string {
	return fmt.Sprintf("%d other %s", n, grammar.Agree(n, "pod", "pods"))
}

// unaffected says that new labels of some nodes change nothing for their pods.
func unaffected(nodes, pods int) string {
	if pods == 0 {
		return noPods + "."
	}
	return fmt.Sprintf("%s; %s node selectors, required affinity and spread constraints are not affected.",
		stayThere(nodes, pods, ""), grammar.Agree(pods, "its", "their"))
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
