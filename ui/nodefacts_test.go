package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// inDepth gives the nodes of prod-eu what kubelets report beside what is allocatable.
func (c *prodEU) inDepth() {
	for _, n := range c.nodes {
		status := &n.Status
		status.Allocatable[corev1.ResourceEphemeralStorage] = resource.MustParse("88Gi")
		if strings.HasPrefix(n.Name, "gpu") {
			status.Allocatable["nvidia.com/gpu"] = resource.MustParse("8")
		}
		status.Capacity = corev1.ResourceList{}
		for name, amount := range status.Allocatable {
			more := amount.DeepCopy()
			switch name {
			case corev1.ResourceCPU:
				more.Add(resource.MustParse("100m"))
			case corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
				more.Add(resource.MustParse("2560Mi"))
			}
			status.Capacity[name] = more
		}
		status.NodeInfo = corev1.NodeSystemInfo{
			KubeletVersion: "v1.36.3", ContainerRuntimeVersion: "containerd://2.1.4", OSImage: "Bottlerocket OS 1.44.0", KernelVersion: "6.12.40", Architecture: "amd64",
		}
		status.Images = []corev1.ContainerImage{{Names: []string{"a"}, SizeBytes: 3 << 30}, {Names: []string{"b"}, SizeBytes: 700 << 20}}
		for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
			status.Conditions = append(status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionFalse, LastTransitionTime: n.CreationTimestamp})
		}
	}
	for _, p := range c.pods {
		if p.Spec.NodeName == "std-b-02" && p.Name != "index-0" {
			limits := p.Spec.Containers[0].Resources.Requests.DeepCopy()
			cpu := limits[corev1.ResourceCPU]
			cpu.Add(cpu)
			limits[corev1.ResourceCPU] = cpu
			p.Spec.Containers[0].Resources.Limits = limits
		}
	}
}

// nodeApp is the page of a node of prod-eu, whose Lease was renewed 4 seconds ago.
func nodeApp(t *testing.T, width, height int, node string, change func(*model.Snapshot, *fakeCluster)) *App {
	t.Helper()
	world := newProdEU()
	world.inDepth()
	s := world.snapshot()
	s.Usage = world.usage
	c := &fakeCluster{reports: verdictsOf(s), renewed: now.Add(-4 * time.Second)}
	if change != nil {
		change(s, c)
	}
	app := newTestAppWith(t, width, height, s, c, nil)
	press(t, app, "3", "/")
	write(t, app, "name="+node)
	press(t, app, "enter", "enter")
	return app
}

func TestANodeInDepth(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {80, 23}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, nodeApp(t, size.width, size.height, "std-b-02", nil))
		})
	}
}

func TestANodeSaysThatItsPodsAreOfOtherNamespaces(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) { o.Namespace = "no-such" })
	press(t, app, "3", "enter")
	if got := strings.TrimSpace(screenRow(app, answer)); !strings.HasPrefix(got, "None of its ") || !strings.HasSuffix(got, " pods is in namespace no-such.") {
		t.Errorf("the answer is %q", got)
	}
}

func TestANodeInDepthThatIsNotReady(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, nodeApp(t, size.width, size.height, "spot-b-01", func(_ *model.Snapshot, c *fakeCluster) {
				c.leaseErr = errors.New("get the Lease of spot-b-01: not allowed to get leases")
			}))
		})
	}
}

func TestANodeWithMoreResourcesThanFit(t *testing.T) {
	app := nodeApp(t, 80, 24, "gpu-a-01", func(s *model.Snapshot, c *fakeCluster) {
		node, _ := s.Node("gpu-a-01")
		for i := range int64(4) {
			name := corev1.ResourceName(fmt.Sprintf("example.com/device-%d", i))
			node.Object.Status.Capacity[name], node.Allocatable.Scalar[name] = *resource.NewQuantity(i+1, resource.DecimalSI), i+1
		}
		c.renewed = time.Time{}
	})
	requireScreen(t, app)
}

