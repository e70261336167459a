package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// large draws large and plain.
func large(o *Options) { o.Large = true }

func TestLargeAndPlain(t *testing.T) {
	for _, test := range []struct {
		name          string
		width, height int
		lesson        lesson.Lesson
		keys          []string
	}{
		{"pending", 80, 24, nil, []string{"1", "j"}},
		{"pods", 80, 24, nil, []string{"2", "j", "space"}},
		{"nodes", 80, 24, nil, []string{"j", "j"}},
		{"nodes-wide", 120, 40, nil, nil},
		{"nodes-all-columns", 80, 24, nil, []string{"w"}},
		{"yaml", 80, 24, nil, []string{"y"}},
		{"menu", 80, 24, nil, []string{"i"}},
		{"palette", 80, 24, outline(), []string{":"}},
		{"help", 80, 24, nil, []string{"?"}},
		{"lesson", 80, 24, oneTooMany(), []string{"2"}},
		{"lesson-wide", 120, 40, oneTooMany(), []string{"2"}},
		{"small", 60, 15, oneTooMany(), []string{"2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := trainerApp(t, &fakeTrainer{}, test.lesson, large)
			app.lesson.Begun, app.lesson.Entered = true, false
			app.layout.showLesson()
			send(t, app, tea.WindowSizeMsg{Width: test.width, Height: test.height})
			press(t, app, test.keys...)
			requireScreen(t, app)
		})
	}
}

func TestNothingIsFaintWhereItIsPlain(t *testing.T) {
	for _, theme := range []string{"dark", "light", "mono"} {
		t.Run(theme, func(t *testing.T) {
			app := trainerApp(t, &fakeTrainer{}, nil, func(o *Options) { o.Large, o.Theme = true, theme })
			requireColours(t, app)
		})
	}
}

func TestAClickBetweenRowsIsOnTheRowAbove(t *testing.T) {
	for _, test := range []struct {
		y    int
		want string
	}{{4, "gpu-a-01"}, {5, "gpu-a-01"}, {6, "gpu-b-01"}, {9, "gpu-c-01"}} {
		app := trainerApp(t, &fakeTrainer{}, nil, large)
		press(t, app, "j", "j", "j", "j") // on none of those
		send(t, app, tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: test.y})
		if got := app.history.top().Selected().Node.Name; got != test.want {
			t.Errorf("a click on row %d selects %s, want %s\n%s", test.y, got, test.want, screen(app))
		}
	}
}

func TestLargeIsTurnedOnAndOff(t *testing.T) {
	app := trainerApp(t, &fakeTrainer{}, outline(), nil)
	before := app.View().Content
	for range 2 {
		press(t, app, ":")
		write(t, app, "large")
		press(t, app, "enter")
		if app.Large != app.lesson.Large || app.Large == strings.Contains(screen(app), "MEM ") {
			t.Errorf("large is %v, the screen\n%s", app.Large, screen(app))
		}
	}
	if app.View().Content != before {
		t.Errorf("after all that the screen is\n%s", screen(app))
	}
}
