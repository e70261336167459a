package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// unbroken is a hyphen at which no line ends, as wide as the other one: names of
// objects are full of hyphens, and a name in two pieces cannot be searched or copied.
const unbroken = "\u2011"

// Wrap breaks text into lines of at most width cells, between words where it can. What a dot sets apart at the end does
// not stand alone: the word before it goes with it.
func Wrap(text string, width int) []string {
	if text == "" {
		return nil
	}
	text = strings.ReplaceAll(text, "-", unbroken)
	lines := strings.Split(strings.ReplaceAll(ansi.Wrap(text, max(1, width), " "), unbroken, "-"), "\n")
	for i := 1; i < len(lines); i++ {
		for strings.HasSuffix(lines[i-1], " ·") || strings.HasPrefix(lines[i], "· ") {
			at := strings.LastIndexByte(lines[i-1], ' ')
			if at <= 0 || Width(lines[i-1][at+1:])+1+Width(lines[i]) > width {
				break
			}
			lines[i-1], lines[i] = lines[i-1][:at], lines[i-1][at+1:]+" "+lines[i]
		}
	}
	return lines
}

// Indent puts n blank cells before each line.
func Indent(n int, lines []string) []string {
	for i, line := range lines {
		lines[i] = Blank(n) + line
	}
	return lines
}

// Fill breaks texts into lines of width cells, the first ones first, as long as there are
// fewer than rows in all; then it cuts them. It returns the lines of each text, one at least.
func Fill(texts []string, width, rows int) [][]string {
	lines := make([][]string, len(texts))
	free := rows - len(texts)
	for i, text := range texts {
		lines[i] = []string{Cut(text, width)}
		if Width(text) <= width {
			continue
		}
		words := strings.TrimLeft(text, " ")
		indent := len(text) - len(words)
		if wrapped := Wrap(words, width-indent); len(wrapped)-1 <= free {
			lines[i] = Indent(indent, wrapped)
			free -= len(wrapped) - 1
		}
	}
	return lines
}
