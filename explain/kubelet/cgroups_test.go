package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// The examples are those of Kubernetes' post on the new conversion, of
// TestConvertCPUSharesToCgroupV2Value in opencontainers/cgroups, of runc's issue 4896 and of
// the release of youki that took the conversion over.
func TestSharesBecomeWeightsAsPublished(t *testing.T) {
	for shares, want := range map[int64][2]int64{
		2: {1, 1}, 3: {1, 2}, 102: {4, 17}, 1024: {39, 100}, 2000: {77, 170}, 22000: {840, 1204}, 262143: {9999, 10000}, 262144: {10000, 10000},
	} {
		if got := [2]int64{Weight(shares), NewerWeight(shares)}; got != want {
			t.Errorf("%d shares are the weights %v, want %v", shares, got, want)
		}
	}
	for cpu, want := range map[int64][2]int64{0: {2, 0}, 1: {2, 1000}, 5: {5, 1000}, 100: {102, 10000}, 1500: {1536, 150000}, 1000000: {262144, 100000000}} {
		if got := [2]int64{Shares(cpu), Quota(cpu)}; got != want {
			t.Errorf("%dm of cpu are the shares and the quota %v, want %v", cpu, got, want)
		}
	}
}

// uid is that of the example in the kubelet's TestCgroupNameToSystemd.
const uid = "6c1a4e95-6bb6-11e6-bc26-28d2444e470d"

// named is a pod shop/NAME of some containers on a node.
func namedPod(name string, containers ...corev1.Container) *model.Pod {
	pod := podOf(containers...)
	pod.Namespace, pod.Name, pod.UID = "shop", name, types.UID(uid)
	return model.NewPod(pod)
}

// cgroupNode is a node with a pod of each QoS class.
func cgroupNode() *model.Node {
	node := nodeOf()
	node.Object.Status.Allocatable = modeltest.Quantities("cpu", "4", "memory", "8Gi")
	node.Object.Status.NodeInfo.ContainerRuntimeVersion = "containerd://2.1.4"
	whole := []string{"cpu", "2", "memory", "1Gi", "hugepages-2Mi", "64Mi"}
	static := namedPod("static", container("app", nil, nil))
	static.Object.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "0123abcd"}
	node.Pods = []*model.Pod{
		namedPod("bare", container("app", nil, nil)),
		namedPod("exact", container("app", whole, whole)),
		static,
		namedPod("web", container("app", []string{"cpu", "1", "memory", "512Mi"}, []string{"memory", "1Gi"}), container("log", nil, []string{"cpu", "500m", "memory", "128Mi"})),
	}
	return node
}

// lines are cgroups as text: the path, then each file with its value and its source.
func lines(all []Cgroup) []string {
	var text []string
	for _, c := range all {
		text = append(text, c.Path)
		for _, f := range c.Files {
			value := f.Value
			if f.Newer != "" {
				value += " or " + f.Newer
			}
			text = append(text, fmt.Sprintf("  %s %s: %s", f.Name, value, f.From))
		}
	}
	return text
}

