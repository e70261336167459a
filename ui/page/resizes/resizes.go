// Package resizes is the page of pods that are resized in place and have not got there.
package resizes

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page of resizes.
type Page struct {
	computed.Page[inventory.Resize]
}

type row = inventory.Resize

// New is the page of all resizes.
func New(h page.Host) *Page {
	p := &Page{}
	p.Begin(h, p, "pod", id, p.columns()...)
	p.Path = []string{"resizes"}
	p.Keys = page.Keys(keymap.Open, keymap.Fixes, keymap.GoNode, keymap.Evict, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Preview)
	p.Compute = func(s *model.Snapshot, _ *model.Objects, _ time.Time) []row { return inventory.Resizes(s) }
	p.NamespaceOf = func(r row) string { return r.Namespace }
	p.Around.Below = p.below
	p.Fields = computed.FieldsOf(id,
		query.Words("name", func(r row) string { return r.Name }),
		query.Words("ns", func(r row) string { return r.Namespace }),
		query.Words("state", stateWord),
		query.Words("node", func(r row) string { return r.Node }),
		query.Number("prio", query.Integer, func(r row) (int64, bool) { return int64(r.Priority), true }),
	)
	return p
}

func id(r row) string { return r.Namespace + "/" + r.Name }

func (p *Page) columns() []table.Column[row] {
	text := func(text func(row) string) func(row) table.Cell {
		return func(r row) table.Cell { return table.Cell{Text: text(r)} }
	}
	return []table.Column[row]{
		{Head: "NAMESPACE/POD", Field: "name", Names: true, Min: 18, Max: 40, Text: text(id)},
		{Head: "STATE", Field: "state", Gap: 1, Min: 11, State: true, Text: func(r row) table.Cell { return table.Cell{Text: stateWord(r), Tone: stateTone(r)} }},
		{Head: "AGE", Gap: 1, Min: 4, Right: true, Ticks: true, Text: func(r row) table.Cell {
			if r.Since == nil {
				return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
			}
			return table.Cell{Text: p.Host.Observed().Since(*r.Since)}
		}},
		{Head: "NODE", Field: "node", Gap: 1, Min: 10, Max: 20, Names: true, Text: text(func(r row) string { return p.Host.Observed().NodeName(r.Node) })},
		{Head: "NODE LACKS", Gap: 1, Min: 10, Max: 30, Text: lacksCell},
		{Head: "REQUESTS", Gap: 1, Min: 14, Flex: true, Text: text(changeWords)},
	}
}

// stateWord is the state in words.
func stateWord(r row) string {
	if r.State == inventory.ResizeInProgress {
		return "in progress"
	}
	return r.State
}

func stateTone(r row) tone.Tone {
	switch r.State {
	case inventory.ResizeInfeasible, inventory.ResizeError:
		return tone.Bad
	case inventory.ResizeDeferred:
		return tone.Warning
	}
	return tone.Plain
}

// lacksCell is what the node lacks; of a resize that was granted that means nothing.
func lacksCell(r row) table.Cell {
	switch {
	case r.State != inventory.ResizeDeferred && r.State != inventory.ResizeInfeasible:
		return table.Cell{Text: "–", Tone: tone.Dim}
	case r.Lacks == nil:
		return table.Cell{Text: model.UnknownFigure, Tone: tone.Unknown}
	case len(r.Lacks) == 0 && r.State == inventory.ResizeInfeasible:
		return table.Cell{Text: "–", Tone: tone.Dim}
	case len(r.Lacks) == 0:
		return table.Cell{Text: "nothing"}
	}
	return table.Cell{Text: amounts(r.Lacks, model.Up)}
}

// amounts word a list: "cpu 2.5, memory 1Gi".
func amounts(list corev1.ResourceList, round model.Rounding) string {
	var words []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if _, ok := list[name]; ok {
			words = append(words, string(name)+" "+amount(name, list, round))
		}
	}
	return strings.Join(words, ", ")
}

