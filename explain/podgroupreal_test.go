package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// decisions are what the real scheduler did with pods, by name: the node that it bound them to, "" where
// it said of them that they are unschedulable.
type decisions struct {
	sync.Mutex
	nodes map[string]string
}

// scheduleForReal runs the real scheduler until it has decided about so many pods.
func scheduleForReal(t *testing.T, pods int, objects ...runtime.Object) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	objects = slices.DeleteFunc(objects, func(o runtime.Object) bool { pod, ok := o.(*corev1.Pod); return ok && scheduler.Terminal(pod) })
	client, made := fake.NewClientset(objects...), decisions{nodes: map[string]string{}}
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		made.Lock()
		defer made.Unlock()
		switch a := action.(type) {
		case clienttesting.CreateAction:
			if binding, ok := a.GetObject().(*corev1.Binding); ok && a.GetSubresource() == "binding" {
				made.nodes[binding.Name] = binding.Target.Name
				return true, binding, nil
			}
		case clienttesting.PatchAction:
			if a.GetResource().Resource == "pods" && a.GetSubresource() == "status" {
				if _, bound := made.nodes[a.GetName()]; !bound && saysUnschedulable(t, a.GetPatch()) {
					made.nodes[a.GetName()] = ""
				}
				return true, &corev1.Pod{}, nil
			}
		case clienttesting.DeleteAction:
			return true, nil, errors.New("nobody is evicted")
		}
		return false, nil, nil
	})
	factory := kubescheduler.NewInformerFactory(client, 0, nil)
	recorder := schedulerprofile.RecorderFactory(func(string) events.EventRecorderLogger { return &events.FakeRecorder{} })
	s, err := kubescheduler.New(ctx, client, factory, nil, recorder)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	defer func() {
		cancel()
		running.Wait()
		factory.Shutdown()
	}()
	for {
		made.Lock()
		nodes := maps.Clone(made.nodes)
		made.Unlock()
		if len(nodes) >= pods {
			return nodes
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the scheduler decided about %d of %d pods: %v", len(nodes), pods, nodes)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// saysUnschedulable reports whether a patch of a pod's status says that the scheduler found no node for it.
// Other patches are no decision: before it binds a pod, the scheduler writes the node into nominatedNodeName.
func saysUnschedulable(t *testing.T, patch []byte) bool {
	pod := new(corev1.Pod)
	if err := json.Unmarshal(patch, pod); err != nil {
		t.Errorf("read patch %s: %v", patch, err)
	}
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
	})
}

// randomGang is a random cluster with a gang of a few kinds of pods, all of which it needs.
func randomGang(d dice) (*randomCluster, []*corev1.Pod) {
	c := newRandomCluster(d, 1+d(8), d(20), 0)
	c.Pending = nil
	for _, pod := range c.Bound {
		pod.Status.NominatedNodeName, pod.DeletionTimestamp, pod.Finalizers = "", nil, nil
	}
	for _, node := range c.Nodes {
		if d.Chance(70) { // most have room
			node.Spec = corev1.NodeSpec{}
			node.Status.Allocatable = aNode("roomy", fmt.Sprint(2+d(10))).Status.Allocatable
		}
	}
	var pods []*corev1.Pod
	kinds := 1 + d(3)
	for kind := range kinds {
		edits := []func(*corev1.Pod){ofGroup("train"), podLabel("app", fmt.Sprint("kind-", kind)), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) }}
		switch d(5) {
		case 0:
			edits = append(edits, awayFrom(podTerm(corev1.LabelHostname, fmt.Sprint("kind-", d(kinds)))))
		case 1:
			edits = append(edits, spreadOver(corev1.LabelHostname, 1, nil, fmt.Sprint("kind-", kind)))
		}
		for i := range 1 + d(4) {
			pod := testPod(fmt.Sprintf("ml/train-%d-%d", kind, i), "", fmt.Sprint(1+d(3)), edits...)
			pod.Spec.SchedulerName = corev1.DefaultSchedulerName
			pods = append(pods, pod)
		}
	}
	return c, pods
}

func TestRandomGangsAreScheduledAsForetold(t *testing.T) {
	gangsOn(t, false)
	count := map[string]int{}
	for seed := range max(20, seeds(t)) {
		d := dice(rand.New(rand.NewPCG(seed, 16)).IntN)
		c, pods := randomGang(d)
		group := testGroup("train", "", int32(len(pods)))
		e := startEngine(t, Options{PodGroups: true}, c.Objects()...)
		changes, objects := []scheduler.Change{{New: group}}, append(c.Objects(), group)
		for _, pod := range pods {
			changes, objects = append(changes, scheduler.Change{New: pod}), append(objects, pod)
		}
		apply(t, e, changes...)
		nodes := scheduleForReal(t, len(pods), objects...)
		bound := 0
		for _, pod := range pods {
			if nodes[pod.Name] != "" {
				bound++
			}
		}
		r := mustExplain(t, e, pods[d(len(pods))])
		said := "unknown"
		switch {
		case r.Gang == nil:
			t.Fatalf("seed %d: no gang", seed)
		case r.Gang.Fits != nil && *r.Gang.Fits:
			said = "fits"
		case r.Gang.Fits != nil:
			said = "does not fit"
		}
		count[said]++
		if said == "fits" && bound != len(pods) || said == "does not fit" && bound != 0 {
			t.Errorf("seed %d: %s\nthe scheduler bound %d of %d: %v", seed, r.Gang.Sentence(), bound, len(pods), nodes)
		}
		if bound == 0 && r.Verdict == report.Schedulable || bound > 0 && r.Verdict == report.Unschedulable {
			t.Errorf("seed %d: the verdict is %s, the scheduler bound %d", seed, r.Verdict, bound)
		}
	}
	t.Logf("gangs: %v", count)
	if count["fits"] < 3 || count["does not fit"] < 3 {
		t.Errorf("too few of one kind: %v", count)
	}
}
