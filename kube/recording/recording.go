// Package recording keeps snapshots of one cluster in a directory, a file for each
// step, and shows one step after the other as a cluster.
package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// ErrEmpty says that a directory holds no step.
var ErrEmpty = errors.New("the directory has no snapshots (snapshot --every writes them)")

// Step is one file of a recording.
type Step struct {
	File  string    // its name in the directory
	Taken time.Time // as its name says, to the second
}

// Recording is a directory of steps. Their files are read when they are wanted.
type Recording struct {
	Dir   string
	Steps []Step // the oldest first
}

// timeFormat is the time in the name of a step: names sort as times do.
const timeFormat = "20060102T150405Z"

// stepName is the name of a step: snapshots that were taken one by one, whose
// names end in their time too, are steps as well.
var stepName = regexp.MustCompile(`^(?:.*[^0-9])?([0-9]{8}T[0-9]{6}Z)\.(?:json|ya?ml)(?:\.gz|\.zst)?$`)

// FileName is how the file of a step is called. JSON is read faster than YAML, and
// zstd packs steps, which are alike within, better than gzip.
func FileName(taken time.Time) string { return taken.UTC().Format(timeFormat) + ".json.zst" }

// Open lists the steps of a directory; all else in it is passed over. Where there
// is none the error is ErrEmpty.
func Open(dir string) (*Recording, error) {
	r, err := list(dir)
	if err == nil && len(r.Steps) == 0 {
		err = fmt.Errorf("read %s: %w", dir, ErrEmpty)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func list(dir string) (*Recording, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, cause(err))
	}
	r := &Recording{Dir: dir}
	for _, entry := range entries {
		parts := stepName.FindStringSubmatch(entry.Name())
		if parts == nil || !entry.Type().IsRegular() {
			continue
		}
		if taken, err := time.Parse(timeFormat, parts[1]); err == nil {
			r.Steps = append(r.Steps, Step{entry.Name(), taken})
		}
	}
	slices.SortFunc(r.Steps, func(a, b Step) int {
		return cmp.Or(a.Taken.Compare(b.Taken), cmp.Compare(a.File, b.File))
	})
	return r, nil
}

// Prepare makes a directory that steps can be written to, and lists those that it
// holds: a recording can go on in it.
func Prepare(dir string) (*Recording, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, cause(err))
	}
	// Whether one may write shows before a large cluster is read.
	try, err := os.CreateTemp(dir, ".fathom-*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, cause(err))
	}
	if err := errors.Join(try.Close(), os.Remove(try.Name())); err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, cause(err))
	}
	return list(dir)
}

// cause is an error without the name that it is about.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Path is where the file of a step is, counted from 0.
func (r *Recording) Path(step int) string { return filepath.Join(r.Dir, r.Steps[step].File) }

// Read reads a step, counted from 0.
func (r *Recording) Read(step int, options snapshot.ReadOptions) (*snapshot.File, error) {
	return snapshot.Open(r.Path(step), options)
}
