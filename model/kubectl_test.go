package model

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func TestPodsAreWordedAsKubectlWordsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := modeltest.AnyPod(t)
		pod := NewPod(object)
		got := fmt.Sprintf("%d/%d %s %d", pod.Ready, pod.Total, pod.Status, pod.Restarts)
		if want := strings.Join(kubectlCells(t, object), " "); got != want {
			t.Fatalf("kubectl says %q, we say %q", want, got)
		}
	})
}

func TestRequestsAreTheSchedulers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := modeltest.AnyPod(t)
		info, err := framework.NewPodInfo(object)
		if err != nil {
			t.Fatal(err)
		}
		want := fromScheduler(info.CalculateResource().Resource.(*framework.Resource))
		if got := NewPod(object).Requests; !equalResources(*got, want) {
			t.Fatalf("the scheduler counts %+v, we count %+v", want, got)
		}
	})
}

func TestSumsOfANodeAreTheSchedulers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, byName := NewBuilder(), map[string]*corev1.Pod{}
		node := modeltest.AnyNode(t)
		b.Node(nil, node)
		for range rapid.IntRange(0, 6).Draw(t, "pods") {
			pod := modeltest.AnyPod(t)
			pod.Spec.NodeName = node.Name
			b.Pod(nil, pod)
			byName[pod.Namespace+"/"+pod.Name] = pod
		}
		info := framework.NewNodeInfo()
		info.SetNode(node)
		for _, pod := range byName {
			if !Finished(pod) { // the scheduler's informer does not give it the others
				info.AddPod(pod)
			}
		}
		got := b.Build(1, Status{}, nil).Nodes[0]
		want := fromScheduler(info.Requested)
		want.Pods = int64(len(info.Pods))
		if !equalResources(got.Requested, want) {
			t.Fatalf("the scheduler sums up %+v, we sum up %+v", want, got.Requested)
		}
		if want := fromScheduler(info.Allocatable); !equalResources(got.Allocatable, want) {
			t.Fatalf("the scheduler may allocate %+v, we say %+v", want, got.Allocatable)
		}
	})
}

func fromScheduler(r *framework.Resource) Resources {
	return Resources{
		MilliCPU: r.MilliCPU, Memory: r.Memory, EphemeralStorage: r.EphemeralStorage,
		Pods: int64(r.AllowedPodNumber), Scalar: r.ScalarResources,
	}
}

func equalResources(a, b Resources) bool {
	if len(a.Scalar) != len(b.Scalar) {
		return false
	}
	for name, amount := range a.Scalar {
		if other, ok := b.Scalar[name]; !ok || other != amount {
			return false
		}
	}
	return a.MilliCPU == b.MilliCPU && a.Memory == b.Memory && a.EphemeralStorage == b.EphemeralStorage && a.Pods == b.Pods
}

func TestNodesHaveTheRolesThatKubectlShows(t *testing.T) {
	generator := printers.NewTableGenerator().With(printersinternal.AddHandlers)
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.MapOf(
			rapid.SampledFrom([]string{"node-role.kubernetes.io/", "node-role.kubernetes.io/worker", "node-role.kubernetes.io/infra", "kubernetes.io/role", "other"}),
			rapid.SampledFrom([]string{"", "worker", "edge"}),
		).Draw(t, "labels")
		table, err := generator.GenerateTable(&core.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}}, printers.GenerateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(newNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}}, "").Roles, ",")
		if want := strings.ReplaceAll(table.Rows[0].Cells[2].(string), "<none>", ""); got != want {
			t.Fatalf("kubectl says %q, we say %q", want, got)
		}
	})
}
