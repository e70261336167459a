package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput throws away what was typed into a terminal and not read yet.
func discardInput(stream any) {
	if file, ok := stream.(*os.File); ok {
		_ = unix.IoctlSetInt(int(file.Fd()), unix.TCFLSH, unix.TCIFLUSH) // no terminal: nothing was typed
	}
}
