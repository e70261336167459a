package warnings

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// snapshot is two nodes of a pool and one of another; each runs a pod of app web that
// requests so much cpu of its 10.
func snapshot(cpu string, taints ...corev1.Taint) *model.Snapshot {
	b := model.NewBuilder()
	for i, name := range []string{"a-1", "a-2", "b-1"} {
		b.Node(nil, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: "eu-1", "eks.amazonaws.com/nodegroup": name[:1]}},
			Spec:       corev1.NodeSpec{Taints: taints},
			Status: corev1.NodeStatus{
				Allocatable: modeltest.Quantities("cpu", "10", "memory", "10Gi", "pods", "10"),
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
		requests := modeltest.Quantities("cpu", "1")
		if i < 2 {
			requests = modeltest.Quantities("cpu", cpu)
		}
		b.Pod(nil, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-" + name, Labels: map[string]string{"app": "web"}},
			Spec:       corev1.PodSpec{NodeName: name, Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: requests}}}},
			Status:     corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		})
	}
	return b.Build(1, model.Status{}, nil)
}

// objects are a quota of team-a of which so many pods are used, and a budget of shop.
func objects(pods string, allowed int32) *model.Objects {
	hard := modeltest.Quantities("pods", "20", "requests.cpu", "100")
	return &model.Objects{Lists: map[string][]runtime.Object{
		quotas: {&corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "compute"},
			Status:     corev1.ResourceQuotaStatus{Hard: hard, Used: modeltest.Quantities("pods", pods, "requests.cpu", "1")},
		}},
		budgets: {&policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: 3, DesiredHealthy: 3 - allowed, ExpectedPods: 3},
		}},
	}}
}

// withLeases adds the Leases of kube-scheduler, just renewed by a clock that is an hour ahead, and of
// kube-controller-manager, which was so long before.
func withLeases(o *model.Objects, before time.Duration) *model.Objects {
	renewed := modeltest.Epoch.Add(time.Hour)
	lease := func(name string, at time.Time) *coordinationv1.Lease {
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: name},
			Spec:       coordinationv1.LeaseSpec{RenewTime: new(metav1.NewMicroTime(at))},
		}
	}
	o.Lists[leases] = []runtime.Object{lease("kube-scheduler", renewed), lease(controllerManager, renewed.Add(-before))}
	return o
}

// lostNode is a-1 that has been unreachable for so long, with two pods that tolerate that for 5 and 10 minutes; others
// are not Ready either.
func lostNode(since time.Duration, others ...string) *model.Snapshot {
	b := model.NewBuilder()
	for _, name := range []string{"a-1", "a-2", "b-1"} {
		node := lost(name, "eu-1", 0)
		if name == "a-1" || slices.Contains(others, name) {
			node = lost(name, "eu-1", since)
		}
		if name == "a-1" {
			node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute, TimeAdded: new(metav1.NewTime(modeltest.Epoch.Add(-since)))}}
		}
		b.Node(nil, node)
	}
	for name, seconds := range map[string]int64{"web": 300, "api": 600} {
		b.Pod(nil, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
			Spec: corev1.PodSpec{NodeName: "a-1", Tolerations: []corev1.Toleration{{
				Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning},
		})
	}
	return b.Build(1, model.Status{}, nil)
}

