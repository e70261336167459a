package lessons_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
)

func TestTheSchedulerIsHeldUntilThePredictionIsMade(t *testing.T) {
	t.Parallel()
	s := begin(t, "anti-affinity")
	s.awaitThat("pods.size() == 7")
	time.Sleep(2 * time.Second)
	if !s.holds("pods.filter(p, !has(p.spec.nodeName)).size() == 7 && unschedulable.size() == 0") {
		t.Error("pods are decided about before the answer")
	}
	if err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, _ := s.State(); state.Step != 0 {
		t.Error("the next step began before the prediction was made")
	}
	s.Answer(1)
	s.Answer(2)
	s.await("six run", func(state lessons.State) bool { return state.Ready && state.Now == "6 of 7" })
	if state, _ := s.State(); state.Answered != 1 || state.Right != 0 || state.Asked != 1 {
		t.Errorf("two answers are taken for %+v", state)
	}
}

func TestALessonThatIsWrongIsRefusedInOneLine(t *testing.T) {
	whole, err := os.ReadFile("anti-affinity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ says, old, new, want string }{
		{"an unknown field", "level: intermediate", "stage: intermediate", "unknown field"},
		{"no YAML", "name: anti-affinity", "name: [", "did not find expected"},
		{"an answer that is none", "right: 2", "right: 4", "step 1: right is 4, but there are 3 answers"},
		{"an expression that cannot be read", "when: ended.size() > 0", "when: ended.size( > 0", "read expression"},
		{"an expression that result no boolResult", "when: ended.size() > 0", "when: ended.size()", "it evaluates to int, not bool"},
		{"a manifest of an unknown field", "replicas: 7", "replicaz: 7", `unknown field "spec.replicaz"`},
		{"a manifest that lessons do not make", "kind: Namespace, metadata: {name: web}", "kind: Secret, metadata: {name: web}", "lessons cannot create a Secret"},
		{"a fault on a node that is none", "hints:", "faults: [{notReady: gone}]\nhints:", "fault 1: the lesson has no node gone"},
		{"a fault in a zone that is none", "hints:", "faults: [{zone: gone}]\nhints:", "fault 1: the lesson has no node in zone gone"},
		{"a taint of no node", "hints:", "faults: [{taint: {key: a, effect: NoSchedule}}]\nhints:", "fault 1: a taint needs a key and a node of the lesson"},
		{"a taint of no effect", "hints:", "faults: [{taint: {node: std-a-01, key: a, effect: Never}}]\nhints:", `fault 1: "Never" is not a taint effect`},
		{"a label of no node", "hints:", "faults: [{label: {key: a}}]\nhints:", "fault 1: a label needs a key"},
		{"an image of nothing", "hints:", "faults: [{image: {name: a}}]\nhints:", "fault 1: an image needs the namespace"},
		{"a action on a node that is none", "    predict:", "    does: [{drain: gone}]\n    predict:", "step 1: does 1: the lesson has no node gone"},
		{"a word for a number", "right: 2", "right: two", "steps.predict.right cannot be a string"},
		{"a half for a whole number", "right: 2", "right: 1.5", "steps.predict.right cannot be 1.5"},
		{"a mapping for a list", "hints:", "faults: {zone: eu-1a}\nhints:", "faults cannot be a mapping"},
		{"a list for a word, in a fault", "hints:", "faults: [{zone: [eu-1a]}]\nhints:", "faults.zone cannot be a list"},
		{"a number for a duration", "hints:", "faults: [{after: 5}]\nhints:", "faults.after cannot be a number"},
		{"a word for a number, in a manifest", "replicas: 7", "replicas: seven", "step 1: read manifest 2: spec.replicas cannot be a string"},
		{"a word for a manifest", "kind: Namespace, metadata: {name: web}", "kind: [Namespace]", "read manifest 1: "},
		{"a manifest of a kind that nobody knows", "kind: Namespace, metadata: {name: web}", "kind: Nonsense", "lessons cannot create a Nonsense"},
		{"a mapping for a key", "name: anti-affinity", "{a: b}: anti-affinity", "it must be a string"},
		{"no nodes", "nodes:", "nodes: []\nfaults:", `unknown field "name"`},
		{"an object without a namespace that exists", "kind: Namespace, metadata: {name: web}", "kind: Namespace, metadata: {name: other}", "step 1: read manifest 2: no manifest before it creates the namespace web"},
	} {
		t.Run(test.says, func(t *testing.T) {
			_, err := lessons.Read(strings.NewReader(strings.Replace(string(whole), test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || goWords.MatchString(err.Error()) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// goWords are those of this program's language, which nobody who writes a lesson knows.
var goWords = regexp.MustCompile(`\bGo\b|lessons\.|v1\.|interface \{\}|scheme|int(32|64)|JSON: json`)

func TestAFileThatIsNoLessonIsSaidToBeNone(t *testing.T) {
	for _, text := range []string{"root:x:0:0:root:/root:/bin/bash\n", "[1, 2]", "7", "true", "just words\nin lines\n"} {
		const want = "not a lesson: it must be a YAML mapping with name, title, nodes and steps (docs/guide/teach.md)"
		if _, err := lessons.Read(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: the error is %v", text, err)
		}
	}
}

func TestAllLessonsCanBeRead(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, lesson := range all {
		if lesson.Learned == "" || !strings.HasPrefix(lesson.Link, "https://kubernetes.io/docs/") {
			t.Errorf("lesson %s ends without an explanation or a link", lesson.Name)
		}
		for i, step := range lesson.Steps {
			wants := len(step.Does) > 0 || i == len(lesson.Steps)-1 && step.Predict == nil
			if wants != (len(lesson.HintsOf(i)) > 0) {
				t.Errorf("lesson %s, step %d: that it wants an action is %v, its hints are %q", lesson.Name, i+1, wants, lesson.HintsOf(i))
			}
		}
	}
}

// TestTheLessonOfTheGuideCanBeRead reads the example in docs/guide/teach.md.
func TestTheLessonOfTheGuideCanBeRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/teach.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the page has no example")
	}
	if _, err := lessons.Read(strings.NewReader(example)); err != nil {
		t.Error(err)
	}
}

func TestTheTextsFitTheirPanel(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	fits := func(t *testing.T, what, text string, most int) {
		t.Helper()
		drawn := strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "") // the panel leaves backticks out
		if n := len([]rune(drawn)); n == 0 || n > most {
			t.Errorf("%s has %d characters, of at most %d: %s", what, n, most, text)
		}
	}
	for _, lesson := range all {
		t.Run(lesson.Name, func(t *testing.T) {
			fits(t, "title", lesson.Title, 50)
			fits(t, "story", lesson.Story, 230)
			fits(t, "goal", lesson.Goal.Says, 78)
			fits(t, "learned", lesson.Learned, 310)
			for i, step := range lesson.Steps {
				fits(t, fmt.Sprintf("step %d", i+1), step.Say, 220)
				if p := step.Predict; p != nil {
					fits(t, "question", p.Question, 115)
					fits(t, "answers", strings.Join(p.Answers, "    "), 140)
					fits(t, "because", p.Because, 170)
				}
			}
			for i := range lesson.Steps {
				for _, hint := range lesson.HintsOf(i) {
					fits(t, "hint", hint, 120)
				}
			}
		})
	}
}

func TestNoAnswerBeginsWithAFigure(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, lesson := range all {
		for i, step := range lesson.Steps {
			if step.Predict == nil {
				continue
			}
			for _, answer := range step.Predict.Answers {
				if strings.ContainsAny(strings.TrimPrefix(answer, "`")[:1], "0123456789") {
					t.Errorf("lesson %s, step %d: %q could be taken for its key", lesson.Name, i+1, answer)
				}
			}
		}
	}
}

func TestAnErrorInALessonNamesItsLine(t *testing.T) {
	whole, err := os.ReadFile("anti-affinity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, at string }{ // at stands in the line that is named
		{"level: intermediate", "stage: intermediate", "stage:"},
		{"right: 2", "right: 4", "right:"},
		{"right: 2", "right: two", "right:"},
		{"when: ended.size() > 0", "when: ended.size( > 0", "when: ended"},
		{"when: running", "when: 'running.size()' #", "when: 'running"},
		{"replicas: 7", "replicaz: 7", "replicaz:"},
		{"replicas: 7", "replicas: seven", "seven"},
		{"kind: Namespace, metadata: {name: web}", "kind: Secret, metadata: {name: web}", "Secret"},
		{"kind: Namespace, metadata: {name: web}", "kind: Namespace, metadata: {name: other}", "namespace: web"},
		{"hints:", "faults:\n  - after: 5s\n  - {notReady: gone}\nhints:", "gone"},
		{"hints:", "faults:\n  - after: 5s\n  - {after: 5}\nhints:", "after: 5}"},
		{"hints:", "faults:\n  - {zone: [eu-1a]}\nhints:", "[eu-1a]"},
		{"    predict:", "    does:\n      - drain: gone\n    predict:", "drain: gone"},
		{"name: anti-affinity", "name: anti affinity", "name: anti affinity"},
		{"goal:", "goals:", "goals:"},
	} {
		text := strings.Replace(string(whole), test.old, test.new, 1)
		_, err := lessons.Read(strings.NewReader(text))
		line := 0
		if err != nil {
			_, _ = fmt.Sscanf(err.Error(), "line %d:", &line)
		}
		if line == 0 || !strings.Contains(strings.Split(text, "\n")[line-1], test.at) {
			t.Errorf("%s: the error is %v", test.new, err)
		}
	}
	if _, err := lessons.Read(strings.NewReader("name: a\ntitle: [b\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("of what is no YAML it is %v", err)
	}
}
