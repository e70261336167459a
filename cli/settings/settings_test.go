package settings

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func TestFlagsGoBeforeTheEnvironmentAndThatBeforeTheFile(t *testing.T) {
	utf8 := map[string]string{"LANG": "en_US.UTF-8"}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, m := range []map[string]string{utf8, more} {
			maps.Copy(all, m)
		}
		return all
	}
	for name, test := range map[string]struct {
		file  string
		env   map[string]string
		flag  string
		theme string
	}{
		"nothing is set":                        {"", utf8, "", ""},
		"the file sets a theme":                 {"theme: dark\n", utf8, "", "dark"},
		"the environment wins over it":          {"theme: dark\n", with(map[string]string{"FATHOM_THEME": "light"}), "", "light"},
		"NO_COLOR means mono":                   {"theme: dark\n", with(map[string]string{"NO_COLOR": "1"}), "", "mono"},
		"an empty NO_COLOR means nothing":       {"theme: dark\n", with(map[string]string{"NO_COLOR": ""}), "", "dark"},
		"the flag wins over all":                {"theme: dark\n", with(map[string]string{"NO_COLOR": "1"}), "light", "light"},
		"a theme that does not exist is no use": {"", utf8, "puce", "error"},
		"a file with a typo is refused":         {"thene: dark\n", utf8, "", "error"},
		"a pattern that is broken is refused":   {"readonly: \"prod-[\"\n", utf8, "", "error"},
		"levels of bars are taken":              {"theme: dark\nlevels: {tight: 70, full: 90}\n", utf8, "", "dark"},
		"levels that are none are refused":      {"levels: {tight: 96}\n", utf8, "", "error"},
		"a level beyond all is refused":         {"levels: {full: 101}\n", utf8, "", "error"},
		"a level below nothing is refused":      {"levels: {tight: -1}\n", utf8, "", "error"},
		"a label that none can be is refused":   {"pool-label: \"a b\"\n", utf8, "", "error"},
		"a label of one's own is taken":         {"theme: dark\npool-label: team.example/pool\n", utf8, "", "dark"},
		"a file that sets everything is taken":  {"theme: dark\nascii: true\nproduction: live-*\nreadonly: \"*prod*\"\n", utf8, "", "dark"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", home)
			xdg.Reload()
			if test.file != "" {
				folder := filepath.Join(home, "fathom")
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(test.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := Read(func(name string) string { return test.env[name] })
			if err == nil {
				s.Apply(test.flag, false, false)
				err = s.Check()
			}
			switch {
			case err != nil && test.theme != "error":
				t.Fatal(err)
			case err == nil && s.Theme != test.theme:
				t.Errorf("theme %q, want %q", s.Theme, test.theme)
			}
		})
	}
}

