package terminal

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal opens a terminal, and the side that reads what is written to it.
func openTerminal(t *testing.T) (reader, terminal *os.File) {
	t.Helper()
	reader, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	if err := unix.IoctlSetPointerInt(int(reader.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(reader.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return reader, terminal
}

func TestProgressIsOverwrittenOnlyWhereTheTerminalCanDoSo(t *testing.T) {
	for term, want := range map[string]string{"xterm": "\r\x1b[KReading\r\x1b[K.", "dumb": "."} {
		t.Run(term, func(t *testing.T) {
			t.Setenv("TERM", term)
			reader, terminal := openTerminal(t)
			progress := NewProgress(NewStream(terminal))
			if shown := progress.Line("Reading"); shown != (term == "xterm") {
				t.Errorf("the line is shown: %t", shown)
			}
			progress.Clear()
			if _, err := terminal.WriteString("."); err != nil { // then there is something to read
				t.Fatal(err)
			}
			if got, err := bufio.NewReader(reader).ReadString('.'); got != want {
				t.Errorf("the terminal gets %q, want %q (%v)", got, want, err)
			}
		})
	}
}
