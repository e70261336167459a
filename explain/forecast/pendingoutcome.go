package forecast

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// PendingOutcome is what becomes of the pending pods in a simulated state.
type PendingOutcome struct {
	Workloads []report.PendingFit // in the order of the scheduler's queue
	Fits      int                 // how many are placed, in whatever order they come
	Nodes     []string            // of those that are placed if they come in the order of the queue
	Held      int                 // pending pods that kube-scheduler does not try to place
	Unknown   string              // why it is incomplete; "" if it is complete
}

// pendingCounts is a PendingOutcome in the making.
type pendingCounts struct {
	stopped   func(context.Context, *scheduler.SimulatedState, *corev1.Pod) error // nil: not asked
	workloads []*workload
	least     int
	orders    int
}

// workload is the pending pods of one controller.
type workload struct {
	namespace, name string
	pods            []*pendingPod
	least, most     int      // how many of them are placed in every order, and in the best one
	nodes           []string // in the order of the queue
	why             string   // what stops the first that is not placed in that order
	devices         bool     // it needs devices, and nodes are added
}

// Pending says which of the pending pods would be scheduled with the nodes that are added.
// They compete with each other: several orders are simulated.
func (s Simulator) Pending(ctx context.Context) (*PendingOutcome, error) {
	f := s.forecasting(plan.Hypothesis{})
	f.pendingCounts = &pendingCounts{stopped: s.Stopped}
	if why := f.scheduler.Forbidden["nodes"]; why != "" {
		return &PendingOutcome{Workloads: []report.PendingFit{}, Unknown: why}, nil
	}
	for _, do := range []func(context.Context) error{f.gather, f.survey, f.simulateAll} {
		if err := do(ctx); err != nil {
			return nil, failed(err)
		}
	}
	told := &PendingOutcome{Workloads: make([]report.PendingFit, 0, len(f.pendingCounts.workloads)), Fits: f.pendingCounts.least, Unknown: f.told.Unknown}
	for _, w := range f.pendingCounts.workloads {
		told.Workloads = append(told.Workloads, w.told())
		told.Nodes = append(told.Nodes, w.nodes...)
	}
	return told, failed(f.scheduler.Hold(ctx, nil, func() error {
		for pod := range f.scheduler.State.Index.Unassigned() {
			if pod.DeletionTimestamp == nil && !scheduler.Terminal(pod) && !f.scheduler.Considers(pod) {
				told.Held++
			}
		}
		return nil
	}))
}

// add adds what became of the pods in one order.
func (o *pendingCounts) add(ctx context.Context, p *simulation) error {
	if o.orders == 0 {
		o.sort(p.forecast.competitors)
	}
	all := 0
	for _, w := range o.workloads {
		found := 0
		for _, c := range w.pods {
			at := p.placements[c]
			if at.Node == "" || len(at.preempts) > 0 {
				continue
			}
			if found++; o.orders == 0 {
				w.nodes = append(w.nodes, at.Node)
			}
		}
		if o.orders == 0 || found < w.least {
			w.least = found
		}
		w.most = max(w.most, found)
		all += found
	}
	if o.orders == 0 || all < o.least {
		o.least = all
	}
	if o.orders++; o.orders > 1 {
		return nil
	}
	return o.findReasons(ctx, p)
}

// sort finds the workloads of the pods.
func (o *pendingCounts) sort(pods []*pendingPod) {
	type key struct{ namespace, kind, name string }
	byKey := map[key]*workload{}
	for _, c := range pods {
		pod := model.NewPod(c.pod)
		k := key{c.pod.Namespace, pod.Owner.Kind, cmp.Or(pod.Owner.Name, c.pod.Name)}
		if byKey[k] == nil {
			byKey[k] = &workload{namespace: k.namespace, name: k.name}
			o.workloads = append(o.workloads, byKey[k])
		}
		byKey[k].pods = append(byKey[k].pods, c)
	}
}

// findReasons finds what stops the first pod of each workload that is not placed.
func (o *pendingCounts) findReasons(ctx context.Context, p *simulation) error {
	stopped := o.stopped
	for _, w := range o.workloads {
		at := slices.IndexFunc(w.pods, func(c *pendingPod) bool { return p.placements[c].Node == "" })
		if at < 0 || w.unknown() != "" {
			continue
		}
		err := p.forecast.scheduler.Hold(ctx, p.state, func() error {
			found, err := placement.Of(ctx, p.forecast.scheduler, w.pods[at].pod)
			w.why = found.Why
			if err != nil || len(p.forecast.added) == 0 {
				return err
			}
			var added []string
			for _, n := range p.forecast.added {
				added = append(added, n.Node.Name)
			}
			t, err := p.forecast.scheduler.FittingNodes(ctx, placement.AsNewPod(w.pods[at].pod), added)
			w.devices = err == nil && t.LacksDevices()
			return err
		})
		if err != nil {
			return err
		}
		if stopped != nil && !w.devices {
			if err := stopped(ctx, p.state, w.pods[at].pod); err != nil {
				return err
			}
			stopped = nil
		}
	}
	return nil
}

// told is what becomes of the workload.
func (w *workload) told() report.PendingFit {
	told := report.PendingFit{Namespace: w.namespace, Name: w.name, Pods: len(w.pods), Nodes: []string{}, Why: w.unknown()}
	told.Nodes = append(told.Nodes, slices.Compact(slices.Sorted(slices.Values(w.nodes)))...)
	if told.Why != "" {
		return told
	}
	told.Fits = &w.least
	if w.most > w.least {
		told.Most = w.most
	}
	if w.least < len(w.pods) {
		if slices.ContainsFunc(w.pods, func(c *pendingPod) bool { return len(c.sums.preempted) > 0 }) {
			w.why = cmp.Or(w.why, "only by preemption")
		}
		told.Why = cmp.Or(w.why, "depends on the order of the pending pods")
	}
	return told
}

// unknown is why it is not known how many of the workload are placed; "" if it is.
func (w *workload) unknown() string {
	if w.devices {
		return "the devices of a new node are not known"
	}
	for _, c := range w.pods {
		switch {
		case c.class.untried:
			return "no time left to simulate it"
		case c.class.open != "":
			return c.class.open
		case c.sums.open != "":
			return c.sums.open
		}
	}
	return ""
}
