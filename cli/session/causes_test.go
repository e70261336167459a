package session

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
)

// A section of the page names the row that it is about, and then shows lines of its screen.
var section = regexp.MustCompile("(?s)Row `([a-z-]+)/([a-z0-9-]+)`.*?```text\n(.*?)```")

// What the guide shows of each cause is what the dashboard shows on the embedded cluster.
func TestTheGuideShowsEachCauseAsTheDashboardDoes(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := section.FindAllStringSubmatch(string(page), -1)
	if heads := strings.Count(string(page), "\n```text\n"); len(sections) != heads || heads < 12 {
		t.Fatalf("%d of %d screens belong to a row", len(sections), heads)
	}
	onStage(t, demo.Story{Nodes: demo.FewestNodes, Seed: 1, Still: true}, "causes", func(t *testing.T, s *stage) {
		s.live(150*time.Second + 500*time.Millisecond)
		for _, found := range sections {
			row, lines := found[1]+"/"+found[2], strings.Split(strings.TrimSpace(found[3]), "\n")
			s.press('1', '/')
			s.press([]rune(found[2])...)
			s.press(tea.KeyEnter, tea.KeyEscape, tea.KeyEnter)
			screen := ansi.Strip(s.frame())
			if !strings.Contains(screen, "pending › "+row) {
				t.Errorf("%s: the dashboard shows another page:\n%s", row, screen)
				continue
			}
			rest := screen
			for _, line := range lines {
				_, after, ok := strings.Cut(rest, strings.TrimSpace(line))
				if !ok {
					t.Errorf("%s: docs/guide/causes.md has a line that the dashboard does not have there:\n%s\n%s", row, line, screen)
					break
				}
				rest = after
			}
		}
	})
}
