package plan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func wantsLabel(key, value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.NodeSelector = map[string]string{key: value} }
}

func TestMarksArePlanned(t *testing.T) {
	node, pod := NodeRef("n1"), podRef("shop", "cart-0")
	objects := []runtime.Object{
		anEmptyNode("n1"), // disk=ssd, zone eu-1a
		owned("shop/cart-0", "n1", "StatefulSet/cart", wantsLabel("disk", "ssd")),
		owned("shop/cart-1", "n1", "StatefulSet/cart", func(p *corev1.Pod) {
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{TopologyKey: "disk", MaxSkew: 1}}
		}),
		owned("shop/cart-2", "n1", "StatefulSet/cart", nil),
		owned("shop/alone", "n1", "", nil),
	}
	cases := []struct {
		action Action
		want   []string
		err    string
	}{
		{
			Label{Refs: []model.Ref{node}, Remove: []string{"disk"}},
			[]string{
				"Label n1", "1 pod keeps running, but could not be scheduled there again (nodeSelector or node affinity on disk): shop/cart-0.",
				"1 pod keeps running, but in another topology domain (spread constraints or pod affinity on disk): shop/cart-1.",
				"metadata.labels[disk]  ssd → –", "No dry run. Undo: restore the previous labels.", "y label",
			},
			"",
		},
		{
			Label{Refs: []model.Ref{node}, Set: map[string]string{"team": "a", "disk": "ssd"}},
			[]string{"Label n1", "Its 4 pods keep running; their node selectors, required affinity and spread constraints are not affected.", "metadata.labels[team]  – → a", "No dry run. Undo: restore the previous labels.", "y label"},
			"",
		},
		{
			Label{Refs: []model.Ref{pod}, Set: map[string]string{"app": "other"}},
			[]string{
				"Label shop/cart-0", "metadata.labels[app]  cart → other",
				"warning: If statefulset/cart selects shop/cart-0 by app, it releases the pod, and cannot create a replacement of that name until this pod is deleted; Services and PodDisruptionBudgets may no longer apply to it.",
				"No dry run. Undo: restore the previous labels.", "y label",
			},
			"",
		},
		{
			Label{Refs: []model.Ref{podRef("shop", "alone")}, Remove: []string{"app"}},
			[]string{
				"Label shop/alone", "metadata.labels[app]  alone → –",
				"warning: Services and PodDisruptionBudgets that select shop/alone by app no longer apply to it.",
				"No dry run. Undo: restore the previous labels.", "y label",
			},
			"",
		},
		{
			Annotate{Refs: []model.Ref{node}, Set: map[string]string{"example.com/Why": "any thing"}},
			[]string{"Annotate n1", "metadata.annotations[example.com/Why]  – → any thing", "No dry run. Undo: restore the previous annotations.", "y annotate"},
			"",
		},
		{Label{Refs: []model.Ref{node}, Set: map[string]string{"disk": "ssd"}}, nil, "label n1 disk=ssd: nothing would change: the labels are already as requested"},
		{Label{Refs: []model.Ref{node, pod}, Remove: []string{"x"}}, nil, "label 2 nodes x-: nothing would change: the labels are already as requested"},
		{Label{Refs: []model.Ref{node}}, nil, "label n1 : not possible: no labels given"},
		{Label{Refs: []model.Ref{node}, Set: map[string]string{"a": "b"}, Remove: []string{"a"}}, nil, "label n1 a=b a-: not possible: a is both set and removed"},
		{Label{Refs: []model.Ref{{Resource: "deployments", Name: "d"}}, Set: map[string]string{"a": "b"}}, nil, "label d a=b: not possible: only labels of nodes and pods can be changed"},
		{Annotate{Refs: []model.Ref{NodeRef("n2")}, Set: map[string]string{"a": "secret"}}, nil, "annotate n2 a: n2: it no longer exists"},
		{Label{Refs: []model.Ref{node}, Set: map[string]string{"a": "b c"}}, nil, `label n1 a=b c: not possible: value "b c" of a: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`},
	}
	for _, c := range cases {
		plan, err := c.action.Plan(factsOf(t, objects...))
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.action.Name(), err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, told(plan)); diff != "" {
			t.Errorf("%s: %s", c.action.Name(), diff)
		}
	}
}

