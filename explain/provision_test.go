package explain

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/provisioning"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// provisioned are options of an engine that hears Karpenter nominate std-x8k2c, and knows this of
// it.
func provisioned(claim *provisioning.NodeClaim, pools ...provisioning.NodePool) Options {
	word := report.AutoscalerWord{
		Component: "karpenter", Reason: "Nominated", Message: "Pod should schedule on: nodeclaim/std-x8k2c",
		LastSeen: metav1.NewTime(testNow.Add(-2 * time.Minute)),
	}
	k := &provisioning.Karpenter{NodePools: pools}
	if claim != nil {
		k.Claims = []provisioning.NodeClaim{*claim}
	}
	return Options{
		Lookups: Lookups{
			Autoscalers: func(context.Context, *corev1.Pod) []report.AutoscalerWord { return []report.AutoscalerWord{word} },
			Provisioning: func(_ context.Context, words []report.AutoscalerWord) *provisioning.State {
				if len(words) != 1 {
					panic("the messages about the pod are not given")
				}
				return &provisioning.State{Karpenter: k}
			},
		},
	}
}

// launched is a NodeClaim of the NodePool std with so much cpu.
func launched(cpu string, change ...func(*provisioning.NodeClaim)) *provisioning.NodeClaim {
	claim := &provisioning.NodeClaim{
		Name: "std-x8k2c", NodePool: "std", Created: testNow.Add(-time.Minute), Labels: map[string]string{provisioning.NodePoolLabel: "std", "team": "ml"},
		Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("10"),
		},
		Conditions: []provisioning.Condition{{Type: "Launched", Status: "True", Since: testNow.Add(-30 * time.Second)}},
	}
	for _, c := range change {
		c(claim)
	}
	return claim
}

func TestWhetherThePodFitsTheNodeOnItsWayIsSimulated(t *testing.T) {
	daemon := func(node, cpu string) *corev1.Pod {
		return testPod("kube-system/agent-"+node, node, cpu, func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "ds-agent", Controller: new(true)}}
		})
	}
	mate := testNode("std-1", "4", explaintest.NodeLabel(provisioning.NodePoolLabel, "std"))
	starting := explaintest.NodeTaint("example.com/starting", "", corev1.TaintEffectNoSchedule)
	there := testNode("std-2", "4", starting, explaintest.NodeTaint("karpenter.sh/unregistered", "", corev1.TaintEffectNoExecute))
	for name, c := range map[string]struct {
		claim *provisioning.NodeClaim
		pod   *corev1.Pod
		want  string
	}{
		"it fits":          {launched("16"), testPod("shop/x", "", "9"), "the pod fits it once it is Ready"},
		"it is too small":  {launched("8"), testPod("shop/x", "", "9"), "the pod does not fit it: needs cpu 1.5 more"},
		"beside the agent": {launched("9"), testPod("shop/x", "", "9"), "the pod does not fit it: needs cpu 500m more"},
		"a taint": {
			launched("16", func(c *provisioning.NodeClaim) { c.Taints = []corev1.Taint{{Key: "dedicated", Effect: "NoSchedule"}} }),
			testPod("shop/x", "", "9"), "the pod does not fit it: dedicated:NoSchedule",
		},
		"a startup taint": {
			launched("16", func(c *provisioning.NodeClaim) {
				c.StartupTaints = []corev1.Taint{{Key: "example.com/starting", Effect: "NoSchedule"}}
			}), testPod("shop/x", "", "9"), "the pod fits it once it is Ready",
		},
		"its labels": {launched("16"), testPod("shop/x", "", "9", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"team": "ml"} }), "the pod fits it once it is Ready"},
		"a node that has come": {
			launched("16", func(c *provisioning.NodeClaim) {
				c.Node, c.StartupTaints = "std-2", []corev1.Taint{{Key: "example.com/starting", Effect: "NoSchedule"}}
			}), testPod("shop/x", "", "3"), "the pod fits it once it is Ready",
		},
		"a node that has come, too small": {
			launched("16", func(c *provisioning.NodeClaim) {
				c.Node, c.StartupTaints = "std-2", []corev1.Taint{{Key: "example.com/starting", Effect: "NoSchedule"}}
			}), testPod("shop/x", "", "9"), "the pod does not fit it: needs cpu 5 more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, provisioned(c.claim), mate, there, daemon("std-1", "500m"), testPod("shop/full", "std-1", "3"))
			r := mustExplain(t, e, c.pod)
			if r.Verdict != report.Unschedulable || r.Provisioning == nil || !strings.HasSuffix(r.Provisioning.Summary, "; "+c.want+".") {
				t.Errorf("%s, %+v", r.Verdict, r.Provisioning)
			}
			if again := mustExplain(t, e, c.pod); again.Summary != r.Summary || len(again.Groups) != len(r.Groups) {
				t.Errorf("the simulation is left behind: %s", again.Summary)
			}
		})
	}
}

func TestTheAutoscalerIsOneLineOfTheShortText(t *testing.T) {
	full := provisioning.NodePool{
		Name: "std", Conditions: []provisioning.Condition{{Type: "Ready", Status: "True"}},
		Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8")}, Used: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8")},
	}
	e := startEngine(t, provisioned(nil, full), testNode("std-1", "4"))
	r := mustExplain(t, e, testPod("shop/x", "", "9"))
	const line = "\nAUTOSCALER Karpenter: no NodePool can be used: std: it is at its limit: cpu 8 of 8.\n"
	short := report.Text(r, 120, report.TextOptions{Now: testNow})
	if !strings.Contains(short, line) || strings.Contains(short, "Nominated") {
		t.Error(short)
	}
	long := report.Text(r, 120, report.TextOptions{Now: testNow, Verbose: true})
	if !strings.Contains(long, line+"NodePool std cannot be used: it is at its limit: cpu 8 of 8 · cpu 8 of 8\n") || !strings.Contains(long, "AUTOSCALER karpenter, 2m ago (Nominated)") {
		t.Error(long)
	}
	text, err := json.Marshal(r.Provisioning)
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestKarpenterWithoutANodePoolIsOneLineOfTheShortText(t *testing.T) {
	for why, line := range map[string]string{
		"":                              "AUTOSCALER Karpenter: there is no NodePool, so it cannot add a node.",
		"not allowed to list nodepools": "AUTOSCALER Karpenter: unknown: not allowed to list nodepools.",
	} {
		options := Options{Lookups: Lookups{Provisioning: func(context.Context, []report.AutoscalerWord) *provisioning.State {
			return &provisioning.State{Karpenter: &provisioning.Karpenter{NodePools: []provisioning.NodePool{}, Unread: why}}
		}}}
		r := mustExplain(t, startEngine(t, options, testNode("std-1", "4")), testPod("shop/x", "", "9"))
		if short := report.Text(r, 120, report.TextOptions{Now: testNow}); strings.Count(short, "AUTOSCALER") != 1 || !strings.Contains(short, "\n"+line+"\n") {
			t.Errorf("no line %q in:\n%s", line, short)
		}
	}
}

func TestAPodThatFitsNowNeedsNoAutoscaler(t *testing.T) {
	e := startEngine(t, provisioned(launched("16")), testNode("std-1", "4"))
	if r := mustExplain(t, e, testPod("shop/x", "", "1")); r.Verdict != report.Schedulable || r.Provisioning != nil {
		t.Errorf("%s, %+v", r.Verdict, r.Provisioning)
	}
}
