package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// wrapped breaks text into lines of at most width cells, between words where it can.
func wrapped(text string, width int) []string {
	if text == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(text, max(1, width), " "), "\n")
}

// indented puts n blank cells before each line.
func indented(n int, lines []string) []string {
	for i, line := range lines {
		lines[i] = blank(n) + line
	}
	return lines
}

// named joins three names, and says how many more there are.
func named(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + " and " + count(len(names)-few, "more", "more")
	}
	return strings.Join(names, ", ")
}
