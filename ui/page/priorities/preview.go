package priorities

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// below draws the selected class under the list: which pods its pods may preempt, which
// may preempt them, and those that are queued.
func (p *Page) below(rows int) []string {
	r, ok := p.Table.Selected()
	if !ok {
		return make([]string, rows)
	}
	if p.Table.SelectedGone() {
		return computed.NewBelow(&p.Page, name(r), "gone").Lines(rows)
	}
	b := computed.NewBelow(&p.Page, name(r), "priority "+fmt.Sprint(r.Value))
	b.Add(preempts(&r), tone.Plain)
	b.Add(preempted(&r), tone.Plain)
	several := schedulers(p.Natural()) > 1
	b.Add(queuedWords(&r, several), tone.Plain)
	const before = 4 // the rule and these three lines
	for i, queued := range r.Queue {
		if i == rows-before-1 && i < len(r.Queue)-1 {
			b.Add("  "+grammar.Count(len(r.Queue)-i, "more pod", "more pods"), tone.Dim)
			break
		}
		b.Add("  "+p.queuedLine(&queued, several), stateTone(queued.State))
	}
	return b.Lines(rows)
}

// named is how many classes a sentence names.
const named = 4

func words(classes []string) string {
	names := make([]string, len(classes))
	for i, class := range classes {
		names[i] = classWord(class)
	}
	return grammar.List(names, named)
}

// preempts says whom pods of a class may preempt.
func preempts(r *row) string {
	switch {
	case r.PreemptionPolicy == corev1.PreemptNever:
		return "its pods preempt none: preemptionPolicy Never"
	case r.Lower == nil:
		return fmt.Sprintf("its pods may preempt pods of a priority below %d; how many there are is unknown", r.Value)
	case *r.Lower == 0:
		return fmt.Sprintf("its pods may preempt none: no pod on a node has a priority below %d", r.Value)
	case len(r.LowerClasses) == 0:
		return fmt.Sprintf("its pods may preempt %s of a priority below %d", grammar.Count(*r.Lower, "pod", "pods"), r.Value)
	}
	return fmt.Sprintf("its pods may preempt %s of a priority below %d: %s", grammar.Count(*r.Lower, "pod", "pods"), r.Value, words(r.LowerClasses))
}

// preempted says whose pods may preempt those of a class.
func preempted(r *row) string {
	if r.PreemptedBy == nil {
		return "which classes preempt them is unknown"
	}
	if len(r.PreemptedBy) == 0 {
		return "no class preempts them"
	}
	return "they may be preempted by pods of " + words(r.PreemptedBy)
}

// schedulers counts those that have a pod of any class in their queue.
func schedulers(rows []row) int {
	names := map[string]bool{}
	for _, r := range rows {
		for i := range r.Queue {
			names[r.Queue[i].Scheduler] = true
		}
	}
	return len(names)
}

// queuedWords count the queued pods of a class by their state, and say what the places before their names are.
func queuedWords(r *row, several bool) string {
	if r.Queue == nil {
		return "without a node: " + model.UnknownFigure
	}
	if len(r.Queue) == 0 {
		return "no pods without a node"
	}
	place := "place in the queue"
	if several {
		place += " of their scheduler"
	}
	return "without a node, by " + place + ": " + stateWords(r.Queue)
}

// stateWords count queued pods by their state: "2 unschedulable, 1 gated".
func stateWords(queue []inventory.Queued) string {
	said, counts := "", map[string]int{}
	for i := range queue {
		counts[queue[i].State]++
	}
	for _, state := range []string{inventory.Unschedulable, inventory.BackOff, inventory.Active, inventory.Nominated, inventory.Gated} {
		if n := counts[state]; n > 0 {
			if said != "" {
				said += ", "
			}
			said += model.FormatCount(n) + " " + stateWord(state)
		}
	}
	return said
}

// queuedLine is a queued pod in a line. Where there are several schedulers each has a place 1, and is named.
func (p *Page) queuedLine(q *inventory.Queued, several bool) string {
	line := fmt.Sprintf("%d. %s/%s  %s", q.Place, q.Namespace, q.Name, stateWord(q.State))
	switch {
	case q.Nominated == "":
	case q.State == inventory.Nominated:
		line += " to " + p.Host.Observed().NodeName(q.Nominated)
	default:
		line += ", nominated to " + p.Host.Observed().NodeName(q.Nominated)
	}
	if several || q.Scheduler != corev1.DefaultSchedulerName {
		line += " (" + q.Scheduler + ")"
	}
	return line
}

// stateWord is a state on the screen. Where no scheduler runs, a pod that was not tried is
// not in any queue that is active.
func stateWord(state string) string {
	if state == inventory.Active {
		return "not tried"
	}
	return state
}

// stateTone is how bad a state is.
func stateTone(state string) tone.Tone {
	switch state {
	case inventory.Unschedulable, inventory.BackOff:
		return tone.Warning
	case inventory.Gated:
		return tone.Dim
	}
	return tone.Plain
}
