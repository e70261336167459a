package lesson

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The head of the panel on 80 columns, while it is entered or not.
func TestTheTitlesOfLessonsAreNotCut(t *testing.T) {
	files, err := filepath.Glob("../../demo/lessons/*.yaml")
	if err != nil || len(files) < 18 {
		t.Fatalf("the lessons are %v (%v)", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "title: ")
		title, _, _ := strings.Cut(rest, "\n")
		title = strings.Trim(title, `"`)
		for _, entered := range []bool{true, false} {
			panel := Panel{Entered: entered, State: State{Number: 18, Of: 18, Title: title, Step: 1, Steps: 6}}
			if head := panel.head(80 - 6); !strings.Contains(head, title) {
				t.Errorf("entered %v, the head is %s", entered, head)
			}
		}
	}
}
