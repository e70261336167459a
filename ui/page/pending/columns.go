package pending

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// whyHead heads the column of reasons.
const whyHead = "WHY"

// columns are those for what could be read, and for one namespace or all.
type columns struct {
	host     page.Host
	verdicts *Verdicts
	unfolded map[string]bool // by a kind's key
	limited  bool            // nodes could not be read: kube-scheduler's messages stand in
	one      bool            // namespace is shown
	exact    func() bool     // every figure is written in full; nil: it is not
}

// newTable has the columns. A row whose verdict is older than the last change of the
// cluster is marked.
func (c *columns) newTable() *table.Table[*Row] {
	t := table.New(func(w *Row) string { return w.ID }, c.all()...)
	t.There, t.Covers, t.Own = c.there, c.covers, table.Falling // of priority
	c.exact = func() bool { return t.Wide }
	t.Outdated = func(w *Row) bool { return c.verdicts.outdated(w.Kind) }
	return t
}

// there is the row of what is still pending: the filter hides it, or it is part of another
// kind.
func (c *columns) there(w *Row) (*Row, bool) {
	of := make(map[types.UID]bool, w.Of)
	for _, pod := range w.pods() {
		of[pod.Object.UID] = true
	}
	for kind := range rowed(c.host.Observed().Snapshot) {
		if !w.Leaf && kind.Key == w.Kind.Key {
			return &Row{w.ID, kind, kind.First(), kind.Count(), false}, true
		}
		for _, pod := range kind.Pods {
			switch {
			case !of[pod.Object.UID]:
			case w.Leaf:
				return &Row{w.ID, kind, pod, 1, true}, true
			default:
				return &Row{w.ID, kind, kind.First(), kind.Count(), false}, true
			}
		}
	}
	return nil, false
}

// covers reports whether a kind's row shows the pods of another row. Below the row of an
// unfolded kind each has its own.
func (c *columns) covers(row, other *Row) bool {
	return !row.Leaf && row.Kind.Key == other.Kind.Key && (!other.Leaf || row.Of == 1 || !c.unfolded[row.Kind.Key])
}

func (c *columns) all() []table.Column[*Row] {
	h := c.host
	text := func(text func(*Row) string) func(*Row) table.Cell {
		return func(w *Row) table.Cell { return table.Cell{Text: text(w)} }
	}
	name := table.Column[*Row]{Head: "NAMESPACE/POD", Field: "name", Min: 19, Max: 40, Names: true, Text: c.name}
	since := table.Column[*Row]{Head: "AGE", Field: "age", Ticks: true, Extra: true, Gap: 2, Right: true, Text: c.age}
	became := func(w *Row) string {
		state, _ := c.became(w)
		return state
	}
	blocked := table.Column[*Row]{Head: "BLOCKED BY", Field: "blocked", Min: 13, Max: 20, State: true, Text: c.blockedBy, Left: became}
	then := func(w *Row) string {
		_, where := c.became(w)
		return where
	}
	if c.one {
		name.Head = "POD"
	}
	if c.limited {
		since.Gap, name.Min, blocked.Min = 2, 0, 10
		said := table.Column[*Row]{Head: "KUBE-SCHEDULER MESSAGE", Flex: true, State: true, Left: then, Text: text(func(w *Row) string { return saidByScheduler(w.Pod) })}
		return []table.Column[*Row]{name, since, blocked, said}
	}
	return []table.Column[*Row]{
		name,
		{Head: "PRIO", Field: "prio", Extra: true, Min: 6, Right: true, Text: text(c.priority)},
		since, blocked,
		{Head: whyHead, Field: "why", Min: 26, Flex: true, Prose: true, State: true, Text: c.why, Left: then},
		{Head: "KIND", Field: "kind", From: 130, Max: 20, Text: text(func(w *Row) string { return w.Pod.Owner.Kind })},
		{Head: "REQUESTS", Field: "requests", From: 120, Max: 40, Text: text(func(w *Row) string { return requests(*w.Pod.Requests, "") })},
		{Head: "NOMINATED", Field: "nominated", From: 140, Max: 20, Names: true, Text: text(func(w *Row) string {
			return h.Observed().NodeName(w.Pod.Object.Status.NominatedNodeName)
		})},
		{Head: "STATE", Field: "state", Max: 20, From: 160, State: true, Text: text(c.state), Left: became},
		{Head: "TRIED", Field: "tried", Ticks: true, From: 200, Right: true, Text: text(c.tried)},
		{Head: "SCHEDULER", Field: "scheduler", From: 200, Max: 30, Text: text(func(w *Row) string { return w.Pod.Object.Spec.SchedulerName })},
	}
}

// requests are what a pod requests: cpu and memory, then all other resources. memory is put
// before its amount.
func requests(r model.Resources, memory string) string {
	text := "cpu " + model.FormatCPU(r.MilliCPU, model.Up) + ", " + memory + model.FormatMemory(r.Memory, model.Up) // as Why has them
	rest := r
	rest.MilliCPU, rest.Memory = 0, 0
	if r.MilliCPU == 0 && r.Memory == 0 && rest.String() == "" {
		return "nothing"
	}
	if others := rest.String(); others != "" {
		text += ", " + others
	}
	return text
}

// priority is the pod's; one that was not created has none. Those of system-node-critical and the like are in
// millions, 2000M, for names need the room; the preview and wide rows have all digits.
func (c *columns) priority(w *Row) string {
	const million, long = 1_000_000, 7 // digits
	if !w.Pod.Exists() {
		return "–"
	}
	text := strconv.Itoa(int(w.Pod.Priority()))
	if len(strings.TrimPrefix(text, "-")) <= long || c.exact != nil && c.exact() {
		return text
	}
	return strconv.Itoa(int(w.Pod.Priority())/million) + "M"
}

