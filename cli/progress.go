package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/term"
)

// progress is a line on a terminal that is written over; elsewhere it is nothing.
type progress struct {
	w     io.Writer
	shown bool
}

// newProgress makes a progress line on w, if that is a terminal.
func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: terminalOf(w)}
}

// show tells how many objects of each list that is not in yet were read. A line
// that cannot be written is no loss.
func (p *progress) show(reading map[string]int) {
	var lists []string
	for _, resource := range slices.Sorted(maps.Keys(reading)) {
		if n := reading[resource]; n > 0 {
			lists = append(lists, fmt.Sprintf("%s: %d so far", resource, n))
		}
	}
	p.line("Reading the cluster " + strings.Join(lists, ", "))
}

// line writes over the line; it is false where there is no terminal.
func (p *progress) line(text string) bool {
	if p.w == nil {
		return false
	}
	_, _ = fmt.Fprint(p.w, "\r\x1b[K"+oneLine(text))
	p.shown = true
	return true
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := fileOf(stream)
	return ok && term.IsTerminal(int(file.Fd()))
}
