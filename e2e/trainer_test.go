package e2e

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

// An instructor's keys in a demo, on a projector: inject a fault, remove it, reset.
func TestATrainerInjectsFaultsAndResets(t *testing.T) {
	s := openDemo(t, "--instructor")
	s.shows(`^ 14 pending`)
	s.press("3")
	s.shows(`^ 12 nodes: 12 Ready \(1 cordoned, 1 MemoryPressure\)`)
	s.shows(`^   NAME +STATUS +CPU FREE +TAINTS`)
	s.shows(`^ enter pods .* i fault  \? help$`)
	s.press("/name=std-a-01" + enter)
	s.shows(`^▸.*std-a-01 +Ready `)
	s.press("i")
	s.shows(`│▸not-ready +std-a-01 becomes NotReady`)
	s.press(enter)
	s.shows(`Injected: std-a-01 becomes NotReady`)
	s.shows(`^▸.*std-a-01 +NotReady`)
	s.press("i")
	s.shows(`│▸remove +std-a-01 becomes NotReady`)
	s.press(enter)
	s.shows(`Removed: std-a-01 becomes NotReady`)
	s.shows(`^▸.*std-a-01 +Ready `)

	s.press("i")
	s.shows(`│▸not-ready`)
	s.press("jjjj" + enter) // cordon
	s.shows(`^▸.*std-a-01 +Ready,cordoned`)
	s.press(":")
	s.shows(`tab complete`)
	s.press("reset" + enter)
	s.shows(`y reset +esc cancel`)
	s.arms()
	s.press("y")
	s.shows(`The cluster was reset`)
	s.shows(`^▸.*std-a-01 +Ready `)
	s.shows(`/name=std-a-01: 1 matches`)
	s.press("1")
	s.shows(`^ 14 pending: 11 unschedulable, 1 gated, 1 no scheduler, 1 image`)
	s.press(ctrlC)
	s.ends(0)
}

// Who goes to the last step takes it from there; it is not counted as passed.
func TestAStepOfALessonIsGoneTo(t *testing.T) {
	env := environment(t)
	tty, err := terminal.Start(env, 110, 44, binary, "demo", "--lesson", "taint-effects")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() }) // the test has failed before, if it does
	s := &student{screen: screen{tty, t}}
	s.shows("enter to continue")
	s.inPanel = true
	s.press("i")
	s.shows(`step +go to a step of the lesson`)
	s.press("G" + enter)
	s.shows(`│▸1 now`)
	s.press("G" + enter)
	s.shows(`Steps 1 to 3 are done for you`)
	s.arms()
	s.press("y")
	s.shows(`Going to step 4\. Step \d is done for you`)
	s.shows(`── step 4 of 4, with help ──`)
	toPods("node=gpu-a-01", 3, "e")(s)
	s.shows(`Goal reached: `)
	s.shows(`does not count as passed`)
	progress := exec.CommandContext(t.Context(), binary, "demo", "--progress", "-o", "json")
	progress.Env = env
	out, err := progress.Output()
	if err != nil || !regexp.MustCompile(`"name":"taint-effects",.*"times":1,"reachedWithHelp":"`).Match(out) {
		t.Errorf("the progress is (%v)\n%s", err, out)
	}
}
