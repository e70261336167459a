package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// lessonTexts are the sentences of a lesson's file that a student reads.
func lessonTexts(t *testing.T, file string) (texts []string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lesson map[string]any
	if err := yaml.Unmarshal(raw, &lesson); err != nil {
		t.Fatal(err)
	}
	var walk func(key string, value any)
	walk = func(key string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				if key != "objects" && key != "nodes" && key != "does" {
					walk(key, inner)
				}
			}
		case []any:
			for _, inner := range value {
				walk(key, inner)
			}
		case string:
			if slices.Contains([]string{"story", "say", "says", "question", "answers", "because", "hints", "learned"}, key) {
				texts = append(texts, strings.Join(strings.Fields(value), " "))
			}
		}
	}
	walk("", lesson)
	return texts
}

var (
	namedView   = regexp.MustCompile(`\b[Vv]iew (\w+)`)
	namedPage   = regexp.MustCompile(`\b(?:[Ii]n|[Oo]pen) ([A-Z][a-z]+)\b`)
	namedKey    = regexp.MustCompile(`(?:^|[ (])([b-zB-HJ-Z])(?:[ .,;:)]|$)`)
	pressedKey  = regexp.MustCompile(`\bpress (\w+)`)
	inBrackets  = regexp.MustCompile(`\((\d|enter|esc|space|tab)\)`)
	menuKey     = regexp.MustCompile(`\ba (?:shows|in|on) |\bpress a\b`)
	menuWord    = regexp.MustCompile(`\b(?:a shows|choose) ([a-z ]+?)(?: and type|[.,:;]|$)`)
	namedColumn = regexp.MustCompile(`\bcolumn ([A-Z]+)`)
)

// pagesOf are the pages that a text names, as places of the key map; those that
// are none are wrong.
func pagesOf(text string) (in keymap.Place, wrong []string) {
	views := map[string]keymap.Place{
		"Pending": keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts | keymap.InPending, "Pods": keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts, "Nodes": keymap.Everywhere | keymap.Lists | keymap.OnNode,
	}
	for _, match := range namedView.FindAllStringSubmatch(text, -1) {
		b, ok := keymap.At(match[1], keymap.Everywhere)
		if views[b.Foot] == 0 || !ok {
			wrong = append(wrong, "no view "+match[1])
		}
		in |= views[b.Foot]
	}
	for _, match := range namedPage.FindAllStringSubmatch(text, -1) {
		if views[match[1]] == 0 {
			wrong = append(wrong, "no page "+match[1])
		}
		in |= views[match[1]]
	}
	if in == 0 {
		in = views["Pending"] | views["Nodes"]
	}
	return in, wrong
}

// missingThings are the views, keys, words of menus and columns that a text names and
// that are not there.
func missingThings(app *App, text string) []string {
	in, wrong := pagesOf(text)
	var pressed []string
	for _, by := range []*regexp.Regexp{namedKey, pressedKey, inBrackets} {
		for _, match := range by.FindAllStringSubmatch(text, -1) {
			pressed = append(pressed, match[1])
		}
	}
	if menuKey.MatchString(text) {
		pressed = append(pressed, "a")
	}
	slices.Sort(pressed)
	for _, key := range slices.Compact(pressed) {
		if _, ok := keymap.At(key, in); !ok {
			wrong = append(wrong, "no key "+key+" there")
		}
	}
	for _, match := range menuWord.FindAllStringSubmatch(text, -1) {
		has := func(do keymap.Action) bool {
			word := keyless[do]
			if word == "" {
				word = keymap.Of(do, in).Foot
			}
			return strings.HasPrefix(word+" ", strings.TrimSpace(match[1])+" ")
		}
		if !slices.ContainsFunc(change.Actions, has) {
			wrong = append(wrong, "the menu has no "+match[1])
		}
	}
	for _, match := range namedColumn.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(headsOf(app), match[1]) {
			wrong = append(wrong, "no column "+match[1])
		}
	}
	return wrong
}

// headsOf are the heads of the columns of Pending, Pods and Nodes.
func headsOf(app *App) (heads []string) {
	for _, c := range app.pages.pending.Table.Columns {
		heads = append(heads, c.Head)
	}
	for _, c := range app.pages.pods.Table.Columns {
		heads = append(heads, c.Head)
	}
	for _, c := range app.pages.nodes.Table.Columns {
		heads = append(heads, c.Head)
	}
	return heads
}

func TestWhatTheLessonsNameIsThere(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	files, err := filepath.Glob("../demo/lessons/*.yaml")
	if err != nil || len(files) < 18 {
		t.Fatalf("the lessons are %v (%v)", files, err)
	}
	for _, file := range files {
		for _, text := range lessonTexts(t, file) {
			if wrong := missingThings(app, text); wrong != nil {
				t.Errorf("%s: %s: %q", filepath.Base(file), strings.Join(wrong, ", "), text)
			}
		}
	}
}

func TestWhatALessonNamesWronglyIsFound(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	for text, want := range map[string]string{
		"View 8 shows what the quota allows.":             "no view 8",
		"Select batch/report; a shows ungate.":            "the menu has no ungate",
		"Select batch/report; a shows remove gates.":      "",
		"Select batch/report, press a and choose ungate.": "the menu has no ungate",
		"In view 2, press a, choose scale and type 2.":    "",
		"Select std-c-03 in Nodes and press u.":           "",
		"Select the pod in view 2 and press u.":           "no key u there",
		"t on the pod in view 2.":                         "no key t there",
		"Drain it (X in Nodes).":                          "no key X there",
		"Look at it in Quotas.":                           "no page Quotas",
		"The column HUE of view 2 tells.":                 "no column HUE",
		"Close one node to new pods: c in Nodes.":         "",
		"Why (enter) says which pod takes the port.":      "",
		"In view 2 mark the pods with space and press e.": "",
	} {
		if got := strings.Join(missingThings(app, text), ", "); got != want {
			t.Errorf("%q: found is %s", text, fmt.Sprintf("%q, want %q", got, want))
		}
	}
}
