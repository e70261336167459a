package provisioning

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

var testNow = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// pool is a Ready NodePool with requirements, each "key op a,b".
func pool(name string, requirements ...string) NodePool {
	p := NodePool{Name: name, ClassGroup: "karpenter.k8s.aws", Conditions: []Condition{{Type: "Ready", Status: "True"}}}
	for _, text := range requirements {
		p.Requirements = append(p.Requirements, parsed(text))
	}
	return p
}

func parsed(text string) requirement {
	words := strings.Fields(text)
	r := requirement{Key: words[0], Operator: corev1.NodeSelectorOperator(words[1])}
	if len(words) > 2 {
		r.Values = strings.Split(words[2], ",")
	}
	return r
}

func with(p NodePool, change func(*NodePool)) NodePool {
	change(&p)
	return p
}

// aPod is one that selects nodes, and may be changed.
func aPod(selector map[string]string, change ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: corev1.PodSpec{NodeSelector: selector}}
	for _, c := range change {
		c(pod)
	}
	return pod
}

// requiring adds a required term of node affinity for each text of requirements, split by "&".
func requiring(terms ...string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		selector := &corev1.NodeSelector{}
		for _, text := range terms {
			var term corev1.NodeSelectorTerm
			for one := range strings.SplitSeq(text, "&") {
				term.MatchExpressions = append(term.MatchExpressions, parsed(one))
			}
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, term)
		}
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector}}
	}
}

func zone(name string) map[string]string { return map[string]string{corev1.LabelTopologyZone: name} }

func limited(limits, used string) func(*NodePool) {
	list := func(text string) corev1.ResourceList {
		list := corev1.ResourceList{}
		for pair := range strings.FieldsSeq(text) {
			name, amount, _ := strings.Cut(pair, "=")
			list[corev1.ResourceName(name)] = resource.MustParse(amount)
		}
		return list
	}
	return func(p *NodePool) { p.Limits, p.Used = list(limits), list(used) }
}

