package pools

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// below draws the selected pool under the list, in so many lines.
func below(p *Page, lines int) []string {
	drawn := make([]string, 0, lines)
	if pool, ok := p.Table.Selected(); ok {
		v := preview{p, pool, p.Around.WidthBelow(p.Width)}
		gone := p.Table.SelectedGone()
		drawn = append(drawn, v.rule(gone))
		if !gone {
			drawn = append(drawn, v.facts(lines-1)...)
		}
	}
	for len(drawn) < lines {
		drawn = append(drawn, "")
	}
	return drawn[:lines]
}

// preview is one pool, as it is drawn under the list.
type preview struct {
	page  *Page
	pool  *inventory.Pool
	width int
}

// rule is the first line: the pool, its zone, its nodes.
func (v *preview) rule(gone bool) string {
	words := []string{poolName(v.page, v.pool)}
	if v.pool.Zone != "" {
		words = append(words, v.pool.Zone)
	}
	if gone {
		words = append(words, "gone")
	} else {
		nodes := figures.Count(v.pool.Nodes, "node", "nodes") + ": " + model.FormatCount(v.pool.Ready) + " Ready, " + model.FormatCount(v.pool.Schedulable) + " schedulable"
		if unused := v.unusedWords(); len(unused) > 0 {
			nodes += " (" + strings.Join(unused, ", ") + ")"
		}
		words = append(words, nodes)
	}
	s := v.page.Host.Styles()
	title := cells.Cut(model.Clean(strings.Join(words, " · ")), v.width-6)
	return s.Rule.Render(" ─ ") + s.Strong.Render(title) + s.Rule.Render(" "+strings.Repeat("─", max(v.width-cells.Width(title)-4, 0)))
}

// How many lines a preview needs to have the bars too, and to wrap the imbalance.
const (
	wholeFrom = 12
	wrapFrom  = 5
)

// facts are the lines under the rule.
func (v *preview) facts(lines int) []string {
	if v.pool.Requested == nil {
		return []string{v.line("requested: "+model.UnknownFigure+" ("+v.page.Host.Observed().PodsUnknown()+")", tone.Unknown)}
	}
	of, stranded := tone.Plain, v.pool.StrandedCPU+v.pool.StrandedMemory > 0
	if stranded {
		of = tone.Warning
	}
	whole := lines >= wholeFrom
	var drawn []string
	holders, tight := v.holderWords()
	tight = tight && holders != ""
	if tight {
		drawn = append(drawn, v.line(holders, tone.Plain))
	}
	if whole || stranded || !tight {
		drawn = append(drawn, v.lines(v.strandedWords(), of, whole)...)
	}
	drawn = append(drawn, v.lines(v.balanceWords(), tone.Plain, whole || lines >= wrapFrom && len(drawn) < 2)...)
	if whole {
		drawn = append(drawn, v.balanceLines()...)
		drawn = append(drawn, v.resources()...)
	}
	drawn = append(drawn, v.lines(v.slotWords(whole), tone.Plain, whole)...)
	if words := v.pendingWords(); words != "" {
		drawn = append(drawn, v.line(words, tone.Plain))
	}
	if !tight && holders != "" {
		drawn = append(drawn, v.line(holders, tone.Plain))
	}
	return drawn
}

// held is who requests most of each pool, as far as it was asked for a snapshot and a width.
type held struct {
	snapshot *model.Snapshot
	width    int
	by       map[*inventory.Pool]holders
}

// holders is who requests most of a pool. tight says that little of it is left.
type holders struct {
	words string
	tight bool
}

// holderWords name the workloads that request most of what the pool is fullest of, cpu or memory, as
// many as fit; "" where there are none. tight says that little of it is left.
func (v *preview) holderWords() (words string, tight bool) {
	kept, snapshot := &v.page.held, v.page.Host.Observed().Snapshot
	if kept.snapshot != snapshot || kept.width != v.width {
		*kept = held{snapshot, v.width, map[*inventory.Pool]holders{}}
	}
	found, known := kept.by[v.pool]
	if !known {
		found.words, found.tight = v.findHolders()
		kept.by[v.pool] = found
	}
	return found.words, found.tight
}

// findHolders looks at all pods of the pool.
func (v *preview) findHolders() (words string, tight bool) {
	requested, allocatable := v.pool.Requested.Resources, v.pool.Allocatable.Resources
	fullest := figures.Fullest(requested, allocatable)
	tight = model.Percent(requested.Of(fullest), allocatable.Of(fullest)) >= v.page.Host.Levels().Tight
	workloads, _ := inventory.SharesOf(v.pool.Members, fullest)
	head := "largest by " + string(fullest) + ": "
	room := v.width - table.Gutter - 1 - cells.Width(head)
	var named []string
	for i, holder := range workloads {
		word := fmt.Sprintf("%s %s (%d%%)", holder.Name, figures.AmountText(fullest, holder.Amount, model.Nearest), holder.Percent)
		if room -= cells.Width(model.Clean(word)) + 2; i > 0 && room < 0 || i == mostHolders {
			break
		}
		named = append(named, word)
	}
	if len(named) == 0 {
		return "", tight
	}
	return head + strings.Join(named, ", "), tight
}

