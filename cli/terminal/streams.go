package terminal

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Stream is a standard stream of the program. All that commands and libraries
// write goes through one, and leaves it cleaned: a terminal finds nothing in it to
// obey but the ends of lines and tabs. Documents lose nothing on the way, since
// they hold such characters escaped. What draws by escape sequences of its own
// takes what is below it, by terminalOf.
type Stream struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character, whose other bytes are to come
	lost error  // why something was not written first
}

// NewStream makes a stream of w.
func NewStream(w io.Writer) *Stream { return &Stream{to: w} }

// Write implements io.Writer.
func (s *Stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.write(p)
	if s.lost == nil {
		s.lost = err
	}
	return n, err
}

// Err is why something was not written: cobra drops the error of help. Nil: all was, or
// nobody reads any more.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.lost, syscall.EPIPE) || errors.Is(s.lost, io.ErrClosedPipe) {
		return nil
	}
	return s.lost
}

// write is Write under the lock.
func (s *Stream) write(p []byte) (int, error) {
	if len(s.rest) == 0 && isPlain(p) { // nearly always
		return s.to.Write(p)
	}
	text := append(s.rest, p...)
	whole := wholeCharacters(text)
	s.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(s.to, cleanLines(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// isPlain reports whether a text holds nothing but ASCII that can be seen, and what
// lays it out.
func isPlain(text []byte) bool {
	for _, c := range text {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// wholeCharacters is the length of a text without the character that it ends in
// the middle of.
func wholeCharacters(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		at := len(text) - n
		if utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				break
			}
			return at
		}
	}
	return len(text)
}

// cleanLines cleans a text of several lines and columns.
func cleanLines(text string) string {
	var clean strings.Builder
	clean.Grow(len(text))
	for text != "" {
		at := strings.IndexAny(text, "\n\t")
		if at < 0 {
			clean.WriteString(model.Clean(text))
			break
		}
		clean.WriteString(model.Clean(text[:at]))
		clean.WriteByte(text[at])
		text = text[at+1:]
	}
	return clean.String()
}

// Below is what is below a stream, for what draws on a terminal.
func Below(w io.Writer) io.Writer {
	if s, ok := w.(*Stream); ok {
		return s.to
	}
	return w
}

// fileOf is the file that a stream writes to or reads from.
func fileOf(s any) (*os.File, bool) {
	if w, ok := s.(*Stream); ok {
		s = w.to
	}
	file, ok := s.(*os.File)
	return file, ok
}

// IsStderr tells the stream of the whole program from that of a test.
func (s *Stream) IsStderr() bool {
	file, ok := s.to.(*os.File)
	return ok && file == os.Stderr
}

// lastWords is how long the program waits at its end for what programs that it
// started still write to standard error.
const lastWords = 200 * time.Millisecond

// TakeOver sends through the stream what libraries, and credential plugins that
// they start, write to the program's standard error by themselves. Call the result
// at the end. A stream to anything else than that is left alone.
func (s *Stream) TakeOver() (giveBack func()) {
	real := os.Stderr
	if !s.IsStderr() {
		return func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	os.Stderr = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(s, r) // an error means that nobody reads
	}()
	return func() {
		os.Stderr = real
		_ = w.Close() // it was only written to
		select {
		case <-done:
		case <-time.After(lastWords): // a program that was started still has it
		}
	}
}

// Width is the width of the terminal that w is; 0 if it is none.
func Width(w io.Writer) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
