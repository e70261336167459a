package lessons

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Progress is the progress of a student, by the name of the lesson.
type Progress struct {
	Lessons map[string]Record `json:"lessons"`
}

// Record is the progress in one lesson. A lesson that was reached stays reached: the
// result is then that of the best attempt that reached the goal, and before that of
// the last attempt.
type Record struct {
	Begun   time.Time `json:"started,omitzero"`         // when the last attempt started; left out if an instructor helped in each one
	Times   int       `json:"times"`                    // number of attempts
	Reached time.Time `json:"reached,omitzero"`         // when the goal was first reached; left out before
	Led     time.Time `json:"reachedWithHelp,omitzero"` // when the goal was first reached with an instructor's help
	Result
	Again *Again `json:"repeat,omitempty"` // the attempt after the goal was reached; left out once it is reached again
}

// Result is the result of one attempt.
type Result struct {
	Asked int `json:"asked"`   // predictions that were answered or skipped
	Right int `json:"correct"` // of these, correct
	Hints int `json:"hints"`   // that were taken
}

// better says whether one attempt that reached the goal is better than another.
func (r Result) better(than Result) bool {
	return r.Right > than.Right || r.Right == than.Right && r.Hints < than.Hints
}

// Again is an attempt at a lesson that was reached before.
type Again struct {
	Begun time.Time `json:"started"` // when it started
	Result
}

// Book keeps the progress in a file. If two programs write at once, the last one wins.
type Book struct {
	file  string
	clock clock.PassiveClock
	mu    sync.Mutex
}

// NewBook is the book in that file, which need not exist yet.
func NewBook(file string, c clock.PassiveClock) *Book { return &Book{file: file, clock: c} }

// ErrBroken says that the file could not be read as progress. It was renamed, and
// the progress starts empty.
var ErrBroken = errors.New("the file is corrupt and was renamed")

// Progress reads the progress. With ErrBroken it is empty.
func (b *Book) Progress() (*Progress, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read()
}

func (b *Book) read() (*Progress, error) {
	text, err := b.text()
	if errors.Is(err, fs.ErrNotExist) {
		return &Progress{Lessons: map[string]Record{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read progress: %w", err)
	}
	var kept struct {
		Lessons map[string]stored `json:"lessons"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&kept); err == nil && len(text) <= MostSize && kept.Lessons != nil && !decoder.More() {
		return progressOf(kept.Lessons), nil
	}
	aside := fmt.Sprintf("%s.broken-%s", b.file, b.clock.Now().UTC().Format("20060102T150405.000"))
	if err := os.Rename(b.file, aside); err != nil {
		return nil, fmt.Errorf("read progress: %w", err)
	}
	return &Progress{Lessons: map[string]Record{}}, fmt.Errorf("read progress %s: %w to %s", b.file, ErrBroken, filepath.Base(aside))
}

// text is the content of the file, or its first MostSize+1 bytes.
func (b *Book) text() ([]byte, error) {
	file, err := os.Open(b.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(file, MostSize+1))
}

// note changes the record of a lesson. If the file was corrupt, it returns that error
// after the new file is written.
func (b *Book) note(name string, change func(*Record)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, broken := b.read()
	if p == nil {
		return broken
	}
	record := p.Lessons[name]
	change(&record)
	p.Lessons[name] = record
	if err := b.write(p); err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	return broken
}

// write replaces the whole file atomically.
func (b *Book) write(p *Progress) (err error) {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.file), 0o700); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(b.file), filepath.Base(b.file)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next.Name()) // the error before it matters more
		}
	}()
	_, err = next.Write(append(text, '\n'))
	if err := errors.Join(err, next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), b.file)
}