// mostHolders is how many workloads a line names at most.
const mostHolders = 4

// lines are a text in a line, or wrapped where it may take several.
func (v *preview) lines(text string, of tone.Tone, several bool) []string {
	if !several {
		return []string{v.line(text, of)}
	}
	var drawn []string
	for _, row := range cells.Wrap(model.Clean(text), v.width-table.Gutter-1) {
		drawn = append(drawn, v.line(row, of))
	}
	return drawn
}

func (v *preview) line(text string, of tone.Tone) string {
	return of.Style(v.page.Host.Styles()).Render(cells.Blank(table.Gutter) + cells.Cut(model.Clean(text), v.width-table.Gutter-1))
}

// strandedWords say what cannot be used for lack of another resource.
func (v *preview) strandedWords() string {
	var words []string
	on := func(nodes int) string { return " on " + figures.Count(nodes, "node", "nodes") }
	if v.pool.StrandedCPU > 0 {
		words = append(words, "cpu "+model.FormatCPU(v.pool.Stranded.MilliCPU, model.Down)+" cannot be used for lack of memory"+on(v.pool.StrandedCPU))
	}
	if v.pool.StrandedMemory > 0 {
		words = append(words, "memory "+model.FormatMemory(v.pool.Stranded.Memory, model.Down)+" cannot be used for lack of cpu"+on(v.pool.StrandedMemory))
	}
	if len(words) == 0 {
		return "stranded: none"
	}
	return "stranded: " + strings.Join(words, ", ")
}

// balanceWords say between which nodes the pool is uneven, and what would be done about it.
func (v *preview) balanceWords() string {
	b, head := v.pool.Balance, "imbalance: "
	switch {
	case v.page.by != "":
	case v.pool.Pool == "":
		head = "imbalance of nodes without a pool (all zones): "
	default:
		head = "imbalance in pool " + v.pool.Pool + " (all zones): "
	}
	switch {
	case b.Least == nil:
		return head + "not computed, no Ready node is schedulable"
	case b.Least == b.Most && b.Evicts == 0 && (len(b.Under) == 0 || len(b.Over) == 0):
		return head + "none, no two schedulable Ready nodes differ in requested cpu"
	}
	name := v.page.Host.Observed().NodeName
	words := head + fmt.Sprintf("%s %s, %s %s cpu; ", name(b.Most.Name), percentWord(b.Most), name(b.Least.Name), percentWord(b.Least))
	switch {
	case b.Evicts > 0:
		return words + "the descheduler would evict " + figures.Count(b.Evicts, "pod", "pods")
	case len(b.Under) == 0:
		return words + fmt.Sprintf("no node is under %d%%, so the descheduler would evict no pods", inventory.UnderPercent)
	case len(b.Over) == 0:
		return words + fmt.Sprintf("no node is over %d%%, so the descheduler would evict no pods", inventory.OverPercent)
	}
	return words + "no pod to evict"
}

// percentWord is how much cpu of a node is requested.
func percentWord(n *model.Node) string {
	return gauge.Words(n.Requested.MilliCPU, n.Allocatable.MilliCPU)
}

// balanceLines name the nodes that are over and under.
func (v *preview) balanceLines() []string {
	named := func(head string, nodes []string) string {
		if len(nodes) == 0 {
			return head + "none"
		}
		names := make([]string, len(nodes))
		for i, node := range nodes {
			names[i] = v.page.Host.Observed().NodeName(node)
		}
		return head + strings.Join(names, ", ")
	}
	b := v.pool.Balance
	return []string{
		v.line(named(fmt.Sprintf("  over %d%% of cpu, memory or pods: ", inventory.OverPercent), b.Over), tone.Plain),
		v.line(named(fmt.Sprintf("  under %d%% of all three: ", inventory.UnderPercent), b.Under), tone.Plain),
		v.line("  (by the descheduler's LowNodeUtilization, in all zones)", tone.Dim),
	}
}

// slotWords say on which nodes the largest free slots are, in one line or several.
func (v *preview) slotWords(several bool) string {
	if v.pool.LargestCPU == nil && v.pool.LargestMemory == nil {
		return "largest free slot: none, " + v.unschedulableWords()
	}
	var words []string
	whole, brief := v.leftOutWords()
	same := brief != "" && v.pool.LargestCPU == v.pool.LargestMemory
	for _, slot := range []struct {
		name corev1.ResourceName
		node *model.Node
	}{{corev1.ResourceCPU, v.pool.LargestCPU}, {corev1.ResourceMemory, v.pool.LargestMemory}} {
		word := string(slot.name) + " " + figures.AmountText(slot.name, v.pool.LargestFree.Of(slot.name), model.Down)
		if slot.node != nil && (!same || slot.name != corev1.ResourceCPU) {
			word += " on " + v.page.Host.Observed().NodeName(slot.node.Name)
		}
		words = append(words, word)
	}
	said := "largest free slot: " + strings.Join(words, ", ")
	if several || cells.Width(said+whole) < v.width-table.Gutter {
		return said + whole
	}
	return said + brief
}

