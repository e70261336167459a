package explanation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// closest is one node of a group: its closest, or the one that the cursor is on. For what
// rejects the pod on all nodes at once there is no node.
type closest struct {
	page       *Drawing
	group      *report.Group
	name       string      // "" is no node
	node       *model.Node // nil where it is not known; see countedNode
	nominated  []*model.Pod
	rejections []report.Rejection
}

// closest is the node of g that the page shows.
func (p *Drawing) closest(g *report.Group) closest {
	c := closest{page: p, group: g, rejections: g.Rejections}
	if len(g.Nodes) == 0 || g.OverAll() {
		return c
	}
	at := 0
	if p.Cursor.Part == PartNodes {
		at = min(max(p.Cursor.Row, 0), len(g.Nodes)-1)
	}
	c.name = g.Nodes[at]
	c.node, c.nominated = countedNode(p, c.name)
	c.rejections = slices.DeleteFunc(slices.Clone(p.RejectionsOn(c.name, g)), func(r report.Rejection) bool { return r.PreFilter })
	return c
}

// lines are a rule with the node's name, what rejects the pod there but for resources, the
// topology domains that it is about, a bar for each resource that the pod requests, the
// largest pods and those that are nominated to it. The first few say what rejects the pod.
func (c closest) lines() (lines []string, few int) {
	lines = append(c.reasons(), c.domains()...)
	few = max(whyFewClosest, min(1+len(lines), whyMostClosest))
	lines = append(lines, c.bars()...)
	if largest := c.largest(); largest != "" {
		lines = append(lines, largest)
	}
	if line := c.nominees(); line != "" {
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, 0
	}
	lines = append([]string{ruled(c.page.Styles, c.title(), c.page.Width)}, lines...)
	return lines, min(few, len(lines))
}

// title names the node, and says what kind of node it is and whether it is Ready.
func (c closest) title() string {
	if c.name == "" {
		return "all nodes"
	}
	words := []string{c.page.Brief(c.name)}
	if c.node != nil {
		for _, word := range []string{c.node.Instance, c.node.Zone, c.node.Status} {
			if word != "" {
				words = append(words, model.Clean(word))
			}
		}
	}
	return strings.Join(words, " · ")
}

// ruled is a rule over a part of the page, with its title.
func ruled(s *themes.Styles, title string, width int) string {
	title = cells.Cut(title, width-6)
	rest := strings.Repeat("─", max(width-cells.Width(title)-5, 0))
	return s.Rule.Render(" ─ ") + s.Strong.Render(title) + s.Rule.Render(" "+rest)
}

// reasons are the sentences of the rejections, but for resources, each once. Those that
// stand in the table of nodes are left out.
func (c closest) reasons() []string {
	resources := slices.ContainsFunc(c.rejections, func(r report.Rejection) bool { return r.Plugin == figures.FitPlugin })
	if c.name != "" && c.page.wide() && !resources {
		return nil
	}
	var lines, causes []string
	for _, rejection := range c.rejections {
		drawn := rejection.Plugin == figures.FitPlugin && len(rejection.Numbers) > 0 || c.drawn(rejection)
		if drawn || rejection.Cause != "" && slices.Contains(causes, rejection.Cause) { // a cordon is also a taint
			continue
		}
		causes = append(causes, rejection.Cause)
		said := strings.TrimPrefix(SentenceOn(c.name, rejection), c.name+" ") + c.lasting(rejection)
		lines = append(lines, cells.Indent(table.Gutter, cells.Wrap(c.page.Brief(report.ShortLabels(said)), c.page.Width-table.Gutter-1))...)
	}
	return lines
}

// lasting says for how long the node has been cordoned, or has had the taints; "" where
// it does not say.
func (c closest) lasting(rejection report.Rejection) string {
	var ages []string
	switch {
	case c.node == nil:
		return ""
	case rejection.Cause == report.CordonWord:
		if since := c.node.CordonedSince(); !since.IsZero() {
			ages = []string{model.FormatAge(since, c.page.Now)}
		}
	default:
		for _, taint := range rejection.Taints {
			if taint.TimeAdded == nil {
				return ""
			}
			if age := model.FormatAge(taint.TimeAdded.Time, c.page.Now); !slices.Contains(ages, age) {
				ages = append(ages, age)
			}
		}
	}
	if len(ages) == 0 {
		return ""
	}
	return " for " + strings.Join(ages, ", ")
}

