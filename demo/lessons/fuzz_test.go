package lessons

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzReadGivesALessonOrOneLine(f *testing.F) {
	for _, name := range order {
		text, err := files.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	f.Add([]byte("name: x\nnodes: [null]\nsteps: [null]\nfaults: [{step: 9}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lesson, err := Read(bytes.NewReader(text))
		if (lesson == nil) != (err != nil) {
			t.Errorf("a lesson %v and %v", lesson, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("more than one line: %q", err)
		}
	})
}
