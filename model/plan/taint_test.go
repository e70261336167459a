package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func tolerates(key string, seconds ...int64) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		toleration := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
		if len(seconds) > 0 {
			toleration.TolerationSeconds = &seconds[0]
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
	}
}

// crowd are the pods of the node that the taint edit is drawn for: 9 tolerate
// nothing, 3 for 300 s, 19 for good.
func crowd() []runtime.Object {
	node := anEmptyNode("std-b-02")
	objects := []runtime.Object{node}
	for i := range 31 {
		name := "shop/p" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		change := tolerates("dedicated")
		switch {
		case i < 9:
			change = grace(30)
		case i < 12:
			change = tolerates("dedicated", 300)
		}
		objects = append(objects, owned(name, "std-b-02", "ReplicaSet/p", change))
	}
	return objects
}

func mustParse(t *testing.T, words ...string) Taint {
	t.Helper()
	add, remove, err := ParseTaints(words)
	if err != nil {
		t.Fatal(err)
	}
	return Taint{Nodes: []string{"std-b-02"}, Add: add, Remove: remove}
}

func TestATaintIsPlanned(t *testing.T) {
	tainted := func(taints ...string) *corev1.Node {
		node := anEmptyNode("std-b-02")
		node.Spec.Taints = mustParse(t, taints...).Add
		return node
	}
	cases := []struct {
		about   string
		objects []runtime.Object
		words   []string
		want    []string // what is told, without the lines of pods
		err     string
	}{
		{
			"NoExecute", crowd(),
			[]string{"dedicated=gpu:NoExecute"},
			[]string{
				"Taint std-b-02", "Evicts 12 of 31 pods (9 immediately, 3 after 300s).", "19 tolerate it.",
				"warning: NoExecute ignores PodDisruptionBudgets; drain respects them.", "Longest grace period 30s.",
				"No dry run. Undo: remove the taint; pods do not move back.", "Type 12 (pods to evict):",
			},
			"",
		},
		{
			"NoSchedule", crowd(),
			[]string{"dedicated=gpu:NoSchedule"},
			[]string{
				"Taint std-b-02", "Its 31 pods keep running; new pods are scheduled on other nodes unless they tolerate it.",
				"spec.taints  – → dedicated=gpu:NoSchedule", "No dry run. Undo: remove the taint.", "y taint",
			},
			"",
		},
		{
			"another effect",
			[]runtime.Object{tainted("dedicated=gpu:NoSchedule", "b:NoSchedule")},
			[]string{"dedicated:NoSchedule-", "dedicated=gpu:PreferNoSchedule"},
			[]string{
				"Taint std-b-02", "No pods run there; new pods that do not tolerate it prefer other nodes.",
				"spec.taints  dedicated=gpu:NoSchedule, b:NoSchedule → b:NoSchedule, dedicated=gpu:PreferNoSchedule",
				"No dry run. Undo: restore the previous taints.", "y taint",
			},
			"",
		},
		{
			"another value keeps its place",
			[]runtime.Object{tainted("dedicated=gpu:NoSchedule", "b:NoSchedule")},
			[]string{"dedicated=tpu:NoSchedule"},
			[]string{
				"Taint std-b-02", "No pods run there; new pods are scheduled on other nodes unless they tolerate it.",
				"spec.taints  dedicated=gpu:NoSchedule, b:NoSchedule → dedicated=tpu:NoSchedule, b:NoSchedule",
				"No dry run. Undo: restore the previous value.", "y taint",
			},
			"",
		},
		{
			"removal of all effects",
			[]runtime.Object{tainted("a:NoSchedule", "a:NoExecute", "b:NoSchedule")},
			[]string{"a-"},
			[]string{
				"Remove taint a from std-b-02", "No pods run there; new pods no longer need to tolerate it.",
				"spec.taints  a:NoSchedule, a:NoExecute, b:NoSchedule → b:NoSchedule", "No dry run. Undo: add the taint again; pods that came and do not tolerate it are evicted.", "y untaint",
			},
			"",
		},
		{
			"removal of one that keeps new pods away",
			[]runtime.Object{tainted("a:NoSchedule", "b:NoSchedule")},
			[]string{"a-"},
			[]string{
				"Remove taint a from std-b-02", "No pods run there; new pods no longer need to tolerate it.",
				"spec.taints  a:NoSchedule, b:NoSchedule → b:NoSchedule", "No dry run. Undo: add the taint again; pods that came stay.", "y untaint",
			},
			"",
		},
		{
			"removal of a preference",
			[]runtime.Object{tainted("a:PreferNoSchedule", "b:NoSchedule")},
			[]string{"a-"},
			[]string{
				"Remove taint a from std-b-02", "spec.taints  a:PreferNoSchedule, b:NoSchedule → b:NoSchedule", "No dry run. Undo: add the taint again.", "y untaint",
			},
			"",
		},
		{"removal of none", []runtime.Object{tainted("a:NoSchedule")}, []string{"b-"}, nil, "untaint std-b-02 b-: nothing would change: std-b-02 has no taint b"},
		{"as it is", []runtime.Object{tainted("a:NoSchedule")}, []string{"a:NoSchedule"}, nil, "taint std-b-02 a:NoSchedule: nothing would change: std-b-02 already has the taint"},
		{"both ways", []runtime.Object{tainted()}, []string{"a:NoSchedule", "a-"}, nil, "taint std-b-02 a:NoSchedule a-: not possible: a:NoSchedule is both added and removed"},
		{"of a node that is gone", []runtime.Object{anEmptyNode("other")}, []string{"a-"}, nil, "untaint std-b-02: it no longer exists"},
	}
	for _, c := range cases {
		plan, err := mustParse(t, c.words...).Plan(factsOf(t, c.objects...))
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.about, err, c.err)
			}
			continue
		}
		lines := slices.DeleteFunc(told(plan), func(line string) bool { return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "! ") })
		if diff := cmp.Diff(c.want, lines); diff != "" {
			t.Errorf("%s: %s", c.about, diff)
		}
	}
}

