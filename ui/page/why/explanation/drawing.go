// Package explanation draws an explanation: the verdict on a pod, the groups of nodes, what refuses
// them, and the fixes.
package explanation

import (
	"slices"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
)

// Drawing is what the Why page is drawn from. Drawing changes nothing in it.
type Drawing struct {
	Report   *report.Report
	Nodes    map[string]*report.NodeResult // of the report, by name
	Table    report.GroupTable             // of the report's groups
	Snapshot *model.Snapshot
	Pod      *model.Pod              // nil where there never was one
	Kind     *model.EquivalenceClass // nil where the pod is not pending
	Events   []model.Event           // the newest first, without the autoscaler messages of the report
	heard    []model.Event           // with those
	Fixes    *report.Fixes           // nil before the first were tried

	Cursor Cursor
	// Preview: the page is drawn under a list. Without much room it has fixes rather than the
	// closest node.
	Preview bool
	Chosen  int        // the group that the details are about
	Tops    [Parts]int // the first row in view of each part

	Now           time.Time
	Domain        string // that nodes' names share
	Width, Height int
	Styles        *themes.Styles
	Levels        gauge.Levels
	PodsUnknown   string // why the pods of nodes are not all known; "" where they are
	Explaining    bool   // a newer report is slow to come
	Gone          bool   // the pod is no more
	InPlace       string // a sentence about the pods that there are now in its place; "" is none
	Unheard       error  // why there are no events
	Unfixed       error  // why there are no fixes
}

// Take swaps the report; nodes are its answers for nodes by name. Columns never go away.
func (p *Drawing) Take(r *report.Report, nodes map[string]*report.NodeResult) {
	p.Report, p.Nodes, p.Table = r, nodes, r.GroupTable(p.Table.Columns)
	p.Hear(p.heard)
}

// Part is a part of the page that the cursor walks through.
type Part int

// The parts, from the top.
const (
	PartGroups Part = iota
	PartNodes       // of the selected group, on the wide screen
	PartFixes
	partEvents
	Parts
)

// Cursor is the selected row.
type Cursor struct {
	Part Part
	Row  int
}

// NoCursor is on no row.
var NoCursor = Cursor{Part: Parts + 1}

func (p *Drawing) wide() bool { return p.Width >= cells.WideFrom }

// old says that the page shows what was, not what is.
func (p *Drawing) old() bool { return p.Explaining || p.Gone }

// AboutNodes says whether the page has a table of groups. Verdicts that are not
// about nodes put their facts in its place.
func (p *Drawing) AboutNodes() bool {
	switch p.Report.Verdict {
	case report.Gated, report.NotConsidered, report.Scheduled, report.NotCreated:
		return false
	}
	return len(p.Table.Rows) > 0
}

// Group is the one that the details are about.
func (p *Drawing) Group() (*report.Group, bool) {
	if !p.AboutNodes() {
		return nil, false
	}
	return &p.Table.Rows[p.Chosen], true
}

// Content is everything that the page could show, before it is cut to size.
type Content struct {
	wide       bool
	rest       []string // of a verdict about nodes, where row 2 cuts it
	facts      []string
	matrix     matrix
	apart      bool // the row above is empty
	groups     int
	nodes      int      // of the selected group, in a table
	closest    []string // its closest node, or the selected one, below a rule
	closestFew int      // of these, the lines that say why the node rejects the pod
	fixes      fixPart
	preemption []string
	quotes     []quoted
	foremost   int // of these, the first that have a row before others get more
	said       int // rows of these that come before more fixes than few
	events     int
}

// previewWhole is from how many rows on a preview has the closest node too.
const previewWhole = 26

