package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// evictions are the pods of a node by what its NoExecute taints do to them.
type evictions struct {
	evicted     int
	first, last time.Time     // when the first and the last of them are; first is zero where that is not known of all
	within      time.Duration // how long those at most stay of which that is not known
	daemons     int           // of DaemonSets, which tolerate the taints
	static      int
	tolerating  int // others that do
	terminating int
}

// evictionsOn counts what the NoExecute taints of a node do; false where it has none.
func evictionsOn(n *model.Node) (e evictions, tainted bool) {
	taints := n.Object.Spec.Taints
	if !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }) {
		return e, false
	}
	known := true
	for _, pod := range n.Pods {
		deletion := model.EvictionByTaints(pod.Object, taints)
		switch {
		case pod.Object.DeletionTimestamp != nil:
			e.terminating++
		case model.IsMirror(pod.Object):
			e.static++
		case deletion != nil:
			e.evicted++
			if deletion.At.IsZero() {
				known, e.within = false, max(e.within, deletion.After)
				continue
			}
			if e.first.IsZero() || deletion.At.Before(e.first) {
				e.first = deletion.At
			}
			if deletion.At.After(e.last) {
				e.last = deletion.At
			}
		case pod.Owner.Kind == "DaemonSet":
			e.daemons++
		default:
			e.tolerating++
		}
	}
	if !known {
		e.first = time.Time{}
	}
	return e, true
}

// evictedWords say how many pods the node's NoExecute taints evict and when, and what the
// others do: "6 to be evicted in 56s, 2 tolerate it (DaemonSets), 1 is static"; "" where there are
// no such taints.
func (p *preview) evictedWords() string {
	e, tainted := evictionsOn(p.node)
	if !tainted {
		return ""
	}
	var words []string
	if e.evicted > 0 {
		words = append(words, model.FormatCount(e.evicted)+" "+e.when(p.seen.AsOf()))
	}
	for _, others := range []struct {
		pods int
		told string
	}{
		{e.daemons, grammar.Agree(e.daemons, "tolerates", "tolerate") + " it (" + grammar.Agree(e.daemons, "DaemonSet", "DaemonSets") + ")"},
		{e.tolerating, grammar.Agree(e.tolerating, "tolerates", "tolerate") + " it"},
		{e.static, grammar.Agree(e.static, "is", "are") + " static"},
		{e.terminating, grammar.Agree(e.terminating, "is", "are") + " terminating"},
	} {
		if others.pods > 0 {
			words = append(words, fmt.Sprintf("%s %s", model.FormatCount(others.pods), others.told))
		}
	}
	return strings.Join(words, ", ")
}

// when says when the pods are evicted.
func (e evictions) when(now time.Time) string {
	switch {
	case e.first.IsZero():
		return "to be evicted " + (&model.TaintEviction{After: max(e.within, e.last.Sub(now), 0)}).When(now)
	case !e.last.After(now):
		return "should have been evicted " + model.FormatAge(e.first, now) + " ago"
	case !e.first.After(now):
		return "to be evicted, the first was due " + model.FormatAge(e.first, now) + " ago"
	case e.first.Equal(e.last):
		return "to be evicted in " + model.FormatAge(now, e.first)
	}
	return "to be evicted, the first in " + model.FormatAge(now, e.first)
}

// ShowsYoung reports whether an age on the page moves by the second: that of a row, or the
// time to the first eviction on the selected node.
func (n *Page) ShowsYoung() bool {
	if n.Page.ShowsYoung() {
		return true
	}
	node, ok := n.Table.Selected()
	if !ok || !n.Around.HasBelow() {
		return false
	}
	e, _ := evictionsOn(node)
	left := e.first.Sub(n.Host.Observed().AsOf())
	return !e.first.IsZero() && left < page.Young && left > -page.Young
}
