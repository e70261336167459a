package plugins_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/deferredpodscheduling"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/gangscheduling"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

func init() { metrics.Register() }

// bench runs one real plugin over nodes and pods.
type bench struct {
	fwk.Handle // nil: what the eight plugins do not use
	nodes      fwk.SharedLister
	factory    informers.SharedInformerFactory
	groups     fwk.PodGroupManager
	nominated  []*corev1.Pod // on their status.nominatedNodeName, of equal or higher priority
}

func (b *bench) SnapshotSharedLister() fwk.SharedLister                 { return b.nodes }
func (b *bench) SharedInformerFactory() informers.SharedInformerFactory { return b.factory }
func (b *bench) SharedDRAManager() fwk.SharedDRAManager                 { return nil }
func (b *bench) PodGroupManager() fwk.PodGroupManager                   { return b.groups }
func (b *bench) Parallelizer() fwk.Parallelizer                         { return parallelize.NewParallelizer(1) }

func newBench(nodes []*corev1.Node, pods []*corev1.Pod) *bench {
	b := &bench{factory: informers.NewSharedInformerFactory(fake.NewClientset(), 0)}
	var bound []*corev1.Pod
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			b.nominated = append(b.nominated, pod)
			continue
		}
		bound = append(bound, pod)
	}
	b.nodes = internalcache.NewSnapshot(bound, nodes)
	return b
}

// namespaces are shop and web, with a label each.
func namespaces() corelisters.NamespaceLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, name := range []string{"shop", "web"} {
		err := indexer.Add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": name}}})
		if err != nil {
			panic(err)
		}
	}
	return corelisters.NewNamespaceLister(indexer)
}

func (b *bench) plugin(t testing.TB, name string) fwk.Plugin {
	t.Helper()
	profile, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	var args runtime.Object
	for _, config := range profile.Profiles[0].PluginConfig {
		if config.Name == name {
			args = config.Args
		}
	}
	gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	build := map[string]func(context.Context, runtime.Object, fwk.Handle, feature.Features) (fwk.Plugin, error){
		names.NodeResourcesFit:  noderesources.NewFit,
		names.TaintToleration:   tainttoleration.New,
		names.NodeUnschedulable: nodeunschedulable.New,
		names.NodeName:          nodename.New,
		names.NodeAffinity:      nodeaffinity.New,
		names.NodePorts:         nodeports.New,
		names.PodTopologySpread: podtopologyspread.New,
		names.InterPodAffinity:  interpodaffinity.New,

		names.DeferredPodScheduling: deferredpodscheduling.New,
		names.SchedulingGates:       schedulinggates.New,
		names.GangScheduling:        gangscheduling.New,
	}[name]
	gates.EnableInPlacePodVerticalScalingSchedulerPreemption = true // off by default
	gates.EnableDRAExtendedResource = false                         // without a DRA manager nothing is delegated to it
	plugin, err := build(t.Context(), args, b, gates)
	if err != nil {
		t.Fatal(err)
	}
	namespaceInformer := b.factory.Core().V1().Namespaces().Informer().GetIndexer()
	for _, namespace := range explaintest.Must(namespaces().List(labels.Everything())) {
		if err := namespaceInformer.Add(namespace); err != nil {
			t.Fatal(err)
		}
	}
	return plugin
}

// rejections are what the plugin says no to, as the engine hands it on: with
// nominated pods first, then without.
func (b *bench) rejections(t testing.TB, name string, pod *corev1.Pod) (*plugins.Question, []plugins.NodeRejection) {
	t.Helper()
	plugin, ctx := b.plugin(t, name), t.Context()
	q := &plugins.Question{Pod: pod, Nodes: b.nodes, Namespaces: namespaces(), Listers: plugins.NewListers(b.factory, nil), Logger: klog.Background()}
	all, err := b.nodes.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	state := framework.NewCycleState()
	extensions := fwk.PreFilterExtensions(nil)
	if before, ok := plugin.(fwk.PreFilterPlugin); ok {
		_, status := before.PreFilter(ctx, state, pod, all)
		if status.IsSkip() {
			return q, nil
		}
		if !status.IsSuccess() {
			return q, []plugins.NodeRejection{{Plugin: name, Status: status}}
		}
		extensions = before.PreFilterExtensions()
	}
	var found []plugins.NodeRejection
	for _, node := range all {
		if r := b.ask(t, plugin.(fwk.FilterPlugin), extensions, plugins.NodeRejection{Plugin: name, Node: node, State: state}, pod); r.Status != nil {
			found = append(found, r)
		}
	}
	return q, found
}