func TestKarpenterIsJudgedByItsNodePools(t *testing.T) {
	const zones = "topology.kubernetes.io/zone In "
	std := pool("std", zones+"eu-1a,eu-1b")
	for name, c := range map[string]struct {
		pools   []NodePool
		pod     *corev1.Pod
		volumes [][]corev1.NodeSelectorTerm
		want    string
	}{
		"no NodePool": {nil, aPod(nil), nil, "Karpenter: there is no NodePool, so it cannot add a node."},
		"a zone that none has": {
			[]NodePool{std}, aPod(zone("eu-1c")), nil, "Karpenter: no NodePool allows zone eu-1c: std has eu-1a, eu-1b.",
		},
		"a zone that none of several has": {
			[]NodePool{std, pool("gpu", zones+"eu-1a"), pool("arm", zones+"eu-1b"), pool("big", zones+"eu-2a"), pool("old", zones+"eu-2b")},
			aPod(zone("eu-1c")), nil,
			"Karpenter: no NodePool allows zone eu-1c: arm has eu-1b; big has eu-2a; gpu has eu-1a; 2 more NodePools do not.",
		},
		"the older label of the zone": {
			[]NodePool{std}, aPod(map[string]string{corev1.LabelFailureDomainBetaZone: "eu-1c"}), nil, "Karpenter: no NodePool allows zone eu-1c: std has eu-1a, eu-1b.",
		},
		"a zone that one has": {
			[]NodePool{std, pool("gpu", zones+"eu-1c")},
			aPod(zone("eu-1c")), nil,
			"Karpenter: NodePool gpu may be used; std cannot: the pod requires zone eu-1c, the NodePool has eu-1a, eu-1b.",
		},
		"a zone that nobody names": {[]NodePool{pool("std")}, aPod(zone("eu-1c")), nil, "Karpenter: NodePool std may be used."},
		"the zone of a volume": {
			[]NodePool{std},
			aPod(nil),
			[][]corev1.NodeSelectorTerm{{{MatchExpressions: []requirement{parsed("topology.ebs.csi.aws.com/zone In eu-1c")}}}},
			"Karpenter: no NodePool allows zone eu-1c: std has eu-1a, eu-1b.",
		},
		"a label of the driver of a volume": {
			[]NodePool{std},
			aPod(nil),
			[][]corev1.NodeSelectorTerm{{{MatchExpressions: []requirement{parsed("topology.example.com/rack In r1")}}}},
			"Karpenter: NodePool std may be used.",
		},
		"a volume on one node": {
			[]NodePool{std},
			aPod(nil),
			[][]corev1.NodeSelectorTerm{{{MatchExpressions: []requirement{parsed("kubernetes.io/hostname In std-1")}}}},
			"Karpenter: no NodePool allows node std-1: std has nodes of other names.",
		},
		"a volume and a pod in other zones": {
			[]NodePool{std},
			aPod(zone("eu-1a")),
			[][]corev1.NodeSelectorTerm{{{MatchExpressions: []requirement{parsed(zones + "eu-1b")}}}},
			"Karpenter: no NodePool allows zone eu-1a and zone eu-1b: std has eu-1a, eu-1b.",
		},
		"one of two terms": {[]NodePool{std}, aPod(nil, requiring(zones+"eu-1c", zones+"eu-1b")), nil, "Karpenter: NodePool std may be used."},
		"none of two terms": {
			[]NodePool{std}, aPod(nil, requiring(zones+"eu-1c & team In ml", zones+"eu-1d")), nil, "Karpenter: no NodePool allows zone eu-1d: std has eu-1a, eu-1b.",
		},
		"a label that nobody sets": {
			[]NodePool{std}, aPod(map[string]string{"team": "ml"}), nil, "Karpenter: no NodePool allows team ml: std has no label team.",
		},
		"a label of another domain, of a provider that is known": {
			[]NodePool{std}, aPod(map[string]string{"example.com/team": "ml"}), nil, "Karpenter: no NodePool allows example.com/team ml: std has no label example.com/team.",
		},
		"a label of another domain, of a provider that is not known": {
			[]NodePool{with(std, func(p *NodePool) { p.ClassGroup = "karpenter.example.com" })},
			aPod(map[string]string{"example.com/team": "ml"}), nil,
			"Karpenter: NodePool std may be used.",
		},
		"a label that the provider sets": {
			[]NodePool{std}, aPod(map[string]string{"karpenter.k8s.aws/instance-category": "p"}), nil, "Karpenter: NodePool std may be used.",
		},
		"a label of the template": {
			[]NodePool{with(std, func(p *NodePool) { p.Labels = map[string]string{"team": "web"} })},
			aPod(map[string]string{"team": "ml"}), nil,
			"Karpenter: no NodePool allows team ml: std has web.",
		},
		"the NodePool by its name": {
			[]NodePool{std, pool("gpu")},
			aPod(map[string]string{"karpenter.sh/nodepool": "gpu"}), nil,
			"Karpenter: NodePool gpu may be used; std cannot: the pod requires karpenter.sh/nodepool gpu, the NodePool has std.",
		},
		"a label that must not be there": {
			[]NodePool{pool("std", "team Exists")},
			aPod(nil, requiring("team DoesNotExist")), nil,
			"Karpenter: no NodePool allows no label team: std has label team.",
		},
		"more cpus than the NodePool has": {
			[]NodePool{pool("std", "karpenter.k8s.aws/instance-cpu Lt 9")},
			aPod(nil, requiring("karpenter.k8s.aws/instance-cpu Gt 15")), nil,
			"Karpenter: no NodePool allows karpenter.k8s.aws/instance-cpu > 15: std has karpenter.k8s.aws/instance-cpu < 9.",
		},
		"bounds that meet": {
			[]NodePool{pool("std", "karpenter.k8s.aws/instance-cpu Lte 16")}, aPod(nil, requiring("karpenter.k8s.aws/instance-cpu Gt 15")), nil, "Karpenter: NodePool std may be used.",
		},
		"a taint": {
			[]NodePool{with(std, func(p *NodePool) {
				p.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"}, {Key: "soft", Effect: "PreferNoSchedule"}}
			})},
			aPod(nil), nil,
			"Karpenter: no NodePool can be used: std: the pod does not tolerate its taint dedicated=gpu:NoSchedule.",
		},
		"a taint that is tolerated": {
			[]NodePool{with(std, func(p *NodePool) { p.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"}} })},
			aPod(nil, func(pod *corev1.Pod) {
				pod.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: "Exists"}}
			}), nil,
			"Karpenter: NodePool std may be used.",
		},
		"a limit that is reached": {
			[]NodePool{with(std, limited("cpu=100 memory=1000Gi", "cpu=100 memory=400Gi"))},
			aPod(nil), nil,
			"Karpenter: no NodePool can be used: std: it is at its limit: cpu 100 of 100.",
		},
		"a limit that leaves too little": {
			[]NodePool{with(std, limited("cpu=100", "cpu=98500m"))},
			aPod(nil), nil,
			"Karpenter: no NodePool can be used: std: its limit leaves cpu 1500m of 100, the pod requests 2.",
		},
		"a limit of what the pod does not request": {[]NodePool{with(std, limited("nvidia.com/gpu=4", "nvidia.com/gpu=4"))}, aPod(nil), nil, "Karpenter: NodePool std may be used."},
		"a limit that just suffices":               {[]NodePool{with(std, limited("cpu=100", "cpu=98"))}, aPod(nil), nil, "Karpenter: NodePool std may be used."},
		"not Ready": {
			[]NodePool{with(std, func(p *NodePool) {
				p.Conditions = []Condition{{Type: "Ready", Status: "False", Reason: "UnhealthyDependents"}, {Type: "NodeClassReady", Status: "False", Message: "NodeClass default not found"}}
			})},
			aPod(nil), nil,
			"Karpenter: no NodePool can be used: std: it is not Ready: NodeClassReady: NodeClass default not found.",
		},
		"Ready is not known": {
			[]NodePool{with(std, func(p *NodePool) {
				p.Conditions = []Condition{{Type: "Ready", Status: "Unknown", Message: "reconciling"}}
			})},
			aPod(nil), nil,
			"Karpenter: it is unknown whether NodePool std can be used: its condition Ready is Unknown: reconciling.",
		},
		"without conditions": {
			[]NodePool{with(std, func(p *NodePool) { p.Conditions = nil })},
			aPod(nil), nil,
			"Karpenter: it is unknown whether NodePool std can be used: it has no condition Ready yet.",
		},
		"deleted, and of a fixed size": {
			[]NodePool{with(std, func(p *NodePool) { p.Deleting, p.Static = true, true })},
			aPod(nil), nil,
			"Karpenter: no NodePool can be used: std: it is being deleted, it has a fixed number of nodes.",
		},
		"the closest first": {
			[]NodePool{
				with(pool("a", zones+"eu-1a"), limited("cpu=1", "cpu=1")), pool("b", zones+"eu-1a"),
				with(pool("c"), func(p *NodePool) { p.Taints = []corev1.Taint{{Key: "x", Effect: "NoExecute"}}; p.Weight = 5 }),
			},
			aPod(zone("eu-1c")), nil,
			"Karpenter: no NodePool can be used: c: the pod does not tolerate its taint x:NoExecute; b: the pod requires zone eu-1c, the NodePool has eu-1a; " +
				"a: the pod requires zone eu-1c, the NodePool has eu-1a, it is at its limit: cpu 1 of 1.",
		},
		"a pod of a DaemonSet": {
			[]NodePool{std}, aPod(nil, func(pod *corev1.Pod) {
				pod.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Name: "agent", Controller: new(true)}}
			}), nil, "Autoscalers add no node for a pod of a DaemonSet.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := Judge(&State{Karpenter: &Karpenter{NodePools: c.pools}}, &Question{
				Pod: c.pod, Volumes: c.volumes, Requests: corev1.ResourceList{"cpu": resource.MustParse("2")}, Now: testNow,
			})
			if p.Summary != c.want {
				t.Errorf("got  %s\nwant %s", p.Summary, c.want)
			}
			neverPromised(t, p)
		})
	}
}

