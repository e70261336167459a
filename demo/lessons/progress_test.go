package lessons

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	testingclock "k8s.io/utils/clock/testing"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newBook(t *testing.T) (*Book, *testingclock.FakePassiveClock) {
	c := testingclock.NewFakePassiveClock(noon)
	return NewBook(filepath.Join(t.TempDir(), "fathom", "lessons.json"), c), c
}

// taken is a lesson whose state a test sets.
func taken(name string) *Run {
	return &Run{lesson: &Lesson{Name: name}, changed: make(chan struct{})}
}

func (r *Run) set(change func(*State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.state)
	r.notify()
}

func TestTheBookKeepsWhatAStudentDoes(t *testing.T) {
	book, c := newBook(t)
	take := func(changes ...func(*State)) {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			run := taken("qos")
			go book.Follow(ctx, run, func(err error) { t.Error(err) })
			for _, change := range changes {
				synctest.Wait()
				run.set(change)
			}
			synctest.Wait()
			end()
		})
	}
	take(func(s *State) { s.Asked, s.Right = 1, 1 }, func(s *State) { s.HintsGiven = 2 }, func(s *State) { s.Reached = true })
	c.SetTime(noon.Add(time.Hour))
	take(func(s *State) { s.Asked = 1 })

	got, err := NewBook(book.file, c).Progress()
	want := Record{
		Begun: noon.Add(time.Hour), Times: 2, Reached: noon, Result: Result{Asked: 1, Right: 1, Hints: 2},
		Again: &Again{noon.Add(time.Hour), Result{Asked: 1}},
	}
	if diff := cmp.Diff(map[string]Record{"qos": want}, got.Lessons); err != nil || diff != "" {
		t.Errorf("the book holds (%v)\n%s", err, diff)
	}
	info, err := os.Stat(book.file)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v (%v)", info, err)
	}
	if files, err := os.ReadDir(filepath.Dir(book.file)); err != nil || len(files) != 1 {
		t.Errorf("beside it are %v (%v)", files, err)
	}
}

func TestALessonThatWasReachedStaysSoWithItsBestResult(t *testing.T) {
	hint := func(s *State) { s.HintsGiven++ }
	answer := func(right int) func(*State) {
		return func(s *State) { s.Asked, s.Right = s.Asked+1, s.Right+right }
	}
	reach := func(s *State) { s.Reached = true }
	for _, test := range []struct {
		says  string
		times [][]func(*State)
		want  Result
		again *Result
	}{
		{"before it is reached the last time counts", [][]func(*State){{answer(1)}, {hint}}, Result{0, 0, 1}, nil},
		{"begun again", [][]func(*State){{answer(1), reach}, {}}, Result{1, 1, 0}, &Result{}},
		{"begun again and left", [][]func(*State){{answer(1), reach}, {answer(0), hint}}, Result{1, 1, 0}, &Result{1, 0, 1}},
		{"reached again, worse", [][]func(*State){{answer(1), reach}, {answer(0), reach}}, Result{1, 1, 0}, nil},
		{"reached again, with more hints", [][]func(*State){{answer(1), reach}, {answer(1), hint, reach}}, Result{1, 1, 0}, nil},
		{"reached again, with fewer hints", [][]func(*State){{answer(1), hint, reach}, {answer(1), reach}}, Result{1, 1, 0}, nil},
		{"reached again, better", [][]func(*State){{answer(0), reach}, {hint, answer(1), reach}}, Result{1, 1, 1}, nil},
		{"a third time", [][]func(*State){{answer(0), reach}, {answer(1), reach}, {answer(0)}}, Result{1, 1, 0}, &Result{1, 0, 0}},
	} {
		t.Run(test.says, func(t *testing.T) {
			book, _ := newBook(t)
			for _, changes := range test.times {
				synctest.Test(t, func(t *testing.T) {
					ctx, end := context.WithCancel(t.Context())
					run := taken("qos")
					go book.Follow(ctx, run, func(err error) { t.Error(err) })
					for _, change := range changes {
						synctest.Wait()
						run.set(change)
					}
					synctest.Wait()
					end()
				})
			}
			p, err := book.Progress()
			if err != nil {
				t.Fatal(err)
			}
			got := p.Lessons["qos"]
			if got.Result != test.want || (got.Again == nil) != (test.again == nil) || got.Again != nil && got.Again.Result != *test.again {
				t.Errorf("the book holds %+v, again %+v", got, got.Again)
			}
		})
	}
}

func TestTheBookCountsWhatATrainerLedApart(t *testing.T) {
	book, c := newBook(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		run := taken("qos")
		run.state.Led = true
		go book.Follow(ctx, run, func(err error) { t.Error(err) })
		for _, change := range []func(*State){
			func(s *State) { s.Asked, s.Right, s.HintsGiven = 1, 1, 1 }, func(s *State) { s.Reached = true },
		} {
			synctest.Wait()
			run.set(change)
		}
		synctest.Wait()
		end()
	})
	got, err := NewBook(book.file, c).Progress()
	if diff := cmp.Diff(Record{Led: noon}, got.Lessons["qos"]); err != nil || diff != "" {
		t.Errorf("the book holds %+v (%v)", got, err)
	}
}

func TestABrokenBookIsKeptAsideAndBegunAnew(t *testing.T) {
	for _, test := range []struct{ says, text string }{
		{"half of it", `{"lessons": {"qos": {"tim`},
		{"nothing", ""},
		{"no object", "7"},
		{"null", "null"},
		{"two of it", `{"lessons": {}} {"lessons": {}}`},
		{"other values", `{"lessons": ["qos"]}`},
	} {
		t.Run(test.says, func(t *testing.T) {
			book, _ := newBook(t)
			if err := os.MkdirAll(filepath.Dir(book.file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(book.file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			err := book.note("qos", func(r *Record) { r.Times = 1 })
			if !errors.Is(err, ErrBroken) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %v", err)
			}
			if p, err := book.Progress(); err != nil || p.Lessons["qos"].Times != 1 {
				t.Errorf("after that the book holds %+v (%v)", p, err)
			}
			kept, err := os.ReadFile(book.file + ".broken-20260301T120000.000")
			if err != nil || string(kept) != test.text {
				t.Errorf("kept aside is %q (%v)", kept, err)
			}
		})
	}
}

func TestABookThatCannotBeWrittenIsToldOnce(t *testing.T) {
	book := NewBook(filepath.Join(t.TempDir(), "a file", "lessons.json"), testingclock.NewFakePassiveClock(noon))
	if err := os.WriteFile(filepath.Dir(book.file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		run := taken("qos")
		var told []error
		go book.Follow(ctx, run, func(err error) { told = append(told, err) })
		synctest.Wait()
		run.set(func(s *State) { s.HintsGiven = 1 })
		synctest.Wait()
		end()
		if len(told) != 1 || errors.Is(told[0], fs.ErrNotExist) {
			t.Errorf("told is %v", told)
		}
	})
}
