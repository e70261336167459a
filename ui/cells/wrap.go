package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// unbroken is a hyphen at which no line ends, as wide as the other one: names of
// objects are full of hyphens, and a name in two pieces cannot be searched or copied.
const unbroken = "\u2011"

// Wrap breaks text into lines of at most width cells, between words where it can.
func Wrap(text string, width int) []string {
	if text == "" {
		return nil
	}
	text = strings.ReplaceAll(text, "-", unbroken)
	return strings.Split(strings.ReplaceAll(ansi.Wrap(text, max(1, width), " "), unbroken, "-"), "\n")
}

// Indent puts n blank cells before each line.
func Indent(n int, lines []string) []string {
	for i, line := range lines {
		lines[i] = Blank(n) + line
	}
	return lines
}