func (b *bench) ask(t testing.TB, plugin fwk.FilterPlugin, extensions fwk.PreFilterExtensions, r plugins.NodeRejection, pod *corev1.Pod) plugins.NodeRejection {
	crowded := r
	crowded.Node, crowded.State = r.Node.Snapshot(), r.State.Clone()
	for _, nominee := range b.nominated {
		if nominee.Status.NominatedNodeName != r.Name() {
			continue
		}
		info, err := framework.NewPodInfo(nominee)
		if err != nil {
			t.Fatal(err)
		}
		crowded.Node.AddPodInfo(info)
		crowded.Nominated = append(crowded.Nominated, info)
		if extensions != nil {
			if status := extensions.AddPod(t.Context(), crowded.State, pod, info, crowded.Node); !status.IsSuccess() {
				t.Fatal(status.AsError())
			}
		}
	}
	if len(crowded.Nominated) > 0 {
		if crowded.Status = plugin.Filter(t.Context(), crowded.State, pod, crowded.Node); crowded.Status != nil {
			return crowded
		}
	}
	r.Status = plugin.Filter(t.Context(), r.State, pod, r.Node)
	return r
}

// told is what the explainer makes of one node's rejection.
func (b *bench) told(t testing.TB, plugin string, pod *corev1.Pod, node string) plugins.Words {
	t.Helper()
	q, rs := b.rejections(t, plugin, pod)
	for _, r := range rs {
		if r.Node == nil || r.Name() == node {
			return plugins.Explainers[plugin].Words(q, []plugins.NodeRejection{r})
		}
	}
	t.Fatalf("%s does not refuse %s", plugin, node)
	return plugins.Words{}
}

// toldTogether is what the explainer makes of all rejections, in the order of nodes.
func (b *bench) toldTogether(t testing.TB, plugin string, pod *corev1.Pod, nodes ...string) plugins.Words {
	t.Helper()
	q, rs := b.rejections(t, plugin, pod)
	rs = slices.DeleteFunc(rs, func(r plugins.NodeRejection) bool { return !slices.Contains(nodes, r.Name()) })
	slices.SortFunc(rs, func(a, b plugins.NodeRejection) int {
		return slices.Index(nodes, a.Name()) - slices.Index(nodes, b.Name())
	})
	if len(rs) != len(nodes) {
		t.Fatalf("%s refuses %d of %v", plugin, len(rs), nodes)
	}
	return plugins.Explainers[plugin].Words(q, rs)
}

// finds says whether an explainer found anything of its own about a rejection.
var finds = map[string]func(*plugins.Question, plugins.NodeRejection) bool{
	names.NodeResourcesFit: func(q *plugins.Question, r plugins.NodeRejection) bool { return len(plugins.Shortages(q, r)) > 0 },
	names.TaintToleration:  func(q *plugins.Question, r plugins.NodeRejection) bool { return len(plugins.Untolerated(q, r)) > 0 },
	names.NodeAffinity:     func(q *plugins.Question, r plugins.NodeRejection) bool { return plugins.UnmetOf(q, r).Wish != "" },
	names.NodePorts: func(q *plugins.Question, r plugins.NodeRejection) bool {
		return len(plugins.TakenPorts(q.Pod, r.Node)) > 0
	},
	names.PodTopologySpread: func(q *plugins.Question, r plugins.NodeRejection) bool { return len(plugins.Skews(q, r)) > 0 },
	names.InterPodAffinity:  func(q *plugins.Question, r plugins.NodeRejection) bool { return len(plugins.Clashes(q, r)) > 0 },

	names.DeferredPodScheduling: func(q *plugins.Question, r plugins.NodeRejection) bool { return plugins.DeferredShort(q, r) != "" },
}

