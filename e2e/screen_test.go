package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/fleet"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

const (
	enter  = "\r"
	escape = "\x1b"
	ctrlC  = "\x03"
)

// live is the header's end while every watch is open. That no one serves
// metrics is told once it is known.
const live = `( +! 1 not read)? +live$`

// screen is the dashboard in a terminal.
type screen struct {
	*terminal.Terminal
	t *testing.T
}

// open starts the dashboard in a terminal of columns × rows.
func open(t *testing.T, columns, rows int, args ...string) screen {
	t.Helper()
	return openProgram(t, columns, rows, binary, args...)
}

// openProgram is open of any program.
func openProgram(t *testing.T, columns, rows int, program string, args ...string) screen {
	t.Helper()
	tty, err := terminal.Start(environment(t), columns, rows, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := tty.Close()
		if err != nil {
			t.Error(err)
		}
	})
	return screen{tty, t}
}

// press types keys.
func (s screen) press(keys string) {
	s.t.Helper()
	err := s.Type(keys)
	if err != nil {
		s.t.Fatal(err)
	}
}

// shows waits until a row matches the pattern.
func (s screen) shows(pattern string) {
	s.t.Helper()
	wanted := regexp.MustCompile(pattern)
	err := s.Wait(s.t.Context(), pattern, func(lines []string) bool { return slices.ContainsFunc(lines, wanted.MatchString) })
	if err != nil {
		s.t.Fatal(err)
	}
}

// hides waits until no row matches the pattern.
func (s screen) hides(pattern string) {
	s.t.Helper()
	unwanted := regexp.MustCompile(pattern)
	err := s.Wait(s.t.Context(), "no "+pattern, func(lines []string) bool { return !slices.ContainsFunc(lines, unwanted.MatchString) })
	if err != nil {
		s.t.Fatal(err)
	}
}

// fits wants no row wider than the terminal, and as many rows as it has.
func (s screen) fits(columns, rows int) {
	s.t.Helper()
	lines := s.Lines()
	if len(lines) != rows {
		s.t.Errorf("%d rows, want %d", len(lines), rows)
	}
	for _, line := range lines {
		if len([]rune(line)) > columns {
			s.t.Errorf("wider than %d: %q", columns, line)
		}
	}
}

// ends wants the program to end with the code and the terminal as it was.
func (s screen) ends(code int) {
	s.t.Helper()
	got, err := s.Ended(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if got != code {
		s.t.Errorf("exit code %d, want %d; the screen:\n%s", got, code, s)
	}
	err = s.Restored()
	if err != nil {
		s.t.Error(err)
	}
}

// startFleet starts a control plane with the ten nodes.
func startFleet(t *testing.T) *controlplane.ControlPlane {
	t.Helper()
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true})
	err := fleet.Fill(t.Context(), admin(t, plane), filepath.Join(binaries(t), "kubectl"), kubeconfig(t, plane, controlplane.Admin))
	if err != nil {
		t.Fatal(err)
	}
	return plane
}

// The way of the on-call engineer, on a real cluster, in a real terminal.
func TestDashboard(t *testing.T) {
	plane := startFleet(t)
	config := kubeconfig(t, plane, controlplane.Admin)
	for _, c := range []struct {
		name string
		run  func(*testing.T, string)
	}{
		{"opens on Pending and says why", readWhy},
		{"has its views, filter, help and palette", walkViews},
		{"draws at every size", resize},
		{"draws wide characters and colors", drawInMultiplexer},
		{"restores the terminal however it ends", restore},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, config) })
	}
	t.Run("survives the API server's restart", func(t *testing.T) { surviveRestart(t, plane) })
}

// readWhy opens Pending, then Why of the pod that is larger than any node.
func readWhy(t *testing.T, config string) {
	s := open(t, 80, 24, "--kubeconfig", config)
	s.shows(`› all › pending` + live)
	s.shows(`^ \d+ pending: \d+ unschedulable, `)
	s.shows(`ml/train.* too large +cpu 32; largest node 15.89`)
	s.shows(`batch/nightly.* gate +example.com/budget`)
	s.shows(`shop/recom.* image +`)
	s.fits(80, 24)
	s.press("/train" + enter)
	s.hides(`nightly`)
	s.shows(`^▸.*ml/train`)
	s.press(enter)
	s.shows(`› pending › ml/train`)
	s.shows(`it requests cpu 32, the largest node has 15.89`)
	s.shows(`REASON \(closest first\)`)
	s.shows(`agrees with kube-scheduler`)
	s.fits(80, 24)
	s.press(escape)
	s.shows(`› all › pending` + live)
	s.press(escape) // the filter
	s.shows(`nightly`)
	s.press(ctrlC)
	s.ends(0)
}

// walkViews goes to the other views and opens what lies over them.
func walkViews(t *testing.T, config string) {
	s := open(t, 80, 24, "--kubeconfig", config)
	s.shows(`› all › pending` + live)
	s.press("2")
	s.shows(`› all › pods`)
	s.shows(`^ \d+ pods: \d+ Running, \d+ Pending`)
	s.press("/node~ip-10-0-1-17" + enter)
	s.shows(`/node~ip-10-0-1-17: \d+ match`) // of the whole filter: a slow program matches what is typed so far
	s.press(escape)
	s.hides(`: \d+ match`) // else the next key would be taken for alt and that key
	s.press("3")
	s.shows(`› all › nodes`)
	s.shows(`^ 10 nodes: 10 Ready \(1 cordoned\)`)
	s.shows(`ip-10-0-3-204.* Ready,cordoned`)
	s.press("?")
	s.shows(`Keys in Nodes`)
	s.press(escape)
	s.hides(`Keys in Nodes`)
	s.press(":")
	s.shows(`^ :`)
	s.press("pods" + enter)
	s.shows(`› all › pods`)
	s.press("1")
	s.shows(`› all › pending`)
	s.press(ctrlC)
	s.ends(0)
}

