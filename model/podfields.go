package model

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// PodFields are what Pods can be filtered and sorted by; the snapshot tells the
// zones and taints of their nodes, and the usage.
func PodFields(now time.Time, s *Snapshot) *Fields[*Pod] {
	list := []Field[*Pod]{
		{Name: "ns", Also: []string{"namespace"}, Column: true, Value: func(p *Pod) Value { return word(p.Object.Namespace) }},
		{Name: "name", Column: true, Value: func(p *Pod) Value { return word(p.Object.Name) }, Compare: comparePods, Append: appendFullName},
		{
			Name: "ready", Unit: Integer, Column: true, Whole: func(p *Pod) Value { return number(p.Total) },
			Value: func(p *Pod) Value { return number(p.Ready) }, Append: appendReady,
		},
		{Name: "status", Also: []string{"state"}, Column: true, Value: func(p *Pod) Value { return word(p.Status) }},
		{Name: "qos", Column: true, Value: podQOS, Append: func(dst []byte, p *Pod) []byte { return append(dst, p.QOS...) }},
		{Name: "node", Column: true, Value: func(p *Pod) Value { return word(p.Object.Spec.NodeName) }},
		{Name: "age", Unit: Duration, Column: true, Value: func(p *Pod) Value { return since(p.Since(), now) }},
		{Name: "prio", Also: []string{"priority"}, Unit: Integer, Column: true, Value: func(p *Pod) Value { return number(p.Priority()) }},
		{Name: "restarts", Unit: Integer, Column: true, Value: func(p *Pod) Value { return number(p.Restarts) }},
		{Name: "limits", Column: true, Value: func(p *Pod) Value { return word(p.Limits.String()) }, Append: func(dst []byte, p *Pod) []byte { return p.Limits.append(dst) }},
		{Name: "ip", Column: true, Value: func(p *Pod) Value { return word(p.Object.Status.PodIP) }},
		{Name: "owner", Column: true, Value: podOwner, Append: func(dst []byte, p *Pod) []byte { return p.Owner.append(dst) }},
		{Name: "class", Value: func(p *Pod) Value { return word(p.Object.Spec.PriorityClassName) }},
		{Name: "zone", Value: s.ofNode(func(n *Node) Value { return word(n.Zone) })},
		{Name: "taint", Also: []string{"taints"}, Value: s.ofNode(nodeTaints)},
		{Name: "label", Also: []string{"labels"}, Value: func(p *Pod) Value { return Value{Texts: labelTexts(p.Object.Labels)} }},
	}
	list = append(list, podAmounts("cpu", Cores, cpuOf, s.measured(Amount.cpu))...)
	list = append(list, podAmounts("mem", Bytes, memoryOf, s.measured(Amount.memory))...)
	list = append(list, podAmounts("gpu", Integer, gpuOf, nil)...)
	return &Fields[*Pod]{
		List:   list,
		Names:  appendFullName,
		Labels: func(p *Pod) map[string]string { return p.Object.Labels },
	}
}

// podAmounts are a resource's fields: requested, limit, and used where that is
// measured. A percentage is of what is requested.
func podAmounts(name string, unit Unit, of func(*Resources) int64, used func(*Pod) Value) []Field[*Pod] {
	also := func(suffix string) []string {
		if name == "mem" {
			return []string{"memory" + suffix}
		}
		return nil
	}
	requested := func(p *Pod) Value { return number(of(&p.Requests)) }
	fields := []Field[*Pod]{
		{Name: name, Also: also(""), Unit: unit, Column: used != nil, Value: requested},
		{Name: name + ".limit", Also: also(".limit"), Unit: unit, Whole: requested, Value: func(p *Pod) Value {
			limit := of(&p.Limits)
			return Value{Number: limit, Unknown: limit == 0} // no limit is not a limit of nothing
		}},
	}
	if used == nil {
		return fields
	}
	return append(fields, Field[*Pod]{Name: name + ".used", Also: also(".used"), Unit: unit, Column: true, Whole: requested, Value: used})
}

// ofNode gives what the pod's node has.
func (s *Snapshot) ofNode(value func(*Node) Value) func(*Pod) Value {
	return func(p *Pod) Value {
		node, ok := s.Node(p.Object.Spec.NodeName)
		if !ok {
			return unknown
		}
		return value(node)
	}
}

// measured gives what the pod uses.
func (s *Snapshot) measured(of func(Amount) int64) func(*Pod) Value {
	return func(p *Pod) Value {
		if s.Usage == nil {
			return unknown
		}
		amount, ok := s.Usage.Pods[types.NamespacedName{Namespace: p.Object.Namespace, Name: p.Object.Name}]
		return Value{Number: of(amount), Unknown: !ok}
	}
}

// podQOS goes by its class and by the short word that the column shows.
func podQOS(p *Pod) Value {
	return Value{Text: string(p.QOS), Texts: shortQOS[p.QOS]}
}

// podOwner goes by kind/name and by its name.
func podOwner(p *Pod) Value {
	return Value{Text: p.Owner.String(), Texts: []string{p.Owner.Name}}
}

func appendFullName(dst []byte, p *Pod) []byte { return append(dst, p.FullName()...) }

// appendReady writes the READY cell, 1/2.
func appendReady(dst []byte, p *Pod) []byte {
	dst = strconv.AppendInt(dst, int64(p.Ready), 10)
	return strconv.AppendInt(append(dst, '/'), int64(p.Total), 10)
}
