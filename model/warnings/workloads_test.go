package warnings

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// owned is a running pod of a controller, such as "Job/report-29929800", on a node.
func owned(kind, name, pod, node string) *corev1.Pod {
	group := map[string]string{"Job": batchv1.SchemeGroupVersion.String()}
	version := group[kind]
	if version == "" {
		version = appsv1.SchemeGroupVersion.String()
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: pod, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: version, Kind: kind, Name: name, Controller: new(true)},
		}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Name: "main", Resources: corev1.ResourceRequirements{Requests: modeltest.Quantities("cpu", "100m")},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// ofWorkloads are the long warnings about nodes for four pods each, of pool std.
func ofWorkloads(nodes []string, pods ...*corev1.Pod) []string {
	b := model.NewBuilder()
	for _, name := range nodes {
		node := modeltest.NewNode(name, "zone-"+name[:1], "8", "32Gi")
		node.Labels = map[string]string{corev1.LabelTopologyZone: "zone-" + name[:1], "eks.amazonaws.com/nodegroup": "std"}
		node.Status.Allocatable[corev1.ResourcePods] = modeltest.Quantities("pods", "4")[corev1.ResourcePods]
		b.Node(nil, node)
	}
	for _, p := range pods {
		b.Pod(nil, p)
	}
	var long []string
	for _, w := range Of(b.Build(1, model.Status{}, nil), &model.Objects{}, At{Full: 95, Now: modeltest.Epoch}) {
		long = append(long, w.Long)
	}
	return long
}

