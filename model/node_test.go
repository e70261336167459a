package model

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func TestTheStatusOfANodeInWords(t *testing.T) {
	ready := func(status corev1.ConditionStatus) corev1.NodeCondition {
		return corev1.NodeCondition{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(modeltest.Epoch)}
	}
	holds := func(kind corev1.NodeConditionType) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: corev1.ConditionTrue}
	}
	for _, c := range []struct {
		says       string
		cordoned   bool
		conditions []corev1.NodeCondition
		want       string
	}{
		{"ready", false, []corev1.NodeCondition{ready("True")}, "Ready"},
		{"cordoned is not the same as not ready", true, []corev1.NodeCondition{ready("True")}, "Ready,cordoned"},
		{"not ready", false, []corev1.NodeCondition{ready("False")}, "NotReady"},
		{"both", true, []corev1.NodeCondition{ready("False")}, "NotReady,cordoned"},
		{"its kubelet is silent", false, []corev1.NodeCondition{ready("Unknown")}, "NotReady"},
		{"its kubelet has said nothing yet", false, nil, "Unknown"},
		{"pressure", false, []corev1.NodeCondition{holds("MemoryPressure"), ready("True"), holds("DiskPressure")}, "Ready,DiskPressure,MemoryPressure"},
		{"a pressure that does not hold is none", false, []corev1.NodeCondition{ready("True"), {Type: "PIDPressure", Status: "False"}}, "Ready"},
		{"a condition of somebody else is no pressure", false, []corev1.NodeCondition{ready("True"), holds("EtcdIsVoter")}, "Ready"},
	} {
		node := newNode(&corev1.Node{Spec: corev1.NodeSpec{Unschedulable: c.cordoned}, Status: corev1.NodeStatus{Conditions: c.conditions}}, "")
		if node.Status != c.want {
			t.Errorf("%s: %s, want %s", c.says, node.Status, c.want)
		}
		if isKnown := !node.ReadySince.IsZero(); isKnown != (c.conditions != nil) {
			t.Errorf("%s: ready since %s", c.says, node.ReadySince)
		}
	}
}

func TestWhichNodesTakeNewPods(t *testing.T) {
	tainted := func(key string, effect corev1.TaintEffect) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: key, Effect: effect}} }
	}
	for name, c := range map[string]struct {
		change func(*corev1.Node)
		want   bool
	}{
		"a Ready node":               {func(*corev1.Node) {}, true},
		"a cordoned one":             {func(n *corev1.Node) { n.Spec.Unschedulable = true }, false},
		"one under pressure":         {tainted(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule), false},
		"one out of service":         {tainted(corev1.TaintNodeOutOfService, corev1.TaintEffectNoExecute), false},
		"a reserved one":             {tainted("dedicated", corev1.TaintEffectNoSchedule), true},
		"one that is better avoided": {tainted(corev1.TaintNodeMemoryPressure, corev1.TaintEffectPreferNoSchedule), true},
	} {
		node := modeltest.NewNode("a", "eu-1a", "8", "32Gi")
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		c.change(node)
		b := NewBuilder()
		b.Node(nil, node)
		if got := b.Build(1, Status{}, nil).Nodes[0].Schedulable(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestTaintsAreSpelledOut(t *testing.T) {
	for _, c := range []struct{ says, taints, want string }{
		{"none", "", ""},
		{"as key=value:effect", "dedicated=gpu:NoSchedule", "dedicated=gpu:NoSchedule"},
		{"without a value", "spot:PreferNoSchedule", "spot:PreferNoSchedule"},
		{"by key, whatever their order", "b:NoSchedule a:NoSchedule", "a:NoSchedule,b:NoSchedule"},
		{"effects of one key together", "node.kubernetes.io/not-ready:NoSchedule node.kubernetes.io/not-ready:NoExecute", "not-ready:NoExecute,NoSchedule"},
		{"those that evict pods first", "a:NoSchedule b:NoSchedule b:NoExecute", "b:NoExecute,NoSchedule,a:NoSchedule"},
		{"those of other values apart", "a=x:NoExecute a=y:NoExecute", "a=x:NoExecute,a=y:NoExecute"},
		{"not the cordon's own", "node.kubernetes.io/unschedulable:NoSchedule a:NoSchedule", "a:NoSchedule"},
		{"other domains whole", "node.cloudprovider.kubernetes.io/shutdown:NoSchedule", "node.cloudprovider.kubernetes.io/shutdown:NoSchedule"},
	} {
		object := &corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true}}
		for text := range strings.FieldsSeq(c.taints) {
			name, effect, _ := strings.Cut(text, ":")
			key, value, _ := strings.Cut(name, "=")
			object.Spec.Taints = append(object.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
		}
		if got := newNode(object, "").Taints; got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
	loose := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: "NoSchedule"}}}}
	if got := newNode(loose, "").Taints; got != "unschedulable:NoSchedule" {
		t.Errorf("the cordon's taint on a node that is not cordoned: %q", got)
	}
	if got := newNode(&corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "node.kubernetes.io/not-ready", Effect: "NoSchedule"}, {Key: "dedicated", Value: "gpu", Effect: "NoSchedule"},
	}}}, "").TaintTexts(); got[0] != "dedicated=gpu:NoSchedule" || !slices.Contains(got[1:], "node.kubernetes.io/not-ready:NoSchedule") {
		t.Errorf("in full they are %v", got)
	}
}

