package taints

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// zoneLine is the line over the list: the zones, those that are disturbed first.
func zoneLine(p *Page) string {
	rows := p.Natural()
	if len(rows) == 0 {
		return ""
	}
	const tail = " (default rates)"
	s := p.Host.Styles()
	zones := rows[0].all.zones
	line, width := s.Dim.Render(" zones "), cells.Width(" zones ")
	ready := 0
	for i := range zones {
		zone := &zones[i]
		if zone.NotReady == 0 {
			ready++
			continue
		}
		words := model.Clean(fmt.Sprintf(" %s %d/%d NotReady, %s: %s", zone.Name(), zone.NotReady, zone.Nodes, zone.State, perSecond(zone)))
		if width+cells.Width(words)+cells.Width(tail) > p.Width {
			return line + s.Dim.Render(cells.Cut(fmt.Sprintf("  %d more", len(zones)-i), max(p.Width-width, 0)))
		}
		line, width = line+zoneTone(zone).Style(s).Render(words)+" ", width+cells.Width(words)+1
	}
	words := " " + grammar.Count(ready, "zone", "zones") + " Ready"
	switch {
	case ready == len(zones):
		return line + s.Text.Render(cells.Cut(words, max(p.Width-width, 0)))
	case ready == 0:
		words = ""
	}
	return line + s.Text.Render(cells.Cut(words+tail, max(p.Width-width, 0)))
}

// zoneTone is how bad the state of a zone is.
func zoneTone(zone *inventory.EvictionZone) tone.Tone {
	switch zone.State {
	case inventory.FullDisruption:
		return tone.Bad
	case inventory.PartialDisruption:
		return tone.Warning
	}
	return tone.Plain
}

// perSecond is the rate of a zone.
func perSecond(zone *inventory.EvictionZone) string {
	if zone.Rate == 0 {
		return "stopped"
	}
	return fmt.Sprintf("%g nodes/s", zone.Rate)
}

// rateWords say how often a node of the zone gets its NoExecute taint.
func rateWords(zone *inventory.EvictionZone) string {
	if zone.Rate == 0 {
		return "no more nodes get NoExecute"
	}
	return fmt.Sprintf("at most %g nodes/s get NoExecute", zone.Rate)
}

// preview draws the selected taint under the list, in so many lines.
func (p *Page) preview(lines int) []string {
	drawn := make([]string, 0, lines)
	if r, ok := p.Table.Selected(); ok {
		v := preview{page: p, row: r, width: p.Around.WidthBelow(p.Width), now: p.Host.Observed().AsOf()}
		drawn = append(drawn, v.rule())
		if !p.Table.SelectedGone() {
			drawn = append(drawn, v.facts(lines-1)...)
		}
	}
	for len(drawn) < lines {
		drawn = append(drawn, "")
	}
	return drawn[:lines]
}

// preview is one taint, as it is drawn under the list.
type preview struct {
	page  *Page
	row   row
	width int
	now   time.Time
}

// rule is the first line: the taint, its nodes and its age.
func (v *preview) rule() string {
	s := v.page.Host.Styles()
	words := []string{v.row.short(), grammar.Count(len(v.row.Nodes), "node", "nodes")}
	switch {
	case v.page.Table.SelectedGone():
		words = append(words[:1], "gone")
	case v.row.Since == nil:
		words = append(words, "age unknown")
	default:
		words = append(words, v.page.Host.Observed().Since(*v.row.Since))
	}
	title := cells.Cut(model.Clean(strings.Join(words, " · ")), v.width-6)
	return s.Rule.Render(" ─ ") + s.Strong.Render(title) + s.Rule.Render(" "+strings.Repeat("─", max(v.width-cells.Width(title)-4, 0)))
}

// fact is a sentence under the rule.
type fact struct {
	text string
	tone tone.Tone
}

// draw draws the facts before and after some lines in so many rows: each in one, or in more
// where rows are free.
func (v *preview) draw(before []fact, lines []string, after []fact, rows int) []string {
	all := slices.Concat(before, after)
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = model.Clean(all[i].text)
	}
	var drawn []string
	for i, broken := range cells.Fill(texts, v.width-table.Gutter-1, rows-len(lines)) {
		if i == len(before) {
			drawn = append(drawn, lines...)
		}
		for _, text := range broken {
			drawn = append(drawn, all[i].tone.Style(v.page.Host.Styles()).Render(cells.Blank(table.Gutter)+text))
		}
	}
	return drawn
}

// facts are the lines under the rule: what the taint does, then the pods one a line.
func (v *preview) facts(lines int) []string {
	about := v.about(lines)
	if v.row.Running == nil {
		words := "pods: " + model.UnknownFigure
		if why := v.page.Host.Observed().PodsUnknown(); why != "" {
			words += " (" + why + ")"
		}
		return v.draw(append(about, fact{words, tone.Unknown}), nil, []fact{v.nodes()}, lines)
	}
	if r := v.row.Reserved; r != nil {
		about = append(about, fact{reservedWords(r), tone.Plain})
	}
	about = append(about, fact{v.intruderWords(), tone.Plain})
	pods := v.row.pods
	room := lines - len(about)
	if len(pods) > room {
		more := len(pods) - max(room-1, 0)
		return v.draw(about, v.podLines(pods[:len(pods)-more]), []fact{{grammar.Count(more, "more pod", "more pods"), tone.Dim}}, lines)
	}
	return v.draw(about, v.podLines(pods), []fact{v.nodes()}, lines)
}

