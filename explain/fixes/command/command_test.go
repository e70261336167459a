package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func namedMeta(fullName string, owners ...metav1.OwnerReference) metav1.ObjectMeta {
	namespace, name, _ := strings.Cut(fullName, "/")
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), OwnerReferences: owners}
}

// templateOf is a template that makes pods like this one.
func templateOf(pod *corev1.Pod) corev1.PodTemplateSpec {
	spec := *pod.Spec.DeepCopy()
	spec.NodeName = ""
	return corev1.PodTemplateSpec{Spec: spec}
}

func replicaSet(fullName string, like *corev1.Pod, owners ...metav1.OwnerReference) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: namedMeta(fullName, owners...), Spec: appsv1.ReplicaSetSpec{Template: templateOf(like)}}
}

func statefulSet(fullName string, like *corev1.Pod, edits ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{ObjectMeta: namedMeta(fullName), Spec: appsv1.StatefulSetSpec{
		Template: templateOf(like),
		UpdateStrategy: appsv1.StatefulSetUpdateStrategy{ // as the API server fills it in
			Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32)},
		},
	}}
	for _, edit := range edits {
		edit(set)
	}
	return set
}

var (
	gpuTaint = corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}
	lowerCPU = remedy.LowerRequest{Container: "app", Resource: corev1.ResourceCPU, From: 4000, To: 3600}
)

func limiting(name corev1.ResourceName, amount string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{name: resource.MustParse(amount)}
	}
}

// initContainer gives the pod one that requests cpu; "" requests none.
func initContainer(cpu string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		c := corev1.Container{Name: "warm"}
		if cpu != "" {
			c.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
		}
		p.Spec.InitContainers = []corev1.Container{c}
	}
}

// spreadAnyway makes a constraint one that only scores nodes.
func spreadAnyway(i int) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.TopologySpreadConstraints[i].WhenUnsatisfiable = corev1.ScheduleAnyway }
}

// toleratingForAWhile gives the pod what DefaultTolerationSeconds gives every pod.
func toleratingForAWhile(p *corev1.Pod) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
		})
	}
}

// startMaker makes commands for a cluster of objects.
func startMaker(t *testing.T, forbidden []string, objects ...runtime.Object) *command.Maker {
	return &command.Maker{Scheduler: explaintest.StartScheduler(t, forbidden, objects...)}
}

