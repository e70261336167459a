package terminal

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"
)

// modePattern is a switch of private modes: ESC [ ? 1049 h.
var modePattern = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// keyboardPattern is a change of the kitty keyboard protocol: ESC [ > 1 u pushes,
// ESC [ < u pops, ESC [ = 1 ; 1 u sets.
var keyboardPattern = regexp.MustCompile(`\x1b\[([<>=])([0-9]*)(?:;[0-9]+)?u`)

// modes that a program must leave off, by what they do.
var modes = map[string]string{
	"47": "alternate screen", "1047": "alternate screen", "1049": "alternate screen",
	"9": "mouse", "1000": "mouse", "1001": "mouse", "1002": "mouse", "1003": "mouse", "1005": "mouse", "1006": "mouse", "1015": "mouse",
	"1004": "focus events", "2004": "bracketed paste", "2026": "synchronized output", "2031": "color scheme reports", "2048": "size reports",
}

// Restored tells what the program, which has ended, has left changed in the terminal: its settings, the alternate
// screen, a hidden cursor, the mouse, the keyboard. Its last output may take a moment to arrive.
func (t *Terminal) Restored() error {
	for range 50 {
		if t.changed() == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return t.changed()
}

// changed tells what is not as it was before the program began, by the output that has arrived.
func (t *Terminal) changed() error {
	var left []error
	now, err := term.GetState(int(t.master.Fd()))
	switch {
	case err != nil:
		left = append(left, fmt.Errorf("read the terminal's state: %w", err))
	case !reflect.DeepEqual(now, t.before):
		left = append(left, fmt.Errorf("the terminal's settings were %+v and are %+v", t.before, now))
	}
	on := t.Modes()
	for _, mode := range on {
		if what, ok := modes[mode]; ok {
			left = append(left, fmt.Errorf("mode %s (%s) is still on", mode, what))
		}
	}
	if !slices.Contains(on, "25") {
		left = append(left, errors.New("the cursor is hidden"))
	}
	if t.keyboardChanged() {
		left = append(left, errors.New("the keyboard protocol is still changed"))
	}
	return errors.Join(left...)
}

// Modes are the private modes that are on; 25, the cursor, is on from the start.
func (t *Terminal) Modes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	on := map[string]bool{"25": true}
	for _, found := range modePattern.FindAllSubmatch(t.output, -1) {
		for mode := range strings.SplitSeq(string(found[1]), ";") {
			on[mode] = string(found[2]) == "h"
		}
	}
	var list []string
	for mode, is := range on {
		if is {
			list = append(list, mode)
		}
	}
	slices.Sort(list)
	return list
}

// keyboardChanged tells whether the keyboard protocol is not what it was.
func (t *Terminal) keyboardChanged() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	pushed, flags := 0, "0"
	for _, found := range keyboardPattern.FindAllSubmatch(t.output, -1) {
		switch string(found[1]) {
		case ">":
			pushed++
		case "<":
			pushed--
		default:
			flags = string(found[2])
		}
	}
	return pushed > 0 || flags != "0" && flags != ""
}
