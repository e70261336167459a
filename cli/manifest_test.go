package cli

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A manifest gives pods, which are valid or not, or an error; nothing panics.
func FuzzReadManifest(f *testing.F) {
	for _, script := range []string{"manifest", "explain"} {
		archive, err := txtar.ParseFile("testdata/" + script + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		wishes, err := wishesIn(text, defaultNamespace)
		if err != nil && len(wishes) > 0 {
			t.Errorf("%d pods and %v", len(wishes), err)
		}
		for _, w := range wishes {
			pod := w.Pod.DeepCopy()
			_ = validate(pod) // either will do
			w.WithoutDropped(pod)
		}
	})
}
