package explain

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// matrix is the answer of every plugin for every node: columns of statuses, nil
// where a plugin has nothing against a node.
type matrix struct {
	nodes   []fwk.NodeInfo
	state   *framework.CycleState
	answers []answer // by plugin
	said    []int    // plugins that have anything against any node, or could not be asked
	views   []*view  // by node; empty where no nominated pod counts
	cells   []*fwk.Status
	room    []plugins.Refused // for telling refusals

	brief bool   // each node is asked about no further than its first refusal
	left  []bool // by node: it is not asked about, or no longer; empty where all are
}

// answer is what one plugin has to say.
type answer struct {
	skipped bool                // nothing about this pod
	pre     *fwk.Status         // PreFilter refused the pod, or failed; nil: it did not
	only    sets.Set[string]    // the nodes that PreFilter leaves; nil: all
	column  []*fwk.Status       // by node; nil where Filter was not run
	early   map[int]bool        // nodes refused because of the pods nominated to them
	open    map[string][]string // resource → why: the answer does not count
}

// view is a node with the pods that are nominated to it, as the first of the two
// passes over such a node sees it.
type view struct {
	node   fwk.NodeInfo
	state  fwk.CycleState
	pods   []fwk.PodInfo
	failed map[string]*fwk.Status // plugins that could not take the pods in
}

// errorsOf is the resource under which failures of a plugin's own are told.
const errorsOf = "plugin error"

// ask runs every plugin on every node, each to its end. All plugins of one
// question share one CycleState, as they do in the scheduler.
func (e *Engine) ask(ctx context.Context, pod *corev1.Pod) (*matrix, error) {
	e.evaluations++
	return &e.scratch, e.askInto(ctx, &e.scratch, pod, nil)
}

// askInto asks about the named nodes, nil: about all, with the room that m has
// from the question before.
func (e *Engine) askInto(ctx context.Context, m *matrix, pod *corev1.Pod, only []string) error {
	nodes, err := e.overlay.NodeInfos().List()
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	m.nodes = nodes
	if m.left = m.left[:0]; m.brief || only != nil {
		m.leave(only)
	}
	m.state = framework.NewCycleState()
	m.answers = make([]answer, len(e.plugins))
	m.views = nil
	m.cells = slices.Grow(m.cells[:0], len(nodes)*len(e.plugins))[:len(nodes)*len(e.plugins)]
	clear(m.cells)
	skipped := sets.New[string]()
	for _, k := range e.preOrder {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.preFilter(ctx, m, k, pod)
		if m.answers[k].skipped {
			skipped.Insert(e.plugins[k].name)
		}
	}
	m.state.SetSkipFilterPlugins(skipped)
	e.viewNominated(ctx, m, pod)
	for k := range e.plugins {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.filter(ctx, m, k, pod)
		if m.brief {
			m.settle(&m.answers[k])
		}
	}
	e.leaveOpen(m, pod)
	m.said = m.said[:0]
	for k := range m.answers {
		a := &m.answers[k]
		if a.open != nil || a.pre != nil || slices.ContainsFunc(a.column, func(s *fwk.Status) bool { return s != nil }) {
			m.said = append(m.said, k)
		}
	}
	return ctx.Err()
}

// preFilter asks the PreFilter half of plugin k.
func (e *Engine) preFilter(ctx context.Context, m *matrix, k int, pod *corev1.Pod) {
	a := &m.answers[k]
	e.options.Trace.reset()
	defer e.noteReads(a)
	defer recoverInto(a)
	result, status := e.plugins[k].pre.PreFilter(ctx, m.state, pod, m.nodes)
	switch {
	case status.IsSkip():
		a.skipped = true
	case !status.IsSuccess():
		a.pre = status
	case !result.AllNodes():
		a.only = result.NodeNames
	}
}

// filter asks the Filter half of plugin k about every node, unless its PreFilter
// has left nothing to ask.
func (e *Engine) filter(ctx context.Context, m *matrix, k int, pod *corev1.Pod) {
	a, f := &m.answers[k], e.plugins[k].filter
	if f == nil || a.skipped || a.pre != nil {
		return
	}
	e.options.Trace.reset()
	defer e.noteReads(a)
	defer recoverInto(a)
	a.column = m.cells[k*len(m.nodes) : (k+1)*len(m.nodes)]
	left := leftOut(e.plugins[k].name)
	early := make([]bool, len(m.views))
	parallelizer{e.options.Parallelism}.Until(ctx, len(m.nodes), func(i int) {
		node := m.nodes[i]
		if len(m.left) > 0 && m.left[i] {
			return
		}
		if a.only != nil && !a.only.Has(node.Node().Name) {
			a.column[i] = left
			return
		}
		if m.views != nil && m.views[i] != nil {
			if status := m.views[i].ask(ctx, f, pod); !status.IsSuccess() {
				a.column[i], early[i] = status, true
				return
			}
		}
		if status := f.Filter(ctx, m.state, pod, node); !status.IsSuccess() {
			a.column[i] = status
		}
	}, "")
	for i, refused := range early {
		if refused {
			a.refuseEarly(i)
		}
	}
}

