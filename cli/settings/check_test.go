package settings

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
	faults, right, err := CheckFile(t.Context(), filepath.Join(folder, "config.yaml"), nil)
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
		`config.yaml:7: readonly: "b["`,
		`config.yaml:8: ascii: it must be true or false, not text`,
		`config.yaml:9: levels: tight 99 must be less than full 95`,
		`config.yaml:12: pool-label: "a b" is not a label key`,
		`config.yaml:21: columns.pods[1]: unknown field "labl": choose one of head, label, annotation, cel (did you mean label?)`,
		`config.yaml:23: keys.drain: the key enter is a built-in one: open`,
		`config.yaml:24: keys.evict: the key f5 is that of drain already`,
		`config.yaml:25: keys: unknown action "drein": choose one of `,
		`config.yaml:26: keys.fit: "crtl+x" is not a key`,
		`themes/dark.yaml: "dark" is the name of a built-in theme`,
		`themes/mine.yaml:1: base: "drak" is none of auto, dark`,
		`themes/mine.yaml:4: colors: unknown role "bade": choose one of accent`,
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
	faults, _, err := CheckFile(t.Context(), file, nil)
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
		"a syntax error":                     {"theme: dark\nlevels: {tight: 80\n", ":2: "},
		"a list":                             {"# a\n---\n- theme\n", ":3: it must be a mapping of settings"},
		"two documents":                      {"theme: dark\n---\n# b\ntheme: light\n", ":4: it has more than one document"},
		"a setting twice":                    {"theme: dark\ntheme: light\n", ":2: "},
		"a list for a pattern":               {"production: [a, b]\n", ":1: production: it must be text, not a list"},
		"an unquoted letter":                 {"keys: {drain: y}\n", `:1: keys.drain: YAML reads y, n, on, off, yes and no as true or false: write the key in quotes, as in "y"`},
		"a text for a mapping":               {"columns: wide\n", ":1: columns: it must be a mapping, not text"},
		"a number among levels":              {"levels: {tight: much}\n", ":1: levels.tight: it must be a whole number, not text"},
		"a mapping for a key":                {"keys: {drain: {f5: 1}}\n", ":1: keys.drain: write a key, such as f5"},
		"a number for a key":                 {"keys:\n  cordon: 1\n", `:2: keys.cordon: YAML reads a digit as a number: write the key in quotes, as in "5"`},
		"a key in place of two":              {"keys:\n  drain: {only: f5}\n  evict: {only: f5}\n", ":3: keys.evict: the key f5 is that of drain already"},
		"a key that its action keeps":        {"keys:\n  drain: f5\n  evict: {only: r}\n", ":3: keys.evict: the key r is a built-in one: drain"},
		"only and more":                      {"keys: {drain: {only: f5, more: f6}}\n", ":1: keys.drain: write a key, such as f5"},
		"only nothing":                       {"keys: {drain: {only: []}}\n", ":1: keys.drain: write a key, such as f5"},
		"a number in place of a key":         {"keys: {drain: {only: 5}}\n", `:1: keys.drain: YAML reads a digit as a number`},
		"a key of a list":                    {"keys:\n  drain:\n  - f5\n  - enter\n", ":4: keys.drain: the key enter is a built-in one"},
		"a list for a label":                 {"columns:\n  nodes:\n  - {label: a}\n  - {label: [a]}\n", ":4: columns.nodes[1].label: it must be text, not a list"},
		"a level that is no percentage":      {"levels:\n  tight: 70\n  full: 101\n", ":3: levels.full: 101 is not a percentage, 1 to 100"},
		"a full that is less than tight":     {"levels:\n  full: 70\n", ":2: levels.full: 70 must be more than tight, which is 80 by default"},
		"levels the wrong way round":         {"levels: {tight: 90, full: 70}\n", ":1: levels: tight 90 must be less than full 70"},
		"a field set twice":                  {"levels:\n  tight: 70\n  tight: 80\n", ":3: levels.tight: it is set twice"},
		"a setting in capitals":              {"readonly: true\nReadOnly: false\n", ":2: ReadOnly: it is set twice"},
		"a tab":                              {"\ttheme: dark\n", ":1: found character that cannot start any token"},
		"a tab further down":                 {"theme: dark\nlevels:\n\ttight: 80\n", ":3: found character that cannot start any token"},
		"a wrong indent":                     {"# a\n---\ntheme: dark\nlevels:\n  tight: 80\n full: 3\n", ":6: did not find expected key"},
		"no colon":                           {"theme: dark\r\nlevels\r\nkeys: {}\r\n", ":2: could not find expected ':'"},
		"an alias of nothing":                {"theme: dark\nproduction: *x\n", ":2: unknown anchor 'x' referenced"},
		"a control character":                {"theme: dark\nproduction: \"\x01\"\n", ":2: control characters are not allowed"},
		"a document after dots":              {"theme: dark\n...\nreadonly: true\n", ":2: it has more than one document"},
		"a document after an old line break": {"theme: dark\r---\rreadonly: true\r", ":3: it has more than one document"},
		"a wrong document later":             {"theme: dark\n---\n\ttheme: light\n", ":3: it has more than one document"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(inFiles(t, map[string]string{"config.yaml": c.text}), "config.yaml")
			faults, _, err := CheckFile(t.Context(), file, nil)
			if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0].String(), file+c.want) {
				t.Errorf("%v %v", faults, err)
			}
		})
	}
}

