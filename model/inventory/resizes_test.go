package inventory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// resized is a pod of a priority on n1 that asks for cpu and was granted other cpu, with a
// condition "Type/Reason", or a status.resize.
func resized(name string, priority int32, cpu, granted, state string) *corev1.Pod {
	return of("", priority, "dev/"+name, "n1", 0, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = modeltest.Quantities("cpu", cpu, "memory", "1Gi")
		p.Status.ContainerStatuses[0].AllocatedResources = modeltest.Quantities("cpu", granted, "memory", "1Gi")
		kind, reason, condition := strings.Cut(state, "/")
		if !condition {
			p.Status.Resize = corev1.PodResizeStatus(state) //nolint:staticcheck // what Kubernetes before 1.33 writes
			return
		}
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodConditionType(kind), Status: corev1.ConditionTrue, Reason: reason, Message: "said", LastTransitionTime: metav1.NewTime(modeltest.Epoch),
		})
	})
}

// stateOf is a snapshot of pods on n1, which has 8 cores.
func stateOf(status model.Status, pods ...*corev1.Pod) *model.Snapshot {
	b := model.NewBuilder()
	b.Node(nil, modeltest.NewNode("n1", "a", "8", "32Gi"))
	for _, pod := range pods {
		b.Pod(nil, pod)
	}
	return b.Build(1, status, nil)
}

func TestWhatANodeLacksForAResize(t *testing.T) {
	for _, test := range []struct {
		name string
		pods []*corev1.Pod
		want []string
	}{
		{"deferred: what is granted to others counts", []*corev1.Pod{
			resized("a", 10, "4", "2", "PodResizePending/Deferred"), resized("b", 0, "6", "3", "PodResizePending/Deferred"), of("", 0, "dev/c", "n1", 0, nil),
			of("", 0, "dev/d", "n1", 0, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = modeltest.Quantities("cpu", "1500m") }),
			of("", 20, "dev/e", "n1", 0, nil),
		}, []string{
			"a Deferred 2 to 4 lacks 2500m, held by b d c e",
			"b Deferred 3 to 6 lacks 3500m, held by a d c e",
		}},
		{
			"infeasible comes first",
			[]*corev1.Pod{resized("a", 0, "2", "1", "PodResizeInProgress/"), resized("b", 0, "64", "1", "PodResizePending/Infeasible")},
			[]string{"b Infeasible 1 to 64 lacks 57, held by ", "a InProgress 1 to 2 lacks nothing, held by "},
		},
		{"it would fit now", []*corev1.Pod{resized("a", 0, "4", "1", "PodResizePending/Deferred")}, []string{"a Deferred 1 to 4 lacks nothing, held by "}},
		{"an error", []*corev1.Pod{resized("a", 0, "4", "4", "PodResizeInProgress/Error")}, []string{"a Error 4 to 4 lacks nothing, held by "}},
		{
			"an older version",
			[]*corev1.Pod{resized("a", 0, "9", "1", "Deferred"), resized("b", 0, "1", "1", "")},
			[]string{"a Deferred 1 to 9 lacks 2, held by b"},
		},
		{"no resize", []*corev1.Pod{of("", 0, "dev/a", "n1", 0, nil)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, r := range Resizes(stateOf(model.Status{}, test.pods...)) {
				desired, allocated := r.Desired[corev1.ResourceCPU], r.Allocated[corev1.ResourceCPU]
				lacks, names := "nothing", []string{}
				if cpu, ok := r.Lacks[corev1.ResourceCPU]; ok {
					lacks = cpu.String()
				}
				for _, holder := range r.Holders {
					names = append(names, holder.Name)
				}
				got = append(got, fmt.Sprintf("%s %s %s to %s lacks %s, held by %s", r.Name, r.State, allocated.String(), desired.String(), lacks, strings.Join(names, " ")))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatANodeLacksIsUnknownWherePodsAre(t *testing.T) {
	got := Resizes(stateOf(model.Status{Namespace: "dev"}, resized("a", 0, "64", "1", "PodResizePending/Deferred")))
	if len(got) != 1 || got[0].Lacks != nil {
		t.Errorf("%+v", got)
	}
}

func TestAResizeInJSON(t *testing.T) {
	text, err := json.Marshal(Resizes(stateOf(model.Status{}, resized("a", 0, "4", "1500m", "PodResizePending/Deferred")))[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := `"desired":{"cpu":"4","memory":"1Gi"},"allocated":{"cpu":"1500m","memory":"1Gi"},"lacks":{},"holders":[]}`; !strings.HasSuffix(string(text), want) {
		t.Errorf("%s does not end with %s", text, want)
	}
}
