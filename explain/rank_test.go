package explain

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// place is where the scheduler puts the pod, "" for nowhere.
func (u *upstream) place(pod *corev1.Pod) string {
	info, _ := framework.NewPodInfo(pod)
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	result, err := u.SchedulePod(context.Background(), u.profile, state, &framework.QueuedPodInfo{PodInfo: info})
	if err != nil {
		return ""
	}
	return result.SuggestedHost
}

// scores are the framework's own, plugin by plugin, for the nodes that fit.
func (u *upstream) scores(t *testing.T, pod *corev1.Pod) map[string]fwk.NodePluginScores {
	t.Helper()
	ctx, state := context.Background(), framework.NewCycleState()
	only, status, _ := u.profile.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil
	}
	nodes, err := u.profile.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node fwk.NodeInfo) bool {
		return !only.AllNodes() && !only.NodeNames.Has(node.Node().Name) ||
			!u.profile.RunFilterPluginsWithNominatedPods(ctx, state, pod, node).IsSuccess()
	})
	if status := u.profile.RunPreScorePlugins(ctx, state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status.AsError())
	}
	all, status := u.profile.RunScorePlugins(ctx, state, pod, nodes)
	if !status.IsSuccess() {
		t.Fatal(status.AsError())
	}
	byNode := map[string]fwk.NodePluginScores{}
	for _, given := range all {
		byNode[given.Name] = given
	}
	return byNode
}

// preferences adds what only ranks nodes to a random pod.
func preferences(d dice, p *corev1.Pod) {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	affinity := p.Spec.Affinity
	if d.Chance(40) {
		if affinity.NodeAffinity == nil {
			affinity.NodeAffinity = &corev1.NodeAffinity{}
		}
		affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{
			Weight: int32(1 + d(100)), Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: "disktype", Operator: corev1.NodeSelectorOpIn, Values: []string{one(d, "ssd", "hdd")}},
			}},
		}}
	}
	if d.Chance(40) {
		term := []corev1.WeightedPodAffinityTerm{{Weight: int32(1 + d(100)), PodAffinityTerm: corev1.PodAffinityTerm{
			TopologyKey:   one(d, corev1.LabelHostname, corev1.LabelTopologyZone),
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": one(d, "a", "b", "c")}},
		}}}
		if d.Chance(50) {
			if affinity.PodAffinity == nil {
				affinity.PodAffinity = &corev1.PodAffinity{}
			}
			affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = term
		} else {
			if affinity.PodAntiAffinity == nil {
				affinity.PodAntiAffinity = &corev1.PodAntiAffinity{}
			}
			affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = term
		}
	}
}

// rankable is a random cluster whose pods also prefer things, its images being
// on some of the nodes.
func rankable(seed uint64) *randomCluster {
	d := dice(rand.New(rand.NewPCG(seed, 6)).IntN)
	c := newRandomCluster(d, 2+d(40), d(60), 12)
	for _, node := range c.Nodes {
		if d.Chance(40) {
			node.Status.Images = []corev1.ContainerImage{{Names: []string{"registry.example/main:latest"}, SizeBytes: int64(1+d(9)) << 27}}
		}
	}
	for _, pod := range slices.Concat(c.Bound, c.Pending) {
		preferences(d, pod)
	}
	c.Others = append(c.Others, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "red", Name: "a"}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "a"}},
	})
	return c
}

func TestTheSchedulerTakesTheNodeThatRanksFirst(t *testing.T) {
	placed, ties, scores := 0, 0, 0
	for seed := range seeds(t) {
		c := rankable(seed)
		e, real := startEngine(t, Options{}, c.Objects()...), startUpstream(t, c.Objects()...)
		for _, pod := range c.Pending {
			pod = withoutNomination(pod)
			want := real.place(pod)
			best, all := rankedFirst(t, e, pod)
			if want == "" || len(best) == 0 {
				if want != "" || len(best) > 0 {
					t.Errorf("seed %d, pod %s: the scheduler takes %q, first rank %v", seed, pod.Name, want, best)
				}
				continue
			}
			placed++
			if len(best) > 1 {
				ties++
			}
			if !slices.Contains(best, want) {
				t.Errorf("seed %d, pod %s: the scheduler takes %s, first rank %v", seed, pod.Name, want, best)
			}
			scores += compareScores(t, real, pod, all)
		}
	}
	if placed == 0 || scores == 0 {
		t.Fatal("no pod was placed")
	}
	t.Logf("%d pods placed, %d of them among several of the first rank; %d scores compared", placed, ties, scores)
}

