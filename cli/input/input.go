// Package input reads the files that people write: no more than is sensible, and until ctrl-c.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// How large the files are that people write themselves, in bytes. What is read
// takes up to a hundred times as much memory.
const (
	MostManifest = 16 << 20
	MostDocument = 4 << 20 // of a manifest: etcd keeps no object of half that size
	MostSettings = 1 << 20
)

// ReadAll reads a file, or stdin for "-", of no more than most bytes.
func ReadAll(ctx context.Context, file string, stdin io.Reader, most int) ([]byte, error) {
	if file != "-" {
		return ReadFile(ctx, file, most)
	}
	return UnlessEnded(ctx, func() ([]byte, error) { return readMost(stdin, "standard input", most) })
}

// ReadFile reads a file of no more than most bytes.
func ReadFile(ctx context.Context, file string, most int) ([]byte, error) {
	return UnlessEnded(ctx, func() ([]byte, error) {
		in, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = in.Close() }() // it was only read
		return readMost(in, file, most)
	})
}

// ReadSettings reads a file that fathom itself looks for, of no more than MostSettings bytes.
// Only what is not there is fs.ErrNotExist: a symbolic link that leads nowhere is an error, and
// so is a pipe, which might never be written to.
func ReadSettings(file string) ([]byte, error) {
	about, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if link := dangling(file); link != "" {
			target, _ := os.Readlink(link) // it is one
			if link == file {
				link = "it"
			}
			return nil, fmt.Errorf("open %s: %s is a symbolic link to %s, which does not exist: fix or remove it", file, link, target)
		}
		return nil, err
	case err != nil:
		return nil, err
	case about.IsDir(), about.Mode().IsRegular(), isNull(about):
		return ReadFile(context.Background(), file, MostSettings)
	}
	return nil, fmt.Errorf("open %s: it is a pipe or a device: put a regular file there, or remove it", file)
}

// dangling is the symbolic link on the way to a file that does not exist; "" without one.
func dangling(file string) string {
	for {
		if about, err := os.Lstat(file); err == nil {
			if about.Mode().Type() == fs.ModeSymlink {
				return file
			}
			return ""
		}
		folder := filepath.Dir(file)
		if folder == file {
			return ""
		}
		file = folder
	}
}

// isNull reports whether a file is the one that is always empty, by which one can say that
// there are no settings.
func isNull(about fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, about)
}

func readMost(in io.Reader, name string, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is larger than %d MiB", name, most>>20)
	}
	return text, err
}

// UnlessEnded calls what cannot be canceled, such as reading, and abandons it if ctx
// ends first.
func UnlessEnded[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.value, r.err = do()
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
