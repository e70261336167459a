package kubelet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kubeletconfig "k8s.io/kubelet/config/v1beta1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Config is what the kubelet of a node is configured to do with pods, by its endpoint configz.
type Config struct {
	EvictionHard []string `json:"evictionHard"` // thresholds: "memory.available<500Mi"
	EvictionSoft []string `json:"evictionSoft"` // with their grace periods: "memory.available<1Gi for 1m30s"
	CgroupDriver string   `json:"cgroupDriver"` // systemd or cgroupfs; "" is not said
	// PodPidsLimit is how many processes a pod may have; -1 is no limit.
	PodPidsLimit            int64    `json:"podPidsLimit"`
	CPUManagerPolicy        string   `json:"cpuManagerPolicy"`
	MemoryManagerPolicy     string   `json:"memoryManagerPolicy"`
	TopologyManagerPolicy   string   `json:"topologyManagerPolicy"`
	TopologyManagerScope    string   `json:"topologyManagerScope"`
	MemoryReservationPolicy string   `json:"memoryReservationPolicy"` // None or TieredReservation
	MemoryThrottlingFactor  *float64 `json:"memoryThrottlingFactor"`  // of memory.high; null: it is not set

	MemoryHard string `json:"-"` // the hard threshold of memory.available; "" is none

	NoQuota bool            `json:"-"` // cpuCFSQuota is off
	Period  time.Duration   `json:"-"` // cpuCFSQuotaPeriod
	Gates   map[string]bool `json:"-"` // feature gates that are set
}

// The policies of the kubelet's managers that do something.
const (
	staticPolicy       = "static" // of the CPU manager
	staticMemoryPolicy = "Static" // of the memory manager
	noPolicy           = "none"
)

// configField is the field of configz with the configuration.
const configField = "kubeletconfig"

// signals is the order in which thresholds are told; others come after them.
var signals = []string{memoryAvailable, "nodefs.available", "nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree", "pid.available"}

// ParseConfig reads what configz of a kubelet answers: an object with the field kubeletconfig.
func ParseConfig(answer []byte) (*Config, error) {
	var of map[string]*kubeletconfig.KubeletConfiguration
	if err := json.Unmarshal(answer, &of); err != nil {
		return nil, fmt.Errorf("read configz: %w", err)
	}
	c := of[configField]
	if c == nil {
		return nil, fmt.Errorf("read configz: the answer has no %s", configField)
	}
	made := &Config{
		EvictionHard: thresholds(c.EvictionHard, nil), EvictionSoft: thresholds(c.EvictionSoft, c.EvictionSoftGracePeriod),
		CgroupDriver: c.CgroupDriver, PodPidsLimit: -1,
		CPUManagerPolicy: cmp.Or(c.CPUManagerPolicy, noPolicy), MemoryManagerPolicy: cmp.Or(c.MemoryManagerPolicy, "None"),
		TopologyManagerPolicy: cmp.Or(c.TopologyManagerPolicy, noPolicy), TopologyManagerScope: cmp.Or(c.TopologyManagerScope, "container"),
		MemoryReservationPolicy: cmp.Or(string(c.MemoryReservationPolicy), string(kubeletconfig.NoneMemoryReservationPolicy)),
		MemoryThrottlingFactor:  c.MemoryThrottlingFactor,
	}
	if hard := c.EvictionHard[memoryAvailable]; !isOff(memoryAvailable, hard) {
		made.MemoryHard = hard
	}
	made.NoQuota, made.Gates = c.CPUCFSQuota != nil && !*c.CPUCFSQuota, c.FeatureGates
	if c.CPUCFSQuotaPeriod != nil {
		made.Period = c.CPUCFSQuotaPeriod.Duration
	}
	if c.PodPidsLimit != nil {
		made.PodPidsLimit = *c.PodPidsLimit
	}
	return made, nil
}

// memoryAvailable is the signal of free memory.
const memoryAvailable = "memory.available"

