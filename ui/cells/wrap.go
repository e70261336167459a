package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks text into lines of at most width cells, between words where it can.
func Wrap(text string, width int) []string {
	if text == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(text, max(1, width), " "), "\n")
}

// Indent puts n blank cells before each line.
func Indent(n int, lines []string) []string {
	for i, line := range lines {
		lines[i] = Blank(n) + line
	}
	return lines
}
