// Package placement finds the node on which a pod would be scheduled if it were created
// now, in the real state or a simulated one.
package placement

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Unreadable is why nothing can be said about a fix or a placement.
const Unreadable = "unknown: required objects could not be read"

// Placement is where a pod would be scheduled in the present state, real or
// simulated.
type Placement struct {
	Node   string            // the first by rank; "": it would be Pending
	Tie    []string          // all of the first rank, node among them: one of them is taken at random
	Likely bool              // the scheduler looks at some of the nodes that fit only, and may take another
	Matrix *scheduler.Matrix // what the plugins said where the pod fits no node; it holds until the next trial
	Fits   []string          // where only scores are open, which decide on which node it goes: the nodes that it fits
	Open   bool              // something that could not be read decides: nothing above counts
	Why    string            // why it would be Pending, or what could not be read, in short words
	// Found is where the pod fits, for placing it in a simulated state; nil where it was found in
	// another way. It holds until the next question.
	Found *scheduler.FittingNodes
}

// Of says where the pod would be scheduled if it were created now: on no node yet,
// nominated to none, and another one than it was, unless claims of its own know
// it by its UID.
func Of(ctx context.Context, s *scheduler.Scheduler, pod *corev1.Pod) (Placement, error) {
	found, err := Find(ctx, s, pod, nil)
	if err == nil && found.Node == "" && !found.Open {
		found.Why, err = Why(ctx, s, AsNewPod(pod), nil)
	}
	return found, err
}

// Why says why the pod, which fits no node now, would be Pending, by the reasons of the closest
// node. All plugins are asked about all nodes for that: by the first one that rejects each, a node
// may seem to be closer than it is. Nodes that a plan cordons are left out, as long as there are
// others.
func Why(ctx context.Context, s *scheduler.Scheduler, pod *corev1.Pod, cordons []*corev1.Node) (string, error) {
	m, err := s.Profile(pod).EvaluateNodes(ctx, pod)
	if err != nil {
		return "", err
	}
	if m.Open() { // what could not be read does not decide: another plugin comes first
		t, err := s.FittingNodes(ctx, pod, nil)
		if err != nil {
			return "", err
		}
		m = t.Matrix
	}
	return closestOther(pod, m, cordons), nil
}

// Find is Of without why the pod would be Pending, which costs more to
// find than that it would. Only the named nodes are asked about; nil: all.
func Find(ctx context.Context, s *scheduler.Scheduler, pod *corev1.Pod, only []string) (Placement, error) {
	pod = AsNewPod(pod)
	p := s.Profile(pod)
	t, err := s.FittingNodes(ctx, pod, only)
	switch {
	case err != nil:
		return Placement{Open: true}, err
	case t.Open:
		return Placement{Open: true, Why: WhyUnread(t.Matrix.Unknown())}, nil
	case len(t.Nodes) == 0:
		return Placement{Matrix: t.Matrix}, nil
	}
	r, err := p.Prioritize(ctx, t.State, pod, t.Nodes)
	if err != nil {
		return Placement{Open: true}, err
	}
	if len(r.Unread) > 0 {
		return Placement{Open: true, Why: WhyUnread(r.Unread), Fits: t.Names, Found: t}, nil
	}
	found := Placement{Node: r.Nodes[0].Node, Found: t, Likely: p.Sample(t.Matrix.Included()) < len(t.Nodes)}
	if len(t.Nodes) > 1 && !s.Serves(scheduler.NameOf(pod)) {
		found.Likely = true // its scheduler ranks nodes by rules that are not known
	}
	for _, node := range r.Nodes {
		if node.Tied {
			found.Tie = append(found.Tie, node.Node)
		}
	}
	return found, nil
}

// AsNewPod is the pod as its replacement would be created.
func AsNewPod(pod *corev1.Pod) *corev1.Pod {
	copied := *pod
	copied.Spec.NodeName, copied.Status.NominatedNodeName = "", ""
	if !HasOwnClaims(pod) {
		copied.UID = ""
	}
	return &copied
}

// Closest says why the pod fits no node, by the reasons of the closest one.
func Closest(pod *corev1.Pod, m *scheduler.Matrix) string { return closestOther(pod, m, nil) }

