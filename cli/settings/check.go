package settings

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
)

// stdin is how standard input is named as a file, and stdinName how it is named in faults.
const (
	stdin     = "-"
	stdinName = "standard input"
)

// CheckFile says what is wrong with a file of settings and with the themes beside it, a fault
// each, and which files are right. "-" is in, with the user's own themes. The error is why the
// file cannot be read; then the themes were checked all the same. A file that a user named may
// be a pipe, which is read until ctx ends. contexts are the names of the kubeconfig's; without any it
// is not known whether a pattern of readonly matches one.
func CheckFile(ctx context.Context, file string, in io.Reader, contexts ...string) (faults []Fault, right []string, err error) {
	folder, name := filepath.Join(filepath.Dir(file), "themes"), file
	if file == stdin {
		folder, name = themesFolder(), stdinName
	}
	gallery, wrong := readThemes(folder)
	text, err := readChecked(ctx, file, in)
	if err == nil {
		d := newDocument(name, text)
		s := Settings{Production: production}
		d.decode(&s, "setting")
		s.gallery, s.broken = gallery, wrong
		s.judge(d)
		s.ReadOnly.judgeIdle(d, contexts)
		listed := slices.ContainsFunc(wrong, func(f Fault) bool { return f.ofTheme(s.Theme) })
		if wrong := s.checkTheme(); wrong != "" && !listed {
			d.wrong("theme", wrong)
		}
		faults = d.sorted()
		if len(faults) == 0 {
			right = append(right, name)
		}
	}
	for i := range gallery.Custom {
		right = append(right, filepath.Join(folder, gallery.Custom[i].Name+themeSuffix))
	}
	return append(faults, wrong...), right, err
}

// readChecked reads the file of settings as Read does, or another one that a user named.
func readChecked(ctx context.Context, file string, in io.Reader) ([]byte, error) {
	if file == File() {
		return readFile(file)
	}
	return input.ReadAll(ctx, file, in, input.MostSettings)
}