func TestAFileWithoutFaults(t *testing.T) {
	folder := inFiles(t, map[string]string{
		"config.yaml": "theme: mine\nascii: no\nreadonly: yes\ncolumns: {nodes: [{label: example.com/rack}], pods: [{head: UID, cel: object.metadata.uid}]}\n" +
			"keys: {drain: f5, page-down: [alt+j, ctrl+alt+j], evict: {only: [ctrl+e, f6]}, cordon: {only: e}}\nlevels: &l {tight: 70}\n",
		"themes/mine.yaml": "colors: {bad: \"9\"}\n",
	})
	faults, right, err := CheckFile(t.Context(), filepath.Join(folder, "config.yaml"), nil)
	if err != nil || len(faults) > 0 || len(right) != 2 {
		t.Errorf("%v %v %v", faults, right, err)
	}
	if _, _, err := CheckFile(t.Context(), filepath.Join(folder, "none.yaml"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// The example in the documentation, and its themes.
func TestTheExampleHasNoFaults(t *testing.T) {
	faults, right, err := CheckFile(t.Context(), filepath.Join("..", "..", "docs", "settings", "config.yaml"), nil)
	if err != nil || len(faults) > 0 || len(right) != 3 {
		t.Errorf("%v %v %v", faults, right, err)
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

// checked are the faults of a folder of settings, without its path.
func checked(t *testing.T, files map[string]string) []string {
	t.Helper()
	folder := inFiles(t, files)
	faults, _, err := CheckFile(t.Context(), filepath.Join(folder, "config.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, fault := range faults {
		lines = append(lines, filepath.ToSlash(strings.ReplaceAll(fault.String(), folder+string(filepath.Separator), "")))
	}
	return lines
}

// begin fails unless each line begins with what is wanted of it, and there are no more.
func begin(t *testing.T, lines []string, want ...string) {
	t.Helper()
	fits := len(lines) == len(want)
	for i := range want {
		fits = fits && strings.HasPrefix(lines[i], want[i])
	}
	if !fits {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestErrorsOfAThemeBesideTheFileAreListedOnce(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // not where the file is
	xdg.Reload()
	lines := checked(t, map[string]string{
		"config.yaml":      "theme: mine\n",
		"themes/mine.yaml": "colors:\n  bad: \"1\"\n  ok: x\n  warn: [1]\nbase: drak\n",
	})
	begin(t, lines, `themes/mine.yaml:3: colors.ok: "x" is not a color`, "themes/mine.yaml:4: colors.warn: it must be text, not a list", `themes/mine.yaml:5: base: "drak" is none of`)
}

func TestAThemeWithAnotherSuffixIsNamed(t *testing.T) {
	lines := checked(t, map[string]string{"config.yaml": "theme: mine\n", "themes/mine.yml": "base: dark\n", "themes/other.YAML": "base: dark\n"})
	begin(t, lines, "themes/mine.yml: only names with .yaml are read: rename it to mine.yaml", "themes/other.YAML: only names with .yaml are read: rename it to other.yaml")
}

func TestColumnsOfEqualHeadsAreRejected(t *testing.T) {
	lines := checked(t, map[string]string{"config.yaml": `columns:
  nodes:
  - {label: a, head: STATUS}
  - {label: b, head: X}
  - {label: c, head: X}
  - {label: topology.kubernetes.io/zone}
  - {label: d}
  pods:
  - {label: b, head: X}
  - {label: c, head: NAME}
`})
	begin(t, lines, "config.yaml:3: columns.nodes[0].head: STATUS is the head of a built-in column: set another head",
		"config.yaml:5: columns.nodes[2].head: X is the head of columns.nodes[1]: set another head",
		"config.yaml:6: columns.nodes[3].head: ZONE is the head of a built-in column",
		"config.yaml:10: columns.pods[1].head: NAME is the head of a built-in column")
}

func TestHeadsOfTheDashboardAreKnown(t *testing.T) {
	head := regexp.MustCompile(`Head: "([^"]+)"|return "([A-Z/]+)"|d\.level\("([A-Z]+)"`)
	for file, heads := range map[string][]string{"nodes/columns.go": viewOfNodes.heads, "pods/pods.go": viewOfPods.heads} {
		text, err := os.ReadFile(filepath.Join("..", "..", "ui", "page", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		found := head.FindAllStringSubmatch(string(text), -1)
		if len(found) < 12 {
			t.Errorf("%s has %d columns", file, len(found))
		}
		for _, f := range found {
			if name := cmp.Or(f[1:]...); !slices.Contains(heads, name) {
				t.Errorf("%s: the head %s is not among those of built-in columns", file, name)
			}
		}
	}
}

func TestFieldsThatNoObjectHasAreRejected(t *testing.T) {
	lines := checked(t, map[string]string{"config.yaml": `columns:
  nodes:
  - {head: A, cel: object.metadat.name}
  - {head: B, cel: object.spec.nodeName}
  pods:
  - {head: B, cel: object.spec.nodeName}
`})
	begin(t, lines, "config.yaml:3: columns.nodes[0].cel: object.metadat: a node has no such field: choose one of apiVersion, kind, metadata, spec, status (did you mean metadata?)",
		"config.yaml:4: columns.nodes[1].cel: object.spec.nodeName: a node has no such field: choose one of ")
}

func TestAnUnknownViewIsReportedBesideOtherErrorsOfColumns(t *testing.T) {
	lines := checked(t, map[string]string{"config.yaml": "columns:\n  nodes:\n  - {label: [a]}\n  - {labl: a}\n  pod:\n  - {label: a}\n  pods:\n  - {label: a b}\n"})
	begin(t, lines, "config.yaml:3: columns.nodes[0].label: it must be text", `config.yaml:4: columns.nodes[1]: unknown field "labl"`,
		`config.yaml:5: columns: unknown field "pod": choose one of nodes, pods (did you mean pods?)`, `config.yaml:8: columns.pods[0].label: "a b" is not a key`)
}

func TestKeysThatTerminalsDoNotSendAreRejected(t *testing.T) {
	lines := checked(t, map[string]string{"config.yaml": "keys:\n  drain: ctrl+i\n  evict: ctrl+m\n  fit: ctrl+alt+i\n  undo: ctrl+o\n"})
	begin(t, lines, "config.yaml:2: keys.drain: ctrl+i is tab in most terminals: choose another key", "config.yaml:3: keys.evict: ctrl+m is enter in most terminals",
		"config.yaml:4: keys.fit: ctrl+alt+i is alt+tab in most terminals")
}

func TestStandardInputIsChecked(t *testing.T) {
	folder := inFiles(t, map[string]string{"fathom/themes/mine.yaml": "colors: {bad: \"9\"}\n"})
	t.Setenv("XDG_CONFIG_HOME", folder)
	xdg.Reload()
	faults, right, err := CheckFile(t.Context(), "-", strings.NewReader("theme: mine\n"))
	if want := []string{"standard input", filepath.Join(folder, "fathom", "themes", "mine.yaml")}; err != nil || len(faults) > 0 || !slices.Equal(right, want) {
		t.Errorf("%v %v %v", faults, right, err)
	}
	faults, _, err = CheckFile(t.Context(), "-", strings.NewReader("theme: mine\nascii: 3\n"))
	if err != nil || len(faults) != 1 || faults[0].String() != "standard input:2: ascii: it must be true or false, not a number" {
		t.Errorf("%v %v", faults, err)
	}
}