func TestWhereANodeComesFrom(t *testing.T) {
	for _, c := range []struct{ says, label, value, zone, pool, instance string }{
		{"the zone", "topology.kubernetes.io/zone", "eu-1a", "eu-1a", "", ""},
		{"the zone of old clusters", "failure-domain.beta.kubernetes.io/zone", "eu-1a", "eu-1a", "", ""},
		{"the instance", "node.kubernetes.io/instance-type", "m5.large", "", "", "m5.large"},
		{"a pool of GKE", "cloud.google.com/gke-nodepool", "p", "", "p", ""},
		{"of EKS", "eks.amazonaws.com/nodegroup", "p", "", "p", ""},
		{"of AKS", "kubernetes.azure.com/agentpool", "p", "", "p", ""},
		{"of Karpenter", "karpenter.sh/nodepool", "p", "", "p", ""},
		{"of kOps", "kops.k8s.io/instancegroup", "p", "", "p", ""},
		{"of DigitalOcean", "doks.digitalocean.com/node-pool", "p", "", "p", ""},
		{"of Cluster API", "cluster.x-k8s.io/pool-name", "p", "", "p", ""},
		{"that people name themselves", "pool", "p", "", "p", ""},
		{"in other words", "nodepool", "p", "", "p", ""},
		{"and others", "node-pool", "p", "", "p", ""},
		{"any other label", "team", "p", "", "", ""},
	} {
		node := newNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{c.label: c.value}}}, "")
		if node.Zone != c.zone || node.Pool != c.pool || node.Instance != c.instance {
			t.Errorf("%s: zone %q, pool %q, instance %q", c.says, node.Zone, node.Pool, node.Instance)
		}
	}
}

func TestAPodThatComesBeforeItsNodeIsCounted(t *testing.T) {
	b := NewBuilder()
	b.Pod(nil, modeltest.NewPod("shop/a", "n1", "2", "1Gi", 0, nil))
	if s := b.Build(1, Status{}, nil); len(s.Nodes) != 0 || len(s.Pods) != 1 {
		t.Fatalf("%d nodes and %d pods", len(s.Nodes), len(s.Pods))
	}
	node := modeltest.NewNode("n1", "eu-1a", "4", "8Gi")
	b.Node(nil, node)
	s := b.Build(2, Status{}, nil)
	if got := s.Nodes[0]; got.Requested.MilliCPU != 2000 || len(got.Pods) != 1 || got.Requested.Pods != 1 {
		t.Fatalf("cpu %d of %d pods", got.Requested.MilliCPU, len(got.Pods))
	}
	b.Node(node, nil)
	if s := b.Build(3, Status{}, nil); len(s.Nodes) != 0 {
		t.Fatalf("%d nodes after it went", len(s.Nodes))
	}
	b.Node(nil, node)
	if s := b.Build(4, Status{}, nil); len(s.Nodes) != 1 || len(s.Nodes[0].Pods) != 1 {
		t.Fatal("a node that came back has lost its pod")
	}
}

func TestTheLabelThatIsSetGoesBeforeTheKnownLabelsOfPools(t *testing.T) {
	both := map[string]string{"team.example/pool": "own", "pool": "plain", "cloud.google.com/gke-nodepool": "gke"}
	for _, c := range []struct {
		says, own string
		labels    map[string]string
		want      string
	}{
		{"it wins", "team.example/pool", both, "own"},
		{"without it the provider's does", "", both, "gke"},
		{"where a node lacks it too", "other.example/pool", both, "gke"},
		{"a plain one is the last", "", map[string]string{"pool": "plain"}, "plain"},
		{"an empty label is none", "team.example/pool", map[string]string{"team.example/pool": "", "pool": "plain"}, "plain"},
	} {
		b := NewBuilder()
		b.PoolLabel(c.own)
		b.Node(nil, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: c.labels}})
		if got := b.Build(1, Status{}, nil).Nodes[0].Pool; got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

func TestAPoolOfOpenShiftIsCalledAsItsRole(t *testing.T) {
	for _, c := range []struct {
		roles []string
		want  string
	}{
		{[]string{"worker"}, "worker"},
		{[]string{"worker", "infra"}, "infra"},
		{[]string{"master", "control-plane"}, "master"},
		{[]string{"control-plane", "master", "worker"}, "master"},
		{nil, ""},
	} {
		labels := map[string]string{openShiftLabel: "rhel"}
		for _, role := range c.roles {
			labels[roleLabelPrefix+role] = ""
		}
		if got := PoolOf(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}}, ""); got != c.want {
			t.Errorf("%v: %q, want %q", c.roles, got, c.want)
		}
		delete(labels, openShiftLabel)
		if got := PoolOf(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}}, ""); got != "" {
			t.Errorf("%v elsewhere: %q", c.roles, got)
		}
	}
}

func TestTheStatesOfANode(t *testing.T) {
	for want, n := range map[string]Node{
		"Ready":                            {Status: "Ready", Ready: "True"},
		"Ready,cordoned,MemoryPressure":    {Status: "Ready,cordoned,MemoryPressure", Ready: "True", Cordoned: true, Pressure: []string{"MemoryPressure"}},
		"new: not initialized":             {Status: "Ready,cordoned", Ready: "True", Cordoned: true, Lifecycle: "new: not initialized"},
		"removing: scale-down":             {Status: "Ready,cordoned", Ready: "True", Cordoned: true, Lifecycle: "removing: scale-down"},
		"NotReady,DiskPressure,removing":   {Status: "NotReady,DiskPressure", Ready: "Unknown", Pressure: []string{"DiskPressure"}, Lifecycle: "removing: scale-down"},
		"removing: scale-down,PIDPressure": {Status: "Ready,PIDPressure", Ready: "True", Pressure: []string{"PIDPressure"}, Lifecycle: "removing: scale-down"},
	} {
		if got := strings.Join(n.States(), ","); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
