package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// LongestLine is how much of an error is said, in characters: some quote whole files.
const LongestLine = 1000

// Say writes err as one line. If nobody hears it, nothing can be done.
func Say(w io.Writer, name string, err error) {
	line := OneLine(err.Error())
	if all := []rune(line); len(all) > LongestLine {
		line = string(all[:LongestLine-1]) + "…"
	}
	_, _ = fmt.Fprintf(w, "%s: %s\n", name, line)
}

// OneLine joins the lines of a text and drops what a terminal would obey.
func OneLine(text string) string {
	return strings.Join(strings.Fields(model.Clean(text)), " ")
}
