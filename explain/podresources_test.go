package explain

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// ofPod gives a pod requests and limits of its own. An amount "" is left out.
func ofPod(request, limit string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(request)}}
		if limit != "" {
			p.Spec.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(limit)}
		}
	}
}

func TestRequestsOfThePodItselfAreLowered(t *testing.T) {
	memory := func(p *corev1.Pod) { // with it the pod is Guaranteed
		p.Spec.Resources.Requests[corev1.ResourceMemory], p.Spec.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("1Gi"), resource.MustParse("1Gi")
	}
	limited := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2500m")}
	}
	for name, c := range map[string]struct {
		pod  *corev1.Pod
		want string // in its command; "": there is no such fix
	}{
		"burstable":                 {testPod("shop/web", "", "1", ofPod("3", "4")), `--subresource resize -p '{"spec":{"resources":{"requests":{"cpu":"2"}}}}'`},
		"Guaranteed":                {testPod("shop/web", "", "1", ofPod("3", "3"), memory), `{"spec":{"resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}}`},
		"its container's limit":     {testPod("shop/web", "", "1", ofPod("3", "3"), memory, limited), ""},
		"not below its containers'": {testPod("shop/web", "", "2500m", ofPod("3", "")), ""},
		"not below a tenth":         {testPod("shop/web", "", "1m", ofPod("20", "")), ""},
		"not set: the container's":  {testPod("shop/web", "", "3", ofPod("3", ""), func(p *corev1.Pod) { delete(p.Spec.Resources.Requests, corev1.ResourceCPU) }), "app"},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{ClusterVersion: "v1.37.1"}, testNode("a", "2"), c.pod)
			found := ""
			for _, fix := range mustFix(t, e, c.pod).Tried {
				if fix.Kind == report.FixRequest {
					found += fix.Title + ": " + fix.Command
					if !fix.Verified || fix.Title != "request cpu 2 instead of 3" {
						t.Errorf("%+v", fix)
					}
				}
			}
			if !strings.Contains(found, c.want) || (found == "") != (c.want == "") {
				t.Errorf("got %q, want %q", found, c.want)
			}
		})
	}
}

func TestAPodThatComparesTaintsToleratesByComparing(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.TaintTolerationComparisonOperators, true)
	model.CompareTolerations(true)
	t.Cleanup(func() { model.CompareTolerations(false) })
	tolerates := func(operator corev1.TolerationOperator, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{{Key: "sla", Operator: operator, Value: value, Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	for name, c := range map[string]struct {
		taint string
		pod   *corev1.Pod
		title string
		value string
	}{
		"greater": {"900", testPod("shop/web", "", "1", tolerates(corev1.TolerationOpGt, "950")), "tolerate sla > 899:NoSchedule", `"operator":"Gt","value":"899"`},
		"less":    {"900", testPod("shop/web", "", "1", tolerates(corev1.TolerationOpLt, "800")), "tolerate sla < 901:NoSchedule", `"operator":"Lt","value":"901"`},
		"a word":  {"gold", testPod("shop/web", "", "1", tolerates(corev1.TolerationOpGt, "950")), "tolerate sla=gold:NoSchedule", `"operator":"Equal","value":"gold"`},
		"fits":    {"951", testPod("shop/web", "", "1", tolerates(corev1.TolerationOpGt, "950")), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{}, testNode("a", "4", nodeTaint("sla", c.taint, corev1.TaintEffectNoSchedule)), c.pod)
			r := mustExplain(t, e, c.pod)
			if fits := r.Verdict == report.Schedulable; fits != (c.title == "") {
				t.Fatalf("%s: %s", r.Verdict, r.Summary)
			}
			if c.title == "" {
				return
			}
			tried := mustFix(t, e, c.pod).Tried
			at := slices.IndexFunc(tried, func(f report.Fix) bool { return f.Kind == report.FixTolerate })
			if at < 0 || tried[at].Title != c.title || !tried[at].Verified || !strings.Contains(tried[at].Command, c.value) {
				t.Errorf("%+v", tried)
			}
		})
	}
}
