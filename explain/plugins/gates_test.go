package plugins_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

func TestAGateHasSomethingToSayExactlyWhereItsPluginRefuses(t *testing.T) {
	for _, test := range []struct {
		name, plugin string
		composite    bool
	}{
		{"gates", names.SchedulingGates, false},
		{"gangs", names.GangScheduling, false},
		{"gangs of gangs", names.GangScheduling, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			explaintest.GangsOn(t, test.composite)
			var no, yes int
			rapid.Check(t, func(rt *rapid.T) {
				b, pod := anyGangs(t, rt, test.composite)
				status := b.plugin(t, test.plugin).(fwk.PreEnqueuePlugin).PreEnqueue(t.Context(), pod)
				told, found := plugins.GateExplainers[test.plugin](&plugins.Question{Pod: pod, Groups: b.groups})
				switch {
				case found == status.IsSuccess():
					rt.Fatalf("the plugin says %q, its explainer %+v, %t", status.Message(), told, found)
				case found && (told.What == "" || told.Short == "" || told.Until == ""):
					rt.Fatalf("%q is told as %+v", status.Message(), told)
				case found:
					no++
				default:
					yes++
				}
			})
			if no == 0 || yes == 0 {
				t.Errorf("%d rejections and %d acceptances were looked at: what was drawn shows nothing", no, yes)
			}
		})
	}
}

// anyGangs draws groups, some of them missing, with pods, and a pod to ask about.
func anyGangs(t *testing.T, rt *rapid.T, composite bool) (*bench, *corev1.Pod) {
	cache := internalcache.New(t.Context(), nil, true, composite)
	there := func(what string) bool { return rapid.IntRange(0, 3).Draw(rt, what) > 0 }
	parents := []string{""}
	if composite {
		parents = append(parents, "job", "jobs")
		for _, name := range parents[1:] {
			parent := ""
			if name == "job" {
				parent = rapid.SampledFrom([]string{"", "jobs"}).Draw(rt, "parent of the job")
			}
			if there(name) {
				cache.AddCompositePodGroup(klog.Background(), explaintest.CompositePodGroup(name, parent, rapid.Int32Range(0, 2).Draw(rt, "groups")))
			}
		}
	}
	pod := explaintest.Pod("ml/asked", "", "1")
	cache.AddPodGroupMember(pod)
	for _, name := range []string{"train", "serve"} {
		if there(name) {
			cache.AddPodGroup(explaintest.PodGroup(name, rapid.SampledFrom(parents).Draw(rt, "parent"), rapid.Int32Range(0, 3).Draw(rt, "pods")))
		}
		for i := range rapid.IntRange(0, 3).Draw(rt, "members") {
			cache.AddPodGroupMember(explaintest.Pod(fmt.Sprintf("ml/%s-%d", name, i), "", "1", explaintest.OfGroup(name)))
		}
	}
	if there("group") {
		pod = explaintest.Pod("ml/asked", "", "1", explaintest.OfGroup("train"))
		cache.AddPodGroupMember(pod)
	}
	explaintest.GatedBy(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2).Draw(rt, "gates")...)(pod)
	b := newBench(nil, nil)
	b.groups = cache
	return b, pod
}
