package query

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// PodFields are the fields that Pods can be filtered and sorted by; the zones and
// taints of their nodes, and usage, are of the snapshot.
func PodFields(now time.Time, s *model.Snapshot) *Fields[*model.Pod] {
	list := []Field[*model.Pod]{
		{Name: "ns", Also: []string{"namespace"}, Column: true, Value: func(p *model.Pod) Value { return word(p.Object.Namespace) }},
		{Name: "name", Column: true, Value: func(p *model.Pod) Value { return word(p.Object.Name) }, Compare: model.ComparePods, Append: appendFullName},
		{
			Name: "ready", Unit: Integer, Column: true, Whole: func(p *model.Pod) Value { return number(p.Total) },
			Value: func(p *model.Pod) Value { return number(p.Ready) }, Append: appendReady,
		},
		{Name: "status", Also: []string{"state"}, Column: true, Value: func(p *model.Pod) Value { return word(p.Status) }},
		{Name: "qos", Column: true, Value: podQOS, Append: func(dst []byte, p *model.Pod) []byte { return append(dst, p.QOS...) }},
		{Name: "node", Column: true, Value: func(p *model.Pod) Value { return word(p.Object.Spec.NodeName) }},
		{Name: "age", Unit: Duration, Column: true, Value: func(p *model.Pod) Value { return since(p.Since(), now) }},
		{Name: "prio", Also: []string{"priority"}, Unit: Integer, Column: true, Value: func(p *model.Pod) Value { return number(p.Priority()) }},
		{Name: "restarts", Unit: Integer, Column: true, Value: func(p *model.Pod) Value { return number(p.Restarts) }},
		{Name: "limits", Column: true, Value: func(p *model.Pod) Value { return word(p.Limits.String()) }, Append: func(dst []byte, p *model.Pod) []byte { return p.Limits.Append(dst) }},
		{Name: "ip", Column: true, Value: func(p *model.Pod) Value { return word(p.Object.Status.PodIP) }},
		{Name: "owner", Column: true, Value: podOwner, Append: func(dst []byte, p *model.Pod) []byte { return p.Owner.Append(dst) }},
		{Name: "class", Value: func(p *model.Pod) Value { return word(p.Object.Spec.PriorityClassName) }},
		{Name: "zone", Value: ofNode(s, func(n *model.Node) Value { return word(n.Zone) })},
		{Name: "taint", Also: []string{"taints"}, Value: ofNode(s, nodeTaints)},
		{Name: "label", Also: []string{"labels"}, Value: func(p *model.Pod) Value { return Value{Texts: model.LabelTexts(p.Object.Labels)} }},
	}
	list = append(list, podAmounts("cpu", Cores, cpuOf, measured(s, milliCPU))...)
	list = append(list, podAmounts("mem", Bytes, memoryOf, measured(s, memoryBytes))...)
	list = append(list, podAmounts("gpu", Integer, gpuOf, nil)...)
	return &Fields[*model.Pod]{
		List:   list,
		Names:  appendFullName,
		Labels: func(p *model.Pod) map[string]string { return p.Object.Labels },
	}
}

// podAmounts are a resource's fields: requested, limit, and used where that is
// measured. A percentage is of what is requested.
func podAmounts(name string, unit Unit, of func(*model.Resources) int64, used func(*model.Pod) Value) []Field[*model.Pod] {
	also := func(suffix string) []string {
		if name == "mem" {
			return []string{"memory" + suffix}
		}
		return nil
	}
	requested := func(p *model.Pod) Value { return number(of(p.Requests)) }
	fields := []Field[*model.Pod]{
		{Name: name, Also: also(""), Unit: unit, Column: used != nil, Value: requested},
		{Name: name + ".limit", Also: also(".limit"), Unit: unit, Whole: requested, Value: func(p *model.Pod) Value {
			limit := of(p.Limits)
			return Value{Number: limit, Unknown: limit == 0} // no limit is not a limit of 0
		}},
	}
	if used == nil {
		return fields
	}
	return append(fields, Field[*model.Pod]{Name: name + ".used", Also: also(".used"), Unit: unit, Column: true, Whole: requested, Value: used})
}

// podQOS matches the class and the short word that the column shows.
func podQOS(p *model.Pod) Value {
	return Value{Text: string(p.QOS), Texts: model.ShortQOS[p.QOS]}
}

// podOwner matches kind/name and the name.
func podOwner(p *model.Pod) Value {
	return Value{Text: p.Owner.String(), Texts: []string{p.Owner.Name}}
}

func appendFullName(dst []byte, p *model.Pod) []byte { return append(dst, p.FullName()...) }

// appendReady writes the READY cell, 1/2.
func appendReady(dst []byte, p *model.Pod) []byte {
	dst = strconv.AppendInt(dst, int64(p.Ready), 10)
	return strconv.AppendInt(append(dst, '/'), int64(p.Total), 10)
}

// ofNode is a value of the pod's node.
func ofNode(s *model.Snapshot, value func(*model.Node) Value) func(*model.Pod) Value {
	return func(p *model.Pod) Value {
		node, ok := s.Node(p.Object.Spec.NodeName)
		if !ok {
			return unknown
		}
		return value(node)
	}
}

// measured is the usage of the pod.
func measured(s *model.Snapshot, of func(model.Amount) int64) func(*model.Pod) Value {
	return func(p *model.Pod) Value {
		if s.Usage == nil {
			return unknown
		}
		amount, ok := s.Usage.Pods[types.NamespacedName{Namespace: p.Object.Namespace, Name: p.Object.Name}]
		return Value{Number: of(amount), Unknown: !ok}
	}
}

func milliCPU(a model.Amount) int64    { return a.MilliCPU }
func memoryBytes(a model.Amount) int64 { return a.Memory }
