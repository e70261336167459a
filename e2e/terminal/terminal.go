// Package terminal runs a program in a pseudo-terminal and reads its screen
// through a terminal emulator. The emulator counts wide characters as one cell
// and knows few colors: those are for a real terminal multiplexer.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/term"
)

// leader is the session's leader. It outlives the program, because the kernel
// resets a terminal whose leader has ended, and passes on how the program ended.
const leader = `trap : TERM HUP INT QUIT ABRT BUS FPE ILL SEGV TRAP; "$@" 3>&- 4<&-; echo $? >&3; exec 3>&-; read _ <&4`

// Terminal is a program in a terminal. Its methods may be called from any goroutine.
type Terminal struct {
	cmd     *exec.Cmd
	master  *os.File
	release *os.File // closing it lets the leader end
	before  *term.State
	ended   chan struct{}
	code    int // of the program, once ended is closed

	mu     sync.Mutex
	screen vt10x.Terminal
	output []byte // all of it, for the modes
	rest   []byte // of a character that is not whole yet
	drawn  time.Time
	fresh  chan struct{} // closed when more is drawn
}

// Start runs a program in a terminal of columns × rows.
func Start(env []string, columns, rows int, program string, args ...string) (*Terminal, error) {
	t := &Terminal{ended: make(chan struct{}), fresh: make(chan struct{})}
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer func() { _ = slave.Close() }()
	t.master = master
	t.screen = vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(master))
	t.before, err = term.GetState(int(slave.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read the terminal's state: %w", err)
	}
	err = pty.Setsize(master, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		return nil, fmt.Errorf("size the terminal: %w", err)
	}
	err = t.run(slave, env, append([]string{"-c", leader, "leader", program}, args...))
	if err != nil {
		return nil, err
	}
	go t.read()
	return t, nil
}

// run starts the leader on the terminal, with the program below it.
func (t *Terminal) run(slave *os.File, env, args []string) error {
	status, statusEnd, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	defer func() { _ = statusEnd.Close() }()
	releaseEnd, release, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	defer func() { _ = releaseEnd.Close() }()
	t.release = release
	t.cmd = exec.Command("/bin/sh", args...)
	t.cmd.Env = env
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = slave, slave, slave
	t.cmd.ExtraFiles = []*os.File{statusEnd, releaseEnd} // 3 and 4
	t.cmd.SysProcAttr = leaderAttr()
	err = t.cmd.Start()
	if err != nil {
		return fmt.Errorf("start %s: %w", args[3], err)
	}
	go func() {
		defer close(t.ended)
		data, err := io.ReadAll(status)
		t.code, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil || len(data) == 0 {
			t.code = -1
		}
	}()
	return nil
}

// read feeds the emulator until the terminal is closed.
func (t *Terminal) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(buffer)
		t.mu.Lock()
		t.output = append(t.output, buffer[:n]...)
		t.rest = append(t.rest, buffer[:n]...)
		whole := wholeRunes(t.rest)
		_, _ = t.screen.Write(t.rest[:whole]) // it never fails
		t.rest = slices.Clone(t.rest[whole:])
		t.drawn = time.Now()
		close(t.fresh)
		t.fresh = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wholeRunes is how many bytes come before a character that is cut off.
func wholeRunes(data []byte) int {
	for i := max(0, len(data)-utf8.UTFMax+1); i < len(data); i++ {
		if utf8.RuneStart(data[i]) && !utf8.FullRune(data[i:]) {
			return i
		}
	}
	return len(data)
}

// Type sends keys, as the terminal would.
func (t *Terminal) Type(keys string) error {
	_, err := t.master.WriteString(keys)
	return err
}

// Resize changes the size and tells the program.
func (t *Terminal) Resize(columns, rows int) error {
	t.mu.Lock()
	t.screen.Resize(columns, rows)
	t.mu.Unlock()
	return pty.Setsize(t.master, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
}

// Lines are the rows of the screen, without the blanks at their ends.
func (t *Terminal) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSuffix(t.screen.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// String is the screen.
func (t *Terminal) String() string { return strings.Join(t.Lines(), "\n") }

// Drawn is when the program last wrote something, how many bytes it has written
// by now, and a channel that is closed when it writes more.
func (t *Terminal) Drawn() (at time.Time, bytes int, more <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.drawn, len(t.output), t.fresh
}

// lastOutput is how long the last output of a program that has ended takes to be read.
const lastOutput = 50 * time.Millisecond

// Wait waits a minute at most until the screen is as wanted. The error shows the
// last screen.
func (t *Terminal) Wait(ctx context.Context, what string, wanted func(lines []string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err := t.When(ctx, what, wanted)
	return err
}

// When waits until the screen is as wanted, and gives when it was drawn.
func (t *Terminal) When(ctx context.Context, what string, wanted func(lines []string) bool) (time.Time, error) {
	for {
		at, _, more := t.Drawn()
		if wanted(t.Lines()) {
			return at, nil
		}
		select {
		case <-more:
		case <-t.ended:
			time.Sleep(lastOutput)
			if at, _, _ := t.Drawn(); wanted(t.Lines()) {
				return at, nil
			}
			return time.Time{}, fmt.Errorf("wait for %s: the program ended with code %d; its screen:\n%s", what, t.code, t)
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait for %s: %w; the screen:\n%s", what, ctx.Err(), t)
		}
	}
}

// Program is the process id of the program.
func (t *Terminal) Program() (int, error) {
	pid := t.cmd.Process.Pid
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, fmt.Errorf("find the program: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(data)))
}

// Signal sends a signal to the program, as a terminal does: to its whole group.
func (t *Terminal) Signal(signal syscall.Signal) error {
	return syscall.Kill(-t.cmd.Process.Pid, signal)
}

// Gone is closed once the program has ended.
func (t *Terminal) Gone() <-chan struct{} { return t.ended }

// Ended waits for the program's end and gives its exit code.
func (t *Terminal) Ended(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	select {
	case <-t.ended:
		time.Sleep(lastOutput)
		return t.code, nil
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the program to end: %w; the screen:\n%s", ctx.Err(), t)
	}
}

// Close kills what still runs and closes the terminal.
func (t *Terminal) Close() error {
	err := syscall.Kill(-t.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		err = nil
	}
	_ = t.cmd.Wait() // it was killed
	return errors.Join(err, t.release.Close(), t.master.Close())
}
