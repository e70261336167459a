package guard

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// paces are those that a fake of Bubble Tea's ticker was told.
type paces []time.Duration

func (p *paces) Reset(d time.Duration) { *p = append(*p, d) }

// newPaced is frames at work on a clock that stands, and what they tell the ticker.
func newPaced() (f *frames, told *paces, clock *time.Time) {
	at := time.Unix(0, 0)
	told = &paces{}
	return &frames{now: func() time.Time { return at }, looks: told, rest: time.AfterFunc(time.Hour, func() {})}, told, &at
}

func TestANewFrameIsDrawnAtOnceAndAtMost120TimesASecond(t *testing.T) {
	f, told, clock := newPaced()
	f.soon()
	if want := (paces{soonest}); !slices.Equal(*told, want) {
		t.Fatalf("the first frame: %v, want %v", *told, want)
	}
	f.soon() // the frame that is due has this one
	*clock = clock.Add(soonest)
	f.soon() // one was just drawn
	if want := (paces{soonest, between}); !slices.Equal(*told, want) {
		t.Fatalf("frames close together: %v, want %v", *told, want)
	}
	*clock = clock.Add(time.Second)
	*told = nil
	drawn := 0
	for range 1000 { // a change each millisecond, for a second
		f.soon()
		drawn += len(*told)
		*told = nil
		*clock = clock.Add(time.Millisecond)
	}
	if drawn > 121 || drawn < 100 {
		t.Errorf("%d frames in a second of changes", drawn)
	}
}

func TestWithoutNewFramesBubbleTeaLooksSeldom(t *testing.T) {
	f, told, clock := newPaced()
	f.soon()
	*told = nil
	f.calm() // comes too early: the frame is not drawn yet
	if len(*told) > 0 {
		t.Fatalf("a frame that is due was put off: %v", *told)
	}
	*clock = clock.Add(2 * soonest)
	f.calm()
	*clock = clock.Add(settled)
	f.calm()
	f.calm()
	if want := (paces{2 * between, idle}); !slices.Equal(*told, want) {
		t.Errorf("after a frame: %v, want %v", *told, want)
	}
	f.soon()
	if last := (*told)[len(*told)-1]; last != soonest {
		t.Errorf("the next frame waits %v", last)
	}
}

// counting is a dashboard that tells whether frames of its own were found.
type counting struct {
	found *bool
	text  string
}

func (c counting) Init() tea.Cmd { return func() tea.Msg { return goMsg{} } }

func (c counting) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case goMsg:
		c.text = "changed"
		return c, func() tea.Msg { return endMsg{} }
	case endMsg:
		f := shown.Load().frames
		f.mu.Lock()
		defer f.mu.Unlock()
		*c.found = f.looks != nil
		return c, tea.Quit
	}
	return c, nil
}

func (c counting) View() tea.View { return tea.NewView(c.text) }

type endMsg struct{}

// A Bubble Tea that names its ticker otherwise draws as before, for more.
func TestBubbleTeasTickerIsFound(t *testing.T) {
	var found bool
	if err := Run(t.Context(), counting{&found, "first"}, strings.NewReader(""), &bytes.Buffer{}, notAborted(t)); err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("Bubble Tea's ticker was not found")
	}
}

func TestBubbleTeaDrawsAgainAfterItsOwnMessages(t *testing.T) {
	for _, test := range []struct {
		does string
		msg  tea.Msg
		want bool
	}{
		{"a key", tea.KeyPressMsg{Code: 'j'}, true},
		{"another size", tea.WindowSizeMsg{Width: 80, Height: 24}, true},
		{"the screen is cleared", tea.ClearScreen(), true},
		{"a message of the dashboard", goMsg{}, false},
		{"nothing", nil, false},
	} {
		if got := isTerminals(test.msg); got != test.want {
			t.Errorf("%s: %v, want %v", test.does, got, test.want)
		}
	}
}
