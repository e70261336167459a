package terminal

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// start runs a shell script in a terminal of 40×5.
func start(t *testing.T, script string) *Terminal {
	t.Helper()
	tty, err := Start([]string{"PATH=/usr/bin:/bin", "TERM=xterm"}, 40, 5, "/bin/sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := tty.Close()
		if err != nil {
			t.Error(err)
		}
	})
	return tty
}

// shows waits for a text on the screen.
func shows(t *testing.T, tty *Terminal, text string) {
	t.Helper()
	err := tty.Wait(t.Context(), text, func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ends waits for the end and gives the exit code.
func ends(t *testing.T, tty *Terminal) int {
	t.Helper()
	code, err := tty.Ended(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestKeysReachTheProgramAndItsWordsTheScreen(t *testing.T) {
	tty := start(t, `printf 'who? '; read name; printf '\033[4;3Hhello %s' "$name"; read _; exit 3`)
	shows(t, tty, "who?")
	err := tty.Type("ada\n")
	if err != nil {
		t.Fatal(err)
	}
	shows(t, tty, "hello ada")
	if got := tty.Lines()[3]; got != "  hello ada" {
		t.Errorf("line 4 is %q", got)
	}
	err = tty.Type("\n")
	if err != nil {
		t.Fatal(err)
	}
	if code := ends(t, tty); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	if err := tty.Restored(); err != nil {
		t.Errorf("nothing was changed, yet: %v", err)
	}
}

func TestWhatIsLeftChangedIsTold(t *testing.T) {
	tty := start(t, `stty raw -echo; printf '\033[?1049h\033[?25l\033[?1002;1006h\033[>1u'`)
	ends(t, tty)
	err := tty.Restored()
	if err == nil {
		t.Fatal("nothing is told")
	}
	for _, what := range []string{"settings", "1049", "1002", "1006", "cursor", "keyboard"} {
		if !strings.Contains(err.Error(), what) {
			t.Errorf("%q is not told: %v", what, err)
		}
	}
}

func TestWhatWasPutBackIsNotTold(t *testing.T) {
	tty := start(t, `old=$(stty -g); stty raw; printf '\033[?1049h\033[?25l\033[>1u'; printf '\033[<u\033[?25h\033[?1049l'; stty "$old"`)
	ends(t, tty)
	if err := tty.Restored(); err != nil {
		t.Error(err)
	}
}

func TestSignalsReachTheProgram(t *testing.T) {
	tty := start(t, `trap 'echo ended; exit 9' TERM; echo ready; while :; do sleep 0.05; done`)
	shows(t, tty, "ready")
	err := tty.Signal(syscall.SIGTERM)
	if err != nil {
		t.Fatal(err)
	}
	if code := ends(t, tty); code != 9 {
		t.Errorf("exit code %d, want 9", code)
	}
}

func TestResizeIsSeen(t *testing.T) {
	tty := start(t, `trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done`)
	shows(t, tty, "ready")
	err := tty.Resize(60, 15)
	if err != nil {
		t.Fatal(err)
	}
	shows(t, tty, "15 60")
}
