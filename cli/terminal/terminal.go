// Package terminal is what the program reads from and writes to: its standard streams, which
// only cleaned text leaves, a line that is written over, and questions to the user.
package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Streams are what a command reads from and writes to.
type Streams struct {
	Name   string // what the user typed: "fathom", or "kubectl fathom" as a plugin
	In     io.Reader
	Out    io.Writer // a Stream, as is ErrOut
	ErrOut io.Writer
}

// LongestLine is how much of an error is said, in characters: some quote whole files.
const LongestLine = 1000

// Say writes err as one line on standard error. Errors are ignored: nobody reads then.
func (s *Streams) Say(err error) {
	line := OneLine(err.Error())
	if all := []rune(line); len(all) > LongestLine {
		line = string(all[:LongestLine-1]) + "…"
	}
	_, _ = fmt.Fprintf(s.ErrOut, "%s: %s\n", s.Name, line)
}

// OneLine joins the lines of a text and removes control characters.
func OneLine(text string) string {
	return strings.Join(strings.Fields(model.Clean(text)), " ")
}
