package settings

import (
	"errors"
	"fmt"
	"io/fs"
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

// previewFile is where the last press of the key for the preview is kept.
func previewFile() string { return filepath.Join(xdg.StateHome, "fathom", "preview") }

// HasPreview reports whether lists have a preview at the start: what the settings say, else what the
// key left at last, else true.
func (s *Settings) HasPreview() bool {
	if s.Preview != nil {
		return *s.Preview
	}
	text, err := os.ReadFile(previewFile())
	return err != nil || strings.TrimSpace(string(text)) != previewHidden
}

// KeepPreview keeps for the next start whether lists have a preview.
func KeepPreview(shown bool) error {
	word := previewShown
	if !shown {
		word = previewHidden
	}
	file := previewFile()
	err := os.WriteFile(file, []byte(word+"\n"), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
			err = os.WriteFile(file, []byte(word+"\n"), 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("keep preview: %w", err)
	}
	return nil
}