// resize draws the same view in four sizes.
func resize(t *testing.T, config string) {
	s := open(t, 80, 24, "--kubeconfig", config)
	s.shows(`^ \d+ pending:`)
	for _, size := range [][2]int{{120, 40}, {60, 15}, {200, 50}, {80, 24}} {
		err := s.Resize(size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		s.shows(`^ \d+ pending:`)
		s.shows(`\? help`)
		err = s.Wait(t.Context(), fmt.Sprintf("the footer on row %d", size[1]), func(lines []string) bool {
			return len(lines) == size[1] && strings.Contains(lines[size[1]-1], "help")
		})
		if err != nil {
			t.Error(err)
		}
		s.fits(size[0], size[1])
	}
	s.press(ctrlC)
	s.ends(0)
}

// restore ends the dashboard in each way that can be caught.
func restore(t *testing.T, config string) {
	for _, c := range []struct {
		name string
		end  func(screen) error
		code int
	}{
		{"ctrl-c", func(s screen) error { return s.Type(ctrlC) }, 0},
		{"SIGTERM", func(s screen) error { return s.Signal(syscall.SIGTERM) }, 143},
		{"SIGINT", func(s screen) error { return s.Signal(syscall.SIGINT) }, 130},
		{"SIGQUIT", func(s screen) error { return s.Signal(syscall.SIGQUIT) }, 131},
		{"SIGHUP", func(s screen) error { return s.Signal(syscall.SIGHUP) }, 129},
		{"SIGABRT", func(s screen) error { return s.Signal(syscall.SIGABRT) }, 134},
		{"SIGSEGV of another process", func(s screen) error { return s.Signal(syscall.SIGSEGV) }, 139},
		{"SIGTRAP", func(s screen) error { return s.Signal(syscall.SIGTRAP) }, 133},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, 80, 24, "--kubeconfig", config)
			s.shows(`^ \d+ pending:`)
			on := s.Modes()
			if !slices.Contains(on, "1049") || slices.Contains(on, "25") {
				t.Errorf("the modes are %v: there is nothing to restore", on)
			}
			err := c.end(s)
			if err != nil {
				t.Fatal(err)
			}
			s.ends(c.code)
			if found := innards.FindString(s.String()); found != "" {
				t.Errorf("it shows its innards: %q\n%s", found, s)
			}
		})
	}
}

// surviveRestart kills the API server under the dashboard and starts it again.
func surviveRestart(t *testing.T, plane *controlplane.ControlPlane) {
	s := open(t, 80, 24, "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	s.shows(`› all › pending` + live)
	plane.StopAPIServer()
	s.shows(`no answer for \S+, (retry in \d+s|reconnecting)$`)
	s.shows(`No answer from ` + plane.URL())
	s.shows(`ml/train`) // what was known stays
	s.press("3")
	s.shows(`› all › nodes`)
	err := plane.StartAPIServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.shows(`› all › nodes` + live)
	kubectl(t, plane, "", "cordon", "ip-10-0-3-45.eu-central-1.compute.internal")
	s.shows(`^ 10 nodes: 10 Ready \(2 cordoned\)`)
	kubectl(t, plane, "", "uncordon", "ip-10-0-3-45.eu-central-1.compute.internal")
	s.shows(`^ 10 nodes: 10 Ready \(1 cordoned\)`)
	s.press(ctrlC)
	s.ends(0)
}

// drawInMultiplexer reads the screen through tmux, which knows wide and
// combining characters and colors.
func drawInMultiplexer(t *testing.T, config string) {
	socket := filepath.Join(t.TempDir(), "tmux")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(environment(t), "COLORTERM=truecolor")
		return cmd
	}
	tmux := func(args ...string) string {
		t.Helper()
		out, err := command(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	tmux("-u", "new-session", "-d", "-x", "80", "-y", "24", binary, "--kubeconfig", config)
	defer func() { _ = command("kill-server").Run() }() // it ends by itself with the program, if that was quick
	captured := func(pattern string, args ...string) string {
		t.Helper()
		var out string
		wanted := regexp.MustCompile(pattern)
		eventually(t, "tmux shows "+pattern, func(context.Context) (bool, error) {
			out = tmux(append([]string{"capture-pane", "-p"}, args...)...)
			return wanted.MatchString(out), nil
		})
		return out
	}
	colored := captured(`\d+ pending:`, "-e")
	if !regexp.MustCompile(`\x1b\[[0-9;:]*m`).MatchString(colored) {
		t.Errorf("no colors:\n%q", colored)
	}
	tmux("send-keys", "/")
	tmux("send-keys", "-l", "名前é")
	out := captured(`/名前é`)
	if lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n"); len(lines) != 24 || !strings.Contains(lines[0], "› pending") {
		t.Errorf("wide characters have moved the rows:\n%s", out)
	}
	tmux("send-keys", "Escape")
	time.Sleep(100 * time.Millisecond) // an escape followed at once by a key would be alt and that key
	tmux("send-keys", "C-c")
}
