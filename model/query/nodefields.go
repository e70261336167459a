package query

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// NodeFields are the fields that Nodes can be filtered and sorted by. Usage may be nil.
func NodeFields(now time.Time, usage *model.Usage) *Fields[*model.Node] {
	list := []Field[*model.Node]{
		{Name: "name", Also: []string{"node"}, Column: true, Value: func(n *model.Node) Value { return word(n.Name) }},
		{Name: "status", Also: []string{"state"}, Column: true, Value: nodeStatus},
		{Name: "taint", Also: []string{"taints"}, Column: true, Value: nodeTaints, Append: func(dst []byte, n *model.Node) []byte {
			return append(dst, n.Taints...)
		}},
		{
			Name: "pods", Unit: Integer, Column: true, Whole: func(n *model.Node) Value { return number(n.Allocatable.Pods) },
			Value: func(n *model.Node) Value { return number(len(n.Pods)) }, Append: appendPods,
		},
		{Name: "age", Unit: Duration, Column: true, Value: func(n *model.Node) Value {
			return since(n.Object.CreationTimestamp.Time, now)
		}},
		{Name: "zone", Column: true, Value: func(n *model.Node) Value { return word(n.Zone) }},
		{Name: "pool", Column: true, Value: func(n *model.Node) Value { return word(n.Pool) }},
		{Name: "capacity", Also: []string{"capacity-type"}, Column: true, Value: func(n *model.Node) Value { return word(n.CapacityType) }},
		{Name: "instance", Column: true, Value: func(n *model.Node) Value { return word(n.Instance) }},
		{Name: "version", Column: true, Value: func(n *model.Node) Value { return word(n.Version) }},
		{Name: "limits", Column: true, Value: func(n *model.Node) Value { return word(n.Limits.String()) }},
		{Name: "role", Also: []string{"roles"}, Value: func(n *model.Node) Value { return Value{Texts: n.Roles} }},
		{Name: "label", Also: []string{"labels"}, Value: func(n *model.Node) Value { return Value{Texts: model.LabelTexts(n.Object.Labels)} }},
	}
	used := func(n *model.Node) (model.Amount, bool) {
		if usage == nil {
			return model.Amount{}, false
		}
		amount, ok := usage.Nodes[n.Name]
		return amount, ok
	}
	list = append(list, nodeAmounts("cpu", Cores, cpuOf, milliCPU, used)...)
	list = append(list, nodePercent("cpu", []string{"cpu%"}, corev1.ResourceCPU))
	list = append(list, nodeAmounts("mem", Bytes, memoryOf, memoryBytes, used)...)
	list = append(list, nodePercent("mem", []string{"mem%", "memory%", "memory.percent"}, corev1.ResourceMemory))
	list = append(list, nodeAmounts("gpu", Integer, gpuOf, nil, nil)...)
	return &Fields[*model.Node]{
		List:   list,
		Names:  func(dst []byte, n *model.Node) []byte { return append(dst, n.Name...) },
		Labels: func(n *model.Node) map[string]string { return n.Object.Labels },
	}
}

// nodeAmounts are a resource's fields: requested, free, limit, allocatable, and
// used where that is measured.
func nodeAmounts(name string, unit Unit, of func(*model.Resources) int64, measured func(model.Amount) int64, used func(*model.Node) (model.Amount, bool)) []Field[*model.Node] {
	whole := func(n *model.Node) Value { return number(of(&n.Allocatable)) }
	also := func(suffix string) []string {
		if name == "mem" {
			return []string{"memory" + suffix}
		}
		return nil
	}
	free := Field[*model.Node]{
		Name: name + ".free", Also: append(also(".free"), name+"-free"), Unit: unit, Column: measured != nil, Whole: whole,
		Value:  func(n *model.Node) Value { return number(n.Free(of)) },
		Append: freeCell(unit, of),
	}
	fields := []Field[*model.Node]{
		{Name: name, Also: also(""), Unit: unit, Whole: whole, Value: func(n *model.Node) Value { return number(of(&n.Requested)) }},
		free,
		{Name: name + ".limit", Also: also(".limit"), Unit: unit, Whole: whole, Value: func(n *model.Node) Value { return number(of(&n.Limits)) }},
		{Name: name + ".alloc", Also: also(".alloc"), Unit: unit, Value: whole},
	}
	if measured == nil {
		return fields
	}
	return append(fields, Field[*model.Node]{
		Name: name + ".used", Also: also(".used"), Unit: unit, Whole: whole,
		Value: func(n *model.Node) Value {
			amount, ok := used(n)
			return Value{Number: measured(amount), Unknown: !ok}
		},
	})
}

// nodePercent is how much of a resource is requested in percent.
func nodePercent(name string, also []string, resource corev1.ResourceName) Field[*model.Node] {
	return Field[*model.Node]{
		Name: name + ".percent", Also: also, Unit: Integer,
		Whole: func(*model.Node) Value { return number(100) },
		Value: func(n *model.Node) Value {
			percent, known := n.Percent(resource)
			return Value{Number: int64(percent), Unknown: !known}
		},
		Compare: func(a, b *model.Node) int { return cmp.Compare(share(a, resource), share(b, resource)) },
	}
}

// share is how much of a resource is requested of the node's.
func share(n *model.Node, resource corev1.ResourceName) float64 {
	return float64(n.Requested.Of(resource)) / float64(n.Allocatable.Of(resource))
}

// freeCell writes the CPU FREE and MEM FREE cells, free/allocatable.
func freeCell(unit Unit, of func(*model.Resources) int64) func(dst []byte, n *model.Node) []byte {
	return func(dst []byte, n *model.Node) []byte {
		whole := of(&n.Allocatable)
		free := whole - of(&n.Requested)
		switch unit {
		case Cores:
			return append(dst, model.FormatCoresOf(free, whole)...)
		case Bytes:
			return append(dst, model.FormatMemoryOf(free, whole)...)
		default:
			return strconv.AppendInt(dst, free, 10)
		}
	}
}

// nodeStatus matches the words of the column, and kubectl's words for them.
func nodeStatus(n *model.Node) Value {
	texts := strings.Split(n.Status, ",")
	if n.Cordoned {
		texts = append(texts, "SchedulingDisabled")
	}
	if n.Ready == corev1.ConditionUnknown {
		texts = append(texts, "Unknown")
	}
	if n.Lifecycle != "" {
		short, _, _ := strings.Cut(n.Lifecycle, ":")
		texts = append(texts, n.Lifecycle, short)
	}
	return Value{Text: n.Status, Texts: texts}
}

func nodeTaints(n *model.Node) Value { return Value{Text: n.Taints, Texts: n.TaintTexts()} }

// appendPods writes the PODS cell, 31/110.
func appendPods(dst []byte, n *model.Node) []byte {
	dst = strconv.AppendInt(dst, int64(len(n.Pods)), 10)
	return strconv.AppendInt(append(dst, '/'), n.Allocatable.Pods, 10)
}

// since is an age.
func since(t, now time.Time) Value {
	if t.IsZero() {
		return unknown
	}
	return Value{Number: int64(max(now.Sub(t), 0))}
}

func cpuOf(r *model.Resources) int64    { return r.MilliCPU }
func memoryOf(r *model.Resources) int64 { return r.Memory }
func gpuOf(r *model.Resources) int64    { return r.GPUs() }
