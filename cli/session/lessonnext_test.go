package session

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

func TestTheEndOfALessonLeadsToTheNextOne(t *testing.T) {
	inLesson(t, "anti-affinity", 1, func(t *testing.T, s *stage, _ ui.Cluster) {
		s.press('L', 'n')
		if got := s.plain(); !strings.Contains(got, "reach the goal of this one first") {
			t.Errorf("before the end n says\n%s", got)
		}
		s.press('2')
		s.live(5 * time.Second)
		s.press(tea.KeyEnter, tea.KeyEscape, '3', 'G', 'u')
		s.live(5 * time.Second)
		s.press('y')
		s.live(10 * time.Second)
		if got := strings.Join(strings.Fields(s.plain()), " "); !strings.Contains(got, "✓ Goal reached:") ||
			!strings.Contains(got, "L, then n to start lesson 11 of 18: topology spread and a missing zone label; r to start this one again,") {
			t.Fatalf("at the end the screen is\n%s", s.plain())
		}
		s.press('L', 'n')
		s.live(5 * time.Second)
		if got := s.plain(); !strings.Contains(got, "── Lesson 11 of 18: topology spread") || !strings.Contains(got, "front must be spread evenly") {
			t.Errorf("after n the screen is\n%s", got)
		}
	})
}

func TestTheListOfLessonsIsReachedFromThePanel(t *testing.T) {
	inLesson(t, "qos", 1, func(t *testing.T, s *stage, _ ui.Cluster) {
		s.press('L', 'l')
		if got := s.plain(); !strings.Contains(got, "lesson requests") || !strings.Contains(got, "resource requests") {
			t.Errorf("l shows\n%s", got)
		}
		s.press('g', 'a', 't', 'e', tea.KeyEnter)
		s.live(5 * time.Second)
		if got := s.plain(); !strings.Contains(got, "── Lesson 17 of 18: scheduling gates") {
			t.Errorf("after enter the screen is\n%s", got)
		}
	})
}

func TestAHintDoesNotOutliveItsStep(t *testing.T) {
	inLesson(t, "taint-effects", 1, func(t *testing.T, s *stage, _ ui.Cluster) {
		s.press('L', 'h')
		if got := s.plain(); !strings.Contains(got, "h hint: no hints for this step.") {
			t.Errorf("in step 1 h says\n%s", got)
		}
	})
	inLesson(t, "taint-effects", 3, func(t *testing.T, s *stage, _ ui.Cluster) {
		s.press('L', 'h')
		if got := s.plain(); !strings.Contains(got, "Hint: Select gpu-a-01 in Nodes") {
			t.Errorf("in step 3 h shows\n%s", got)
		}
		s.press(tea.KeyEscape, '3', 'g', 't')
		s.press([]rune("dedicated=gpu:NoSchedule")...)
		s.press(tea.KeyEnter)
		s.live(5 * time.Second)
		s.press('y')
		s.live(5 * time.Second)
		s.press('L', tea.KeyEnter)
		if got := s.plain(); !strings.Contains(got, "── step 4 of 4") || strings.Contains(got, "Hint:") || !strings.Contains(got, "h for a hint (2 left)") {
			t.Errorf("step 4 begins with\n%s", got)
		}
	})
}
