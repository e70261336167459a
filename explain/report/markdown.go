package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Markdown is the report for a ticket or a chat: the answer first, then what it
// rests on. Nothing that a cluster's text holds is read as markup.
func (r *Report) Markdown() string {
	blocks := []string{
		fmt.Sprintf("### %s: %s", code(r.Pod.Title()), r.Verdict),
		prose(r.Summary),
		prose(r.replicasLine()),
		prose(r.Pod.Line()),
		prose(r.quietLine()),
		bullets(r.Facts),
		markdownGroups(r.Groups),
		r.markdownPlugins(),
		bullets(prefixed("Nearest: ", r.nearestSentences())),
	}
	blocks = append(blocks, r.markdownFixes()...)
	blocks = append(blocks, r.Cycle.markdown()...)
	for _, line := range r.preemptionLines() {
		blocks = append(blocks, prose(line))
	}
	blocks = append(blocks, r.markdownMessages()...)
	for _, word := range r.Autoscaler {
		blocks = append(blocks, prose(fmt.Sprintf("%s said (%s):", word.Component, word.Reason)), fenced(word.Message))
	}
	blocks = append(blocks, bullets(append(r.unknownLines(), r.caveatLines()...)))
	blocks = slices.DeleteFunc(blocks, func(block string) bool { return block == "" })
	return strings.Join(blocks, "\n\n") + "\n"
}

func bullets(lines []string) string {
	var all []string
	for _, line := range lines {
		all = append(all, "- "+prose(line))
	}
	return strings.Join(all, "\n")
}

// markdownGroups tabulates the nodes, nearest first.
func markdownGroups(groups []Group) string {
	if len(groups) == 0 {
		return ""
	}
	lines := []string{"| nodes | which | refused by | what stands in the way, nearest first |", "|--:|--|--|--|"}
	for i := range groups {
		g := &groups[i]
		lines = append(lines, row(strconv.Itoa(g.Count), grammar.List(g.Nodes, grammar.Many), g.RefusedBy(), g.Words))
	}
	return strings.Join(lines, "\n")
}

// markdownPlugins tabulates the plugins that refuse.
func (r *Report) markdownPlugins() string {
	refusing := r.Refusing()
	if len(refusing) == 0 {
		return ""
	}
	lines := []string{"| plugin | refuses | alone |", "|--|--:|--:|"}
	for _, plugin := range refusing {
		lines = append(lines, row(plugin.Name, strconv.Itoa(plugin.Refuses), strconv.Itoa(plugin.Alone)))
	}
	return strings.Join(lines, "\n")
}

// row is a line of a table, its cells escaped.
func row(texts ...string) string {
	var escaped []string
	for _, text := range texts {
		escaped = append(escaped, prose(text))
	}
	return "| " + strings.Join(escaped, " | ") + " |"
}

// markdownMessages quotes what the scheduler would write and, where that is
// something else, what it wrote.
func (r *Report) markdownMessages() []string {
	var blocks []string
	if r.SchedulerMessage != "" && r.SchedulerMessage == r.Observed.Message {
		return []string{"kube-scheduler wrote, and would write now:", fenced(r.SchedulerMessage)}
	}
	if r.SchedulerMessage != "" {
		blocks = append(blocks, "kube-scheduler would write now:", fenced(r.SchedulerMessage))
	}
	if r.Observed.Message != "" {
		blocks = append(blocks, "kube-scheduler wrote:", fenced(r.Observed.Message))
	}
	return blocks
}

// fenced sets text as a block of code, with a fence that text does not hold.
func fenced(text string) string { return fencedLines([]string{text}) }

// fencedLines is fenced for a text of several lines.
func fencedLines(lines []string) string {
	var cleaned []string
	for _, line := range lines {
		cleaned = append(cleaned, model.Clean(line))
	}
	text := strings.Join(cleaned, "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// code sets text as code within a line.
func code(text string) string { return "`" + strings.ReplaceAll(model.Clean(text), "`", "'") + "`" }

// markup is what Markdown would act on, and what keeps it from that.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "&", `\&`,
)

// prose keeps text from being read as markup.
func prose(text string) string { return markup.Replace(model.Clean(text)) }
