package pods

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Phases counts pods by phase, and those that run and fail or that are being deleted by their status. It remembers which pods it
// counted, so that the next snapshot costs what changed: nearly all pods are the same pointers.
type Phases struct {
	pods   []*model.Pod
	counts map[string]int
}

// Count counts the pods anew; they are by namespace and name.
func (p *Phases) Count(pods []*model.Pod) {
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	old, now := p.pods, pods
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(old) > 0 && len(now) > 0 && old[0] == now[0]:
			old, now = old[1:], now[1:]
		case len(now) == 0 || len(old) > 0 && before(old[0], now[0]):
			p.counts[phaseOf(old[0])]--
			old = old[1:]
		default:
			p.counts[phaseOf(now[0])]++
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

// phaseOf is the pod's phase; the status of one that should be running and fails, and of one that is being deleted and
// has not ended.
func phaseOf(p *model.Pod) string {
	if p.Object.DeletionTimestamp != nil && !model.Finished(p.Object) {
		return p.Status
	}
	if phase := p.Object.Status.Phase; phase != corev1.PodRunning || !p.Failing() {
		return string(phase)
	}
	return p.Status
}

// terminating is the status of a pod that is being deleted, which is no phase.
const terminating corev1.PodPhase = "Terminating"

// Words say how many pods there are, and in which phases.
func (p *Phases) Words() string {
	phases := []corev1.PodPhase{corev1.PodRunning, terminating, corev1.PodPending, corev1.PodFailed, corev1.PodSucceeded, corev1.PodUnknown}
	var words []string
	for i, phase := range phases {
		if n := p.counts[string(phase)]; n > 0 {
			words = append(words, model.FormatCount(n)+" "+string(phase))
		}
		if i == 0 {
			words = append(words, p.failing(phases)...)
		}
	}
	if len(words) == 0 {
		return figures.Count(len(p.pods), "pod", "pods") + "."
	}
	return figures.Count(len(p.pods), "pod", "pods") + ": " + strings.Join(words, ", ") + "."
}

// failing counts the pods that are in none of the phases by their status, the most frequent first.
func (p *Phases) failing(phases []corev1.PodPhase) (words []string) {
	var statuses []string
	for status, n := range p.counts {
		if n > 0 && !slices.Contains(phases, corev1.PodPhase(status)) {
			statuses = append(statuses, status)
		}
	}
	slices.SortFunc(statuses, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.counts[b], p.counts[a]), strings.Compare(a, b))
	})
	others := 0
	for i, status := range statuses {
		if i < grammar.Few {
			words = append(words, model.FormatCount(p.counts[status])+" "+model.Clean(status))
			continue
		}
		others += p.counts[status]
	}
	if others > 0 {
		words = append(words, model.FormatCount(others)+" otherwise failing")
	}
	return words
}
