package ui

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// prodEU is the cluster of the drawn screens: 12 nodes, 412 pods, of which 13 are
// pending.
type prodEU struct {
	nodes   []*corev1.Node
	pods    []*corev1.Pod
	refused []*model.NotCreated
	usage   *model.Usage
}

// machine is one node of prod-eu: what it has, what is free of it, and its pods.
type machine struct {
	name, zone       string
	cpu, memory      string // allocatable
	cpuFree, memFree string
	max, pods        int // pods it takes, and has
	age              time.Duration
}

const day = 24 * time.Hour

var machines = []machine{
	{"gpu-a-01", "eu-1a", "31.8", "120Gi", "21.4", "88Gi", 110, 20, 90 * day},
	{"gpu-b-01", "eu-1b", "31.8", "120Gi", "24", "90Gi", 110, 20, 90 * day},
	{"gpu-c-01", "eu-1c", "31.8", "120Gi", "22", "80Gi", 110, 20, 90 * day},
	{"spot-a-01", "eu-1a", "7.9", "29Gi", "5.1", "6Gi", 58, 14, 2 * day},
	{"spot-b-01", "eu-1b", "7.9", "29Gi", "2", "14Gi", 58, 9, 2 * day},
	{"spot-c-01", "eu-1c", "7.9", "29Gi", "2.8", "10Gi", 58, 12, 2 * day},
	{"std-a-01", "eu-1a", "15.9", "60Gi", "4.5", "16Gi", 110, 57, 41 * day},
	{"std-a-02", "eu-1a", "15.9", "60Gi", "4", "18Gi", 110, 57, 41 * day},
	{"std-b-01", "eu-1b", "15.9", "60Gi", "0.9", "12Gi", 110, 44, 41 * day},
	{"std-b-02", "eu-1b", "15.9", "60Gi", "3.65", "19Gi", 110, 31, 41 * day},
	{"std-c-01", "eu-1c", "15.9", "60Gi", "6.3", "25Gi", 110, 57, 41 * day},
	{"std-c-02", "eu-1c", "15.9", "60Gi", "3.6", "18Gi", 110, 57, 41 * day},
}

// running are the pods that screens name; others fill the nodes up.
var running = []struct {
	name, node, cpu, memory string
	age                     time.Duration
}{
	{"batch/report-1", "std-b-02", "4", "8Gi", 3 * time.Hour},
	{"batch/report-2", "std-a-02", "2", "4Gi", 3 * time.Hour},
	{"search/index-0", "std-b-02", "3", "6Gi", 20 * day},
	{"shop/cart-7b5c4d9f8-2kq8x", "std-b-02", "2", "2Gi", 9 * day},
	{"batch/report-3", "std-c-01", "1", "1Gi", 3 * time.Hour},
}

// waits are the pending pods, and what Pending says of them.
var waits = []struct {
	name, owner    string // owner is the ReplicaSet's hash or "" for a pod without
	cpu, memory    string
	priority       int32
	age            time.Duration
	verdict        report.Verdict
	state, blocked string
	why            string
}{
	{"payments/ledger-0", "", "8", "12Gi", 100000, 12 * time.Second, report.Preempting, "preempting", "preempting", "std-c-01: evicts 2, 18s left"},
	{"search/index-2", "", "3", "6Gi", 1000, 41 * time.Minute, report.Unschedulable, "unschedulable", "volume", "volume is only in eu-1b"},
	{"ml/notebook-0", "", "1", "2Gi", 0, 5 * time.Hour, report.NotConsidered, "no scheduler", "no scheduler", "\"ml-scheduler\" is not running: it has no Lease"},
	{"ml/train-7xk2p", "", "32", "64Gi", 0, 2 * time.Hour, report.Unschedulable, "unschedulable", "too large", "cpu 32; largest node 31.8"},
	{"shop/checkout-6c9d8b7f4-x2x1p", "checkout-6c9d8b7f4", "4", "8Gi", 0, 14*time.Minute + 2*time.Second, report.Unschedulable, "unschedulable", "cpu", "std-b-02 needs 350m more"},
	{"shop/checkout-6c9d8b7f4-bb4hd", "checkout-6c9d8b7f4", "4", "8Gi", 0, 14 * time.Minute, report.Unschedulable, "", "", ""},
	{"shop/checkout-6c9d8b7f4-zq9vn", "checkout-6c9d8b7f4", "4", "8Gi", 0, 14 * time.Minute, report.Unschedulable, "", "", ""},
	{"web/front-5d8f9c6b4-8sd2l", "front-5d8f9c6b4", "500m", "512Mi", 0, 6*time.Minute + 1*time.Second, report.Unschedulable, "unschedulable", "anti-affinity", "one per node: each has one"},
	{"web/front-5d8f9c6b4-t7m4w", "front-5d8f9c6b4", "500m", "512Mi", 0, 6 * time.Minute, report.Unschedulable, "", "", ""},
	{"shop/cart-7b5c4d9f8-4wz5c", "cart-7b5c4d9f8", "0", "0", 0, 3*time.Minute + 1*time.Second, report.Scheduled, "image", "image", "std-a-01: ErrImagePull, 403"},
	{"shop/cart-7b5c4d9f8-9fj4w", "cart-7b5c4d9f8", "0", "0", 0, 3 * time.Minute, report.Scheduled, "", "", ""},
	{"data/etl-m2k9q", "", "1", "2Gi", 0, 20 * time.Second, report.Schedulable, "fits now", "nothing", "fits 4 nodes; tried 15s ago"},
	{"batch/nightly-29xk1", "", "1", "2Gi", -10, 3 * time.Hour, report.Gated, "gated", "gate", "example.com/budget"},
}

