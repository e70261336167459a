package scheduler

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

// PreScorers are the plugins of PreScore, in their order.
func (p *Profile) PreScorers() []string {
	all := make([]string, len(p.preScorers))
	for i, one := range p.preScorers {
		all[i] = one.Name()
	}
	return all
}

// Scorers are the plugins of Score, in their order.
func (p *Profile) Scorers() []string {
	all := make([]string, len(p.scorers))
	for i, one := range p.scorers {
		all[i] = one.name
	}
	return all
}

// captureScorers keeps hold of the plugins that rank nodes, in their order.
func (p *Profile) captureScorers(enabled *config.Plugins, made map[string]fwk.Plugin) {
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

// RankedNode is a node that fits, with what the plugins give it.
type RankedNode struct {
	Node   string
	Total  int64 // of score × weight
	Tied   bool  // no node has more: one of several such is taken at random, or it is the only one
	Scores []report.NodeScore
}

// Ranking is the order in which the scheduler likes the nodes that fit.
type Ranking struct {
	Nodes   []RankedNode         // best first, equal ones by name
	before  []string             // plugins whose PreScore ran, in their order
	Skipped sets.Set[string]     // plugins that have nothing to say about this pod
	Unread  []report.UnknownPart // what scores rest on and could not be read
}

// Prioritize orders the nodes that fit as the scheduler does (its prioritizeNodes), best
// first; state is that of the PreFilter and Filter halves that let the pod on them.
// Plugins are not asked where only one node fits.
func (p *Profile) Prioritize(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo) (Ranking, error) {
	r := Ranking{Skipped: sets.New[string]()}
	if len(feasible) < 2 {
		for _, node := range feasible {
			r.Nodes = append(r.Nodes, RankedNode{Node: node.Node().Name, Tied: true})
		}
		return r, nil
	}
	if err := p.preScore(ctx, state, pod, feasible, &r); err != nil {
		return r, err
	}
	all, err := p.score(ctx, state, pod, feasible, &r)
	if err != nil {
		return r, err
	}
	r.Nodes = make([]RankedNode, len(all))
	for i := range all {
		r.Nodes[i] = p.ranked(&all[i])
	}
	slices.SortFunc(r.Nodes, func(a, b RankedNode) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Node, b.Node))
	})
	for i := range r.Nodes {
		r.Nodes[i].Tied = r.Nodes[i].Total == r.Nodes[0].Total
	}
	return r, ctx.Err()
}

// preScore asks the PreScore halves, which see all nodes at once.
func (p *Profile) preScore(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo, r *Ranking) error {
	for _, plugin := range p.preScorers {
		p.unreadable().reset()
		switch status := plugin.PreScore(ctx, state, pod, feasible); {
		case status.IsSkip():
			r.Skipped.Insert(plugin.Name())
		case !status.IsSuccess():
			return fmt.Errorf("run PreScore plugin %s: %w", plugin.Name(), status.AsError())
		default:
			r.before = append(r.before, plugin.Name())
		}
		p.noteScoringReads(plugin.Name(), r)
	}
	state.SetSkipScorePlugins(r.Skipped)
	return ctx.Err()
}

