package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// deferredFrom is a running pod whose kubelet has granted so much cpu, and not what it requests.
func deferredFrom(granted, reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		allocated := p.Spec.Containers[0].Resources.Requests.DeepCopy()
		allocated[corev1.ResourceCPU] = resource.MustParse(granted)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: p.Spec.Containers[0].Name, AllocatedResources: allocated, Resources: &corev1.ResourceRequirements{Requests: allocated},
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.NewTime(testNow.Add(-3 * time.Minute)),
		})
	}
}

// healthy is a budget of a workload whose pods are all healthy, and needed.
func healthy(budget *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	budget.Status = policyv1.PodDisruptionBudgetStatus{CurrentHealthy: 3, DesiredHealthy: 3, ExpectedPods: 3}
	return budget
}

// A resize that the kubelet defers is granted once its node has enough by requests: fixes are tried
// on the pod's own node, and what is evicted finds no way back, for the scheduler counts the resize.
func TestFixesOfAResize(t *testing.T) {
	none := intstr.FromInt32(0)
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "keep"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &none, Selector: &metav1.LabelSelector{}},
	}
	cache := testPod("shop/cache", "a", "2", ownedBy("ReplicaSet", "cache"))
	for name, test := range map[string]struct {
		objects []runtime.Object
		want    []string // title, whether it is verified, and who is affected
		none    string
		why     string
	}{
		"a holder that finds another node": {
			objects: []runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/web", "a", "3", deferredFrom("1", "Deferred")), cache},
			want: []string{
				"evict shop/cache from a verified [shop/cache is rescheduled on b]",
				`request cpu 2 instead of 3 verified []`,
				`take back the resize of shop/web (cpu 3, allocated 1) verified [shop/web keeps running with what is allocated to it]`,
			},
			why: "deferred: needs cpu 1 more on a",
		},
		"a holder that finds none": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/web", "a", "3", deferredFrom("1", "Deferred")), cache},
			want: []string{
				`request cpu 2 instead of 3 verified []`,
				`take back the resize of shop/web (cpu 3, allocated 1) verified [shop/web keeps running with what is allocated to it]`,
				"evict shop/cache from a verified [shop/cache becomes Pending: a needs cpu 1 more]",
			},
			why: "deferred: needs cpu 1 more on a",
		},
		"a holder that a budget protects": {
			objects: []runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/web", "a", "3", deferredFrom("1", "Deferred")), cache, budget},
			want: []string{
				`request cpu 2 instead of 3 verified []`,
				`take back the resize of shop/web (cpu 3, allocated 1) verified [shop/web keeps running with what is allocated to it]`,
				"evict shop/cache from a [PodDisruptionBudget shop/keep allows 0 disruptions now: the eviction of shop/cache would be rejected] [shop/cache is rescheduled on b]",
			},
			why: "deferred: needs cpu 1 more on a",
		},
		"more than the node has": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/web", "a", "9", deferredFrom("1", "Infeasible"))},
			want: []string{
				`request cpu 4 instead of 9 verified []`,
				`take back the resize of shop/web (cpu 9, allocated 1) verified [shop/web keeps running with what is allocated to it]`,
			},
			why: "infeasible: cpu 4 allocatable on a",
		},
		"another one is deferred too": { // the kubelet counts what is granted to it
			objects: []runtime.Object{
				testNode("a", "4"), testPod("shop/web", "a", "3500m", deferredFrom("2", "Deferred")), testPod("shop/other", "a", "3", ownedBy("DaemonSet", "other"), deferredFrom("1", "Deferred")),
			},
			want: []string{
				"request cpu 3 instead of 3.5 verified []",
				`take back the resize of shop/web (cpu 3.5, allocated 2) verified [shop/web keeps running with what is allocated to it]`,
			},
			why: "deferred: needs cpu 500m more on a",
		},
		"a budget protects another one that is deferred": { // its Ready condition counts
			objects: []runtime.Object{
				testNode("a", "4"), testNode("b", "4"), testPod("shop/web", "a", "3500m", deferredFrom("1", "Deferred")),
				testPod("shop/other", "a", "3", ownedBy("ReplicaSet", "other"), deferredFrom("2", "Deferred"), func(p *corev1.Pod) {
					p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
				}), healthy(budget.DeepCopy()),
			},
			want: []string{
				"request cpu 2 instead of 3.5 verified []",
				`take back the resize of shop/web (cpu 3.5, allocated 1) verified [shop/web keeps running with what is allocated to it]`,
				"evict shop/other from a [PodDisruptionBudget shop/keep allows 0 disruptions now: the eviction of shop/other would be rejected. Its maxUnavailable is 0: it never allows an eviction] [shop/other is rescheduled on b]",
			},
			why: "deferred: needs cpu 1.5 more on a",
		},
		"a container that is not resized keeps what it has": {
			objects: []runtime.Object{testNode("a", "6"), testPod("shop/web", "a", "3", deferredFrom("3", "Deferred"), func(p *corev1.Pod) {
				p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "side", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2500m")},
				}})
				one := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
				p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
					Name: "side", AllocatedResources: one, Resources: &corev1.ResourceRequirements{Requests: one},
				})
			}), testPod("shop/agent", "a", "1500m", ownedBy("DaemonSet", "agent"))},
			want: []string{`take back the resize of shop/web (cpu 2.5, allocated 1) verified [shop/web keeps running with what is allocated to it]`},
			none: "No known change helps on its node: take the resize back. No other node fits the pod with these requests either.",
			why:  "deferred: needs cpu 1 more on a",
		},
		"no more than it has": {
			objects: []runtime.Object{testNode("a", "3"), testPod("shop/web", "a", "3", deferredFrom("1", "Deferred")), testPod("shop/agent", "a", "2", ownedBy("DaemonSet", "agent"))},
			want:    []string{`take back the resize of shop/web (cpu 3, allocated 1) verified [shop/web keeps running with what is allocated to it]`},
			none:    "No known change helps on its node: take the resize back. No other node fits the pod with these requests either.",
			why:     "deferred: needs cpu 2 more on a",
		},
		"no more than it has, and other nodes have": {
			objects: []runtime.Object{
				testNode("a", "3"), testNode("b", "4"), testNode("c", "3"), testNode("d", "2"),
				testPod("shop/web", "a", "3", deferredFrom("1", "Deferred")), testPod("shop/agent", "a", "2", ownedBy("DaemonSet", "agent")),
			},
			want: []string{`take back the resize of shop/web (cpu 3, allocated 1) verified [shop/web keeps running with what is allocated to it]`},
			none: "No known change helps on its node: take the resize back, or recreate the pod with the requests of the resize: 2 other nodes fit them.",
			why:  "deferred: needs cpu 2 more on a",
		},
		"no more than it has, other nodes have, and its controller would create it as before": {
			objects: []runtime.Object{
				testNode("a", "3"), testNode("b", "4"),
				testPod("shop/web", "a", "3", ownedBy("StatefulSet", "web"), deferredFrom("1", "Deferred")), testPod("shop/agent", "a", "2", ownedBy("DaemonSet", "agent")),
			},
			want: []string{`take back the resize of shop/web (cpu 3, allocated 1) verified [shop/web keeps running with what is allocated to it]`},
			none: "No known change helps on its node: take the resize back, or set the requests of the resize in the template of its controller: 1 other node fits them.",
			why:  "deferred: needs cpu 2 more on a",
		},
		"infeasible for another reason": { // such as the static policy of the CPU manager
			objects: []runtime.Object{testNode("a", "4"), testNode("b", "4"), testPod("shop/web", "a", "3", deferredFrom("1", "Infeasible")), cache},
			none:    "The kubelet's message says why the resize is infeasible: nothing that is freed on the node helps.",
			why:     "infeasible on a",
		},
		"a restart": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/web", "a", "9", deferredFrom("1", "Infeasible"), func(p *corev1.Pod) {
				p.Spec.Containers[0].ResizePolicy = []corev1.ContainerResizePolicy{{ResourceName: corev1.ResourceCPU, RestartPolicy: corev1.RestartContainer}}
			})},
			want: []string{
				"request cpu 4 instead of 9 verified [shop/web restarts container app for the resize (resizePolicy)]",
				`take back the resize of shop/web (cpu 9, allocated 1) verified [shop/web keeps running with what is allocated to it]`,
			},
			why: "infeasible: cpu 4 allocatable on a",
		},
		"enough by now": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/web", "a", "3", deferredFrom("1", "Deferred"))},
			none:    "By requests its node has enough now: the kubelet tries again.",
			why:     "deferred on a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{}, test.objects...)
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf("shop/web"), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			same(t, r.Why, test.why)
			same(t, r.BlockedBy, "resize")
			same(t, r.Tried.None, test.none)
			var got []string
			for _, fix := range r.Tried.Tried {
				words := fix.Title
				if fix.Verified {
					words += " verified"
				}
				if len(fix.Remaining) > 0 {
					words += " " + fmt.Sprint(fix.Remaining)
				}
				var affects []string
				for _, a := range fix.Affects {
					affects = append(affects, a.Namespace+"/"+a.Name+" "+a.How)
				}
				got = append(got, words+" "+fmt.Sprint(affects))
				if !strings.Contains(fix.Command, "kubectl ") || strings.Contains(fix.Command, "patch") && !strings.Contains(fix.Command, "patch pod/web --subresource resize") {
					t.Errorf("%s: %s", fix.Title, fix.Command)
				}
			}
			same(t, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		})
	}
}

