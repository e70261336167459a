package get

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// nodeItem is a node in get nodes -o json.
type nodeItem struct {
	Name        string            `json:"name"`
	Ready       string            `json:"ready"` // True, False or Unknown
	ReadySince  *time.Time        `json:"readySince"`
	Cordoned    bool              `json:"cordoned"`
	Status      string            `json:"status"`
	Pressure    []string          `json:"pressure"`
	Taints      []corev1.Taint    `json:"taints"`
	Roles       []string          `json:"roles"`
	Zone        string            `json:"zone"`
	Pool        string            `json:"pool"`
	Instance    string            `json:"instanceType"`
	Version     string            `json:"kubeletVersion"`
	Pods        *int              `json:"pods"`
	Allocatable map[string]string `json:"allocatable"`
	Requested   map[string]string `json:"requested"`
	Free        map[string]string `json:"free"`
	Limits      map[string]string `json:"limits"`
	Created     *time.Time        `json:"created"`
	nodeDepth
}

// newNodeItem is a node in JSON and YAML. What depends on its pods is null if not all
// of them could be read.
func newNodeItem(n *model.Node, counted bool) nodeItem {
	item := nodeItem{
		Name:        n.Name,
		Ready:       string(n.Ready),
		ReadySince:  timeOrNull(n.ReadySince),
		Cordoned:    n.Cordoned,
		Status:      n.Status,
		Pressure:    output.ListOrEmpty(n.Pressure),
		Taints:      output.ListOrEmpty(n.Object.Spec.Taints),
		Roles:       output.ListOrEmpty(n.Roles),
		Zone:        n.Zone,
		Pool:        n.Pool,
		Instance:    n.Instance,
		Version:     n.Version,
		Allocatable: quantities(n.Allocatable),
		Created:     timeOrNull(n.Object.CreationTimestamp.Time),
		nodeDepth:   newNodeDepth(n, counted),
	}
	if counted {
		item.Pods = new(len(n.Pods))
		item.Requested = quantities(n.Requested)
		item.Free = freeQuantities(n)
		item.Limits = quantities(n.Limits)
	}
	return item
}

// podItem is a pod in get pods -o json.
type podItem struct {
	Namespace     string            `json:"namespace"`
	Name          string            `json:"name"`
	UID           string            `json:"uid"`
	Status        string            `json:"status"`
	Ready         int32             `json:"readyContainers"`
	Total         int32             `json:"containers"`
	Restarts      int32             `json:"restarts"`
	QOSClass      string            `json:"qosClass"`
	Priority      int32             `json:"priority"`
	PriorityClass string            `json:"priorityClass"`
	Node          string            `json:"node"`
	Owner         *report.OwnerRef  `json:"owner"`
	Waits         bool              `json:"notStarted"`
	Requests      map[string]string `json:"requests"`
	Limits        map[string]string `json:"limits"`
	Created       *time.Time        `json:"created"`
}

// newPodItem is a pod in JSON and YAML.
func newPodItem(p *model.Pod) podItem {
	return podItem{
		Namespace:     p.Object.Namespace,
		Name:          p.Object.Name,
		UID:           string(p.Object.UID),
		Status:        p.Status,
		Ready:         p.Ready,
		Total:         p.Total,
		Restarts:      p.Restarts,
		QOSClass:      string(p.QOS),
		Priority:      p.Priority(),
		PriorityClass: p.Object.Spec.PriorityClassName,
		Node:          p.Object.Spec.NodeName,
		Owner:         ownerOf(p),
		Waits:         p.Waits,
		Requests:      quantities(*p.Requests),
		Limits:        quantities(*p.Limits),
		Created:       timeOrNull(p.Since()),
	}
}

// ownerOf is the workload that a pod belongs to, nil without one.
func ownerOf(p *model.Pod) *report.OwnerRef {
	if p.Owner.Name == "" {
		return nil
	}
	return &report.OwnerRef{Kind: p.Owner.Kind, Name: p.Owner.Name}
}

// quantities writes amounts as Kubernetes does; what is zero is left out.
func quantities(r model.Resources) map[string]string {
	amounts := map[string]string{}
	put := func(name corev1.ResourceName) {
		if exact := r.Exact(name); !exact.IsZero() {
			amounts[string(name)] = exact.String()
		}
	}
	put(corev1.ResourceCPU)
	put(corev1.ResourceMemory)
	put(corev1.ResourceEphemeralStorage)
	put(corev1.ResourcePods)
	for name := range r.Scalar {
		put(name)
	}
	return amounts
}

// taintTexts writes taints as key=value:effect.
func taintTexts(taints []corev1.Taint) string {
	texts := make([]string, 0, len(taints))
	for i := range taints {
		texts = append(texts, taints[i].ToString())
	}
	return orNone(strings.Join(texts, ","))
}

// freeCells are the cells of a node that depend on its pods.
type freeCells struct{ cpu, memory, pods, requested string }

// freeOf writes what a node has free of what is allocatable; "?" where allocatable is not
// set, or if not all its pods could be read.
func freeOf(n *model.Node, counted bool) freeCells {
	free := n.Allocatable.Minus(&n.Requested)
	cells := freeCells{
		cpu:       model.FormatCoresOf(free.MilliCPU, n.Allocatable.MilliCPU),
		memory:    model.FormatMemoryOf(free.Memory, n.Allocatable.Memory),
		pods:      fmt.Sprintf("%d/%s", len(n.Pods), podLimit(n)),
		requested: orNone(n.Requested.String()),
	}
	if !counted {
		const of = model.UnknownFigure + "/"
		cells = freeCells{
			cpu:       of + model.FormatCores(n.Allocatable.MilliCPU, model.Down),
			memory:    of + model.FormatMemory(n.Allocatable.Memory, model.Down),
			pods:      of + podLimit(n),
			requested: model.UnknownFigure,
		}
	}
	if n.Allocatable.MilliCPU <= 0 {
		cells.cpu = model.UnknownFigure
	}
	if n.Allocatable.Memory <= 0 {
		cells.memory = model.UnknownFigure
	}
	return cells
}

// podLimit is how many pods a node allows; "?" where allocatable is not set.
func podLimit(n *model.Node) string {
	if n.Allocatable.Pods <= 0 {
		return model.UnknownFigure
	}
	return strconv.FormatInt(n.Allocatable.Pods, 10)
}

// freeQuantities are what a node has free, without the resources whose allocatable is not
// set.
func freeQuantities(n *model.Node) map[string]string {
	free := quantities(n.Allocatable.Minus(&n.Requested))
	maps.DeleteFunc(free, func(name, _ string) bool {
		_, set := n.Object.Status.Allocatable[corev1.ResourceName(name)]
		return !set
	})
	return free
}

// timeOrNull is null in JSON for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// orNone is what a cell shows for nothing.
func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}

// ago is how long ago t was, as kubectl writes it.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t))
}
