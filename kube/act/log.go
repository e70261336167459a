package act

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

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// stillRuns is the result of what goes on after it was begun: its last line in the log has another.
const stillRuns = "running"

const (
	// mostEarlier is how many entries of earlier runs are read back.
	mostEarlier = 300
	// mostRead is how much of the log's end is read for them, in bytes.
	mostRead = 256 << 10
)

// Log is the activity log: a file with one entry per line, in JSON, the newest
// last. Several programs may write to it at once.
type Log struct {
	file string

	mu     sync.Mutex
	failed bool // that it cannot be written was reported
}

// NewLog is the log in that file, which need not exist yet.
func NewLog(file string) *Log { return &Log{file: file} }

// add writes an entry. Only the first error is returned: a broken log stops no change.
func (l *Log) add(entry plan.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.write(entry)
	if err == nil || l.failed {
		return nil
	}
	l.failed = true
	return fmt.Errorf("write %s: %w", l.file, bare(err))
}

func (l *Log) write(entry plan.Entry) (err error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(entry); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o700); err != nil {
		return err
	}
	if err := refusePipe(l.file); err != nil {
		return err
	}
	file, err := os.OpenFile(l.file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text := line.Bytes()
	if cutOff(file) {
		text = append([]byte{'\n'}, text...)
	}
	_, err = file.Write(text) // in one write, so that lines of two programs do not mix
	return err
}

// errPipe rejects a log that may never be read from, or written to, by another program.
var errPipe = errors.New("it is a pipe or a device: remove it, and a file takes its place")

// refusePipe rejects a log that is no regular file, for which opening or reading would wait.
// /dev/null is one that nobody wants to keep.
func refusePipe(file string) error {
	about, err := os.Stat(file)
	if err != nil || about.IsDir() || about.Mode().IsRegular() {
		return nil // where it cannot be found, opening it says why
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(null, about) {
		return nil
	}
	return errPipe
}

// cutOff reports whether the last line is incomplete: a program was killed while it
// wrote.
func cutOff(file *os.File) bool {
	last := make([]byte, 1)
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	_, err = file.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// earlier are the newest entries, in the order of the file, each as its last line says, and how many lines
// among them are broken.
func (l *Log) earlier() (entries []plan.Entry, broken int, err error) {
	text, err := l.end()
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", l.file, bare(err))
	}
	at := map[string]int{}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var entry plan.Entry
		if json.Unmarshal(line, &entry) != nil || entry.At.IsZero() || entry.Did == "" {
			broken++
			continue
		}
		key := fmt.Sprint(entry.At.UnixNano(), []string{entry.User, entry.Context, entry.Did})
		entry = cleanEntry(entry)
		if was, again := at[key]; again {
			entries[was] = entry
			continue
		}
		at[key] = len(entries)
		entries = append(entries, entry)
	}
	for i := range entries {
		if entries[i].Result == stillRuns {
			entries[i].Result = "begun; its end is not logged"
		}
	}
	return entries[max(0, len(entries)-mostEarlier):], broken, nil
}

// end is the end of the file, from the beginning of a line on.
func (l *Log) end() (text []byte, err error) {
	if err := refusePipe(l.file); err != nil {
		return nil, err
	}
	file, err := os.Open(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-mostRead)
	text, err = io.ReadAll(io.NewSectionReader(file, from, mostRead))
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text, err
}

// bare is the cause of a file's error without its path, which stands before it.
func bare(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// cleanEntry makes the texts of an entry fit to be drawn.
func cleanEntry(entry plan.Entry) plan.Entry {
	for _, text := range []*string{&entry.User, &entry.Context, &entry.Did, &entry.Result, &entry.Then} {
		*text = model.Clean(*text)
	}
	return entry
}
