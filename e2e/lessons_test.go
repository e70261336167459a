package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// student takes a lesson by the keys of the dashboard alone.
type student struct {
	screen
	inPanel bool
}

// take opens a lesson in a terminal.
func take(t *testing.T, lesson string) *student {
	t.Helper()
	s := &student{screen: open(t, 110, 44, "demo", "--lesson", lesson)}
	s.shows("enter to continue")
	s.inPanel = true
	s.press(enter) // the story is read
	return s
}

// enters goes into the panel, and leaves back to the dashboard.
func (s *student) enters() {
	if !s.inPanel {
		s.press("L")
		s.shows("esc dashboard")
		s.inPanel = true
	}
}

func (s *student) leaves() {
	if s.inPanel {
		s.press(escape)
		s.shows("── L panel ─")
		s.inPanel = false
	}
}

// answers predicts.
func (s *student) answers(n string) {
	s.t.Helper()
	s.enters()
	s.shows("scheduler is paused until you answer")
	s.press(n)
	s.shows(`✓ \[` + n + `\] is correct|✓ Goal reached:`) // the answer may be the last that the goal wanted
}

// next goes to the next step once it may begin.
func (s *student) next(step int) {
	s.t.Helper()
	s.enters()
	begun := regexp.MustCompile(fmt.Sprintf(`── step %d of \d+ ──`, step))
	for range 100 {
		switch screen := s.String(); {
		case begun.MatchString(screen):
			return
		case strings.Contains(screen, "enter to continue"):
			s.press(enter)
		}
		time.Sleep(400 * time.Millisecond)
	}
	s.shows(begun.String())
}

// finds shows one view with the rows that a filter keeps.
func (s *student) finds(view, filter, row string) {
	s.t.Helper()
	s.leaves()
	s.press(view)
	s.shows(map[string]string{"1": "› pending", "2": "› pods", "3": "› nodes"}[view])
	s.press("/")
	s.shows(`^ /`)
	s.press("\x17\x17\x17\x17" + filter + enter)
	s.shows(`^▸[ *]+ *` + row)
}

// says answers the box that asks, as it wants to be answered, and again where it
// says that the object changed meanwhile.
func (s *student) says() {
	s.t.Helper()
	asks, open := regexp.MustCompile(`Type ([^ ,]+)[ ,]|│ y \S+`), regexp.MustCompile(`esc cancel`)
	s.shows(asks.String() + `|Check each \[ \] with space`)
	unchecked := func(line string) bool { return strings.Contains(line, "[ ]") }
	for range 5 {
		time.Sleep(1500 * time.Millisecond) // a box has to be read before it takes an answer
		if slices.ContainsFunc(s.Lines(), unchecked) {
			s.press(" ")
			s.shows(asks.String())
		}
		lines := s.Lines()
		at := slices.IndexFunc(lines, asks.MatchString)
		if at < 0 {
			break
		}
		if answer := asks.FindStringSubmatch(lines[at])[1]; answer != "" {
			s.press(answer + enter)
		} else {
			s.press("y")
		}
		time.Sleep(time.Second)
		if !slices.ContainsFunc(s.Lines(), open.MatchString) {
			return
		}
	}
	s.hides(open.String())
}

// A move is what a student does to the cluster.
type move func(*student)

// toNode presses a key on a node, types what its input wants, and says yes.
func toNode(name, key, typed string) move {
	return func(s *student) {
		s.t.Helper()
		s.finds("3", "name="+name, name)
		s.press(key)
		s.types(typed)
		s.says()
	}
}

// toPod is toNode for a pod that the filter finds.
func toPod(filter, key, typed string) move {
	return func(s *student) {
		s.t.Helper()
		s.finds("2", filter, `\S+/`)
		s.press(key)
		s.types(typed)
		s.says()
	}
}

// types fills an input, if one opens.
func (s *student) types(text string) {
	s.t.Helper()
	if text != "" {
		s.shows(`▏`)
		s.press(text + enter)
	}
}

// toWorkload chooses an action of the menu on a pod that the filter finds.
func toWorkload(view, filter, action, typed string) move {
	return func(s *student) {
		s.t.Helper()
		s.finds(view, filter, `\S+/`)
		s.press("a")
		s.shows(action)
		for range 12 {
			if slices.ContainsFunc(s.Lines(), regexp.MustCompile(`▸.*`+action).MatchString) {
				break
			}
			s.press("j")
			time.Sleep(300 * time.Millisecond) // until it is drawn
		}
		s.press(enter)
		s.types(typed)
		s.says()
	}
}

// seen waits for a row, as a student does who looks.
func seen(view, filter, row string) move {
	return func(s *student) {
		s.t.Helper()
		s.finds(view, filter, row)
	}
}