func amount(name corev1.ResourceName, list corev1.ResourceList, round model.Rounding) string {
	figure, _ := model.Count(name, list[name])
	if name == corev1.ResourceCPU {
		return model.FormatCPU(figure, round)
	}
	return model.FormatMemory(figure, round)
}

// changeWords are the requests that differ, "cpu 1.5 to 4"; once all are granted, those asked for.
func changeWords(r row) string {
	var words []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		from, to := r.Allocated[name], r.Desired[name]
		if from.Cmp(to) != 0 {
			words = append(words, string(name)+" "+amount(name, r.Allocated, model.Up)+" to "+amount(name, r.Desired, model.Up))
		}
	}
	if len(words) == 0 {
		return amounts(r.Desired, model.Up)
	}
	return strings.Join(words, ", ")
}

// below draws the selected resize under the list.
func (p *Page) below(rows int) []string {
	r, ok := p.Table.Selected()
	if !ok {
		return make([]string, rows)
	}
	if p.Table.SelectedGone() {
		return computed.NewBelow(&p.Page, id(r), "gone").Lines(rows)
	}
	b := computed.NewBelow(&p.Page, id(r), stateWord(r), changeWords(r))
	if r.Message != "" {
		b.AddWrapped("kubelet: "+r.Message, tone.Plain)
	}
	lacks := lacksCell(r)
	switch {
	case r.State == inventory.ResizeInfeasible:
		b.Add("the kubelet does not grant it, whatever is freed on the node", tone.Plain)
	case lacks.Tone == tone.Dim:
	case r.Lacks == nil:
		b.Add("what the node lacks is unknown", tone.Unknown)
	case len(r.Lacks) == 0:
		b.Add("by requests the node has enough now: the kubelet tries again", tone.Plain)
	default:
		b.Add(p.Host.Observed().NodeName(r.Node)+" needs "+lacks.Text+" more", tone.Warning)
	}
	if words := holderWords(r); words != "" {
		b.AddWrapped(words, tone.Plain)
	} else if len(r.Lacks) > 0 && r.State == inventory.ResizeDeferred {
		b.Add("no other pod on the node requests it", tone.Plain)
	}
	return b.Lines(rows)
}

// holderWords name the pods that hold what the node lacks, and say which are of lower priority; ""
// without any.
func holderWords(r row) string {
	var words []string
	lower := 0
	for _, h := range r.Holders {
		if h.Priority < r.Priority {
			lower++
		}
	}
	for _, h := range r.Holders {
		word := h.Namespace + "/" + h.Name + " " + amounts(h.Requests, model.Down)
		if h.Priority < r.Priority && lower < len(r.Holders) {
			word += " (lower priority)"
		}
		words = append(words, word)
	}
	head := "pods on the node: "
	switch lower {
	case len(words):
		head = "lower-priority pods on the node: "
	case 0:
		head = "pods on the node, none of lower priority: "
	}
	if len(words) == 0 {
		return ""
	}
	return head + strings.Join(words, "; ")
}

// Answer counts the resizes by their state.
func (p *Page) Answer(width int) string {
	if words := p.Answering(); words != "" {
		return words
	}
	if why := p.Host.Observed().NotRead("pods"); why != "" {
		return "Pods are unknown: " + why + "."
	}
	rows := p.Natural()
	if len(rows) == 0 {
		return "No pod is being resized in place."
	}
	var states []string
	counts := map[string]int{}
	for _, r := range rows {
		if word := stateWord(r); !slices.Contains(states, word) {
			states = append(states, word)
		}
		counts[stateWord(r)]++
	}
	for i, word := range states {
		states[i] = model.FormatCount(counts[word]) + " " + model.Clean(word)
	}
	return p.Query().Filtered(grammar.Count(len(rows), "in-place resize", "in-place resizes")+": "+strings.Join(states, ", ")+".", width)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	r, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(r.Pod)
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return p.Page.Places() | keymap.OnPod | keymap.PodFacts }

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	return page.OffPod(p.Host.Observed(), do, p.Table.SelectedGone(), p.Selected())
}
