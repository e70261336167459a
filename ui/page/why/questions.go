package why

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// questions are what the page asks about its pod: why it waits, its events, and which
// fixes work.
type questions struct {
	host     page.Host
	view     *Page
	of       *model.Pod // as it was when it was last asked about
	explains page.Poll[explained]
	tries    fixes.Poll // which fixes work: asked when the explanation is there
	reads    page.Question[[]model.Event]
	readAt   time.Time // when the events were asked for
	readOf   string    // the version of the pod that they were asked for
}

// explained is an explanation, and its answers by the names of nodes.
type explained struct {
	report *report.Report
	nodes  map[string]*report.NodeResult
}

// readEvery is how old the events may get while the cluster moves.
const readEvery = 15 * time.Second

// shown says whether anybody looks at the page, or at one of its groups.
func (q *questions) shown() bool {
	return q.host.Shown(q.view) || q.view.lent != nil && q.host.Shown(q.view.lent)
}

// explain asks why, off the event loop, unless the answer is there, on its way,
// or nobody looks.
func (q *questions) explain() tea.Cmd {
	if q.view.draw.Gone || !q.shown() {
		return nil
	}
	if q.of != q.view.pod {
		q.of = q.view.pod
		q.explains.Doubt()
		q.tries.Doubt()
	}
	if q.explains.Holds(q.host.Observed()) {
		return nil
	}
	uid := uidOf(q.view.pod)
	return q.explains.Ask(q.host, q.view, func(ctx context.Context, cluster page.Cluster) (explained, error) {
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.Nodes})
		if err != nil {
			return explained{}, err
		}
		return explained{r, explanation.ResultsByName(r.Nodes)}, nil
	})
}

// read asks for the pod's events, now and then.
func (q *questions) read() tea.Cmd {
	version := q.view.pod.Object.ResourceVersion
	fresh := version == q.readOf && q.host.Observed().At.Sub(q.readAt) < readEvery
	if q.reads.Busy() || fresh || q.host.Cluster() == nil || !q.shown() {
		return nil
	}
	q.readAt, q.readOf = q.host.Observed().At, version
	cluster, ref := q.host.Cluster(), page.SelectPod(q.view.pod).Ref
	return q.reads.Put(q.host, q.view, func(ctx context.Context) ([]model.Event, error) {
		return cluster.Events(ctx, ref)
	})
}

// fix asks which fixes work, once the explanation is there: they never delay it.
func (q *questions) fix() tea.Cmd {
	if q.explains.Trouble != nil || q.view.draw.Gone || !report.IsFixable(q.view.draw.Report) || q.tries.Holds(q.host.Observed()) {
		return nil
	}
	return fixes.Ask(&q.tries, q.host, q.view, uidOf(q.view.pod))
}

// leave cancels what nobody will look at.
func (q *questions) leave() {
	q.explains.Leave()
	q.reads.End()
	q.tries.Leave()
	q.readOf = ""
}
