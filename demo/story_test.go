package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// tellTest runs the story without changes.
func tellTest(t *testing.T, nodes int, seed uint64) *Cluster {
	t.Helper()
	c, err := StartStory(t.Context(), Story{Nodes: nodes, Seed: seed, Still: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// said is what kube-scheduler said of each pod that has no node, by the name of
// its workload and without the order of its reasons.
func (c *Cluster) said(t *testing.T) map[string]string {
	t.Helper()
	list, err := c.Client().CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.Spec.NodeName != "" {
			continue
		}
		message := ""
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled {
				message = condition.Message
			}
		}
		words[pod.Namespace+"/"+pod.Labels["app"]] = message
	}
	return words
}

func TestTheStoryHasPodsThatWaitForADozenReasons(t *testing.T) {
	c := tellTest(t, FewestNodes, 1)
	want := map[string]string{
		"shop/checkout": "Insufficient cpu", "ml/train": "Insufficient cpu", "ml/embed": "untolerated taint",
		"data/etl": "didn't match Pod's node affinity/selector", "web/front": "pod anti-affinity rules", "search/index": "PersistentVolume's node affinity",
		"batch/nightly": "scheduling gates", "ml/notebook": "", "web/edge": "topology spread constraints", "web/proxy": "free ports",
	}
	t.Cleanup(func() {
		for name, words := range c.said(t) {
			t.Logf("%s: %s", name, words)
		}
	})
	until(t, "each has been told why it waits", func() bool {
		said := c.said(t)
		for name, words := range want {
			if !strings.Contains(said[name], words) {
				return false
			}
		}
		return len(said) == len(want)
	})
	for name, words := range c.said(t) {
		t.Logf("%s: %s", name, words)
	}
	time.Sleep(2 * time.Second)
	if said := c.said(t); len(said) != len(want) {
		t.Errorf("after a while %v wait", said)
	}
	list, err := c.Client().CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var new []string
	for i := range list.Items {
		pod := &list.Items[i]
		if time.Since(pod.CreationTimestamp.Time) < time.Minute {
			new = append(new, pod.Namespace+"/"+pod.Name)
		}
		if pod.Status.Phase != corev1.PodRunning && pod.Spec.NodeName != "" && pod.Labels["app"] != "recommend" || pod.DeletionTimestamp != nil {
			t.Errorf("%s/%s is %s", pod.Namespace, pod.Name, pod.Status.Phase)
		}
	}
	if slices.Sort(new); len(new) > 0 {
		t.Errorf("the controllers made other pods: %v", new)
	}
}

// A ReplicaSet that shrinks takes the pods first that have become ready last.
func TestPodsOfTheBeginningAreReadySinceTheyRun(t *testing.T) {
	c := tellTest(t, FewestNodes, 1)
	for _, pod := range c.of(t, "search", "query") {
		for _, condition := range pod.Status.Conditions {
			if after := condition.LastTransitionTime.Sub(pod.CreationTimestamp.Time); after < 0 || after > time.Minute {
				t.Errorf("%s: %s %v after it was created", pod.Name, condition.Type, after)
			}
		}
	}
}

func TestNothingThatIsMadeLaterHasTheUIDOfSomethingInTheStory(t *testing.T) {
	for seed := range uint64(5) {
		c := tellTest(t, FewestNodes, seed)
		told := map[types.UID]string{}
		lists, err := c.Lists()
		if err != nil {
			t.Fatal(err)
		}
		for kind, objects := range lists {
			for _, object := range objects {
				o := unstructured.Unstructured{Object: object.(map[string]any)}
				if was, taken := told[o.GetUID()]; taken {
					t.Errorf("seed %d: %s %s has the UID of %s", seed, kind, o.GetName(), was)
				}
				told[o.GetUID()] = kind + " " + o.GetName()
			}
		}
		for i := range 500 {
			made, err := c.Client().CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("later-%d", i)},
			}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if was, taken := told[made.UID]; taken {
				t.Errorf("seed %d: a new object has the UID of %s", seed, was)
			}
		}
	}
}

// Of ten thousand names some would be drawn twice: with these seeds they were.
func TestNoNameIsDrawnTwice(t *testing.T) {
	for _, seed := range []uint64{0, 7} {
		c := &Cluster{store: api.NewStore(t.Context(), clock.RealClock{}, seed)}
		c.client = c.store.Client(t.Context(), api.Writes)
		if err := c.bootstrap(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := &story{
			start: time.Now(), rand: rand.New(rand.NewPCG(seed, 1)), client: c.client, suffixes: map[string]bool{},
			address: newAddresses().of,
		}
		if err := s.load(c.store, MostNodes); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
