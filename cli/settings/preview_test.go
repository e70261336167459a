package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/adrg/xdg"
)

func TestThePreviewIsAsTheKeyLeftIt(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	xdg.Reload()
	t.Cleanup(xdg.Reload) // after the variable has been restored
	has := func(want bool, s *Settings) {
		t.Helper()
		if got := s.HasPreview(); got != want {
			t.Errorf("got %t", got)
		}
	}
	has(true, &Settings{})
	for _, shown := range []bool{false, true, false} {
		if err := KeepPreview(shown); err != nil {
			t.Fatal(err)
		}
		has(shown, &Settings{})
	}
	has(true, &Settings{Preview: new(true)}) // the settings are stronger
	if err := os.RemoveAll(filepath.Join(home, "fathom")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "fathom"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := KeepPreview(true); err == nil {
		t.Error("no error where there is no folder and none can be made")
	}
	has(true, &Settings{})
}
