package report

import (
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// TextOptions say how much of a report is written.
type TextOptions struct {
	Verbose bool      // every group, message and note, not only what a first look needs
	Nodes   bool      // every node's answer, not only those of groups
	Fixes   bool      // every fix that was tried, with its command
	List    bool      // the report is one of several: what holds for all of them is not repeated
	Now     time.Time // for ages; zero: without them
	// KubectlFlags are those that kubectl needs to reach the cluster, as in model.Status: they stand below commands.
	KubectlFlags string

	names bool // of the nodes of each group
	few   bool // without the counts of nodes that each plugin rejects
}

// Document is a report as people read it. Text and Markdown write the same one.
type Document struct {
	Title    string
	Sections []Section
}

// Section is one part of a document. Each field may be empty; they are written in this
// order.
type Section struct {
	Heading string
	Lines   []string // sentences
	Table   *Table
	Quote   string   // a message as it was written
	Notes   []string // sentences
	Close   bool     // belongs to the section before it: no blank line between them
	Most    int      // lines that a first look shows; 0: all
	Indent  int      // of the whole section, in columns
	Hang    int      // columns of the label that each line begins with
}

// Table is rows under heads.
type Table struct {
	Columns []Column
	Rows    []Row
}

// Column is the head of a column and how its cells are aligned.
type Column struct {
	Head  string
	Align Align
}

// Align is where a cell's text stands.
type Align int

// The alignments.
const (
	Left Align = iota
	Right
	Centre // under the first letters of its head
)

// Row is a cell for each column.
type Row struct {
	Cells []string
	Wider []string // longer texts for the last cell, each longer than the one before
	Code  []string // lines of a command
	Below []string // more about the row
}

// How much a first look shows.
const (
	closestLines = 2
	firstGroups  = 6
	firstFixes   = 2
)

// Document gathers what there is to say about the report; groups is how many rows its
// table of groups has at most, 0 for all.
func (r *Report) Document(o TextOptions, groups int) Document {
	c := composer{r, o}
	d := Document{Title: r.Pod.Title() + ": " + string(r.Verdict)}
	d.add(Section{Lines: []string{r.Summary, r.Replicas.Sentence(), r.Pod.Line(), r.AgreementSentence(o.Now), c.quiet()}})
	d.add(Section{Lines: r.FurtherFacts()})
	d.add(Section{Lines: []string{TerminatingSentence(r, o.Now), RolloutSentence(r, o.Now), FailedPodsSentence(r, o.Now), PreemptedSentence(r, o.Now)}})
	d.add(c.gang())
	d.add(c.groups(groups))
	d.add(Section{Lines: c.closest(), Most: closestLines})
	d.add(c.topologies()...)
	if o.Nodes {
		d.add(c.nodes())
	}
	d.add(c.fixes()...)
	d.add(c.preemption())
	d.add(r.Cycle.sections(o.Nodes)...)
	if o.Verbose || r.Verdict == Unknown || r.Agreement(o.Now).Level == Disagrees {
		for _, message := range r.Messages(o.Now) {
			d.add(Section{Heading: message.Heading, Quote: message.Text})
		}
	}
	d.add(c.queue()...)
	d.add(c.autoscalers()...)
	d.add(Section{Lines: c.unknown()})
	if !o.List {
		notes := r.Notes()
		if !o.Verbose {
			notes = slices.DeleteFunc(notes, func(note string) bool { return note == "Note: "+Assumed })
		}
		d.add(Section{Lines: notes, Close: !o.Verbose})
	}
	return d
}

// composer makes the sections of a document.
type composer struct {
	report  *Report
	options TextOptions
}

// add appends the sections that say anything, without their empty lines.
func (d *Document) add(sections ...Section) {
	empty := func(line string) bool { return line == "" }
	for _, s := range sections {
		s.Lines = slices.DeleteFunc(slices.Clone(s.Lines), empty)
		s.Notes = slices.DeleteFunc(slices.Clone(s.Notes), empty)
		if s.Heading != "" || len(s.Lines) > 0 || s.Table != nil || s.Quote != "" || len(s.Notes) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
}

// FurtherFacts are the facts that the summary does not hold.
func (r *Report) FurtherFacts() []string {
	return slices.DeleteFunc(slices.Clone(r.Facts), func(fact string) bool { return strings.Contains(r.Summary, fact) })
}

// quiet says what was seen of a scheduler that does not try the pod, unless the
// summary does.
func (c composer) quiet() string {
	if c.report.Observed.Quiet == "" || c.report.Verdict == Schedulable {
		return ""
	}
	return grammar.Capital(c.report.Observed.Quiet) + "."
}

// groups is the table of groups, at most limit of them, 0 for all; with names of their
// nodes.
func (c composer) groups(limit int) Section {
	if len(c.report.Groups) == 0 {
		return Section{}
	}
	t := c.report.GroupTable(nil)
	table := &Table{Columns: []Column{{NodesHead, Right}}}
	if c.options.names {
		table.Columns = append(table.Columns, Column{Head: "NAMES"})
	}
	for _, plugin := range t.Columns {
		table.Columns = append(table.Columns, Column{pluginnames.Head(plugin), Centre})
	}
	table.Columns = append(table.Columns, Column{Head: ReasonHead})
	row := func(label string, nodes []string, cell func(plugin string) string, last string, wider []string) {
		cells := []string{label}
		if c.options.names {
			cells = append(cells, grammar.List(nodes, grammar.Many))
		}
		for _, plugin := range t.Columns {
			cells = append(cells, cell(plugin))
		}
		table.Rows = append(table.Rows, Row{Cells: append(cells, last), Wider: wider})
	}
	shown := t.Rows
	if limit > 0 {
		shown = shown[:min(limit, len(shown))]
	}
	var note []string
	for i := range shown {
		g := &shown[i]
		words, wider := g.reason()
		if t.overAll(g) {
			note = []string{"The rows below \"all\" show what else would reject the pod on these nodes."}
		}
		row(t.Count(g), g.Nodes, func(plugin string) string { return t.Mark(g, plugin) }, words, wider)
	}
	if rest := t.Rest(len(shown)); rest != "" {
		row("", nil, func(string) string { return "" }, rest, nil)
	}
	if len(t.Rows) > 1 && !c.options.few {
		row(RejectLabel, nil, func(plugin string) string { rejects, _ := t.CountCells(plugin); return rejects }, t.RejectNote(), nil)
		row(OnlyLabel, nil, func(plugin string) string { _, only := t.CountCells(plugin); return only }, OnlyNote, nil)
	}
	if c.options.names {
		note = append(note, "✗ rejects, · passes, ? not evaluated.")
	}
	return Section{Table: table, Notes: note}
}

// reason is why the group's nodes are rejected, and longer texts with more names.
func (g *Group) reason() (words string, wider []string) {
	switch {
	case g.Words == "" && g.Fits == nil:
		return grammar.List(g.Nodes, grammar.Few) + ": not evaluated", nil
	case g.Words == "":
		return "fits: " + grammar.List(g.Nodes, grammar.Many), nil
	case len(g.Rejections) == 1:
		return g.Words, g.Rejections[0].Wider
	}
	return g.Words, nil
}

// closest are the figures of the closest node that is rejected; without its own
// answer those of its group, if the group is one node or all is wanted.
func (c composer) closest() []string {
	for i := range c.report.Groups {
		g := &c.report.Groups[i]
		if len(g.Rejections) == 0 {
			continue
		}
		rejections := g.Rejections
		own := slices.IndexFunc(c.report.Nodes, func(n NodeResult) bool { return len(g.Nodes) > 0 && n.Name == g.Nodes[0] })
		switch {
		case own >= 0:
			rejections = c.report.Nodes[own].Rejections
		case g.Count > 1 && !c.options.Verbose:
			return nil
		}
		var lines, causes []string
		for _, rejection := range rejections {
			if rejection.What != "" && !slices.Contains(causes, rejection.cause()) {
				lines, causes = append(lines, rejection.What), append(causes, rejection.cause())
			}
		}
		return lines
	}
	return nil
}

// nodes is every node's answer.
func (c composer) nodes() Section {
	table := &Table{Columns: []Column{{Head: "NODE"}, {Head: "PLUGIN"}, {Head: "REASON"}}}
	for _, node := range c.report.Nodes {
		switch {
		case node.Fits == nil && len(node.Rejections) == 0:
			table.Rows = append(table.Rows, Row{Cells: []string{node.Name, "?", "not evaluated"}})
		case len(node.Rejections) == 0:
			table.Rows = append(table.Rows, Row{Cells: []string{node.Name, "–", "fits"}})
		}
		for _, rejection := range node.Rejections {
			what := strings.TrimPrefix(strings.TrimPrefix(rejection.What, node.Name+": "), node.Name+" ")
			table.Rows = append(table.Rows, Row{Cells: []string{node.Name, rejection.Plugin, what}})
		}
	}
	if len(table.Rows) == 0 {
		return Section{}
	}
	return Section{Table: table}
}

// unknown say what could not be read, and what that leaves open.
func (c composer) unknown() []string {
	var lines []string
	for _, part := range c.report.Unknown {
		line := part.sentence()
		switch {
		case c.options.List && part.forAll():
		case strings.Contains(c.report.Summary, line): // it is said already
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// UnknownForAll says what could not be read that is not about the pod.
func (r *Report) UnknownForAll() []string {
	var lines []string
	for _, part := range r.Unknown {
		if part.forAll() {
			lines = append(lines, part.sentence())
		}
	}
	return lines
}

// sentence says what could not be read, and what that leaves open.
func (p UnknownPart) sentence() string {
	said := "Unknown: " + p.Why
	if open := p.leavesOpen(); len(open) > 0 {
		said += ". Not evaluated: " + strings.Join(open, ", ")
	}
	return said
}

// forAll says whether the part is not about the pod: it leaves the same open for others.
func (p UnknownPart) forAll() bool { return p.Resource == "events" && len(p.Plugins) == 0 }

// leavesOpen is what is not known for the unknown part.
func (p UnknownPart) leavesOpen() []string {
	if p.forAll() {
		return []string{"the scheduler's last attempt", "messages of autoscalers and of the kubelet"}
	}
	return p.Plugins
}

// Opens says whether something about the resource is not known.
func (r *Report) Opens(resource string) bool {
	return slices.ContainsFunc(r.Unknown, func(part UnknownPart) bool { return part.Resource == resource })
}

// Notes are the profile and what limits the answer.
func (r *Report) Notes() []string {
	var lines []string
	if r.Scheduler.Origin != "" && r.Scheduler.Origin != Assumed {
		lines = append(lines, "Profile: "+r.Scheduler.Profile)
	}
	for _, caveat := range r.Scheduler.Caveats {
		lines = append(lines, "Note: "+caveat)
	}
	return lines
}

// Placement is where a pod that was not created would go.
func (r *Report) Placement() string {
	if r.Verdict != Schedulable {
		return r.Summary
	}
	for _, g := range r.Groups {
		if g.Fits != nil && *g.Fits {
			return "It would fit " + grammar.Plural(r.Fits, "node") + ": " + grammar.List(g.Nodes, grammar.Few) + "."
		}
	}
	return r.Summary
}