func TestASCIIIsTakenFromTheLocaleUnlessSet(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	xdg.Reload()
	for name, test := range map[string]struct {
		locale      string
		flag, given bool
		want        bool
	}{
		"a UTF-8 locale draws all":    {"de_DE.UTF-8", false, false, false},
		"another one draws ASCII":     {"C", false, false, true},
		"--ascii draws ASCII":         {"de_DE.UTF-8", true, true, true},
		"--ascii=false draws all":     {"C", false, true, false},
		"no locale at all draws less": {"", false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Read(func(name string) string {
				if name == "LANG" {
					return test.locale
				}
				return ""
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Apply("", test.flag, test.given)
			if *s.ASCII != test.want {
				t.Errorf("ASCII %v, want %v", *s.ASCII, test.want)
			}
		})
	}
}

func TestConfigurationOfSeveralDocumentsIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		file      string
		refused   bool
		protected bool
	}{
		"readonly in the second document": {"theme: dark\n---\nreadonly: true\n", true, false},
		"readonly in the third document":  {"theme: dark\n---\n# nothing\n---\nreadonly: true\n", true, false},
		"two that contradict each other":  {"readonly: true\n---\nreadonly: false\n", true, false},
		"one after a comment and ---":     {"# mine\n---\nreadonly: true\n", false, true},
		"one between ---":                 {"---\nreadonly: true\n---\n", false, true},
		"comments alone":                  {"# mine\n", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", home)
			xdg.Reload()
			if err := os.MkdirAll(filepath.Join(home, "fathom"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(File(), []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Read(func(string) string { return "" })
			if refused := err != nil; refused != test.refused {
				t.Fatalf("refused %v (%v), want %v", refused, err, test.refused)
			}
			if protected := s.ReadOnly.Because("any") != ""; err == nil && protected != test.protected {
				t.Errorf("protected %v, want %v", protected, test.protected)
			}
		})
	}
}

// readFrom makes a file the settings of the user.
func readFrom(t *testing.T, text string) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	xdg.Reload()
	if err := errors.Join(os.MkdirAll(filepath.Dir(File()), 0o700), os.WriteFile(File(), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestOnlySettingsThatACommandUsesStopIt(t *testing.T) {
	change, list, wide := []Name{ReadOnly, Production}, []Name{PoolLabel}, []Name{PoolLabel, NodesColumns}
	for name, c := range map[string]struct {
		file  string
		uses  []Name
		stops bool
	}{
		"a theme that does not exist":       {"theme: nope\n", change, false},
		"a theme that is a list":            {"theme: [a]\n", change, false},
		"a theme that is set twice":         {"theme: dark\ntheme: light\n", change, false},
		"a built-in key":                    {"keys: {drain: q}\n", change, false},
		"keys of no action":                 {"keys: {drian: f5}\n", change, false},
		"a column without a value":          {"columns: {nodes: [{head: X}]}\n", list, false},
		"the same where it is printed":      {"columns: {nodes: [{head: X}]}\n", wide, true},
		"a column of the other view":        {"columns: {pods: [{head: X}]}\n", wide, false},
		"columns of no view":                {"columns: {node: [{label: x}]}\n", wide, true},
		"columns that are text":             {"columns: wide\n", wide, true},
		"a field of no column":              {"columns: {nodes: [{labl: x}]}\n", wide, true},
		"levels of nothing":                 {"levels: {tight: 99}\n", wide, false},
		"the level itself":                  {"levels: {tight: 99}\n", []Name{BarLevels}, true},
		"a part of the levels":              {"levels: {tight: x}\n", []Name{BarLevels}, true},
		"readonly that is a number":         {"readonly: 1\ntheme: nope\n", change, true},
		"readonly for who changes nothing":  {"readonly: 1\n", list, false},
		"a pattern of readonly":             {"readonly: [a, \"b[\"]\n", change, true},
		"readonly true in a list":           {"readonly: [\"true\"]\n", change, true},
		"readonly false in a list":          {"readonly: [prod-*, \" False \"]\n", change, true},
		"readonly twice":                    {"readonly: true\nreadonly: false\n", change, true},
		"readonly twice, one in capitals":   {"readonly: true\nReadOnly: false\n", change, true},
		"readonly that is misspelled":       {"readonyl: true\n", change, true},
		"readonly after an alias of a name": {"pool-label: &theme readonly\n*theme : 1\n", change, true},
		"production that is no pattern":     {"production: \"a[\"\n", change, true},
		"a pool label that is none":         {"pool-label: a b\n", list, true},
		"no YAML":                           {"theme: [\nreadonly: true\n", list, true},
		"a list":                            {"- readonly\n", change, true},
		"readonly in another document":      {"theme: dark\n---\nreadonly: true\n", change, true},
		"readonly after three dots":         {"theme: dark\n...\nreadonly: true\n", change, true},
		"readonly after an old line break":  {"theme: dark\r---\rreadonly: true\r", change, true},
		"nothing is wrong":                  {"theme: dark\n", wide, false},
		"comments alone":                    {"# theme\n", change, false},
	} {
		t.Run(name, func(t *testing.T) {
			readFrom(t, c.file)
			if _, err := Used(c.uses...); (err != nil) != c.stops {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestReadonlyIsHonouredBesideErrorsInOtherSettings(t *testing.T) {
	for _, readonly := range []string{
		"readonly: true", "readonly: yes", "readonly: on", "readonly: \"True\"", "readonly: \" true\"", "readonly: |\n  true", "readonly: any", "readonly: [x, a*]", "readonly:\n- a*",
		"production: &a any\nreadonly: [*a]", "pool-label: &theme readonly\n*theme : true",
	} {
		for _, wrong := range []string{"theme: [a]", "keys: {drain: 1}", "columns: {nodes: 3}", "levels: {tight: x}", "ascii: dark\nascii: light", "preview: 7", "keys: [\"q\"]"} {
			for _, file := range []string{wrong + "\n" + readonly + "\n", readonly + "\n" + wrong + "\n"} {
				readFrom(t, file)
				s, err := Used(ReadOnly)
				if err != nil || s.ReadOnly.Because("any") == "" || s.Production == "" {
					t.Errorf("%q: any is not protected: %v", file, err)
				}
				if _, err := Read(func(string) string { return "" }); err == nil {
					t.Errorf("%q: the dashboard reports no error", file)
				}
			}
		}
	}
}

// What stands in a file of another name is not read: a readonly in it would protect nothing.
func TestAFileOfTheOtherEndingIsRefused(t *testing.T) {
	for name, beside := range map[string]string{"alone": "", "beside the right one": "theme: dark\n"} {
		t.Run(name, func(t *testing.T) {
			readFrom(t, beside)
			if beside == "" {
				if err := os.Remove(File()); err != nil {
					t.Fatal(err)
				}
			}
			other := filepath.Join(filepath.Dir(File()), "config.yml")
			if err := os.WriteFile(other, []byte("readonly: true\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Used(ReadOnly)
			_, readErr := Read(os.Getenv)
			if want := other + " is not read, so nothing in it holds: rename it to config.yaml, or remove it"; err == nil || readErr == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the errors are %v and %v", err, readErr)
			}
		})
	}
}

func TestTheThemeOfTheEnvironmentConcernsOnlyTheDashboard(t *testing.T) {
	readFrom(t, "readonly: false\n")
	t.Setenv("FATHOM_THEME", "zzz")
	if _, err := Used(ReadOnly, PoolLabel); err != nil {
		t.Error(err)
	}
	s, err := Read(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil {
		t.Error("the dashboard accepts it")
	}
}
