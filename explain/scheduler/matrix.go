package scheduler

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// Matrix is the answer of every plugin for every node: columns of statuses, nil
// where a plugin has nothing against a node.
type Matrix struct {
	Profile    *Profile // whose plugins answered
	Nodes      []fwk.NodeInfo
	State      *framework.CycleState
	Answers    []Answer // by plugin
	Objecting  []int    // plugins that have anything against any node, or could not be asked
	views      []*view  // by node; empty where no nominated pod counts
	cells      []*fwk.Status
	rejections []plugins.NodeRejection // for telling rejections

	brief   bool   // each node is asked about no further than its first rejection
	skipped []bool // by node: it is not asked about, or no longer
	left    []int  // the others
	asked   []int  // reused: the nodes that a plugin is asked about
}

// Answer is what one plugin has to say.
type Answer struct {
	Skipped bool                // nothing about this pod
	Pre     *fwk.Status         // PreFilter rejected the pod, or failed; nil: it did not
	Only    sets.Set[string]    // the nodes that PreFilter leaves; nil: all
	Column  []*fwk.Status       // by node; nil where Filter was not run
	early   map[int]bool        // nodes rejected because of the pods nominated to them
	Open    map[string][]string // resource → why: the answer does not count
	Unsure  map[string][]string // resource → why: of the answer only the rejections count
}

// view is a node with the pods that are nominated to it, as the first of the two
// passes over such a node sees it.
type view struct {
	node   fwk.NodeInfo
	state  fwk.CycleState
	pods   []fwk.PodInfo
	failed map[string]*fwk.Status // plugins that could not take the pods in
}

// PluginError is the resource under which failures of a plugin's own are told.
const PluginError = "plugin error"

// Evaluate runs every plugin of the profile on every node, each to its end. All
// plugins of one question share one CycleState, as they do in the scheduler. The
// matrix holds until the next evaluation.
func (p *Profile) Evaluate(ctx context.Context, pod *corev1.Pod) (*Matrix, error) {
	p.Scheduler.Evaluations++
	m := &p.Scheduler.evaluation
	return m, m.ask(ctx, p, pod, nil)
}

// EvaluateNodes is Evaluate for some nodes (none named: for all): PreFilter sees all of them, Filter only
// these. The matrix holds until the next trial.
func (p *Profile) EvaluateNodes(ctx context.Context, pod *corev1.Pod, nodes ...string) (*Matrix, error) {
	m := &p.Scheduler.trial
	m.brief = false
	return m, m.ask(ctx, p, pod, nodes)
}

// ask asks the profile about the named nodes, nil: about all, with the room that m
// has from the question before.
func (m *Matrix) ask(ctx context.Context, p *Profile, pod *corev1.Pod, only []string) error {
	if err := m.begin(p, only); err != nil {
		return err
	}
	answer := answerAll
	if m.brief && p.Scheduler.allRead() && len(p.state().nominator.nodes()) == 0 {
		answer = answerBriefly
	}
	if err := answer(ctx, m, pod); err != nil {
		return err
	}
	m.leaveOpen(pod)
	for k := range m.Answers {
		a := &m.Answers[k]
		if a.Open != nil || a.Unsure != nil || a.Pre != nil || slices.ContainsFunc(a.Column, func(s *fwk.Status) bool { return s != nil }) {
			m.Objecting = append(m.Objecting, k)
		}
	}
	return ctx.Err()
}

// begin makes room for the answers about the named nodes, nil: about all.
func (m *Matrix) begin(p *Profile, only []string) error {
	m.Profile = p
	nodes, err := p.state().overlay.NodeInfos().List()
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	m.Nodes = nodes
	p.state().answers.align(p.state(), p.state().chosen.forget)
	m.leave(only)
	m.State = framework.NewCycleState()
	m.Answers = make([]Answer, len(p.Plugins))
	m.views, m.Objecting = nil, m.Objecting[:0]
	m.cells = slices.Grow(m.cells[:0], len(nodes)*len(p.Plugins))[:len(nodes)*len(p.Plugins)]
	return nil
}

// answerAll asks the PreFilter halves in the scheduler's order, and then the Filter halves.
func answerAll(ctx context.Context, m *Matrix, pod *corev1.Pod) error {
	for _, k := range m.Profile.PreOrder {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.preFilter(ctx, k, pod)
	}
	noteSkipped(m)
	m.viewNominated(ctx, pod)
	for k := range m.Profile.Plugins {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.filter(ctx, k, pod)
		if m.brief {
			m.settle(&m.Answers[k])
		}
	}
	return nil
}

// answerBriefly asks both halves of one plugin after the other, until one has rejected the
// last node: most of the time is in the PreFilter of plugins that come late.
func answerBriefly(ctx context.Context, m *Matrix, pod *corev1.Pod) error {
	err := askEach(ctx, m, pod, func(string) bool { return true })
	noteSkipped(m)
	return err
}

