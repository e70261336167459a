package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// What terminating pods leave is told of the node where the pod fits first, with no more pods than have to be gone.
func TestAPodThatFitsOnceOthersAreGoneIsToldSo(t *testing.T) {
	ends := func(in time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow.Add(in))) }
	}
	waiting := testPod("s/web", "", "3")
	alone := func(p *corev1.Pod) { p.Labels = map[string]string{"app": "db"} }
	apart := testPod("s/db-1", "", "1", alone, func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			explaintest.PodTerm(corev1.LabelHostname, "db"),
		}}}
	})
	zoned := explaintest.NodeLabel(corev1.LabelTopologyZone, "z1")
	inZone := testPod("s/db-1", "", "1", alone, explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelTopologyZone, "db")))
	for name, c := range map[string]struct {
		objects []runtime.Object
		pod     *corev1.Pod
		want    string
	}{
		"room": {
			[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(4*time.Minute))},
			waiting,
			"It fits a once s/old has terminated, 4m of grace left.",
		},
		"the grace period is over": {
			[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(-2*time.Hour))},
			waiting,
			"It fits a once s/old has terminated, but the grace period ended 2h ago.",
		},
		"no more than have to go, and those that end first": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/one", "a", "1", ends(time.Minute)), testPod("s/two", "a", "1", ends(2*time.Minute)),
				testPod("s/three", "a", "1", ends(3*time.Minute)), testPod("s/four", "a", "1"),
			},
			waiting,
			"It fits a once 3 pods have terminated, 3m of grace left: s/one, s/two, s/three.",
		},
		"the node where that is first": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/short", "a", "2", ends(time.Minute)), testPod("s/long", "a", "2", ends(time.Hour)),
				testNode("b", "4"), testPod("s/middle", "b", "3", ends(10*time.Minute)),
			},
			waiting,
			"It fits b once s/middle has terminated, 10m of grace left.",
		},
		"an anti-affinity": {
			[]runtime.Object{testNode("a", "4"), testPod("s/db-0", "a", "1", alone, ends(20*time.Second))},
			apart,
			"It fits a once s/db-0 has terminated, 20s of grace left.",
		},
		"on another node of its zone": {
			[]runtime.Object{
				testNode("a", "4", cordonedNode, zoned), testNode("b", "4", zoned), testPod("s/db-0", "a", "1", alone, ends(20*time.Second)),
				testPod("s/other", "a", "1", ends(10*time.Second)),
			},
			inZone,
			"It fits b once s/db-0 on a has terminated, 20s of grace left.",
		},
		"on another node, and on its own": {
			[]runtime.Object{
				testNode("a", "4", cordonedNode, zoned), testNode("b", "4", zoned), testPod("s/db-0", "a", "1", alone, ends(20*time.Second)),
				testPod("s/old", "b", "4", ends(time.Minute)),
			},
			inZone,
			"It fits b once 2 pods have terminated, 1m of grace left: s/db-0 on a, s/old.",
		},
		"on another node sooner than on its own": {
			[]runtime.Object{
				testNode("a", "1", zoned), testNode("b", "4", zoned), testPod("s/db-0", "a", "1", alone, ends(20*time.Second)),
				testNode("c", "4"), testPod("s/old", "c", "4", ends(time.Minute)),
			},
			inZone,
			"It fits a once s/db-0 has terminated, 20s of grace left.",
		},
		"a claim in use on another node": {
			[]runtime.Object{
				testNode("a", "4", cordonedNode), testNode("b", "4"), aClaim("s/db", "csi", boundTo("pv-1"), claimMode(corev1.ReadWriteOncePod)), aVolume("pv-1", "csi"),
				testPod("s/db-0", "a", "1", mounting("db"), ends(time.Minute)),
			},
			testPod("s/db-1", "", "1", mounting("db")),
			"It fits b once s/db-0 on a has terminated, 1m of grace left.",
		},
		"not the one that should have ended long ago": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/stuck", "a", "3", ends(-2*time.Hour)),
				testNode("b", "4"), testPod("s/soon", "b", "3", ends(30*time.Second)),
			},
			waiting,
			"It fits b once s/soon has terminated, 30s of grace left.",
		},
		"not one that need not end": {
			[]runtime.Object{testNode("a", "4"), testPod("s/tiny", "a", "500m", ends(10*time.Second)), testPod("s/large", "a", "3", ends(time.Minute))},
			waiting,
			"It fits a once s/large has terminated, 1m of grace left.",
		},
		"others wait too": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/old", "a", "3", ends(time.Minute)), testPod("s/twin", "", "3"),
				testPod("s/above", "", "3", func(p *corev1.Pod) { p.Spec.Priority = new(int32(10)) }), testPod("s/below", "", "3", func(p *corev1.Pod) { p.Spec.Priority = new(int32(-10)) }),
			},
			waiting,
			"It fits a once s/old has terminated, 1m of grace left, unless another pod is scheduled there first.",
		},
		"a StatefulSet creates it again": {
			[]runtime.Object{testNode("a", "4"), testPod("s/old-0", "a", "3", ends(time.Minute), podControlledBy("apps/v1", "StatefulSet", "old"))},
			waiting,
			"It fits a once s/old-0 has terminated, 1m of grace left, unless another pod is scheduled there first.",
		},
		"a DaemonSet creates it again there": {[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(time.Minute), podControlledBy("apps/v1", "DaemonSet", "agent"))}, waiting, ""},
		"a static pod goes on": {[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(time.Minute), func(p *corev1.Pod) {
			p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
		})}, waiting, ""},
		"the kubelet does not end it": {[]runtime.Object{testNode("a", "4", func(n *corev1.Node) {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
		}), testPod("s/old", "a", "3", ends(time.Minute))}, waiting, ""},
		"it does not fit then either":   {[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "1", ends(time.Minute)), testPod("s/stays", "a", "2")}, waiting, ""},
		"a pod that has ended":          {[]runtime.Object{testNode("a", "2"), testPod("s/old", "a", "2", ends(time.Minute), func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded })}, waiting, ""},
		"it fits now":                   {[]runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("s/old", "a", "3", ends(time.Minute))}, waiting, ""},
		"its own node is not there":     {[]runtime.Object{testNode("a", "1"), testPod("s/old", "gone", "3", ends(time.Minute))}, waiting, ""},
		"nothing is terminating there":  {[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3")}, waiting, ""},
		"the node is cordoned besides":  {[]runtime.Object{testNode("a", "4", cordonedNode), testPod("s/old", "a", "3", ends(time.Minute))}, waiting, ""},
		"the pod itself is terminating": {[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(time.Minute))}, testPod("s/web", "", "3", ends(time.Minute)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustExplain(t, startEngine(t, Options{}, append(c.objects, c.pod)...), c.pod)
			if got := report.TerminatingSentence(r, testNow); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if c.want == "" || strings.Contains(name, "others") {
				return
			}
			left := slices.DeleteFunc(slices.Clone(c.objects), func(o runtime.Object) bool {
				pod, ok := o.(*corev1.Pod)
				return ok && slices.ContainsFunc(r.Terminating.Pods, func(gone report.TerminatingPod) bool { return gone.Namespace == pod.Namespace && gone.Name == pod.Name })
			})
			if then := mustExplain(t, startEngine(t, Options{}, append(left, c.pod)...), c.pod); then.Verdict != report.Schedulable {
				t.Errorf("without them it is %s: %s", then.Verdict, then.Summary)
			}
		})
	}
}