// TestCapacityIsAllocatableAndReservedAsItIsRead for the figures that kubelets of many sizes report.
func TestCapacityIsAllocatableAndReservedAsItIsRead(t *testing.T) {
	for _, test := range []struct{ capacity, allocatable, want string }{
		{"cpu=16,memory=16Gi", "cpu=15890m,memory=15145Mi", "memory     16.0Gi 14.7Gi    1.3Gi"},
		{"cpu=16,memory=16Gi", "cpu=15890m,memory=15145Mi", "cpu            16  15.89     0.11"},
		{"cpu=16,memory=32Gi", "cpu=15900m,memory=30Gi", "memory       32Gi   30Gi      2Gi"},
		{"cpu=16,memory=32Gi", "cpu=15900m,memory=31900Mi", "memory     32.0Gi 31.1Gi    0.9Gi"},
		{"cpu=128,memory=32Gi", "cpu=127610m,memory=30Gi", "cpu           128    127        1"},
		{"cpu=16,memory=125440Mi", "cpu=15900m,memory=120Gi", "memory      122Gi  120Gi      2Gi"},
		{"cpu=16,memory=1Ti", "cpu=15900m,memory=995Gi", "memory      1.0Ti  0.9Ti    0.1Ti"},
		{"cpu=16,memory=16Gi", "cpu=16,memory=16Gi", "memory       16Gi   16Gi        0"},
		{"cpu=100,memory=16Gi", "cpu=99500m,memory=16Gi", "cpu           100   99.5      0.5"},
	} {
		list := func(amounts string) corev1.ResourceList {
			all := corev1.ResourceList{}
			for pair := range strings.SplitSeq(amounts, ",") {
				name, amount, _ := strings.Cut(pair, "=")
				all[corev1.ResourceName(name)] = resource.MustParse(amount)
			}
			return all
		}
		app := nodeApp(t, 80, 24, "std-b-02", func(s *model.Snapshot, _ *fakeCluster) {
			node, _ := s.Node("std-b-02")
			allocatable := list(test.allocatable)
			node.Object.Status.Capacity = list(test.capacity)
			node.Allocatable.MilliCPU, node.Allocatable.Memory = allocatable.Cpu().MilliValue(), allocatable.Memory().Value()
		})
		if got := screen(app); !strings.Contains(got, test.want+" ") {
			t.Errorf("%q is not on\n%s", test.want, got)
		}
	}
}

func TestANodeWhosePodsAreNotAllKnown(t *testing.T) {
	requireScreen(t, nodeApp(t, 80, 24, "std-b-02", func(s *model.Snapshot, _ *fakeCluster) {
		s.Status.Namespace = "shop"
		node, _ := s.Node("std-b-02")
		node.Object.Status = corev1.NodeStatus{Allocatable: node.Object.Status.Allocatable}
	}))
}

func TestTheFactsOfANodeInASCIIAndColours(t *testing.T) {
	app := nodeApp(t, 80, 24, "std-b-02", nil)
	t.Run("colours", func(t *testing.T) { requireColours(t, app) })
	app.ASCII = true
	app.frame.Content = ""
	t.Run("ascii", func(t *testing.T) { requireScreen(t, app) })
}

func TestVHidesTheFactsOfANode(t *testing.T) {
	app := nodeApp(t, 80, 24, "std-b-02", nil)
	press(t, app, "v")
	requireScreen(t, app)
}

func TestTheLeaseOfANodeIsReadAgain(t *testing.T) {
	app := nodeApp(t, 80, 24, "std-b-02", nil)
	c := app.Cluster.(*fakeCluster)
	c.renewed = time.Time{}
	passes(t, app, 10*time.Second)
	if got := screen(app); !strings.Contains(got, "no Lease") {
		t.Errorf("after 10 s:\n%s", got)
	}
}

func TestTheLeaseOfANodeIsUnknownUntilItIsRead(t *testing.T) {
	app := nodeApp(t, 80, 24, "std-b-02", nil)
	press(t, app, "esc")
	app.Update(keyPress("enter")) // nothing that it asks is answered
	if got := screen(app); !strings.Contains(got, "Lease unknown") || strings.Contains(got, "no Lease") {
		t.Errorf("before it was read:\n%s", got)
	}
}
