package explanation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// Without the answer for the node, as in a preview, its figures are those that kube-scheduler counts nevertheless.
func TestTheFiguresOfANodeCountThePodsThatAreNominatedToIt(t *testing.T) {
	pod := func(name, node string, priority int32) *model.Pod {
		return &model.Pod{
			Object: &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "risk", Name: name, UID: types.UID(name)},
				Spec:       corev1.PodSpec{Priority: &priority},
				Status:     corev1.PodStatus{NominatedNodeName: node},
			},
			Requests: &model.Resources{MilliCPU: 6000},
		}
	}
	class := func(pods ...*model.Pod) *model.EquivalenceClass { return &model.EquivalenceClass{Pods: pods} }
	asked := pod("asked", "b", 100)
	page := &Drawing{
		Width: 120, Styles: &themes.Styles{}, Pod: asked, Report: &report.Report{}, Snapshot: &model.Snapshot{
			Nodes: []*model.Node{
				{Name: "a", Allocatable: model.Resources{MilliCPU: 15700}, Requested: model.Resources{MilliCPU: 11170, Pods: 6}},
				{Name: "b", Allocatable: model.Resources{MilliCPU: 15700}, Requested: model.Resources{MilliCPU: 11170, Pods: 6}},
			},
			Pending: []*model.EquivalenceClass{class(asked), class(pod("equal", "a", 100)), class(pod("lower", "a", 99))},
		},
	}
	fits := false
	group := &report.Group{Fits: &fits, Count: 2, Nodes: []string{"a", "b"}, Rejections: []report.Rejection{{
		Plugin: "NodeResourcesFit", Numbers: []report.Number{{Resource: "cpu", Wanted: "6", Requested: "11170m–17170m", Allocatable: "15700m", Short: "1470m–7470m"}},
	}}}
	for name, want := range map[string]string{"a": "7.47", "b": "1.47"} {
		if got := page.nodesOf(group).roomRow(name).cells[2]; got != want {
			t.Errorf("%s lacks %s, want %s", name, got, want)
		}
	}
	if node, _ := countedNode(page, "a"); node.Requested.Pods != 7 || page.Snapshot.Nodes[0].Requested.Pods != 6 {
		t.Errorf("%d pods are counted on a, want 7", node.Requested.Pods)
	}
	lines, _ := page.closest(group).lines()
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "requested includes pods nominated to it: risk/equal 6") {
		t.Errorf("nothing says which pod is nominated to a:\n%s", text)
	}
	for node, want := range map[string]int{"a": 1, "b": 0} {
		if got := Counted(page, node, group.Rejections); len(got) != want {
			t.Errorf("%d pods are counted on %s, want %d", len(got), node, want)
		}
	}
	if got := Counted(page, "a", nil); len(got) != 0 {
		t.Errorf("%d pods are counted where the node lacks nothing", len(got))
	}
}