// Where only the pods of one namespace can be read, what the node lacks is not known.
func TestFixesOfAResizeNeedAllPods(t *testing.T) {
	e := startEngine(t, Options{Namespace: "shop"}, testNode("a", "4"), testPod("shop/web", "a", "3", deferredFrom("1", "Deferred")), testPod("shop/cache", "a", "2", ownedBy("ReplicaSet", "cache")))
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf("shop/web"), Parts: report.FixesPart})
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Why, "deferred on a")
	same(t, r.Tried.None, "Unknown: not all of node a can be read.")
}

// A resize that waits takes capacity from other pods, as kube-scheduler counts the greater of what is requested
// and allocated: it can be taken back for a pod that is pending, and nobody is evicted.
func TestAResizeThatWaitsIsTakenBackForAPendingPod(t *testing.T) {
	raised := func(limit, ran string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			deferredFrom("1", "Deferred")(p)
			p.Spec.Containers[0].Resources.Limits = amounts(map[string]string{"cpu": limit})
			p.Status.ContainerStatuses[0].Resources.Limits = amounts(map[string]string{"cpu": ran})
		}
	}
	const patch = `kubectl -n shop patch pod/cache --subresource resize -p '{"spec":{"containers":[{"name":"app","resources":{`
	for name, test := range map[string]struct {
		objects       []runtime.Object
		want          []string // title, and whether it is verified; of take-backs only
		command, undo string   // of the first
	}{
		"one that frees enough": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "3", ownedBy("DaemonSet", "cache"), deferredFrom("1", "Deferred"))},
			want:    []string{"take back the resize of shop/cache (cpu 3, allocated 1) verified"},
			command: patch + `"requests":{"cpu":"1"}}}]}}'`, undo: patch + `"requests":{"cpu":"3"}}}]}}'`,
		},
		"a limit that was raised along": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "3", ownedBy("DaemonSet", "cache"), raised("4", "2"))},
			want:    []string{"take back the resize of shop/cache (cpu 3, allocated 1) verified"},
			command: patch + `"limits":{"cpu":"2"},"requests":{"cpu":"1"}}}]}}'`, undo: patch + `"limits":{"cpu":"4"},"requests":{"cpu":"3"}}}]}}'`,
		},
		"a limit that was not": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "3", ownedBy("DaemonSet", "cache"), raised("4", "4"))},
			want:    []string{"take back the resize of shop/cache (cpu 3, allocated 1) verified"},
			command: patch + `"requests":{"cpu":"1"}}}]}}'`, undo: patch + `"requests":{"cpu":"3"}}}]}}'`,
		},
		"an infeasible one, which kube-scheduler does not count": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "9", ownedBy("DaemonSet", "cache"), deferredFrom("1", "Infeasible"))},
		},
		"one that does not free enough": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "4", ownedBy("DaemonSet", "cache"), deferredFrom("3", "Deferred"))},
		},
		"two on one node": {
			objects: []runtime.Object{
				testNode("a", "4"), testPod("shop/cache", "a", "2", ownedBy("DaemonSet", "cache"), deferredFrom("1", "Deferred")),
				testPod("shop/other", "a", "2", ownedBy("DaemonSet", "other"), deferredFrom("500m", "Deferred")),
			},
			want:    []string{"take back the resizes of shop/other, shop/cache verified"},
			command: strings.ReplaceAll(patch, "cache", "other") + `"requests":{"cpu":"500m"}}}]}}' && ` + patch + `"requests":{"cpu":"1"}}}]}}'`,
			undo:    patch + `"requests":{"cpu":"2"}}}]}}' && ` + strings.ReplaceAll(patch, "cache", "other") + `"requests":{"cpu":"2"}}}]}}'`,
		},
		"one that is in progress": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "3", ownedBy("DaemonSet", "cache"), func(p *corev1.Pod) {
				deferredFrom("1", "Deferred")(p)
				p.Status.Conditions[len(p.Status.Conditions)-1] = corev1.PodCondition{Type: corev1.PodResizeInProgress, Status: corev1.ConditionTrue}
			})},
		},
		"one whose status does not say what is allocated": {
			objects: []runtime.Object{testNode("a", "4"), testPod("shop/cache", "a", "3", ownedBy("DaemonSet", "cache"), func(p *corev1.Pod) {
				deferredFrom("1", "Deferred")(p)
				p.Status.ContainerStatuses = nil
			})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			pending := testPod("shop/web", "", "2")
			e := startEngine(t, Options{}, append(test.objects, pending)...)
			var got []string
			command, undo := "", ""
			for _, fix := range must(fixesOf(t.Context(), e, report.PodOf(pending.UID))).Tried {
				if fix.Kind != report.FixResize {
					continue
				}
				words := fix.Title
				if fix.Verified {
					words += " verified"
				}
				if len(got) == 0 {
					command, undo = fix.Command, fix.Undo
				}
				got = append(got, words)
			}
			same(t, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			same(t, command, test.command)
			same(t, undo, test.undo)
		})
	}
}
