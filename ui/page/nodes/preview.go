package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// preview draws the selected node under the list, in so many lines.
func (n *Page) preview(lines int) []string {
	drawn := make([]string, 0, lines)
	node, ok := n.Table.Selected()
	if ok {
		p := preview{node, n.Host.Observed(), n.Host.Styles(), n.Host.Levels(), n.Around.WidthBelow(n.Width), n.draw.used, nil}
		if !n.Host.Hides() {
			p.unready = n.unready.facts(node)
		}
		words := p.words()
		if n.Table.SelectedGone() {
			drawn = append(drawn, p.rule(append(words[:1], "gone")))
		} else {
			drawn = append(drawn, p.facts(words, lines)...)
		}
	}
	for len(drawn) < lines {
		drawn = append(drawn, "")
	}
	return drawn[:lines]
}

// preview is one node, as it is drawn under the list.
type preview struct {
	node   *model.Node
	seen   *page.Observed
	styles *themes.Styles
	levels gauge.Levels
	width  int
	used   func(*model.Node, corev1.ResourceName) int64

	unready *unreadyFacts // nil while it is Ready, or nothing is known
}

// words are the node's name, and what kind of node it is.
func (p *preview) words() []string {
	words := []string{p.seen.NodeName(p.node.Name)}
	if p.node.Pool != "" {
		words = append(words, "pool "+p.node.Pool)
	}
	for _, word := range []string{p.node.Instance, p.node.Zone, p.node.CapacityType, p.node.Version} {
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

// titleJoint stands between the words of a title.
const titleJoint = " · "

// rule is the first line.
func (p *preview) rule(words []string) string {
	title := cells.Cut(model.Clean(strings.Join(words, titleJoint)), p.titleWidth())
	rest := strings.Repeat("─", max(p.width-cells.Width(title)-4, 0))
	return p.styles.Rule.Render(" ─ ") + p.styles.Strong.Render(title) + p.styles.Rule.Render(" "+rest)
}

// titleWidth is the room of a title in the rule.
func (p *preview) titleWidth() int { return p.width - 6 }

// previewRows are those of a preview under the list, at most: nodes have no more to say than that, but for their pods.
const previewRows = 14

// wholeFrom is how many lines a preview needs to have one for each figure.
const wholeFrom = 12

// facts are the rule and the lines under it.
func (p *preview) facts(words []string, lines int) []string {
	if lines <= wholeFrom {
		return append([]string{p.rule(words)}, p.shortFacts()...)
	}
	inRule := len(words)
	for inRule > 1 && cells.Width(model.Clean(strings.Join(words[:inRule], titleJoint))) > p.titleWidth() {
		inRule--
	}
	drawn := []string{p.rule(words[:inRule])}
	wrapped := func(text string, of tone.Tone) {
		for _, row := range cells.Wrap(text, p.width-table.Gutter-1) {
			drawn = append(drawn, p.line(row, of))
		}
	}
	wrapped(strings.Join(words[inRule:], ", "), tone.Plain)
	for _, state := range p.states() {
		wrapped(state, p.stateTone())
	}
	if taints := p.taints(); len(taints) > 0 {
		wrapped("taints: "+strings.Join(taints, ", "), tone.Plain)
	}
	drawn = append(drawn, p.resources()...)
	wrapped(p.podWords(), tone.Plain)
	wrapped(p.fitWords(), tone.Plain)
	return append(drawn, p.largestRows(lines-len(drawn))...)
}

// shortFacts are the lines under the rule where there is no room for a line of each figure.
func (p *preview) shortFacts() []string {
	states, taints := p.states(), p.taints()
	var drawn []string
	if len(states) > 0 {
		drawn = append(drawn, p.line(strings.Join(states, "; "), p.stateTone()))
	}
	if len(taints) > 0 {
		drawn = append(drawn, p.line("taints: "+strings.Join(taints, ", "), tone.Plain))
	}
	drawn = append(drawn, p.line(p.podWords(), tone.Plain))
	if fit := p.fitWords(); fit != "" {
		drawn = append(drawn, p.line(fit, tone.Plain))
	}
	return append(drawn, p.line(p.largestWords(), tone.Plain), p.line(p.freeWords(), tone.Plain))
}

func (p *preview) line(text string, of tone.Tone) string {
	return of.Style(p.styles).Render(cells.Blank(table.Gutter) + cells.Cut(model.Clean(text), p.width-table.Gutter-1))
}

// stateTone is how bad the state of the node is.
func (p *preview) stateTone() tone.Tone {
	if p.node.IsFailed() {
		return tone.Bad
	}
	return tone.Warning
}

// states say what is not as usual about the node: each with its age, and the kubelet's
// or the controller's message.
func (p *preview) states() []string {
	var states []string
	if p.node.Lifecycle != "" {
		states = append(states, p.node.Lifecycle)
	}
	for i := range p.node.Object.Status.Conditions {
		c := &p.node.Object.Status.Conditions[i]
		word := string(c.Type)
		switch {
		case c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue:
			word = "NotReady"
		case !slices.Contains(p.node.Pressure, word):
			continue
		}
		state := word + p.agoWords(" for ", c.LastTransitionTime.Time)
		said := strings.TrimSuffix(cmp.Or(c.Message, c.Reason), ".")
		if c.Type == corev1.NodeReady {
			states = slices.Insert(states, 0, p.unreadyWords(state, said))
			continue
		}
		if said != "" {
			state += ": " + said
		}
		states = append(states, state)
	}
	if p.node.Cordoned {
		states = append(states, "cordoned"+p.agoWords(" for ", p.node.CordonedSince()))
	}
	return states
}

// unreadyWords say since when the node is not Ready, why, and how old its Lease is, which
// comes before a reason that is cut.
func (p *preview) unreadyWords(state, said string) string {
	lease := ""
	if p.unready != nil {
		lease = p.unready.leaseWords(p.seen)
	}
	switch {
	case said == "" && lease == "":
		return state
	case said == "":
		return state + ", " + lease
	case lease == "":
		return state + ": " + said
	}
	if words := state + ": " + said + "; " + lease; cells.Width(words) <= p.width-table.Gutter-1 {
		return words
	}
	return state + ", " + lease + ": " + said
}

// fitWords name the pending pods that would fit if the node were Ready; "" where that is
// not asked, or not known yet.
func (p *preview) fitWords() string {
	if p.unready == nil {
		return ""
	}
	return p.unready.fitWords()
}

// agoWords are an age after a word; "" where it is not known.
func (p *preview) agoWords(word string, since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return word + p.seen.Since(since)
}

// taints are the node's but that of a cordon, each with its age where it has one.
func (p *preview) taints() []string {
	var words []string
	for _, taint := range p.node.SortedTaints() {
		if p.node.Cordoned && taint.Key == corev1.TaintNodeUnschedulable {
			continue
		}
		word := strings.TrimPrefix(taint.ToString(), model.TaintDomain)
		if taint.TimeAdded != nil {
			word += " (" + p.seen.Since(taint.TimeAdded.Time) + ")"
		}
		if state := model.TaintState(taint.Key); state != "" {
			word += ": " + state
		}
		words = append(words, word)
	}
	return words
}

// podWords count the pods, and those that a drain leaves.
func (p *preview) podWords() string {
	if why := p.seen.PodsUnknown(); why != "" {
		return "pods: " + model.UnknownFigure + " (" + why + ")"
	}
	daemons, static := 0, 0
	for _, pod := range p.node.Pods {
		switch {
		case model.IsMirror(pod.Object):
			static++
		case pod.Owner.Kind == "DaemonSet":
			daemons++
		}
	}
	words := figures.Count(len(p.node.Pods), "pod", "pods")
	if evicted := p.evictedWords(); evicted != "" {
		return words + ": " + evicted
	}
	if most := p.node.Allocatable.Pods; most > 0 {
		words += " of " + model.FormatCount(most)
	}
	var kinds []string
	if daemons > 0 {
		kinds = append(kinds, model.FormatCount(daemons)+" of DaemonSets")
	}
	if static > 0 {
		kinds = append(kinds, model.FormatCount(static)+" static")
	}
	if len(kinds) > 0 {
		words += ": " + strings.Join(kinds, ", ")
	}
	return words
}

// largestWords are the pods that request the most of what the node is fullest of, as many as fit in a
// line.
func (p *preview) largestWords() string {
	if p.seen.PodsUnknown() != "" {
		return ""
	}
	fullest := figures.Fullest(p.node.Requested, p.node.Allocatable)
	amount := func(of int64) string { return strings.TrimSpace(figures.ColumnText(fullest, of, model.Nearest)) }
	all, sum := figures.HoldersOn(p.node, fullest)
	if len(all) == 0 {
		return ""
	}
	head := "largest by " + string(fullest) + ": "
	room := p.width - table.Gutter - 1 - cells.Width(head+", 999 more: 999.99")
	var words []string
	for _, holding := range all {
		word := holding.Pod.FullName() + " " + amount(holding.Amount)
		if room -= cells.Width(word) + 2; len(words) == largestFew || len(words) > 0 && room < 0 {
			break
		}
		words = append(words, word)
		sum -= holding.Amount
	}
	if more := len(all) - len(words); more > 0 {
		words = append(words, model.FormatCount(more)+" more: "+amount(sum))
	}
	return head + strings.Join(words, ", ")
}

// largestFew is how many pods a line names at most.
const largestFew = 4

// largestRows are the pods that request the most of what the node is fullest of, one a line.
func (p *preview) largestRows(lines int) []string {
	if p.seen.PodsUnknown() != "" || lines <= 0 {
		return nil
	}
	fullest := figures.Fullest(p.node.Requested, p.node.Allocatable)
	all, _ := figures.HoldersOn(p.node, fullest)
	shown := all
	if len(all) > lines {
		shown = all[:lines-1]
	}
	names, amounts := 0, 0
	amount := func(of figures.Holding) string {
		return strings.TrimSpace(figures.ColumnText(fullest, of.Amount, model.Nearest))
	}
	for _, holding := range shown {
		names = max(names, cells.Width(model.Clean(holding.Pod.FullName())))
		amounts = max(amounts, cells.Width(amount(holding)))
	}
	figure := func(of figures.Holding) string {
		return fmt.Sprintf("cpu %5s  mem %6s", figures.Cores(of.Pod.Requests.MilliCPU), figures.Memory(of.Pod.Requests.Memory))
	}
	const around = table.Gutter + 2 + 2 + 1 // blanks before a name, after it and at the end
	if len(shown) > 0 && names+cells.Width(figure(shown[0])) > p.width-around {
		figure = func(of figures.Holding) string { // the resource that they are in the order of
			return model.ResourceWord(fullest) + " " + cells.Right(amount(of), amounts)
		}
	}
	var rows []string
	for _, holding := range shown {
		figures := figure(holding)
		wide := min(names, p.width-around-cells.Width(figures))
		name := cells.Left(cells.CutName(model.Clean(holding.Pod.FullName()), wide), wide)
		rows = append(rows, p.line("  "+name+"  "+figures, tone.Plain))
	}
	if more := len(all) - len(shown); more > 0 {
		rows = append(rows, p.line("  "+figures.Count(more, "more requests", "more request")+" "+string(fullest), tone.Dim))
	}
	return rows
}

// names are the resources that the node has: cpu, memory, then extended ones.
func (p *preview) names() []corev1.ResourceName {
	whole := model.Capacity{Allocatable: p.node.Allocatable}
	return append([]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}, whole.Extended()...)
}

// freeWords are the free capacity in a line: "free: cpu 3.65 of 15.9, memory 19Gi of 60Gi".
func (p *preview) freeWords() string {
	var words []string
	for _, name := range p.names() {
		free, whole := p.amounts(name)
		words = append(words, model.ResourceWord(name)+" "+free+" of "+whole)
	}
	return "free: " + strings.Join(words, ", ")
}

// amounts are what is free of a resource and what is allocatable; ? is not known.
func (p *preview) amounts(name corev1.ResourceName) (free, whole string) {
	free, whole = model.UnknownFigure, model.UnknownFigure
	if p.node.Allocatable.Of(name) <= 0 {
		return free, whole
	}
	whole = figures.ColumnText(name, p.node.Allocatable.Of(name), model.Down)
	if p.seen.PodsUnknown() == "" {
		free = freeText(p.node, name)
	}
	return free, whole
}