func TestTheWorkloadThatHoldsMostOfAFullPoolIsNamed(t *testing.T) {
	several := func(kind, name, node string, pods int) (all []*corev1.Pod) {
		for i := range pods {
			all = append(all, owned(kind, name, fmt.Sprintf("%s-%s-%d", name, node, i), node))
		}
		return all
	}
	of := func(namespace string, pods []*corev1.Pod) []*corev1.Pod {
		for _, p := range pods {
			p.Namespace = namespace
		}
		return pods
	}
	join := func(lists ...[]*corev1.Pod) (all []*corev1.Pod) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	for name, c := range map[string]struct {
		nodes []string
		pods  []*corev1.Pod
		want  string
	}{
		"Jobs of one CronJob": {
			[]string{"a-1", "a-2"},
			join(several("Job", "sync-29929800", "a-1", 2), several("Job", "sync-29929980", "a-2", 2), several("StatefulSet", "db", "a-1", 2), several("StatefulSet", "web", "a-2", 2)),
			"Pool full: std (pods 100%, 50% by shop/sync-*)",
		},
		"a Job of its own": {
			[]string{"a-1"}, several("Job", "import-42", "a-1", 4), "Pool full: std (pods 100%, 100% by shop/import-42)",
		},
		"none holds much": {
			[]string{"a-1", "a-2"},
			join(several("StatefulSet", "a", "a-1", 1), several("StatefulSet", "b", "a-1", 1), several("StatefulSet", "c", "a-1", 1), several("StatefulSet", "d", "a-1", 1),
				several("StatefulSet", "e", "a-2", 1), several("StatefulSet", "f", "a-2", 1), several("StatefulSet", "g", "a-2", 1), several("StatefulSet", "h", "a-2", 1)),
			"Pool full: std (pods 100%)",
		},
		"a namespace of several workloads": {
			[]string{"a-1", "a-2"},
			join(several("StatefulSet", "a", "a-1", 1), several("StatefulSet", "b", "a-1", 1), several("StatefulSet", "c", "a-1", 1), several("StatefulSet", "d", "a-1", 1),
				several("StatefulSet", "e", "a-2", 1), several("StatefulSet", "f", "a-2", 1), several("StatefulSet", "g", "a-2", 1), of("other", several("StatefulSet", "h", "a-2", 1))),
			"Pool full: std (pods 100%, 87% in namespace shop)",
		},
		"pods of another zone do not count": {
			[]string{"a-1", "b-1"},
			join(several("StatefulSet", "db", "a-1", 4), several("StatefulSet", "web", "b-1", 3)),
			"Pool full: std in zone-a (pods 100%, 100% by shop/db)",
		},
	} {
		if got := ofWorkloads(c.nodes, c.pods...); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestDaemonSetsWhosePodsFailAreWarnedOf(t *testing.T) {
	fails := func(p *corev1.Pod, reason string) *corev1.Pod {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", RestartCount: 9, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
		}}
		return p
	}
	begun := func(p *corev1.Pod, ago time.Duration) *corev1.Pod {
		p.Status.Phase, p.CreationTimestamp = corev1.PodPending, metav1.NewTime(modeltest.Epoch.Add(-ago))
		p.Status.Conditions = nil
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}}
		return p
	}
	boundFor := func(p *corev1.Pod, ago time.Duration) *corev1.Pod {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(modeltest.Epoch.Add(-ago))}}
		return p
	}
	nodes := []string{"a-1", "a-2", "a-3"}
	for name, c := range map[string]struct {
		pods []*corev1.Pod
		want []string
	}{
		"all run": {[]*corev1.Pod{owned("DaemonSet", "plugin", "plugin-1", "a-1")}, nil},
		"one of three": {
			[]*corev1.Pod{owned("DaemonSet", "plugin", "plugin-1", "a-1"), owned("DaemonSet", "plugin", "plugin-2", "a-2"), fails(owned("DaemonSet", "plugin", "plugin-3", "a-3"), "CrashLoopBackOff")},
			[]string{"DaemonSet fails: shop/plugin (1 of 3 pods: CrashLoopBackOff)"},
		},
		"two of them": {
			[]*corev1.Pod{fails(owned("DaemonSet", "net", "net-1", "a-1"), "CrashLoopBackOff"), fails(owned("DaemonSet", "net", "net-2", "a-2"), "ImagePullBackOff"), fails(owned("DaemonSet", "plugin", "plugin-3", "a-3"), "CrashLoopBackOff")},
			[]string{"DaemonSets fail: shop/net (2 of 2 pods: CrashLoopBackOff, ImagePullBackOff), shop/plugin (1 of 1 pod: CrashLoopBackOff)"},
		},
		"one that has not started for long": {
			[]*corev1.Pod{begun(owned("DaemonSet", "ccm", "ccm-1", "a-1"), time.Hour), begun(owned("DaemonSet", "new", "new-1", "a-1"), time.Minute)},
			[]string{"DaemonSet fails: shop/ccm (1 of 1 pod: ContainerCreating)"},
		},
		"one that has had its node for a minute": {
			[]*corev1.Pod{boundFor(begun(owned("DaemonSet", "ccm", "ccm-1", "a-1"), time.Hour), time.Minute)}, nil,
		},
		"pods of a StatefulSet": {[]*corev1.Pod{fails(owned("StatefulSet", "db", "db-0", "a-1"), "CrashLoopBackOff")}, nil},
	} {
		got := ofWorkloads(nodes, c.pods...)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestPodsThatKubeletsEndedAreWarnedOfBesidePendingPods: Pods, where they stand, is another view.
func TestPodsThatKubeletsEndedAreWarnedOfBesidePendingPods(t *testing.T) {
	failed := func(name, workload, reason string, ago time.Duration) *corev1.Pod {
		p := owned("StatefulSet", workload, name, "a-1")
		p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: reason}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 137, FinishedAt: metav1.NewTime(modeltest.Epoch.Add(-ago))},
		}}}
		return p
	}
	unknown := failed("web-9", "web", "Evicted", 0)
	unknown.Status.ContainerStatuses, unknown.CreationTimestamp = nil, metav1.NewTime(modeltest.Epoch.Add(-time.Hour))
	for name, c := range map[string]struct {
		pods        []*corev1.Pod
		namespace   string
		short, long string
	}{
		"none": {[]*corev1.Pod{owned("StatefulSet", "db", "db-0", "a-1")}, "", "", ""},
		"of several workloads": {
			[]*corev1.Pod{
				failed("web-1", "web", "Evicted", 4*time.Minute), failed("web-2", "web", "Evicted", time.Hour), failed("db-1", "db", "Evicted", time.Hour),
				failed("db-2", "db", "OutOfcpu", time.Hour), failed("web-3", "web", "", time.Hour),
			},
			"",
			"4 pods evicted or rejected (3 Evicted)", "4 pods evicted or rejected by kubelets in the last day (3 Evicted, 1 OutOfcpu): 2 of shop/db, 2 of shop/web; the last 4m ago",
		},
		"for one reason": {
			[]*corev1.Pod{failed("web-1", "web", "Evicted", 4*time.Minute)},
			"shop",
			"1 pod evicted or rejected (Evicted)", "1 pod evicted or rejected by kubelets in the last day (Evicted): 1 of shop/web; the last 4m ago",
		},
		"of another namespace": {[]*corev1.Pod{failed("web-1", "web", "Evicted", time.Minute)}, "ml", "", ""},
		"long ago":             {[]*corev1.Pod{failed("web-1", "web", "Evicted", 25*time.Hour)}, "", "", ""},
		"when is not known":    {[]*corev1.Pod{unknown}, "", "1 pod evicted or rejected (Evicted)", "1 pod evicted or rejected by kubelets in the last day (Evicted): 1 of shop/web"},
	} {
		b := model.NewBuilder()
		for _, p := range c.pods {
			b.Pod(nil, p)
		}
		s := b.Build(1, model.Status{}, nil)
		var got Warning
		for _, w := range Of(s, &model.Objects{}, At{Namespace: c.namespace, Full: 95, Now: modeltest.Epoch, Pods: true}) {
			got = w
		}
		if got.Short != c.short || got.Long != c.long {
			t.Errorf("%s: %q, %q, want %q, %q", name, got.Short, got.Long, c.short, c.long)
		}
		if beside := Of(s, &model.Objects{}, At{Full: 95, Now: modeltest.Epoch}); len(beside) > 0 {
			t.Errorf("%s: not beside pending pods, and %+v", name, beside)
		}
	}
}

