package ui

import (
	"context"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
)

// fakeActor plans on a snapshot and runs nothing, but remembers what it was told.
type fakeActor struct {
	mu       sync.Mutex
	snapshot *model.Snapshot
	filtered func(node string) []types.UID // what the filters of a drain let go
	dress    func(*plan.Plan)              // puts what a forecast would find into plans
	forbid   map[model.Right]bool
	readOnly string
	raised   bool
	planErr  error
	runErrs  []error       // of the next runs
	partly   []plan.Change // made by runs that fail
	asked    []plan.Action
	run      []*plan.Plan
	rights   int
	jobs     []*plan.Progress
	paused   []int
	stopped  []int
	entries  []plan.Entry
}

func (f *fakeActor) Plan(_ context.Context, action plan.Action) (*plan.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, action)
	if f.planErr != nil {
		return nil, f.planErr
	}
	facts := plan.Facts{Snapshot: f.snapshot, Objects: map[model.Ref]map[string]any{}, Jobs: f.jobs}
	for _, ref := range action.Targets() {
		if fields := f.object(ref); fields != nil {
			ref.UID = ""
			facts.Objects[ref] = fields
		}
	}
	if drain, ok := action.(plan.Drains); ok && f.filtered != nil {
		facts.Filtered = map[string][]types.UID{}
		for _, node := range drain.DrainedNodes() {
			facts.Filtered[node] = f.filtered(node)
		}
	}
	plan, err := action.Plan(facts)
	if err != nil {
		return nil, err
	}
	plan.Verdict.Asked = true
	if f.dress != nil {
		f.dress(plan)
	}
	return plan, nil
}

// object is a node or pod of the snapshot as JSON values; nil where there is none.
func (f *fakeActor) object(ref model.Ref) map[string]any {
	var object any
	switch ref.Resource {
	case "nodes":
		if node, ok := f.snapshot.Node(ref.Name); ok {
			object = node.Object.DeepCopy()
		}
	case "pods":
		if pod, ok := f.snapshot.PodNamed(ref.Namespace, ref.Name); ok {
			object = pod.Object.DeepCopy()
		}
	}
	if object == nil {
		return nil
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	return fields
}

func (f *fakeActor) Run(_ context.Context, confirmed plan.Confirmed) (*plan.Ran, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := confirmed.Plan()
	f.run = append(f.run, p)
	if len(f.runErrs) > 0 {
		err := f.runErrs[0]
		f.runErrs = f.runErrs[1:]
		return &plan.Ran{Changed: f.partly}, err
	}
	entry := plan.Entry{
		ID: len(f.entries) + 1, At: now, User: "anna", Context: "prod-eu", Did: p.Action.Name(), Result: "done", OK: true, Undo: p.Undo,
	}
	f.entries = append([]plan.Entry{entry}, f.entries...)
	return &plan.Ran{Changed: p.Changes, Entry: entry}, nil
}

func (f *fakeActor) Rights(_ context.Context, rights []model.Right) (map[model.Right]model.Permission, error) {
	f.rights += len(rights)
	known := map[model.Right]model.Permission{}
	for _, right := range rights {
		known[right] = model.Permission{Allowed: !f.forbid[right]}
	}
	return known, nil
}

func (f *fakeActor) Jobs() []*plan.Progress { return f.jobs }

func (f *fakeActor) NextJobs(ctx context.Context, _ int) ([]*plan.Progress, int, error) {
	return nil, 0, context.Canceled
}

func (f *fakeActor) Pause(job int, _ bool)  { f.paused = append(f.paused, job) }
func (f *fakeActor) Stop(job int)           { f.stopped = append(f.stopped, job) }
func (f *fakeActor) Activity() []plan.Entry { return f.entries }
func (f *fakeActor) Followed(entry int, became string) {
	for i := range f.entries {
		if f.entries[i].ID == entry {
			f.entries[i].Then = became
		}
	}
}
func (f *fakeActor) ReadOnly() string { return f.readOnly }
func (f *fakeActor) Raise() error     { f.readOnly, f.raised = "", true; return nil }

// acted is a dashboard on which wishes come true, with a clock of its own.
type acted struct {
	t     testing.TB
	app   *App
	actor *fakeActor
	prod  *prodEU
	at    time.Time
}

// newActed is the dashboard on a context, with a terminal of that size.
func newActed(t testing.TB, width, height int, context string, with func(*Options)) *acted {
	t.Helper()
	return newActedOn(t, width, height, context, newProdEU(), with)
}

// newActedOn is newActed on a cluster.
func newActedOn(t testing.TB, width, height int, context string, prod *prodEU, with func(*Options)) *acted {
	t.Helper()
	d := &acted{t: t, at: now, prod: prod}
	status := liveStatus()
	status.Context = context
	s := d.prod.at(1, status)
	d.actor = &fakeActor{snapshot: s}
	d.app = newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s), actor: d.actor}, func(o *Options) {
		o.Now = func() time.Time { return d.at }
		if with != nil {
			with(o)
		}
	})
	return d
}

// press presses keys, with a pause for reading before each.
func (d *acted) press(keys ...string) {
	d.t.Helper()
	for _, key := range keys {
		d.wait(time.Second)
		press(d.t, d.app, key)
	}
}

// write types text as a person does.
func (d *acted) write(text string) {
	d.t.Helper()
	for _, r := range text {
		d.wait(150 * time.Millisecond)
		write(d.t, d.app, string(r))
	}
}

// wait lets time pass.
func (d *acted) wait(a time.Duration) {
	d.at = d.at.Add(a)
	send(d.t, d.app, dialog.ReadyMsg{})
}

// node brings the cursor of Nodes to a node.
func (d *acted) node(name string) {
	d.t.Helper()
	d.press("3", "g")
	for range d.app.observed.Snapshot.Nodes {
		if d.app.history.top().Selected().Copy == name {
			return
		}
		press(d.t, d.app, "j")
	}
	d.t.Fatalf("no node %s on the screen:\n%s", name, screen(d.app))
}
