package ui

import (
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// whyPage is what the Why page is drawn from. Drawing changes nothing in it.
type whyPage struct {
	report   *report.Report
	nodes    map[string]*report.NodeResult // of the report, by name
	groups   []whyGroup                    // of the report, as rows
	columns  []string                      // plugins that have a column
	snapshot *model.Snapshot
	pod      *model.Pod    // nil where there never was one
	kind     *model.Kind   // nil where the pod does not wait
	events   []model.Event // the autoscalers' are in scalers
	scalers  []model.Event
	fixes    *report.Fixes // nil before the first were tried

	cursor whyCursor
	chosen int           // the group that the details are about
	tops   [whyParts]int // the first row in view of each part

	now           time.Time
	domain        string // that all nodes' names share
	width, height int
	styles        *themes.Styles
	explaining    bool  // a newer report is slow to come
	gone          bool  // the pod is no more
	unheard       error // why there are no events
	unfixed       error // why there are no fixes
}

// whyPart is a part of the page that the cursor walks through.
type whyPart int

const (
	partGroups whyPart = iota
	partNodes          // of the selected group, on the wide screen
	partFixes
	partEvents
	whyParts
)

// whyCursor is the selected row.
type whyCursor struct {
	part whyPart
	row  int
}

// wideFrom is the width from which Why shows what the wide mock-up shows.
const wideFrom = 100

func (p *whyPage) wide() bool { return p.width >= wideFrom }

// old says that the page shows what was, not what is.
func (p *whyPage) old() bool { return p.explaining || p.gone }

// aboutNodes says whether the page has a table of groups. Verdicts that are not
// about nodes put their facts in its place.
func (p *whyPage) aboutNodes() bool {
	switch p.report.Verdict {
	case report.Gated, report.NotConsidered, report.Scheduled, report.NotCreated:
		return false
	}
	return len(p.groups) > 0
}

// group is the one that the details are about.
func (p *whyPage) group() (whyGroup, bool) {
	if !p.aboutNodes() {
		return whyGroup{}, false
	}
	return p.groups[p.chosen], true
}

// whyContent is everything that the page could show, before it is cut to size.
type whyContent struct {
	facts      []string
	matrix     matrix
	groups     int
	details    []string // of the selected group, told in lines
	nodes      int      // of the selected group, in a table
	fixes      whyFixes
	preemption []string
	quotes     []quoted
	events     int
}

// content gathers what there is to show.
func (p *whyPage) content() whyContent {
	c := whyContent{events: len(p.events), fixes: p.fixContent()}
	for _, fact := range p.facts() {
		c.facts = append(c.facts, cells.Indent(3, cells.Wrap(p.brief(fact), p.width-4))...)
	}
	if g, ok := p.group(); ok {
		c.groups = len(p.groups)
		c.matrix = newMatrix(p.report, p.groups, p.columns, p.width, p.styles)
		if p.wide() && !overAll(g) {
			c.nodes = len(g.nodes)
		} else {
			c.details = p.details(g)
		}
	}
	if sentence := p.preemption(); sentence != "" {
		c.preemption = cells.Indent(1, cells.Wrap(p.brief(sentence), p.width-2))
	}
	if p.wide() && p.report.Admission == nil || p.report.Verdict == report.Unknown {
		c.quotes = p.messages()
	}
	c.quotes = append(c.quotes, p.autoscalers()...)
	if p.unheard != nil {
		c.quotes = append(c.quotes, p.quote("EVENTS, unknown", p.unheard.Error()))
	}
	return c
}

// facts stand where the verdict is not, or not only, about nodes. The verdict
// leads them where the row above has no room for all of it.
func (p *whyPage) facts() []string {
	var facts []string
	if p.verdictCut() && !p.aboutNodes() {
		facts = append(facts, p.report.Summary)
	}
	if p.report.Verdict == report.Unschedulable {
		return facts
	}
	for _, fact := range p.report.Facts {
		if !strings.Contains(p.report.Summary, fact) { // the verdict says it
			facts = append(facts, fact)
		}
	}
	return facts
}

// verdictCut says whether the row of the answer has no room for all of it.
func (p *whyPage) verdictCut() bool { return cells.Width(p.verdict())+1 > p.width }

// brief is text of ours, clean and with short names of nodes.
func (p *whyPage) brief(text string) string { return model.Clean(withoutDomain(text, p.domain)) }

// verdict is the answer with its symbol.
func (p *whyPage) verdict() string {
	return symbolOf(p.report.Verdict) + p.brief(p.report.Summary)
}

// window is the range of a part's rows that is in view. Where rows are left
// below, the last line of a list of groups tells how many.
func (p *whyPage) window(part whyPart, all, rows int) (from, to int) {
	if all <= rows {
		return 0, all
	}
	if part == partGroups && rows > 1 {
		rows--
	}
	from = min(p.tops[part], all-rows)
	if p.cursor.part == part {
		from = min(max(from, p.cursor.row-rows+1), p.cursor.row)
	}
	from = max(0, from)
	return from, min(all, from+rows)
}

// resultsByName indexes what a report says of each node.
func resultsByName(results []report.NodeResult) map[string]*report.NodeResult {
	index := make(map[string]*report.NodeResult, len(results))
	for i := range results {
		index[results[i].Name] = &results[i]
	}
	return index
}
