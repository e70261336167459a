package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

// inFiles writes files into a folder, and gives its path.
func inFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// wrongSettings has a fault on nearly each line.
const wrongSettings = `# mine
---
thene: dark
production: "a["
readonly:
  - live
  - "b["
ascii: perhaps
levels:
  tight: 99
  full: 95
pool-label: a b
columns:
  nodes:
    - {head: RACK, label: example.com/rack}
    - {head: OWNER}
    - head: X
      cel: node.metadata.name
  pods:
    - label: "a b"
    - {labl: team}
keys:
  drain: [f5, enter]
  evict: f5
  drein: f6
  fit: crtl+x
theme: mine
`

func TestConfigCheckGivesALineForEachFault(t *testing.T) {
	folder := inFiles(t, map[string]string{
		"config.yaml":      wrongSettings,
		"themes/mine.yaml": "base: drak\ncolors:\n  text: \"#fff\"\n  bade: red\n  bad: red\nmore: 1\n",
		"themes/dark.yaml": "colors: {text: \"1\"}\n",
		"themes/good.yaml": "base: light\ncolors: {text: \"#000000\", dim: \"241\"}\n",
		"themes/notes.txt": "no theme",
	})
	faults, right, err := CheckFile(t.Context(), filepath.Join(folder, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, fault := range faults {
		got = append(got, strings.TrimPrefix(fault.String(), folder+string(filepath.Separator)))
	}
	for _, want := range []string{
		`config.yaml:3: unknown setting "thene": choose one of theme, ascii, production`,
		`config.yaml:4: production: "a["`,
		`config.yaml:5: readonly: "b["`,
		`config.yaml:8: ascii: it must be true or false, not text`,
		`config.yaml:9: levels: tight 99, full 95`,
		`config.yaml:12: pool-label: "a b" is not a label key`,
		`config.yaml:21: columns.pods[1]: unknown field "labl"`,
		`config.yaml:23: keys.drain: the key enter is a built-in one: open`,
		`config.yaml:24: keys.evict: the key f5 is that of drain already`,
		`config.yaml:25: unknown action "drein": choose one of `,
		`config.yaml:26: keys.fit: "crtl+x" is not a key`,
		`config.yaml:27: theme: `,
		`themes/dark.yaml: "dark" is the name of a built-in theme`,
		`themes/mine.yaml:1: base: "drak" is none of auto, dark`,
		`themes/mine.yaml:4: unknown role "bade": choose one of accent`,
		`themes/mine.yaml:5: colors.bad: "red" is not a color`,
		`themes/mine.yaml:6: unknown field "more": choose one of base, colors`,
	} {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(filepath.ToSlash(line), want) }) {
			t.Errorf("no line begins with\n%s\nin\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, line := range got {
		if strings.Contains(line, "\n") {
			t.Errorf("%q is more than one line", line)
		}
	}
	if want := []string{filepath.Join(folder, "themes", "good.yaml")}; !slices.Equal(right, want) {
		t.Errorf("right are %v, want %v", right, want)
	}
}

func TestFaultsOfColumnsHaveTheirLine(t *testing.T) {
	file := filepath.Join(inFiles(t, map[string]string{"config.yaml": "columns:\n  nodes:\n    - {head: RACK, label: example.com/rack}\n    - {head: OWNER}\n" +
		"    - head: X\n      cel: node.metadata.name\n  pods:\n    - label: \"a b\"\n"}), "config.yaml")
	faults, _, err := CheckFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, fault := range faults {
		got = append(got, strings.TrimPrefix(fault.String(), file))
	}
	want := []string{
		":4: columns.nodes[1]: set one of label, annotation and cel",
		":6: columns.nodes[2].cel: 1:1: undeclared reference to 'node' (in container '')",
		":8: columns.pods[0].label: \"a b\" is not a key: ",
	}
	if len(got) != len(want) {
		t.Fatalf("got\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %s, want %s", got[i], want[i])
		}
	}
}

func TestAFileThatIsNoYAMLSaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a syntax error":        {"theme: dark\nlevels: {tight: 80\n", ":"},
		"a list":                {"- theme\n", ": it must be a mapping of settings"},
		"two documents":         {"theme: dark\n---\ntheme: light\n", ": it has more than one document"},
		"a setting twice":       {"theme: dark\ntheme: light\n", ":2: "},
		"a list for a pattern":  {"production: [a, b]\n", ":1: production: it must be text, not a list"},
		"an unquoted letter":    {"keys: {drain: y}\n", `:1: keys: drain: YAML reads y, n, on, off, yes and no as true or false: write the key in quotes, as in "y"`},
		"a text for a mapping":  {"columns: wide\n", ":1: columns: it must be a mapping, not text"},
		"a number among levels": {"levels: {tight: much}\n", ":1: levels.tight: it must be a whole number, not text"},
		"a mapping for a key":   {"keys: {drain: {f5: 1}}\n", ":1: keys: drain: write a key, such as f5"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(inFiles(t, map[string]string{"config.yaml": c.text}), "config.yaml")
			faults, _, err := CheckFile(t.Context(), file)
			if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0].String(), file+c.want) {
				t.Errorf("%v %v", faults, err)
			}
		})
	}
}

func TestAFileWithoutFaults(t *testing.T) {
	folder := inFiles(t, map[string]string{
		"config.yaml": "theme: mine\nascii: no\nreadonly: yes\ncolumns: {nodes: [{label: example.com/rack}], pods: [{head: UID, cel: object.metadata.uid}]}\n" +
			"keys: {drain: f5, page-down: [alt+j, ctrl+alt+j]}\nlevels: &l {tight: 70}\n",
		"themes/mine.yaml": "colors: {bad: \"9\"}\n",
	})
	faults, right, err := CheckFile(t.Context(), filepath.Join(folder, "config.yaml"))
	if err != nil || len(faults) > 0 || len(right) != 2 {
		t.Errorf("%v %v %v", faults, right, err)
	}
	if _, _, err := CheckFile(t.Context(), filepath.Join(folder, "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestThemesOfAUserAreFound(t *testing.T) {
	folder := inFiles(t, map[string]string{
		"fathom/config.yaml": "theme: mine\n", "fathom/themes/mine.yaml": "colors: {bad: \"9\"}\n", "fathom/themes/broken.yaml": "colors: {bad: red}\n",
	})
	t.Setenv("XDG_CONFIG_HOME", folder)
	xdg.Reload()
	read := func(flag string) error {
		s, err := Read(func(string) string { return "" })
		if err != nil {
			return err
		}
		s.Apply(flag, false, false)
		if gallery := s.Gallery(); !slices.Contains(gallery.Names(), "mine") || slices.Contains(gallery.Names(), "broken") {
			t.Errorf("themes %v", gallery.Names())
		}
		return s.Check()
	}
	if err := read(""); err != nil {
		t.Error(err)
	}
	if err := read("broken"); err == nil || !strings.HasPrefix(err.Error(), "--theme: ") || !strings.Contains(err.Error(), "broken.yaml:1: colors.bad: ") {
		t.Errorf("a theme with a fault: %v", err)
	}
	if err := read("mnie"); err == nil || !strings.Contains(err.Error(), "did you mean mine?") {
		t.Errorf("a theme that does not exist: %v", err)
	}
}