// about is the state that the taint stands for, and the zones.
func (v *preview) about(lines int) []fact {
	var facts []fact
	if state := model.TaintState(v.row.Key); state != "" {
		facts = append(facts, fact{grammar.Agree(len(v.row.Nodes), "The node is ", "The nodes are ") + state + ".", tone.Plain})
	}
	for i := range v.row.Zones {
		if zone := &v.row.Zones[i]; len(facts) < max(lines/4, 1) {
			facts = append(facts, fact{v.zoneWords(zone), zoneTone(zone)})
		}
	}
	return facts
}

// zoneWords say what state a zone is in, and what follows from it.
func (v *preview) zoneWords(zone *inventory.EvictionZone) string {
	words := fmt.Sprintf("%s %s: %s (default rates)", zone.Name(), zone.State, rateWords(zone))
	if zone.Waiting > 0 {
		words += ", " + model.FormatCount(zone.Waiting) + " waiting"
	}
	return words
}

// nodes name the nodes.
func (v *preview) nodes() fact {
	names := make([]string, len(v.row.Nodes))
	for i, name := range v.row.Nodes {
		names[i] = v.page.Host.Observed().NodeName(name)
	}
	return fact{"nodes: " + strings.Join(names, ", "), tone.Dim}
}

// reservedWords say whom the nodes are reserved for.
func reservedWords(r *inventory.Reserved) string {
	words := "reserved for " + strings.Join(r.Namespaces, ", ")
	if len(r.Pools) > 0 {
		words += " (" + grammar.Agree(len(r.Pools), "pool ", "pools ") + strings.Join(r.Pools, ", ") + ")"
	}
	words += ": " + model.FormatCount(r.Pods) + " of its pods"
	if n := len(r.Outside); n > 0 {
		words += " (+" + model.FormatCount(n) + " elsewhere)"
	}
	if n := len(r.Inside); n > 0 {
		words += ", " + grammar.Count(n, "other pod", "other pods")
	}
	return words
}

// intruderWords say what happens to the pods of the nodes.
func (v *preview) intruderWords() string {
	running, evicted := *v.row.Running, v.row.Evicted()
	of := "of " + grammar.Count(running, "pod", "pods")
	switch intruders := len(v.row.Intruders); {
	case running == 0:
		return "no pods on " + grammar.Agree(len(v.row.Nodes), "its node", "its nodes")
	case len(evicted) > 0:
		return model.FormatCount(len(evicted)) + " " + of + " to be evicted: " + v.row.NextEviction(v.now)
	case intruders > 0:
		return model.FormatCount(intruders) + " " + of + grammar.Agree(intruders, " does", " do") + " not tolerate it; NoSchedule does not evict them"
	case v.row.Effect == corev1.TaintEffectPreferNoSchedule:
		return grammar.Count(running, "pod", "pods") + "; PreferNoSchedule only lowers the score of its nodes"
	}
	if running == 1 {
		return "its pod tolerates it, or is static or terminating"
	}
	return "all " + grammar.Count(running, "pod", "pods") + " there tolerate it, or are static or terminating"
}

// podsOf are the pods that the preview names, each once: what is evicted, what is in the
// wrong place, then other intruders.
func podsOf(t *inventory.Taint) []namedPod {
	var pods []namedPod
	named := map[*model.Pod]bool{}
	add := func(some []inventory.TaintPod, before string, of tone.Tone) {
		for _, pod := range some {
			if !named[pod.Pod] {
				named[pod.Pod] = true
				pods = append(pods, namedPod{pod, before + pod.Why, of})
			}
		}
	}
	add(t.Evicted(), "", tone.Bad)
	if r := t.Reserved; r != nil {
		add(r.Inside, "other pod: ", tone.Warning)
		add(r.Outside, "elsewhere: ", tone.Warning)
	}
	add(t.Intruders, "", tone.Plain)
	return pods
}

// podLines draw pods in columns: the pod, why it is named, its node, its owner.
func (v *preview) podLines(pods []namedPod) []string {
	texts := make([][]string, len(pods))
	widths := []int{0, 0, 0}
	for i := range pods {
		pod := &pods[i]
		words, owner := pod.words, "no owner"
		if when := pod.When(v.now); when != "" {
			words = "eviction " + when
		}
		if pod.Owner != nil {
			owner = pod.Owner.Kind + " " + pod.Owner.Name
		}
		texts[i] = []string{
			model.Clean(pod.Namespace + "/" + pod.Name), model.Clean(words),
			model.Clean(v.page.Host.Observed().NodeName(pod.Node)), model.Clean(owner),
		}
		for column := range widths {
			widths[column] = max(widths[column], cells.Width(texts[i][column]))
		}
	}
	widths[0] = min(widths[0], v.width*2/5)
	s := v.page.Host.Styles()
	lines := make([]string, len(pods))
	for i, text := range texts {
		room := max(v.width-table.Gutter-1-widths[0]-2, 0)
		words := cells.Cut(text[1], room)
		rest := cells.Blank(widths[1]-cells.Width(text[1])+2) + cells.Left(text[2], widths[2]) + "  " + text[3]
		lines[i] = tone.Plain.Style(s).Render(cells.Blank(table.Gutter)+cells.Left(cells.CutName(text[0], widths[0]), widths[0])+"  ") +
			pods[i].tone.Style(s).Render(words) + tone.Dim.Style(s).Render(cells.Cut(rest, room-cells.Width(words)))
	}
	return lines
}
