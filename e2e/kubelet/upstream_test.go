// Package kubelet compares what fathom says of kubelets with the kubelet's own code.
package kubelet

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"
	_ "unsafe" // for go:linkname

	"github.com/opencontainers/cgroups"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	_ "k8s.io/kubernetes/pkg/kubelet/eviction" // whose ranking is called
	"k8s.io/kubernetes/pkg/kubelet/qos"
	kubelettypes "k8s.io/kubernetes/pkg/kubelet/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

//go:linkname rankMemoryPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankMemoryPressure
func rankMemoryPressure(pods []*corev1.Pod, stats func(*corev1.Pod) (statsapi.PodStats, bool))

//go:linkname rankPIDPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankPIDPressure
func rankPIDPressure(pods []*corev1.Pod, stats func(*corev1.Pod) (statsapi.PodStats, bool))

//go:linkname rankDiskPressureFunc k8s.io/kubernetes/pkg/kubelet/eviction.rankDiskPressureFunc
func rankDiskPressureFunc(measured []string, name corev1.ResourceName) func([]*corev1.Pod, func(*corev1.Pod) (statsapi.PodStats, bool))

// sets is how many random sets of pods are compared.
const sets = 1000

// firstSeed is the seed of the first of them.
var firstSeed = flag.Uint64("first", 0, "the first seed of the random sets")

// random makes pods.
type random struct{ *rand.Rand }

func (r random) chance(one int) bool { return r.IntN(one) == 0 }

// amounts are cpu, memory, ephemeral storage and huge pages, or some of them.
func (r random) amounts() corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, of := range map[corev1.ResourceName][]string{
		corev1.ResourceCPU: {"1m", "5m", "250m", "1", "2", "300"}, corev1.ResourceMemory: {"64Mi", "100M", "1Gi", "7Gi"},
		corev1.ResourceEphemeralStorage: {"1Gi", "100Mi"}, corev1.ResourceHugePagesPrefix + "2Mi": {"4Mi", "64Mi"},
	} {
		if r.chance(2) {
			list[name] = resource.MustParse(of[r.IntN(len(of))])
		}
	}
	return list
}

func (r random) requirements() corev1.ResourceRequirements {
	switch r.IntN(4) {
	case 0:
		return corev1.ResourceRequirements{}
	case 1:
		whole := r.amounts()
		whole[corev1.ResourceCPU], whole[corev1.ResourceMemory] = resource.MustParse("2"), resource.MustParse("1Gi")
		return corev1.ResourceRequirements{Requests: whole, Limits: whole}
	case 2:
		return corev1.ResourceRequirements{Requests: r.amounts()}
	}
	limits := r.amounts()
	requests := r.amounts()
	for name, limit := range limits { // as kube-apiserver wants them
		if request, ok := requests[name]; !ok || request.Cmp(limit) > 0 {
			requests[name] = limit
		}
	}
	return corev1.ResourceRequirements{Requests: requests, Limits: limits}
}

// pod makes one that runs.
func (r random) pod(i int) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name, pod.UID = "n", fmt.Sprintf("p%d", i), types.UID(fmt.Sprintf("6c1a4e95-6bb6-11e6-bc26-28d2444e47%02d", i))
	pod.Status.Phase = corev1.PodRunning
	if !r.chance(8) {
		pod.Spec.Priority = []*int32{new(int32(-10)), new(int32(0)), new(int32(0)), new(int32(1000)), new(int32(2_000_000_000)), new(int32(2_000_001_000))}[r.IntN(6)]
		pod.Spec.PriorityClassName = []string{"", "system-cluster-critical", "system-node-critical"}[r.IntN(3)]
	}
	if r.chance(8) {
		pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
	}
	for c := range r.IntN(3) {
		one := corev1.Container{Name: fmt.Sprintf("init%d", c), Resources: r.requirements()}
		if r.chance(2) {
			one.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, one)
	}
	for c := range 1 + r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: fmt.Sprintf("c%d", c), Resources: r.requirements()})
	}
	if r.chance(4) {
		whole := r.requirements()
		pod.Spec.Resources = &whole
	}
	if r.chance(6) {
		pod.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("120Mi")}
	}
	return pod
}

// stats are what a kubelet measures of a pod, and the same for fathom.
func (r random) stats() (statsapi.PodStats, kubelet.Measured) {
	memory, disk, processes := uint64(r.IntN(40))<<26, uint64(r.IntN(20))<<27, uint64(r.IntN(30))
	stats := statsapi.PodStats{
		Memory:       &statsapi.MemoryStats{WorkingSetBytes: &memory},
		ProcessStats: &statsapi.ProcessStats{ProcessCount: &processes},
		Containers:   []statsapi.ContainerStats{{Rootfs: &statsapi.FsStats{UsedBytes: &disk}}},
	}
	return stats, kubelet.Measured{Memory: new(int64(memory)), Disk: new(int64(disk)), Processes: new(int64(processes))}
}