// neverPromised wants no word to say that a node comes.
func neverPromised(t *testing.T, p *report.Provisioning) {
	t.Helper()
	for _, text := range append(p.Lines(testNow), p.Summary) {
		if slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '.' }), "will") {
			t.Errorf("it promises: %s", text)
		}
	}
}

func TestKarpenterThatMayNotBeReadIsUnknown(t *testing.T) {
	p := Judge(&State{Karpenter: &Karpenter{Unread: "not allowed to list nodepools"}}, &Question{Pod: aPod(nil)})
	if p.Summary != "Karpenter: unknown: not allowed to list nodepools." || len(p.Unknown) != 1 || p.NodePools == nil {
		t.Errorf("%+v", p)
	}
	if Judge(nil, &Question{Pod: aPod(nil)}) != nil || Judge(&State{}, &Question{Pod: aPod(nil)}) != nil {
		t.Error("an autoscaler that is not there is judged")
	}
}

func TestANodeClaimOnItsWayIsFollowed(t *testing.T) {
	ago := func(d time.Duration) time.Time { return testNow.Add(-d) }
	done := func(steps ...string) []Condition {
		var all []Condition
		for i, step := range steps {
			all = append(all, Condition{Type: step, Status: "True", Since: ago(time.Duration(3-i) * time.Minute)})
		}
		return all
	}
	machine := corev1.ResourceList{"cpu": resource.MustParse("4")}
	yes := func(*NodeClaim) (*bool, string) { return new(true), "" }
	for name, c := range map[string]struct {
		claim NodeClaim
		fits  func(*NodeClaim) (*bool, string)
		want  string
	}{
		"new": {NodeClaim{Created: ago(20 * time.Second)}, yes, "is created 20s ago, not launched; whether the pod fits it is unknown: its machine is not known yet."},
		"launched": {
			NodeClaim{Created: ago(time.Hour), Allocatable: machine, Conditions: done("Launched")},
			yes,
			"is launched 3m ago, not registered; the pod fits it once it is Ready.",
		},
		"registered, and too small": {
			NodeClaim{Allocatable: machine, Conditions: done("Launched", "Registered")},
			func(*NodeClaim) (*bool, string) { return new(false), "needs cpu 500m more" },
			"is registered 2m ago, not initialized; the pod does not fit it: needs cpu 500m more.",
		},
		"initialized, and nobody can tell": {
			NodeClaim{Allocatable: machine, Conditions: done("Launched", "Registered", "Initialized")},
			func(*NodeClaim) (*bool, string) { return nil, "not allowed to list pods" },
			"is initialized 1m ago; whether the pod fits it is unknown: not allowed to list pods.",
		},
		"deleted":              {NodeClaim{Allocatable: machine, Deleting: true}, yes, "is being deleted."},
		"gone":                 {NodeClaim{Gone: true}, yes, "does not exist any more."},
		"that may not be read": {NodeClaim{Unread: "not allowed to get nodeclaims"}, yes, "is unknown: not allowed to get nodeclaims."},
	} {
		t.Run(name, func(t *testing.T) {
			c.claim.Name = "std-x8k2c"
			p := Judge(&State{Karpenter: &Karpenter{NodePools: []NodePool{pool("std")}, Claims: []NodeClaim{c.claim}}}, &Question{Pod: aPod(nil), Now: testNow, Fits: c.fits})
			if want := "Karpenter: NodeClaim std-x8k2c for the pod " + c.want; p.Summary != want {
				t.Errorf("got  %s\nwant %s", p.Summary, want)
			}
			neverPromised(t, p)
		})
	}
}