// closestOther is Closest without the nodes that a plan cordons, as long as there are
// others.
func closestOther(pod *corev1.Pod, m *scheduler.Matrix, cordons []*corev1.Node) string {
	if len(m.Nodes) == 0 {
		return "no nodes"
	}
	q := m.Profile.Question(pod)
	all := rejectiongroups.Of(q, m)
	group := all[0]
	if i := slices.IndexFunc(all, func(g *rejectiongroups.Group) bool { return countOf(g, m, cordons) < len(g.Nodes) }); i >= 0 {
		group = all[i]
	}
	told, _ := group.Tell(q, m, false)
	if own := countOf(group, m, cordons); own < told.Count {
		told.Count -= own
	}
	if len(told.Rejections) > 0 && told.Rejections[0].Plugin == names.NodeResourcesFit {
		if lacks := plugins.ShortageTableOf(q).ByName(told.Nodes[0]); len(lacks) > 0 {
			told.Rejections = slices.Clone(told.Rejections)
			told.Rejections[0].Short = plugins.ShortOf(lacks, 1)
		}
		return told.Nodes[0] + " " + strings.Join(told.ClauseList(), "; ") // "needs cpu 2 more" has the node as its subject
	}
	if len(told.Rejections) == 1 && told.Rejections[0].Plugin == names.TaintToleration {
		if words := differentTaints(q, m, all, cordons); words != "" {
			return words
		}
	}
	clauses := strings.Join(told.ClauseList(), "; ")
	if clauses == report.CordonWord {
		return fmt.Sprintf("%s %s cordoned", grammar.Plural(told.Count, "node"), grammar.Agree(told.Count, "is", "are"))
	}
	if told.Count == 1 && len(told.Nodes) == 1 {
		return told.Nodes[0] + ": " + clauses
	}
	return clauses
}

// differentTaints name the taints of several groups of nodes, those of the most nodes first; "" where all have the same.
func differentTaints(q *plugins.Question, m *scheduler.Matrix, all []*rejectiongroups.Group, cordons []*corev1.Node) string {
	type tainted struct {
		words string
		nodes int
	}
	var found []tainted
	nodes, withTaints := 0, 0
	for _, group := range all {
		own := len(group.Nodes) - countOf(group, m, cordons)
		told, _ := group.Tell(q, m, false)
		nodes += own
		at := slices.IndexFunc(told.Rejections, func(r report.Rejection) bool { return r.Plugin == names.TaintToleration })
		if at < 0 || own == 0 {
			continue
		}
		withTaints += own
		words := told.Rejections[at].Short
		if same := slices.IndexFunc(found, func(t tainted) bool { return t.words == words }); same >= 0 {
			found[same].nodes += own
			continue
		}
		found = append(found, tainted{words, own})
	}
	if len(found) < 2 {
		return ""
	}
	slices.SortStableFunc(found, func(a, b tainted) int { return b.nodes - a.nodes })
	list := make([]string, len(found))
	for i, t := range found {
		list[i] = fmt.Sprintf("%s (%d)", t.words, t.nodes)
	}
	share := fmt.Sprintf("all %d", nodes)
	if withTaints < nodes {
		share = fmt.Sprintf("%d of %d", withTaints, nodes)
	}
	return fmt.Sprintf("taints on %s nodes: %s", share, grammar.List(list, grammar.Few))
}

// countOf is how many nodes of a group are among those.
func countOf(g *rejectiongroups.Group, m *scheduler.Matrix, those []*corev1.Node) (n int) {
	for _, i := range g.Nodes {
		name := m.Nodes[i].Node().Name
		if slices.ContainsFunc(those, func(node *corev1.Node) bool { return node.Name == name }) {
			n++
		}
	}
	return n
}

// WhyUnread say why something could not be decided, the first of the reasons.
func WhyUnread(parts []report.UnknownPart) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[0].Why
}

// Words says where the pod is rescheduled.
func (l Placement) Words() string {
	switch {
	case l.Likely:
		return "rescheduled on " + l.Node + " (likely)"
	case len(l.Tie) > grammar.Few:
		return fmt.Sprintf("rescheduled on %s or one of %d others", l.Node, len(l.Tie)-1)
	case len(l.Tie) > 1:
		return "rescheduled on " + strings.Join(l.Tie, " or ")
	}
	return "rescheduled on " + l.Node
}

// ControllerKind is the kind of the pod's controller; "" without one.
func ControllerKind(pod *corev1.Pod) string {
	for _, owner := range pod.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			return owner.Kind
		}
	}
	return ""
}

// HasOwnClaims says whether claims are made for the pod by its name: those of
// ephemeral volumes, of claim templates, and for extended resources.
func HasOwnClaims(pod *corev1.Pod) bool {
	ofItsOwn := func(v corev1.Volume) bool { return v.Ephemeral != nil }
	return HasDevices(pod) || slices.ContainsFunc(pod.Spec.Volumes, ofItsOwn)
}

// Matters says whether where one such pod is decides where the next may go.
func Matters(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	return len(pod.Spec.TopologySpreadConstraints) > 0 || len(pod.Spec.Volumes) > 0 || len(pod.Spec.ResourceClaims) > 0 ||
		affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil)
}

// OrdinalIn is the place of a set's pod, from 0, by its name.
func OrdinalIn(set *appsv1.StatefulSet, pod string) int {
	ordinal, err := strconv.Atoi(pod[strings.LastIndexByte(pod, '-')+1:])
	if err != nil {
		return 0
	}
	if set.Spec.Ordinals != nil {
		ordinal -= int(set.Spec.Ordinals.Start)
	}
	return ordinal
}

// NameIn is the name of a set's pod by its place, from 0.
func NameIn(set *appsv1.StatefulSet, ordinal int) string {
	if set.Spec.Ordinals != nil {
		ordinal += int(set.Spec.Ordinals.Start)
	}
	return fmt.Sprintf("%s-%d", set.Name, ordinal)
}
