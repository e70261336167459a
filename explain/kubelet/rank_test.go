package kubelet

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

const mi = int64(1) << 20

// running is a pod of one container that runs on n1. Amounts are such as "256Mi"; "" is
// none.
func running(name string, priority int32, request, limit string) *corev1.Pod {
	c := corev1.Container{Name: "app"}
	if request != "" {
		c.Resources.Requests = modeltest.Quantities("memory", request)
	}
	if limit != "" {
		c.Resources.Limits = modeltest.Quantities("memory", limit)
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n1", Priority: &priority, Containers: []corev1.Container{c}}}
	pod.Namespace, pod.Name, pod.UID = "shop", name, types.UID(name)
	pod.Status.Phase = corev1.PodRunning
	return pod
}

// nodeOf is a node of 16Gi with some pods.
func nodeOf(pods ...*corev1.Pod) *model.Node {
	node := &model.Node{Name: "n1", Object: modeltest.NewNode("n1", "a", "8", "16Gi")}
	node.Object.Status.Capacity = modeltest.Quantities("cpu", "8", "memory", "16Gi")
	for _, pod := range pods {
		node.Pods = append(node.Pods, model.NewPod(pod))
	}
	return node
}

// using is what metrics say of pods of namespace shop, in Mi.
func using(memory map[string]int64) *model.Usage {
	usage := &model.Usage{Pods: map[types.NamespacedName]model.Amount{}}
	for name, used := range memory {
		usage.Pods[types.NamespacedName{Namespace: "shop", Name: name}] = model.Amount{Memory: used * mi}
	}
	return usage
}

func TestTheOrderUnderMemoryPressureIsTheKubelets(t *testing.T) {
	critical := running("critical", 2_000_000_000, "1Gi", "")
	static := running("static", 0, "", "")
	static.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
	starting := running("starting", 1000, "1Gi", "")
	starting.Status.Phase = corev1.PodPending
	for _, test := range []struct {
		what  string
		pods  []*corev1.Pod
		usage *model.Usage
		want  []string
	}{
		{
			"usage over the request comes before priority",
			[]*corev1.Pod{running("low", 0, "1Gi", ""), running("high", 1000, "256Mi", "")},
			using(map[string]int64{"low": 512, "high": 300}),
			[]string{"high 1", "low 2"},
		},
		{
			"priority comes before the excess",
			[]*corev1.Pod{running("low", 0, "256Mi", ""), running("high", 1000, "256Mi", "")},
			using(map[string]int64{"low": 300, "high": 900}),
			[]string{"low 1", "high 2"},
		},
		{
			"the greatest excess is first among pods of one priority",
			[]*corev1.Pod{running("some", 0, "256Mi", ""), running("more", 0, "512Mi", ""), running("none", 0, "1Gi", "")},
			using(map[string]int64{"some": 300, "more": 900, "none": 900}),
			[]string{"more 1", "some 2", "none 3"},
		},
		{
			"pods with the same figures are in any order",
			[]*corev1.Pod{running("a", 0, "256Mi", ""), running("b", 0, "256Mi", "")},
			using(map[string]int64{"a": 300, "b": 300}),
			[]string{"a 1-2", "b 1-2"},
		},
		{
			"static and critical pods are never evicted",
			[]*corev1.Pod{static, critical, running("web", 0, "", "")},
			using(map[string]int64{"static": 900, "critical": 9000, "web": 1}),
			[]string{"web 1", "static never", "critical never"},
		},
		{
			"without metrics a pod without requests is over them, and limits as high as requests are not exceeded",
			[]*corev1.Pod{running("guaranteed", 0, "1Gi", "1Gi"), running("burstable", 0, "1Gi", "2Gi"), running("bare", 0, "", "")},
			nil,
			[]string{"bare 1-2", "burstable 1-3", "guaranteed 2-3"},
		},
		{
			"without metrics priority decides where the standing is the same",
			[]*corev1.Pod{running("high", 1000, "", ""), running("low", 0, "", "")},
			nil,
			[]string{"low 1", "high 2"},
		},
		{
			"a pod that has not started may be without figures, and go first",
			[]*corev1.Pod{starting, running("bare", 0, "", ""), running("within", 0, "1Gi", "1Gi")},
			nil,
			[]string{"bare 1-2", "starting 1-3", "within 2-3"},
		},
	} {
		t.Run(test.what, func(t *testing.T) {
			var got []string
			for _, e := range Evictions(nodeOf(test.pods...), test.usage) {
				got = append(got, e.Name+" "+rankWords(e.Ranks.Memory))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func rankWords(r *Rank) string {
	switch {
	case r == nil:
		return "never"
	case r.Exact():
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

func TestUnderPIDPressureOnlyPriorityIsKnown(t *testing.T) {
	all := Evictions(nodeOf(running("a", 0, "", ""), running("b", 0, "1Gi", ""), running("c", 1000, "", "")), using(map[string]int64{"a": 1, "b": 1, "c": 1}))
	for _, e := range all {
		want := map[string]string{"a": "1-2", "b": "1-2", "c": "3"}[e.Name]
		if got := rankWords(e.Ranks.PIDs); got != want {
			t.Errorf("%s is %s under PID pressure, want %s", e.Name, got, want)
		}
		if got := rankWords(e.Ranks.Disk); got != "1-3" {
			t.Errorf("%s is %s under disk pressure, whose usage nobody measured", e.Name, got)
		}
	}
}

// drawn is a pod of a random node, with what it really uses.
type drawn struct {
	pod     *corev1.Pod
	request int64 // Mi
	uses    int64 // Mi
	known   bool
}

// drawPods draws the pods of a node. What a pod uses is possible: one without a request
// uses something, and none more than its limit.
func drawPods(t *rapid.T) []drawn {
	var all []drawn
	for i := range rapid.IntRange(1, 8).Draw(t, "pods") {
		d := drawn{request: modeltest.Draw[int64](t, "request", 0, 0, 100, 200), known: modeltest.Chance(t, "known")}
		request, limit := "", ""
		most := int64(1000)
		if d.request > 0 {
			request = fmt.Sprintf("%dMi", d.request)
			if modeltest.Chance(t, "limited") {
				limit, most = request, d.request
			}
		}
		d.uses = rapid.Int64Range(1, most).Draw(t, "uses")
		d.pod = running(fmt.Sprintf("p%d", i), modeltest.Draw[int32](t, "priority", -1, 0, 0, 1000), request, limit)
		all = append(all, d)
	}
	return all
}

// byTheDocumentation orders pods as the page on node-pressure eviction of the Kubernetes
// documentation says: whether usage exceeds requests, priority, usage relative to
// requests. Two that it does not tell apart keep their order.
func byTheDocumentation(all []drawn) []drawn {
	var order []drawn
	for _, exceeds := range []bool{true, false} {
		byPriority := map[int32][]drawn{}
		for _, d := range all {
			if d.uses > d.request == exceeds {
				byPriority[*d.pod.Spec.Priority] = append(byPriority[*d.pod.Spec.Priority], d)
			}
		}
		for _, priority := range []int32{-1, 0, 1000} {
			same := byPriority[priority]
			slices.SortStableFunc(same, func(a, b drawn) int { return cmp.Compare(b.uses-b.request, a.uses-a.request) })
			order = append(order, same...)
		}
	}
	return order
}

// TestThePlaceOfAPodIsWithinItsRank draws pods of which some are not measured: wherever
// the kubelet, which measures all, puts them, the rank holds it; and it is exact where all
// is known and nothing is equal.
func TestThePlaceOfAPodIsWithinItsRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawPods(t)
		usage, known, equal := map[string]int64{}, true, false
		var pods []*corev1.Pod
		for i, d := range all {
			pods = append(pods, d.pod)
			if d.known {
				usage[d.pod.Name] = d.uses
			}
			known = known && d.known
			for _, other := range all[:i] {
				equal = equal || d.uses-d.request == other.uses-other.request
			}
		}
		ranks := map[string]*Rank{}
		for _, e := range Evictions(nodeOf(pods...), using(usage)) {
			ranks[e.Name] = e.Ranks.Memory
		}
		for i, d := range byTheDocumentation(all) {
			r := ranks[d.pod.Name]
			if i+1 < r.First || i+1 > r.Last {
				t.Errorf("%s is evicted as number %d, its rank is %s", d.pod.Name, i+1, rankWords(r))
			}
			if known && !equal && !r.Exact() {
				t.Errorf("all is known, and the rank of %s is %s", d.pod.Name, rankWords(r))
			}
		}
	})
}
