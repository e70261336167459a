// Package exit is what the program's exit codes mean, and which errors give which.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// The exit codes are a contract: scripts rely on them.
const (
	Clear   = 0 // nothing that was asked about is blocked
	Blocked = 1 // something is
	Usage   = 2 // the command line or a manifest is wrong
	Unknown = 3 // it could not find out

	Changed  = 4 // explain --wait: the reason is another one now
	TimedOut = 5 // explain --wait: no node, and the same reason, within the time
	Deleted  = 6 // explain --wait: the pod was deleted before it had a node
)

// ErrBlocked ends a command that has reported everything: something is blocked.
var ErrBlocked = errors.New("something is blocked")

// ErrUndecided ends a command that has reported everything, and could not decide
// about all of it.
var ErrUndecided = errors.New("something could not be evaluated")

// ErrFaults ends a command that has reported what is wrong with files of settings.
var ErrFaults = errors.New("settings have errors")

// These end explain --wait, which has reported everything.
var (
	ErrChanged  = errors.New("the reason changed")
	ErrTimedOut = errors.New("no node, and the same reason, within the time")
	ErrDeleted  = errors.New("the pod was deleted")
)

// Signal is the cause of a context that a signal to the program has ended.
type Signal struct{ os.Signal }

// Error names the signal.
func (s Signal) Error() string { return s.String() + " received" }

// Is makes it a context.Canceled, as the cause of signal.NotifyContext is.
func (s Signal) Is(target error) bool { return target == context.Canceled }

// endedBySignal ends the dashboard with the exit code that a shell gives a program that a
// signal has ended.
type endedBySignal int

// Error is what the exit code says.
func (e endedBySignal) Error() string { return fmt.Sprintf("ended by signal %d", int(e)) }

// BySignal ends the dashboard with 128 and the number of the signal that has ended ctx; nil
// where none has.
func BySignal(ctx context.Context) error {
	var received Signal
	if !errors.As(context.Cause(ctx), &received) {
		return nil
	}
	number, ok := received.Signal.(syscall.Signal)
	if !ok {
		return nil
	}
	return endedBySignal(number)
}

// usageError is a wrong command line, or a manifest that cannot be read.
type usageError struct{ error }

// Unwrap gives the cause.
func (e usageError) Unwrap() error { return e.error }

// Usagef makes a usageError.
func Usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// Code turns a command's error into the program's exit code, and prints the error in
// one line unless that was done.
func Code(ctx context.Context, err error, to *terminal.Streams) int {
	var (
		usage    usageError
		bySignal endedBySignal
	)
	switch {
	case err == nil:
		return Clear
	case errors.As(err, &bySignal):
		return 128 + int(bySignal)
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // even while a file was read
		to.Say(errors.New("interrupted"))
		return Unknown
	case errors.Is(err, ErrBlocked):
		return Blocked
	case errors.Is(err, ErrUndecided):
		return Unknown
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return Unknown // nobody reads the output any more
	case errors.Is(err, ErrFaults):
		return Usage
	case errors.Is(err, ErrChanged):
		return Changed
	case errors.Is(err, ErrTimedOut):
		return TimedOut
	case errors.Is(err, ErrDeleted):
		return Deleted
	case errors.As(err, &usage), errors.Is(err, client.ErrNoContext), errors.Is(err, client.ErrFlag):
		to.Say(err)
		return Usage
	case ctx.Err() != nil:
		to.Say(errors.New("interrupted"))
		return Unknown
	case errors.Is(err, client.ErrNoCluster):
		to.Say(fmt.Errorf("%w; to try it without a cluster: %s demo", err, to.Name))
		return Unknown
	default:
		to.Say(err)
		return Unknown
	}
}

// Outcome gathers what an exit code says.
type Outcome struct {
	Blocked   bool
	Undecided bool
}

// Note counts one answer in.
func (o *Outcome) Note(verdict report.Verdict, waits bool) {
	o.Blocked = o.Blocked || waits
	o.Undecided = o.Undecided || verdict == report.Unknown
}

// Err is the outcome as the error that gives the exit code.
func (o *Outcome) Err() error {
	switch {
	case o.Undecided:
		return ErrUndecided
	case o.Blocked:
		return ErrBlocked
	default:
		return nil
	}
}
