package act

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// A node that was written between the plan and its confirmation: only what the plan
// rests on has to be confirmed again.
func TestAHeartbeatIsNoChange(t *testing.T) {
	for name, test := range map[string]struct {
		writes func(*corev1.Node)
		always bool // again before each request
		again  bool // the user has to confirm again
	}{
		"its kubelet reports a condition": {writes: func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady})
		}},
		"a controller annotates it":          {writes: func(n *corev1.Node) { n.Annotations = map[string]string{"volumes": "detached"} }},
		"a status that never rests":          {writes: func(n *corev1.Node) { n.Status.Phase += "x" }, always: true, again: true},
		"somebody labels it":                 {writes: func(n *corev1.Node) { n.Labels = map[string]string{"team": "a"} }, again: true},
		"somebody taints it":                 {writes: func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "a"}} }, again: true},
		"it is deleted":                      {writes: func(n *corev1.Node) { n.DeletionTimestamp = new(metav1.Now()) }, again: true},
		"another one of its name is created": {writes: func(n *corev1.Node) { n.UID = "other" }, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, client := newTestActor(node("n1", nil))
			nodes := corev1.SchemeGroupVersion.WithResource("nodes")
			version := "7"
			write := func() {
				object, err := client.Tracker().Get(nodes, "", "n1") // a reactor cannot ask the client
				if err != nil {
					t.Fatal(err)
				}
				n := object.DeepCopyObject().(*corev1.Node)
				test.writes(n)
				version += "1"
				n.ResourceVersion = version
				if err := client.Tracker().Update(nodes, n, ""); err != nil {
					t.Fatal(err)
				}
			}
			client.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
				var patch struct{ Metadata metav1.ObjectMeta }
				if err := json.Unmarshal(action.(clienttesting.PatchAction).GetPatch(), &patch); err != nil {
					t.Fatal(err)
				}
				if test.always {
					write()
				}
				if patch.Metadata.ResourceVersion != version {
					return true, nil, apierrors.NewConflict(nodes.GroupResource(), "n1", errors.New("the object has been modified"))
				}
				return false, nil, nil
			})

			p, err := a.Plan(t.Context(), plan.Cordon{Nodes: []string{"n1"}})
			if err != nil {
				t.Fatal(err)
			}
			confirmed, err := p.Confirm(p.Question("staging", false), "y", nil)
			if err != nil {
				t.Fatal(err)
			}
			write()
			if _, err := a.Run(t.Context(), confirmed); errors.Is(err, ErrChanged) != test.again || err != nil && !test.again {
				t.Fatalf("run gives %v, to be confirmed again: %v", err, test.again)
			}
			n, err := client.CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
			if err != nil || n.Spec.Unschedulable == test.again {
				t.Errorf("cordoned: %v, %v", n.Spec.Unschedulable, err)
			}
		})
	}
}

// A controller that changes the node between the read and the dry run, as the node
// lifecycle controller taints a node that was just cordoned: the action is planned again.
func TestWhatChangesWhileItIsPlannedIsPlannedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		changes int // dry runs before which the node changes
		err     error
	}{"once": {1, nil}, "again and again": {1000, ErrChanged}} {
		t.Run(name, func(t *testing.T) {
			a, client := newTestActor(node("n1", nil))
			nodes, conflicts := corev1.SchemeGroupVersion.WithResource("nodes"), 0
			dry := fake.NewClientset()
			dry.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
				n, err := client.CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
				if err != nil || conflicts == test.changes {
					return true, n, err
				}
				conflicts++
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: fmt.Sprint("k", conflicts)})
				n.ResourceVersion += "1"
				if err := client.Tracker().Update(nodes, n, ""); err != nil {
					t.Fatal(err)
				}
				return true, nil, apierrors.NewConflict(nodes.GroupResource(), "n1", errors.New("the object has been modified"))
			})
			a.DryRunner = dry
			p, err := a.Plan(t.Context(), plan.Cordon{Nodes: []string{"n1"}})
			if !errors.Is(err, test.err) || err == nil && len(p.Changes) != 1 {
				t.Errorf("%d conflicts: the plan is %+v, %v; want the error %v", conflicts, p, err, test.err)
			}
		})
	}
}
