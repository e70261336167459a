package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestNamesInALessonAreDrawnStrongAndWithoutBackticks(t *testing.T) {
	lesson := oneTooMany()
	lesson.state.Answered, lesson.state.Say = 0, "Pods of `front` run on `std-a-01`."
	lesson.state.Answers = []string{"on `std-a-01`", "it stays `Pending", "on another node"}
	app := lessonApp(t, 80, 24, lesson)
	content := app.View().Content
	for _, name := range []string{"front", "std-a-01"} {
		if !strings.Contains(content, app.styles().Strong.Render(name)) {
			t.Errorf("%s is not drawn strong: %q", name, content)
		}
	}
	got := ansi.Strip(content)
	for _, want := range []string{"Pods of front run on std-a-01.", "[1] on std-a-01    [2] it stays `Pending"} {
		if !strings.Contains(got, want) {
			t.Errorf("the screen is without %q:\n%s", want, got)
		}
	}
}

func TestANameThatIsWrappedIsStrongInBothLines(t *testing.T) {
	got := wrapProse(prose("The taint `dedicated=gpu: NoSchedule` rejects it."), 20)
	for _, line := range got {
		if strings.Count(line, nameOn) != strings.Count(line, nameOff) {
			t.Errorf("the marks of %q are no pairs", line)
		}
	}
	plain := make([]string, len(got))
	for i, line := range got {
		plain[i] = ansi.Strip(line)
	}
	if !slices.Equal(plain, []string{"The taint", "dedicated=gpu:", "NoSchedule rejects", "it."}) || !strings.HasPrefix(got[2], nameOn+"NoSchedule"+nameOff) {
		t.Errorf("the lines are %q", got)
	}
	if got := unquoted("a `b`\n and `c"); got != "a b and `c" {
		t.Errorf("unquoted it is %q", got)
	}
}
