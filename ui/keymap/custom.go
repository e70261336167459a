package keymap

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Map is a table of keys.
type Map []Binding

// Default is the built-in one.
func Default() Map { return Bindings }

// Own are keys that a user gives an action: more of them, or only these.
type Own struct {
	Keys []string
	Only bool // the built-in ones are given up
}

// With is the map in which some actions have keys of their own. Those that they keep stay first:
// lessons and other texts name them. Labels have both: "r/f5".
func (m Map) With(own map[Action]Own) Map {
	changed := slices.Clone(m)
	for i := range changed {
		of := own[changed[i].Do]
		keys, label := strings.Join(of.Keys, " "), modifiers.Replace(strings.Join(of.Keys, "/"))
		switch {
		case len(of.Keys) == 0:
		case of.Only:
			changed[i].Keys, changed[i].Label = keys, label
		default:
			changed[i].Keys += " " + keys
			changed[i].Label += "/" + label
		}
	}
	return changed
}

// First is the first of the keys, as the screen names it.
func (b Binding) First() string {
	for i, r := range b.Label {
		if r == '/' && i > 0 && i+1 < len(b.Label) {
			return b.Label[:i]
		}
	}
	return b.Label
}

// At is the binding of a key in a place.
func (m Map) At(key string, in Place) (Binding, bool) {
	for _, b := range m {
		if b.Where&in != 0 && slices.Contains(strings.Fields(b.Keys), key) {
			return b, true
		}
	}
	return Binding{}, false
}

// Of is the binding of an action in a place; where the place has none, the first
// one of any place.
func (m Map) Of(do Action, in Place) Binding {
	var first Binding
	for _, b := range m {
		if b.Do != do {
			continue
		}
		if b.Where&in != 0 {
			return b
		}
		if first.Do == Nothing {
			first = b
		}
	}
	return first
}

// modifiers write keys as the screen names them.
var modifiers = strings.NewReplacer("ctrl+", "ctrl-", "alt+", "alt-", "shift+", "shift-", "pgdown", "pgdn")

// actions are the names of the actions that may be given keys. Those that quit, and those
// of boxes, have theirs alone.
var actions = map[string]Action{
	"open": Open, "explain": Explain, "unfold": Unfold, "by-label": ByLabel, "go-to-node": GoNode, "node-map": NodeMap, "fixes": Fixes,
	"fixes-again": FixesAgain, "preemption": Preempt, "trace": Trace, "message": Words, "fit": Fit,
	"cordon": Cordon, "uncordon": Uncordon, "drain": Drain, "taint": Taint, "label": Label, "evict": Evict, "more": More,
	"undo": Undo, "pause": Pause, "stop": Stop, "copy": Copy, "filter": Filter, "sort": Sort, "reverse": Reverse, "mark": Mark, "mark-to": MarkTo,
	"unmark": Unmark, "describe": Describe, "yaml": YAML, "layout": Wide, "preview": Preview,
	"up": Up, "down": Down, "top": Top, "bottom": Bottom, "half-up": HalfUp, "half-down": HalfDown, "page-up": PageUp, "page-down": PageDown,
	"left": Left, "right": Right, "next-part": NextPart, "previous-part": PrevPart, "next-match": NextMatch, "previous-match": PrevMatch,
	"palette": Palette, "pending": Pending, "pods": Pods, "nodes": Nodes, "priorities": Priorities, "quotas": Quotas, "pools": Pools,
	"evictions": Evictions, "taints": Taints, "budgets": Budgets, "all-namespaces": AllNamespaces, "namespaces": Namespaces,
	"last": Last, "back": Back, "forward": Forward, "activity": Activity, "not-read": Unread, "retry": Retry, "redraw": Redraw,
	"suspend": Suspend, "step-back": StepBack, "step-on": StepOn, "changes": Changes, "history": History, "lesson": Lesson, "fault": Fault,
	"help": Help, "close": Close,
}

// Named is the action of that name.
func Named(name string) (Action, bool) {
	action, ok := actions[name]
	return action, ok
}

// Names are those of the actions that may be given keys, sorted.
func Names() []string { return slices.Sorted(maps.Keys(actions)) }

// named are the keys without a character, as the terminal library calls them.
var named = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// CheckKey rejects what is no key, and what a key of the map has: a key means the same on
// every page.
func (m Map) CheckKey(key string) error {
	rest := key
	for _, modifier := range []string{"ctrl+", "alt+", "shift+"} { // in the order in which the terminal library names them
		rest = strings.TrimPrefix(rest, modifier)
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case key == "":
		return errors.New("a key is empty")
	case slices.Contains(named, rest):
	case size != len(rest) || !unicode.IsPrint(r) || r == ' ':
		return fmt.Errorf("%q is not a key: write a character, or f1 to f12, home, pgup and so on, after ctrl+, alt+ and shift+ in this order", key)
	case strings.Contains(key, "shift+"):
		return fmt.Errorf("%q: write the character that shift gives", key)
	}
	for _, b := range m {
		if slices.Contains(strings.Fields(b.Keys), key) {
			return fmt.Errorf("the key %s is a built-in one: %s", key, strings.Split(b.Docs, ":")[0])
		}
	}
	return nil
}
