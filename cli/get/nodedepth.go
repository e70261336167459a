package get

import (
	"context"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// nodeDepth is what the dashboard shows of a node in depth. What is not known is left out.
type nodeDepth struct {
	// Capacity is what the machine has, and Reserved what of it is not allocatable.
	Capacity map[string]string `json:"capacity,omitempty"`
	Reserved map[string]string `json:"reserved,omitempty"`
	// LimitsPercent is how much the limits are of what is allocatable: above 100 they are overcommitted.
	LimitsPercent map[string]int    `json:"limitsPercent,omitempty"`
	Used          map[string]string `json:"used,omitempty"` // as metrics.k8s.io says: cpu and memory
	CordonedSince *time.Time        `json:"cordonedSince,omitempty"`
	Lifecycle     string            `json:"lifecycle,omitempty"`    // "new: not initialized", "removing: scale-down"
	CapacityType  string            `json:"capacityType,omitempty"` // "spot", "on-demand", or another word of the provider
	// Lease is what the kubelet renews; left out where Leases could not be read.
	Lease      *nodeLeaseItem  `json:"lease,omitempty"`
	Conditions []nodeCondition `json:"conditions,omitempty"`
	NodeInfo   *nodeInfoItem   `json:"nodeInfo,omitempty"`
	Images     *nodeImages     `json:"images,omitempty"`
}

// nodeLeaseItem is a node's Lease in kube-node-lease.
type nodeLeaseItem struct {
	RenewTime *time.Time `json:"renewTime"` // null: it has no Lease, or one that was never renewed
}

// nodeCondition is a condition of a node.
type nodeCondition struct {
	Type    string     `json:"type"`
	Status  string     `json:"status"` // True, False or Unknown
	Reason  string     `json:"reason"`
	Message string     `json:"message"`
	Since   *time.Time `json:"since"`
}

// nodeInfoItem is what runs a node.
type nodeInfoItem struct {
	KubeletVersion          string `json:"kubeletVersion"`
	ContainerRuntimeVersion string `json:"containerRuntimeVersion"`
	OSImage                 string `json:"osImage"`
	KernelVersion           string `json:"kernelVersion"`
	OperatingSystem         string `json:"operatingSystem"`
	Architecture            string `json:"architecture"`
}

// nodeImages are the images that a kubelet reports: 50 at most by default.
type nodeImages struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// newNodeDepth is a node in depth, without its Lease and what is used.
func newNodeDepth(n *model.Node, counted bool) nodeDepth {
	status := &n.Object.Status
	d := nodeDepth{
		Capacity: capacityOf(status), Reserved: reservedOf(status), CordonedSince: timeOrNull(n.CordonedSince()),
		Lifecycle: n.Lifecycle, CapacityType: n.CapacityType,
	}
	if counted {
		d.LimitsPercent = limitsPercent(n)
	}
	for i := range status.Conditions {
		c := &status.Conditions[i]
		d.Conditions = append(d.Conditions, nodeCondition{string(c.Type), string(c.Status), c.Reason, c.Message, timeOrNull(c.LastTransitionTime.Time)})
	}
	slices.SortStableFunc(d.Conditions, func(a, b nodeCondition) int { return strings.Compare(a.Type, b.Type) })
	if info := &status.NodeInfo; info.KubeletVersion != "" {
		d.NodeInfo = &nodeInfoItem{
			info.KubeletVersion, info.ContainerRuntimeVersion, info.OSImage, info.KernelVersion, info.OperatingSystem, info.Architecture,
		}
	}
	if len(status.Images) > 0 {
		d.Images = &nodeImages{Count: len(status.Images)}
		for i := range status.Images {
			d.Images.Bytes = model.Sum(d.Images.Bytes, max(status.Images[i].SizeBytes, 0))
		}
	}
	return d
}

// capacityOf is what a machine has, as its kubelet writes it.
func capacityOf(status *corev1.NodeStatus) map[string]string {
	amounts := map[string]string{}
	for name, capacity := range status.Capacity {
		if !capacity.IsZero() {
			amounts[string(name)] = capacity.String()
		}
	}
	return amounts
}

// reservedOf is what of a machine is not allocatable, of the resources that the node says both of.
func reservedOf(status *corev1.NodeStatus) map[string]string {
	reserved := map[string]string{}
	for name, capacity := range status.Capacity {
		allocatable, known := status.Allocatable[name]
		if !known {
			continue
		}
		rest := capacity.DeepCopy()
		if rest.Sub(allocatable); rest.Sign() > 0 {
			reserved[string(name)] = rest.String()
		}
	}
	return reserved
}

// limitsPercent is how much the limits of a node's pods are of what is allocatable.
func limitsPercent(n *model.Node) map[string]int {
	percent := map[string]int{}
	for name := range quantities(n.Limits) {
		of := corev1.ResourceName(name)
		if whole := n.Allocatable.Of(of); whole > 0 {
			percent[name] = model.Percent(n.Limits.Of(of), whole)
		}
	}
	return percent
}

// usedOn is what is measured of a node; nil is not known.
func usedOn(n *model.Node, usage *model.Usage) map[string]string {
	if usage == nil {
		return nil
	}
	used, known := usage.Nodes[n.Name]
	if !known {
		return nil
	}
	return map[string]string{
		string(corev1.ResourceCPU):    resource.NewMilliQuantity(used.MilliCPU, resource.DecimalSI).String(),
		string(corev1.ResourceMemory): resource.NewQuantity(used.Memory, resource.BinarySI).String(),
	}
}

// nodeLeases are when the kubelets renewed their Leases, by node; nil where that could not be read. A
// file that has no Lease of any node does not say that nodes have none.
func nodeLeases(ctx context.Context, live *source.Live) map[string]time.Time {
	renewed := map[string]time.Time{}
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return live.Reader().CoordinationV1().Leases(corev1.NamespaceNodeLease).List(ctx, options)
	})
	err := list.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		if lease, ok := object.(*coordinationv1.Lease); ok {
			renewed[lease.Name] = model.RenewedAt(lease)
		}
		return nil
	})
	if err != nil || live.Client == nil && len(renewed) == 0 {
		return nil
	}
	return renewed
}

// deepens adds what a list of items has more than its table: what is used, and the Leases. It gives
// what completes an item. That neither could be read is no error of the list.
func (g *Options) deepens(ctx context.Context, live *source.Live) (func(*nodeItem, *model.Node), error) {
	if g.output != "json" && g.output != "yaml" {
		return func(*nodeItem, *model.Node) {}, nil
	}
	if err := live.Measure(ctx); err != nil {
		return nil, err
	}
	leases := nodeLeases(ctx, live)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return func(item *nodeItem, n *model.Node) {
		item.Used = usedOn(n, live.Snapshot.Usage)
		if leases != nil {
			item.Lease = &nodeLeaseItem{timeOrNull(leases[n.Name])}
		}
	}, nil
}
