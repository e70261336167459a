package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// TextOptions say what Text tells beside the answer.
type TextOptions struct {
	Nodes bool      // every node's answer, not only those of groups
	Fixes bool      // every fix that was tried, with its command
	Now   time.Time // for ages; zero: without them
}

// Text is the report for reading on a terminal: the answer first, then what it
// rests on. Names are listed as far as width cells go; 0 is without end.
func Text(r *Report, width int, o TextOptions) string {
	if width <= 0 {
		width = 1 << 20
	}
	blocks := [][]string{
		{model.Clean(r.Pod.Title()) + ": " + string(r.Verdict), model.Clean(r.Summary), r.replicasLine(), model.Clean(r.Pod.Line()), r.Agreement(o.Now), r.quietLine()},
		r.Facts,
		r.matrix(width),
		prefixed("nearest  ", r.nearestSentences()),
	}
	if o.Nodes {
		blocks = append(blocks, r.nodeLines())
	}
	blocks = append(blocks, r.fixLines(o.Fixes), r.Cycle.textLines(o.Nodes), r.preemptionLines(), r.messageLines(o.Now), autoscalerLines(r.Autoscaler, o.Now), r.unknownLines(), r.caveatLines())
	var b strings.Builder
	for _, block := range blocks {
		lines := slices.DeleteFunc(slices.Clone(block), func(line string) bool { return line == "" })
		if len(lines) > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		for _, line := range lines {
			b.WriteString(strings.TrimRight(model.Clean(line), " ") + "\n")
		}
	}
	return b.String()
}

// Agreement compares what kube-scheduler said last with what its plugins say
// here; "" where one of them has said nothing.
func (r *Report) Agreement(now time.Time) string {
	if r.Observed.Agrees == nil {
		return ""
	}
	if *r.Observed.Agrees {
		return "kube-scheduler says the same" + r.said(now) + "."
	}
	if r.Observed.Outdated != "" {
		return grammar.Capital(r.Observed.Outdated) + "; both messages are below."
	}
	line := "kube-scheduler says otherwise; both messages are below."
	if r.Scheduler.Cluster != "" && r.Scheduler.Cluster != r.Scheduler.Library {
		line += fmt.Sprintf(" It is %s, the plugins here are %s.", r.Scheduler.Cluster, r.Scheduler.Library)
	}
	if current := r.Observed.GenerationCurrent; current != nil && !*current {
		line += " The pod's spec changed since."
	}
	return line
}

// quietLine says what was seen of a scheduler that does not try the pod, unless
// the summary does.
func (r *Report) quietLine() string {
	if r.Observed.Quiet == "" || r.Verdict == Schedulable {
		return ""
	}
	return grammar.Capital(r.Observed.Quiet) + "."
}

// said is when kube-scheduler was heard, as far as that is known: an attempt that
// an event proves, else since when the pod is unschedulable.
func (r *Report) said(now time.Time) string {
	switch {
	case now.IsZero():
		return ""
	case r.Observed.AttemptSeen != nil:
		return ", " + model.FormatAge(r.Observed.AttemptSeen.Time, now) + " ago"
	case r.Observed.UnschedulableSince != nil:
		return ", unschedulable for " + model.FormatAge(r.Observed.UnschedulableSince.Time, now)
	}
	return ""
}

// countWidth is the width of the column of counts, which the labels share.
const countWidth = 6

// matrix is a row for each group and a column for each plugin that refuses.
func (r *Report) matrix(width int) []string {
	if len(r.Groups) == 0 {
		return nil
	}
	plugins := r.Refusing()
	line := func(label string, cell func(PluginResult) string, words func(room int) string) string {
		row := []string{fmt.Sprintf("%*s", countWidth, label)}
		for _, plugin := range plugins {
			row = append(row, centred(cell(plugin), grammar.Cells(Head(plugin.Name))))
		}
		text := strings.Join(row, " ")
		return text + "  " + words(width-grammar.Cells(text)-2)
	}
	brief := r.briefly()
	fixed := func(words string) func(int) string { return func(int) string { return words } }
	lines := []string{line("NODES", func(p PluginResult) string { return Head(p.Name) }, fixed("WHAT STANDS IN THE WAY, NEAREST FIRST"))}
	for i := range r.Groups {
		g := &r.Groups[i]
		lines = append(lines, line(strconv.Itoa(g.Count), g.mark, func(room int) string { return g.outcome(room, brief) }))
	}
	others := ""
	if r.Others > 0 {
		others = fmt.Sprintf("; the %s none", grammar.Count(r.Others, "other plugin refuses", "other plugins refuse"))
	}
	return append(lines,
		line("refuse", func(p PluginResult) string { return strconv.Itoa(p.Refuses) }, fixed(fmt.Sprintf("of %d%s", r.Total, others))),
		line("alone", func(p PluginResult) string { return strconv.Itoa(p.Alone) }, fixed("nodes that this plugin alone keeps away")))
}

// mark is the group's cell under a plugin.
func (g *Group) mark(plugin PluginResult) string {
	if RefusedBy(g, plugin.Name) {
		return "✗"
	}
	return "·"
}

