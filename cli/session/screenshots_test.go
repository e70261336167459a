package session

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// updating says whether the pictures are written again: the golden package has the flag.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// The pictures of the documentation are what the dashboard shows on the embedded
// cluster: make screenshots draws them again.
func TestScreenshotsShowWhatThereIs(t *testing.T) {
	inEachPicture(t, func(t *testing.T, s *stage, name string, theme themes.Theme) {
		shot := func(of, title string) {
			requireFile(t, of+"-"+name+".svg", svg(title, s.frame(), 80, 24, theme))
		}
		shot("pending", "Pending pods, each with its reason in a few words")
		s.press(tea.KeyEnter)
		shot("why", "Why a pod is pending: what rejects it on each group of nodes, the sum behind it, and what would help")
	})
}

// inEachPicture shows the same cluster in the dark and the light theme, with a row of Pending
// selected that has much to show.
func inEachPicture(t *testing.T, draw func(t *testing.T, s *stage, name string, theme themes.Theme)) {
	t.Helper()
	for _, name := range []string{"dark", "light"} {
		theme, ok := themes.For(name, name == "dark")
		if !ok {
			t.Fatalf("no theme %s", name)
		}
		onStage(t, demo.Story{Nodes: demo.FewestNodes, Seed: 1, Still: true}, name, func(t *testing.T, s *stage) {
			s.pose()
			draw(t, s, name, theme)
		})
	}
}

// pose waits until a row of Pending that has much to show can be selected, and selects it.
func (s *stage) pose() {
	s.live(150*time.Second + 500*time.Millisecond) // chance decides by a second when a pod was tried last: ages are told in minutes
	s.press('/', 'c', 'h', 'e', 'c', 'k', tea.KeyEnter, tea.KeyEscape)
}

// The gallery has the other themes: the one for colour blindness, and those of the example settings.
func TestScreenshotsOfThemesShowWhatThereIs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "settings", "themes", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no themes", err)
	}
	var gallery themes.Gallery
	shown := []string{"color-blind"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		theme := themes.Custom{Name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		if err := yaml.Unmarshal(text, &theme); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		gallery.Custom, shown = append(gallery.Custom, theme), append(shown, theme.Name)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "themes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shown {
		if !strings.Contains(string(page), "pending-"+name+".svg") {
			t.Errorf("docs/guide/themes.md does not show %s", name)
		}
		theme, _ := gallery.For(name, true)
		onStageWith(t, demo.Story{Nodes: demo.FewestNodes, Seed: 1, Still: true}, name, gallery, func(t *testing.T, s *stage) {
			s.pose()
			requireFile(t, "pending-"+name+".svg", svg("Pending pods in the theme "+name, s.frame(), 80, 24, theme))
		})
	}
}

// requireFile compares a picture with its file, or writes it.
func requireFile(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join("..", "..", "docs", "screenshots", name)
	if updating() {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("docs/screenshots/%s is not what the dashboard shows; make screenshots draws it again (-file +dashboard):\n%s", name, diff)
	}
}
