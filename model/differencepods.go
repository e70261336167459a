package model

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// podChange tells what became of a pod; was is nil where it came since. What says
// nothing about where pods may go, as a restart, is no change.
func podChange(was, is *Pod) (c PodChange, differs bool) {
	node := is.Object.Spec.NodeName
	ended := hasEnded(is)
	switch {
	case was == nil && ended:
		return PodChange{PodEnded, is, "came since, " + string(is.Object.Status.Phase)}, true
	case was == nil && node == "":
		return PodChange{PodCame, is, "wants " + is.wants()}, true
	case was == nil:
		return PodChange{PodPlaced, is, node + ", holds " + is.wants() + "; came since"}, true
	case ended && !hasEnded(was):
		return PodChange{PodEnded, is, string(is.Object.Status.Phase) + onNodeWords(node) + ", gives back " + was.wants()}, true
	case was.Object.Spec.NodeName == "" && node != "":
		return PodChange{PodPlaced, is, node + ", holds " + is.wants() + "; waited before"}, true
	}
	words := stayingWords(was, is)
	return PodChange{PodChanged, is, strings.Join(words, "; ")}, len(words) > 0
}

// hasEnded says that a pod holds nothing on its node any more.
func hasEnded(p *Pod) bool {
	return p.Object.Status.Phase == corev1.PodSucceeded || p.Object.Status.Phase == corev1.PodFailed
}

// stayingWords are the changes of a pod that stays where it is.
func stayingWords(was, is *Pod) (words []string) {
	if was.Object.DeletionTimestamp == nil && is.Object.DeletionTimestamp != nil {
		words = append(words, "is being deleted"+onNodeWords(is.Object.Spec.NodeName))
	}
	if was.Waits && !is.Waits && !hasEnded(is) {
		words = append(words, "started"+onNodeWords(is.Object.Spec.NodeName))
	}
	if !was.Waits && is.Waits {
		words = append(words, "is not started any more")
	}
	switch before, now := was.Object.Status.NominatedNodeName, is.Object.Status.NominatedNodeName; {
	case before == now || is.Object.Spec.NodeName != "":
	case now == "":
		words = append(words, "is nominated to "+before+" no more")
	default:
		words = append(words, "is nominated to "+now)
	}
	if n := len(was.Object.Spec.SchedulingGates) - len(is.Object.Spec.SchedulingGates); n > 0 {
		words = append(words, grammar.Agree(n, "a gate was removed", fmt.Sprintf("%d gates were removed", n)))
	}
	if before, now := was.wants(), is.wants(); before != now {
		words = append(words, "wants "+now+", before "+before)
	}
	return words
}

// goneWords tell what a pod that is no more gives back.
func goneWords(was *Pod) string {
	switch {
	case was.Object.Spec.NodeName == "":
		return "waited, wanted " + was.wants()
	case hasEnded(was):
		return "had ended" + onNodeWords(was.Object.Spec.NodeName)
	}
	return "was" + onNodeWords(was.Object.Spec.NodeName) + ", gives back " + was.wants()
}

func onNodeWords(node string) string {
	if node == "" {
		return ""
	}
	return " on " + node
}

// wants are the cpu, the memory and the extended resources that a pod requests.
func (p *Pod) wants() string { return cmp.Or(p.Requests.String(), "nothing") }

// missingWords tell how many pods of a controller could not be created; before is
// nil where none was missing.
func missingWords(refused *Refused, before *Kind) string {
	words := fmt.Sprintf("%d of %d could not be created", refused.Missing, refused.Wanted)
	if before != nil {
		words += fmt.Sprintf(", before %d", before.Refused.Missing)
	}
	return words
}
