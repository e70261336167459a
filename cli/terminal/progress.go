package terminal

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Progress is a line on a terminal that is overwritten; elsewhere nothing is written.
type Progress struct {
	w     io.Writer
	shown bool
}

// NewProgress makes a progress line on w, if that is a terminal that can be written over.
func NewProgress(w io.Writer) *Progress {
	if !Is(w) || os.Getenv("TERM") == "dumb" {
		return &Progress{}
	}
	return &Progress{w: Below(w)}
}

// Show reports how many objects were read of each list that is not complete. Errors
// are ignored.
func (p *Progress) Show(reading map[string]int) {
	var lists []string
	for _, resource := range slices.Sorted(maps.Keys(reading)) {
		if n := reading[resource]; n > 0 {
			lists = append(lists, fmt.Sprintf("%s: %d so far", resource, n))
		}
	}
	p.Line("Reading the cluster: " + strings.Join(lists, ", "))
}

// Line overwrites the line; it is false where nothing can be overwritten.
func (p *Progress) Line(text string) bool {
	if p.w == nil {
		return false
	}
	_, _ = fmt.Fprint(p.w, "\r\x1b[K"+OneLine(text))
	p.shown = true
	return true
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	file, ok := fileOf(stream)
	return ok && term.IsTerminal(int(file.Fd()))
}