func TestWarnings(t *testing.T) {
	maintenance := corev1.Taint{Key: "maintenance", Value: "true", Effect: corev1.TaintEffectNoExecute}
	lost := corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}
	for _, c := range []struct {
		name      string
		s         *model.Snapshot
		o         *model.Objects
		namespace string
		want      []Warning
	}{
		{"nothing", snapshot("5"), objects("5", 1), "", nil},
		{"a pool is full", snapshot("9900m"), objects("5", 1), "", []Warning{{Short: "Pool full: a (cpu 99%)", Middle: "Pool full: a (cpu 99%, 50% by shop/web-a-1)", Long: "Pool full: a (cpu 99%, 50% by shop/web-a-1)", View: Pools}}},
		{"a taint evicts", snapshot("5", maintenance), objects("5", 1), "", []Warning{
			{Short: "maintenance=true:NoExecute on 3 nodes", Long: "Taints that evict pods: maintenance=true:NoExecute on 3 nodes", View: Taints},
		}},
		{"the taint of a lost node", snapshot("5", lost), objects("5", 1), "", nil},
		{"a quota is full", snapshot("5"), objects("20", 1), "", []Warning{{Short: "Quota full: team-a/compute (pods 100%)", Long: "Quota full: team-a/compute (pods 100%)", View: Quotas}}},
		{"a quota of another namespace", snapshot("5"), objects("20", 1), "shop", nil},
		{"a budget blocks drains", snapshot("5"), objects("5", 0), "", []Warning{{Short: "1 PDB blocks drains of 3 of 3 nodes", Long: "1 PDB blocks drains of 3 of 3 nodes: shop/web", View: Budgets}}},
		{"kube-controller-manager is not running", snapshot("5"), withLeases(objects("5", 1), time.Hour), "", []Warning{{
			Short: "kube-controller-manager is not running: no pods are created",
			Long:  "kube-controller-manager is not running: its Lease was renewed 1h ago. No pods are created or replaced, no failed node is noticed, and the status of workloads is as of then",
			View:  Schedulers, Urgent: true,
		}}},
		{"kube-controller-manager is running", snapshot("5"), withLeases(objects("5", 1), 3*time.Second), "", nil},
		{"its instances change", snapshot("5"), withLeases(objects("5", 1), time.Minute), "", nil},
		{"pods are evicted from a lost node", lostNode(time.Minute), objects("5", 1), "", []Warning{{
			Short: "2 evictions start at 09:04 UTC", Long: "2 pods will be evicted from 09:04 to 09:09 UTC from 1 node that failed", View: Taints, Soon: true,
		}}},
		{"pods of another namespace are", lostNode(time.Minute), objects("5", 1), "team-a", nil},
		{"no node is Ready: none is evicted", lostNode(time.Minute, "a-2", "b-1"), objects("5", 1), "", nil},
		{"they should be gone already", lostNode(time.Hour), objects("5", 1), "", nil},
		{"what may not be listed", snapshot("5"), &model.Objects{Unread: map[string]string{quotas: "forbidden", budgets: "forbidden"}}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Of(c.s, c.o, At{Namespace: c.namespace, Full: 95, Now: modeltest.Epoch})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNodesUnderPressureAndCordonedPoolsAreWarnedOf(t *testing.T) {
	pool := func(name, pool, zone string, cordoned bool) *corev1.Node {
		node := modeltest.NewNode(name, zone, "8", "32Gi")
		node.Labels = map[string]string{corev1.LabelTopologyZone: zone, "eks.amazonaws.com/nodegroup": pool}
		node.Spec.Unschedulable = cordoned
		return node
	}
	for _, test := range []struct {
		name  string
		nodes []*corev1.Node
		want  []string // in short, in full
	}{
		{"one of two is cordoned", []*corev1.Node{pool("a-1", "std", "a", true), pool("a-2", "std", "a", false)}, nil},
		{"the only node of a pool is cordoned", []*corev1.Node{pool("a-1", "std", "a", true), pool("b-1", "std", "b", false)}, nil},
		{
			"a pool is cordoned in a zone",
			[]*corev1.Node{pool("a-1", "std", "a", true), pool("a-2", "std", "a", true), pool("b-1", "std", "b", false)},
			[]string{"Cordoned: all 2 nodes of std in a", "Cordoned: all 2 nodes of std in a"},
		},
		{
			"two nodes are under pressure",
			[]*corev1.Node{pressed("a-1", "MemoryPressure", 0), pressed("a-2", "DiskPressure", 0), lost("a-3", "a", 0)},
			[]string{"DiskPressure, MemoryPressure on 2 nodes", "DiskPressure, MemoryPressure on a-1, a-2"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := model.NewBuilder()
			for _, node := range test.nodes {
				b.Node(nil, node)
			}
			var got []string
			for _, w := range Of(b.Build(1, model.Status{}, nil), objects("5", 1), At{Full: 95, Now: modeltest.Epoch}) {
				got = append(got, w.Short, w.Long)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBesidePendingPodsWhatIsFullComesFirst and the pressure of a node after it.
func TestBesidePendingPodsWhatIsFullComesFirst(t *testing.T) {
	s := snapshot("9900m")
	s.Nodes[0].Pressure = []string{"MemoryPressure"}
	for pods, want := range map[bool]string{true: "Pool full: a (cpu 99%)", false: "MemoryPressure on 1 node"} {
		s.Pending = []*model.EquivalenceClass{{Pods: []*model.Pod{model.NewPod(&corev1.Pod{})}}}
		if got := Of(s, objects("5", 1), At{Full: 95, Pods: pods})[0].Short; got != want {
			t.Errorf("beside pods %v: %q comes first, want %q", pods, got, want)
		}
	}
	s.Pending = nil
	if got := Of(s, objects("5", 1), At{Full: 95, Pods: true})[0].Short; got != "MemoryPressure on 1 node" {
		t.Errorf("nothing is pending: %q comes first", got)
	}
}

func TestUrgentWarningsAreSentences(t *testing.T) {
	lost := lostNode(time.Minute)
	for _, c := range []struct {
		s         *model.Snapshot
		o         *model.Objects
		namespace string
		want      []string
	}{
		{snapshot("9900m"), objects("20", 0), "", nil},
		{lost, objects("5", 1), "", []string{"a-1 NotReady for 1m.", "2 pods will be evicted from 09:04 to 09:09 UTC from 1 node that failed."}},
		{lost, objects("5", 1), "team-a", []string{"a-1 NotReady for 1m."}},
		{snapshot("5"), withLeases(objects("5", 1), time.Hour), "", []string{
			"kube-controller-manager is not running: its Lease was renewed 1h ago. No pods are created or replaced, no failed node is noticed, and the status of workloads is as of then.",
		}},
	} {
		if diff := cmp.Diff(c.want, Urgent(c.s, c.o, c.namespace, modeltest.Epoch)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestFullQuotasAndPoolsAreNamedAsWhatTheyAre(t *testing.T) {
	o := objects("20", 1)
	other := o.Lists[quotas][0].(*corev1.ResourceQuota).DeepCopy()
	other.Name = "objects"
	o.Lists[quotas] = append(o.Lists[quotas], other)
	s := snapshot("9900m")
	both := snapshot("9900m")
	for _, node := range both.Nodes {
		node.Requested.MilliCPU = 9900
	}
	none := snapshot("9900m")
	for _, node := range none.Nodes {
		node.Pool, node.Requested.MilliCPU = "", 9900
	}
	for _, c := range []struct {
		s    *model.Snapshot
		o    *model.Objects
		want []string // how the warnings begin, in short and in full
	}{
		{s, objects("20", 1), []string{"Pool full: a ", "Pool full: a ", "Quota full: team-a/compute ", "Quota full: team-a/compute "}},
		{both, o, []string{"Pools full: a ", "Pools full: a ", "Quotas full: team-a/compute ", "Quotas full: team-a/compute "}},
		{none, objects("5", 1), []string{"Full: the cluster ", "Full: the cluster "}},
	} {
		var got []string
		for _, w := range Of(c.s, c.o, At{Full: 95, Now: modeltest.Epoch}) {
			for _, words := range []string{w.Short, w.Long} {
				begins, _, _ := strings.Cut(words, "(")
				got = append(got, begins)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
}
