package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// defaultWait is how long --wait waits if it says nothing.
const defaultWait = "10m"

const (
	// settles is how long another reason has to last before --wait ends: in a change of
	// several objects, each gives a reason of its own.
	settles = 2 * time.Second
	// schedulerTries is the same of a reason that ends with a node by itself:
	// kube-scheduler tries a pod again within 10 s (podMaxBackoffSeconds).
	schedulerTries = 15 * time.Second
	// asksEvery is the most time between two explanations: some of what they need is
	// not in snapshots, such as Leases.
	asksEvery = 5 * time.Second
	// asksApart is the least time between two explanations.
	asksApart = 200 * time.Millisecond
)

// isTime reports whether an argument is one that --wait=TIME should have.
func isTime(word string) bool {
	_, err := time.ParseDuration(word)
	return err == nil
}

// validateWait rejects what --wait cannot wait for.
func (e *explainOptions) validateWait(args []string) error {
	if !e.waits {
		return nil
	}
	kind, _, cut := strings.Cut(strings.Join(args, " "), "/")
	switch {
	case len(e.files) > 0 || e.all:
		return exit.Usagef("explain: --wait needs the name of one pod")
	case e.source.From != "":
		return exit.Usagef("explain: --wait needs a cluster: leave out --from")
	case e.wait < 0:
		return exit.Usagef("explain: --wait=%s: it cannot be negative", e.wait)
	case cut && named.WorkloadKind(kind) != "":
		return exit.Usagef("explain %s: --wait needs the name of one pod", args[0])
	}
	return nil
}

// reason is what --wait compares: the verdict, and which plugins reject nodes, or what
// blocks the pod where none does.
type reason struct {
	verdict report.Verdict
	by      string
}

func reasonOf(r *report.Report) reason {
	var plugins []string
	for _, p := range r.Plugins {
		if p.Rejects > 0 {
			plugins = append(plugins, p.Name)
		}
	}
	slices.Sort(plugins)
	return reason{verdict: r.Verdict, by: cmp.Or(strings.Join(plugins, ","), r.BlockedBy)}
}

// lasts is how long a reason has to last before it is reported.
func (r reason) lasts() time.Duration {
	if r.verdict == report.Schedulable || r.verdict == report.Preempting {
		return schedulerTries
	}
	return settles
}

// reasonTrack decides when the reason of a pod has changed. It is told each explanation.
type reasonTrack struct {
	begins reason
	now    reason
	since  time.Time // now holds from then on; zero before the first explanation
}

// see notes the reason at a time, and reports whether it is another one than at the
// beginning, and has lasted.
func (t *reasonTrack) see(seen reason, at time.Time) bool {
	switch {
	case t.since.IsZero():
		t.begins, t.now, t.since = seen, seen, at
	case seen != t.now:
		t.now, t.since = seen, at
	}
	return t.now != t.begins && at.Sub(t.since) >= t.now.lasts()
}

// pause is how long nothing has to be asked unless something changes.
func (t *reasonTrack) pause(at time.Time) time.Duration {
	if t.since.IsZero() || t.now == t.begins {
		return asksEvery
	}
	return max(0, min(asksEvery, t.since.Add(t.now.lasts()).Sub(at)))
}

// podWaiter is one run of explain --wait.
type podWaiter struct {
	options *explainOptions
	live    *source.Live
	follow  *source.Following
	pod     *model.Pod
	track   reasonTrack
	last    *report.Report // the newest explanation, in outline
}

// awaitPod waits until a pod has a node, its reason changes, or it is deleted.
func (e *explainOptions) awaitPod(ctx context.Context, live *source.Live, pod *model.Pod) error {
	w := &podWaiter{options: e, live: live, follow: live.Follow(), pod: pod}
	limited := ctx
	if e.wait > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, e.wait)
		defer cancel()
	}
	err := w.run(ctx, limited)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) && limited.Err() != nil {
		return w.timedOut(ctx)
	}
	return err
}

// run looks at the pod after each change of the cluster, within a limited time, but explains it once however short
// that is.
func (w *podWaiter) run(ctx, limited context.Context) error {
	for {
		asking := limited
		if w.last == nil {
			asking = ctx
		}
		done, err := w.look(asking)
		if done || err != nil {
			return err
		}
		if err := w.follow.Next(limited, asksApart, w.track.pause(time.Now())); err != nil {
			return err
		}
	}
}

