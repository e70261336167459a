package e2e

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

// A trainer's keys in a demo, on a projector: put a fault, take it back, begin anew.
func TestATrainerPutsFaultsAndBeginsAnew(t *testing.T) {
	s := openDemo(t, "--instructor")
	s.shows(`^ 14 pods wait`)
	s.press("3")
	s.shows(`^ 12 nodes: 12 Ready \(1 cordoned\)`)
	s.shows(`^   NAME +STATUS +CPU FREE +TAINTS`)
	s.shows(`^ enter pods .* i fault  \? help$`)
	s.press("/name=std-a-01" + enter)
	s.shows(`^▸.*std-a-01 +Ready `)
	s.press("i")
	s.shows(`│▸not-ready +std-a-01 becomes NotReady`)
	s.press(enter)
	s.shows(`Done: std-a-01 becomes NotReady`)
	s.shows(`^▸.*std-a-01 +NotReady`)
	s.press("i")
	s.shows(`│▸take back +std-a-01 becomes NotReady`)
	s.press(enter)
	s.shows(`Taken back: std-a-01 becomes NotReady`)
	s.shows(`^▸.*std-a-01 +Ready `)

	s.press("i")
	s.shows(`│▸not-ready`)
	s.press("jjjj" + enter) // cordon
	s.shows(`^▸.*std-a-01 +Ready,cordoned`)
	s.press(":")
	s.shows(`tab completes`)
	s.press("reset" + enter)
	s.shows(`y reset +esc nothing`)
	s.arms()
	s.press("y")
	s.shows(`It began anew`)
	s.shows(`^▸.*std-a-01 +Ready `)
	s.shows(`/name=std-a-01 keeps 1`)
	s.press("1")
	s.shows(`^ 14 pods wait: 11 fit no node, 3 wait for something else`)
	s.press(ctrlC)
	s.ends(0)
}

// Who goes to the last step takes it from there; it is not counted as passed.
func TestAStepOfALessonIsGoneTo(t *testing.T) {
	env := environment(t)
	tty, err := terminal.Start(env, 110, 44, binary, "demo", "--lesson", "wrong-effect")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() }) // the test has failed before, if it does
	s := &student{screen: screen{tty, t}}
	s.shows("enter goes on")
	s.inPanel = true
	s.press("i")
	s.shows(`step +go to a step of the lesson`)
	s.press("G" + enter)
	s.shows(`│▸1 now`)
	s.press("G" + enter)
	s.shows(`Steps 1 to 3 are taken for the class`)
	s.arms()
	s.press("y")
	s.shows(`On the way to step 4: step \d is taken for you`)
	s.shows(`── 4 of 4, led ──`)
	toPods("node=gpu-a-01", 3, "e")(s)
	s.shows(`Reached: `)
	s.shows(`A trainer had a hand in it:`)
	progress := exec.CommandContext(t.Context(), binary, "demo", "--progress", "-o", "json")
	progress.Env = env
	out, err := progress.Output()
	if err != nil || !regexp.MustCompile(`"name":"wrong-effect",.*"times":1,"led":"`).Match(out) {
		t.Errorf("the progress is (%v)\n%s", err, out)
	}
}
