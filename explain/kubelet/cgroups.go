package kubelet

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Cgroup is one cgroup of a node's pods.
type Cgroup struct {
	// Path is below the root of cgroups: below /sys/fs/cgroup, with cgroup v1 below the
	// directory of each controller.
	Path      string `json:"path"`
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`       // "" for the levels above pods
	Container string `json:"container"` // "" for a pod's own, and above
	Files     []File `json:"files"`     // those that are set
}

// File is a file of a cgroup that the kubelet or the container runtime sets.
type File struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Newer is the value where the container runtime uses runc from 1.3.2 or crun from
	// 1.23; "" where it is the same.
	Newer string `json:"newerValue"`
	From  string `json:"from"` // what decides the value: "requests.cpu 500m"
}

// Driver is how cgroups of a node are named and made.
type Driver struct {
	Cgroupfs  bool // the driver cgroupfs; systemd otherwise
	V1        bool // cgroup v1; v2 otherwise
	MemoryQoS bool // memoryReservationPolicy TieredReservation
	// Throttling is memoryThrottlingFactor; nil: 0.9, the example of KEP-2570, unless Configured.
	Throttling *float64
	// Configured says that the fields are those of the node's kubelet: CPUManager and Throttling are known.
	Configured   bool
	CPUManager   string          // the CPU manager's policy
	PodPidsLimit int64           // of each pod; 0 is none, or not known
	NoQuota      bool            // cpuCFSQuota is off
	Period       time.Duration   // cpuCFSQuotaPeriod; 0: 100 ms
	Eviction     string          // the hard threshold of memory.available: "1Gi", "5%"; "" is none, unless not Configured
	Gates        map[string]bool // feature gates that are set

	version string              // of the node's kubelet
	pages   corev1.ResourceList // the huge pages of the node, by size; nil without any
	// ContainerID is the ID of a container of a pod; "" is not known.
	ContainerID func(pod *corev1.Pod, container string) string
}

// UnknownID stands for the ID of a container in a path.
const UnknownID = "<container ID>"

// root is the cgroup of all pods.
const root = "kubepods"

// Cgroups are the cgroups of the pods of a node, each above those in it: that of all pods,
// Guaranteed pods with their containers, the levels of the other QoS classes with theirs.
func (d Driver) Cgroups(node *model.Node) []Cgroup {
	d.version = node.Object.Status.NodeInfo.KubeletVersion
	d.pages = pagesOf(node.Object)
	own := granted(node) // the levels are by what the specs request (qos_container_manager_linux.go)
	levels := map[corev1.PodQOSClass][]string{corev1.PodQOSGuaranteed: {root}, corev1.PodQOSBurstable: {root, "burstable"}, corev1.PodQOSBestEffort: {root, "besteffort"}}
	all := []Cgroup{{Path: d.path(root), Files: d.rootFiles(node)}}
	for _, class := range []corev1.PodQOSClass{corev1.PodQOSGuaranteed, corev1.PodQOSBurstable, corev1.PodQOSBestEffort} {
		level := levels[class]
		if class != corev1.PodQOSGuaranteed {
			all = append(all, Cgroup{Path: d.path(level...), Files: d.levelFiles(class, node)})
		}
		for _, pod := range own.Pods {
			if pod.QOS == class {
				all = append(all, d.podCgroups(node, pod, level)...)
			}
		}
	}
	for i := range all {
		if all[i].Files == nil {
			all[i].Files = []File{}
		}
	}
	return all
}

// granted is a node whose pods have the requests that the kubelet has granted.
func granted(node *model.Node) *model.Node {
	isResized := func(pod *model.Pod) bool { return model.ResizeOf(pod.Object).State != "" }
	if !slices.ContainsFunc(node.Pods, isResized) {
		return node
	}
	made := *node
	made.Pods = slices.Clone(node.Pods)
	for i, pod := range made.Pods {
		if isResized(pod) {
			made.Pods[i] = model.NewPod(model.Granted(pod.Object))
		}
	}
	return &made
}

// hasGate reports whether a feature gate is on, which is by default from a release on. A kubelet of
// unknown version is taken for a new one.
func (d Driver) hasGate(name, since string) bool {
	if set, ok := d.Gates[name]; ok {
		return set
	}
	if set, ok := d.Gates["AllBeta"]; ok && !set {
		return false
	}
	of, err := version.ParseGeneric(d.version)
	return err != nil || of.AtLeast(version.MustParseGeneric(since))
}

// podCgroups are those of a pod, which is in a level.
func (d Driver) podCgroups(node *model.Node, pod *model.Pod, level []string) []Cgroup {
	own := d.path(slices.Concat(level, []string{"pod" + uidOf(pod.Object)})...)
	all := []Cgroup{{Path: own, Namespace: pod.Object.Namespace, Pod: pod.Object.Name, Files: d.podFiles(pod)}}
	for _, c := range lasting(pod.Object) {
		all = append(all, Cgroup{
			Path: path.Join(own, d.scope(node, pod.Object, c.Name)), Namespace: pod.Object.Namespace, Pod: pod.Object.Name, Container: c.Name,
			Files: d.containerFiles(node, pod, c),
		})
	}
	return all
}

// uidOf is the UID by which the kubelet knows a pod: of a static pod the hash of its file,
// which its mirror pod bears.
func uidOf(pod *corev1.Pod) string {
	if hash := pod.Annotations[corev1.MirrorPodAnnotationKey]; hash != "" {
		return hash
	}
	return string(pod.UID)
}

// path is that of a cgroup of some names (CgroupName.ToSystemd and ToCgroupfs in
// pkg/kubelet/cm/cgroup_manager_linux.go): with systemd each slice bears the names of those
// above it.
func (d Driver) path(names ...string) string {
	if d.Cgroupfs {
		return "/" + path.Join(names...)
	}
	slices, whole := "/", ""
	for _, name := range names {
		whole += "-" + strings.ReplaceAll(name, "-", "_")
		slices = path.Join(slices, whole[1:]+".slice")
	}
	return slices
}

// scope is the last part of a container's path, as containerd, CRI-O and Docker name it.
func (d Driver) scope(node *model.Node, pod *corev1.Pod, container string) string {
	id := ""
	if d.ContainerID != nil {
		id = d.ContainerID(pod, container)
	}
	if id == "" {
		id = UnknownID
	}
	prefix := "cri-containerd-"
	switch runtime, _, _ := strings.Cut(node.Object.Status.NodeInfo.ContainerRuntimeVersion, "://"); runtime {
	case "cri-o":
		prefix = "crio-"
	case "docker":
		prefix = "docker-"
	}
	switch {
	case !d.Cgroupfs:
		return prefix + id + ".scope"
	case prefix == "crio-":
		return prefix + id // the others name it by the ID alone
	}
	return id
}

// defaultEviction is the default hard threshold of memory.
const defaultEviction = "100Mi"

// evictionBytes is the memory that the hard threshold keeps free, which is taken from what is
// allocatable and is not enforced by a cgroup (GetThresholdQuantity in pkg/kubelet/eviction/api).
func (d Driver) evictionBytes(capacity int64) (bytes int64, threshold string) {
	threshold = d.Eviction
	if !d.Configured {
		threshold = defaultEviction
	}
	if percent, ok := strings.CutSuffix(threshold, "%"); ok {
		of, err := strconv.ParseFloat(percent, 32)
		if err != nil {
			return 0, ""
		}
		return int64(float64(capacity) * float64(float32(of)/100)), threshold
	}
	amount, err := resource.ParseQuantity(threshold)
	if err != nil {
		return 0, ""
	}
	return amount.Value(), threshold
}

// podsMemory is what all pods of a node may use together, and what that is the sum of: huge pages
// are taken from what is allocatable (MachineInfo in pkg/kubelet/nodestatus), and are part of the limit.
func (d Driver) podsMemory(node *corev1.Node) (bytes int64, from string) {
	allocatable := node.Status.Allocatable.Memory()
	bytes, from = allocatable.Value(), "allocatable "+allocatable.String()
	var pages resource.Quantity
	for _, amount := range d.pages {
		pages.Add(amount)
	}
	if !pages.IsZero() {
		bytes, from = bytes+pages.Value(), from+" + "+pages.String()+" of huge pages"
	}
	if evicted, threshold := d.evictionBytes(node.Status.Capacity.Memory().Value()); threshold != "" {
		bytes, from = bytes+evicted, from+" + "+threshold+" for eviction"
	}
	return bytes, from
}

// rootFiles are set on the cgroup of all pods, by what is allocatable
// (getCgroupConfigInternal in pkg/kubelet/cm/node_container_manager_linux.go).
func (d Driver) rootFiles(node *model.Node) []File {
	allocatable := node.Object.Status.Allocatable
	var files []File
	if cpu := allocatable.Cpu(); !cpu.IsZero() {
		files = append(files, d.weight(Shares(cpu.MilliValue()), "allocatable cpu "+model.FormatCPU(cpu.MilliValue(), model.Nearest)))
	}
	if memory := allocatable.Memory(); !memory.IsZero() {
		files = append(files, d.memoryMax(d.podsMemory(node.Object)))
	}
	if d.protects() {
		guaranteed, burstable := sumOf(node, corev1.PodQOSGuaranteed, corev1.ResourceMemory), sumOf(node, corev1.PodQOSBurstable, corev1.ResourceMemory)
		files = append(files,
			file("memory.min", guaranteed+burstable, "requests.memory of all pods"),
			file("memory.low", burstable, "requests.memory of Burstable pods"))
	}
	pages := corev1.ResourceList{}
	for name := range d.pages {
		pages[name] = allocatable[name]
	}
	return append(files, d.hugepages(pages, "allocatable")...)
}

// unbounded is what the kubelet sets where huge pages have no limit (setHugePagesUnbounded in
// pkg/kubelet/cm/qos_container_manager_linux.go).
const unbounded = 1 << 62

// levelFiles are set on the level of a QoS class (setCPUCgroupConfig, setMemoryQoS and
// setHugePagesConfig in pkg/kubelet/cm/qos_container_manager_linux.go).
func (d Driver) levelFiles(class corev1.PodQOSClass, node *model.Node) []File {
	var pages []File
	for name := range d.pages {
		pages = append(pages, d.hugepage(name, unbounded, "no limit")...)
	}
	slices.SortFunc(pages, byName)
	if class == corev1.PodQOSBestEffort {
		return append([]File{d.weight(leastShares, "BestEffort")}, pages...)
	}
	cpu := sumOf(node, class, corev1.ResourceCPU)
	files := []File{d.weight(Shares(cpu), fmt.Sprintf("requests.cpu %s of Burstable pods", model.FormatCPU(cpu, model.Nearest)))}
	if d.protects() {
		files = append(files, file("memory.low", sumOf(node, class, corev1.ResourceMemory), "requests.memory of Burstable pods"))
	}
	return append(files, pages...)
}

// sumOf is what the pods of a class request together, in bytes, or of cpu in thousandths.
func sumOf(node *model.Node, class corev1.PodQOSClass, name corev1.ResourceName) (sum int64) {
	for _, pod := range node.Pods {
		if pod.QOS != class {
			continue
		}
		amount := resourcehelper.PodRequests(pod.Object, resourcehelper.PodResourcesOptions{})[name]
		if name == corev1.ResourceCPU {
			sum += amount.MilliValue()
		} else {
			sum += amount.Value()
		}
	}
	return sum
}

// protects reports whether memory requests are protected.
func (d Driver) protects() bool {
	return d.MemoryQoS && !d.V1 && (!d.Configured || d.hasGate(memoryQoSGate, memoryQoSSince))
}

// throttles reports whether memory.high is set, by memoryThrottlingFactor.
func (d Driver) throttles() bool {
	if d.Configured {
		return !d.V1 && d.Throttling != nil && d.hasGate(memoryQoSGate, memoryQoSSince)
	}
	return d.protects()
}

// The feature gates that decide about files, and the releases from which they are on by default.
const (
	memoryQoSGate, memoryQoSSince         = "MemoryQoS", "1.37"
	noPinnedQuotaGate, noPinnedQuotaSince = "DisableCPUQuotaWithExclusiveCPUs", "1.33"
)

// file is a file of one figure.
func file(name string, value int64, from string) File {
	return File{Name: name, Value: fmt.Sprint(value), From: from}
}

// weight is the file of CPU shares as the kubelet sets it.
func (d Driver) weight(shares int64, from string) File {
	if d.V1 {
		return file("cpu.shares", shares, from)
	}
	return file("cpu.weight", Weight(shares), from)
}

// memoryMax is the file of a memory limit.
func (d Driver) memoryMax(bytes int64, from string) File {
	if d.V1 {
		return file("memory.limit_in_bytes", bytes, from)
	}
	return file("memory.max", bytes, from)
}

// quota are the files of a CPU quota in each period.
func (d Driver) quota(quota int64, from string) []File {
	period, of := int64(quotaPeriod), "the default period"
	if d.Period > 0 && d.Period.Microseconds() != period {
		period, of = d.Period.Microseconds(), "cpuCFSQuotaPeriod"
		quota = max(quota*period/quotaPeriod, leastQuota)
	}
	if d.V1 {
		return []File{file("cpu.cfs_quota_us", quota, from), file("cpu.cfs_period_us", period, of)}
	}
	return []File{{Name: "cpu.max", Value: fmt.Sprintf("%d %d", quota, period), From: from}}
}
