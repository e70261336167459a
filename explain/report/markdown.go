package report

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Markdown is the whole report for a ticket or a chat: the same document as Text's.
// Nothing that a cluster's text holds is read as markup.
func (r *Report) Markdown() string {
	document := r.Document(TextOptions{Verbose: true, Fixes: true, names: true}, 0)
	pod, verdict := r.Pod.Title(), string(r.Verdict)
	blocks := []string{"### " + code(pod) + ": " + verdict}
	for i := range document.Sections {
		blocks = append(blocks, document.Sections[i].markdown()...)
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

// markdown is the section in blocks.
func (s *Section) markdown() []string {
	var blocks []string
	if s.Heading != "" {
		blocks = append(blocks, "#### "+prose(s.Heading))
	}
	blocks = append(blocks, paragraphs(s.Lines)...)
	if s.Table != nil {
		blocks = append(blocks, s.Table.markdown()...)
	}
	if s.Quote != "" {
		blocks = append(blocks, fenced(s.Quote))
	}
	return append(blocks, paragraphs(s.Notes)...)
}

// paragraphs are lines as blocks: indented ones that follow each other are a list.
func paragraphs(lines []string) []string {
	var blocks []string
	listing := false
	for _, line := range lines {
		item, indented := strings.CutPrefix(line, "  ")
		text := prose(strings.TrimLeft(item, " "))
		switch {
		case indented && listing:
			blocks[len(blocks)-1] += "\n- " + text
		case indented:
			blocks = append(blocks, "- "+text)
		default:
			blocks = append(blocks, prose(line))
		}
		listing = indented
	}
	return blocks
}

// markdown is the table, and the commands of its rows below it.
func (t *Table) markdown() []string {
	heads, rule := make([]string, len(t.Columns)), "|"
	for c, column := range t.Columns {
		heads[c] = column.Head
		rule += map[Align]string{Left: "--|", Right: "--:|", Centre: ":-:|"}[column.Align]
	}
	lines, commands := []string{row(heads...), rule}, []string{}
	for _, r := range t.Rows {
		cells := slices.Clone(r.Cells)
		if len(r.Wider) > 0 {
			cells[len(cells)-1] = r.Wider[len(r.Wider)-1]
		}
		lines = append(lines, row(cells...))
		if len(r.Code) > 0 {
			commands = append(commands, prose(strings.TrimPrefix(r.Cells[0], "✓ "))+":", fenced(r.Code...))
		}
	}
	return append([]string{strings.Join(lines, "\n")}, commands...)
}

// row is a line of a table, its cells escaped.
func row(texts ...string) string {
	var escaped []string
	for _, text := range texts {
		escaped = append(escaped, prose(text))
	}
	return "| " + strings.Join(escaped, " | ") + " |"
}

// fenced sets lines as a block of code, with a fence that they do not hold.
func fenced(lines ...string) string {
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
