package explain

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// placement is where a pod would go in the present state, real or supposed.
type placement struct {
	node   string   // the first by rank; "": it would be Pending
	tie    []string // all of the first rank, node among them: one of them is taken at random
	likely bool     // the scheduler looks at some of the nodes that fit only, and may take another
	open   bool     // something that could not be read decides: nothing above counts
	why    string   // why it would be Pending, or what could not be read, in short words
}

// landing says where the pod would go if it were created now: on no node yet,
// nominated to none, and another one than it was, unless claims of its own know
// it by its UID.
func (e *Engine) landing(ctx context.Context, pod *corev1.Pod) (placement, error) {
	found, err := e.lands(ctx, pod)
	if err == nil && found.node == "" && !found.open {
		found.why = e.nearestOf(pod)
	}
	return found, err
}

// lands is landing without why the pod would be Pending, which costs more to
// find than that it would.
func (e *Engine) lands(ctx context.Context, pod *corev1.Pod) (placement, error) {
	pod = asNewPod(pod)
	defer e.asFor(pod)()
	t, err := e.try(ctx, pod, nil)
	switch {
	case err != nil || t.open:
		return placement{open: true, why: unreadWords(e.unknown(&e.trials))}, err
	case len(t.feasible) == 0:
		return placement{}, nil
	}
	r, err := e.prioritize(ctx, t.state, pod, t.feasible)
	if err != nil || len(r.unread) > 0 {
		return placement{open: true, why: unreadWords(r.unread)}, err
	}
	found := placement{node: r.nodes[0].node, likely: e.sample(e.trials.named()) < len(t.feasible)}
	for _, node := range r.nodes {
		if node.tied {
			found.tie = append(found.tie, node.node)
		}
	}
	return found, nil
}

// asNewPod is the pod as its like would be that is created in its place.
func asNewPod(pod *corev1.Pod) *corev1.Pod {
	copied := *pod
	copied.Spec.NodeName, copied.Status.NominatedNodeName = "", ""
	if !hasOwnClaims(pod) {
		copied.UID = ""
	}
	return &copied
}

// nearest tells why the pod fits no node, by what the nearest one lacks.
func (e *Engine) nearest(pod *corev1.Pod, m *matrix) string {
	if len(m.nodes) == 0 {
		return "no nodes"
	}
	q := e.question(pod)
	told, _ := e.group(q.Question, m)[0].tell(e, q.Question, m, false)
	return strings.Join(told.ClauseList(), "; ")
}

// unreadWords say why something could not be decided, the first of the reasons.
func unreadWords(parts []report.UnknownPart) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[0].Why
}