func TestWhyANodeClaimIsStuckIsQuoted(t *testing.T) {
	claim := NodeClaim{Name: "std-x8k2c", Created: testNow.Add(-time.Minute), Conditions: []Condition{
		{Type: "Launched", Status: "Unknown", Reason: "LaunchFailed", Message: "insufficient capacity"},
	}}
	p := Judge(&State{Karpenter: &Karpenter{Claims: []NodeClaim{claim}}}, &Question{Pod: aPod(nil), Now: testNow})
	want := "NodeClaim std-x8k2c: created 1m ago, not launched; whether the pod fits it is unknown: its machine is not known yet; Launched: insufficient capacity"
	if lines := p.Lines(testNow); len(lines) != 1 || lines[0] != want {
		t.Errorf("got %q", lines)
	}
}

func TestNominatedNodeClaimsAreThoseOfTheNewestMessage(t *testing.T) {
	word := func(component, reason, message string) []report.AutoscalerWord {
		return []report.AutoscalerWord{{Component: component, Reason: reason, Message: message}}
	}
	for _, c := range []struct {
		words []report.AutoscalerWord
		want  string
	}{
		{word("karpenter", "Nominated", "Pod should schedule on: nodeclaim/std-x8k2c"), "[std-x8k2c]"},
		{word("eks-auto-mode/compute", "Nominated", "Pod should schedule on: nodeclaim/a, node/b"), "[a]"},
		{word("karpenter", "Nominated", "Pod should schedule on: node/b"), "[]"},
		{word("karpenter", "FailedScheduling", "nodeclaim/a"), "[]"},
		{word("somebody", "Nominated", "nodeclaim/a"), "[]"},
	} {
		if got := fmt.Sprint(Nominated(c.words)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.words, got, c.want)
		}
	}
}

