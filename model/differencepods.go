package model

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// podChange is the change of a pod; was is nil where it is new. What does not affect
// scheduling, such as a restart, is no change.
func podChange(was, is *Pod) (c PodChange, differs bool) {
	node := is.Object.Spec.NodeName
	ended := hasEnded(is)
	switch {
	case was == nil && ended:
		return PodChange{PodEnded, is, "new, " + string(is.Object.Status.Phase)}, true
	case was == nil && node == "":
		return PodChange{PodCame, is, "requests " + is.wants()}, true
	case was == nil:
		return PodChange{PodPlaced, is, node + ", requests " + is.wants() + "; new"}, true
	case ended && !hasEnded(was):
		return PodChange{PodEnded, is, string(is.Object.Status.Phase) + onNodeWords(node) + ", frees " + was.wants()}, true
	case was.Object.Spec.NodeName == "" && node != "":
		return PodChange{PodPlaced, is, node + ", requests " + is.wants() + "; was pending"}, true
	}
	words := stayingWords(was, is)
	return PodChange{PodChanged, is, strings.Join(words, "; ")}, len(words) > 0
}

// hasEnded reports whether a pod no longer takes capacity of its node.
func hasEnded(p *Pod) bool {
	return p.Object.Status.Phase == corev1.PodSucceeded || p.Object.Status.Phase == corev1.PodFailed
}

// stayingWords are the changes of a pod that stays on its node, or pending.
func stayingWords(was, is *Pod) (words []string) {
	if was.Object.DeletionTimestamp == nil && is.Object.DeletionTimestamp != nil {
		words = append(words, "is being deleted"+onNodeWords(is.Object.Spec.NodeName))
	}
	if was.Waits && !is.Waits && !hasEnded(is) {
		words = append(words, "started"+onNodeWords(is.Object.Spec.NodeName))
	}
	if !was.Waits && is.Waits {
		words = append(words, "is no longer started")
	}
	switch before, now := was.Object.Status.NominatedNodeName, is.Object.Status.NominatedNodeName; {
	case before == now || is.Object.Spec.NodeName != "":
	case now == "":
		words = append(words, "is no longer nominated to "+before)
	default:
		words = append(words, "nominated to "+now)
	}
	if n := len(was.Object.Spec.SchedulingGates) - len(is.Object.Spec.SchedulingGates); n > 0 {
		words = append(words, grammar.Agree(n, "a gate was removed", fmt.Sprintf("%d gates were removed", n)))
	}
	if before, now := was.wants(), is.wants(); before != now {
		words = append(words, "requests "+now+", was "+before)
	}
	return words
}

// goneWords say where a deleted pod was, and what it frees.
func goneWords(was *Pod) string {
	switch {
	case was.Object.Spec.NodeName == "":
		return "was pending, requested " + was.wants()
	case hasEnded(was):
		return "was finished" + onNodeWords(was.Object.Spec.NodeName)
	}
	return "was" + onNodeWords(was.Object.Spec.NodeName) + ", frees " + was.wants()
}

func onNodeWords(node string) string {
	if node == "" {
		return ""
	}
	return " on " + node
}

// wants are the cpu, the memory and the extended resources that a pod requests.
func (p *Pod) wants() string { return cmp.Or(p.Requests.String(), "nothing") }

// missingWords say how many pods of a controller are not created; before is nil where
// none was missing.
func missingWords(refused *NotCreated, before *EquivalenceClass) string {
	words := fmt.Sprintf("%d of %d not created", refused.Missing, refused.Wanted)
	if before != nil {
		words += fmt.Sprintf(", were %d", before.NotCreated.Missing)
	}
	return words
}