// score asks each plugin about each node, and lets the framework normalise and
// weigh what they say.
func (p *Profile) score(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo, r *Ranking) ([]fwk.NodePluginScores, error) {
	all := make([]fwk.NodePluginScores, len(feasible))
	for i, node := range feasible {
		all[i].Name, all[i].RawScores = node.Node().Name, make([]fwk.PluginScore, 0, len(p.scorers))
	}
	nodes := p.state().nodes
	images := nodes.images.named(pod)
	for _, s := range p.scorers {
		if r.Skipped.Has(s.name) {
			continue
		}
		p.unreadable().reset()
		statuses := make([]*fwk.Status, len(feasible))
		parallelizer{p.Scheduler.options.Parallelism}.Until(ctx, len(feasible), func(i int) {
			node := feasible[i]
			if s.name == names.ImageLocality {
				node = nodes.withImages(node, images)
			}
			var raw int64
			raw, statuses[i] = s.plugin.Score(ctx, state, pod, node)
			all[i].RawScores = append(all[i].RawScores, fwk.PluginScore{Name: s.name, Score: raw})
		}, "")
		p.noteScoringReads(s.name, r)
		if at := slices.IndexFunc(statuses, func(status *fwk.Status) bool { return !status.IsSuccess() }); at >= 0 {
			return nil, fmt.Errorf("run Score plugin %s on %s: %w", s.name, all[at].Name, statuses[at].AsError())
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if status := p.Framework.NormalizeScores(ctx, state, pod, all); !status.IsSuccess() {
		return nil, fmt.Errorf("normalize scores: %w", status.AsError())
	}
	return all, nil
}

// ranked takes the weights out of what the framework has summed up.
func (p *Profile) ranked(given *fwk.NodePluginScores) RankedNode {
	r := RankedNode{Node: given.Name, Total: given.TotalScore}
	for i, weighed := range given.Scores {
		s := report.NodeScore{Node: given.Name, Plugin: weighed.Name, Weight: p.weight(weighed.Name), Raw: given.RawScores[i].Score}
		s.Score = weighed.Score / s.Weight // the framework has multiplied them
		r.Scores = append(r.Scores, s)
	}
	return r
}

// weight is the profile's for a score plugin; the framework lets none be 0.
func (p *Profile) weight(plugin string) int64 {
	for _, s := range p.scorers {
		if s.name == plugin {
			return s.weight
		}
	}
	return 1
}

// noteScoringReads notes what the plugin has just read that could not be listed:
// its scores may be others. InterPodAffinity reads the pod's own namespace
// whether it needs it or not, which does not count where it has nothing to say.
func (p *Profile) noteScoringReads(plugin string, r *Ranking) {
	for _, resource := range p.unreadable().reads() {
		if resource == "namespaces" && plugin == names.InterPodAffinity && !r.said(plugin) {
			continue
		}
		r.Unread = report.MergeUnknown(r.Unread, []report.UnknownPart{{Resource: resource, Why: p.Scheduler.Forbidden[resource], Plugins: []string{plugin}}})
	}
}

// said says whether the plugin has not skipped the pod.
func (r *Ranking) said(plugin string) bool { return !r.Skipped.Has(plugin) }

// Of are one plugin's scores, best node of all first.
func (r *Ranking) Of(plugin string) []report.NodeScore {
	scores := make([]report.NodeScore, 0, len(r.Nodes))
	for _, node := range r.Nodes {
		for _, s := range node.Scores {
			if s.Plugin == plugin {
				scores = append(scores, s)
			}
		}
	}
	return scores
}

// SampledFrom is the number of nodes from which the scheduler does not look at all
// of them once it has found enough (minFeasibleNodesToFind), and leastSampled
// the least share of them in percent (minFeasibleNodesPercentageToFind).
const (
	SampledFrom  = 100
	leastSampled = 5
)

// Sample is how many nodes that fit the scheduler looks for among nodes of them
// (Scheduler.numFeasibleNodesToFind): it starts where it left off for another
// pod, so which ones it finds cannot be said.
func (p *Profile) Sample(nodes int) int {
	if nodes < SampledFrom {
		return nodes
	}
	percentage := 0
	if own := p.Framework.PercentageOfNodesToScore(); own != nil {
		percentage = int(*own)
	}
	if percentage == 0 {
		percentage = max(50-nodes/125, leastSampled)
	}
	return max(nodes*percentage/100, SampledFrom)
}

// Included is how many nodes PreFilter leaves to be filtered.
func (m *Matrix) Included() int {
	count := 0
	for _, node := range m.Nodes {
		if m.Includes(node.Node().Name) {
			count++
		}
	}
	return count
}

// Includes says whether no PreFilter half leaves the node out.
func (m *Matrix) Includes(node string) bool {
	for k := range m.Answers {
		if only := m.Answers[k].Only; only != nil && !only.Has(node) {
			return false
		}
	}
	return true
}