func (a *answer) refuseEarly(i int) {
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
func (e *Engine) viewNominated(ctx context.Context, m *matrix, pod *corev1.Pod) {
	names := e.nominator.nodes()
	if len(names) == 0 {
		return
	}
	wanted := sets.New(names...)
	for i, node := range m.nodes {
		if !wanted.Has(node.Node().Name) {
			continue
		}
		if v := e.view(ctx, m, node, pod); v != nil {
			if m.views == nil {
				m.views = make([]*view, len(m.nodes))
			}
			m.views[i] = v
		}
	}
}

// view adds to a copy of node the pods that are nominated to it and that pod has
// to yield to; nil if there are none.
func (e *Engine) view(ctx context.Context, m *matrix, node fwk.NodeInfo, pod *corev1.Pod) *view {
	var pods []fwk.PodInfo
	for _, nominated := range e.nominator.NominatedPodsForNode(node.Node().Name) {
		other := nominated.GetPod()
		if corev1helpers.PodPriority(other) >= corev1helpers.PodPriority(pod) && other.UID != pod.UID {
			pods = append(pods, nominated)
		}
	}
	if len(pods) == 0 {
		return nil
	}
	v := &view{node: node.Snapshot(), state: m.state.Clone(), pods: pods, failed: map[string]*fwk.Status{}}
	for _, nominated := range pods {
		v.node.AddPodInfo(nominated)
		for k, p := range e.plugins {
			a := &m.answers[k]
			if p.pre == nil || p.pre.PreFilterExtensions() == nil || a.skipped || a.pre != nil {
				continue
			}
			if status := e.addPod(ctx, p, v, pod, nominated); !status.IsSuccess() {
				v.failed[p.name] = status
			}
		}
	}
	return v
}

// addPod tells one plugin that nominated is on the view's node.
func (e *Engine) addPod(ctx context.Context, p plugin, v *view, pod *corev1.Pod, nominated fwk.PodInfo) (status *fwk.Status) {
	defer func() {
		if r := recover(); r != nil {
			status = fwk.AsStatus(newPanicked(r))
		}
	}()
	return p.pre.PreFilterExtensions().AddPod(ctx, v.state, pod, nominated, v.node)
}

// recoverInto turns a plugin's panic into an answer that does not count.
func recoverInto(a *answer) {
	if r := recover(); r != nil {
		a.leaveOpen(errorsOf, newPanicked(r).Error())
		a.pre, a.only, a.column = nil, nil, nil
	}
}

// refuses says what plugin k has against node i; nil if nothing that counts.
func (m *matrix) refuses(k, i int) *fwk.Status {
	a := &m.answers[k]
	status := a.pre
	if a.column != nil {
		status = a.column[i]
	}
	if a.open != nil || !status.IsRejected() {
		return nil
	}
	return status
}

// columnOf finds what a plugin answered for each node; nil where it did not.
func (m *matrix) columnOf(plugins []plugin) func(name string) []*fwk.Status {
	return func(name string) []*fwk.Status {
		k := slices.IndexFunc(plugins, func(p plugin) bool { return p.name == name })
		if k < 0 || m.answers[k].open != nil {
			return nil
		}
		return m.answers[k].column
	}
}

// undecided says whether it is open what plugin k has against node i.
func (m *matrix) undecided(k, i int) bool {
	a := &m.answers[k]
	if a.open != nil {
		return true
	}
	return failed(a.pre) || (a.column != nil && failed(a.column[i]))
}

// failed says whether status is neither a yes nor a no.
func failed(status *fwk.Status) bool {
	return !status.IsSuccess() && !status.IsRejected()
}

// fits says whether the pod fits node i: false if any plugin refuses it for
// sure, null if none does but one could not be asked.
func (m *matrix) fits(i int) *bool {
	open := false
	for _, k := range m.said {
		if m.refuses(k, i) != nil {
			return new(false)
		}
		open = open || m.undecided(k, i)
	}
	if open {
		return nil
	}
	return new(true)
}

// count is on how many nodes the pod fits for sure.
func (m *matrix) count() (fits int) {
	for i := range m.nodes {
		if f := m.fits(i); f != nil && *f {
			fits++
		}
	}
	return fits
}
