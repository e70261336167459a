package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// throws says whether NoExecute taints end a pod with these tolerations, and how
// long it may stay until then. It follows the taint eviction controller: all
// taints count together, each by the first toleration that matches it, and the
// least of their tolerationSeconds holds.
func throws(taints []corev1.Taint, tolerations []corev1.Toleration) (after time.Duration, goes bool) {
	least := int64(-1)
	for i := range taints {
		at := slices.IndexFunc(tolerations, func(t corev1.Toleration) bool { return t.ToleratesTaint(logr.Discard(), &taints[i], false) })
		if at < 0 {
			return 0, true
		}
		if seconds := tolerations[at].TolerationSeconds; seconds != nil && (least < 0 || *seconds < least) {
			least = max(*seconds, 0)
		}
	}
	return time.Duration(least) * time.Second, least >= 0
}

// thrown counts what becomes of the pods of tainted nodes.
type thrown struct {
	pods, tolerate, anyway, saved, static int
	taints                                int // NoExecute taints that are new, of the node with most
	ends                                  []End
}

// on adds a node whose NoExecute taints become others.
func (t *thrown) on(node *model.Node, was, then []corev1.Taint) {
	t.taints = max(t.taints, countOthers(then, was))
	for _, pod := range node.Pods {
		t.pods++
		tolerations := pod.Object.Spec.Tolerations
		before, went := throws(was, tolerations)
		after, goes := throws(then, tolerations)
		switch {
		case went && !goes:
			t.saved++
		case !goes:
			t.tolerate++
		case went && before <= after:
			t.anyway++
		case isMirror(pod.Object):
			t.static++
		default:
			end := endOf(pod, Thrown)
			end.After = after
			if after == 0 && ofDaemonSet(pod.Object) {
				end.Fate.Outcome = NotMade
			}
			t.ends = append(t.ends, end)
		}
	}
}

// words are the sentence: "Of 31 pods 9 end at once, 3 after 300s; 19 tolerate it."
func (t *thrown) words() string {
	them := grammar.Agree(t.taints, "it", "them")
	switch {
	case t.pods == 0:
		return "No pod is there."
	case t.tolerate == t.pods && t.pods == 1:
		return "The 1 pod there tolerates " + them + "."
	case t.tolerate == t.pods:
		return fmt.Sprintf("All %s tolerate %s.", CountPods(t.pods), them)
	}
	tolerate := t.tolerate
	if t.taints == 0 {
		tolerate = 0 // none that is new: nothing is new for them
	}
	var end, rest []string
	for _, group := range t.times() {
		verb := ""
		if len(end) == 0 {
			verb = grammar.Agree(group.pods, " ends", " end")
		}
		end = append(end, fmt.Sprintf("%d%s %s", group.pods, verb, group.when))
	}
	for _, part := range []struct {
		pods      int
		one, many string
	}{
		{tolerate, "tolerates " + them, "tolerate " + them},
		{t.anyway, "ends anyway", "end anyway"},
		{t.saved, "that was to end stays", "that were to end stay"},
		{t.static, "static pod is made again", "static pods are made again"},
	} {
		if part.pods > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", part.pods, grammar.Agree(part.pods, part.one, part.many)))
		}
	}
	parts := slices.DeleteFunc([]string{strings.Join(end, ", "), strings.Join(rest, ", ")}, func(s string) bool { return s == "" })
	return fmt.Sprintf("Of %s %s.", CountPods(t.pods), strings.Join(parts, "; "))
}

// moment is how many pods end when.
type moment struct {
	pods int
	when string
}

// times count the pods by when they end, the soonest first; of many times the
// later ones are one.
func (t *thrown) times() []moment {
	after := make([]time.Duration, 0, len(t.ends))
	for i := range t.ends {
		if !t.ends[i].Terminating {
			after = append(after, t.ends[i].After)
		}
	}
	slices.Sort(after)
	var moments []moment
	for len(after) > 0 {
		n := len(after)
		if len(moments) < few-1 || after[0] == after[n-1] {
			n, _ = slices.BinarySearchFunc(after, after[0]+1, cmp.Compare)
		}
		switch first, last := after[0], after[n-1]; first {
		case 0:
			moments = append(moments, moment{n, "at once"})
		case last:
			moments = append(moments, moment{n, "after " + seconds(first)})
		default:
			moments = append(moments, moment{n, fmt.Sprintf("after %s to %s", seconds(first), seconds(last))})
		}
		after = after[n:]
	}
	return moments
}

// noExecute are the taints that end pods.
func noExecute(taints []any) []corev1.Taint { return withEffect(taints, corev1.TaintEffectNoExecute) }

func withEffect(taints []any, effect corev1.TaintEffect) []corev1.Taint {
	var found []corev1.Taint
	for _, item := range taints {
		if taint := taintOf(item); taint.Effect == effect {
			found = append(found, taint)
		}
	}
	return found
}

// countOthers counts the taints of some that are not among others.
func countOthers(some, others []corev1.Taint) int {
	n := 0
	for _, taint := range some {
		if !slices.Contains(others, taint) {
			n++
		}
	}
	return n
}
