package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// What the file says that keeps whether lists have a preview.
const (
	previewShown  = "shown"
	previewHidden = "hidden"
)

// previewPath is where the last press of the key for the preview is kept, in xdg.StateHome.
const previewPath = "fathom/preview"

// HasPreview reports whether lists have a preview at the start: what the settings say, else what the
// key left at last, else true.
func (s *Settings) HasPreview() bool {
	if s.Preview != nil {
		return *s.Preview
	}
	text, err := os.ReadFile(filepath.Join(xdg.StateHome, previewPath))
	return err != nil || strings.TrimSpace(string(text)) != previewHidden
}

// KeepPreview keeps for the next start whether lists have a preview.
func KeepPreview(shown bool) error {
	word := previewShown
	if !shown {
		word = previewHidden
	}
	file, err := xdg.StateFile(previewPath)
	if err == nil {
		err = os.WriteFile(file, []byte(word+"\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep preview: %w", err)
	}
	return nil
}