func TestNodesThatNobodyInitializesAreWarnedOf(t *testing.T) {
	aged := func(name string, age time.Duration, taints ...corev1.Taint) *corev1.Node {
		node := modeltest.NewNode(name, "a", "8", "32Gi")
		node.CreationTimestamp, node.Spec.Taints = metav1.NewTime(modeltest.Epoch.Add(-age)), taints
		return node
	}
	taint := corev1.Taint{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule}
	b := model.NewBuilder()
	for _, node := range []*corev1.Node{aged("a", time.Hour), aged("b", 2*time.Hour, taint), aged("c", time.Hour, taint), aged("d", time.Minute, taint)} {
		b.Node(nil, node)
	}
	got := Of(b.Build(1, model.Status{}, nil), &model.Objects{}, At{Full: 95, Now: modeltest.Epoch})
	if want := "2 nodes not initialized for up to 2h (b, c): check the cloud controller manager"; len(got) != 1 || got[0].Long != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}

func TestADefaultPriorityClassThatOutranksOthersIsWarnedOf(t *testing.T) {
	class := func(name string, value int32, byDefault bool) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, GlobalDefault: byDefault}
	}
	pod := owned("StatefulSet", "db", "db-0", "a-1")
	pod.Spec.PriorityClassName = "business"
	b := model.NewBuilder()
	b.Node(nil, modeltest.NewNode("a-1", "a", "8", "32Gi"))
	b.Pod(nil, pod)
	s := b.Build(1, model.Status{}, nil)
	for name, c := range map[string]struct {
		classes []runtime.Object
		want    string
	}{
		"no default":              {[]runtime.Object{class("business", 1000, false), class("high", 5000, false)}, ""},
		"below what is used":      {[]runtime.Object{class("business", 1000, false), class("low", 10, true)}, ""},
		"above what is used":      {[]runtime.Object{class("business", 1000, false), class("unused", 500, false), class("general", 5000, true)}, "PriorityClass general, the global default, outranks business"},
		"the lowest default wins": {[]runtime.Object{class("business", 1000, false), class("general", 5000, true), class("low", 10, true)}, ""},
	} {
		got := ""
		for _, w := range Of(s, &model.Objects{Lists: map[string][]runtime.Object{classes: c.classes}}, At{Full: 95, Now: modeltest.Epoch}) {
			got = w.Long
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
