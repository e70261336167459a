package guard

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// How soon frames are drawn, and how often Bubble Tea looks for one.
const (
	// soonest is after how long a new frame is drawn: Bubble Tea takes it over right after
	// View has returned.
	soonest = time.Millisecond
	// between is the least time between two frames: 120 a second, as many as Bubble Tea
	// draws at most.
	between = time.Second / 120
	// settled is after how long a frame is certainly drawn, also on a busy machine.
	settled = 5 * between
	// idle is how often Bubble Tea looks while nothing changes.
	idle = 250 * time.Millisecond
)

// frames lets Bubble Tea look for a new frame when there is one. By itself it looks 60
// times a second, for which a key has to wait, and which is most of what an idle
// dashboard costs.
type frames struct {
	now func() time.Time

	mu     sync.Mutex
	looks  interface{ Reset(time.Duration) } // when Bubble Tea looks; nil: as often as by itself
	due    time.Time                         // when the newest frame is drawn
	rest   *time.Timer                       // looks less often, step by step
	rested bool                              // it looks seldom
}

// newFrames leaves Bubble Tea as it is until of is called.
func newFrames() *frames { return &frames{now: time.Now} }

// of takes over when a program looks for frames. The program offers no way to do so: its
// ticker is found by its name and type; where there is none of these, nothing is done.
func (f *frames) of(program *tea.Program) {
	f.mu.Lock()
	defer f.mu.Unlock()
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if f.looks != nil || !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || field.IsNil() {
		return
	}
	f.looks = (*time.Ticker)(field.UnsafePointer())
}

// soon has a frame drawn that is new, as soon as the pace allows.
func (f *frames) soon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.looks == nil || now.Before(f.due) {
		return // the frame that is due is this one
	}
	wait := max(soonest, f.due.Add(between).Sub(now))
	f.due, f.rested = now.Add(wait), false
	f.looks.Reset(wait)
	if f.rest == nil {
		f.rest = time.AfterFunc(wait+soonest, f.calm)
		return
	}
	f.rest.Reset(wait + soonest)
}

// calm looks less often after a frame: a few times more, should the frame have come late,
// then seldom.
func (f *frames) calm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch now := f.now(); {
	case now.Before(f.due) || f.rested:
		// another frame is due, after which this is called again
	case now.Before(f.due.Add(settled)):
		f.looks.Reset(2 * between)
		f.rest.Reset(settled)
	default:
		f.looks.Reset(idle)
		f.rested = true
	}
}

// end leaves Bubble Tea alone.
func (f *frames) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks = nil
	f.rested = true
	if f.rest != nil {
		f.rest.Stop()
	}
}

// isTerminals reports whether a message is of Bubble Tea itself: a key, another size, the
// screen to be cleared. After these it draws even where the frame is the same.
func isTerminals(msg tea.Msg) bool {
	of := reflect.TypeOf(msg)
	return of != nil && of.PkgPath() == reflect.TypeFor[tea.View]().PkgPath()
}