// A DaemonSet deletes its pods from nodes that its template no longer matches: the pod itself
// has only the name of its node for an affinity.
func TestNewNodeLabelsMayHaveDaemonSetsDeletePods(t *testing.T) {
	pinned := func(pod *corev1.Pod) {
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}}}}},
		}}}
	}
	objects := []runtime.Object{
		anEmptyNode("n1"), // disk=ssd
		owned("shop/logs-1", "n1", "DaemonSet/logs", pinned),
		owned("shop/disks-1", "n1", "DaemonSet/disks", func(p *corev1.Pod) { pinned(p); p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }),
		owned("shop/new-1", "n1", "DaemonSet/new", pinned),
		owned("shop/cart-0", "n1", "StatefulSet/cart", nil),
	}
	of := func(name string, spec corev1.PodSpec) *appsv1.DaemonSet {
		return &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("DaemonSet/" + name)},
			Spec:       appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: spec}},
		}
	}
	without := corev1.NodeSelectorRequirement{Key: "old", Operator: corev1.NodeSelectorOpDoesNotExist}
	sets := map[types.UID]*appsv1.DaemonSet{}
	for _, set := range []*appsv1.DaemonSet{
		of("logs", corev1.PodSpec{}),
		of("disks", corev1.PodSpec{NodeSelector: map[string]string{"disk": "ssd"}}),
		of("new", corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{without}}},
		}}}}),
	} {
		sets[set.UID] = set
	}
	tolerates := corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}}
	tolerates.NodeSelector = map[string]string{"gpu": "true"}
	for _, set := range []*appsv1.DaemonSet{of("driver", tolerates), of("metrics", corev1.PodSpec{NodeSelector: map[string]string{"gpu": "true"}}), of("amd", corev1.PodSpec{NodeSelector: map[string]string{"gpu": "amd"}})} {
		sets[set.UID] = set
	}
	cases := []struct {
		name    string
		set     map[string]string
		remove  []string
		sets    map[types.UID]*appsv1.DaemonSet
		effects []string
		ends    int
	}{
		{"its node selector", nil, []string{"disk"}, sets, []string{
			"1 pod is deleted by its DaemonSet, whose node selector or node affinity then no longer matches: shop/disks-1.",
			"3 other pods keep running.",
		}, 1},
		{"its template's affinity, too", map[string]string{"old": "yes"}, []string{"disk"}, sets, []string{
			"2 pods are deleted by their DaemonSets, whose node selector or node affinity then no longer matches: shop/disks-1, shop/new-1.",
			"2 other pods keep running.",
		}, 2},
		{"none", map[string]string{"team": "a"}, nil, sets, []string{
			"Its 4 pods keep running; their node selectors, required affinity and spread constraints are not affected.",
		}, 0},
		{"of one that is for the node then", map[string]string{"gpu": "true"}, nil, sets, []string{
			"Its 4 pods keep running; their node selectors, required affinity and spread constraints are not affected.",
			"2 pods are created by DaemonSets, whose node selector or node affinity then matches: shop/driver, shop/metrics.",
		}, 0},
		{"unread", map[string]string{"old": "yes"}, nil, map[types.UID]*appsv1.DaemonSet{}, []string{
			"Whether their DaemonSets delete 3 pods is not known: DaemonSets could not be read.", "1 other pod keeps running.",
		}, 0},
		{"while it is typed", map[string]string{"old": "yes"}, []string{"disk"}, nil, []string{
			"1 pod is deleted by its DaemonSet, whose node selector or node affinity then no longer matches: shop/disks-1.",
			"Whether their DaemonSets delete 2 pods is checked before you confirm.", "1 other pod keeps running.",
		}, 1},
	}
	for _, c := range cases {
		facts := factsOf(t, objects...)
		facts.DaemonSets = c.sets
		plan, err := Label{Refs: []model.Ref{NodeRef("n1")}, Set: c.set, Remove: c.remove}.Plan(facts)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.effects, plan.Effects); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if plan.PodsTerminated != c.ends {
			t.Errorf("%s: %d pods are terminated, want %d", c.name, plan.PodsTerminated, c.ends)
		}
	}
}

