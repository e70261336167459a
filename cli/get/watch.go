package get

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

const (
	// looksEvery is the most time between two looks: some of what explanations need is
	// not in snapshots, such as Leases.
	looksEvery = 10 * time.Second
	// looksApart is the least time between two looks.
	looksApart = time.Second
)

// watchForms are the forms that get pending --watch writes.
var watchForms = []string{"text", "wide", "json"}

// The events of get pending --watch.
const (
	wasPending = "pending"   // when the watch began
	appeared   = "appeared"  // pods became pending
	changed    = "changed"   // their reason is another one
	scheduled  = "scheduled" // they have a node
	started    = "started"   // they had a node and are not pending any more
	resized    = "resized"   // the resize in place of a running pod is done or taken back
	gone       = "gone"      // they were deleted, or are not rejected any more
)

// checkWatch rejects what cannot be watched.
func (g *Options) checkWatch(view string) error {
	switch {
	case !g.watch:
		return nil
	case view != "pending":
		return exit.Usagef("get %s: --watch is only for pending", view)
	case g.source.From != "":
		return exit.Usagef("get pending: --watch needs a cluster: leave out --from")
	case !slices.Contains(watchForms, g.output):
		return exit.Usagef("get pending: -o %s: --watch prints text, wide or json", g.output)
	}
	return nil
}

// pendingEvent is a line of get pending --watch -o json.
type pendingEvent struct {
	metav1.TypeMeta `json:",inline"`

	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	pendingItem
}

// happened is a line of the watch: what happened to some pods of a row.
type happened struct {
	event string
	row   pendingRow
}

// mark is what is compared of a pending pod.
type mark struct {
	pod    *model.Pod
	row    *pendingRow
	reason pendingReason
	bound  bool
}

// pendingReason is why pods are pending. How many pods a workload is missing counts too.
type pendingReason struct {
	verdict          report.Verdict
	state, blockedBy string
	missing          int
}

// pendingWatch compares the rows of pending pods with those before.
type pendingWatch struct{ marks map[types.UID]mark }

// isResize reports whether the row is of a resize in place.
func (m *mark) isResize() bool { return m.row.kind.Resize != nil }

// markOf is what is compared of one pod of a row.
func markOf(row *pendingRow, pod *model.Pod) mark {
	reason := pendingReason{row.item.Verdict, row.item.State, row.item.BlockedBy, row.item.Missing}
	return mark{pod: pod, row: row, reason: reason, bound: pod.Bound()}
}

// next are the events since the rows before; the pods are all of the cluster.
func (w *pendingWatch) next(rows []pendingRow, s *model.Snapshot, now time.Time) []happened {
	before := w.marks
	w.marks = map[types.UID]mark{}
	var events []happened
	for i := range rows {
		row := &rows[i]
		by := map[string][]*model.Pod{}
		for _, pod := range row.pods {
			is := markOf(row, pod)
			was, known := before[pod.Object.UID]
			known = known && was.isResize() == is.isResize() // a pod that started is not one that is resized
			w.marks[pod.Object.UID] = is
			if known {
				delete(before, pod.Object.UID)
			}
			switch {
			case !known:
				by[appeared] = append(by[appeared], pod)
			case is.bound && !was.bound:
				by[scheduled] = append(by[scheduled], pod)
			case is.reason != was.reason:
				by[changed] = append(by[changed], pod)
			}
		}
		for _, event := range []string{appeared, changed, scheduled} {
			if pods := by[event]; len(pods) > 0 {
				events = append(events, happened{event, row.of(pods, now)})
			}
		}
	}
	return append(events, ended(before, s, now)...)
}

// ended are the events of pods that are not pending any more.
func ended(before map[types.UID]mark, s *model.Snapshot, now time.Time) []happened {
	type group struct {
		row         *pendingRow
		event, node string
		exists      bool
	}
	pods := map[group][]*model.Pod{}
	for _, was := range before {
		pod, at := was.pod, group{row: was.row, event: gone}
		is, there := s.PodNamed(pod.Object.Namespace, pod.Object.Name)
		at.exists = there && is.Object.UID == pod.Object.UID
		if at.exists && is.Bound() {
			pod, at.event, at.node = is, scheduled, is.Object.Spec.NodeName
			switch {
			case was.isResize():
				at.event = afterResize(is)
			case was.bound:
				at.event = started
			}
		}
		pods[at] = append(pods[at], pod)
	}
	var events []happened
	for at, of := range pods {
		slices.SortFunc(of, model.ComparePods)
		row := at.row.of(of, now)
		row.end(at.event, at.node, at.exists)
		events = append(events, happened{at.event, row})
	}
	slices.SortFunc(events, func(a, b happened) int {
		return cmp.Or(cmp.Compare(a.row.item.Namespace, b.row.item.Namespace), cmp.Compare(a.row.cells[podColumn], b.row.cells[podColumn]))
	})
	return events
}