// checkoutSaid is what kube-scheduler wrote about shop/checkout.
const checkoutSaid = "0/12 nodes are available: 1 node(s) were unschedulable, 3 Insufficient cpu, 4 node(s) didn't match " +
	"Pod's node affinity/selector, 4 node(s) had untolerated taint(s). preemption: 0/12 nodes are available: 3 No preemption " +
	"victims found for incoming pod, 9 Preemption is not helpful for scheduling."

func newProdEU() *prodEU {
	c := &prodEU{usage: &model.Usage{Nodes: map[string]model.Amount{}, Pods: map[types.NamespacedName]model.Amount{}}}
	for _, m := range machines {
		c.nodes = append(c.nodes, m.object())
		c.fill(m)
	}
	for _, p := range running {
		namespace, name := split(p.name)
		ran := ran(pod(namespace, name, p.cpu, p.memory, p.age), p.node)
		if namespace == "search" {
			ran.Spec.Priority = new(int32(1000))
		}
		c.pods = append(c.pods, ran)
	}
	c.pods = append(c.pods, c.waiting()...)
	failed := pod("batch", "report-0", "1", "1Gi", 2*day)
	failed.Spec.NodeName, failed.Status.Phase = "std-a-02", corev1.PodFailed
	failed.Status.Reason = "Error"
	c.pods = append(c.pods, failed)
	c.refused = []*model.NotCreated{refusedAPI()}
	c.usage.Nodes["spot-c-01"] = model.Amount{MilliCPU: 3300, Memory: 12 << 30}
	c.usage.Nodes["std-b-01"] = model.Amount{MilliCPU: 14200, Memory: 40 << 30}
	c.usage.Nodes["std-b-02"] = model.Amount{MilliCPU: 6100, Memory: 30 << 30}
	c.measure()
	return c
}

// measure says what the pods of std-b-02 use: in sum what the node does.
func (c *prodEU) measure() {
	used := map[string]int64{"report-1": 300, "index-0": 2200, "cart-7b5c4d9f8-2kq8x": 1400}
	for i := range 4 {
		used[fmt.Sprintf("worker-std-b-02-%02d", i)] = 550
	}
	for _, p := range c.pods {
		if p.Spec.NodeName == "std-b-02" {
			c.usage.Pods[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}] = model.Amount{MilliCPU: used[p.Name], Memory: used[p.Name] << 20}
		}
	}
}

// snapshot is prod-eu as it stands, live.
func (c *prodEU) snapshot() *model.Snapshot { return c.at(1, liveStatus()) }

// at is prod-eu at a revision, with that status.
func (c *prodEU) at(revision int64, status model.Status) *model.Snapshot {
	b := model.NewBuilder()
	for _, n := range c.nodes {
		b.Node(nil, n)
	}
	for _, p := range c.pods {
		b.Pod(nil, p)
	}
	b.NotCreated(c.refused)
	return b.Build(revision, status, nil)
}