func TestTaintsAreReadAsKubectlReadsThem(t *testing.T) {
	cases := []struct{ word, want, err string }{
		{"a=b:NoSchedule", "a=b:NoSchedule", ""},
		{"a:NoExecute", "a:NoExecute", ""},
		{"example.com/a=:PreferNoSchedule", "example.com/a:PreferNoSchedule", ""},
		{"a-", "a-", ""},
		{"a:NoExecute-", "a:NoExecute-", ""},
		{"a=b:NoExecute-", "a=b:NoExecute-", ""},
		{"a=b", "", "invalid taint a=b: the effect is missing: add :PreferNoSchedule, :NoSchedule or :NoExecute"},
		{"a:NoRun", "", `invalid taint a:NoRun: unknown effect "NoRun": use PreferNoSchedule, NoSchedule or NoExecute`},
		{":NoExecute", "", `invalid taint :NoExecute: key "": name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`},
	}
	for _, c := range cases {
		add, remove, err := ParseTaints([]string{c.word})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if said != c.err {
			t.Errorf("%s: error %q, want %q", c.word, said, c.err)
			continue
		}
		if got := strings.Join(Taint{Add: add, Remove: remove}.words(), " "); got != c.want {
			t.Errorf("%s is read as %q", c.word, got)
		}
	}
	if _, _, err := ParseTaints([]string{"a=b:NoSchedule", "a=c:NoSchedule"}); err == nil {
		t.Error("a taint that is there twice is taken")
	}
	if _, err := (Taint{Nodes: []string{"n"}}).Plan(factsOf(t, anEmptyNode("n"))); !errors.Is(err, ErrNotPossible) {
		t.Errorf("a wish without taints gives %v", err)
	}
}

