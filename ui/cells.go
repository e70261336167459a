package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cells counts the cells that s takes.
func cells(s string) int { return ansi.StringWidth(s) }

// cut shortens s to width cells, its last one … where something is missing.
func cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width { // bytes are never fewer than cells
		return s
	}
	return ansi.Truncate(s, width, "…")
}

// cutRow is cut that takes blanks at the end for nothing.
func cutRow(row string, width int) string {
	short := ansi.Truncate(row, width, "")
	if len(short) == len(row) || strings.Trim(ansi.Strip(ansi.TruncateLeft(row, width, "")), " ") == "" {
		return short
	}
	return cut(row, width)
}

// firstLines are the first n lines; the last of them ends in … where there are
// more, and takes width cells at most.
func firstLines(lines []string, n, width int) []string {
	if n >= len(lines) || n <= 0 {
		return lines[:min(max(n, 0), len(lines))]
	}
	lines = slices.Clone(lines[:n])
	last := &lines[n-1]
	more := " …"
	if strings.HasSuffix(ansi.Strip(*last), "-") || cells(*last)+2 > width {
		more = "…" // a name goes on
	}
	*last = ansi.Truncate(*last, width-cells(more), "") + more
	return lines
}

// cutMiddle shortens s to width cells and keeps both ends: tails tell names apart.
func cutMiddle(s string, width int) string {
	have := cells(s)
	if have <= width {
		return s
	}
	if width < 5 {
		return cut(s, width)
	}
	tail := (width - 1) / 2
	head := width - 1 - tail
	return ansi.Truncate(s, head, "") + "…" + ansi.TruncateLeft(s, have-tail, "")
}

// left pads or cuts s to width cells.
func left(s string, width int) string {
	s = cut(s, width)
	return s + blank(width-cells(s))
}

// right is left with the blanks before s.
func right(s string, width int) string {
	s = cut(s, width)
	return blank(width-cells(s)) + s
}

// blank is n cells of nothing.
func blank(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// spread puts a at the left and b at the right end of width cells; a gives way.
func spread(a, b string, width int) string {
	if b == "" {
		return cut(a, width)
	}
	b = cut(b, width)
	a = cut(a, width-cells(b)-1)
	return a + blank(width-cells(a)-cells(b)) + b
}