// isOff reports whether a threshold is none, as parseThresholdStatement has it.
func isOff(_, threshold string) bool { return threshold == "0%" || threshold == "100%" }

// thresholds words them in the order of signals.
func thresholds(of, grace map[string]string) []string {
	place := func(signal string) int {
		if at := slices.Index(signals, signal); at >= 0 {
			return at
		}
		return len(signals)
	}
	told := []string{}
	of = maps.Clone(of)
	maps.DeleteFunc(of, isOff)
	for _, signal := range slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) }) {
		words := signal + "<" + of[signal]
		if period := grace[signal]; period != "" {
			words += " for " + period
		}
		told = append(told, words)
	}
	return told
}

// Driver is how the node's cgroups are made by the configuration; nil: by the defaults.
func (c *Config) Driver() Driver {
	if c == nil {
		return Driver{}
	}
	return Driver{
		Configured: true, Cgroupfs: c.CgroupDriver == "cgroupfs", CPUManager: c.CPUManagerPolicy, PodPidsLimit: max(c.PodPidsLimit, 0),
		MemoryQoS:  c.MemoryReservationPolicy == string(kubeletconfig.TieredReservationMemoryReservationPolicy),
		Throttling: c.MemoryThrottlingFactor, NoQuota: c.NoQuota, Period: c.Period, Gates: c.Gates,
		Eviction: c.MemoryHard,
	}
}

// PinsCPUs says whether the CPU manager gives containers CPUs of their own; known is false where
// the configuration is nil.
func (c *Config) PinsCPUs() (pins, known bool) {
	return c != nil && c.CPUManagerPolicy == staticPolicy, c != nil
}

// PinnedCPUs is how many CPUs the CPU manager pins to a pod to which its policy static would pin so many; nil where
// the configuration is nil and that matters.
func (c *Config) PinnedCPUs(static int64) *int64 {
	switch pins, known := c.PinsCPUs(); {
	case static == 0, pins:
		return &static
	case known:
		return new(int64)
	}
	return nil
}

// Aligned are the resources of a pod for which the topology manager asks on which NUMA nodes they
// are, by container: "app: 4 CPUs, nvidia.com/gpu 1". nil: nothing is aligned. Without a
// configuration (nil) it is what a policy other than none would align, with the CPU manager's
// policy static.
func (c *Config) Aligned(pod *corev1.Pod) []string {
	if c != nil && c.TopologyManagerPolicy == noPolicy {
		return nil
	}
	pins, known := c.PinsCPUs()
	var told []string
	for _, container := range lasting(pod) {
		var parts []string
		if cpus := exclusiveCPUs(pod, container); cpus > 0 && (pins || !known) {
			parts = append(parts, fmt.Sprintf("%d CPUs", cpus))
		}
		if known && c.MemoryManagerPolicy == staticMemoryPolicy && model.NewPod(pod).QOS == corev1.PodQOSGuaranteed {
			parts = append(parts, memoryParts(container.Resources.Requests)...)
		}
		for _, name := range slices.Sorted(maps.Keys(container.Resources.Limits)) {
			if amount := container.Resources.Limits[name]; isDevice(name) && !amount.IsZero() {
				parts = append(parts, string(name)+" "+amount.String())
			}
		}
		if len(parts) > 0 {
			told = append(told, container.Name+": "+strings.Join(parts, ", "))
		}
	}
	return told
}

// memoryParts are the memory and huge pages of a container, which the static memory manager aligns.
func memoryParts(requests corev1.ResourceList) []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		amount := requests[name]
		if isMemory := name == corev1.ResourceMemory || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix); isMemory && !amount.IsZero() {
			parts = append(parts, string(name)+" "+amount.String())
		}
	}
	return parts
}

// isDevice reports whether a resource is an extended one, which device plugins serve
// (IsExtendedResourceName in k8s.io/kubernetes/pkg/apis/core/v1/helper).
func isDevice(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}