// afterResize is the event of a pod whose resize has no row any more: one that ends is not resized.
func afterResize(pod *model.Pod) string {
	if pod.Finished() || pod.Object.DeletionTimestamp != nil {
		return gone
	}
	return resized
}

// The columns of pending pods that a line about some of them changes.
const (
	podColumn = iota + 1
	podsColumn
	_
	ageColumn
	blockedByColumn
	whyColumn
	stateColumn
	verdictColumn
)

// of is the row of some of its pods.
func (r *pendingRow) of(pods []*model.Pod, now time.Time) pendingRow {
	some := *r
	some.pods, some.cells = pods, slices.Clone(r.cells)
	since := sinceOf(r.kind, pods)
	some.cells[ageColumn] = ago(now, since)
	if r.kind.NotCreated != nil {
		return some
	}
	some.item.Pods = make([]string, 0, len(pods))
	for _, pod := range pods {
		some.item.Pods = append(some.item.Pods, pod.Object.Name)
	}
	some.item.Since = timeOrNull(since)
	some.cells[podColumn], some.cells[podsColumn] = pods[0].Object.Name, strconv.Itoa(len(pods))
	return some
}

// end says how pods ceased to be pending. Those that exist without a node have ended, or other
// labels than are listed.
func (r *pendingRow) end(event, node string, exist bool) {
	why := "deleted"
	switch {
	case r.kind.NotCreated != nil:
		why = "not rejected any more"
	case event == gone && exist && r.kind.Resize != nil:
		why = "terminates"
	case event == gone && exist:
		why = "not pending any more"
	case event == resized:
		why = "resize over on " + node
	case event == scheduled:
		why = "bound to " + node
	case event == started:
		why = "started on " + node
	}
	r.cells[blockedByColumn], r.cells[whyColumn] = "", why
	if event == gone {
		return // the item says what blocked them
	}
	i := &r.item
	i.Verdict, i.State, i.BlockedBy, i.Why, i.Summary, i.Node = report.Scheduled, event, "", why, why, node
	r.cells[stateColumn], r.cells[verdictColumn] = event, string(i.Verdict)
}

// watcher is one run of get pending --watch.
type watcher struct {
	*Options
	live   *source.Live
	seen   pendingWatch
	table  *output.Rows
	follow *source.Following
	headed bool // the heads are written
}

// watchPending lists pending pods, and then each change, until it is interrupted or nobody reads.
func (g *Options) watchPending(ctx context.Context, live *source.Live) error {
	w := &watcher{Options: g, live: live, follow: live.Follow(), table: output.NewRows(g.Out)}
	err := w.run(ctx)
	if ctx.Err() != nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// run looks at the cluster after each of its changes.
func (w *watcher) run(ctx context.Context) error {
	for first := true; ; {
		looked, err := w.look(ctx, first)
		if err != nil {
			return err
		}
		first = first && !looked
		if err := w.follow.Next(ctx, looksApart, looksEvery); err != nil {
			return err
		}
	}
}

// look prints what has changed; false if the state is not current.
func (w *watcher) look(ctx context.Context, first bool) (looked bool, err error) {
	if !w.follow.IsCurrent() {
		return false, nil
	}
	rows, err := w.pendingRows(ctx, w.live)
	if errors.Is(err, cluster.ErrReading) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now := w.live.Now()
	events := w.seen.next(rows, w.live.Snapshot, now)
	if first {
		w.live.SayLimits()
		for i := range events {
			events[i].event = wasPending
		}
		if len(events) == 0 && w.output != "json" {
			_, _ = fmt.Fprintln(w.ErrOut, w.scope.Empty("pending pods")) // one that cannot be written is no loss
		}
	}
	return true, w.print(events, now)
}

// print writes lines, one for each event.
func (w *watcher) print(events []happened, now time.Time) error {
	if w.output == "json" {
		return w.printJSON(events, now)
	}
	inColumn := func(event string) string { return fmt.Sprintf("%-*s", len(scheduled), event) } // the widest, in each batch of lines
	heads := slices.Concat([]string{inColumn("EVENT")}, pendingHeads, pendingMore)
	width := len(heads)
	if w.output != "wide" {
		width -= len(pendingMore)
	}
	var rows [][]string
	if !w.headed && !w.noHeaders && len(events) > 0 {
		w.headed = true
		rows = append(rows, heads[:width])
	}
	for i := range events {
		row := slices.Concat([]string{inColumn(events[i].event)}, events[i].row.cells)
		rows = append(rows, row[:width])
	}
	if len(rows) == 0 {
		return nil
	}
	return w.table.Write(rows)
}

// printJSON writes an object a line.
func (w *watcher) printJSON(events []happened, now time.Time) error {
	for i := range events {
		text, err := escaped.JSON(pendingEvent{
			TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: "PendingEvent"},
			Event:    events[i].event, Time: now.UTC(), pendingItem: events[i].row.item,
		}, "")
		if err != nil {
			return err
		}
		if _, err := w.Out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}