// amounts are what the node has of each resource that it lacks, and of the others that the
// pod requests.
func (c closest) amounts() []figures.Shortage {
	all := figures.Shortages(c.rejections, c.node, c.page.Snapshot.Usage)
	if c.node == nil || c.page.Pod == nil || c.page.PodsUnknown != "" {
		return all
	}
	requests := *c.page.Pod.Requests
	names := append([]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}, slices.Sorted(maps.Keys(requests.Scalar))...)
	for _, name := range names {
		has := func(s figures.Shortage) bool { return s.Resource == name }
		wanted := figures.AmountIn(requests, name)
		if wanted <= 0 || slices.ContainsFunc(all, has) || figures.AmountIn(c.node.Allocatable, name) <= 0 {
			continue
		}
		s := figures.Shortage{
			Resource: name, Wanted: wanted,
			Requested: figures.AmountIn(c.node.Requested, name), Allocatable: figures.AmountIn(c.node.Allocatable, name),
		}
		s.Used, s.Measured = figures.UsedOn(c.node, name, c.page.Snapshot.Usage)
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b figures.Shortage) int {
		return cmp.Compare(report.ResourceRank(a.Resource), report.ResourceRank(b.Resource))
	})
	return all
}

// barWidth is the cells of a bar.
const barWidth = 10

// bars are a line for each resource: how much is requested, what is free, and whether that
// is enough.
func (c closest) bars() []string {
	all := c.amounts()
	wide := 0
	for _, s := range all {
		wide = max(wide, cells.Width(resourceHead(s.Resource)))
	}
	p := c.page
	lines := make([]string, 0, len(all))
	for _, s := range all {
		level := p.Levels.Tone(model.Percent(s.Requested, s.Allocatable))
		used := int64(gauge.Unmeasured)
		if s.Measured {
			used = s.Used
		}
		line := p.Styles.Text.Render(cells.Blank(table.Gutter)+cells.Left(resourceHead(s.Resource), wide)+" ") +
			gauge.DrawUsed(p.Styles, p.Levels, barWidth, s.Requested, s.Allocatable, used) +
			level.Style(p.Styles).Render(fmt.Sprintf("%5s", gauge.Words(s.Requested, s.Allocatable)))
		lines = append(lines, line+p.Styles.Text.Render("   "+c.amountWords(s, p.Width-cells.Width(line)-4)))
	}
	return lines
}

// resourceHead is a resource before its bar.
func resourceHead(name corev1.ResourceName) string {
	if name == corev1.ResourceMemory {
		return "mem"
	}
	return model.Clean(model.ResourceWord(name))
}

// amountWords are the sum behind what is free, in width cells: "free 3.65 = allocatable
// 15.9 − requested 12.25". Of a resource that no plugin found lacking it is enough.
func (c closest) amountWords(s figures.Shortage, width int) string {
	left, all, part := figures.SumTexts(s.Resource, s.Allocatable, s.Requested)
	free := "free " + figures.AmountText(s.Resource, s.Free(), model.Down)
	sum := "free " + left + " = allocatable " + all + " − requested " + part
	lacks := slices.ContainsFunc(figures.Shortages(c.rejections, c.node, nil), func(l figures.Shortage) bool { return l.Resource == s.Resource })
	if !lacks {
		if c.group.Fits == nil || s.Short() > 0 {
			return cells.Cut(sum, width)
		}
		if words := sum + ", enough"; c.page.wide() && cells.Width(words) <= width {
			return words
		}
		return cells.Cut(free+", enough", width)
	}
	words := sum
	if short := s.Short(); short > 0 {
		if longer := words + "; needs " + figures.AmountText(s.Resource, short, model.Up) + " more"; cells.Width(longer) <= width {
			words = longer
		}
	}
	if s.Measured {
		if longer := words + "; used " + figures.ColumnText(s.Resource, s.Used, model.Nearest); cells.Width(longer) <= width {
			words = longer
		}
	}
	return cells.Cut(words, width)
}

// largest names the pods that request most of the first resource that the node lacks, and
// sums the others up; "" where it lacks none that pods request.
func (c closest) largest() string {
	lacking := figures.Shortages(c.rejections, c.node, nil)
	if len(lacking) == 0 || c.node == nil || c.page.PodsUnknown != "" || lacking[0].Resource == corev1.ResourcePods {
		return ""
	}
	name := lacking[0].Resource
	all, sum := figures.HoldersOn(c.node, name)
	if len(all) == 0 {
		return ""
	}
	shown := all[:min(2, len(all))]
	tail := ""
	if rest := len(all) - len(shown); rest > 0 {
		for _, h := range shown {
			sum -= h.Amount
		}
		tail = ", " + model.FormatCount(rest) + " more: " + figures.ColumnText(name, sum, model.Nearest)
	}
	head := cells.Blank(table.Gutter) + "largest by " + resourceHead(name) + ": "
	return head + holderNames(shown, name, c.page.Width-cells.Width(head)-cells.Width(tail)-1) + tail
}
