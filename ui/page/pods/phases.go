package pods

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Phases counts pods by phase. It remembers which pods it counted, so that the
// next snapshot costs what changed: nearly all pods are the same pointers.
type Phases struct {
	pods   []*model.Pod
	counts map[corev1.PodPhase]int
}

// Count counts the pods anew; they are by namespace and name.
func (p *Phases) Count(pods []*model.Pod) {
	if p.counts == nil {
		p.counts = map[corev1.PodPhase]int{}
	}
	old, now := p.pods, pods
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(old) > 0 && len(now) > 0 && old[0] == now[0]:
			old, now = old[1:], now[1:]
		case len(now) == 0 || len(old) > 0 && before(old[0], now[0]):
			p.counts[old[0].Object.Status.Phase]--
			old = old[1:]
		default:
			p.counts[now[0].Object.Status.Phase]++
			now = now[1:]
		}
	}
	p.pods = pods
}

// before reports whether a's namespace and name come before b's, or are the same.
func before(a, b *model.Pod) bool {
	if a.Object.Namespace != b.Object.Namespace {
		return a.Object.Namespace < b.Object.Namespace
	}
	return a.Object.Name <= b.Object.Name
}

// Words say how many pods there are, and in which phases.
func (p *Phases) Words() string {
	var words []string
	for _, phase := range []corev1.PodPhase{corev1.PodRunning, corev1.PodPending, corev1.PodFailed, corev1.PodSucceeded, corev1.PodUnknown} {
		if n := p.counts[phase]; n > 0 {
			words = append(words, model.FormatCount(n)+" "+string(phase))
		}
	}
	if len(words) == 0 {
		return figures.Count(len(p.pods), "pod", "pods") + "."
	}
	return figures.Count(len(p.pods), "pod", "pods") + ": " + strings.Join(words, ", ") + "."
}