// withoutNomination is the pod as if no preemption had made room for it: the
// scheduler does not rank nodes where the nominated one fits.
func withoutNomination(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Status.NominatedNodeName = ""
	return pod
}

// rankedFirst ranks the nodes that fit the pod; best are those of the first rank.
func rankedFirst(t *testing.T, e *Engine, pod *corev1.Pod) (best []string, all []scheduler.RankedNode) {
	t.Helper()
	m, err := e.scheduler.Profile(pod).Evaluate(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	var feasible []fwk.NodeInfo
	for i, node := range m.Nodes {
		if fits := m.Fits(i); fits != nil && *fits {
			feasible = append(feasible, node)
		}
	}
	ranked, err := e.scheduler.Profile(pod).Prioritize(t.Context(), m.State, pod, feasible)
	if err != nil {
		t.Fatal(err)
	}
	all = ranked.Nodes
	for _, r := range all {
		if r.Tied {
			best = append(best, r.Node)
		}
	}
	return best, all
}

// compareScores holds each score and each total to the framework's own.
func compareScores(t *testing.T, real *upstream, pod *corev1.Pod, all []scheduler.RankedNode) (compared int) {
	t.Helper()
	if len(all) < 2 {
		return 0 // the scheduler does not come to scores
	}
	want := real.scores(t, pod)
	if len(want) != len(all) {
		t.Fatalf("pod %s: %d nodes ranked, the framework ranks %d", pod.Name, len(all), len(want))
	}
	for _, r := range all {
		theirs := want[r.Node]
		if theirs.TotalScore != r.Total {
			t.Errorf("pod %s on %s: total %d, the framework's %d", pod.Name, r.Node, r.Total, theirs.TotalScore)
		}
		weighed, raw := map[string]int64{}, map[string]int64{}
		for i := range theirs.Scores {
			weighed[theirs.Scores[i].Name], raw[theirs.RawScores[i].Name] = theirs.Scores[i].Score, theirs.RawScores[i].Score
		}
		sum := int64(0)
		for _, s := range r.Scores {
			sum += s.Score * s.Weight
			if s.Score*s.Weight != weighed[s.Plugin] || s.Raw != raw[s.Plugin] || s.Node != r.Node {
				t.Errorf("pod %s on %s: %s gives %d×%d, raw %d; the framework %d, raw %d", pod.Name, r.Node, s.Plugin,
					s.Score, s.Weight, s.Raw, weighed[s.Plugin], raw[s.Plugin])
			}
			compared++
		}
		if sum != r.Total {
			t.Errorf("pod %s on %s: the scores sum up to %d, the total is %d", pod.Name, r.Node, sum, r.Total)
		}
	}
	return compared
}

func TestRankingSaysWhichScoresRestOnWhatIsNotRead(t *testing.T) {
	e := startEngineForbidding(t, Options{}, []string{"services", "namespaces"}, aNode("a", "4"), aNode("b", "4"))
	pod := aPod("web", "1")
	m, err := e.scheduler.Profile(pod).Evaluate(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.scheduler.Profile(pod).Prioritize(t.Context(), m.State, pod, m.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unread) != 1 || r.Unread[0].Resource != "services" || !slices.Equal(r.Unread[0].Plugins, []string{"PodTopologySpread"}) {
		t.Errorf("unread: %+v", r.Unread)
	}
	if len(r.Nodes) != 2 || r.Nodes[0].Node != "a" || !r.Nodes[0].Tied || !r.Nodes[1].Tied {
		t.Errorf("ranked: %+v", r.Nodes)
	}
}
