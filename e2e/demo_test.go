package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

// The embedded cluster in a real terminal, with an empty home, and without a
// network where the system lets a test take it away. No control plane runs.

// openDemo starts the embedded cluster's dashboard.
func openDemo(t *testing.T, args ...string) screen {
	t.Helper()
	command := append([]string{binary, "demo"}, args...)
	if exec.CommandContext(t.Context(), "unshare", "-rn", "true").Run() == nil {
		command = slices.Concat([]string{"unshare", "-rn"}, command)
	}
	env := environment(t)
	tty, err := terminal.Start(env, 80, 24, command[0], command[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	home := strings.TrimPrefix(env[0], "HOME=")
	t.Cleanup(func() {
		if err := tty.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(home, ".kube")); err == nil {
			t.Error("a .kube was made")
		}
	})
	return screen{tty, t}
}

// demoLive is the header's end of the embedded cluster.
const demoLive = ` +DEMO +live$`

func TestDemoExplainsWhyPodsWait(t *testing.T) {
	s := openDemo(t)
	s.shows(`^ demo › all › pending` + demoLive)
	s.shows(`^ 14 pending: 11 unschedulable, 1 gated, 1 no scheduler, 1 image`)
	for _, row := range []struct{ pod, why, answer string }{
		{`shop/checkout ×3`, ` cpu +std-b-02 needs 350m more`, `0 of 12 nodes fit. Closest: std-b-02 needs cpu 350m more`},
		{`ml/train`, `too large +cpu 32; largest node 31.8`, `it requests cpu 32, the largest node has 31.8`},
		{`ml/embed`, `taint +dedicated=gpu:NoSchedule`, `dedicated=gpu:NoSchedule`},
		{`data/etl`, `node selector +instance-type=r6i`, `instance-type=r6i.4xlarge`},
		{`search/index-2`, ` cpu +std-b-02 needs 50m more`, `claim data-index-2`},
		{`ml/notebook-0`, `no scheduler +"ml-scheduler" is not ru`, `Scheduler "ml-scheduler" is not running`},
		{`batch/nightly`, `gate +example.com/budget`, `Gated by example.com/budget`},
		{`web/front ×2`, `anti-affinity`, `one per node: each has one`},
		{`web/edge`, `spread`, `zone skew 2, maxSkew 1`},
		{`web/proxy`, `host port`, `port 8443/TCP in use on each`},
		{`shop/recom`, `image +std-a-02: ErrImagePull`, `not started: the image registry.example/shop/rec`},
		{`team-a/api ×2`, `quota +compute: requests.c`, `ResourceQuota team-a/compute allows requests.cpu 4, 3.6 us`},
	} {
		s.shows(row.pod + `.* ` + row.why)
		name, _, _ := strings.Cut(row.pod, " ")
		s.press("/" + name + enter)
		s.shows(`^▸.*` + name)
		s.press(enter)
		s.shows(`› pending › ` + name)
		s.shows(row.answer)
		s.hides(`disagrees with kube-scheduler`)
		s.press(escape)
		s.shows(`› all › pending` + demoLive)
		s.press(escape) // the filter
		s.hides(`: \d+ match`)
	}
	s.press(ctrlC)
	s.ends(0)
}

// Each change is planned, confirmed and carried out on the API in memory, and
// the real scheduler and controllers react.
func TestDemoReactsToChanges(t *testing.T) {
	s := openDemo(t)
	s.shows(`web/edge.* spread`)
	s.press("3")
	s.shows(`^ 12 nodes: 12 Ready \(1 cordoned, 1 MemoryPressure\)`)
	s.press("/spot-a-01" + enter)
	s.shows(`^▸.*spot-a-01 +Ready,cordoned`)
	s.press("u")
	s.shows(`y uncordon`)
	s.arms()
	s.press("y")
	s.shows(`^▸.*spot-a-01 +Ready `)
	s.press("c")
	s.shows(`y cordon`)
	s.arms()
	s.press("y")
	s.shows(`^▸.*spot-a-01 +Ready,cordoned`)
	s.press(escape) // the filter
	s.hides(`: \d+ match`)
	s.press("/gpu-a-01" + enter)
	s.shows(`^▸.*gpu-a-01 +Ready .*dedicat`)
	s.press("t")
	s.shows(`now +dedicated=gpu:NoSchedule`)
	s.press("dedicated-" + enter)
	s.shows(`y untaint`)
	s.arms()
	s.press("y")
	s.hides(`dedicated=gpu`)
	s.press(escape)
	s.hides(`: \d+ match`)
	s.press("2")
	s.press("/web/edge" + enter)
	s.shows(`web/edge.* Running .*spot-a-01`)
	s.press("/")
	s.press("\x15ml/embed" + enter)
	s.shows(`ml/embed.* Running .*gpu-a-01`)
	s.press("/")
	s.press("\x15web/api" + enter)
	s.shows(`^▸.*web/api.* Running .* 1d$`)
	s.press("e")
	s.shows(`y evict`)
	s.arms()
	s.press("y")
	s.shows(`web/api.* Running .* \d+s$`) // another in its place
	s.press(ctrlC)
	s.ends(0)
}

// arms waits until the box that was just opened takes an answer.
func (s screen) arms() { time.Sleep(2500 * time.Millisecond) }

func TestDemoAtItsLargest(t *testing.T) {
	s := openDemo(t, "--nodes", "1000", "--seed", "3")
	s.shows(`^ 14 pending: 11 unschedulable, 1 gated, 1 no scheduler, 1 image`)
	s.press("3")
	s.shows(`^ 1,?000 nodes: 1,?000 Ready \(1 cordoned, 1 MemoryPressure\)`)
	s.press(ctrlC)
	s.ends(0)
}
