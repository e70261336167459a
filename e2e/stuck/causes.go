package stuck

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// cause is one way to find no node.
type cause struct {
	name   string
	owners []owner // whose pods it keeps waiting
	make   func(*Cluster)
}

// causes are all of them, neighbours being different.
var causes = []cause{
	{"tainted", anyNode, tainted},
	{"short of cpu", everyOwner, shortOfCPU},
	{"cordoned", anyNode, cordoned},
	{"wrong selector", anyNode, wrongSelector},
	{"host port taken", everyOwner, portTaken},
	{"gated", everyOwner, gated},
	{"wrong node affinity", anyNode, wrongAffinity},
	{"short of memory", everyOwner, shortOfMemory},
	{"spread", anyNode, spread},
	{"anti-affinity", everyOwner, antiAffinity},
	{"tainted and short of cpu", anyNode, func(c *Cluster) { tainted(c); shortOfCPU(c) }},
	{"kept away by others", everyOwner, keptAway},
	{"larger than any node", everyOwner, larger},
	{"no friend", anyNode, noFriend},
	{"no room for another pod", everyOwner, noPods},
	{"short of devices", everyOwner, shortOfDevices},
	{"fragmented", everyOwner, fragmented},
	{"selector and cordon", anyNode, selectorAndCordon},
	{"label missing", anyNode, labelMissing},
	{"each node for its own cause", anyNode, mixed},
	{"one replica too many for the cpu", scaled, oneTooMany},
	{"each node for its own cause", anyNode, mixed},
	{"one replica too many for the ports", scaled, oneTooManyForPorts},
	{"one replica too many for the spread", scaled, oneTooManyForSpread},
	{"each node for its own cause", anyNode, mixed},
}

// want sets what the first container requests, and its limit if it has one.
func (c *Cluster) want(name corev1.ResourceName, amount string) {
	of := &c.template.Spec.Containers[0].Resources
	of.Requests[name] = amounts(string(name), amount)[name]
	if _, limited := of.Limits[name]; limited {
		of.Limits[name] = of.Requests[name]
	}
}

func tainted(c *Cluster) {
	taint := corev1.Taint{Key: pick(c, "dedicated", "example.com/pool"), Value: pick(c, "gpu", "batch", ""), Effect: pick(c, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)}
	for _, node := range c.Nodes {
		node.Spec.Taints = append(node.Spec.Taints, taint)
	}
}

func cordoned(c *Cluster) {
	for _, node := range c.Nodes {
		node.Spec.Unschedulable = true
	}
}

func shortOfCPU(c *Cluster) {
	for _, node := range c.Nodes {
		c.put(node, amounts("cpu", fmt.Sprintf("%dm", 1000+100*c.rand.IntN(5))))
	}
	c.want(corev1.ResourceCPU, fmt.Sprintf("%dm", 3050+c.rand.IntN(500)))
}

func shortOfMemory(c *Cluster) {
	for _, node := range c.Nodes {
		c.put(node, amounts("memory", fmt.Sprintf("%dMi", 3000+100*c.rand.IntN(9))))
	}
	c.want(corev1.ResourceMemory, fmt.Sprintf("%dMi", 5300+c.rand.IntN(1000)))
}

func larger(c *Cluster) { c.want(corev1.ResourceCPU, pick(c, "5", "4500m", "6")) }

// fragmented leaves a little on each node, by two pods of which one suffices.
func fragmented(c *Cluster) {
	for _, node := range c.Nodes {
		c.put(node, amounts("cpu", "1500m"))
		c.put(node, amounts("cpu", "1700m"))
	}
	c.want(corev1.ResourceCPU, "2")
}

func noPods(c *Cluster) {
	for _, node := range c.Nodes {
		list := amounts("cpu", "4", "memory", "8Gi", "pods", "2", "ephemeral-storage", "50Gi", gpu, "2")
		node.Status.Allocatable, node.Status.Capacity = list, list
		c.put(node, amounts("cpu", "100m"))
		c.put(node, amounts("cpu", "200m"))
	}
}

func shortOfDevices(c *Cluster) {
	for _, node := range c.Nodes {
		c.put(node, amounts(gpu, "1"), func(p *corev1.Pod) { limit(&p.Spec.Containers[0]) })
	}
	c.want(gpu, "2")
	limit(&c.template.Spec.Containers[0])
}

// limit makes the container's requests its limits, as a device's have to be.
func limit(of *corev1.Container) { of.Resources.Limits = of.Resources.Requests.DeepCopy() }

func wrongSelector(c *Cluster) {
	if c.template.Spec.NodeSelector == nil {
		c.template.Spec.NodeSelector = map[string]string{}
	}
	c.template.Spec.NodeSelector["disktype"] = "ssd"
	for _, node := range c.Nodes {
		node.Labels["disktype"] = pick(c, "hdd", "tape")
	}
}

// labelMissing leaves the label off all nodes.
func labelMissing(c *Cluster) {
	c.template.Spec.NodeSelector = map[string]string{"example.com/rack": "r1"}
}

func selectorAndCordon(c *Cluster) {
	wrongSelector(c)
	c.Nodes[0].Labels["disktype"] = "ssd"
	c.Nodes[0].Spec.Unschedulable = true
}