// refusedAPI are the two pods of team-a/api that a quota keeps from being created.
func refusedAPI() *model.NotCreated {
	p := pod("team-a", "", "1", "1Gi", 9*time.Minute)
	p.UID, p.Labels = model.NotCreatedUID("rs-api-6c9"), map[string]string{"pod-template-hash": "6c9"}
	p.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "api-6c9", UID: "rs-api-6c9", Controller: new(true),
	}}
	return &model.NotCreated{
		Pod: p, Wanted: 4, Missing: 2, Since: now.Add(-9 * time.Minute), Last: now.Add(-30 * time.Second), Message: apiSaid,
	}
}

// apiSaid is what kube-apiserver said of a pod of team-a/api.
const apiSaid = `pods "api-6c9-x7k2m" is forbidden: exceeded quota: compute, requested: requests.cpu=1, used: requests.cpu=19500m, limited: requests.cpu=20`

// apiReport says why two pods of team-a/api were not created.
func apiReport() *report.Report {
	since, last := metav1.NewTime(now.Add(-9*time.Minute)), metav1.NewTime(now.Add(-30*time.Second))
	return &report.Report{
		Pod: report.PodRef{
			Namespace: "team-a", QOSClass: "Burstable", Owner: &report.OwnerRef{Kind: "Deployment", Name: "api"},
			SchedulerName: "default-scheduler", Requests: map[string]string{"cpu": "1", "memory": "1Gi"},
		},
		Verdict: report.NotCreated, State: "not created", BlockedBy: "quota", Why: "compute: requests.cpu",
		Summary: "Not created: ResourceQuota team-a/compute allows requests.cpu 20, 19.5 used, the pod needs 1.",
		Facts: []string{
			"ResourceQuota team-a/compute needs requests.cpu 500m more: the pod needs 1, free 500m = hard 20 − used 19.5",
			"replicaset/api-6c9 needs 4 pods, 2 of them could not be created for 9m",
			"kube-apiserver's message, 30s ago: " + apiSaid,
			"If it were created, it would fit 4 nodes: std-a-01, std-a-02, std-c-01 and 1 more.",
		},
		Admission: &report.Admission{Wanted: 4, Missing: 2, Since: &since, LastRejected: &last, Message: apiSaid, Rejections: []report.Rejection{{Plugin: "ResourceQuota"}}},
		Scheduler: report.SchedulerInfo{Library: "v1.37.1", Cluster: "v1.36.3", Profile: "default-scheduler"},
		Revision:  1,
	}
}

func liveStatus() model.Status {
	return model.Status{
		Context: "prod-eu", Server: "https://10.0.0.1:6443", Version: "v1.36.3",
		Connection: model.Connection{Live: true, Heard: now},
	}
}

// podRef is a pod as a report names it.
func podRef(p *model.Pod) report.PodRef {
	ref := report.PodRef{
		Namespace: p.Object.Namespace, Name: p.Object.Name, QOSClass: string(p.QOS), Priority: p.Priority(), Requests: map[string]string{},
	}
	if p.Requests.MilliCPU > 0 {
		ref.Requests["cpu"] = resource.NewMilliQuantity(p.Requests.MilliCPU, resource.DecimalSI).String()
	}
	if p.Requests.Memory > 0 {
		ref.Requests["memory"] = resource.NewQuantity(p.Requests.Memory, resource.BinarySI).String()
	}
	return ref
}

// verdictsOf are the explanations of the pods of prod-eu that wait.
func verdictsOf(s *model.Snapshot) map[types.UID]*report.Report {
	reports := map[types.UID]*report.Report{model.NotCreatedUID("rs-api-6c9"): apiReport()}
	for _, w := range waits {
		namespace, name := split(w.name)
		if p, ok := s.PodNamed(namespace, name); ok {
			reports[p.Object.UID] = &report.Report{
				Pod: podRef(p), Verdict: w.verdict, State: w.state, BlockedBy: w.blocked, Why: w.why,
				Summary: w.why, Revision: s.Revision,
			}
		}
	}
	return reports
}

