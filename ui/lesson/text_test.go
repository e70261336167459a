package lesson

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

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
	if got := Unquoted("a `b`\n and `c"); got != "a b and `c" {
		t.Errorf("unquoted it is %q", got)
	}
}