// outcome is the last cell of the group's row.
func (g *Group) outcome(room int, brief func(string) string) string {
	switch {
	case g.Words != "":
		return g.line(room, brief)
	case g.Fits == nil:
		return "? " + brief(grammar.List(g.Nodes, grammar.Few))
	}
	return "fits: " + brief(grammar.List(g.Nodes, grammar.Many))
}

// briefly leaves the domain that all nodes share out of texts.
func (r *Report) briefly() func(string) string {
	domain := r.sharedDomain()
	if domain == "" {
		return func(text string) string { return text }
	}
	return func(text string) string { return strings.ReplaceAll(text, domain, "") }
}

// sharedDomain is what stands after the first dot of every node's name, with
// the dot; "" unless it is the same for all.
func (r *Report) sharedDomain() string {
	var domain string
	for _, g := range r.Groups {
		for _, node := range g.Nodes {
			at := strings.IndexByte(node, '.')
			if at <= 0 || (domain != "" && node[at:] != domain) {
				return ""
			}
			domain = node[at:]
		}
	}
	return domain
}

// centred puts a cell under its head: in the middle, but never right of the
// fourth letter.
func centred(text string, width int) string {
	before := max(0, min(width/2, 3)-grammar.Cells(text)/2)
	return strings.Repeat(" ", before) + text + strings.Repeat(" ", max(0, width-before-grammar.Cells(text)))
}

// nearestSentences are the figures of the nearest group that is refused.
func (r *Report) nearestSentences() []string {
	var lines []string
	for _, g := range r.Groups {
		if len(g.Refusals) == 0 {
			continue
		}
		for _, refusal := range g.Refusals {
			if refusal.What != "" && !slices.Contains(lines, refusal.What) {
				lines = append(lines, refusal.What)
			}
		}
		break
	}
	return lines
}

func prefixed(prefix string, lines []string) []string {
	var all []string
	for _, line := range lines {
		all = append(all, prefix+line)
	}
	return all
}

// nodeLines are every node's refusals.
func (r *Report) nodeLines() []string {
	var lines []string
	for _, node := range r.Nodes {
		switch {
		case node.Fits == nil && len(node.Refusals) == 0:
			lines = append(lines, node.Name+": ? could not be decided")
		case len(node.Refusals) == 0:
			lines = append(lines, node.Name+": fits")
		}
		for _, refusal := range node.Refusals {
			what := refusal.What
			if !strings.HasPrefix(what, node.Name+": ") {
				what = node.Name + ": " + what
			}
			lines = append(lines, what+" ("+refusal.Plugin+")")
		}
	}
	return lines
}

// messageLines quote the scheduler and the plugins here; once where they agree.
func (r *Report) messageLines(now time.Time) []string {
	mine, theirs := r.SchedulerMessage, r.Observed.Message
	switch {
	case mine == "" && theirs == "":
		return nil
	case mine == theirs:
		return []string{"KUBE-SCHEDULER" + r.said(now) + ", and the plugins here, now: the same, byte for byte", "  " + mine}
	}
	var lines []string
	if theirs != "" {
		lines = append(lines, "KUBE-SCHEDULER"+r.said(now), "  "+theirs)
	}
	heading := "THE PLUGINS HERE, now"
	if r.SameReworded() {
		heading += ": the same, in the words of " + r.Scheduler.Library
	}
	if mine != "" {
		lines = append(lines, heading, "  "+mine)
	}
	return lines
}

// SameReworded says whether the scheduler says what the plugins here say in the
// words of its own, older version.
func (r *Report) SameReworded() bool { return r.Reworded != "" && r.Reworded == r.Observed.Message }

func (r *Report) unknownLines() []string {
	var lines []string
	for _, part := range r.Unknown {
		said := "Unknown: " + part.Why
		if open := part.leavesOpen(); len(open) > 0 {
			said += ". It leaves open: " + strings.Join(open, ", ")
		}
		lines = append(lines, said)
	}
	return lines
}

func (r *Report) caveatLines() []string {
	var lines []string
	if r.Scheduler.Origin != "" && r.Scheduler.Origin != Assumed {
		lines = append(lines, "Profile: "+r.Scheduler.Profile)
	}
	for _, caveat := range r.Scheduler.Caveats {
		lines = append(lines, "Note: "+caveat)
	}
	return lines
}

// Placement is what would become of a pod that was not created.
func (r *Report) Placement() string {
	if r.Verdict != Schedulable {
		return r.Summary
	}
	for _, g := range r.Groups {
		if g.Fits != nil && *g.Fits {
			return fmt.Sprintf("It would fit %s: %s.", grammar.Plural(r.Fits, "node"), grammar.List(g.Nodes, grammar.Few))
		}
	}
	return r.Summary
}

// leavesOpen is what is not known for it.
func (p UnknownPart) leavesOpen() []string {
	if p.Resource == "events" && len(p.Plugins) == 0 {
		return []string{"when its scheduler last tried it", "what autoscalers and the kubelet said"}
	}
	return p.Plugins
}

// Opens says whether something about the resource is not known.
func (r *Report) Opens(resource string) bool {
	return slices.ContainsFunc(r.Unknown, func(part UnknownPart) bool { return part.Resource == resource })
}