func (m machine) object() *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: m.name, UID: types.UID("node-" + m.name), CreationTimestamp: metav1.NewTime(now.Add(-m.age)),
			Labels: map[string]string{
				corev1.LabelTopologyZone: m.zone, corev1.LabelHostname: m.name,
				"eks.amazonaws.com/nodegroup": m.name[:len(m.name)-5], "disktype": "ssd",
			},
		},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(m.cpu), corev1.ResourceMemory: resource.MustParse(m.memory),
				corev1.ResourcePods: *resource.NewQuantity(int64(m.max), resource.DecimalSI),
			},
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-m.age)),
			}},
		},
	}
	switch m.name {
	case "gpu-a-01", "gpu-b-01", "gpu-c-01":
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	case "spot-a-01":
		n.Spec.Unschedulable = true
		since := metav1.NewTime(now.Add(-2 * day))
		n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &since}}
	case "spot-b-01":
		since := metav1.NewTime(now.Add(-4 * time.Minute))
		n.Status.Conditions[0].Status, n.Status.Conditions[0].LastTransitionTime = corev1.ConditionFalse, since
		n.Status.Conditions[0].Reason, n.Status.Conditions[0].Message = "KubeletNotReady", "container runtime network not ready: cni plugin not initialized"
		n.Spec.Taints = []corev1.Taint{
			{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute, TimeAdded: &since},
			{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &since},
		}
	}
	return n
}

// fill gives the node pods until it has as many, and as little free, as drawn.
func (c *prodEU) fill(m machine) {
	cpu, bytes := resource.MustParse(m.cpu), resource.MustParse(m.memory)
	cpu.Sub(resource.MustParse(m.cpuFree))
	bytes.Sub(resource.MustParse(m.memFree))
	n := m.pods
	for _, p := range running {
		if p.node == m.name {
			cpu.Sub(resource.MustParse(p.cpu))
			bytes.Sub(resource.MustParse(p.memory))
			n--
		}
	}
	for i := range n {
		p := pod("team-a", fmt.Sprintf("worker-%s-%02d", m.name, i), "0", "0", 9*day)
		if i < 4 { // a quarter each: none of them holds most
			p = pod("team-a", fmt.Sprintf("worker-%s-%02d", m.name, i),
				fmt.Sprintf("%dm", cpu.MilliValue()/4+cpu.MilliValue()%4*int64(1-min(i, 1))),
				fmt.Sprint(bytes.Value()/4+bytes.Value()%4*int64(1-min(i, 1))), 9*day)
		}
		c.pods = append(c.pods, ran(p, m.name))
	}
}

// waiting are the pods that wait.
func (c *prodEU) waiting() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, w := range waits {
		namespace, name := split(w.name)
		p := pod(namespace, name, w.cpu, w.memory, w.age)
		p.Spec.Priority = &w.priority
		if w.owner != "" {
			hash := w.owner[len(w.owner)-9:]
			p.Labels = map[string]string{"pod-template-hash": hash}
			p.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: w.owner, UID: types.UID("rs-" + w.owner), Controller: new(true),
			}}
		}
		said := ""
		switch name {
		case "cart-7b5c4d9f8-4wz5c", "cart-7b5c4d9f8-9fj4w":
			p.Spec.NodeName = "std-a-01"
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "403 Forbidden"}},
			}}
		case "notebook-0":
			p.Spec.SchedulerName = "ml-scheduler"
		case "nightly-29xk1":
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
		case "ledger-0":
			p.Status.NominatedNodeName = "std-c-01"
		case "checkout-6c9d8b7f4-x2x1p", "checkout-6c9d8b7f4-bb4hd", "checkout-6c9d8b7f4-zq9vn":
			said = checkoutSaid
			p.Spec.NodeSelector = map[string]string{"disktype": "ssd"}
		}
		if p.Spec.NodeName == "" {
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: said,
				LastTransitionTime: metav1.NewTime(now.Add(-w.age)),
			}}
		}
		pods = append(pods, p)
	}
	return pods
}

// pod is one of a single container that waits.
func pod(namespace, name, cpu, memory string, age time.Duration) *corev1.Pod {
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	class := corev1.PodQOSBurstable
	if namespace == "ml" {
		class = corev1.PodQOSGuaranteed
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID("pod-" + namespace + "-" + name),
			CreationTimestamp: metav1.NewTime(now.Add(-age)),
		},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName,
			Containers:    []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Requests: requests}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending, QOSClass: class},
	}
}

// ran makes p a pod that runs on a node.
func ran(p *corev1.Pod, node string) *corev1.Pod {
	scheduled := p.CreationTimestamp
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: scheduled},
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: scheduled},
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "app", Ready: true, Started: new(true), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: scheduled}},
	}}
	return p
}

func split(full string) (namespace, name string) {
	for i := range full {
		if full[i] == '/' {
			return full[:i], full[i+1:]
		}
	}
	return "", full
}