func TestClusterAutoscalerIsJudgedByItsStatus(t *testing.T) {
	group := func(name string, target, most int, change ...func(*NodeGroup)) NodeGroup {
		g := NodeGroup{Name: name, Health: "Healthy", ScaleUp: "NoActivity", Ready: new(target), Target: new(target), Min: new(1), Max: new(most)}
		for _, c := range change {
			c(&g)
		}
		return g
	}
	waits := func(g *NodeGroup) {
		g.ScaleUp, g.Code, g.Message = "Backoff", "QUOTA_EXCEEDED", "Quota 'CPUS' exceeded"
	}
	scales := func(g *NodeGroup) { g.ScaleUp = "InProgress" }
	said := []report.AutoscalerWord{{
		Component: "cluster-autoscaler", Reason: "NotTriggerScaleUp", LastSeen: metav1.NewTime(testNow.Add(-2 * time.Minute)),
		Message: "pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached",
	}}
	for name, c := range map[string]struct {
		state ClusterAutoscaler
		words []report.AutoscalerWord
		want  string
	}{
		"all at their maximum": {
			ClusterAutoscaler{NodeGroups: []NodeGroup{group("std", 5, 5), group("gpu", 2, 2)}},
			nil,
			"Cluster Autoscaler: no node group can get a node now: std is at its maximum of 5, gpu is at its maximum of 2.",
		},
		"one at its maximum": {
			ClusterAutoscaler{NodeGroups: []NodeGroup{group("std", 5, 5), group("gpu", 1, 2)}},
			nil,
			"Cluster Autoscaler: 1 of 2 node groups cannot get a node now: std is at its maximum of 5.",
		},
		"in back-off": {
			ClusterAutoscaler{NodeGroups: []NodeGroup{group("std", 3, 5, waits)}},
			nil,
			"Cluster Autoscaler: no node group can get a node now: std is in back-off: QUOTA_EXCEEDED: Quota 'CPUS' exceeded.",
		},
		"scaling up": {
			ClusterAutoscaler{NodeGroups: []NodeGroup{group("std", 5, 5, scales), group("gpu", 1, 2, waits)}},
			nil,
			"Cluster Autoscaler: a scale-up of std is in progress; gpu is in back-off: QUOTA_EXCEEDED: Quota 'CPUS' exceeded.",
		},
		"its message and its status": {
			ClusterAutoscaler{NodeGroups: []NodeGroup{group("std", 3, 5, waits)}},
			said,
			"Cluster Autoscaler, 2m ago: pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached; " +
				"no node group can get a node now: std is in back-off: QUOTA_EXCEEDED: Quota 'CPUS' exceeded.",
		},
		"its message alone": {
			ClusterAutoscaler{Unread: "not allowed to get the ConfigMap"},
			said,
			"Cluster Autoscaler, 2m ago: pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached.",
		},
		"nothing but that it may not be read": {
			ClusterAutoscaler{Unread: "not allowed to get the ConfigMap"}, nil, "Cluster Autoscaler: unknown: not allowed to get the ConfigMap.",
		},
		"written a while ago": {
			ClusterAutoscaler{Written: testNow.Add(-9 * time.Minute), NodeGroups: []NodeGroup{group("std", 5, 5)}},
			nil,
			"Cluster Autoscaler: no node group can get a node now: std is at its maximum of 5.",
		},
		"not written any more": {
			ClusterAutoscaler{Written: testNow.Add(-3 * time.Hour), NodeGroups: []NodeGroup{group("std", 5, 5)}},
			nil,
			"Cluster Autoscaler: unknown: its status was last written 3h ago.",
		},
		"starting":                 {ClusterAutoscaler{Status: "Initializing"}, nil, "Cluster Autoscaler: it is Initializing."},
		"figures that are missing": {ClusterAutoscaler{Status: "Running", NodeGroups: []NodeGroup{{Name: "std"}}}, nil, "Cluster Autoscaler: it says nothing about the pod."},
	} {
		t.Run(name, func(t *testing.T) {
			p := Judge(&State{ClusterAutoscaler: &c.state}, &Question{Pod: aPod(nil), Words: c.words, Now: testNow})
			if p.Summary != c.want {
				t.Errorf("got  %s\nwant %s", p.Summary, c.want)
			}
			neverPromised(t, p)
		})
	}
}

