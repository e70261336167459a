package explanation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

const (
	// fewDomains is how many domains of a rule have a line each; fewDomainsWide on a wide
	// screen.
	fewDomains, fewDomainsWide = 4, 8
	// domainCells is the most that the name of a domain takes.
	domainCells = 24
)

// topologies are the rules about topology domains that reject the node: in those the node
// has no domain, or one that rejects.
func (c closest) topologies() []*report.Topology {
	if c.name == "" || c.node == nil {
		return nil
	}
	var found []*report.Topology
	for i := range c.page.Report.Topology {
		t := &c.page.Report.Topology[i]
		name, labelled := c.node.Object.Labels[t.Key]
		d, ok := t.On(name)
		if rejects := labelled && ok && d.Rejects || !labelled && t.Unlabelled > 0; rejects && c.rejectedBy(t.Rule) {
			found = append(found, t)
		}
	}
	return found
}

// rejectedBy says whether the plugin of a rule rejects the node.
func (c closest) rejectedBy(rule report.TopologyRule) bool {
	return slices.ContainsFunc(c.rejections, func(r report.Rejection) bool { return r.Plugin == rule.Plugin() })
}

// drawn says whether a rejection is drawn as domains.
func (c closest) drawn(rejection report.Rejection) bool {
	return slices.ContainsFunc(c.topologies(), func(t *report.Topology) bool { return t.Rule.Plugin() == rejection.Plugin })
}

// domains draw each rule: what it compares, then a line for each domain, that of the node
// first, then those that do not reject; of an anti-affinity those that are taken.
func (c closest) domains() []string {
	var lines []string
	for _, t := range c.topologies() {
		title := c.page.Brief(t.Title(!c.page.wide()))
		if cells.Width(title)+table.Gutter > c.page.Width {
			title = c.page.Brief(t.ShortTitle())
		}
		lines = append(lines, cells.Blank(table.Gutter)+title)
		lines = append(lines, cells.Indent(table.Gutter, cells.Wrap(c.page.Brief(t.OtherNamespaces), c.page.Width-table.Gutter-1))...)
		own, labelled := c.node.Object.Labels[t.Key]
		if !labelled {
			lines = append(lines, cells.Blank(table.Gutter)+c.page.Styles.Bad.Render("✗")+" the node has no label "+model.Clean(report.ShortLabels(t.Key)))
		}
		all := slices.Clone(t.Domains)
		rank := func(d report.Domain) int {
			switch {
			case labelled && d.Name == own:
				return 0
			case d.Rejects == t.Apart():
				return 1
			}
			return 2
		}
		slices.SortStableFunc(all, func(a, b report.Domain) int { return cmp.Compare(rank(a), rank(b)) })
		lines = append(lines, c.domainLines(t, all)...)
	}
	return lines
}

// domainLines are the first domains of a rule, a line each, and how many more there are.
func (c closest) domainLines(t *report.Topology, all []report.Domain) []string {
	most := fewDomains
	if c.page.wide() {
		most = fewDomainsWide
	}
	shown := all
	if len(all) > most {
		shown = all[:most-1]
	}
	wide, greatest := 0, 0
	for i := range shown {
		wide = min(max(wide, cells.Width(c.page.Brief(shown[i].Name))), domainCells)
	}
	for i := range all {
		greatest = max(greatest, all[i].Pods)
	}
	lines := make([]string, 0, len(shown)+1)
	for i := range shown {
		lines = append(lines, c.domainLine(t, &shown[i], wide, greatest))
	}
	if rest := len(all) - len(shown); rest > 0 {
		lines = append(lines, c.page.Styles.Dim.Render(cells.Blank(table.Gutter)+figures.Count(rest, "more domain", "more domains")))
	}
	return lines
}

// domainLine is one domain: whether it rejects, its name, of a spread a bar of its pods, and
// why.
func (c closest) domainLine(t *report.Topology, d *report.Domain, wide, greatest int) string {
	s := c.page.Styles
	style := s.OK
	if d.Rejects {
		style = s.Bad
	}
	line := cells.Blank(table.Gutter) + style.Render(d.Mark()) + " " + cells.Left(cells.CutMiddle(c.page.Brief(d.Name), wide), wide)
	if t.Rule == report.SpreadRule {
		taken, free := gauge.Bar(barWidth, int64(d.Pods), int64(max(greatest, 1)))
		line += " " + style.Render(taken) + s.BarFree.Render(free) + cells.Right(model.FormatCount(d.Pods), cells.Width(model.FormatCount(greatest))+1)
	}
	words := t.Words(d)
	if t.Rule == report.SpreadRule && !d.Rejects && d.Excluded == "" {
		words += c.otherwise(t, d)
	}
	return strings.TrimRight(line+"  "+c.page.Brief(words), " ")
}

// otherwise says what rejects the nearest nodes of a domain that has room by its rule, for nothing
// else says why the pod does not go there: "; 2 nodes there: dedicated=gpu:NoSchedule".
func (c closest) otherwise(t *report.Topology, d *report.Domain) string {
	for i := range c.page.Report.Groups {
		g := &c.page.Report.Groups[i]
		there, first := 0, ""
		for _, name := range g.Nodes {
			if node, ok := c.page.Snapshot.Node(name); ok && node.Object != nil && node.Object.Labels[t.Key] == d.Name {
				there++
				first = cmp.Or(first, name)
			}
		}
		switch on := (&report.Group{Rejections: c.page.RejectionsOn(first, g)}); {
		case there > 0 && len(on.Rejections) == 0: // the pod may go there
			return ""
		case there > 0:
			return "; " + figures.Count(there, "node", "nodes") + " there: " + strings.Join(on.ClauseList(), "; ")
		}
	}
	return ""
}
