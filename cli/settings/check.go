package settings

import (
	"context"
	"path/filepath"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
)

// CheckFile says what is wrong with a file of settings and with the themes beside it, a fault
// each, and which files are right. The error is why the file cannot be read; then the themes
// were checked all the same. A file that a user named may be a pipe, which is read until ctx
// ends.
func CheckFile(ctx context.Context, file string) (faults []Fault, right []string, err error) {
	folder := filepath.Join(filepath.Dir(file), "themes")
	gallery, wrong := readThemes(folder)
	text, err := readChecked(ctx, file)
	if err == nil {
		d := newDocument(file, text)
		s := Settings{Production: production, gallery: gallery}
		s.decode(d)
		s.gallery = gallery
		s.judge(d)
		faults = d.sorted()
		if len(faults) == 0 {
			right = append(right, file)
		}
	}
	for i := range gallery.Custom {
		right = append(right, filepath.Join(folder, gallery.Custom[i].Name+themeSuffix))
	}
	return append(faults, wrong...), right, err
}

// readChecked reads the file of settings as Read does, or another one that a user named.
func readChecked(ctx context.Context, file string) ([]byte, error) {
	if file == File() {
		return input.ReadSettings(file)
	}
	return input.ReadFile(ctx, file, input.MostSettings)
}