func TestAnExplainerHasSomethingToSayExactlyWhereItsPluginRefuses(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(finds)) {
		t.Run(name, func(t *testing.T) {
			var no, yes int
			check := func(rt *rapid.T) {
				b, pod := anyBench(rt)
				q, rs := b.rejections(t, name, pod)
				refuses := map[string]bool{}
				for _, r := range rs {
					if r.Node == nil {
						return
					}
					refuses[r.Name()] = true
					no++
					if !finds[name](q, r) {
						rt.Fatalf("%s refuses %s (%s), and its explainer finds nothing", name, r.Name(), r.OwnReason())
					}
					w := plugins.Explainers[name].Words(q, []plugins.NodeRejection{r})
					if named, _, _ := strings.Cut(w.What, " "); strings.TrimSuffix(named, ":") != r.Name() || w.Short == "" {
						rt.Fatalf("%s on %s is told as %+v", name, r.Name(), w)
					}
				}
				if len(rs) == 0 || len(b.nominated) > 0 { // Skip leaves no state; nominees pass or refuse on a copy
					return
				}
				for _, node := range explaintest.Must(b.nodes.NodeInfos().List()) {
					r := plugins.NodeRejection{Plugin: name, Node: node, State: rs[0].State}
					if refuses[r.Name()] {
						continue
					}
					yes++
					if finds[name](q, r) {
						rt.Fatalf("%s accepts %s, and its explainer says %s", name, r.Name(), plugins.Explainers[name].Words(q, []plugins.NodeRejection{r}).What)
					}
				}
			}
			for range 10 { // one run of rapid may draw nothing that a plugin takes
				if rapid.Check(t, check); no > 0 && yes > 0 || t.Failed() {
					break
				}
			}
			if no == 0 || yes == 0 {
				t.Errorf("%d rejections and %d acceptances were looked at: the drawn clusters show nothing", no, yes)
			}
		})
	}
}

// anyBench draws a small cluster in which every one of the plugins often
// refuses, and a pod to ask about.
func anyBench(t *rapid.T) (*bench, *corev1.Pod) {
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	for i := range rapid.IntRange(2, 5).Draw(t, "nodes") {
		node := explaintest.Node(fmt.Sprintf("n%d", i), fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "cpu")))
		node.Status.Allocatable[corev1.ResourcePods] = *resource.NewQuantity(rapid.Int64Range(2, 6).Draw(t, "pods"), resource.DecimalSI)
		if gpus := rapid.Int64Range(0, 2).Draw(t, "gpus"); gpus > 0 {
			node.Status.Allocatable["example.com/gpu"] = *resource.NewQuantity(gpus, resource.DecimalSI)
		}
		for _, key := range []string{"zone", "disktype", "cores"} {
			if value := rapid.SampledFrom([]string{"", "a", "b", "4"}).Draw(t, key); value != "" {
				node.Labels[key] = value
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "no resize preemption") == 0 {
			noResizePreemption("example.com/autoscaler")(node)
		}
		for _, key := range []string{"dedicated", "team"} {
			effect := rapid.SampledFrom([]corev1.TaintEffect{"", "NoSchedule", "PreferNoSchedule", "NoExecute"}).Draw(t, "taint")
			if effect != "" {
				explaintest.NodeTaint(key, rapid.SampledFrom([]string{"", "x"}).Draw(t, "value"), effect)(node)
			}
		}
		nodes = append(nodes, node)
		for j := range rapid.IntRange(0, 3).Draw(t, "bound") {
			pods = append(pods, anyPod(t, fmt.Sprintf("p%d-%d", i, j), node.Name))
		}
	}
	for i := range rapid.IntRange(0, 1).Draw(t, "nominees") {
		nominee := anyPod(t, fmt.Sprintf("nominee%d", i), "")
		nominee.Status.NominatedNodeName = "n0"
		pods = append(pods, nominee)
	}
	return newBench(nodes, pods), anyPod(t, "asked", "")
}

