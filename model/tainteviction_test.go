package model_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// someTaints draws taints, no two of one key and effect.
func someTaints(t *rapid.T, effects ...corev1.TaintEffect) []corev1.Taint {
	var taints []corev1.Taint
	for _, key := range []string{"a", "b"} {
		for _, effect := range effects {
			if modeltest.Chance(t, "taint") {
				taints = append(taints, corev1.Taint{Key: key, Value: modeltest.Draw(t, "value", "", "x", "1", "2"), Effect: effect})
			}
		}
	}
	return taints
}

// someTolerations draws tolerations.
func someTolerations(t *rapid.T) []corev1.Toleration {
	var tolerations []corev1.Toleration
	for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
		tolerations = append(tolerations, corev1.Toleration{
			Key:               modeltest.Draw(t, "key", "a", "b", ""),
			Operator:          modeltest.Draw(t, "operator", "", corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpGt),
			Value:             modeltest.Draw(t, "value", "", "x", "1", "2"),
			Effect:            modeltest.Draw(t, "effect", "", corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule),
			TolerationSeconds: modeltest.Draw(t, "seconds", nil, nil, new(int64(-1)), new(int64(0)), new(int64(30)), new(int64(300))),
		})
	}
	return tolerations
}

// TestPodsAreEvictedAsTheControllerDoes compares with what the taint eviction
// controller asks, k8s.io/kubernetes/pkg/controller/tainteviction: whether all
// taints are tolerated, and for how long.
func TestPodsAreEvictedAsTheControllerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taints, tolerations := someTaints(t, corev1.TaintEffectNoExecute), someTolerations(t)
		after, goes := model.EvictedAfter(taints, tolerations)
		wantAfter, want := controllerEvicts(taints, tolerations)
		if goes != want || goes && after != wantAfter {
			t.Fatalf("%v with %+v: goes %v after %s, by the controller %v after %s", taints, tolerations, goes, after, want, wantAfter)
		}
	})
}

// controllerEvicts is processPodOnNode and getMinTolerationTime of the controller,
// which are not exported.
func controllerEvicts(taints []corev1.Taint, tolerations []corev1.Toleration) (time.Duration, bool) {
	if len(taints) == 0 {
		return 0, false
	}
	all, used := v1helper.GetMatchingTolerations(logr.Discard(), taints, tolerations)
	if !all {
		return 0, true
	}
	least := int64(-1)
	for i := range used {
		switch seconds := used[i].TolerationSeconds; {
		case seconds == nil:
		case *seconds <= 0:
			return 0, true
		case least < 0 || *seconds < least:
			least = *seconds
		}
	}
	return time.Duration(least) * time.Second, least >= 0
}

// TestATaintIsToleratedAsUpstreamHasIt compares with the function of the taint eviction
// controller, one taint at a time.
func TestATaintIsToleratedAsUpstreamHasIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tolerations := someTolerations(t)
		for _, taint := range someTaints(t, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute) {
			want, _ := v1helper.GetMatchingTolerations(logr.Discard(), []corev1.Taint{taint}, tolerations)
			if got := model.Tolerates(tolerations, &taint); got != want {
				t.Fatalf("%v with %+v: tolerated %v, by upstream %v", taint, tolerations, got, want)
			}
		}
	})
}

// TestPodsAreEvictedWhenTheControllerDeletesThem runs the taint eviction controller itself
// on the clock of a synctest bubble: taints are added to a node one after another, pods
// are scheduled in between, and each pod is deleted when EvictionByTaints says.
func TestPodsAreEvictedWhenTheControllerDeletesThem(t *testing.T) {
	evicted := 0
	for seed := range evictionRuns {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			steps := rapid.Custom(someSteps).Example(seed)
			synctest.Test(t, func(t *testing.T) {
				got, want := runController(t, steps)
				evicted += len(want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("times of evictions (-controller +ours):\n%s\nsteps: %+v", diff, steps)
				}
			})
		})
	}
	if evicted < evictionRuns {
		t.Errorf("only %d pods were evicted in %d runs", evicted, evictionRuns)
	}
}

