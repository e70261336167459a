package terminal

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Progress is a line on a terminal that is written over; elsewhere it is nothing.
type Progress struct {
	w     io.Writer
	shown bool
}

// NewProgress makes a progress line on w, if that is a terminal.
func NewProgress(w io.Writer) *Progress {
	if !Is(w) {
		return &Progress{}
	}
	return &Progress{w: Below(w)}
}

// Show tells how many objects of each list that is not in yet were read. A line
// that cannot be written is no loss.
func (p *Progress) Show(reading map[string]int) {
	var lists []string
	for _, resource := range slices.Sorted(maps.Keys(reading)) {
		if n := reading[resource]; n > 0 {
			lists = append(lists, fmt.Sprintf("%s: %d so far", resource, n))
		}
	}
	p.Line("Reading the cluster " + strings.Join(lists, ", "))
}

// Line writes over the line; it is false where there is no terminal.
func (p *Progress) Line(text string) bool {
	if p.w == nil {
		return false
	}
	_, _ = fmt.Fprint(p.w, "\r\x1b[K"+OneLine(text))
	p.shown = true
	return true
}

// Clear takes the line away.
func (p *Progress) Clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// Is tells whether a stream is a terminal.
func Is(stream any) bool {
	file, ok := fileOf(stream)
	return ok && term.IsTerminal(int(file.Fd()))
}