// anyPod draws a pod with any mix of what the plugins look at.
func anyPod(t *rapid.T, name, node string) *corev1.Pod {
	chance := func(label string) bool { return rapid.IntRange(0, 2).Draw(t, label) == 0 }
	one := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	pod := explaintest.Pod(one("namespace", "shop", "web")+"/"+name, node, one("request", "", "100m", "1500m", "4"), explaintest.PodLabel("app", one("app", "a", "b")))
	if chance("gpu") {
		explaintest.Requesting("example.com/gpu", "1")(pod)
	}
	if chance("deferred") {
		resizeDeferred(pod)
	}
	if chance("memory") {
		explaintest.Requesting(corev1.ResourceMemory, one("memory", "1Gi", "3000000000", "6Gi"))(pod)
	}
	if chance("toleration") {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: one("tolerated", "", "x"), Effect: corev1.TaintEffect(one("effect", "", "NoSchedule", "NoExecute")),
		})
	}
	if chance("port") {
		explaintest.HostPort(one("ip", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"), 80, corev1.Protocol(one("protocol", "", "TCP", "UDP")))(pod)
	}
	if chance("selector") {
		pod.Spec.NodeSelector = map[string]string{"disktype": one("disktype", "a", "b", "c")}
	}
	if chance("terms") {
		explaintest.NodeSelectorTerms(rapid.SliceOfN(rapid.Custom(anyTerm), 1, 2).Draw(t, "terms")...)(pod)
	}
	if chance("spread") {
		explaintest.SpreadOver(one("spread key", "zone", corev1.LabelHostname), rapid.Int32Range(1, 2).Draw(t, "maxSkew"),
			rapid.SampledFrom([]*int32{nil, new(int32(3))}).Draw(t, "minDomains"), one("spread app", "a", "b"))(pod)
	}
	term := func() corev1.PodAffinityTerm {
		drawn := explaintest.PodTerm(one("key", "zone", corev1.LabelHostname), one("whom", "a", "b"))
		switch one("where", "own", "named", "labelled", "all") {
		case "named":
			drawn.Namespaces = []string{"web"}
		case "labelled":
			drawn.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "shop"}}
		case "all":
			drawn.NamespaceSelector = &metav1.LabelSelector{}
		}
		return drawn
	}
	if chance("near") {
		explaintest.Near(term())(pod)
	} else if chance("near two") {
		explaintest.Near(term(), term())(pod)
	}
	if chance("away") {
		explaintest.AwayFrom(term())(pod)
	}
	return pod
}

func anyTerm(t *rapid.T) corev1.NodeSelectorTerm {
	requirement := rapid.Custom(func(t *rapid.T) corev1.NodeSelectorRequirement {
		r := corev1.NodeSelectorRequirement{
			Key:      rapid.SampledFrom([]string{"zone", "disktype", "cores"}).Draw(t, "key"),
			Operator: rapid.SampledFrom([]corev1.NodeSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Odd"}).Draw(t, "operator"),
		}
		switch r.Operator {
		case "In", "NotIn":
			r.Values = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "4"}), 1, 2).Draw(t, "values")
		case "Gt", "Lt":
			r.Values = []string{rapid.SampledFrom([]string{"3", "5", "no number"}).Draw(t, "bound")}
		}
		return r
	})
	var term corev1.NodeSelectorTerm
	term.MatchExpressions = rapid.SliceOfN(requirement, 0, 2).Draw(t, "expressions")
	if rapid.IntRange(0, 3).Draw(t, "field") == 0 {
		term.MatchFields = []corev1.NodeSelectorRequirement{{
			Key:      metav1.ObjectNameField,
			Operator: rapid.SampledFrom([]corev1.NodeSelectorOperator{"In", "NotIn"}).Draw(t, "field operator"),
			Values:   rapid.SliceOfN(rapid.SampledFrom([]string{"n0", "n1"}), 1, 2).Draw(t, "node names"),
		}}
	}
	return term
}
