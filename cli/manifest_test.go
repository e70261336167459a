package cli

import (
	"os"
	"path/filepath"
	"strings"
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

func TestAnAmountWithAnAbsurdExponentIsABadFile(t *testing.T) {
	const (
		pod  = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1e999999999"}}}]}}`
		node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`
		of   = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"p","namespace":"shop"},"spec":{"template":{"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":1e-99999}}}]}}}}`
		bare = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: 1e999999999\n"
	)
	dir := t.TempDir()
	state := filepath.Join(dir, "state.json")
	if err := os.WriteFile(state, []byte(node), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"JSON": pod, "YAML": bare, "Deployment": of, "List": `{"apiVersion":"v1","kind":"List","items":[` + pod + `]}`,
		"PodList": `{"apiVersion":"v1","kind":"PodList","items":[` + pod + `]}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		commands := [][]string{{"explain", "-f", file, "--from", state}}
		if name != "Deployment" { // which no state has
			commands = append(commands, []string{"get", "pods", "-A", "--from", file}, []string{"explain", "--all", "--from", file})
		}
		for _, args := range commands {
			stdout, stderr, code := runs(t.Context(), t, args...)
			if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, file) ||
				!strings.Contains(stderr, "exponent of more than three digits") {
				t.Errorf("%s %v: exit code %d\n%s%s", name, args, code, stdout, stderr)
			}
		}
	}
}
