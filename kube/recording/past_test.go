package recording

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
)

// lookBack looks back to the end, from a step counted from 1.
func lookBack(t *testing.T, dir string, step int) *podhistory.History {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, dir, len(r.Steps)-1)
	past := p.Past(step-1, "waits")
	for {
		h, err := past.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if h.Done {
			return h
		}
	}
}

// told is a history in a few lines.
func told(h *podhistory.History) string {
	text := h.Sentence() + "\n"
	for _, s := range h.Spans {
		there := ""
		if !s.There && s.Verdict != "" {
			there = " not there"
		}
		text += fmt.Sprintf("%d-%d %s%s\n", s.First, s.Last, s.Verdict, there)
	}
	if h.Fitted != nil {
		text += fmt.Sprintf("step %d to %d\n", h.Fitted.Step, h.Fitted.Next)
		for _, n := range h.Fitted.Nodes {
			text += n.Name + ": " + strings.Join(n.Happened(), "; ") + "\n"
		}
	}
	return text
}

func TestWhoTookTheRoom(t *testing.T) {
	waits := pod("waits", "3", "")
	apart := func(p *corev1.Pod) *corev1.Pod { // not where any pod of app=waits is in the zone
		p = p.DeepCopy()
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "waits"}}, TopologyKey: corev1.LabelTopologyZone,
			}},
		}}
		return p
	}
	cordoned := func(n *corev1.Node) *corev1.Node {
		n = n.DeepCopy()
		n.Spec.Unschedulable = true
		return n
	}
	std1, std2 := node("std-1", "4"), node("std-2", "4")
	full := pod("full", "4", "std-2")
	for name, test := range map[string]struct {
		steps  [][]any
		broken int // the step whose file is cut off, from 1
		want   string
	}{
		"one pod took it": {
			steps: [][]any{
				{std1, std2, full, waits},
				{std1, std2, full, waits, pod("small", "500m", "std-1"), pod("took", "2", "std-1")},
				{std1, std2, full, waits, pod("small", "500m", "std-1"), pod("took", "2", "std-1"), pod("later", "1", "std-1")},
			},
			want: `No node has fit since step 2: took took the capacity on std-1.
2-3 Unschedulable
1-1 Schedulable
step 1 to 2
std-1: shop/took was scheduled with cpu 2; without it the pod would fit
`,
		},
		"two pods took it together": {
			steps: [][]any{
				{std1, waits},
				{std1, waits, pod("one", "2", "std-1"), pod("two", "2", "std-1")},
			},
			want: `No node has fit since step 2: one and 1 more took the capacity.
2-2 Unschedulable
1-1 Schedulable
step 1 to 2
std-1: shop/one was scheduled with cpu 2; shop/two was scheduled with cpu 2; without all of them the pod would fit
`,
		},
		"it was taken before the pod came": {
			steps: [][]any{
				{std1}, {std1, pod("took", "2", "std-1")}, {std1, pod("took", "2", "std-1"), waits},
			},
			want: `No node would have fit since step 2: took took the capacity on std-1.
3-3 Unschedulable
2-2 Unschedulable not there
1-1 Schedulable not there
step 1 to 2
std-1: shop/took was scheduled with cpu 2; without it the pod would fit
`,
		},
		"a step between cannot be read": {
			steps: [][]any{
				{std1, waits}, {std1, waits}, {std1, waits, pod("took", "2", "std-1")},
			},
			broken: 2,
			want: `No node has fit since step 3: took took the capacity on std-1.
3-3 Unschedulable
2-2 
1-1 Schedulable
step 1 to 3
std-1: shop/took was scheduled with cpu 2; without it the pod would fit
`,
		},
		"a node was cordoned and one went": {
			steps: [][]any{
				{std1, std2, waits}, {cordoned(std1), waits},
			},
			want: `No node has fit since step 2: std-1 cordoned.
2-2 Unschedulable
1-1 Schedulable
step 1 to 2
std-1: cordoned
std-2: deleted; had cpu 4, memory 8Gi
`,
		},
		"a pod on another node keeps it away": {
			steps: [][]any{
				{inZone(std1), inZone(std2), pod("full", "4", "std-2"), waits},
				{inZone(std1), inZone(std2), apart(pod("hostile", "0", "std-2")), pod("full", "4", "std-2"), pod("idle", "0", "std-1"), waits},
			},
			want: `No node has fit since step 2: hostile took the capacity on std-2.
2-2 Unschedulable
1-1 Schedulable
step 1 to 2
std-1: shop/hostile was scheduled on std-2 with nothing; without it the pod would fit
`,
		},
		"what did it is not known": {
			steps: [][]any{
				{std1, waits}, {std1, heavier(waits)},
			},
			want: `No node has fit since step 2: what changed on std-1 is unknown.
2-2 Unschedulable
1-1 Schedulable
step 1 to 2
std-1: unchanged, and no new pod took its capacity: it rejects the pod for another reason
`,
		},
		"it never fitted": {
			steps: [][]any{
				{std2, full}, {std2, full, waits},
			},
			want: `No node fit at any step.
2-2 Unschedulable
1-1 Unschedulable not there
`,
		},
		"it fits by now": {
			steps: [][]any{
				{std2, full, waits}, {std1, std2, full, waits}, {std1, std2, full, waits},
			},
			want: `From step 2 on, a node fits.
2-3 Schedulable
1-1 Unschedulable
`,
		},
		"it is gated": {
			steps: [][]any{{std1, gated(waits)}, {std1, gated(waits)}},
			want: `From the first step on, the pod is gated.
1-2 Gated
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeSteps(t, test.steps...)
			if test.broken > 0 {
				r, err := Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				writeFile(t, r.Path(test.broken-1), "items:\n")
			}
			if got := told(lookBack(t, dir, len(test.steps))); got != test.want {
				t.Errorf("it says\n%swant\n%s", got, test.want)
			}
		})
	}
}

func inZone(n *corev1.Node) *corev1.Node {
	n = n.DeepCopy()
	n.Labels[corev1.LabelTopologyZone] = "a"
	return n
}

func gated(p *corev1.Pod) *corev1.Pod {
	p = p.DeepCopy()
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
	return p
}

// heavier wants what no node has.
func heavier(p *corev1.Pod) *corev1.Pod { return pod(p.Name, "5", "") }

func TestWhatCannotBeLookedBackAt(t *testing.T) {
	dir := writeSteps(t, []any{node("std-1", "4")}, []any{node("std-1", "4"), pod("waits", "5", "")}, []any{node("std-1", "4")})
	p := play(t, dir, 2)
	if _, err := p.Past(2, "waits").Look(t.Context()); !errors.Is(err, explain.ErrNoPod) {
		t.Errorf("a pod that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	past := p.Past(1, "waits")
	if _, err := past.Look(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	h, err := past.Look(t.Context()) // it goes on as if nothing had been
	if err != nil || len(h.Spans) == 0 || h.Spans[0].Last != 2 {
		t.Errorf("after that: %+v, %v", h, err)
	}
	writeFile(t, p.recording.Path(1), "")
	if _, err := p.Past(1, "waits").Look(t.Context()); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("a broken step: %v", err)
	}
}