func TestReasonsAreCountedOutAsTheyStand(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached", "[{2 Insufficient cpu} {1 max node group size reached}]"},
		{
			"pod didn't trigger scale-up: 1 node(s) had untolerated taint {dedicated: a, b}, 3 node(s) didn't match Pod's node affinity/selector",
			"[{1 node(s) had untolerated taint {dedicated: a, b}} {3 node(s) didn't match Pod's node affinity/selector}]",
		},
		{"pod didn't trigger scale-up: ", "[]"},
		{"something else", "[]"},
		{"pod didn't trigger scale-up: it would not help, 2 times", "[]"},
	} {
		if got := fmt.Sprint(Reasons(c.message)); got != c.want {
			t.Errorf("%s: %s, want %s", c.message, got, c.want)
		}
	}
}

// A label is ruled out if and only if no value of it satisfies all requirements, by Kubernetes' own rules.
func TestNoRequirementIsRuledOutThatSomeValueSatisfies(t *testing.T) {
	values := []string{"a", "b", "c"}
	for i := range 12 {
		values = append(values, fmt.Sprint(i))
	}
	values = append(values, "something else")
	draw := rapid.Custom(func(t *rapid.T) requirement {
		op := rapid.SampledFrom([]corev1.NodeSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}).Draw(t, "operator")
		r := requirement{Key: "x", Operator: op}
		switch op {
		case "In", "NotIn":
			r.Values = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "3", "4", "5"}), 1, 3, rapid.ID).Draw(t, "values")
		case "Gt", "Lt":
			r.Values = []string{fmt.Sprint(rapid.IntRange(2, 7).Draw(t, "bound"))}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		own, pod := rapid.SliceOfN(draw, 0, 3).Draw(t, "pool"), rapid.SliceOfN(draw, 1, 3).Draw(t, "pod")
		selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: slices.Concat(own, pod)}}})
		if err != nil {
			t.Fatal(err)
		}
		want := selector.Match(&corev1.Node{})
		for _, value := range values {
			want = want || selector.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"x": value}}})
		}
		if got := allows("x", own, true, pod); got != want {
			t.Fatalf("allowed: %t, by trying: %t", got, want)
		}
	})
}