// evictionRuns is how many random histories of a node are run.
const evictionRuns = 60

// evictionStep adds a taint to the node, or schedules a pod on it.
type evictionStep struct {
	wait  time.Duration
	taint *corev1.Taint
	pod   []corev1.Toleration
}

func someSteps(t *rapid.T) []evictionStep {
	var steps []evictionStep
	waits := []time.Duration{0, 7 * time.Second, 40 * time.Second}
	for _, key := range []string{"a", "b"} {
		effect := modeltest.Draw(t, "effect", corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule)
		steps = append(steps, evictionStep{wait: modeltest.Draw(t, "wait", waits...), taint: &corev1.Taint{Key: key, Effect: effect}})
	}
	for range rapid.IntRange(1, 5).Draw(t, "pods") {
		at := rapid.IntRange(0, len(steps)).Draw(t, "at")
		step := evictionStep{wait: modeltest.Draw(t, "wait", waits...), pod: someTolerations(t)}
		for _, key := range []string{"a", "b"} { // a pod that tolerates nothing has no countdown
			if modeltest.Chance(t, "tolerates") {
				step.pod = append(step.pod, corev1.Toleration{
					Key: key, Operator: corev1.TolerationOpExists, TolerationSeconds: modeltest.Draw(t, "seconds", nil, new(int64(0)), new(int64(20)), new(int64(60))),
				})
			}
		}
		steps = append(steps[:at:at], append([]evictionStep{step}, steps[at:]...)...)
	}
	return steps
}

// runController makes the steps while the controller runs, and gives when it deleted each
// pod, and when we say that it does.
func runController(t *testing.T, steps []evictionStep) (got, want map[string]time.Time) {
	t.Helper()
	ctx, cancel := context.WithCancel(logr.NewContext(t.Context(), logr.Discard()))
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	if err := factory.Core().V1().Pods().Informer().AddIndexers(cache.Indexers{"spec.nodeName": func(object any) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.NodeName}, nil
	}}); err != nil {
		t.Fatal(err)
	}
	controller, err := tainteviction.New(ctx, client, factory.Core().V1().Pods(), factory.Core().V1().Nodes(), "test")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	want = map[string]time.Time{}
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		want[action.(clienttesting.DeleteAction).GetName()] = time.Now()
		return false, nil, nil
	})
	factory.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { controller.Run(ctx) })
	time.Sleep(time.Minute) // its caches are filled

	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pods := take(ctx, t, client, node, steps)
	time.Sleep(time.Hour)
	synctest.Wait()
	got = map[string]time.Time{}
	for _, pod := range pods {
		if eviction := model.EvictionByTaints(pod, node.Spec.Taints); eviction != nil {
			got[pod.Name] = eviction.At
		}
	}
	mu.Lock()
	defer mu.Unlock()
	want = maps.Clone(want)
	cancel()
	factory.Shutdown()
	running.Wait()
	return got, want
}

// take makes the steps one after another; node gets the taints.
func take(ctx context.Context, t *testing.T, client *fake.Clientset, node *corev1.Node, steps []evictionStep) []*corev1.Pod {
	t.Helper()
	var pods []*corev1.Pod
	for i, step := range steps {
		time.Sleep(step.wait)
		now := metav1.NewTime(time.Now())
		var err error
		if step.taint != nil {
			taint := *step.taint
			taint.TimeAdded = &now
			node.Spec.Taints = append(node.Spec.Taints, taint)
			_, err = client.CoreV1().Nodes().Update(ctx, node.DeepCopy(), metav1.UpdateOptions{})
		} else {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("p%d", i), CreationTimestamp: now},
				Spec:       corev1.PodSpec{NodeName: node.Name, Tolerations: step.pod},
			}
			pods = append(pods, pod)
			_, err = client.CoreV1().Pods("shop").Create(ctx, pod.DeepCopy(), metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	return pods
}
