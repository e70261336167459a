package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// badFiles are files that no command can do anything with, by name.
func badFiles(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	packed := func(r io.Reader) []byte {
		var text bytes.Buffer
		w := gzip.NewWriter(&text)
		if _, err := io.Copy(w, r); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return text.Bytes()
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.AddFS(os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	pods := strings.Repeat("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n", 1000)
	whole := packed(strings.NewReader(pods))
	files := map[string][]byte{
		"empty": nil, "blank": []byte(" \n\n"), "broken": []byte("apiVersion: v1\nkind: Pod\n  metadata: ["),
		"words": []byte("hello\n"), "picture": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10"),
		"archive": archive.Bytes(), "packed archive": packed(&archive), "cut off": whole[:len(whole)/2],
		"cut off JSON": []byte(`{"kind":"List","apiVersion":"v1","items":[{"kind":"Pod"`),
		"bomb":         packed(io.LimitReader(zeros{}, 200<<20)),
		"deep":         []byte("a: " + strings.Repeat("[", 100_000)),
		"aliases":      []byte("a: &a [x, x, x, x, x, x, x, x, x]\n" + multiplied()),
		"no kind":      []byte(`{"a": "` + strings.Repeat("x", 500_000) + `"}`),
		"huge":         nil, // made below
	}
	names := map[string]string{"nowhere": filepath.Join(dir, "nowhere"), "directory": filepath.Join(dir, "directory")}
	for name, text := range files {
		names[name] = filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(names[name], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(names["directory"], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(names["huge"], 2<<30); err != nil { // it takes no room
		t.Fatal(err)
	}
	return names
}

// zeros gives nothing else.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// multiplied are aliases of aliases: a few lines that stand for a billion.
func multiplied() string {
	var text strings.Builder
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&text, "%c: &%[1]c [%[2]s]\n", c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	return text.String()
}

// Whatever a file is, a command that cannot read it says so in one line.
func TestFilesThatCannotBeReadGetOneLine(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	for name, file := range badFiles(t) {
		for _, args := range [][]string{
			{"explain", "--all", "--from", file},
			{"get", "nodes", "--from", file},
			{"explain", "--all", "--from", "-"},
			{"explain", "-f", file},
			{"explain", "-f", "-"},
			{"explain", "pod", "--scheduler-config", file},
			{"demo", "--lesson", file},
			{"demo", "--lesson", "-"},
		} {
			var stdin io.Reader
			if args[len(args)-1] == "-" {
				in, err := os.Open(file)
				if err != nil {
					continue // the shell says so
				}
				defer func() { _ = in.Close() }()
				stdin = in
			}
			var stdout, stderr bytes.Buffer
			began := time.Now()
			code := Run(t.Context(), append([]string{"fathom"}, args...), stdin, &stdout, &stderr)
			said := stderr.String()
			if code != exit.Usage || stdout.Len() > 0 || !strings.HasPrefix(said, "fathom: ") || strings.Count(said, "\n") != 1 || utf8.RuneCountInString(said) > terminal.LongestLine+10 {
				t.Errorf("%s: %q: exit code %d, stdout %.100q, stderr %.600q", name, args, code, stdout.String(), said)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s: %q took %v", name, args, took)
			}
		}
	}
}

// Reading ends when the user ends it, also where nothing comes.
func TestReadingCanBeInterrupted(t *testing.T) {
	for _, args := range [][]string{{"explain", "--all", "--from", "-"}, {"explain", "-f", "-"}, {"demo", "--lesson", "-"}} {
		in, _ := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		var stdout, stderr bytes.Buffer
		code := Run(ctx, append([]string{"fathom"}, args...), in, &stdout, &stderr)
		if got := stderr.String(); code != exit.Unknown || got != "fathom: interrupted\n" {
			t.Errorf("%q: exit code %d, %q", args, code, got)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
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
			if code != exit.Usage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, file) ||
				!strings.Contains(stderr, "exponent of more than three digits") {
				t.Errorf("%s %v: exit code %d\n%s%s", name, args, code, stdout, stderr)
			}
		}
	}
}
