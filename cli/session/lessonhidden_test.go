package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// inLesson shows a lesson from one of its steps on to a test, counted from 1. The
// keys are the dashboard's.
func inLesson(t *testing.T, name string, step int, test func(*testing.T, *stage, ui.Cluster)) {
	t.Helper()
	inBubble(t, func(t *testing.T) {
		clusters := &Demo{}
		cluster, err := clusters.openAt(t.Context(), name, step)
		if err != nil {
			t.Fatal(err)
		}
		s := newStage(ui.Options{Cluster: cluster, Session: clusters, Context: name, Demo: true, Theme: "dark"})
		defer s.close()
		for range 20 { // the steps before are taken by themselves
			s.live(10 * time.Second)
			if !strings.Contains(s.plain(), "Going to step") {
				break
			}
		}
		s.press(tea.KeyEnter, tea.KeyEscape) // the story is read
		test(t, s, cluster)
	})
}

// page is what is on the screen above the lesson's panel.
func (s *stage) page() string {
	page := abovePanel(s.plain())
	return page
}

// plain is the screen without colors.
func (s *stage) plain() string { return ansi.Strip(s.frame()) }

// explained are the words of what is known about each pod: those that a page
// would show.
func explained(t *testing.T, cluster ui.Cluster) (words []string) {
	t.Helper()
	snapshot := cluster.(*embedded).Newest()
	for _, kind := range snapshot.Pending { // also of those that could not be created
		report, err := cluster.Ask(t.Context(), report.Query{Target: report.PodOf(kind.First().Object.UID)})
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, report.Summary, report.State, report.Why)
	}
	for _, pod := range snapshot.Pods {
		report, err := cluster.Ask(t.Context(), report.Query{Target: report.PodOf(pod.Object.UID)})
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, report.Summary)
	}
	if slices.Contains(words, "") {
		t.Fatalf("an explanation has no words: %q", words)
	}
	return words
}

// lookedAt are the pages where explanations are, each shown for each row of the
// lists that it is opened from.
func (s *stage) lookedAt() (pages map[string]string) {
	pages = map[string]string{}
	for list, keys := range map[rune]string{'1': "fpTWFa", '2': "fpTWFea", '3': "xcurta"} {
		s.press(list)
		pages[string(list)] = s.plain()
		for row := range 2 {
			for _, key := range string(tea.KeyEnter) + keys {
				s.press(list, 'g')
				for range row {
					s.press('j')
				}
				s.press(key)
				s.live(2 * time.Second)
				pages[fmt.Sprintf("%c, row %d, %q", list, row+1, key)] = s.plain()
				s.press(tea.KeyEscape)
			}
		}
	}
	return pages
}

// A prediction is the student's: while it is open no page gives its answer, and no
// plan.
func TestWhileAPredictionIsOpenNoPageGivesItsAnswerAway(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 19 s: every page is drawn for every prediction of every lesson")
	}
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, lesson := range all {
		for i := range lesson.Steps {
			if lesson.Steps[i].Predict == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", lesson.Name, i+1), func(t *testing.T) {
				inLesson(t, lesson.Name, i+1, func(t *testing.T, s *stage, cluster ui.Cluster) {
					if !strings.Contains(s.plain(), "Predict:") {
						t.Fatalf("nothing is asked:\n%s", s.plain())
					}
					words := explained(t, cluster)
					for of, page := range s.lookedAt() {
						above := abovePanel(page)
						for _, word := range words {
							if strings.Contains(above, word) && !strings.Contains(lesson.Steps[i].Say, word) {
								t.Errorf("%s shows %q:\n%s", of, word, page)
							}
						}
						if strings.Contains(page, "┌ ") && !strings.Contains(page, "┌ Actions on") {
							t.Errorf("%s is a plan:\n%s", of, page)
						}
					}
				})
			})
		}
	}
}

func TestAfterTheAnswerThePagesExplainAgain(t *testing.T) {
	for _, keys := range [][]rune{{'L', '1'}, {'L', 's'}} {
		inLesson(t, "anti-affinity", 1, func(t *testing.T, s *stage, cluster ui.Cluster) {
			s.press('1', tea.KeyEnter)
			if page := s.page(); !strings.Contains(page, "Hidden until the lesson's question is answered.") {
				t.Errorf("before the answer Why is\n%s", page)
			}
			s.press(keys...)
			s.press(tea.KeyEscape, '1')
			s.live(10 * time.Second)
			if page := s.page(); !strings.Contains(page, "unschedulable") || strings.Contains(page, "hidden") {
				t.Errorf("after %q Pending is\n%s", keys, page)
			}
			s.press(tea.KeyEnter)
			s.live(2 * time.Second)
			words := explained(t, cluster)
			if page := s.page(); !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(page, word) }) {
				t.Errorf("after %q Why says none of %q:\n%s", keys, words, page)
			}
		})
	}
}

func TestAPredictionThatIsSkippedCountsAsNotRight(t *testing.T) {
	inLesson(t, "anti-affinity", 1, func(t *testing.T, s *stage, cluster ui.Cluster) {
		s.press('L', 's')
		s.live(5 * time.Second)
		if got := s.plain(); !strings.Contains(got, "Skipped. The answer is [2] it stays Pending.") {
			t.Errorf("the screen is\n%s", got)
		}
		state, _ := cluster.(*embedded).taken.run.State()
		if state.Asked != 1 || state.Right != 0 || !state.Ready {
			t.Errorf("the lesson is at %+v", state)
		}
	})
}