func TestCommands(t *testing.T) {
	checkout := func(name, node string, edits ...func(*corev1.Pod)) *corev1.Pod {
		edits = append([]func(*corev1.Pod){explaintest.PodControlledBy("apps/v1", "ReplicaSet", "checkout-1"), explaintest.Selecting("disktype", "ssd")}, edits...)
		return explaintest.Pod("shop/checkout-1-"+name, node, "4", edits...)
	}
	plain := explaintest.Pod("shop/checkout", "", "4", explaintest.Selecting("disktype", "ssd"))
	deployed := []runtime.Object{
		replicaSet("shop/checkout-1", plain, explaintest.ControlledBy("apps/v1", "Deployment", "checkout")),
		replicaSet("shop/checkout-0", plain, explaintest.ControlledBy("apps/v1", "Deployment", "checkout")),
		explaintest.Pod("shop/checkout-0-a", "b", "4", explaintest.PodControlledBy("apps/v1", "ReplicaSet", "checkout-0")),
		checkout("b", "b"), checkout("c", ""), checkout("d", ""),
	}
	set := func(edits ...func(*appsv1.StatefulSet)) []runtime.Object {
		return []runtime.Object{
			statefulSet("shop/index", explaintest.Pod("shop/index", "", "4"), edits...),
			explaintest.Pod("shop/index-0", "", "4", explaintest.PodControlledBy("apps/v1", "StatefulSet", "index")),
		}
	}
	index := explaintest.Pod("shop/index-1", "", "4", explaintest.PodControlledBy("apps/v1", "StatefulSet", "index"))
	rs := func(edits ...func(*corev1.Pod)) *corev1.Pod {
		return explaintest.Pod("shop/rs-a", "", "4", append(edits, explaintest.PodControlledBy("apps/v1", "ReplicaSet", "rs"))...)
	}
	node := explaintest.Node("a", "8", explaintest.NodeLabel("zone", "one"))
	cases := []struct {
		says    string
		pod     *corev1.Pod
		objects []runtime.Object
		steps   []remedy.Step
	}{
		{"a request of a Deployment's pod", checkout("x", ""), deployed, []remedy.Step{lowerCPU}},
		{"a request and its limit", checkout("x", ""), deployed, []remedy.Step{remedy.LowerRequest{Container: "app", Resource: corev1.ResourceMemory, To: 3 << 30, Limit: true}, lowerCPU}},
		{"a limit that was set goes back", rs(explaintest.Requesting("memory", "4Gi"), limiting("memory", "4Gi")), []runtime.Object{replicaSet("shop/rs", rs(explaintest.Requesting("memory", "4Gi"), limiting("memory", "4Gi")))}, []remedy.Step{remedy.LowerRequest{Container: "app", Resource: corev1.ResourceMemory, To: 3 << 30, Limit: true}}},
		{"a request of an init container", rs(initContainer("4")), []runtime.Object{replicaSet("shop/rs", rs(initContainer("4")))}, []remedy.Step{remedy.LowerRequest{Container: "warm", Init: true, Resource: corev1.ResourceCPU, To: 3650}}},
		{"a request that a LimitRange gave the pod", rs(initContainer("4")), []runtime.Object{replicaSet("shop/rs", rs(initContainer("")))}, []remedy.Step{remedy.LowerRequest{Container: "warm", Init: true, Resource: corev1.ResourceCPU, To: 3650}}},
		{"requests of two containers are one rollout", rs(initContainer("4")), []runtime.Object{replicaSet("shop/rs", rs(initContainer("4")))}, []remedy.Step{lowerCPU, remedy.LowerRequest{Container: "warm", Init: true, Resource: corev1.ResourceCPU, To: 3650}}},
		{"a toleration", checkout("x", ""), deployed, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}},
		{"one more toleration", rs(toleratingForAWhile), []runtime.Object{replicaSet("shop/rs", rs(toleratingForAWhile))}, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}},
		{"a selector", checkout("x", ""), deployed, []remedy.Step{remedy.DropSelector{Key: "disktype", Value: "ssd"}}},
		{"another value of a selector", checkout("x", ""), deployed, []remedy.Step{remedy.SetSelector{Key: "disktype", Values: [2]string{"ssd", "nvme"}}}},
		{"two changes of the template are one rollout", checkout("x", ""), deployed, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}, remedy.DropSelector{Key: "disktype", Value: "ssd"}}},
		{"a selector that an admission plugin added", checkout("x", "", explaintest.Selecting("pool", "web")), deployed, []remedy.Step{remedy.DropSelector{Key: "pool", Value: "web"}}},
		{"a node first, then the template", checkout("x", ""), deployed, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}, remedy.Uncordon{Nodes: []string{"a"}}}},
		{"a gate is the pod's own", checkout("x", "", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}} }), deployed, []remedy.Step{remedy.Ungate{Gates: []string{"example.com/quota"}}}},
		{"a gate and the template", checkout("x", ""), deployed, []remedy.Step{remedy.Ungate{Gates: []string{"example.com/quota"}}, remedy.Tolerate{Taint: gpuTaint}}},
		{"a ReplicaSet of its own", rs(), []runtime.Object{replicaSet("shop/rs", explaintest.Pod("shop/x", "", "4"))}, []remedy.Step{lowerCPU}},
		{"a ReplicaSet of a kind that is not known", rs(), []runtime.Object{replicaSet("shop/rs", plain, explaintest.ControlledBy("argoproj.io/v1alpha1", "Rollout", "web"))}, []remedy.Step{lowerCPU}},
		{"a ReplicaSet that is gone", rs(), nil, []remedy.Step{lowerCPU}},
		{"a StatefulSet waits for its pods in order", index, set(), []remedy.Step{lowerCPU}},
		{"one with a type of update and nothing else", index, set(func(s *appsv1.StatefulSet) { s.Spec.UpdateStrategy.RollingUpdate = nil }), []remedy.Step{lowerCPU}},
		{"a parallel one does not", index, set(func(s *appsv1.StatefulSet) { s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }), []remedy.Step{lowerCPU}},
		{"one that is updated by deletion", index, set(func(s *appsv1.StatefulSet) { s.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType }), []remedy.Step{lowerCPU}},
		{"one that holds the pod back", index, set(func(s *appsv1.StatefulSet) {
			s.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(2))}
		}), []remedy.Step{lowerCPU}},
		{"a DaemonSet's tolerations are its own", explaintest.Pod("shop/agent-x", "", "4", explaintest.PodControlledBy("apps/v1", "DaemonSet", "agent"), func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{
				{Key: "spot", Operator: corev1.TolerationOpExists},
				{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
				{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
			}
		}), nil, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}},
		{"a Job starts over", explaintest.Pod("shop/report-x", "", "4", explaintest.PodControlledBy("batch/v1", "Job", "report"), toleratingForAWhile, explaintest.PodLabel("batch.kubernetes.io/controller-uid", "x")), nil, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}},
		{"a Job whose selector people chose", explaintest.Pod("shop/report-x", "", "4", explaintest.PodControlledBy("batch/v1", "Job", "report"), toleratingForAWhile), nil, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}},
		{"a static pod", explaintest.Pod("shop/etcd-a", "", "4", explaintest.PodControlledBy("v1", "Node", "a")), nil, []remedy.Step{lowerCPU}},
		{"a custom kind", explaintest.Pod("shop/flow-1", "", "4", explaintest.PodControlledBy("flow.io/v1", "Flow", "flow")), nil, []remedy.Step{lowerCPU}},
		{"nodes do not ask whose the pod is", explaintest.Pod("shop/flow-1", "", "4", explaintest.PodControlledBy("flow.io/v1", "Flow", "flow")), nil, []remedy.Step{remedy.Uncordon{Nodes: []string{"a"}}, remedy.Uncordon{Nodes: []string{"b"}}}},
		{"a toleration of a bare pod", explaintest.Pod("shop/bare", "", "4", toleratingForAWhile), nil, []remedy.Step{remedy.Tolerate{Taint: gpuTaint}}},
		{"the first toleration of a bare pod", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.Tolerate{Taint: corev1.Taint{Key: "spot", Effect: corev1.TaintEffectNoExecute}}}},
		{"a gate of a bare pod", explaintest.Pod("shop/bare", "", "4", func(p *corev1.Pod) {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "a.io/x"}, {Name: "b"}}
		}), nil, []remedy.Step{remedy.Ungate{Gates: []string{"a.io/x", "b"}}}},
		{"a request of a bare pod", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{lowerCPU}},
		{"a request and a toleration of a bare pod", explaintest.Pod("shop/bare", "", "4", toleratingForAWhile), nil, []remedy.Step{lowerCPU, remedy.Tolerate{Taint: gpuTaint}}},
		{"a request that another QoS class would follow", explaintest.Pod("shop/bare", "", "4", explaintest.Requesting("memory", "1Gi"), limiting("cpu", "3600m"), func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits["memory"] = resource.MustParse("1Gi")
		}), nil, []remedy.Step{lowerCPU}},
		{"a device cannot be resized", explaintest.Pod("shop/bare", "", "4", explaintest.Requesting("example.com/gpu", "4"), limiting("example.com/gpu", "4")), nil, []remedy.Step{remedy.LowerRequest{Container: "app", Resource: "example.com/gpu", To: 2, Limit: true}}},
		{"a selector of a bare pod", explaintest.Pod("shop/bare", "", "4", explaintest.Selecting("disktype", "ssd"), explaintest.Selecting("zone", "it's one")), nil, []remedy.Step{remedy.DropSelector{Key: "disktype", Value: "ssd"}}},
		{"what matchLabelKeys added is left out of a new pod", explaintest.Pod("shop/bare", "", "4", explaintest.SpreadOver("zone", 1, nil, "web"), func(p *corev1.Pod) {
			c := &p.Spec.TopologySpreadConstraints[0]
			c.MatchLabelKeys = []string{"v"}
			c.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "v", Operator: metav1.LabelSelectorOpIn, Values: []string{"1"}}}
		}), nil, []remedy.Step{remedy.LoosenSpread{Index: 0, Key: "zone", MaxSkew: [2]int32{1, 2}}}},
		{"one of two constraints over a key", explaintest.Pod("shop/bare", "", "4", explaintest.SpreadOver("zone", 1, nil, "web"), explaintest.SpreadOver("zone", 2, nil, "shop"), spreadAnyway(1)), nil, []remedy.Step{remedy.LoosenSpread{Index: 0, Key: "zone", MaxSkew: [2]int32{1, 4}}}},
		{"two ScheduleAnyway constraints over a key are not valid", explaintest.Pod("shop/bare", "", "4", explaintest.SpreadOver("zone", 1, nil, "web"), explaintest.SpreadOver("zone", 2, nil, "shop"), spreadAnyway(1)), nil, []remedy.Step{remedy.LoosenSpread{Index: 0, Key: "zone", MaxSkew: [2]int32{1, 0}}}},
		{"a constraint that leaves out tainted nodes", rs(explaintest.SpreadOver("zone", 1, nil, "web")), []runtime.Object{replicaSet("shop/rs", rs(explaintest.SpreadOver("zone", 1, nil, "web")))}, []remedy.Step{remedy.LoosenSpread{Index: 0, Key: "zone", HonorTaints: true}}},
		{"one of two ports of a number", explaintest.Pod("shop/bare", "", "", explaintest.HostPort("", 53, "UDP"), explaintest.HostPort("", 53, "TCP")), nil, []remedy.Step{remedy.DropHostPort{Container: "app", Index: 1, Port: 53, Protocol: "TCP"}}},
		{"a host port", rs(explaintest.HostPort("", 80, "TCP")), []runtime.Object{replicaSet("shop/rs", rs(explaintest.HostPort("", 80, "TCP")))}, []remedy.Step{remedy.DropHostPort{Container: "app", Index: 0, Port: 80, Protocol: "TCP"}}},
		{"the last term about other pods", rs(explaintest.AwayFrom(explaintest.PodTerm("zone", "web"))), []runtime.Object{replicaSet("shop/rs", rs(explaintest.AwayFrom(explaintest.PodTerm("zone", "web"))))}, []remedy.Step{remedy.DropPodTerm{Anti: true}}},
		{"a requirement of a node affinity", rs(explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "disk", Operator: corev1.NodeSelectorOpExists}, {Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: []string{"web"}},
		}})), []runtime.Object{replicaSet("shop/rs", rs(explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "disk", Operator: corev1.NodeSelectorOpExists}, {Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: []string{"web"}},
		}})))}, []remedy.Step{remedy.DropExpression{}}},
		{"a taint of nodes", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.Untaint{Taint: gpuTaint, Nodes: []string{"a", "b"}}}},
		{"a taint without a value", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.Untaint{Taint: corev1.Taint{Key: "spot", Effect: corev1.TaintEffectNoExecute}, Nodes: []string{"a"}}}},
		{"a new label", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.LabelNode{Nodes: []string{"a"}, Key: "disktype", Value: "ssd"}}},
		{"another value of a label of several nodes", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.LabelNode{Nodes: []string{"a", "b"}, Key: "zone", Value: "two"}}},
		{"another value of a label", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.LabelNode{Nodes: []string{"a"}, Key: "zone", Value: "two"}}},
		{"evictions", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.Evict{Pods: []*corev1.Pod{explaintest.Pod("batch/one", "a", ""), explaintest.Pod("batch/two", "a", "")}}}},
		{"a Deployment that may stop a pod first", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.AllowUnavailable{Namespace: "shop", Name: "checkout"}}},
		{"a claim for less", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.ResizeClaim{Claim: &corev1.PersistentVolumeClaim{ObjectMeta: namedMeta("shop/data")}, To: resource.MustParse("10Gi")}}},
		{"a claim of another class", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.SetClaimClass{Claim: &corev1.PersistentVolumeClaim{
			ObjectMeta: namedMeta("shop/data-db-0"), Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: new("slow")},
		}, Class: "fast", Set: "db"}}},
		{"a claim without a class", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.SetClaimClass{Claim: &corev1.PersistentVolumeClaim{ObjectMeta: namedMeta("shop/data-db-0")}, Class: "fast", Set: "db"}}},
		{"a claim that is provisioned elsewhere", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.UnselectNode{Claim: &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data", Annotations: map[string]string{"volume.kubernetes.io/selected-node": "gone"}},
		}}}},
		{"a claim whose annotation has its class", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.SetClaimClass{Claim: &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data", Annotations: map[string]string{corev1.BetaStorageClassAnnotation: "gold"}},
		}, Class: "fast"}}},
		{"a volume that its claim has left", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.ReleaseVolume{
			Volume: &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-1"}}, Claim: &corev1.PersistentVolumeClaim{ObjectMeta: namedMeta("shop/data")},
		}}},
		{"a name that is a flag", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.Uncordon{Nodes: []string{"--kubeconfig=/tmp/x"}}}},
		{"a name that is a path", explaintest.Pod("shop/bare", "", "4"), nil, []remedy.Step{remedy.Evict{Pods: []*corev1.Pod{explaintest.Pod("batch/..", "a", "")}}}},
	}
	var all strings.Builder
	for _, c := range cases {
		m := startMaker(t, nil, append([]runtime.Object{node, c.pod}, c.objects...)...)
		fmt.Fprintf(&all, "# %s\n%s\n\n", c.says, said(m.Of(c.pod, c.steps)))
	}
	file := filepath.Join("testdata", "commands.txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(all.String(), "\n")); diff != "" {
		t.Errorf("other commands than before; does each of them still do what it says?\n%s", diff)
	}
}

