package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// scorer is one plugin that says which of the nodes that fit suits a pod best.
type scorer struct {
	name   string
	plugin fwk.ScorePlugin
	weight int64 // the profile's
}

// captureScorers keeps hold of the plugins that rank nodes, in their order.
func (p *profile) captureScorers(enabled *config.Plugins, made map[string]fwk.Plugin) {
	for _, one := range enabled.PreScore.Enabled {
		if pre, ok := made[one.Name].(fwk.PreScorePlugin); ok {
			p.preScorers = append(p.preScorers, pre)
		}
	}
	for _, one := range enabled.Score.Enabled {
		if plugin, ok := made[one.Name].(fwk.ScorePlugin); ok {
			p.scorers = append(p.scorers, scorer{one.Name, plugin, int64(one.Weight)})
		}
	}
}

// ranked is a node that fits, with what the plugins give it.
type ranked struct {
	node   string
	total  int64 // of score × weight
	tied   bool  // no node has more: one of several such is taken at random, or it is the only one
	scores []report.NodeScore
}

// ranking is the order in which the scheduler likes the nodes that fit.
type ranking struct {
	nodes   []ranked             // best first, equal ones by name
	before  []string             // plugins whose PreScore ran, in their order
	skipped sets.Set[string]     // plugins that have nothing to say about this pod
	unread  []report.UnknownPart // what scores rest on and could not be read
}

// rank orders the nodes that fit as the scheduler does, best first; state is that
// of the PreFilter and Filter halves that let the pod on them.
func (e *Engine) rank(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo) ([]ranked, error) {
	r, err := e.prioritize(ctx, state, pod, feasible)
	return r.nodes, err
}

// prioritize repeats prioritizeNodes of the scheduler, which is not asked where
// only one node fits.
func (e *Engine) prioritize(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo) (ranking, error) {
	defer e.asFor(pod)()
	r := ranking{skipped: sets.New[string]()}
	if len(feasible) < 2 {
		for _, node := range feasible {
			r.nodes = append(r.nodes, ranked{node: node.Node().Name, tied: true})
		}
		return r, nil
	}
	if err := e.preScore(ctx, state, pod, feasible, &r); err != nil {
		return r, err
	}
	all, err := e.score(ctx, state, pod, feasible, &r)
	if err != nil {
		return r, err
	}
	r.nodes = make([]ranked, len(all))
	for i := range all {
		r.nodes[i] = e.ranked(&all[i])
	}
	slices.SortFunc(r.nodes, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.total, a.total), strings.Compare(a.node, b.node))
	})
	for i := range r.nodes {
		r.nodes[i].tied = r.nodes[i].total == r.nodes[0].total
	}
	return r, ctx.Err()
}

// preScore asks the PreScore halves, which see all nodes at once.
func (e *Engine) preScore(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo, r *ranking) error {
	for _, p := range e.preScorers {
		e.options.Trace.reset()
		switch status := p.PreScore(ctx, state, pod, feasible); {
		case status.IsSkip():
			r.skipped.Insert(p.Name())
		case !status.IsSuccess():
			return fmt.Errorf("run PreScore plugin %s: %w", p.Name(), status.AsError())
		default:
			r.before = append(r.before, p.Name())
		}
		e.noteScoringReads(p.Name(), r)
	}
	state.SetSkipScorePlugins(r.skipped)
	return ctx.Err()
}

// score asks each plugin about each node, and lets the framework normalise and
// weigh what they say.
func (e *Engine) score(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo, r *ranking) ([]fwk.NodePluginScores, error) {
	all := make([]fwk.NodePluginScores, len(feasible))
	for i, node := range feasible {
		all[i].Name, all[i].RawScores = node.Node().Name, make([]fwk.PluginScore, 0, len(e.scorers))
	}
	for _, s := range e.scorers {
		if r.skipped.Has(s.name) {
			continue
		}
		e.options.Trace.reset()
		refused := make([]*fwk.Status, len(feasible))
		parallelizer{e.options.Parallelism}.Until(ctx, len(feasible), func(i int) {
			var raw int64
			raw, refused[i] = s.plugin.Score(ctx, state, pod, feasible[i])
			all[i].RawScores = append(all[i].RawScores, fwk.PluginScore{Name: s.name, Score: raw})
		}, "")
		e.noteScoringReads(s.name, r)
		if at := slices.IndexFunc(refused, func(status *fwk.Status) bool { return !status.IsSuccess() }); at >= 0 {
			return nil, fmt.Errorf("run Score plugin %s on %s: %w", s.name, all[at].Name, refused[at].AsError())
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if status := e.framework.NormalizeScores(ctx, state, pod, all); !status.IsSuccess() {
		return nil, fmt.Errorf("normalise scores: %w", status.AsError())
	}
	return all, nil
}

// ranked takes the weights out of what the framework has summed up.
func (e *Engine) ranked(given *fwk.NodePluginScores) ranked {
	r := ranked{node: given.Name, total: given.TotalScore}
	for i, weighed := range given.Scores {
		s := report.NodeScore{Node: given.Name, Plugin: weighed.Name, Weight: e.weight(weighed.Name), Raw: given.RawScores[i].Score}
		s.Score = weighed.Score / s.Weight // the framework has multiplied them
		r.scores = append(r.scores, s)
	}
	return r
}

// weight is the profile's for a score plugin; the framework lets none be 0.
func (e *Engine) weight(plugin string) int64 {
	for _, s := range e.scorers {
		if s.name == plugin {
			return s.weight
		}
	}
	return 1
}

// noteScoringReads notes what the plugin has just read that could not be listed:
// its scores may be others. InterPodAffinity reads the pod's own namespace
// whether it needs it or not, which does not count where it has nothing to say.
func (e *Engine) noteScoringReads(plugin string, r *ranking) {
	for _, resource := range e.options.Trace.reads() {
		if resource == "namespaces" && plugin == names.InterPodAffinity && !r.said(plugin) {
			continue
		}
		r.unread = mergeParts(r.unread, []report.UnknownPart{{Resource: resource, Why: e.forbidden[resource], Plugins: []string{plugin}}})
	}
}

// said says whether the plugin has not skipped the pod.
func (r *ranking) said(plugin string) bool { return !r.skipped.Has(plugin) }