func TestWhomATaintThrowsOut(t *testing.T) {
	key := func(taint string) []any { // as a node's JSON has them
		var list []any
		for _, taint := range mustParse(t, strings.Fields(taint)...).Add {
			list = append(list, taintItem(taint))
		}
		return list
	}
	pods := func(changes ...func(*corev1.Pod)) []*model.Pod {
		var all []*model.Pod
		for _, change := range changes {
			all = append(all, model.NewPod(owned("a/p", "n", "ReplicaSet/p", change)))
		}
		return all
	}
	nothing := func(*corev1.Pod) {}
	daemon := model.NewPod(owned("a/d", "n", "DaemonSet/d", nil))
	cases := []struct {
		was, then string
		pods      []*model.Pod
		want      string
	}{
		{"", "a:NoExecute", pods(nothing), "Evicts 1 pod immediately."},
		{"", "a:NoExecute", pods(tolerates("a")), "Its 1 pod tolerates it."},
		{"", "a:NoExecute", nil, "No pods run there."},
		{"", "a:NoExecute b:NoExecute", pods(tolerates("a"), tolerates("a"), func(p *corev1.Pod) { tolerates("a", 60)(p); tolerates("b", 30)(p) }), "Evicts 3 pods (2 immediately, 1 after 30s)."},
		{"a:NoExecute", "a:NoExecute b:NoExecute", pods(tolerates("a", 60), func(p *corev1.Pod) { tolerates("a", 60)(p); tolerates("b")(p) }), "Evicts 1 of 2 pods immediately. 1 is already being evicted because of another taint."},
		{"a:NoExecute", "", pods(tolerates("a", 60), tolerates("a")), "Of 2 pods, 1 is no longer evicted."},
		{"", "a:NoExecute", pods(tolerates("a", 0), tolerates("a", -5)), "Evicts 2 pods immediately."},
		{"", "a:NoExecute", pods(tolerates("a", 10), tolerates("a", 20), tolerates("a", 30), tolerates("a", 40)), "Evicts 4 pods (1 after 10s, 1 after 20s, 2 after 30s to 40s)."},
		{"", "a:NoExecute", pods(asMirror, nothing), "Evicts 1 of 2 pods immediately. 1 static pod is recreated."},
		{"", "a:NoExecute", []*model.Pod{daemon}, "Evicts 1 pod immediately."},
	}
	for _, c := range cases {
		var out taintEviction
		out.on(&model.Node{Pods: c.pods}, noExecute(key(c.was)), noExecute(key(c.then)))
		lead, rest := out.words()
		if got := strings.Trim(lead+". "+rest, ". ") + "."; got != c.want {
			t.Errorf("%s → %s: %q, want %q", c.was, c.then, got, c.want)
		}
	}
	var out taintEviction
	out.on(&model.Node{Pods: []*model.Pod{daemon}}, nil, noExecute(key("a:NoExecute")))
	if words := out.ends[0].Words(); words != "not recreated while the taint is there" {
		t.Errorf("a DaemonSet's pod: %q", words)
	}
}

func TestATaintThatEvictsWhatIsLostNeedsAConsent(t *testing.T) {
	for name, test := range map[string]struct {
		pods []runtime.Object
		want []string
	}{
		"a controller recreates it":   {[]runtime.Object{owned("shop/a", "std-1", "ReplicaSet/a", nil)}, nil},
		"it tolerates the taint":      {[]runtime.Object{owned("shop/a", "std-1", "", tolerates("gone"))}, nil},
		"nothing recreates it":        {[]runtime.Object{owned("shop/a", "std-1", "", nil)}, []string{"--force"}},
		"nothing recreates it, later": {[]runtime.Object{owned("shop/a", "std-1", "", tolerates("gone", 300))}, []string{"--force"}},
	} {
		t.Run(name, func(t *testing.T) {
			add, _, err := ParseTaints([]string{"gone:NoExecute"})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := Taint{Nodes: []string{"std-1"}, Add: add}.Plan(factsOf(t, append(test.pods, anEmptyNode("std-1"))...))
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			for _, consent := range plan.Consents {
				flags = append(flags, consent.Flag)
			}
			if diff := cmp.Diff(test.want, flags); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The taint manager deletes finished pods, too: they are listed and counted as a drain does it.
func TestANoExecuteTaintEvictsFinishedPods(t *testing.T) {
	objects := []runtime.Object{
		anEmptyNode("std-b-02"), anEmptyNode("other"),
		owned("shop/a", "std-b-02", "ReplicaSet/a", nil), owned("shop/bare", "std-b-02", "", asFinished), owned("shop/job", "std-b-02", "Job/job", asFinished),
		owned("shop/tolerates", "std-b-02", "Job/job", func(p *corev1.Pod) { asFinished(p); tolerates("gone")(p) }),
		owned("shop/elsewhere", "other", "Job/job", asFinished),
	}
	plan, err := mustParse(t, "gone:NoExecute").Plan(factsOf(t, objects...))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"Taint std-b-02", "Evicts 3 pods immediately.", "  shop/a ", "  shop/bare already finished", "  shop/job already finished",
		"warning: NoExecute ignores PodDisruptionBudgets; drain respects them.", "Longest grace period 30s.",
		"No dry run. Undo: remove the taint; pods do not move back.", "Type 3 (pods to evict):",
	}, told(plan)); diff != "" {
		t.Error(diff)
	}
	plan, err = mustParse(t, "gone:NoExecute").Plan(factsOf(t, objects[0], objects[3]))
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Warnings) > 0 || plan.PodsTerminated != 1 {
		t.Errorf("of a finished pod only: %d pods, %q", plan.PodsTerminated, plan.Warnings)
	}
}
