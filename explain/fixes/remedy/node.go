package remedy

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

func (Untaint) kind() report.FixKind   { return report.FixUntaint }
func (Uncordon) kind() report.FixKind  { return report.FixUncordon }
func (LabelNode) kind() report.FixKind { return report.FixLabel }
func (AddNode) kind() report.FixKind   { return report.FixNode }
func (Evict) kind() report.FixKind     { return report.FixEvict }

func (r Uncordon) harm() int { return 5 * len(r.Nodes) }
func (Evict) harm() int      { return 12 }
func (Untaint) harm() int    { return 55 }
func (AddNode) harm() int    { return 99 }

func (r LabelNode) harm() int {
	switch {
	case r.Misspelt != "": // before others loosen the pod's rule
		return 5
	case r.Mistaken: // rather than the pod's rule
		return 44
	}
	return 50 + min(len(r.Nodes)-1, 4)
}

// title leaves the effect out, as the list of taints is long enough with the key.
func (r Untaint) title() string {
	taint := r.Taint.Key
	if r.Taint.Value != "" {
		taint += "=" + r.Taint.Value
	}
	if len(r.Nodes) == 1 {
		return fmt.Sprintf("remove taint %s from %s", taint, r.Nodes[0])
	}
	return fmt.Sprintf("remove taint %s from %s", taint, grammar.Plural(len(r.Nodes), "node"))
}

func (r Uncordon) title() string { return "uncordon " + namedNodes(r.Nodes, r.Pool) }

func (r LabelNode) title() string {
	title := fmt.Sprintf("label %s %s=%s", namedNodes(r.Nodes, r.Pool), r.Key, r.Value)
	if r.Misspelt != "" {
		title += " instead of " + r.Misspelt
	}
	return title
}

// namedNodes are the names of nodes, or how many of a pool there are.
func namedNodes(nodes []string, pool string) string {
	if pool != "" {
		return grammar.Plural(len(nodes), "node") + " of pool " + pool
	}
	return strings.Join(nodes, " and ")
}

func (r Evict) title() string {
	return fmt.Sprintf("evict %s from %s", plugins.ListPods(r.Pods, grammar.Few), r.Pods[0].Spec.NodeName)
}

func (r AddNode) title() string {
	var where []string
	if r.Pool != "" {
		where = append(where, "pool "+r.Pool)
	}
	switch {
	case r.Moved && r.First:
		where = append(where, "in "+r.Zone+", which has none")
	case r.Moved:
		where = append(where, "in "+r.Zone)
	case r.Zone != "":
		where = append(where, r.Zone)
	}
	if len(where) == 0 {
		return "add a node like " + r.New.Like
	}
	return fmt.Sprintf("add a node like %s (%s)", r.New.Like, strings.Join(where, ", "))
}

func (r Untaint) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, changeNodes(s, r.Nodes, func(n *corev1.Node) {
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&r.Taint) })
	})
}

// changeNodes makes the same change to nodes.
func changeNodes(s *scheduler.Fork, nodes []string, change func(*corev1.Node)) error {
	for _, name := range nodes {
		if err := s.ChangeNode(name, change); err != nil {
			return err
		}
	}
	return nil
}

// apply takes the cordon's own taint with it, as the node lifecycle controller does.
func (r Uncordon) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, changeNodes(s, r.Nodes, func(n *corev1.Node) {
		n.Spec.Unschedulable = false
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
	})
}

func (r LabelNode) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, changeNodes(s, r.Nodes, func(n *corev1.Node) {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[r.Key] = r.Value
	})
}

func (r AddNode) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, s.AddNode(r.New)
}

func (r Evict) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	for _, victim := range r.Pods {
		if err := s.RemovePod(victim); err != nil {
			return nil, err
		}
	}
	return pod, nil
}
