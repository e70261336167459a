package kubelet

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// configured is what configz answers of a kubelet with a reserved node for latency.
const configured = `{"kubeletconfig":{"cgroupDriver":"systemd","podPidsLimit":4096,"cpuManagerPolicy":"static","memoryManagerPolicy":"Static",
"topologyManagerPolicy":"single-numa-node","topologyManagerScope":"pod","memoryReservationPolicy":"TieredReservation","memoryThrottlingFactor":0.8,
"evictionHard":{"pid.available":"5%","nodefs.available":"10%","imagefs.available":"0%","memory.available":"500Mi"},"evictionSoft":{"memory.available":"1Gi"},"evictionSoftGracePeriod":{"memory.available":"1m30s"}}}`

func parsed(t *testing.T, answer string) *Config {
	t.Helper()
	c, err := ParseConfig([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheConfigurationOfAKubelet(t *testing.T) {
	factor := 0.8
	want := &Config{
		EvictionHard: []string{"memory.available<500Mi", "nodefs.available<10%", "pid.available<5%"}, EvictionSoft: []string{"memory.available<1Gi for 1m30s"},
		CgroupDriver: "systemd", PodPidsLimit: 4096, CPUManagerPolicy: "static", MemoryManagerPolicy: "Static",
		TopologyManagerPolicy: "single-numa-node", TopologyManagerScope: "pod", MemoryReservationPolicy: "TieredReservation", MemoryThrottlingFactor: &factor, MemoryHard: "500Mi",
	}
	if diff := cmp.Diff(want, parsed(t, configured)); diff != "" {
		t.Error(diff)
	}
	least := &Config{
		EvictionHard: []string{}, EvictionSoft: []string{}, PodPidsLimit: -1, CPUManagerPolicy: "none", MemoryManagerPolicy: "None",
		TopologyManagerPolicy: "none", TopologyManagerScope: "container", MemoryReservationPolicy: "None",
	}
	if diff := cmp.Diff(least, parsed(t, `{"kubeletconfig":{}}`)); diff != "" {
		t.Error(diff)
	}
	for _, answer := range []string{`{}`, `no JSON`, `{"kubeletconfig":{"podPidsLimit":"many"}}`} {
		if c, err := ParseConfig([]byte(answer)); err == nil || !strings.HasPrefix(err.Error(), "read configz: ") {
			t.Errorf("%s: %v, %v", answer, c, err)
		}
	}
}

// TestWhatIsAligned by the policies: CPUs that are pinned, memory of Guaranteed pods, devices.
func TestWhatIsAligned(t *testing.T) {
	of := func(change func(*Config)) *Config {
		c := parsed(t, configured)
		change(c)
		return c
	}
	amounts := modeltest.Quantities("cpu", "4", "memory", "8Gi", "nvidia.com/gpu", "2", "hugepages-2Mi", "64Mi")
	whole := modeltest.NewPod("ml/train", "n", "4", "8Gi", 0, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: amounts, Limits: amounts}
	})
	part := modeltest.NewPod("ml/serve", "n", "500m", "1Gi", 0, nil)
	for name, test := range map[string]struct {
		config *Config
		pod    *corev1.Pod
		want   string
	}{
		"all":                  {of(func(*Config) {}), whole, "app: 4 CPUs, hugepages-2Mi 64Mi, memory 8Gi, nvidia.com/gpu 2"},
		"CPUs are not pinned":  {of(func(c *Config) { c.CPUManagerPolicy = "none" }), whole, "app: hugepages-2Mi 64Mi, memory 8Gi, nvidia.com/gpu 2"},
		"memory is not":        {of(func(c *Config) { c.MemoryManagerPolicy = "None" }), whole, "app: 4 CPUs, nvidia.com/gpu 2"},
		"no policy":            {of(func(c *Config) { c.TopologyManagerPolicy = "none" }), whole, ""},
		"not known":            {nil, whole, "app: 4 CPUs, nvidia.com/gpu 2"},
		"not Guaranteed":       {of(func(*Config) {}), part, ""},
		"not Guaranteed, open": {nil, part, ""},
	} {
		if got := strings.Join(test.config.Aligned(test.pod), "; "); got != test.want {
			t.Errorf("%s: %q, not %q", name, got, test.want)
		}
	}
}

// TestCgroupsByTheConfiguration have the files that its kubelet sets: no quota of pinned CPUs, a limit of
// processes, memory.high by its factor.
func TestCgroupsByTheConfiguration(t *testing.T) {
	b := model.NewBuilder()
	b.Node(nil, modeltest.NewNode("n", "z", "8", "32Gi"))
	amounts := modeltest.Quantities("cpu", "4", "memory", "8Gi")
	b.Pod(nil, modeltest.NewPod("ml/train", "n", "4", "8Gi", 0, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: amounts, Limits: amounts}
	}))
	b.Pod(nil, modeltest.NewPod("ml/serve", "n", "500m", "1000Mi", 0, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Limits = modeltest.Quantities("memory", "2000Mi")
	}))
	node, _ := b.Build(1, model.Status{}, nil).Node("n")
	filesOf := func(d Driver, pod, container string) string {
		for _, c := range d.Cgroups(node) {
			if c.Pod == pod && c.Container == container {
				var files []string
				for _, f := range c.Files {
					files = append(files, f.Name+" "+f.Value)
				}
				return strings.Join(files, ", ")
			}
		}
		return "none"
	}
	own := parsed(t, configured)
	for _, test := range []struct {
		driver         Driver
		pod, container string
		want           string
	}{
		{own.Driver(), "train", "", "cpu.weight 157, memory.max 8589934592, memory.min 8589934592, pids.max 4096"},
		{(*Config)(nil).Driver(), "train", "", "cpu.weight 157, cpu.max 400000 100000, memory.max 8589934592"},
		{own.Driver(), "serve", "app", "cpu.weight 20, memory.max 2097152000, memory.low 1048576000, memory.high 1887436800"},
		{parsed(t, `{"kubeletconfig":{"cpuManagerPolicy":"none"}}`).Driver(), "train", "app", "cpu.weight 157, cpu.max 400000 100000, memory.max 8589934592"},
		{parsed(t, `{"kubeletconfig":{"cpuManagerPolicy":"static","featureGates":{"DisableCPUQuotaWithExclusiveCPUs":false},"cpuCFSQuotaPeriod":"50ms"}}`).Driver(), "train", "app", "cpu.weight 157, cpu.max 200000 50000, memory.max 8589934592"},
		{parsed(t, `{"kubeletconfig":{"cpuCFSQuota":false}}`).Driver(), "train", "app", "cpu.weight 157, memory.max 8589934592"},
		{parsed(t, `{"kubeletconfig":{"memoryThrottlingFactor":0.8}}`).Driver(), "serve", "app", "cpu.weight 20, memory.max 2097152000, memory.high 1887436800"},
		{parsed(t, `{"kubeletconfig":{"memoryThrottlingFactor":0.8,"featureGates":{"MemoryQoS":false}}}`).Driver(), "serve", "app", "cpu.weight 20, memory.max 2097152000"},
	} {
		if got := filesOf(test.driver, test.pod, test.container); got != test.want {
			t.Errorf("%s %s: %q, not %q", test.pod, test.container, got, test.want)
		}
	}
	if all := parsed(t, `{"kubeletconfig":{"cgroupDriver":"cgroupfs"}}`).Driver().Cgroups(node); all[0].Path != "/kubepods" {
		t.Errorf("%s is not of cgroupfs", all[0].Path)
	}
}