// leftOutWords count the schedulable nodes that the largest free slot does not count, at length and in brief.
func (v *preview) leftOutWords() (whole, brief string) {
	var long, short []string
	if n := v.pool.ExtraTainted; n > 0 {
		long = append(long, grammar.Count(n, "node", "nodes")+" with a taint that only some of the pool have")
		short = append(short, grammar.Count(n, "tainted node", "tainted nodes"))
	}
	if n := v.pool.PodLimited; n > 0 {
		long = append(long, grammar.Count(n, "node at its pod limit", "nodes at their pod limits"))
		short = append(short, long[len(long)-1])
	}
	if len(long) == 0 {
		return "", ""
	}
	return "; without " + strings.Join(long, ", "), "; without " + strings.Join(short, ", ")
}

// unschedulableWords say why there is no free slot.
func (v *preview) unschedulableWords() string {
	switch {
	case v.pool.ExtraTainted > 0 && v.pool.ExtraTainted == v.pool.Schedulable:
		return "each schedulable node has a taint that only some nodes of the pool have"
	case v.pool.PodLimited > 0 && v.pool.PodLimited == v.pool.Schedulable:
		return "every schedulable node has reached its pod limit"
	case v.pool.PodLimited > 0 && v.pool.PodLimited+v.pool.ExtraTainted == v.pool.Schedulable:
		return "each schedulable node has reached its pod limit, or has a taint that only some nodes of the pool have"
	case v.pool.Schedulable > 0:
		return "the schedulable nodes are full"
	}
	words := v.unusedWords()
	if n := v.pool.Nodes - v.pool.Ready; n > 0 {
		words = append([]string{model.FormatCount(n) + " not Ready"}, words...)
	}
	return cmp.Or(strings.Join(words, ", "), "no node is schedulable")
}

// unusedWords count the nodes that are new, cordoned or being removed, and the Ready ones under pressure.
func (v *preview) unusedWords() (words []string) {
	whole, pressed := model.CapacityOf(v.pool.Members), 0
	for _, n := range v.pool.Members {
		if n.IsReady() && n.Lifecycle == "" && !n.Cordoned && len(n.Pressure) > 0 {
			pressed++
		}
	}
	for _, of := range []struct {
		nodes int
		are   string
	}{{whole.New, "not initialized"}, {whole.Cordoned, "cordoned"}, {whole.Removing, "removing"}, {pressed, "under pressure"}} {
		if of.nodes > 0 {
			words = append(words, model.FormatCount(of.nodes)+" "+of.are)
		}
	}
	return words
}

// pendingWords name the pending pods that target the pool, as many as fit; "" for none.
func (v *preview) pendingWords() string {
	if len(v.pool.Waiting) == 0 {
		return ""
	}
	head := grammar.Count(*v.pool.Pending, "pending pod targets it: ", "pending pods target it: ")
	room := v.width - table.Gutter - 1 - cells.Width(head+", 999 more")
	var words []string
	left := *v.pool.Pending
	for _, kind := range v.pool.Waiting {
		word := kind.FullName()
		if len(kind.Pods) > 1 {
			word += " ×" + model.FormatCount(len(kind.Pods))
		}
		if room -= cells.Width(model.Clean(word)) + 2; len(words) > 0 && room < 0 {
			break
		}
		words, left = append(words, word), left-len(kind.Pods)
	}
	if left > 0 {
		words = append(words, model.FormatCount(left)+" more")
	}
	return head + strings.Join(words, ", ")
}

// resources are the bars, a line for each resource.
func (v *preview) resources() []string {
	whole := model.Capacity{Allocatable: v.pool.Allocatable.Resources}
	names := append([]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}, whole.Extended()...)
	wide := 0
	for _, name := range names {
		wide = max(wide, cells.Width(model.Clean(model.ResourceWord(name))))
	}
	s, levels := v.page.Host.Styles(), v.page.Host.Levels()
	var rows []string
	for _, name := range names {
		part, all, used := v.pool.Requested.Of(name), v.pool.Allocatable.Of(name), used(v.page, v.pool, name)
		head := cells.Left(model.Clean(model.ResourceWord(name)), wide)
		if all <= 0 {
			rows = append(rows, v.line(head+" "+model.UnknownFigure, tone.Unknown))
			continue
		}
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
			used = gauge.Unmeasured
		}
		words := "requested " + figures.ColumnText(name, part, model.Up) + " of allocatable " + figures.ColumnText(name, all, model.Down)
		if used >= 0 {
			words += ", used " + figures.ColumnText(name, used, model.Nearest)
		}
		rows = append(rows, s.Text.Render(cells.Blank(table.Gutter)+head+" ")+
			gauge.DrawUsed(s, levels, longBar, part, all, used)+
			levels.Tone(model.Percent(part, all)).Style(s).Render(fmt.Sprintf("%5s", gauge.Words(part, all)))+
			s.Text.Render("  "+cells.Cut(words, max(v.width-table.Gutter-wide-longBar-10, 0))))
	}
	return rows
}
