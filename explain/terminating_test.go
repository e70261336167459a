package explain

import (
	"slices"
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
	for name, c := range map[string]struct {
		objects []runtime.Object
		pod     *corev1.Pod
		want    string
	}{
		"room": {
			[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(4*time.Minute))},
			waiting,
			"It fits a once s/old has terminated: 4m of grace left.",
		},
		"the grace period is over": {
			[]runtime.Object{testNode("a", "4"), testPod("s/old", "a", "3", ends(-2*time.Hour))},
			waiting,
			"It fits a once s/old has terminated: the grace period ended 2h ago.",
		},
		"no more than have to go, and those that end first": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/one", "a", "1", ends(time.Minute)), testPod("s/two", "a", "1", ends(2*time.Minute)),
				testPod("s/three", "a", "1", ends(3*time.Minute)), testPod("s/four", "a", "1"),
			},
			waiting,
			"It fits a once s/one, s/two, s/three have terminated: 3m of grace left.",
		},
		"the node where that is first": {
			[]runtime.Object{
				testNode("a", "4"), testPod("s/short", "a", "2", ends(time.Minute)), testPod("s/long", "a", "2", ends(time.Hour)),
				testNode("b", "4"), testPod("s/middle", "b", "3", ends(10*time.Minute)),
			},
			waiting,
			"It fits b once s/middle has terminated: 10m of grace left.",
		},
		"an anti-affinity": {
			[]runtime.Object{testNode("a", "4"), testPod("s/db-0", "a", "1", alone, ends(20*time.Second))},
			apart,
			"It fits a once s/db-0 has terminated: 20s of grace left.",
		},
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
			if c.want == "" {
				return
			}
			left := slices.DeleteFunc(slices.Clone(c.objects), func(o runtime.Object) bool {
				pod, ok := o.(*corev1.Pod)
				return ok && slices.Contains(r.Terminating.Pods, report.TerminatingPod{Namespace: pod.Namespace, Name: pod.Name})
			})
			if then := mustExplain(t, startEngine(t, Options{}, append(left, c.pod)...), c.pod); then.Verdict != report.Schedulable {
				t.Errorf("without them it is %s: %s", then.Verdict, then.Summary)
			}
		})
	}
}
