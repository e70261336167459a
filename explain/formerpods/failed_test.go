package formerpods_test

import (
	"encoding/json"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/formerpods"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// TestPodsThatAKubeletEvictedAreToldOfTheirWorkload: the kubelet's message is quoted, and stands nowhere else by workload.
func TestPodsThatAKubeletEvictedAreToldOfTheirWorkload(t *testing.T) {
	const lowOnMemory = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi. Container app was using 2Gi, request is 256Mi, has larger consumption of memory. "
	const rejected = "Pod was rejected: Node didn't have enough resource: cpu, requested: 8000, used: 100, capacity: 4000"
	of := func(set string) func(*corev1.Pod) { return explaintest.PodControlledBy("apps/v1", "ReplicaSet", set) }
	set := func(name, deployment string) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: "s", Name: name, UID: types.UID(name),
			OwnerReferences: []metav1.OwnerReference{explaintest.ControlledBy("apps/v1", "Deployment", deployment)},
		}}
	}
	failed := func(name, set, node, reason, message string, ago time.Duration) *corev1.Pod {
		return explaintest.Pod("s/"+name, node, "1", of(set), func(p *corev1.Pod) {
			p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, reason, message
			if ago > 0 {
				p.Status.Conditions = []corev1.PodCondition{{
					Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonTerminationByKubelet,
					LastTransitionTime: metav1.NewTime(explaintest.Now.Add(-ago)),
				}}
			}
		})
	}
	const quoted = `: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi. Container app was using 2Gi, request is 256Mi, has larger consumption of memory."`
	long := lowOnMemory + "Container sidecar was using 100Mi, request is 0, has larger consumption of memory. "
	for name, c := range map[string]struct {
		pods []runtime.Object
		want string // "": nothing to tell
	}{
		"none failed": {nil, ""},
		"one was evicted": {
			[]runtime.Object{failed("e1", "web-2", "a", "Evicted", lowOnMemory, 4*time.Minute)},
			"1 of its pods was evicted 4m ago on a" + quoted,
		},
		"three were, of two ReplicaSets of its Deployment": {
			[]runtime.Object{
				failed("e1", "web-2", "a", "Evicted", "x", time.Hour), failed("e2", "web-1", "b", "Evicted", lowOnMemory, 4*time.Minute),
				failed("e3", "web-1", "a", "Evicted", "y", 0), failed("e4", "other-1", "a", "Evicted", "z", time.Minute),
			},
			"3 of its pods were evicted, the last 4m ago on b" + quoted,
		},
		"some were rejected": {
			[]runtime.Object{
				failed("e1", "web-2", "a", "Evicted", "x", time.Hour), failed("e2", "web-2", "b", "OutOfcpu", rejected, time.Minute),
				failed("e3", "web-2", "a", "OutOfcpu", rejected, time.Hour),
			},
			`3 of its pods failed (2 OutOfcpu, 1 Evicted), the last 1m ago on b: "` + rejected + `"`,
		},
		"when is not known": {
			[]runtime.Object{failed("e1", "web-2", "a", "NodeAffinity", "", 0)},
			"1 of its pods failed (NodeAffinity) on a.",
		},
		"a long message": {
			[]runtime.Object{failed("e1", "web-2", "a", "Evicted", long, time.Minute)},
			"1 of its pods was evicted 1m ago on a" + quoted[:len(quoted)-1] + ` Container sidecar was using 100Mi, …"`,
		},
		"its containers failed, or it ran for too long": {
			[]runtime.Object{failed("e1", "web-2", "a", "", "", time.Minute), failed("e2", "web-2", "a", "DeadlineExceeded", "Pod was active on the node longer than the specified deadline", time.Minute)},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			waiting := explaintest.Pod("s/x", "", "2", of("web-2"))
			objects := append([]runtime.Object{set("web-1", "web"), set("web-2", "web"), set("other-1", "other"), explaintest.Node("a", "8"), explaintest.Node("b", "8"), waiting}, c.pods...)
			s := explaintest.StartScheduler(t, nil, objects...)
			r := &report.Report{FailedPods: formerpods.Failed(s.State, waiting)}
			explaintest.Same(t, report.FailedPodsSentence(r, explaintest.Now), c.want)
			text := explaintest.Must(json.Marshal(r))
			var fields map[string]any
			if err := json.Unmarshal(text, &fields); err != nil {
				t.Fatal(err)
			}
			if _, has := fields["failedPods"]; has != (c.want != "") {
				t.Errorf("failedPods in %s", text)
			}
		})
	}
}