// name is namespace/workload ×3 for a kind of more than one pod, else the pod's.
func (c *columns) name(w *Row) table.Cell {
	text := w.Pod.Name()
	if w.Leaf {
		if own, ok := strings.CutPrefix(text, w.Pod.Owner.Name+"-"); ok {
			text = "…" + own
		}
		return table.Cell{Text: "  " + text}
	}
	if w.Of > 1 {
		if w.Pod.Owner.Name != "" {
			text = w.Pod.Owner.Name
		}
		text += fmt.Sprintf(" ×%d", w.Of)
	}
	if c.host.Namespace() == "" {
		text = w.Pod.Object.Namespace + "/" + text
	}
	return table.Cell{Text: text}
}

// state is the verdict in one or two words; "" while there is none.
func (c *columns) state(w *Row) string {
	if told := c.verdicts.Of(w.Kind); told != nil && !c.host.Observed().IsReading() {
		return told.State
	}
	return ""
}

// blockedBy is the closest cause in one or two words.
func (c *columns) blockedBy(w *Row) table.Cell {
	told := c.verdicts.Of(w.Kind)
	switch {
	case c.host.Observed().IsReading():
		return table.Cell{Text: "reading", Tone: tone.Dim}
	case c.verdicts.Hidden:
		return table.Cell{Text: "hidden", Tone: tone.Dim}
	case c.limited && told == nil:
		return table.Cell{Text: "unknown", Tone: tone.Unknown}
	case told == nil:
		return table.Cell{Text: "explaining", Tone: tone.Dim}
	}
	cell := table.Cell{Text: told.BlockedBy}
	switch {
	case c.verdicts.outdated(w.Kind):
		cell.Tone = tone.Dim
	case told.Verdict == report.Unknown:
		cell.Tone = tone.Unknown
	}
	return cell
}

// The ages from which a pending pod is no longer new, and from which it is old.
const (
	settledAge = 5 * time.Minute
	oldAge     = 30 * time.Minute
)

// age is since when the pod is pending; it turns with how long that is.
func (c *columns) age(w *Row) table.Cell {
	since := w.since()
	if since.IsZero() {
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown} // of a resize in older versions
	}
	cell := table.Cell{Text: c.host.Observed().Since(since)}
	switch age := c.host.Observed().AsOf().Sub(since); {
	case age < settledAge:
	case age < oldAge:
		cell.Tone = tone.Warning
	default:
		cell.Tone = tone.Bad
	}
	return cell
}

// became is the state and the node of a row's pods that are no longer pending: the reason
// in it is out of date. Of several pods it says where those are that have a node.
func (c *columns) became(w *Row) (state, where string) {
	all := w.pods()
	var bound []*model.Pod
	for _, was := range all {
		pod, ok := c.host.Observed().Snapshot.PodNamed(was.Object.Namespace, was.Object.Name)
		if ok && pod.Object.UID == was.Object.UID && pod.Bound() {
			bound = append(bound, pod)
		}
	}
	if len(bound) == 0 {
		return "deleted", ""
	}
	if w.Kind.Resize != nil {
		return "resize over", c.placesOf(bound)
	}
	if where = c.placesOf(bound); len(bound) < len(all) {
		where = fmt.Sprintf("%s of %s ", model.FormatCount(len(bound)), model.FormatCount(len(all))) + where
	}
	return "scheduled", where
}

// placesOf are the nodes that pods were scheduled to, "on std-a-01, running" or "on 3 nodes,
// running"; without a state where theirs differ.
func (c *columns) placesOf(bound []*model.Pod) string {
	nodes, states := map[string]bool{}, map[string]bool{}
	for _, pod := range bound {
		nodes[pod.Object.Spec.NodeName], states[pod.Status] = true, true
	}
	where := "on " + c.host.Observed().NodeName(bound[0].Object.Spec.NodeName)
	if len(nodes) > 1 {
		where = "on " + figures.Count(len(nodes), "node", "nodes")
	}
	if len(states) == 1 {
		where += ", " + strings.ToLower(bound[0].Status)
	}
	return where
}

func (c *columns) why(w *Row) table.Cell {
	if c.verdicts.Hidden {
		return table.Cell{Text: page.HiddenCell, Tone: tone.Dim}
	}
	told := c.verdicts.Of(w.Kind)
	if told == nil || c.host.Observed().IsReading() {
		return table.Cell{}
	}
	why := table.Cell{Text: c.host.Observed().Brief(report.ShortLabels(told.Why))}
	if c.verdicts.outdated(w.Kind) {
		why.Tone = tone.Dim
	}
	return why
}

// tried is how long ago the last proved attempt of the scheduler was.
func (c *columns) tried(w *Row) string {
	report := c.verdicts.Of(w.Kind)
	if report == nil || report.Observed.AttemptSeen == nil {
		return ""
	}
	return c.host.Observed().Since(report.Observed.AttemptSeen.Time) + " ago"
}

// saidByScheduler is the message of the PodScheduled condition.
func saidByScheduler(p *model.Pod) string {
	for i := range p.Object.Status.Conditions {
		if c := &p.Object.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			if speaker := report.SpeakerOf(p.Object, c); speaker != report.KubeScheduler && c.Message != "" {
				return speaker + ": " + c.Message
			}
			return c.Message
		}
	}
	return ""
}
