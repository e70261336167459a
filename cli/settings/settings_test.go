package settings

import (
	"maps"
	"os"
	"path/filepath"
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
