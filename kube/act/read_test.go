package act

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// A new label of a node is planned on the DaemonSets, or where these may not be listed on those
// whose pods run there.
func TestDaemonSetsAreReadForNewNodeLabels(t *testing.T) {
	w := newWorld(t, running("agent-1", of("DaemonSet", "agent")), running("agent-2", on("n2"), of("DaemonSet", "other")))
	w.nodes = []string{"n1", "n2"}
	requirement := corev1.NodeSelectorRequirement{Key: "old", Operator: corev1.NodeSelectorOpDoesNotExist}
	agent := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "agent", UID: "uid-agent"}}
	agent.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{requirement}}},
	}}}
	for _, object := range []runtime.Object{agent, node("n1", nil), node("n2", nil)} {
		if err := w.client.Tracker().Add(object); err != nil {
			t.Fatal(err)
		}
	}
	actor := New(Options{State: w, Reader: w.client, DryRunner: w.client, Writer: w.client, ReadOnly: true})
	defer actor.Close()
	label := plan.Label{Refs: []model.Ref{plan.NodeRef("n1")}, Set: map[string]string{"old": "yes"}}
	planned := func() []string {
		p, err := actor.Plan(t.Context(), label)
		if err != nil {
			t.Fatal(err)
		}
		return p.Effects
	}
	want := []string{"1 pod is deleted by its DaemonSet, whose node selector or node affinity then no longer matches: shop/agent-1."}
	if diff := cmp.Diff(want, planned()); diff != "" {
		t.Error(diff)
	}
	w.client.PrependReactor("list", "daemonsets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("forbidden")
	})
	unlisted := "Whether DaemonSets create pods there is not known: they could not be listed."
	want = append(want, unlisted)
	if diff := cmp.Diff(want, planned()); diff != "" {
		t.Error(diff)
	}
	w.client.PrependReactor("get", "daemonsets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("forbidden")
	})
	want = []string{"Whether its DaemonSet deletes 1 pod is not known: DaemonSets could not be read.", unlisted}
	if diff := cmp.Diff(want, planned()); diff != "" {
		t.Error(diff)
	}
}

// late is a state whose snapshots lack what was created until they are asked for a few times.
type late struct {
	*drained
	old   *model.Snapshot
	after int
}

func (l *late) Newest() *model.Snapshot {
	if l.after--; l.after >= 0 {
		return l.old
	}
	return l.drained.Newest()
}

func TestADrainWaitsForPodsThatTheSnapshotLacks(t *testing.T) {
	for name, test := range map[string]struct {
		after int // questions for the newest snapshot
		err   error
		pods  int
	}{
		"a moment": {after: 5, pods: 2},
		"for long": {after: 1000, err: plan.ErrUnread},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDrained(t, []string{"n1"}, running("a"))
				defer d.a.Close()
				d.a.State = &late{drained: d, old: d.Newest(), after: test.after}
				d.add(running("b"))
				p, err := d.a.Plan(t.Context(), plan.Drain{Nodes: []string{"n1"}})
				if !errors.Is(err, test.err) || err == nil && p.PodsTerminated != test.pods {
					t.Errorf("the plan is %+v, %v", p, err)
				}
			})
		})
	}
}