// askEach asks both halves of one plugin after the other, of those that are wanted, until one has
// rejected the last node.
func askEach(ctx context.Context, m *Matrix, pod *corev1.Pod, wanted func(plugin string) bool) error {
	for k, plugin := range m.Profile.Plugins {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !wanted(plugin.Name) {
			continue
		}
		if plugin.pre != nil {
			m.preFilter(ctx, k, pod)
		}
		m.filter(ctx, k, pod)
		m.settle(&m.Answers[k])
		if len(m.left) == 0 {
			break
		}
	}
	return nil
}

// noteSkipped has the framework know which plugins have nothing to say about the pod.
func noteSkipped(m *Matrix) {
	skipped := sets.New[string]()
	for k := range m.Answers {
		if m.Answers[k].Skipped {
			skipped.Insert(m.Profile.Plugins[k].Name)
		}
	}
	m.State.SetSkipFilterPlugins(skipped)
}

// preFilter asks the PreFilter half of plugin k.
func (m *Matrix) preFilter(ctx context.Context, k int, pod *corev1.Pod) {
	a := &m.Answers[k]
	m.Profile.unreadable().reset()
	defer m.Profile.noteReads(a)
	defer recoverInto(a)
	if m.Profile.state().counts.recall(ctx, m, k, pod) {
		return
	}
	var result *fwk.PreFilterResult
	var status *fwk.Status
	m.Profile.state().chosen.during(ctx, m, k, pod, func(nodes []fwk.NodeInfo) {
		result, status = m.Profile.Plugins[k].pre.PreFilter(ctx, m.State, pod, nodes)
	})
	switch {
	case status.IsSkip():
		a.Skipped = true
	case !status.IsSuccess():
		a.Pre = status
	case !result.AllNodes():
		a.Only = result.NodeNames
	}
}

// filter asks the Filter half of plugin k about every node, unless its PreFilter
// has left nothing to ask.
func (m *Matrix) filter(ctx context.Context, k int, pod *corev1.Pod) {
	a, f := &m.Answers[k], m.Profile.Plugins[k].Filter
	if f == nil || a.Skipped || a.Pre != nil {
		return
	}
	m.Profile.unreadable().reset()
	defer m.Profile.noteReads(a)
	defer recoverInto(a)
	a.Column = m.cells[k*len(m.Nodes) : (k+1)*len(m.Nodes)]
	clear(a.Column)
	var left *fwk.Status
	if a.Only != nil {
		left = leftOut(m.Profile.Plugins[k].Name)
	}
	early := make([]bool, len(m.views))
	m.asked = append(m.asked[:0], m.left...)
	asked, answers := m.asked, &m.Profile.state().answers
	kept := answers.of(m, k, pod)
	asked = answers.recall(kept, m, asked, a.Column)
	parallelizer{m.Profile.Scheduler.options.Parallelism}.Until(ctx, len(asked), func(n int) {
		i := asked[n]
		node := m.Nodes[i]
		if a.Only != nil && !a.Only.Has(node.Node().Name) {
			a.Column[i] = left
			return
		}
		if m.views != nil && m.views[i] != nil {
			if status := m.views[i].ask(ctx, f, pod); !status.IsSuccess() {
				a.Column[i], early[i] = status, true
				return
			}
		}
		if status := f.Filter(ctx, m.State, pod, node); !status.IsSuccess() {
			a.Column[i] = status
		}
	}, "")
	if ctx.Err() == nil {
		answers.keep(kept, m, asked, a.Column)
	}
	for i, rejected := range early {
		if rejected {
			a.rejectEarly(i)
		}
	}
}

func (a *Answer) rejectEarly(i int) {
	if a.early == nil {
		a.early = map[int]bool{}
	}
	a.early[i] = true
}

// ask is the first pass over a node: with the nominated pods on it.
func (v *view) ask(ctx context.Context, f fwk.FilterPlugin, pod *corev1.Pod) *fwk.Status {
	if status, failed := v.failed[f.Name()]; failed {
		return status
	}
	return f.Filter(ctx, v.state, pod, v.node)
}

// leftOut is the status of nodes that the plugin's PreFilter left out, in the
// words that the scheduler uses for them.
func leftOut(plugin string) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", []string{plugin}))
}

// viewNominated prepares the first pass for the nodes that pods of the same or a
// higher priority are nominated to (addGENominatedPods of the framework).
func (m *Matrix) viewNominated(ctx context.Context, pod *corev1.Pod) {
	names := m.Profile.state().nominator.nodes()
	if len(names) == 0 {
		return
	}
	wanted := sets.New(names...)
	for i, node := range m.Nodes {
		if !wanted.Has(node.Node().Name) {
			continue
		}
		if v := m.view(ctx, node, pod); v != nil {
			if m.views == nil {
				m.views = make([]*view, len(m.Nodes))
			}
			m.views[i] = v
		}
	}
}

