package bigfleet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	nodeGroupLabel = "eks.amazonaws.com/nodegroup"
	dedicatedTaint = "dedicated"
	region         = "eu-central-1"
	podsPerNode    = 110
	reservedCPU    = 110 // thousandths of a core that the kubelet keeps
	reservedMiB    = 1200
	cordoned       = 0.015 // the share of nodes
)

// machine is a type of node.
type machine struct {
	name string
	cpu  int64 // cores
	gib  int64
}

var machines = []machine{
	{"m6i.xlarge", 4, 16},
	{"c6i.2xlarge", 8, 16},
	{"m6i.2xlarge", 8, 32},
	{"r6i.2xlarge", 8, 64},
	{"m6i.4xlarge", 16, 64},
	{"c6i.8xlarge", 32, 64},
	{"m6i.8xlarge", 32, 128},
	{"r6i.16xlarge", 64, 512},
}

// pool is nodes that are alike.
type pool struct {
	name    string
	machine machine
	taint   *corev1.Taint
	labels  map[string]string
	weight  float64
}

// place is a node, and what is left on it.
type place struct {
	name     string
	pool     *pool
	zone     string
	milliCPU int64
	mib      int64
	pods     int
	cordoned bool
}

// addNodes draws the pools, then gives each node to one.
func (f *Fleet) addNodes() {
	for i := range f.draw.between(3, 14) {
		p := pool{
			name: fmt.Sprintf("pool-%d", i), machine: pick(f.draw, machines...), weight: 1 / float64(i+1),
			labels: map[string]string{"team": "team-" + f.draw.word(3), "tier": pick(f.draw, "gold", "silver", "bronze")},
		}
		if i > 0 && f.draw.chance(0.3) {
			p.taint = &corev1.Taint{Key: dedicatedTaint, Value: p.name, Effect: corev1.TaintEffectNoSchedule}
		}
		f.pools = append(f.pools, p)
	}
	for i := range f.size.Nodes {
		p := f.drawPool()
		f.hosts[p] = append(f.hosts[p], i)
		f.nodes = append(f.nodes, place{
			name: fmt.Sprintf("ip-10-%d-%d-%d.%s.compute.internal", i/65000, i/250%256, i%250, region), pool: p,
			zone:     fmt.Sprintf("%s%c", region, 'a'+f.draw.IntN(f.shape.zones)),
			milliCPU: 1000*p.machine.cpu - reservedCPU, mib: 1024*p.machine.gib - reservedMiB, pods: podsPerNode,
			cordoned: f.draw.chance(cordoned),
		})
	}
}

// drawPool draws a pool by its weight: the first is the largest.
func (f *Fleet) drawPool() *pool {
	var sum float64
	for i := range f.pools {
		sum += f.pools[i].weight
	}
	at := f.draw.Float64() * sum
	for i := range f.pools {
		at -= f.pools[i].weight
		if at <= 0 {
			return &f.pools[i]
		}
	}
	return &f.pools[0]
}

// writeNodes writes nodes and their CSINodes.
func (f *Fleet) writeNodes(ctx context.Context, w *writer) error {
	for i := range f.nodes {
		n := f.node(&f.nodes[i])
		err := w.put(ctx, "/registry/minions/"+n.Name, n)
		if err != nil {
			return err
		}
		csi := &storagev1.CSINode{
			TypeMeta:   metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSINode"},
			ObjectMeta: metav1.ObjectMeta{Name: n.Name, UID: f.draw.uid(), CreationTimestamp: n.CreationTimestamp},
			Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
				Name: "ebs.csi.aws.com", NodeID: "i-0" + f.draw.word(16), TopologyKeys: []string{corev1.LabelTopologyZone},
				Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(25))},
			}}},
		}
		err = w.put(ctx, "/registry/csinodes/"+n.Name, csi)
		if err != nil {
			return err
		}
	}
	return w.flush(ctx)
}

