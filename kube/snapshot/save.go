package snapshot

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// packing is how a file is written, as its name says.
type packing struct {
	format Format
	packer string // ".gz", ".zst" or ""
}

// packingOf reads the endings of a name.
func packingOf(name string) (packing, error) {
	p := packing{format: YAML}
	base := name
	if ending := filepath.Ext(base); ending == ".gz" || ending == ".zst" {
		p.packer, base = ending, strings.TrimSuffix(base, ending)
	}
	switch filepath.Ext(base) {
	case ".yaml", ".yml":
	case ".json":
		p.format = JSON
	default:
		return p, fmt.Errorf("write %s: the name must end in .yaml or .json, or in .gz or .zst after these", name)
	}
	return p, nil
}

// CheckFile says why no snapshot can be saved under a name, as far as that is
// known before; nil if one can.
func CheckFile(name string, replace bool) error {
	if _, err := packingOf(name); err != nil {
		return err
	}
	switch about, err := os.Lstat(name); {
	case err == nil && about.IsDir():
		return fmt.Errorf("write %s: it is a directory", name)
	case err == nil && !replace:
		return fmt.Errorf("write %s: %w", name, ErrExists)
	}
	return nil
}

// FileName is the default name of a file.
func FileName(context string, taken time.Time) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, context)
	return fmt.Sprintf("fathom-%s-%s.yaml.gz", strings.Trim(safe, "-."), taken.UTC().Format("20060102T150405Z"))
}

// ErrExists says that there is a file of that name.
var ErrExists = errors.New("it exists already")

// Save writes the snapshot to a file, which is there whole or not at all. One that
// is there already is replaced only if that is wanted.
func (s *Snapshot) Save(name string, replace bool) (err error) {
	as, err := packingOf(name)
	if err != nil {
		return err
	}
	if err := CheckFile(name, replace); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".fathom-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, cause(err))
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
			err = fmt.Errorf("write %s: %w", name, cause(err))
		}
	}()
	err = errors.Join(s.pack(file, as), file.Close())
	if err != nil {
		return err
	}
	if !replace {
		// A link fails where a rename would replace what came meanwhile.
		err = os.Link(file.Name(), name)
		if errors.Is(err, fs.ErrExist) {
			return ErrExists
		}
		if err == nil {
			_ = os.Remove(file.Name())
			return nil
		}
	}
	return os.Rename(file.Name(), name)
}

// cause is an error without the name of the temporary file.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// pack writes the snapshot packed as its name asks for.
func (s *Snapshot) pack(w io.Writer, as packing) error {
	var packer io.WriteCloser
	switch as.packer {
	case ".gz":
		packer = gzip.NewWriter(w)
	case ".zst":
		zipped, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		packer = zipped
	default:
		return s.Write(w, as.format)
	}
	return errors.Join(s.Write(packer, as.format), packer.Close())
}

// Open reads the file of a name; it may be packed.
func Open(name string, options ReadOptions) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	about, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, cause(err))
	}
	switch {
	case about.IsDir():
		return nil, fmt.Errorf("read %s: it is a directory; name a file", name)
	case about.Size() > Most:
		return nil, fmt.Errorf("read %s: %w: %d MiB, and %d MiB can be read; give fewer kinds or namespaces", name, errTooLarge, about.Size()>>20, Most>>20)
	}
	options.Name, options.Taken = filepath.Base(name), about.ModTime()
	f, err := Read(file, options)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return f, nil
}
