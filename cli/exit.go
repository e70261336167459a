package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// The exit codes are a contract: scripts rely on them.
const (
	exitClear   = 0 // nothing that was asked about is blocked
	exitBlocked = 1 // something is
	exitUsage   = 2 // the command line or a manifest is wrong
	exitUnknown = 3 // it could not find out
)

// errBlocked ends a command that has said all there is to say: something is blocked.
var errBlocked = errors.New("something is blocked")

// errUndecided ends a command that has said all there is to say, and could not
// decide about everything that it was asked.
var errUndecided = errors.New("something could not be decided")

// usageError is a wrong command line, or a manifest that cannot be read.
type usageError struct{ error }

// Unwrap gives the cause.
func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitCode turns a command's error into the program's exit code, and says the
// error in one line on w unless it was said.
func exitCode(ctx context.Context, err error, name string, w io.Writer) int {
	var usage usageError
	switch {
	case err == nil:
		return exitClear
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // even while a file was read
		say(w, name, errors.New("interrupted"))
		return exitUnknown
	case errors.Is(err, errBlocked):
		return exitBlocked
	case errors.Is(err, errUndecided):
		return exitUnknown
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return exitUnknown // nobody reads on, so there is nobody to tell
	case errors.As(err, &usage), errors.Is(err, client.ErrNoContext):
		say(w, name, err)
		return exitUsage
	case ctx.Err() != nil:
		say(w, name, errors.New("interrupted"))
		return exitUnknown
	default:
		say(w, name, err)
		return exitUnknown
	}
}

// longestLine is how much of an error is said, in characters: some quote whole files.
const longestLine = 1000

// say writes err as one line. If nobody hears it, nothing can be done.
func say(w io.Writer, name string, err error) {
	line := oneLine(err.Error())
	if all := []rune(line); len(all) > longestLine {
		line = string(all[:longestLine-1]) + "…"
	}
	_, _ = fmt.Fprintf(w, "%s: %s\n", name, line)
}

// oneLine joins the lines of a text and drops what a terminal would obey.
func oneLine(text string) string {
	return strings.Join(strings.Fields(model.Clean(text)), " ")
}