// view adds to a copy of node the pods that are nominated to it and that pod has
// to yield to; nil if there are none.
func (m *Matrix) view(ctx context.Context, node fwk.NodeInfo, pod *corev1.Pod) *view {
	var pods []fwk.PodInfo
	for _, nominated := range m.Profile.state().nominator.NominatedPodsForNode(node.Node().Name) {
		other := nominated.GetPod()
		if corev1helpers.PodPriority(other) >= corev1helpers.PodPriority(pod) && other.UID != pod.UID {
			pods = append(pods, nominated)
		}
	}
	if len(pods) == 0 {
		return nil
	}
	v := &view{node: node.Snapshot(), state: m.State.Clone(), pods: pods, failed: map[string]*fwk.Status{}}
	for _, nominated := range pods {
		v.node.AddPodInfo(nominated)
		for k, p := range m.Profile.Plugins {
			a := &m.Answers[k]
			if p.pre == nil || p.pre.PreFilterExtensions() == nil || a.Skipped || a.Pre != nil {
				continue
			}
			if status := p.addPod(ctx, v, pod, nominated); !status.IsSuccess() {
				v.failed[p.Name] = status
			}
		}
	}
	return v
}

// addPod tells the plugin that nominated is on the view's node.
func (p Plugin) addPod(ctx context.Context, v *view, pod *corev1.Pod, nominated fwk.PodInfo) (status *fwk.Status) {
	defer func() {
		if r := recover(); r != nil {
			status = fwk.AsStatus(newPanicked(r))
		}
	}()
	return p.pre.PreFilterExtensions().AddPod(ctx, v.state, pod, nominated, v.node)
}

// recoverInto turns a plugin's panic into an answer that does not count.
func recoverInto(a *Answer) {
	if r := recover(); r != nil {
		a.leaveOpen(PluginError, newPanicked(r).Error())
		a.Pre, a.Only, a.Column = nil, nil, nil
	}
}

// Rejects says what plugin k has against node i; nil if nothing that counts.
func (m *Matrix) Rejects(k, i int) *fwk.Status {
	a := &m.Answers[k]
	status := a.Pre
	if a.Column != nil {
		status = a.Column[i]
	}
	if a.Open != nil || !status.IsRejected() {
		return nil
	}
	return status
}

// Column finds what a plugin answered for each node; nil where it did not.
func (m *Matrix) Column() func(name string) []*fwk.Status {
	return func(name string) []*fwk.Status {
		k := m.Profile.IndexOf(name)
		if k < 0 || m.Answers[k].Open != nil {
			return nil
		}
		return m.Answers[k].Column
	}
}

// undecided says whether it is open what plugin k has against node i.
func (m *Matrix) undecided(k, i int) bool {
	a := &m.Answers[k]
	if a.Open != nil || Unsure(m, k, i) {
		return true
	}
	return Failed(a.Pre) || (a.Column != nil && Failed(a.Column[i]))
}

// Failed says whether status is neither a yes nor a no.
func Failed(status *fwk.Status) bool {
	return !status.IsSuccess() && !status.IsRejected()
}

// Fits says whether the pod fits node i: false if any plugin rejects it for
// sure, null if none does but one could not be asked.
func (m *Matrix) Fits(i int) *bool {
	open := false
	for _, k := range m.Objecting {
		if m.Rejects(k, i) != nil {
			return new(false)
		}
		open = open || m.undecided(k, i)
	}
	if open {
		return nil
	}
	return new(true)
}

// Fitting is on how many nodes the pod fits for sure.
func (m *Matrix) Fitting() (fits int) {
	for i := range m.Nodes {
		if f := m.Fits(i); f != nil && *f {
			fits++
		}
	}
	return fits
}

// podless are the plugins that look at no pods but the one in question: what is
// nominated to a node has no part in their rejection.
var podless = map[string]bool{
	names.NodeName: true, names.NodeUnschedulable: true, names.TaintToleration: true, names.NodeAffinity: true,
}

// Rejection is what plugin k saw when it rejected node i.
func (m *Matrix) Rejection(k, i int) plugins.NodeRejection {
	a := &m.Answers[k]
	r := plugins.NodeRejection{Plugin: m.Profile.Plugins[k].Name, State: m.State}
	if a.Pre != nil {
		r.Status = a.Pre
		return r
	}
	r.Node, r.Status, r.At = m.Nodes[i], a.Column[i], i
	if a.early[i] && !podless[r.Plugin] {
		v := m.views[i]
		r.Node, r.State, r.Nominated = v.node, v.state, v.pods
	}
	return r
}

// Rejections are what plugin k saw when it rejected some nodes. The next call takes
// the room that they are in.
func (m *Matrix) Rejections(k int, nodes []int) []plugins.NodeRejection {
	m.rejections = slices.Grow(m.rejections[:0], len(nodes))
	for _, i := range nodes {
		m.rejections = append(m.rejections, m.Rejection(k, i))
	}
	return m.rejections
}
