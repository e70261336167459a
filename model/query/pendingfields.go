package query

import (
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// PendingRow is a row of Pending: a kind of pod, and its explanation.
type PendingRow struct {
	Kind      *model.EquivalenceClass
	State     string    // the STATE cell; "" while there is no explanation
	BlockedBy string    // the BLOCKED BY cell
	Why       string    // the WHY cell
	Tried     time.Time // the scheduler made an attempt at this time or later; zero without proof
}

// PendingFields are the fields that Pending can be filtered and sorted by. Amounts
// are of one pod of the kind.
func PendingFields(now time.Time) *Fields[PendingRow] {
	text := func(of func(*model.Pod) string) func(PendingRow) Value {
		return func(r PendingRow) Value { return word(of(r.Kind.First())) }
	}
	list := []Field[PendingRow]{
		{Name: "ns", Also: []string{"namespace"}, Column: true, Value: func(r PendingRow) Value { return word(r.Kind.Namespace()) }},
		{Name: "name", Also: []string{"pod"}, Column: true, Value: kindNames, Compare: compareKindNames, Append: func(dst []byte, r PendingRow) []byte {
			return append(dst, r.Kind.FullName()...)
		}},
		{Name: "prio", Also: []string{"priority"}, Unit: Integer, Column: true, Value: kindPriority},
		{Name: "age", Also: []string{"for"}, Unit: Duration, Column: true, Value: func(r PendingRow) Value { return since(r.Kind.Since(), now) }},
		{Name: "state", Column: true, Late: true, Value: func(r PendingRow) Value { return Value{Text: r.State, Unknown: r.State == ""} }},
		{Name: "blocked", Also: []string{"by", "blockedby"}, Column: true, Late: true, Value: func(r PendingRow) Value { return Value{Text: r.BlockedBy, Unknown: r.State == ""} }},
		{Name: "why", Column: true, Late: true, Value: func(r PendingRow) Value { return Value{Text: r.Why, Unknown: r.State == ""} }},
		{Name: "kind", Column: true, Value: text(func(p *model.Pod) string { return p.Owner.KindWord() })},
		{Name: "requests", Column: true, Value: text(func(p *model.Pod) string { return p.Requests.String() })},
		{Name: "nominated", Column: true, Value: text(func(p *model.Pod) string { return p.Object.Status.NominatedNodeName })},
		{Name: "tried", Unit: Duration, Column: true, Late: true, Value: func(r PendingRow) Value { return since(r.Tried, now) }},
		{Name: "scheduler", Column: true, Value: text(func(p *model.Pod) string { return p.Object.Spec.SchedulerName })},
		{Name: "status", Value: text(func(p *model.Pod) string { return p.Status })},
		{Name: "pods", Unit: Integer, Value: func(r PendingRow) Value { return number(r.Kind.Count()) }},
		{Name: "qos", Value: func(r PendingRow) Value { return podQOS(r.Kind.First()) }},
		{Name: "node", Value: kindNodes},
		{Name: "owner", Value: func(r PendingRow) Value { return podOwner(r.Kind.First()) }},
		{Name: "class", Value: text(func(p *model.Pod) string { return p.Object.Spec.PriorityClassName })},
		{Name: "label", Also: []string{"labels"}, Value: func(r PendingRow) Value { return Value{Texts: model.LabelTexts(r.Kind.First().Object.Labels)} }},
	}
	list = append(list, kindAmounts("cpu", Cores, cpuOf)...)
	list = append(list, kindAmounts("mem", Bytes, memoryOf)...)
	list = append(list, kindAmounts("gpu", Integer, gpuOf)...)
	return &Fields[PendingRow]{
		List:      list,
		Names:     appendKindNames,
		Labels:    func(r PendingRow) map[string]string { return r.Kind.First().Object.Labels },
		Explained: func(r PendingRow) bool { return r.State != "" },
	}
}

// kindAmounts are the fields of a resource that a pod of the kind has.
func kindAmounts(name string, unit Unit, of func(*model.Resources) int64) []Field[PendingRow] {
	var fields []Field[PendingRow]
	for _, field := range podAmounts(name, unit, of, nil) {
		lifted := Field[PendingRow]{Name: field.Name, Also: field.Also, Unit: unit, Value: func(r PendingRow) Value {
			return field.Value(r.Kind.First())
		}}
		if field.Whole != nil {
			lifted.Whole = func(r PendingRow) Value { return field.Whole(r.Kind.First()) }
		}
		fields = append(fields, lifted)
	}
	return fields
}

func compareKindNames(a, b PendingRow) int {
	return strings.Compare(a.Kind.FullName(), b.Kind.FullName())
}

// kindNames are the name that is shown and each pod's.
func kindNames(r PendingRow) Value {
	if r.Kind.NotCreated != nil {
		return word(r.Kind.Name())
	}
	texts := make([]string, len(r.Kind.Pods))
	for i, pod := range r.Kind.Pods {
		texts[i] = pod.Object.Name
	}
	return Value{Text: r.Kind.Name(), Texts: texts}
}

// kindPriority is unknown for a pod that does not exist: admission sets it.
func kindPriority(r PendingRow) Value {
	if r.Kind.NotCreated != nil {
		return unknown
	}
	return number(r.Kind.Priority())
}

// kindNodes are the nodes that pods of the kind are bound to.
func kindNodes(r PendingRow) Value {
	if !r.Kind.First().Bound() {
		return word("")
	}
	texts := make([]string, len(r.Kind.Pods))
	for i, pod := range r.Kind.Pods {
		texts[i] = pod.Object.Spec.NodeName
	}
	return Value{Text: texts[0], Texts: texts[1:]}
}

// appendKindNames writes the name that is shown and each pod's, one a line.
func appendKindNames(dst []byte, r PendingRow) []byte {
	dst = append(append(append(dst, r.Kind.Namespace()...), '/'), r.Kind.Name()...)
	if r.Kind.NotCreated != nil {
		return dst
	}
	for _, pod := range r.Kind.Pods {
		dst = appendFullName(append(dst, '\n'), pod)
	}
	return dst
}
