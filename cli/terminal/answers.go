package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// Answers asks a user on the terminal.
type Answers struct {
	in    io.Reader
	out   io.Writer
	lines *bufio.Reader
}

// NewAnswers asks on out, and reads from in.
func NewAnswers(in io.Reader, out io.Writer) *Answers {
	return &Answers{in: in, out: out, lines: bufio.NewReader(in)}
}

// CanAsk reports whether there is a user to ask.
func (a *Answers) CanAsk() bool { return Is(a.in) && Is(a.out) }

// Ask puts a question and waits for a line. What was typed before the question
// stood there is no answer to it.
func (a *Answers) Ask(ctx context.Context, question string) (string, error) {
	discardInput(a.in)
	if _, err := fmt.Fprint(a.out, OneLine(question)+" "); err != nil {
		return "", err
	}
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() { // a read cannot be canceled
		defer utilruntime.HandleCrash()
		line, err := a.lines.ReadString('\n')
		replies <- reply{line, err}
	}()
	select {
	case r := <-replies:
		if errors.Is(r.err, io.EOF) {
			_, _ = fmt.Fprintln(a.out)
			return "", nil // ctrl-d is no answer
		}
		return strings.TrimSpace(r.line), r.err
	case <-ctx.Done():
		_, _ = fmt.Fprintln(a.out)
		return "", ctx.Err()
	}
}