func wrongAffinity(c *Cluster) {
	terms := []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: "arch", Operator: corev1.NodeSelectorOpExists},
		{Key: "generation", Operator: corev1.NodeSelectorOpGt, Values: []string{"5"}},
	}}}
	if c.one(2) {
		terms = append(terms, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "arch", Operator: corev1.NodeSelectorOpIn, Values: []string{"arm64"}},
			{Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: []string{"web"}},
		}})
	}
	if c.one(3) {
		terms[0].MatchExpressions = terms[0].MatchExpressions[1:]
	}
	for _, node := range c.Nodes {
		node.Labels["generation"] = pick(c, "3", "4")
	}
	c.template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight:     1,
			Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "arch", Operator: corev1.NodeSelectorOpExists}}},
		}},
	}}
}

func portTaken(c *Cluster) {
	port := corev1.ContainerPort{Name: "web", ContainerPort: 80, HostPort: 8080, Protocol: corev1.ProtocolTCP}
	for _, node := range c.Nodes {
		c.put(node, amounts("cpu", "100m"), func(p *corev1.Pod) { p.Spec.Containers[0].Ports = []corev1.ContainerPort{port} })
	}
	ports := []corev1.ContainerPort{{Name: "metrics", ContainerPort: 9000, Protocol: corev1.ProtocolTCP}, port}
	if c.one(2) { // the same number for the other protocol, and without the host's
		ports = append(ports, corev1.ContainerPort{Name: "quic", ContainerPort: 80, Protocol: corev1.ProtocolUDP})
	}
	c.template.Spec.Containers[0].Ports = ports
}

func gated(c *Cluster) {
	c.template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
	if c.one(2) {
		c.template.Spec.SchedulingGates = append(c.template.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "example.com/image"})
	}
}

// spread has pods of the group in all zones but those of the last nodes, which
// are full.
func spread(c *Cluster) {
	for i, node := range c.Nodes {
		if i%3 == 2 {
			c.put(node, amounts("cpu", "3900m"))
			continue
		}
		c.put(node, amounts("cpu", "100m"), inGroup)
	}
	c.template.Spec.TopologySpreadConstraints = append(c.template.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector("group", "web"),
	})
}

func inGroup(p *corev1.Pod) { p.Labels["group"] = "web" }

// antiAffinity has one of the group on each node.
func antiAffinity(c *Cluster) {
	for _, node := range c.Nodes {
		c.put(node, amounts("cpu", "100m"), inGroup)
	}
	terms := []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname, LabelSelector: selector("group", "web")}}
	if c.one(2) {
		terms = append([]corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname, LabelSelector: selector("group", "nobody"), MatchLabelKeys: []string{App}}}, terms...)
	}
	c.template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

// keptAway has a pod on each node that wants none of the group beside it.
func keptAway(c *Cluster) {
	for _, node := range c.Nodes {
		c.put(node, amounts("cpu", "100m"), func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname, LabelSelector: selector("group", "web")}},
			}}
		})
	}
}

// noFriend wants to be beside a pod that is nowhere.
func noFriend(c *Cluster) {
	c.template.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelTopologyZone, LabelSelector: selector("role", "cache")}},
	}}
}

// mixed has nodes of which each refuses the pod for something else, or for two.
func mixed(c *Cluster) {
	c.want(corev1.ResourceCPU, "2")
	c.template.Spec.NodeSelector = map[string]string{"disktype": "ssd"}
	c.template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 8080, Protocol: corev1.ProtocolTCP}}
	spoil := []func(*corev1.Node){
		func(n *corev1.Node) { n.Spec.Unschedulable = true },
		func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: pick(c, "gpu", "batch"), Effect: corev1.TaintEffectNoSchedule}}
		},
		func(n *corev1.Node) { n.Labels["disktype"] = "hdd" },
		func(n *corev1.Node) { c.put(n, amounts("cpu", pick(c, "2500m", "3"))) },
		func(n *corev1.Node) {
			c.put(n, amounts("cpu", "100m"), func(p *corev1.Pod) { p.Spec.Containers[0].Ports = c.template.Spec.Containers[0].Ports })
		},
	}
	for _, node := range c.Nodes {
		node.Labels["disktype"] = "ssd"
		first := c.rand.IntN(len(spoil))
		spoil[first](node)
		if second := c.rand.IntN(len(spoil)); c.one(2) && second != first {
			spoil[second](node)
		}
	}
}

// oneTooMany has a pod on every node and one that waits.
func oneTooMany(c *Cluster) {
	c.want(corev1.ResourceCPU, "2500m")
	c.count = len(c.Nodes) + 1
}

func oneTooManyForPorts(c *Cluster) {
	c.template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 8080, Protocol: corev1.ProtocolTCP}}
	c.count = len(c.Nodes) + 1
}

// oneTooManyForSpread has a zone that holds as many as may be, and others that
// are full.
func oneTooManyForSpread(c *Cluster) {
	for i, node := range c.Nodes {
		if i > 0 {
			c.put(node, amounts("cpu", "3900m"))
		}
	}
	c.template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector(App, Name),
	}}
	c.count = 2
}