// some leaves figures out.
func (r random) some(of kubelet.Measured) kubelet.Measured {
	for _, figure := range []**int64{&of.Memory, &of.Disk, &of.Processes} {
		if r.chance(2) {
			*figure = nil
		}
	}
	return of
}

// TestTheOrderOfEvictionIsThatOfTheKubelet ranks random pods with the kubelet's functions:
// each is at a place that fathom's rank holds, and pods that the kubelet tells apart have
// exact ranks. With figures left out, the place is still in the range.
func TestTheOrderOfEvictionIsThatOfTheKubelet(t *testing.T) {
	exact, compared := 0, 0
	for seed := *firstSeed; seed < *firstSeed+sets; seed++ {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		pods, stats := make([]*corev1.Pod, 1+r.IntN(12)), map[string]statsapi.PodStats{}
		whole, some := make([]kubelet.Measured, len(pods)), make([]kubelet.Measured, len(pods))
		for i := range pods {
			pods[i] = r.pod(i)
			for stats[pods[i].Name], whole[i] = r.stats(); !possible(pods[i], stats[pods[i].Name]); {
				stats[pods[i].Name], whole[i] = r.stats()
			}
			some[i] = r.some(whole[i])
		}
		measure := func(pod *corev1.Pod) (statsapi.PodStats, bool) { s, ok := stats[pod.Name]; return s, ok }
		for what, kind := range map[string]struct {
			rank func([]*corev1.Pod, func(*corev1.Pod) (statsapi.PodStats, bool))
			of   func(kubelet.Ranks) *kubelet.Rank
		}{
			"memory": {rankMemoryPressure, func(r kubelet.Ranks) *kubelet.Rank { return r.Memory }},
			"pid":    {rankPIDPressure, func(r kubelet.Ranks) *kubelet.Rank { return r.PIDs }},
			"disk":   {rankDiskPressureFunc([]string{"images", "root", "logs", "localVolumeSource"}, corev1.ResourceEphemeralStorage), func(r kubelet.Ranks) *kubelet.Rank { return r.Disk }},
		} {
			order := append([]*corev1.Pod{}, pods...)
			kind.rank(order, measure)
			place := map[string]int{}
			for at, pod := range order {
				place[pod.Name] = at + 1
			}
			all, part := kubelet.Order(pods, whole), kubelet.Order(pods, some)
			for i, pod := range pods {
				at := place[pod.Name]
				compared++
				if r := kind.of(all[i]); at < r.First || at > r.Last {
					t.Errorf("seed %d, %s: the kubelet evicts %s as number %d, fathom says %d-%d", seed, what, pod.Name, at, r.First, r.Last)
				} else if r.Exact() {
					exact++
				}
				if r := kind.of(part[i]); at < r.First || at > r.Last {
					t.Errorf("seed %d, %s: with figures left out, the kubelet evicts %s as number %d, fathom says %d-%d", seed, what, pod.Name, at, r.First, r.Last)
				}
			}
		}
	}
	t.Logf("%d of %d ranks are exact", exact, compared)
	if exact < sets {
		t.Errorf("only %d ranks are exact", exact)
	}
}

// possible reports whether a pod may use so much memory: some if it runs, and no more than
// its limits.
func possible(pod *corev1.Pod, stats statsapi.PodStats) bool {
	used := int64(*stats.Memory.WorkingSetBytes)
	return used > 0 && (used <= limit(pod) || limit(pod) == 0)
}

// limit is the memory limit of a pod's cgroup; 0 is none.
func limit(pod *corev1.Pod) int64 {
	config := cm.ResourceConfigForPod(pod, true, cm.QuotaPeriod, false, kubeletconfig.NoneMemoryReservationPolicy)
	if config.Memory == nil {
		return 0
	}
	return *config.Memory
}

func TestClassesAndOOMScoresAreThoseOfTheKubelet(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+sets; seed++ {
		r := random{rand.New(rand.NewPCG(seed, 2))}
		pod := r.pod(0)
		if got, want := kubelet.NeverEvicted(pod) != "", kubelettypes.IsCriticalPod(pod); got != want {
			t.Errorf("seed %d: never evicted is %t, the kubelet says %t", seed, got, want)
		}
		const memory = 16 << 30
		for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
			for i := range containers {
				want := qos.GetContainerOOMScoreAdjust(pod, &containers[i], memory)
				if got := kubelet.OOMScoreAdj(pod, &containers[i], memory); got == nil || *got != want {
					t.Errorf("seed %d: the score of %s is %v, the kubelet sets %d", seed, containers[i].Name, got, want)
				}
			}
		}
	}
}