// said is all of a command, a line for each part.
func said(c command.Command) string {
	lines := []string{c.Line}
	add := func(word, text string) {
		if text != "" {
			lines = append(lines, word+": "+text)
		}
	}
	add("undo", c.Undo)
	for _, a := range c.Affects {
		add("affects", fmt.Sprintf("%s %s/%s %s", a.Kind, a.Namespace, a.Name, a.How))
	}
	add("brief", c.Brief)
	add("why not", c.Why)
	if c.Recreates {
		lines = append(lines, "recreates")
	}
	if c.Lone {
		lines = append(lines, "reaches this pod alone")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Without the right to list the controllers nobody knows whose a pod is.
func TestNoCommandForAWorkloadThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ resource, group, kind string }{
		{"replicasets", "apps/v1", "ReplicaSet"}, {"statefulsets", "apps/v1", "StatefulSet"}, {"replicationcontrollers", "v1", "ReplicationController"},
	} {
		pod := explaintest.Pod("shop/web-0", "", "4", explaintest.PodControlledBy(c.group, c.kind, "web"))
		m := startMaker(t, []string{c.resource}, explaintest.Node("a", "8"), pod)
		want := "not allowed to list " + c.resource + ", so its workload is unknown"
		if got := m.Of(pod, []remedy.Step{lowerCPU}); got.Line != "" || got.Why != want {
			t.Errorf("of a %s: %s; want %s", c.kind, said(got), want)
		}
		if got := m.Of(pod, []remedy.Step{remedy.Uncordon{Nodes: []string{"a"}}}); got.Line != "kubectl uncordon a" {
			t.Errorf("a node of a %s's pod: %s", c.kind, said(got))
		}
	}
}

