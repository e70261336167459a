package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// world is what a test has told the API server, by name.
type world struct {
	client *fake.Clientset
	nodes  map[string]*corev1.Node
	pods   map[string]*corev1.Pod
	made   int // UIDs so far: a name may come back as another object
}

// TestEveryHistoryEndsAsAFreshStart changes a cluster at random under a running
// Cluster and compares it with one that is opened on the result.
func TestEveryHistoryEndsAsAFreshStart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := &world{client: newClient(), nodes: map[string]*corev1.Node{}, pods: map[string]*corev1.Pod{}}
		old, err := New(t.Context(), newSource(w.client), Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer old.Close()
		if err := old.Wait(t.Context()); err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			if err := w.step(t.Context(), r); err != nil {
				r.Fatal(err)
			}
		}
		before := until(t, old, "all that happened", w.shownBy)

		fresh, err := New(t.Context(), newSource(newClient(w.objects()...)), Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer fresh.Close()
		after := read(t, fresh)
		compareModels(r, before, after)
		for _, p := range after.Pods {
			if got, want := told(t, old, p.Object.UID), told(t, fresh, p.Object.UID); got != want {
				r.Fatalf("%s after that history:\n%s\nfrom a fresh start:\n%s", p.Object.Name, got, want)
			}
		}
	})
}

// step does one thing that happens in clusters.
func (w *world) step(ctx context.Context, r *rapid.T) error {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "name")
	switch rapid.SampledFrom([]string{"node", "node", "pod", "pod", "pod", "bind", "end", "label", "heartbeat", "drop node", "drop pod"}).Draw(r, "step") {
	case "node":
		return w.setNode(ctx, r, name)
	case "pod":
		return w.addPod(ctx, r, name)
	case "bind":
		return w.changePod(ctx, name, func(p *corev1.Pod) {
			p.Spec.NodeName = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "on")
		})
	case "end":
		return w.changePod(ctx, name, func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded })
	case "label": // nobody waits for it
		return w.changePod(ctx, name, func(p *corev1.Pod) {
			p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(r, "other app")}
		})
	case "heartbeat": // nor for this
		return w.beat(ctx, name)
	case "drop node":
		return w.dropNode(ctx, name)
	default:
		return w.dropPod(ctx, name)
	}
}

// setNode creates or changes a node.
func (w *world) setNode(ctx context.Context, r *rapid.T, name string) error {
	n := node(name, rapid.SampledFrom([]string{"1", "2", "4"}).Draw(r, "cpu"))
	n.Spec.Unschedulable = rapid.Bool().Draw(r, "cordoned")
	if rapid.Bool().Draw(r, "tainted") {
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}
	_, known := w.nodes[name]
	w.nodes[name] = n
	var err error
	if known {
		_, err = w.client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
	} else {
		_, err = w.client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
	}
	return err
}

// beat makes a node say that it is still there.
func (w *world) beat(ctx context.Context, name string) error {
	n, known := w.nodes[name]
	if !known {
		return nil
	}
	w.made++
	n = n.DeepCopy()
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Unix(int64(w.made), 0)}}
	w.nodes[name] = n
	_, err := w.client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
	return err
}

// addPod creates a pod, unless there is one of that name.
func (w *world) addPod(ctx context.Context, r *rapid.T, name string) error {
	if _, known := w.pods[name]; known {
		return nil
	}
	w.made++
	p := pod(name, rapid.SampledFrom([]string{"500m", "1", "3"}).Draw(r, "wants"), "")
	p.UID = types.UID(fmt.Sprintf("%s-%d", name, w.made))
	p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(r, "app")}
	if rapid.Bool().Draw(r, "apart") {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey:   corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels},
			}},
		}}
	}
	w.pods[name] = p
	_, err := w.client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
	return err
}

// changePod changes a pod that has not ended.
func (w *world) changePod(ctx context.Context, name string, change func(*corev1.Pod)) error {
	p, known := w.pods[name]
	if !known || p.Status.Phase == corev1.PodSucceeded {
		return nil
	}
	p = p.DeepCopy()
	change(p)
	w.pods[name] = p
	_, err := w.client.CoreV1().Pods(p.Namespace).Update(ctx, p, metav1.UpdateOptions{})
	return err
}

func (w *world) dropNode(ctx context.Context, name string) error {
	if _, known := w.nodes[name]; !known {
		return nil
	}
	delete(w.nodes, name)
	return w.client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{})
}

func (w *world) dropPod(ctx context.Context, name string) error {
	p, known := w.pods[name]
	if !known {
		return nil
	}
	delete(w.pods, name)
	return w.client.CoreV1().Pods(p.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

// objects are what a fresh start would find.
func (w *world) objects() []apiruntime.Object {
	var objects []apiruntime.Object
	for _, n := range w.nodes {
		objects = append(objects, n)
	}
	for _, p := range w.pods {
		objects = append(objects, p)
	}
	return objects
}

// shownBy reports whether a snapshot holds the world.
func (w *world) shownBy(s *model.Snapshot) bool {
	if len(s.Nodes) != len(w.nodes) || len(s.Pods) != len(w.pods) {
		return false
	}
	for _, n := range s.Nodes {
		want := w.nodes[n.Name]
		if want == nil || !equal(n.Object.Spec, want.Spec) || !equal(n.Object.Status, want.Status) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Pods, func(p *model.Pod) bool {
		want := w.pods[p.Object.Name]
		return want == nil || p.Object.UID != want.UID || !equal(p.Object.Labels, want.Labels) || !equal(p.Object.Spec, want.Spec) || !equal(p.Object.Status, want.Status)
	})
}

// whole compares all fields of the model's types; an empty list is none.
var whole = []cmp.Option{
	cmpopts.EquateEmpty(),
	cmp.Exporter(func(t reflect.Type) bool { return t.PkgPath() == reflect.TypeFor[model.Pod]().PkgPath() }),
}

// compareModels compares all that two snapshots derived.
func compareModels(r *rapid.T, a, b *model.Snapshot) {
	if diff := cmp.Diff(b.Nodes, a.Nodes, whole...); diff != "" {
		r.Fatalf("nodes differ from a fresh start's:\n%s", diff)
	}
	if diff := cmp.Diff(b.Pods, a.Pods, whole...); diff != "" {
		r.Fatalf("pods differ from a fresh start's:\n%s", diff)
	}
	if diff := cmp.Diff(b.Pending, a.Pending, whole...); diff != "" {
		r.Fatalf("pending pods differ from a fresh start's:\n%s", diff)
	}
}

// told is a report without what differs from run to run.
func told(t *testing.T, c *Cluster, uid types.UID) string {
	t.Helper()
	r, err := c.Ask(t.Context(), report.Query{Target: report.PodOf(uid), Parts: report.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	copied := *r
	copied.Scheduler = report.SchedulerInfo{}
	return text(copied)
}

// equal compares as JSON does: an empty list is none.
func equal(a, b any) bool { return text(a) == text(b) }

// text is a value as JSON.
func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // a type that JSON cannot tell: a mistake in this test
	}
	return string(encoded)
}
