package cli

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestHelpThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, args := range [][]string{{"fathom", "--help"}, {"fathom", "explain", "--help"}, {"fathom", "version"}} {
		var said bytes.Buffer
		if code := Run(context.Background(), args, strings.NewReader(""), full{}, &said); code != exit.Unknown || said.String() != "fathom: no space left on device\n" {
			t.Errorf("%q: exit code %d, %q", args, code, said.String())
		}
	}
}
