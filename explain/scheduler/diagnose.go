package scheduler

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Diagnosis is the scheduler's own: the first rejection of each node.
type Diagnosis struct {
	Fit     *framework.FitError
	Asked   sets.Set[string] // plugins whose PreFilter ran
	Fits    bool             // some node would be taken
	Failure string           // a plugin's error, which ends the attempt
	Unclear bool             // which error it would be cannot be said
}

// Open says whether any plugin's answer does not count, or is not sure for a node that was asked about.
func (m *Matrix) Open() bool {
	for k := range m.Answers {
		if m.Answers[k].Open != nil || anyUnsure(m, k) {
			return true
		}
	}
	return false
}

// Diagnose repeats Scheduler.findNodesThatFitPod. Nodes that were not asked about count as
// those where preemption does not help.
func (m *Matrix) Diagnose(ctx context.Context, pod *corev1.Pod) Diagnosis {
	d := Diagnosis{
		Fit: &framework.FitError{
			Pod:         pod,
			NumAllNodes: len(m.Nodes),
			Diagnosis:   framework.Diagnosis{NodeToStatus: statusesOf(len(m.Nodes))},
		},
		Asked: sets.New[string](),
	}
	only, by, rejected := d.preFilter(m)
	if d.Failure != "" {
		return d
	}
	if rejected != nil {
		d.Fit.Diagnosis.NodeToStatus.SetAbsentNodesStatus(rejected)
		d.Fit.Diagnosis.PreFilterMsg = rejected.Message()
		return d
	}
	if only != nil {
		d.nominated(ctx, m, pod, by)
		d.Fit.Diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(by))))
	}
	for i, node := range m.Nodes {
		if m.skipped[i] {
			continue
		}
		if only == nil || only.Has(node.Node().Name) {
			d.node(m, i)
		}
	}
	return d
}

// statusesOf has room for the statuses of so many nodes. The others count as in
// the scheduler (framework.NewDefaultNodeToStatus).
func statusesOf(nodes int) *framework.NodeToStatus {
	return framework.NewNodeToStatus(make(map[string]*fwk.Status, nodes), fwk.NewStatus(fwk.UnschedulableAndUnresolvable))
}

// preFilter repeats Framework.RunPreFilterPlugins: which nodes are left
// (nil: all) and by which plugins, and what rejects the pod as a whole.
func (d *Diagnosis) preFilter(m *Matrix) (only, by sets.Set[string], rejected *fwk.Status) {
	by = sets.New[string]()
	for _, k := range m.Profile.PreOrder {
		a, name := &m.Answers[k], m.Profile.Plugins[k].Name
		d.Asked.Insert(name)
		switch a.Pre.Code() {
		case fwk.Success:
		case fwk.UnschedulableAndUnresolvable:
			return nil, nil, a.Pre
		case fwk.Unschedulable:
			rejected = a.Pre
			continue
		default:
			d.Failure = fmt.Errorf("running PreFilter plugin %q: %w", name, a.Pre.AsError()).Error()
			return nil, nil, nil
		}
		if a.Only == nil {
			continue
		}
		by.Insert(name)
		if only == nil {
			only = a.Only
		} else {
			only = only.Intersection(a.Only)
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

// nominated repeats Scheduler.evaluateNominatedNode where PreFilters have
// left nodes out: it looks at the nominated node even if that is one of those,
// and adds the plugin that rejects it to the ones that left nodes out, for the
// two sets are one.
func (d *Diagnosis) nominated(ctx context.Context, m *Matrix, pod *corev1.Pod, by sets.Set[string]) {
	node, err := m.Profile.state().overlay.NodeInfos().Get(pod.Status.NominatedNodeName)
	if err != nil {
		return
	}
	switch status := m.Profile.Framework.RunFilterPluginsWithNominatedPods(ctx, m.State, pod, node); {
	case status.IsSuccess():
		d.Fits = true
	case status.IsRejected():
		d.Fit.Diagnosis.NodeToStatus.Set(node.Node().Name, status)
		by.Insert(status.Plugin())
	}
}

// node notes the first rejection of node i in the plugins' order, as
// Framework.RunFilterPluginsWithNominatedPods comes upon it: the pass with the
// nominated pods comes first.
func (d *Diagnosis) node(m *Matrix, i int) {
	k, status := m.First(i)
	switch {
	case status == nil:
		d.Fits = true
	case status.IsRejected():
		d.Fit.Diagnosis.NodeToStatus.Set(m.Nodes[i].Node().Name, status)
	default:
		text := fmt.Errorf("running %q filter plugin: %w", m.Profile.Plugins[k].Name, status.AsError()).Error()
		d.Unclear = d.Unclear || (d.Failure != "" && d.Failure != text)
		d.Failure = text
	}
}

// First is the first plugin that does not let the pod on node i, and its status.
func (m *Matrix) First(i int) (int, *fwk.Status) {
	if len(m.views) > 0 && m.views[i] != nil {
		for k := range m.Answers {
			if m.Answers[k].early[i] {
				return k, m.Answers[k].Column[i]
			}
		}
	}
	for _, k := range m.Objecting {
		if column := m.Answers[k].Column; column != nil && column[i] != nil {
			return k, column[i]
		}
	}
	return 0, nil
}

// FirstSure is the first plugin that rejects node i for sure, in the order
// in which the scheduler comes upon it: the pass with the nominated pods comes
// first. -1 if none does.
func (m *Matrix) FirstSure(i int) int {
	if len(m.views) > 0 && m.views[i] != nil {
		for k := range m.Answers {
			if m.Answers[k].early[i] && m.Rejects(k, i) != nil {
				return k
			}
		}
	}
	for k := range m.Answers {
		if m.Rejects(k, i) != nil {
			return k
		}
	}
	return -1
}