// look reports whether the wait is over, and writes how it ended.
func (w *podWaiter) look(ctx context.Context) (done bool, err error) {
	if !w.follow.IsCurrent() {
		return false, nil
	}
	if err := w.live.Unread("pods"); err != nil {
		return true, fmt.Errorf("explain %s: %w", w.pod.FullName(), err)
	}
	before := w.pod
	pod, ok := w.live.Snapshot.PodNamed(before.Object.Namespace, before.Object.Name)
	if !ok || pod.Object.UID != before.Object.UID {
		return true, w.deleted()
	}
	if w.pod = pod; pod.Object.Spec.NodeName != "" {
		return true, w.bound(ctx)
	}
	answer, err := w.live.Ask(ctx, report.Query{Target: report.PodOf(pod.Object.UID)})
	switch {
	case errors.Is(err, explain.ErrNoPod), errors.Is(err, cluster.ErrReading):
		return false, nil // the next snapshot says more
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, fmt.Errorf("explain %s: %w", pod.FullName(), err)
	case answer.Verdict == report.Scheduled:
		return false, nil // the engine is ahead of the snapshot, which names the node
	}
	if w.last == nil {
		w.say(fmt.Sprintf("%s: %s: %s Waiting until it has a node or the reason changes%s.", pod.FullName(), answer.Verdict, sentence(answer.Summary), w.limit()))
	}
	w.last = answer
	if w.track.see(reasonOf(answer), time.Now()) {
		return true, w.changed(ctx)
	}
	return false, nil
}

// limit says how long is waited.
func (w *podWaiter) limit() string {
	if w.options.wait == 0 {
		return ""
	}
	if w.options.wait < time.Second {
		return ", at most " + w.options.wait.String()
	}
	return ", at most " + duration.HumanDuration(w.options.wait)
}

// sentence ends a text with a period.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// say writes a line of progress; one that cannot be written is no loss.
func (w *podWaiter) say(line string) { _, _ = fmt.Fprintln(w.options.ErrOut, terminal.OneLine(line)) }

// after puts words before a text that is not empty.
func after(words, text string) string {
	if text == "" {
		return ""
	}
	return words + text
}

// bound ends the wait for a pod that has a node.
func (w *podWaiter) bound(ctx context.Context) error {
	if w.options.output == "text" {
		_, err := fmt.Fprintf(w.options.Out, "%s: bound to %s\n", model.Clean(w.pod.FullName()), model.Clean(w.pod.Object.Spec.NodeName))
		return err
	}
	return w.writeNow(ctx)
}

// changed ends the wait for a pod whose reason is another one now.
func (w *podWaiter) changed(ctx context.Context) error {
	began := w.track.begins
	w.say(fmt.Sprintf("%s: the reason changed; it was %s%s", w.pod.FullName(), began.verdict, after(", ", began.by)))
	return cmp.Or(w.writeNow(ctx), exit.ErrChanged)
}

// timedOut ends the wait after its time.
func (w *podWaiter) timedOut(ctx context.Context) error {
	if w.live.Snapshot.Status.Connection.Lost() {
		return w.lost()
	}
	w.options.Say(fmt.Errorf("explain %s: no node, and the same reason, after %s", w.pod.FullName(), duration.HumanDuration(w.options.wait)))
	if w.last == nil {
		return exit.ErrTimedOut // nothing was explained in that time
	}
	return cmp.Or(w.writeNow(ctx), exit.ErrTimedOut)
}

// lost ends the wait, after its time, for a pod of which the present state is not known.
func (w *podWaiter) lost() error {
	w.options.Say(fmt.Errorf("explain %s: unknown whether it has a node after %s: %s does not answer",
		w.pod.FullName(), duration.HumanDuration(w.options.wait), w.live.Snapshot.Status.Server))
	if w.last == nil || w.options.output == "text" {
		return exit.ErrTimedOut
	}
	return cmp.Or(w.options.write(w.live, w.last), exit.ErrTimedOut)
}

// deleted ends the wait for a pod that is gone.
func (w *podWaiter) deleted() error {
	w.options.Say(fmt.Errorf("explain %s: the pod was deleted before it had a node", w.pod.FullName()))
	if w.last == nil || w.options.output == "text" {
		return exit.ErrDeleted
	}
	return cmp.Or(w.options.write(w.live, w.last), exit.ErrDeleted)
}

// writeNow writes the whole explanation of the pod as it is now; if it is gone
// meanwhile, the last one in outline.
func (w *podWaiter) writeNow(ctx context.Context) error {
	whole, err := w.options.ask(ctx, w.live, w.pod)
	if err != nil && w.last != nil && !errors.Is(err, context.Canceled) {
		whole, err = w.last, nil
	}
	if err != nil {
		return err
	}
	return w.options.write(w.live, whole)
}