// TestAResizeThatIsNotGrantedDecidesNothing about cgroups and evictions: the kubelet works with what it
// has granted.
func TestAResizeThatIsNotGrantedDecidesNothing(t *testing.T) {
	b := model.NewBuilder()
	b.Node(nil, modeltest.NewNode("n", "z", "8", "32Gi"))
	b.Pod(nil, modeltest.NewPod("ml/serve", "n", "4", "8Gi", 0, func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", AllocatedResources: modeltest.Quantities("cpu", "1", "memory", "1Gi")}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred}}
	}))
	node, _ := b.Build(1, model.Status{}, nil).Node("n")
	if e := Evictions(node, nil)[0]; e.Requests["memory"] != "1Gi" || e.Request() != 1<<30 || e.Pod.Object != node.Pods[0].Object {
		t.Errorf("%v", e.Requests)
	}
	for _, c := range (Driver{}).Cgroups(node) { // the level is by the spec
		if c.Container == "app" && c.Files[0].From != "requests.cpu 1" || strings.HasSuffix(c.Path, "burstable.slice") && c.Files[0].From != "requests.cpu 4 of Burstable pods" {
			t.Errorf("%+v", c)
		}
	}
}

// TestCPUsArePinnedByThePolicyStaticOnly: without the configuration it is not known of a pod to which that policy would
// pin some.
func TestCPUsArePinnedByThePolicyStaticOnly(t *testing.T) {
	for name, test := range map[string]struct {
		config *Config
		static int64
		want   *int64
	}{
		"static":               {&Config{CPUManagerPolicy: "static"}, 4, new(int64(4))},
		"none":                 {&Config{CPUManagerPolicy: "none"}, 4, new(int64(0))},
		"not read":             {nil, 4, nil},
		"not read, none could": {nil, 0, new(int64(0))},
	} {
		if diff := cmp.Diff(test.want, test.config.PinnedCPUs(test.static)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestAResizeKeepsTheClassOfAPod whatever of it the kubelet has carried out.
func TestAResizeKeepsTheClassOfAPod(t *testing.T) {
	b := model.NewBuilder()
	b.Node(nil, modeltest.NewNode("n", "z", "8", "32Gi"))
	three := modeltest.Quantities("cpu", "3", "memory", "1Gi")
	b.Pod(nil, modeltest.NewPod("ml/serve", "n", "3", "1Gi", 0, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: three, Limits: three}
		two := modeltest.Quantities("cpu", "2", "memory", "1Gi")
		p.Status.QOSClass, p.Status.Phase = corev1.PodQOSGuaranteed, corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", AllocatedResources: three, Resources: &corev1.ResourceRequirements{Requests: two, Limits: two}}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizeInProgress, Status: corev1.ConditionTrue}}
	}))
	node, _ := b.Build(1, model.Status{}, nil).Node("n")
	if e := Evictions(node, nil)[0]; !strings.HasPrefix(e.WhyClass, "Guaranteed: ") || e.Pinned != 3 {
		t.Errorf("%s %d", e.WhyClass, e.Pinned)
	}
	for _, c := range (Driver{}).Cgroups(node) {
		if c.Pod != "" && strings.Contains(c.Path, "burstable") {
			t.Error(c.Path)
		}
	}
}