// node is a node as its kubelet tells of it.
func (f *Fleet) node(at *place) *corev1.Node {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewQuantity(at.pool.machine.cpu, resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(at.pool.machine.gib<<30, resource.BinarySI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(200<<30, resource.BinarySI),
		corev1.ResourcePods:             *resource.NewQuantity(podsPerNode, resource.DecimalSI),
	}
	allocatable := capacity.DeepCopy()
	allocatable[corev1.ResourceCPU] = *resource.NewMilliQuantity(1000*at.pool.machine.cpu-reservedCPU, resource.DecimalSI)
	allocatable[corev1.ResourceMemory] = *resource.NewQuantity((1024*at.pool.machine.gib-reservedMiB)<<20, resource.BinarySI)
	address := fmt.Sprintf("10.%d.%d.%d", f.draw.IntN(256), f.draw.IntN(256), f.draw.IntN(256))
	n := &corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{
			Name: at.name, UID: f.draw.uid(), CreationTimestamp: f.draw.age(), Labels: f.nodeLabels(at),
			Annotations: map[string]string{
				"csi.volume.kubernetes.io/nodeid":                        `{"ebs.csi.aws.com":"i-0` + f.draw.word(16) + `"}`,
				"node.alpha.kubernetes.io/ttl":                           "0",
				"volumes.kubernetes.io/controller-managed-attach-detach": "true",
			},
		},
		Spec: corev1.NodeSpec{ProviderID: "aws:///" + at.zone + "/i-0" + f.draw.word(16), PodCIDR: "10.1.0.0/24", PodCIDRs: []string{"10.1.0.0/24"}},
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: allocatable, Conditions: nodeConditions(f.draw), Images: f.images(),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: address},
				{Type: corev1.NodeHostName, Address: at.name},
				{Type: corev1.NodeInternalDNS, Address: at.name},
			},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: "v1.37.1", OperatingSystem: "linux", Architecture: "amd64", MachineID: f.draw.word(32), BootID: f.draw.word(36),
				SystemUUID: f.draw.word(36), KernelVersion: "6.12.40-64.114.amzn2023.x86_64", OSImage: "Amazon Linux 2023.8", ContainerRuntimeVersion: "containerd://2.1.4",
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
		},
	}
	if at.pool.taint != nil {
		n.Spec.Taints = append(n.Spec.Taints, *at.pool.taint)
	}
	if at.cordoned {
		n.Spec.Unschedulable = true
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: new(f.draw.age())})
	}
	n.ManagedFields = managed("kubelet", "status", n.CreationTimestamp, map[string]any{"f:status": fieldsOf(n.Status)})
	return n
}

// nodeLabels are those of the cloud and of the pool.
func (f *Fleet) nodeLabels(at *place) map[string]string {
	labels := map[string]string{
		corev1.LabelHostname: at.name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
		corev1.LabelTopologyZone: at.zone, corev1.LabelTopologyRegion: region,
		corev1.LabelInstanceTypeStable: at.pool.machine.name, nodeGroupLabel: at.pool.name,
		"rack": fmt.Sprintf("rack-%d", f.draw.IntN(1+f.size.Nodes/20)),
	}
	maps.Copy(labels, at.pool.labels)
	return labels
}

// nodeConditions are those of a node that is fine.
func nodeConditions(d dice) []corev1.NodeCondition {
	var list []corev1.NodeCondition
	for _, c := range []struct {
		of      corev1.NodeConditionType
		status  corev1.ConditionStatus
		reason  string
		message string
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"},
	} {
		list = append(list, corev1.NodeCondition{
			Type: c.of, Status: c.status, Reason: c.reason, Message: c.message,
			LastHeartbeatTime: metav1.Now(), LastTransitionTime: d.age(),
		})
	}
	return list
}

// images are those that a node has pulled.
func (f *Fleet) images() []corev1.ContainerImage {
	var list []corev1.ContainerImage
	for _, image := range f.draw.Perm(f.shape.images)[:min(f.shape.perNode, f.shape.images)] {
		list = append(list, corev1.ContainerImage{
			Names:     []string{imageName(image) + "@" + imageDigest(image), imageName(image) + ":" + imageTag(image)},
			SizeBytes: int64(8+image*37%900) << 20,
		})
	}
	return list
}

func imageName(i int) string {
	return fmt.Sprintf("0123456789%02d.dkr.ecr.eu-central-1.amazonaws.com/team-%d/service-%d", i%7, i%23, i)
}

func imageTag(i int) string { return fmt.Sprintf("v%d.%d.%d", i%5, i%13, i%29) }

func imageDigest(i int) string { return fmt.Sprintf("sha256:%064x", uint64(i+1)*0x9e3779b97f4a7c15) }

// managed is an entry of the managed fields, which take a third of an object.
func managed(manager, subresource string, at metav1.Time, fields map[string]any) []metav1.ManagedFieldsEntry {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // maps of strings
	}
	return []metav1.ManagedFieldsEntry{{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(text)), Subresource: subresource,
	}}
}

// fieldsOf names the fields of a value as managed fields do, deep enough for
// their size.
func fieldsOf(value any) map[string]any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // an API type
	}
	var fields map[string]any
	if json.Unmarshal(text, &fields) != nil {
		return map[string]any{}
	}
	return named(fields)
}

// named puts "f:" before each key. A list is one field, unless its items have a type.
func named(fields map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range fields {
		within := map[string]any{}
		switch v := value.(type) {
		case map[string]any:
			within = named(v)
		case []any:
			for _, item := range v {
				if m, ok := item.(map[string]any); ok && m["type"] != nil {
					entry := named(m)
					entry["."] = map[string]any{}
					within[fmt.Sprintf(`k:{"type":%q}`, m["type"])] = entry
				}
			}
		}
		out["f:"+key] = within
	}
	return out
}