// A cluster before resizes is one where such pods are created again.
func TestOlderClustersRecreateWhatTheyCannotResize(t *testing.T) {
	pod := explaintest.Pod("shop/bare", "", "4")
	for version, recreates := range map[string]bool{"v1.33.9": true, "v1.34.0": false, "v1.37.1-eks-1": false, "": false} {
		m := startMaker(t, nil, explaintest.Node("a", "8"), pod)
		m.ClusterVersion = version
		if got := m.Of(pod, []remedy.Step{lowerCPU}); got.Recreates != recreates || got.Line == "" {
			t.Errorf("%q: recreates %t, want %t: %s", version, got.Recreates, recreates, got.Line)
		}
	}
}

func TestAPodOfAManifestHasCommandsForNodesOnly(t *testing.T) {
	m := startMaker(t, nil)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop"}}
	if c := m.Of(pod, []remedy.Step{remedy.Uncordon{Nodes: []string{"std-a"}}}); c.Line != "kubectl uncordon std-a" {
		t.Errorf("the command is %q, %s", c.Line, c.Why)
	}
	for _, steps := range [][]remedy.Step{{remedy.Tolerate{Taint: gpuTaint}}, {remedy.Uncordon{Nodes: []string{"std-a"}}, lowerCPU}} {
		if c := m.Of(pod, steps); c.Line != "" || c.Why != "the pod does not exist yet: change its manifest" {
			t.Errorf("the command is %q, %s", c.Line, c.Why)
		}
	}
}