func TestSharesQuotasAndWeightsAreThoseOfTheKubeletAndOfRunc(t *testing.T) {
	for cpu := range int64(20000) {
		if got, want := kubelet.Shares(cpu), cm.MilliCPUToShares(cpu); uint64(got) != want {
			t.Errorf("%dm are %d shares, the kubelet sets %d", cpu, got, want)
		}
		if got, want := kubelet.Quota(cpu), cm.MilliCPUToQuota(cpu, cm.QuotaPeriod); got != want {
			t.Errorf("%dm are a quota of %d, the kubelet sets %d", cpu, got, want)
		}
	}
	for shares := uint64(2); shares <= cm.MaxShares; shares++ {
		if got, want := kubelet.NewerWeight(int64(shares)), cgroups.ConvertCPUSharesToCgroupV2Value(shares); uint64(got) != want {
			t.Errorf("%d shares are the weight %d, runc sets %d", shares, got, want)
		}
		weight := uint64(kubelet.Weight(int64(shares))) // the kubelet's own conversion, there and back
		if back := (weight-1)*262142/9999 + 2; !cm.CPUSharesEqualAfterV2RoundTrip(shares, back) {
			t.Errorf("%d shares are the weight %d, the kubelet sets another", shares, weight)
		}
	}
}

// TestTheCgroupOfAPodIsThatOfTheKubelet compares path and files of random pods with what
// the kubelet configures.
func TestTheCgroupOfAPodIsThatOfTheKubelet(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+sets; seed++ {
		r := random{rand.New(rand.NewPCG(seed, 3))}
		pod := r.pod(0)
		pod.Annotations = nil
		node := &model.Node{Name: "n1", Object: &corev1.Node{}, Pods: []*model.Pod{model.NewPod(pod)}}
		name := cm.CgroupName{"kubepods"}
		switch node.Pods[0].QOS {
		case corev1.PodQOSBurstable:
			name = append(name, "burstable")
		case corev1.PodQOSBestEffort:
			name = append(name, "besteffort")
		}
		name = append(name, cm.GetPodCgroupNameSuffix(pod.UID))
		for _, protect := range []bool{false, true} {
			policy := kubeletconfig.NoneMemoryReservationPolicy
			if protect {
				policy = kubeletconfig.TieredReservationMemoryReservationPolicy
			}
			config := cm.ResourceConfigForPod(pod, true, cm.QuotaPeriod, protect, policy)
			if protect {
				cm.ApplyPodLevelMemoryHigh(pod, config, 0.9)
			}
			for _, d := range []kubelet.Driver{{MemoryQoS: protect}, {Cgroupfs: true, V1: true}} {
				path := name.ToSystemd()
				if d.Cgroupfs {
					path = name.ToCgroupfs()
				}
				want := filesOf(config, d.V1)
				if got := cgroupOf(d.Cgroups(node), pod.Name); got.Path != path || fmt.Sprint(filesAsMap(got)) != fmt.Sprint(want) {
					t.Errorf("seed %d, %+v:\ngot  %s %v\nwant %s %v", seed, d, got.Path, filesAsMap(got), path, want)
				}
			}
		}
	}
}

// cgroupOf is the cgroup of a pod as a whole.
func cgroupOf(all []kubelet.Cgroup, pod string) kubelet.Cgroup {
	for _, c := range all {
		if c.Pod == pod && c.Container == "" {
			return c
		}
	}
	return kubelet.Cgroup{}
}

func filesAsMap(c kubelet.Cgroup) map[string]string {
	files := map[string]string{}
	for _, f := range c.Files {
		files[f.Name] = f.Value
	}
	return files
}

// filesOf are the files of what the kubelet configures.
func filesOf(config *cm.ResourceConfig, v1 bool) map[string]string {
	files := map[string]string{}
	if v1 {
		files["cpu.shares"] = strconv.FormatUint(*config.CPUShares, 10)
	} else {
		files["cpu.weight"] = strconv.FormatUint(1+(*config.CPUShares-2)*9999/262142, 10)
		maps.Copy(files, config.Unified)
	}
	if config.CPUQuota != nil {
		if v1 {
			files["cpu.cfs_quota_us"], files["cpu.cfs_period_us"] = strconv.FormatInt(*config.CPUQuota, 10), strconv.FormatUint(*config.CPUPeriod, 10)
		} else {
			files["cpu.max"] = fmt.Sprintf("%d %d", *config.CPUQuota, *config.CPUPeriod)
		}
	}
	if config.Memory != nil {
		name := "memory.max"
		if v1 {
			name = "memory.limit_in_bytes"
		}
		files[name] = strconv.FormatInt(*config.Memory, 10)
	}
	for size, limit := range config.HugePageLimit {
		name := fmt.Sprintf("hugetlb.%dMB.max", size>>20)
		if v1 {
			name = fmt.Sprintf("hugetlb.%dMB.limit_in_bytes", size>>20)
		}
		files[name] = strconv.FormatInt(limit, 10)
	}
	return files
}
