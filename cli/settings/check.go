package settings

import (
	"context"
	"path/filepath"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
)

// CheckFile says what is wrong with a file of settings and with the themes beside it, a fault
// each, and which files are right. The error is why the file cannot be read; then the themes
// were checked all the same.
func CheckFile(file string) (faults []Fault, right []string, err error) {
	folder := filepath.Join(filepath.Dir(file), "themes")
	gallery, wrong := readThemes(folder)
	text, err := input.ReadFile(context.Background(), file, input.MostSettings)
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