// What the scheduler does between two commands is to be what was simulated.
func TestTheOrderOfCommandsLeavesNothingToPreempt(t *testing.T) {
	victim := explaintest.Pod("batch/one", "a", "1")
	evict := remedy.Evict{Pods: []*corev1.Pod{victim}}
	tolerate := remedy.Tolerate{Taint: corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
	ungate := remedy.Ungate{Gates: []string{"example.com/budget"}}
	for _, c := range []struct {
		says      string
		pod       *corev1.Pod
		steps     []remedy.Step
		evictLast bool
	}{
		{"a pod that preempts nobody is changed first", explaintest.Pod("shop/bare", "", "1"), []remedy.Step{evict, tolerate}, true},
		{"one of higher priority would preempt the pod first", explaintest.Pod("shop/bare", "", "1", explaintest.Priority(10)), []remedy.Step{tolerate, evict}, false},
		{"a gate opens when there is room", explaintest.Pod("shop/bare", "", "1"), []remedy.Step{ungate, evict}, false},
	} {
		m := startMaker(t, nil, explaintest.Node("a", "8"), victim, c.pod)
		line := m.Of(c.pod, c.steps).Line
		if got := strings.HasPrefix(line, "kubectl -n shop patch pod/bare"); got != c.evictLast || !strings.Contains(line, " && ") {
			t.Errorf("%s: %s", c.says, line)
		}
	}
}