// A taint keeps the pods of a DaemonSet off, unless it is one of those that say what state a node
// is in. DaemonSets that could not be listed are unknown.
func TestTaintsKeepNewDaemonSetPodsOff(t *testing.T) {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "driver", UID: "driver"}}
	set.Spec.Template.Spec.NodeSelector = map[string]string{"gpu": "true"}
	const created = "1 pod is created by a DaemonSet, whose node selector or node affinity then matches: shop/driver."
	for _, c := range []struct {
		taint    corev1.Taint
		unlisted bool
		want     string
	}{
		{corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}, false, ""},
		{corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectPreferNoSchedule}, false, created},
		{corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}, false, created},
		{corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectPreferNoSchedule}, true, "Whether other DaemonSets create pods there is not known: they could not be listed."},
		{corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}, true, "Whether DaemonSets create pods there is not known: they could not be listed."},
	} {
		node := anEmptyNode("n1")
		node.Spec.Taints = []corev1.Taint{c.taint}
		facts := factsOf(t, node)
		facts.DaemonSets, facts.DaemonSetsUnlisted = map[types.UID]*appsv1.DaemonSet{set.UID: set}, c.unlisted
		plan, err := Label{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"gpu": "true"}}.Plan(facts)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if n := len(plan.Effects); n > 1 {
			got = plan.Effects[n-1]
		}
		if got != c.want {
			t.Errorf("%v, unlisted %v: %q, want %q", c.taint, c.unlisted, got, c.want)
		}
	}
}

// Undoing a label of a pod may give it back to the controller that has replaced it meanwhile.
func TestTheUndoOfALabelWarnsOfAdoption(t *testing.T) {
	released := owned("shop/cart-0", "n1", "", func(p *corev1.Pod) { delete(p.Labels, "app") })
	change := Change{Target: podRef("shop", "cart-0"), Edits: []Edit{{Path: []string{"metadata", "labels", "app"}, From: "cart"}}}
	plan, err := Restore{Of: "label shop/cart-0 app-", Changes: []Change{change}}.Plan(factsOf(t, anEmptyNode("n1"), released))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"A controller that selects shop/cart-0 by app adopts it, and deletes it or another pod if it then has more than its replicas."}
	if diff := cmp.Diff(want, plan.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestMarksAreReadAsKubectlReadsThem(t *testing.T) {
	set, remove, err := ParseMarks([]string{"a=b", "c=", "d-", "e=f-"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "b", "c": "", "e": "f-"}, set); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"d"}, remove); diff != "" {
		t.Error(diff)
	}
	for _, words := range [][]string{{"a"}, {"a=b", "a=c"}} {
		if _, _, err := ParseMarks(words); err == nil {
			t.Errorf("%q are taken", words)
		}
	}
}

