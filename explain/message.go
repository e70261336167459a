package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// noNodes is what the scheduler writes when there is no node at all
// (scheduler.ErrNoNodesAvailable; the package would bring the whole scheduler in).
const noNodes = "no nodes available to schedule pods"

// outcome is what the scheduler would do with a pod in this state.
type outcome struct {
	message     string             // what it would write; "" where it would bind the pod or where that is not known
	older       string             // the same in the words of the cluster's version; "" where those are ours
	successful  bool               // message tells of a preemption whose node is picked from a random offset
	deallocates bool               // message tells of a claim that was freed
	preemption  *report.Preemption // nil unless no node fits
	open        *report.UnknownPart
	tried       *candidates // nil where preemption was not tried
}

// diagnosis is the scheduler's own: the first refusal of each node.
type diagnosis struct {
	fit     *framework.FitError
	asked   sets.Set[string] // plugins whose PreFilter ran
	fits    bool             // some node would be taken
	failure string           // a plugin's error, which ends the attempt
	unclear bool             // which error it would be cannot be said
}

// outcome repeats Scheduler.schedulingAlgorithm on the answers of the plugins.
func (e *Engine) outcome(ctx context.Context, m *matrix, pod *corev1.Pod) (outcome, error) {
	if len(m.nodes) == 0 {
		return outcome{message: noNodes}, nil
	}
	if m.open() {
		return outcome{}, nil
	}
	d := e.diagnose(ctx, m, pod)
	switch {
	case d.failure != "" && (d.unclear || (d.fits && len(m.nodes) > sampled)):
		return outcome{}, nil
	case d.failure != "":
		return outcome{message: d.failure}, nil
	case d.fits:
		return outcome{}, nil
	}
	o, err := e.postFilter(ctx, m, pod, d)
	if err != nil || o.open != nil {
		return o, err
	}
	o.older = e.olderMessage(pod, d, o)
	d.fit.Diagnosis.PostFilterMsg = o.message
	o.message = d.fit.Error()
	return o, nil
}

// open says whether any plugin's answer does not count.
func (m *matrix) open() bool {
	for k := range m.answers {
		if m.answers[k].open != nil {
			return true
		}
	}
	return false
}

// diagnose repeats Scheduler.findNodesThatFitPod.
func (e *Engine) diagnose(ctx context.Context, m *matrix, pod *corev1.Pod) diagnosis {
	d := diagnosis{
		fit: &framework.FitError{
			Pod:         pod,
			NumAllNodes: len(m.nodes),
			Diagnosis:   framework.Diagnosis{NodeToStatus: statusesOf(len(m.nodes))},
		},
		asked: sets.New[string](),
	}
	only, by, rejected := e.diagnosePreFilter(m, &d)
	if d.failure != "" {
		return d
	}
	if rejected != nil {
		d.fit.Diagnosis.NodeToStatus.SetAbsentNodesStatus(rejected)
		d.fit.Diagnosis.PreFilterMsg = rejected.Message()
		return d
	}
	if only != nil {
		e.diagnoseNominated(ctx, m, pod, by, &d)
		d.fit.Diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(by))))
	}
	for i, node := range m.nodes {
		if only == nil || only.Has(node.Node().Name) {
			e.diagnoseNode(m, i, &d)
		}
	}
	return d
}

// statusesOf has room for the statuses of so many nodes. The others count as in
// the scheduler (framework.NewDefaultNodeToStatus).
func statusesOf(nodes int) *framework.NodeToStatus {
	return framework.NewNodeToStatus(make(map[string]*fwk.Status, nodes), fwk.NewStatus(fwk.UnschedulableAndUnresolvable))
}

// diagnosePreFilter repeats Framework.RunPreFilterPlugins: which nodes are left
// (nil: all) and by which plugins, and what rejects the pod as a whole.
func (e *Engine) diagnosePreFilter(m *matrix, d *diagnosis) (only, by sets.Set[string], rejected *fwk.Status) {
	by = sets.New[string]()
	for _, k := range e.preOrder {
		a, name := &m.answers[k], e.plugins[k].name
		d.asked.Insert(name)
		switch a.pre.Code() {
		case fwk.Success:
		case fwk.UnschedulableAndUnresolvable:
			return nil, nil, a.pre
		case fwk.Unschedulable:
			rejected = a.pre
			continue
		default:
			d.failure = fmt.Errorf("running PreFilter plugin %q: %w", name, a.pre.AsError()).Error()
			return nil, nil, nil
		}
		if a.only == nil {
			continue
		}
		by.Insert(name)
		if only == nil {
			only = a.only
		} else {
			only = only.Intersection(a.only)
		}
		if len(only) == 0 {
			return nil, nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, leftNone(by))
		}
	}
	return only, by, rejected
}

// leftNone is the scheduler's word for PreFilters that leave no node.
func leftNone(by sets.Set[string]) string {
	if len(by) == 1 {
		return fmt.Sprintf("node(s) didn't satisfy plugin %v", sets.List(by)[0])
	}
	return fmt.Sprintf("node(s) didn't satisfy plugin(s) %v simultaneously", sets.List(by))
}

// diagnoseNominated repeats Scheduler.evaluateNominatedNode where PreFilters have
// left nodes out: it looks at the nominated node even if that is one of those,
// and adds the plugin that refuses it to the ones that left nodes out, for the
// two sets are one.
func (e *Engine) diagnoseNominated(ctx context.Context, m *matrix, pod *corev1.Pod, by sets.Set[string], d *diagnosis) {
	node, err := e.overlay.NodeInfos().Get(pod.Status.NominatedNodeName)
	if err != nil {
		return
	}
	switch status := e.framework.RunFilterPluginsWithNominatedPods(ctx, m.state, pod, node); {
	case status.IsSuccess():
		d.fits = true
	case status.IsRejected():
		d.fit.Diagnosis.NodeToStatus.Set(node.Node().Name, status)
		by.Insert(status.Plugin())
	}
}

// diagnoseNode notes the first refusal of node i in the plugins' order, as
// Framework.RunFilterPluginsWithNominatedPods comes upon it: the pass with the
// nominated pods comes first.
func (e *Engine) diagnoseNode(m *matrix, i int, d *diagnosis) {
	k, status := m.first(i)
	switch {
	case status == nil:
		d.fits = true
	case status.IsRejected():
		d.fit.Diagnosis.NodeToStatus.Set(m.nodes[i].Node().Name, status)
	default:
		text := fmt.Errorf("running %q filter plugin: %w", e.plugins[k].name, status.AsError()).Error()
		d.unclear = d.unclear || (d.failure != "" && d.failure != text)
		d.failure = text
	}
}

// first is the first plugin that does not let the pod on node i, and its status.
func (m *matrix) first(i int) (int, *fwk.Status) {
	if len(m.views) > 0 && m.views[i] != nil {
		for k := range m.answers {
			if m.answers[k].early[i] {
				return k, m.answers[k].column[i]
			}
		}
	}
	for _, k := range m.said {
		if column := m.answers[k].column; column != nil && column[i] != nil {
			return k, column[i]
		}
	}
	return 0, nil
}