// walks are how each lesson is taken: the right answers, and what is done, by step.
var walks = []struct {
	lesson  string
	answers map[int]string
	moves   map[int][]move
}{
	{"requests", map[int]string{1: "3", 2: "3", 3: "2"}, map[int][]move{4: {toNode("std-a-02", "u", "")}}},
	{"qos", map[int]string{1: "3", 2: "3"}, map[int][]move{3: {toPod("scratch", "e", "")}}},
	{"selectors", map[int]string{1: "1"}, map[int][]move{2: {toNode("std-a-03", "l", "disktype=ssd")}}},
	{"taint-effects", map[int]string{1: "2", 2: "1"}, map[int][]move{
		3: {toNode("gpu-a-01", "t", "dedicated=gpu:NoSchedule")},
		4: {toPods("node=gpu-a-01", 3, "e")},
	}},
	{"host-ports", map[int]string{2: "2"}, map[int][]move{3: {toWorkload("2", "debug", "delete", "")}}},
	{"fragmentation", map[int]string{2: "3"}, map[int][]move{3: {
		toNode("std-a-01", "c", ""), toPod("node=std-a-01 name~web", "e", ""),
		seen("2", "name~web node!=std-a-01 state=Running", `\S+/web`), toNode("std-a-01", "u", ""),
	}}},
	{"noexecute", map[int]string{2: "2"}, map[int][]move{3: {toNode("std-a-01", "t", "repair=tonight:NoExecute")}}},
	{"dedicated-nodes", map[int]string{1: "3", 3: "2"}, map[int][]move{2: {
		toNode("pay-a-01", "t", "dedicated=payments:NoSchedule"), toNode("pay-a-01", "l", "pool=payments"),
	}}},
	{"node-failure", map[int]string{2: "1"}, map[int][]move{3: {toPod("checkout", "e", "")}}},
	{"anti-affinity", map[int]string{1: "2"}, map[int][]move{2: {toNode("std-c-03", "u", "")}}},
	{"spread", map[int]string{1: "1"}, map[int][]move{2: {toNode("std-c-01", "l", "topology.kubernetes.io/zone=eu-1c")}}},
	{"blocked-drain", map[int]string{1: "3"}, map[int][]move{2: {
		toWorkload("2", "cart", "scale", "3"), showing("3 Running"), toNode("std-a-01", "r", ""),
	}}},
	{"preemption", map[int]string{2: "2", 3: "1"}, map[int][]move{4: {toWorkload("2", "batch", "scale", "4")}}},
	{"quota", map[int]string{3: "3", 4: "2"}, map[int][]move{
		6: {toWorkload("2", "team/web", "scale", "0"), toWorkload("2", "team/api", "restart", "")},
	}},
	{"non-preempting", map[int]string{2: "2", 3: "3"}, map[int][]move{4: {toPod("batch node=std-a-01", "e", "")}}},
	{"volume-zone", map[int]string{1: "2", 2: "2"}, map[int][]move{3: {toNode("std-b-01", "r", "")}, 4: {toNode("std-b-02", "u", "")}}},
	{"gates", map[int]string{1: "3"}, map[int][]move{2: {toWorkload("2", "report", "remove gates", ""), toWorkload("2", "stray", "delete", "")}}},
	{"scoring", map[int]string{1: "3", 2: "2", 4: "2"}, map[int][]move{
		3: {toNode("std-a-02", "l", "disktype=ssd")}, 5: {toWorkload("2", "index", "scale", "2")},
	}},
}

// showing waits for words on the screen, with all pods in view.
func showing(words string) move {
	return func(s *student) {
		s.t.Helper()
		s.leaves()
		s.press("2")
		s.shows("› pods")
		s.press(escape)
		time.Sleep(300 * time.Millisecond) // with a key right behind it, it would be alt
		s.shows(words)
	}
}

// toPods marks so many pods and does one thing to all of them.
func toPods(filter string, count int, key string) move {
	return func(s *student) {
		s.t.Helper()
		s.finds("2", filter, `\S+/`)
		for range count {
			s.press(" ") // marks, and goes to the next
			time.Sleep(200 * time.Millisecond)
		}
		s.press(key)
		s.says()
	}
}

// Each lesson that comes with fathom, from its story to its goal.
func TestEachLessonIsTakenByItsKeys(t *testing.T) {
	for _, w := range walks {
		t.Run(w.lesson, func(t *testing.T) {
			t.Parallel()
			s := take(t, w.lesson)
			for step := 1; ; step++ {
				if answer := w.answers[step]; answer != "" {
					s.answers(answer)
				}
				for _, do := range w.moves[step] {
					do(s)
				}
				if regexp.MustCompile(fmt.Sprintf(`── step %d of %[1]d ──`, step)).MatchString(s.String()) {
					break
				}
				s.next(step + 1)
			}
			s.shows("Goal reached: ")
		})
	}
}
