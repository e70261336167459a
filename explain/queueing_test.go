package explain

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// mustFix are the fixes of a pod of the engine.
func mustFix(t *testing.T, e *Engine, pod *corev1.Pod) *report.Fixes {
	t.Helper()
	fixes, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	return fixes
}

func TestAGateOfAQueueIsForItsControllerToRemove(t *testing.T) {
	queue := func(p *corev1.Pod) { p.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "team-a"} }
	fits := []string{"remove gate kueue.x-k8s.io/admission"}
	for _, test := range []struct {
		name   string
		pod    *corev1.Pod
		gates  []string // titles of the fixes that remove one
		advice string
		quota  string
	}{
		{"Kueue's", testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/admission")), fits, "Kueue holds it: see its Workload and LocalQueue.", "Kueue's quota"},
		{"Kueue's, of a queue that is known", testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/admission"), queue), fits, "Kueue holds it: see its Workload and LocalQueue team-a.", "Kueue's quota"},
		{
			"another of Kueue's", testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/topology")),
			[]string{"remove gate kueue.x-k8s.io/topology"},
			"Kueue holds it: see its Workload and LocalQueue.", "Kueue's quota",
		},
		{
			"one of Kueue's and another", testPod("ml/train", "", "1", gatedBy("example.com/licence", "kueue.x-k8s.io/elastic-job")),
			[]string{"remove gates example.com/licence, kueue.x-k8s.io/elastic-job"},
			"Kueue holds it: see its Workload and LocalQueue.", "Kueue's quota",
		},
		{
			"Kueue's, of a pod that no node would take", testPod("ml/train", "", "1", gatedBy("kueue.x-k8s.io/admission"), func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }),
			[]string{"remove gate kueue.x-k8s.io/admission and label std-a-01 disk=ssd", "remove gate kueue.x-k8s.io/admission and remove node selector disk=ssd"},
			"Kueue holds it: see its Workload and LocalQueue.", "Kueue's quota",
		},
		{
			"Kueue's, of a pod that is too large", testPod("ml/train", "", "9", gatedBy("kueue.x-k8s.io/admission")),
			nil, "Kueue holds it: see its Workload and LocalQueue.", "Kueue's quota",
		},
		{
			"Volcano's", testPod("ml/train", "", "1", gatedBy("scheduling.volcano.sh/queue-allocation-gate")),
			[]string{"remove gate scheduling.volcano.sh/queue-allocation-gate"},
			"Volcano holds it: see its PodGroup and Queue.", "Volcano's queue",
		},
		{
			"that of a quota of KubeVirt", testPod("ml/train", "", "1", gatedBy("ApplicationAwareQuotaGate")),
			[]string{"remove gate ApplicationAwareQuotaGate"},
			"KubeVirt's Application Aware Quota holds it: see the ApplicationAwareResourceQuotas of its namespace.", "its quota",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := startEngine(t, Options{}, testNode("std-a-01", "4"), test.pod)
			fixes := mustFix(t, e, test.pod)
			same(t, fixes.Sentence(), test.advice)
			if len(fixes.Tried) == 0 || fixes.Tried[0].Kind != report.FixQueue || fixes.Work() != 0 {
				t.Fatalf("got %+v", fixes.Tried)
			}
			var gates []string
			bypasses := "bypasses " + test.quota + ", and cannot be undone"
			for _, fix := range fixes.Tried[1:] {
				gates = append(gates, fix.Title)
				if fix.Verified || fix.Command != "" || fix.Undo != "" || fix.Outcome() != bypasses {
					t.Errorf("got %+v", fix)
				}
			}
			slices.Sort(gates)
			if test.gates != nil && !slices.Equal(gates, test.gates) {
				t.Errorf("got %q, want %q", gates, test.gates)
			}
			r := mustExplain(t, e, test.pod).WithFixes(fixes)
			document, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			for format, text := range map[string]string{
				"text": report.Text(r, 120, report.TextOptions{Verbose: true, Now: testNow}), "all of the text": report.Text(r, 120, report.TextOptions{Fixes: true, Now: testNow}),
				"JSON": string(document), "Markdown": r.Markdown(),
			} {
				if !strings.Contains(text, bypasses) && len(gates) > 0 || strings.Contains(text, "kubectl") || strings.Contains(text, "nothing else") {
					t.Errorf("%s: %s", format, text)
				}
				if advice := strings.TrimSuffix(test.advice, "."); format != "JSON" && !strings.Contains(text, advice) {
					t.Errorf("%s does not say %q: %s", format, advice, text)
				}
			}
		})
	}
}

func TestAGateIsToldWithWhoSetIt(t *testing.T) {
	for gate, want := range map[string]struct{ until, owner, state, cause string }{
		"kueue.x-k8s.io/admission": {
			"Kueue admits its Workload",
			"Kueue holds it: see its Workload and LocalQueue; removing its gate by hand bypasses Kueue's quota and cannot be undone.",
			"queued", "queue",
		},
		"scheduling.volcano.sh/queue-allocation-gate": {
			"Volcano's queue has capacity for it",
			"Volcano holds it: see its PodGroup and Queue; removing its gate by hand bypasses Volcano's queue and cannot be undone.",
			"queued", "queue",
		},
		"ApplicationAwareQuotaGate": {
			"its quota has capacity for it",
			"KubeVirt's Application Aware Quota holds it: see the ApplicationAwareResourceQuotas of its namespace; " +
				"removing its gate by hand bypasses its quota and cannot be undone.",
			"gated", "quota",
		},
		"multiarch.openshift.io/scheduling-gate": {
			"the gate is removed",
			"The Multiarch Tuning Operator normally removes this gate; a gate that you remove cannot be added again.",
			"gated", "gate",
		},
		"grove.io/podgang-pending-creation": {
			"the gate is removed", "Grove normally removes this gate; a gate that you remove cannot be added again.", "gated", "gate",
		},
		"org.instaslice/accelarator": { //nolint:misspell // InstaSlice spells it so
			"the gate is removed", "InstaSlice normally removes this gate; a gate that you remove cannot be added again.", "gated", "gate",
		},
		"example.com/licence": {
			"the gate is removed",
			"The controller of example.com normally removes this gate; a gate that you remove cannot be added again.",
			"gated", "gate",
		},
	} {
		pod := testPod("ml/train", "", "1", gatedBy(gate))
		r := mustExplain(t, startEngine(t, Options{}, testNode("std-a-01", "4")), pod)
		same(t, r.Summary, "Gated by "+gate+" until "+want.until+".")
		if !slices.Contains(r.Facts, want.owner) {
			t.Errorf("got %q, want %q", r.Facts, want.owner)
		}
		same(t, r.State, want.state)
		same(t, r.BlockedBy, want.cause)
	}
}

func TestAGateThatIsRemovedIsNotSaidToAffectNothing(t *testing.T) {
	pod := testPod("ml/train", "", "1", gatedBy("example.com/licence"))
	fixes := mustFix(t, startEngine(t, Options{}, testNode("std-a-01", "4"), pod), pod)
	if len(fixes.Tried) != 1 || !fixes.Tried[0].Verified || fixes.Tried[0].Outcome() != "cannot be undone" {
		t.Errorf("got %+v", fixes.Tried)
	}
}
