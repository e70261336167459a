package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// taintEviction counts what happens to the pods of tainted nodes.
type taintEviction struct {
	pods, tolerate, anyway, saved, static int
	taints                                int // NoExecute taints that are new, of the node with most
	ends                                  []End
	unread                                bool                    // some pods of the nodes could not be read
	over                                  map[string][]*model.Pod // finished pods, by node; nil: not asked for yet
}

// blind says whether pods that could not be read may be evicted.
func (t *taintEviction) blind() bool { return t.unread && t.taints > 0 }

// running says whether any of the pods that are evicted has not finished.
func (t *taintEviction) running() bool {
	return slices.ContainsFunc(t.ends, func(e End) bool { return e.Fate.Outcome != Finished })
}

// on adds a node whose NoExecute taints become others.
func (t *taintEviction) on(node *model.Node, was, then []corev1.Taint) {
	t.taints = max(t.taints, countOthers(then, was))
	for _, pod := range node.Pods {
		t.pods++
		tolerations := pod.Object.Spec.Tolerations
		before, went := model.EvictedAfter(was, tolerations)
		after, goes := model.EvictedAfter(then, tolerations)
		switch {
		case went && !goes:
			t.saved++
		case !goes:
			t.tolerate++
		case went && before <= after:
			t.anyway++
		case model.IsMirror(pod.Object):
			t.static++
		default:
			end := endOf(pod, TaintEvicted)
			end.After = after
			if after == 0 && model.OfDaemonSet(pod.Object) {
				end.Fate.Outcome = NotMade
			}
			t.ends = append(t.ends, end)
		}
	}
}

// finished adds the pods of a node that have finished and that its NoExecute taints, which become
// others, evict: the taint manager deletes them like others (pkg/controller/tainteviction).
func (t *taintEviction) finished(on *model.Snapshot, node string, was, then []corev1.Taint) {
	if t.over == nil {
		t.over = finishedOn(on)
	}
	for _, pod := range t.over[node] {
		before, went := model.EvictedAfter(was, pod.Object.Spec.Tolerations)
		after, goes := model.EvictedAfter(then, pod.Object.Spec.Tolerations)
		if !goes || went && before <= after || model.IsMirror(pod.Object) {
			continue
		}
		t.pods++
		end := endOf(pod, TaintEvicted)
		end.After = after
		t.ends = append(t.ends, end)
	}
}

// finishedOn are the finished pods, by node.
func finishedOn(on *model.Snapshot) map[string][]*model.Pod {
	found := map[string][]*model.Pod{}
	for _, pod := range on.Pods {
		if node := pod.Object.Spec.NodeName; node != "" && pod.Finished() {
			found[node] = append(found[node], pod)
		}
	}
	return found
}

// words begin the sentence about the pods that are evicted, "Evicts 12 of 31 pods
// (9 immediately, 3 after 300s)", and tell of the others in one of their own:
// "19 tolerate it."
func (t *taintEviction) words() (lead, rest string) {
	them := grammar.Agree(t.taints, "it", "them")
	switch {
	case t.pods == 0 && t.unread:
		return "", fmt.Sprintf("Evicts all pods that do not tolerate %s.", them)
	case t.pods == 0:
		return "", noPods + "."
	case t.tolerate == t.pods && t.unread:
		return "", fmt.Sprintf("Of its pods, at least %d %s %s.", t.pods, grammar.Agree(t.pods, "tolerates", "tolerate"), them)
	case t.tolerate == t.pods && t.pods == 1:
		return "", "Its 1 pod tolerates " + them + "."
	case t.tolerate == t.pods:
		return "", fmt.Sprintf("All %s tolerate %s.", CountPods(t.pods), them)
	}
	tolerate := t.tolerate
	if t.taints == 0 {
		tolerate = 0 // there is no new taint: nothing changes for them
	}
	var parts []string
	for _, part := range []struct {
		pods      int
		one, many string
	}{
		{tolerate, "tolerates " + them, "tolerate " + them},
		{t.anyway, "is already being evicted because of another taint", "are already being evicted because of another taint"},
		{t.saved, "is no longer evicted", "are no longer evicted"},
		{t.static, "static pod is recreated", "static pods are recreated"},
	} {
		if part.pods > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.pods, grammar.Agree(part.pods, part.one, part.many)))
		}
	}
	lead, rest = t.evicts(), strings.Join(parts, ", ")
	switch {
	case rest == "":
		return lead, ""
	case lead == "":
		return "", fmt.Sprintf("Of %s, %s.", CountPods(t.pods), rest)
	}
	return lead, rest + "."
}

// evicts counts the pods that are evicted, and when; "" where none is.
func (t *taintEviction) evicts() string {
	times := t.times()
	if len(times) == 0 {
		return ""
	}
	lead := evictsWords(ending(t.ends), t.pods)
	if t.unread {
		lead = "Evicts at least " + CountPods(ending(t.ends))
	}
	if len(times) == 1 {
		return lead + " " + times[0].when
	}
	words := make([]string, 0, len(times))
	for _, group := range times {
		words = append(words, fmt.Sprintf("%d %s", group.pods, group.when))
	}
	return fmt.Sprintf("%s (%s)", lead, strings.Join(words, ", "))
}

// moment is how many pods are evicted at a time.
type moment struct {
	pods int
	when string
}

// times count the pods by when they are evicted, the soonest first; later times
// are put together where there are many.
func (t *taintEviction) times() []moment {
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
			moments = append(moments, moment{n, "immediately"})
		case last:
			moments = append(moments, moment{n, "after " + seconds(first)})
		default:
			moments = append(moments, moment{n, fmt.Sprintf("after %s to %s", seconds(first), seconds(last))})
		}
		after = after[n:]
	}
	return moments
}

// noExecute are the taints that evict pods.
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