func requireLines(t *testing.T, got []string, want string) {
	t.Helper()
	if want := strings.Split(strings.TrimSpace(want), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheCgroupsOfANode(t *testing.T) {
	requireLines(t, lines(Driver{}.Cgroups(cgroupNode())), `
/kubepods.slice
  cpu.weight 157: allocatable cpu 4
  memory.max 8694792192: allocatable 8Gi + 100Mi for eviction
/kubepods.slice/kubepods-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice
  cpu.weight 79: requests.cpu 2
  cpu.max 200000 100000: limits.cpu 2; none if CPUs are pinned
  memory.max 1073741824: limits.memory 1Gi
  hugetlb.2MB.max 67108864: requests.hugepages-2Mi 64Mi
/kubepods.slice/kubepods-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice/cri-containerd-<container ID>.scope
  cpu.weight 79 or 174: requests.cpu 2
  cpu.max 200000 100000: limits.cpu 2; none if CPUs are pinned
  memory.max 1073741824: limits.memory 1Gi
  hugetlb.2MB.max 67108864: limits.hugepages-2Mi 64Mi
/kubepods.slice/kubepods-burstable.slice
  cpu.weight 39: requests.cpu 1 of Burstable pods
/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice
  cpu.weight 39: requests.cpu 1
  memory.max 1207959552: limits.memory 1152Mi
/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice/cri-containerd-<container ID>.scope
  cpu.weight 39 or 100: requests.cpu 1
  memory.max 1073741824: limits.memory 1Gi
/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice/cri-containerd-<container ID>.scope
  cpu.weight 20 or 59: limits.cpu 500m
  cpu.max 50000 100000: limits.cpu 500m
  memory.max 134217728: limits.memory 128Mi
/kubepods.slice/kubepods-besteffort.slice
  cpu.weight 1: BestEffort
/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice
  cpu.weight 1: BestEffort
/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod6c1a4e95_6bb6_11e6_bc26_28d2444e470d.slice/cri-containerd-<container ID>.scope
  cpu.weight 1: no requests.cpu
/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0123abcd.slice
  cpu.weight 1: BestEffort
/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0123abcd.slice/cri-containerd-<container ID>.scope
  cpu.weight 1: no requests.cpu`)
}

// TestWhatPodsMayUseTogether by getNodeAllocatableInternalAbsolute of pkg/kubelet/cm: capacity without what is
// reserved; what is allocatable lacks the eviction threshold and all huge pages besides.
func TestWhatPodsMayUseTogether(t *testing.T) {
	for says, c := range map[string]struct {
		driver Driver
		pages  []string
		want   []string
	}{
		"by default":               {Driver{}, nil, []string{"memory.max 8694792192: allocatable 8Gi + 100Mi for eviction"}},
		"the configured threshold": {Driver{Configured: true, Eviction: "1Gi"}, nil, []string{"memory.max 9663676416: allocatable 8Gi + 1Gi for eviction"}},
		"a share of the capacity":  {Driver{Configured: true, Eviction: "5%"}, nil, []string{"memory.max 9126805512: allocatable 8Gi + 5% for eviction"}},
		"no threshold":             {Driver{Configured: true}, nil, []string{"memory.max 8589934592: allocatable 8Gi"}},
		"huge pages, half of them free": {Driver{Configured: true}, []string{"hugepages-2Mi", "1Gi", "hugepages-1Gi", "0"}, []string{
			"memory.max 9663676416: allocatable 8Gi + 1Gi of huge pages", "hugetlb.2MB.max 1073741824: allocatable.hugepages-2Mi 1Gi",
		}},
	} {
		node := cgroupNode()
		node.Object.Status.Capacity = modeltest.Quantities(append([]string{"cpu", "4", "memory", "10Gi"}, c.pages...)...)
		maps.Copy(node.Object.Status.Allocatable, pagesOf(node.Object))
		var got []string
		for _, f := range c.driver.Cgroups(node)[0].Files[1:] {
			got = append(got, fmt.Sprintf("%s %s: %s", f.Name, f.Value, f.From))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", says, got, c.want)
		}
	}
}

// TestHugePagesThatAreNotAskedForAreLimitedToNone on a node that has some.
func TestHugePagesThatAreNotAskedForAreLimitedToNone(t *testing.T) {
	node := cgroupNode()
	node.Object.Status.Capacity = modeltest.Quantities("memory", "10Gi", "hugepages-2Mi", "1Gi")
	node.Object.Status.Allocatable["hugepages-2Mi"] = node.Object.Status.Capacity["hugepages-2Mi"]
	found := map[string]int{}
	for _, c := range (Driver{}).Cgroups(node) {
		for _, f := range c.Files {
			if f.Name == "hugetlb.2MB.max" {
				found[f.Value+" "+f.From]++
			}
		}
	}
	want := map[string]int{
		"1073741824 allocatable.hugepages-2Mi 1Gi": 1, "4611686018427387904 no limit": 2,
		"67108864 requests.hugepages-2Mi 64Mi": 1, "67108864 limits.hugepages-2Mi 64Mi": 1,
		"0 no requests.hugepages-2Mi": 3, "0 no limits.hugepages-2Mi": 4,
	}
	if !maps.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}

func TestTheCgroupsOfTheDriverCgroupfsAndOfV1(t *testing.T) {
	node := cgroupNode()
	node.Object.Status.NodeInfo.ContainerRuntimeVersion = "cri-o://1.34.0"
	node.Pods = node.Pods[1:2]
	d := Driver{Cgroupfs: true, V1: true, MemoryQoS: true, ContainerID: func(*corev1.Pod, string) string { return "8d2f" }}
	requireLines(t, lines(d.Cgroups(node)), `
/kubepods
  cpu.shares 4096: allocatable cpu 4
  memory.limit_in_bytes 8694792192: allocatable 8Gi + 100Mi for eviction
/kubepods/pod6c1a4e95-6bb6-11e6-bc26-28d2444e470d
  cpu.shares 2048: requests.cpu 2
  cpu.cfs_quota_us 200000: limits.cpu 2; none if CPUs are pinned
  cpu.cfs_period_us 100000: the default period
  memory.limit_in_bytes 1073741824: limits.memory 1Gi
  hugetlb.2MB.limit_in_bytes 67108864: requests.hugepages-2Mi 64Mi
/kubepods/pod6c1a4e95-6bb6-11e6-bc26-28d2444e470d/crio-8d2f
  cpu.shares 2048: requests.cpu 2
  cpu.cfs_quota_us 200000: limits.cpu 2; none if CPUs are pinned
  cpu.cfs_period_us 100000: the default period
  memory.limit_in_bytes 1073741824: limits.memory 1Gi
  hugetlb.2MB.limit_in_bytes 67108864: limits.hugepages-2Mi 64Mi
/kubepods/burstable
  cpu.shares 2: requests.cpu 0 of Burstable pods
/kubepods/besteffort
  cpu.shares 2: BestEffort`)
}

func TestTheNamesThatRuntimesGiveContainers(t *testing.T) {
	node := cgroupNode()
	id := func(*corev1.Pod, string) string { return "8d2f" }
	for _, test := range []struct{ version, systemd, cgroupfs string }{
		{"containerd://2.1.4", "cri-containerd-8d2f.scope", "8d2f"},
		{"cri-o://1.34.0", "crio-8d2f.scope", "crio-8d2f"},
		{"docker://28.3.0", "docker-8d2f.scope", "8d2f"},
	} {
		node.Object.Status.NodeInfo.ContainerRuntimeVersion = test.version
		if got := (Driver{ContainerID: id}).scope(node, node.Pods[0].Object, "app"); got != test.systemd {
			t.Errorf("%s, systemd: %s, want %s", test.version, got, test.systemd)
		}
		if got := (Driver{ContainerID: id, Cgroupfs: true}).scope(node, node.Pods[0].Object, "app"); got != test.cgroupfs {
			t.Errorf("%s, cgroupfs: %s, want %s", test.version, got, test.cgroupfs)
		}
	}
}

func TestMemoryQoSProtectsRequests(t *testing.T) {
	node := cgroupNode()
	node.Pods = node.Pods[1:]
	var got []string
	for _, c := range (Driver{MemoryQoS: true}).Cgroups(node) {
		for _, f := range c.Files {
			if slices.Contains([]string{"memory.min", "memory.low", "memory.high"}, f.Name) {
				got = append(got, fmt.Sprintf("%s/%s %s %s: %s", c.Pod, c.Container, f.Name, f.Value, f.From))
			}
		}
	}
	requireLines(t, got, `
/ memory.min 1610612736: requests.memory of all pods
/ memory.low 536870912: requests.memory of Burstable pods
exact/ memory.min 1073741824: requests.memory 1Gi
exact/app memory.min 1073741824: requests.memory 1Gi
/ memory.low 536870912: requests.memory of Burstable pods
web/ memory.low 536870912: requests.memory 512Mi
web/app memory.low 536870912: requests.memory 512Mi
web/app memory.high 1020051456: throttled at 0.9 of limits.memory
web/log memory.high 120795136: throttled at 0.9 of limits.memory
static/app memory.high 7730937856: throttled at 0.9 of allocatable`)
}
