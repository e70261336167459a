package evictions

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Answer says whom the kubelet evicts first under memory pressure.
func (p *Page) Answer(width int) string {
	seen := p.Host.Observed()
	name := model.Clean(seen.NodeName(p.node))
	if _, ok := seen.Snapshot.Node(p.node); !ok && !seen.IsReading() {
		return page.AbsentNode(seen, nil, name)
	}
	if why := seen.PodsUnknown(); why != "" && !seen.IsReading() {
		return "The order is unknown: " + why + "."
	}
	if words := p.Answering(); words != "" {
		return words
	}
	rows := p.Natural()
	if len(rows) == 0 {
		words := "No pods on " + name
		if namespace := p.Host.Namespace(); namespace != "" {
			words += " in namespace " + model.Clean(namespace)
		}
		return words + "."
	}
	return p.Query().Filtered(order(rows[0].of, name, width), width)
}

// order words the order of the pods of a node.
func order(of *facts, node string, width int) string {
	switch {
	case of.most == 0:
		return fmt.Sprintf("The kubelet of %s evicts none of its pods: each is static or critical.", node)
	case of.first == nil:
		return fmt.Sprintf("Under memory pressure any of %s may be evicted first.", grammar.Count(of.may, "pod", "pods"))
	}
	words := "Under memory pressure " + model.Clean(of.first.Namespace+"/"+of.first.Name)
	if of.next == nil {
		return words + " is the only pod that may be evicted."
	}
	words += " is evicted first"
	if because := words + ": " + of.reason() + "."; cells.Width(because) <= width {
		return because
	}
	return words + "."
}

// reason says why a pod is evicted first, and not the next one.
func (f *facts) reason() string {
	excess, known := f.first.Excess()
	switch {
	case known && excess > 0 && f.first.Request() == 0:
		return "it requests no memory"
	case known && excess > 0:
		return "it uses " + model.FormatMemory(excess, model.Nearest) + " more than it requests"
	case f.next.Priority == f.first.Priority:
		return "closest to its request"
	}
	return fmt.Sprintf("lowest priority, %d", f.first.Priority)
}

// below draws what is known of the selected pod and of the node, in so many lines.
func below(p *Page, lines int) []string {
	drawn := make([]string, 0, lines)
	if r, ok := p.Table.Selected(); ok {
		d := preview{r, p.config, p.Host.Styles(), p.Around.WidthBelow(p.Width), p.Host.Observed().Snapshot.Status.MetricsNote}
		drawn = append(drawn, d.rule(p.Table.SelectedGone()))
		if !p.Table.SelectedGone() {
			drawn = append(drawn, d.factLines(lines-1)...)
		}
	}
	for len(drawn) < lines {
		drawn = append(drawn, "")
	}
	return drawn[:lines]
}

// preview is one pod, as it is drawn under the list.
type preview struct {
	row    row
	config *config
	styles *themes.Styles
	width  int
	note   string // why there are no metrics; "" if there are
}

// ruleEnds are the cells of a rule beside its title.
const ruleEnds = 4

// rule is the first line: the pod, its class and its priority.
func (d preview) rule(gone bool) string {
	r := d.row
	words := []string{r.Namespace + "/" + r.Name, string(r.Class), fmt.Sprintf("priority %d", r.Priority)}
	if gone {
		words = append(words[:1], "gone")
	}
	title := cells.Cut(model.Clean(strings.Join(words, " · ")), d.width-ruleEnds-2)
	rest := strings.Repeat("─", max(d.width-cells.Width(title)-ruleEnds, 0))
	return d.styles.Rule.Render(" ─ ") + d.styles.Strong.Render(title) + d.styles.Rule.Render(" "+rest)
}

// factLines draw the facts in so many rows: each in one, or in more where rows are free.
func (d preview) factLines(rows int) []string {
	var drawn []string
	facts := d.facts()
	for i := range facts {
		facts[i] = model.Clean(facts[i])
	}
	for i, lines := range cells.Fill(facts, d.width-2, rows) {
		if len(lines) == 1 {
			lines[0] = cells.CutWords(facts[i], d.width-1)
		}
		for _, line := range lines {
			drawn = append(drawn, " "+d.styles.Text.Render(line))
		}
	}
	return drawn
}

// facts are the lines under the rule.
func (d preview) facts() []string {
	r := d.row
	facts := []string{r.WhyClass, d.usage()}
	if r.Never != "" {
		facts[1] = "Never evicted: " + r.Never + "."
	}
	facts = append(facts, d.config.thresholds())
	scores := make([]string, len(r.Containers))
	for i, c := range r.Containers {
		scores[i] = c.Name + " " + model.UnknownFigure
		if c.OOMScoreAdj != nil {
			scores[i] = fmt.Sprintf("%s %d", c.Name, *c.OOMScoreAdj)
		}
	}
	facts = append(facts, "oom_score_adj: "+strings.Join(scores, ", ")+".")
	if words := kernel(r.of); words != "" {
		facts = append(facts, words)
	}
	if words := strings.TrimSpace(d.config.pinned(r.Pinned) + " " + d.config.aligned(r.Pod)); words != "" {
		facts = append(facts, words)
	}
	return facts
}

// usage says how the memory that a pod uses compares with its request.
func (d preview) usage() string {
	r := d.row
	excess, known := r.Excess()
	switch {
	case !known && d.note != "":
		return "Usage is unknown: " + d.note + "."
	case !known:
		return "Usage is unknown: metrics.k8s.io has no figures of the pod."
	case r.Request() == 0:
		return "Uses " + model.FormatMemory(r.Used.Memory, model.Nearest) + " of memory and requests none."
	case excess > 0:
		return fmt.Sprintf("Uses %s of memory, %s more than it requests.", model.FormatMemory(r.Used.Memory, model.Nearest), model.FormatMemory(excess, model.Nearest))
	}
	return fmt.Sprintf("Uses %s of memory, no more than the %s that it requests.", model.FormatMemory(r.Used.Memory, model.Nearest), model.FormatMemory(r.Request(), model.Nearest))
}

// kernel says whose container has the highest oom_score_adj, which the kernel adds to the
// memory usage when the node has none left (oom_badness of mm/oom_kill.c); "" is not known.
func kernel(of *facts) string {
	switch len(of.killed) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Highest oom_score_adj (memory usage adds to it): %s, %d.", of.killed[0], of.score)
	}
	return fmt.Sprintf("Highest oom_score_adj (memory usage adds to it): %[2]d, %[1]s.", grammar.Count(len(of.killed), "container", "containers"), of.score)
}