// Content gathers what there is to show.
func (p *Drawing) Content() Content {
	c := Content{wide: p.wide(), events: len(p.Events), fixes: p.fixContent(), rest: restLines(p), apart: apart(p)}
	for _, fact := range p.facts() {
		c.facts = append(c.facts, cells.Indent(3, cells.Wrap(p.Brief(fact), p.Width-4))...)
	}
	if g, ok := p.Group(); ok {
		c.groups = len(p.Table.Rows)
		c.matrix = newMatrix(p.Table, p.Width, p.Styles)
		if p.wide() && !g.OverAll() {
			c.nodes = len(g.Nodes)
		}
		if !p.Preview || p.Height >= previewWhole {
			c.closest, c.closestFew = p.closest(g).lines()
		}
	}
	if sentence := p.account().preemption(); sentence != "" {
		c.preemption = cells.Indent(1, cells.Wrap(p.Brief(sentence), p.Width-2))
	}
	c.quotes = slices.Concat(p.account().queue(), p.account().gang(), p.account().provisioning())
	if p.Preview { // it has no messages, which come before what autoscalers said
		c.quotes = append(c.quotes, p.account().autoscalersShort()...)
		c.said = c.quoteRows() // the last clauses may be the answer
	}
	c.foremost = len(c.quotes)
	if p.Unheard != nil {
		c.quotes = append(c.quotes, p.account().quote("EVENTS unknown", p.Unheard.Error()))
	}
	if p.wide() && !p.Preview && p.Report.Admission == nil || p.Report.Verdict == report.Unknown {
		c.quotes = append(c.quotes, p.account().messages()...)
	}
	if !p.Preview {
		c.quotes = append(c.quotes, p.account().autoscalersShort()...)
	}
	return c
}

// apart says that the row above the parts is empty, as kube-scheduler has nothing to agree with any more.
func apart(p *Drawing) bool { return p.Report.Verdict == report.Scheduled && agreementRow(p) == "" }

// lead is the verdict that is not about nodes where the row above has no room for all of it. Of a pod that has a node the
// sentences that are above are not told again.
func lead(p *Drawing) string {
	switch {
	case p.AboutNodes() || !p.VerdictCut():
		return ""
	case p.Report.Verdict == report.Scheduled:
		return afterVerdict(p)
	}
	return p.Report.Summary
}

// facts stand where the verdict is not, or not only, about nodes. The verdict
// leads them where the row above has no room for all of it.
func (p *Drawing) facts() []string {
	var facts []string
	if lead := lead(p); lead != "" {
		facts = append(facts, lead)
	}
	if ending := report.TerminatingSentence(p.Report, p.Now); ending != "" {
		facts = append(facts, ending)
	}
	if rollout := report.RolloutSentence(p.Report, p.Now); rollout != "" {
		facts = append(facts, rollout)
	}
	if failed := report.FailedPodsSentence(p.Report, p.Now); failed != "" {
		facts = append(facts, failed)
	}
	if preempted := report.PreemptedSentence(p.Report, p.Now); preempted != "" {
		facts = append(facts, preempted)
	}
	if p.Report.Verdict == report.Unschedulable {
		return facts
	}
	if p.Report.Verdict == report.Scheduled && p.Pod != nil {
		facts = append(facts, "T shows how kube-scheduler would place it now.")
	}
	return append(facts, p.Report.FurtherFacts()...)
}

// Agreement is whether kube-scheduler agrees with a page, in a clause; "" where there is more
// to say of it than that.
func Agreement(p *Drawing) string {
	agreement := p.Report.Agreement(p.Now)
	if p.Explaining || p.Report.Observed.Quiet != "" || agreement.Level == report.Disagrees {
		return ""
	}
	return model.Clean(agreement.Text)
}

// Brief is text of ours, clean and with short names of nodes.
func (p *Drawing) Brief(text string) string {
	return model.Clean(figures.WithoutDomain(text, p.Domain))
}

// Window is the range of a part's rows that is in view. Where rows are left
// below, the last line of a list of groups or fixes tells how many.
func (p *Drawing) Window(part Part, all, rows int) (from, to int) {
	counted := part == PartFixes && moreFixes(p) // also those that have no row
	if all < rows || all == rows && !counted {
		return 0, all
	}
	if (part == PartGroups || part == PartFixes) && rows > 1 {
		rows--
	}
	from = min(p.Tops[part], all-rows)
	if p.Cursor.Part == part {
		from = min(max(from, p.Cursor.Row-rows+1), p.Cursor.Row)
	}
	from = max(0, from)
	return from, min(all, from+rows)
}

// ResultsByName indexes what a report says of each node.
func ResultsByName(results []report.NodeResult) map[string]*report.NodeResult {
	index := make(map[string]*report.NodeResult, len(results))
	for i := range results {
		index[results[i].Name] = &results[i]
	}
	return index
}