func TestGatesAreRemovedForGood(t *testing.T) {
	gated := func(gates ...string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			for _, gate := range gates {
				pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate})
			}
		}
	}
	objects := []runtime.Object{
		owned("ml/a", "", "Job/a", gated("x/quota", "x/budget")),
		owned("ml/b", "", "Job/b", gated("x/budget")),
		owned("ml/c", "", "Job/c", nil),
		owned("ml/e", "", "Job/e", func(p *corev1.Pod) { gated("x/quota")(p); p.Spec.SchedulerName = "my-sched" }),
	}
	a, b, c, other := podRef("ml", "a"), podRef("ml", "b"), podRef("ml", "c"), podRef("ml", "e")
	undo := "No dry run. Cannot be undone: a removed gate cannot be added again."
	quota := "warning: The controller of x normally removes x/quota; removing it here bypasses that."
	budget := "warning: The controller of x normally removes x/budget; removing it here bypasses that."
	cases := []struct {
		action Ungate
		want   []string
		err    string
	}{
		{Ungate{Pods: []model.Ref{a}}, []string{"Remove gates of ml/a", "kube-scheduler then tries to schedule it.", "spec.schedulingGates  x/quota, x/budget → –", budget, quota, undo, "y remove"}, ""},
		{Ungate{Pods: []model.Ref{a}, Gates: []string{"x/quota"}}, []string{"Remove gate x/quota of ml/a", "1 pod remains gated by x/budget.", "spec.schedulingGates  x/quota, x/budget → x/budget", quota, undo, "y remove"}, ""},
		{
			Ungate{Pods: []model.Ref{a, b, c}, Gates: []string{"x/budget"}},
			[]string{
				"Remove gate x/budget of 2 pods", "kube-scheduler then tries to schedule 1 pod.", "1 pod remains gated by x/quota.",
				"Skips 1 of 3 pods: ml/c (no such gate).",
				"spec.schedulingGates  x/quota, x/budget → x/quota", "spec.schedulingGates  x/budget → –", budget, undo, "y remove",
			},
			"",
		},
		{Ungate{Pods: []model.Ref{other}}, []string{"Remove gates of ml/e", "It then waits for scheduler my-sched.", "spec.schedulingGates  x/quota → –", quota, undo, "y remove"}, ""},
		{Ungate{Pods: []model.Ref{c}}, nil, "remove gates of ml/c: nothing would change: it has no such gate"},
		{Ungate{Pods: []model.Ref{podRef("ml", "d")}}, nil, "remove gates of ml/d: it no longer exists"},
	}
	for _, c := range cases {
		plan, err := c.action.Plan(factsOf(t, objects...))
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.action.Name(), err, c.err)
			}
			continue
		}
		if plan.Undo != nil {
			t.Error("a gate has an undo")
		}
		if diff := cmp.Diff(c.want, told(plan)); diff != "" {
			t.Errorf("%s: %s", c.action.Name(), diff)
		}
	}
}

func TestRemovingAGateOfAQueueIsWarnedOf(t *testing.T) {
	gated := func(gates ...string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			for _, gate := range gates {
				pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate})
			}
		}
	}
	const kueue = "kueue.x-k8s.io/admission is Kueue's gate: removing it bypasses Kueue's quota. See its Workload and LocalQueue."
	const licence = "The controller of example.com normally removes example.com/licence; removing it here bypasses that."
	for _, c := range []struct {
		gates, removes []string
		want           []string
	}{
		{[]string{"kueue.x-k8s.io/admission"}, nil, []string{kueue}},
		{[]string{"kueue.x-k8s.io/admission", "example.com/licence"}, nil, []string{licence, kueue}},
		{[]string{"kueue.x-k8s.io/admission", "example.com/licence"}, []string{"example.com/licence"}, []string{licence}},
		{[]string{"kueue.x-k8s.io.example.com/admission"}, nil, []string{"The controller of kueue.x-k8s.io.example.com normally removes kueue.x-k8s.io.example.com/admission; removing it here bypasses that."}},
		{[]string{"budget"}, nil, nil},
	} {
		plan, err := Ungate{Pods: []model.Ref{podRef("ml", "a")}, Gates: c.removes}.Plan(factsOf(t, owned("ml/a", "", "Job/a", gated(c.gates...))))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Warnings, c.want) {
			t.Errorf("removing %q of %q warns %q, want %q", c.removes, c.gates, plan.Warnings, c.want)
		}
	}
}
