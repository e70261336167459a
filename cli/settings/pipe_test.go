//go:build unix

package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/adrg/xdg"
)

func TestAFileOfSettingsThatIsThereButCannotBeReadIsNoMissingOne(t *testing.T) {
	for name, test := range map[string]struct {
		put  func(home string) error
		want string // "" is no error
	}{
		"a pipe":                     {func(home string) error { return syscall.Mkfifo(home+"/fathom/config.yaml", 0o600) }, "config.yaml: it is a pipe or a device"},
		"a link to a pipe":           {linkedToPipe, "config.yaml: it is a pipe or a device"},
		"a link that leads nowhere":  {linked("nowhere.yaml"), "config.yaml: it is a symbolic link to nowhere.yaml, which does not exist"},
		"a link that names itself":   {linked("config.yaml"), "too many levels"},
		"a folder that is such link": {folderLinked, "fathom is a symbolic link to nowhere, which does not exist"},
		"a link to nothing at all":   {linked(os.DevNull), ""},
		"none":                       {func(string) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", home)
			xdg.Reload()
			if err := errors.Join(os.Mkdir(filepath.Join(home, "fathom"), 0o700), test.put(home)); err != nil {
				t.Fatal(err)
			}
			_, err := Read(func(string) string { return "" })
			_, _, checked := CheckFile(t.Context(), File(), nil)
			if test.want == "" {
				if err != nil || checked != nil && !errors.Is(checked, fs.ErrNotExist) {
					t.Errorf("the errors are %v and %v, want none", err, checked)
				}
				return
			}
			for _, err := range []error{err, checked} {
				if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is %v, want %q", err, test.want)
				}
			}
		})
	}
}

// linked makes config.yaml a symbolic link to target.
func linked(target string) func(home string) error {
	return func(home string) error { return os.Symlink(target, filepath.Join(home, "fathom", "config.yaml")) }
}

// linkedToPipe makes config.yaml a symbolic link to a pipe.
func linkedToPipe(home string) error {
	return errors.Join(syscall.Mkfifo(filepath.Join(home, "pipe"), 0o600), linked("../pipe")(home))
}

// folderLinked makes the folder of the settings a symbolic link that leads nowhere.
func folderLinked(home string) error {
	return errors.Join(os.Remove(filepath.Join(home, "fathom")), os.Symlink("nowhere", filepath.Join(home, "fathom")))
}

func TestAPipeAmongTheThemesIsAFault(t *testing.T) {
	folder := inFiles(t, map[string]string{"themes/mine.yaml": "colors: {bad: \"9\"}\n"})
	if err := syscall.Mkfifo(filepath.Join(folder, "themes", "piped.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	gallery, faults := readThemes(filepath.Join(folder, "themes"))
	if len(gallery.Custom) != 1 || len(faults) != 1 || !strings.Contains(faults[0].Text, "it is a pipe or a device") {
		t.Errorf("themes are %v, faults are %v", gallery.Custom, faults)
	}
}
