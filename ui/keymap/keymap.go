// Package keymap is the one table of keys: what each does, where, and how the footers,
// the help and the documentation word it.
package keymap

import (
	"slices"
	"strings"
)

// Place is a set of where a key holds.
type Place int

// The places of the key map. A page is in several at once.
const (
	Everywhere Place = 1 << iota // not in boxes and inputs
	Lists
	Text
	OnPod    // a pod is selected
	OnNode   // a node is selected
	PodFacts // the pod that a page is about, or that is selected
	InPending
	OnGroup   // a group of nodes is selected
	NodeFacts // the node that a page is about
	OnFix     // a fix is selected
	OnJob     // a job that ends pods is selected, or the page is about one
	OnEntry   // something that was done is selected
	InRecording
	OnRecorded // a pod of a recording is selected
	InInput
)

// Action is what a key asks for.
type Action int

// The actions, in the order of the key map.
const (
	Nothing Action = iota
	Open
	Explain
	Unfold
	GoNode
	Fixes
	Preempt
	Trace
	Words
	Cordon
	Uncordon
	Drain
	Taint
	Label
	Evict
	More
	Annotate // of the menu alone, as the following
	Ungate
	Scale
	Restart
	Delete
	Undo
	Pause
	Stop
	Copy
	Filter
	Sort
	Reverse
	Mark
	MarkTo
	Unmark
	Describe
	YAML
	Wide
	Up
	Down
	Top
	Bottom
	HalfUp
	HalfDown
	PageUp
	PageDown
	Left
	Right
	NextPart
	PrevPart
	NextMatch
	PrevMatch
	Palette
	Pending
	Pods
	Nodes
	AllNamespaces
	Namespaces
	Last
	Back
	Forward
	Activity
	Unread
	Retry
	Redraw
	Suspend
	Kill
	StepBack
	StepOn
	Changes
	Past
	Lesson
	Fault
	Help
	Close
	Quit
)

// Group is the column of the help box that a key stands in.
type Group int

// The columns, from the left.
const (
	OfSelection Group = iota
	OfList
	OfAnywhere
	OfDemo   // the last line of the help, on the embedded cluster alone
	Unlisted // known to everybody, or said elsewhere
)

// Binding is one row of the key map.
type Binding struct {
	Do    Action
	Where Place
	Keys  string // as the terminal names them, by spaces
	Label string // as the screen names them
	Foot  string // its word in the footer; "" keeps it out
	Group Group
	Help  string // its words in the help box; neighbours with the same share a line
	Docs  string // its words in the documentation
}

// Bindings is the one source of the footers, the help, the documentation and the tests.
var Bindings = []Binding{
	{Open, OnGroup, "enter", "enter", "open", OfSelection, "its nodes", "open it: the nodes of the group"},
	{Open, OnPod, "enter", "enter", "why", OfSelection, "why it waits", "open it: why the pod is Pending, or where it runs"},
	{Open, OnNode, "enter", "enter", "pods", OfSelection, "its pods", "open it: the node's pods"},
	{Explain, OnPod, "x", "x", "why", OfSelection, "why it waits", "explain it: why the pod is Pending, or where it runs"},
	{Explain, OnNode, "x", "x", "why not", OfSelection, "why not here", "explain it: why each pending pod does not fit the node"},
	{GoNode, OnPod, "o", "o", "its node", OfSelection, "its node", "its node, in Nodes"},
	{Unfold, InPending, "+", "+", "unfold", OfSelection, "unfold a kind", "unfold a kind of pods, or fold it"},
	{Open, OnFix, "enter", "enter", "", OfSelection, "plan it", "open it: the plan of the fix, which asks first"},
	{Open, OnEntry, "enter", "enter", "undo", OfSelection, "undo it", "open it: the plan of what undoes it, which asks first; of a drain that runs, its page"},
	{Undo, OnEntry | OnJob, "U", "U", "undo", OfSelection, "undo it", "plan what undoes it: asks first; a drain that runs is stopped before"},
	{Pause, OnJob, "P", "P", "pause", OfSelection, "pause, go on", "pause the job, or let it go on: what was asked goes on"},
	{Stop, OnJob, "Q", "Q", "stop", OfSelection, "stop it", "stop the job: asks first"},
	{Open, OnJob, "enter", "enter", "open", OfSelection, "its pods", "open it: the pods of the job"},
	{Fixes, PodFacts, "f", "f", "fixes", OfSelection, "fixes", "the fixes that work, tried on a copy of the cluster"},
	{Preempt, PodFacts, "p", "p", "preemption", OfSelection, "preemption", "what preemption could do: on which nodes, who would go, and where to"},
	{Trace, PodFacts, "T", "T", "trace", OfSelection, "scheduler's way", "the scheduler's way for it, stage by stage; of a pod that runs, why there"},
	{Words, PodFacts, "W", "W", "words", OfSelection, "scheduler's words", "the scheduler's words, and versions"},
	{Cordon, OnNode | OnGroup | NodeFacts, "c", "c", "cordon", OfSelection, "cordon, un-", "cordon it, or all that are marked: asks first"},
	{Uncordon, OnNode | OnGroup | NodeFacts, "u", "u", "uncordon", OfSelection, "cordon, un-", "uncordon it, or all that are marked: asks first"},
	{Drain, OnNode | OnGroup | NodeFacts, "r", "r", "drain", OfSelection, "drain, taint, label", "drain it: cordon it and evict its pods; asks first"},
	{Taint, OnNode | OnGroup | NodeFacts, "t", "t", "taint", OfSelection, "drain, taint, label", "taint it, or take a taint off: typed, then asked"},
	{Label, OnNode | OnGroup | NodeFacts, "l", "l", "label", OfSelection, "drain, taint, label", "label it, or take a label off: typed, then asked"},
	{Label, OnPod, "l", "l", "label", OfSelection, "label", "label it, or take a label off: typed, then asked"},
	{Evict, OnPod, "e", "e", "evict", OfSelection, "evict", "evict it, or all that are marked: asks first"},
	{Copy, Everywhere, "C", "C", "copy", OfSelection, "copy", "copy the name of the row, its command, or the page (OSC 52)"},

	{Filter, Lists | Text, "/", "/", "filter", OfList, "filter, sort", "filter a list, find in a text or in the help"},
	{Sort, Lists, "s", "s", "sort", OfList, "filter, sort", "sort by the column whose letter comes next"},
	{Reverse, Lists, "S", "S", "reverse", OfList, "filter, sort", "turn the order round"},
	{Mark, Lists, "space", "space", "mark", OfList, "mark, unmark", "mark or unmark"},
	{MarkTo, Lists, "ctrl+space", "ctrl-space", "", Unlisted, "", "mark up to here"},
	{Unmark, Lists, "M", "M", "unmark", OfList, "mark, unmark", "unmark all"},
	{Wide, Lists, "w", "w", "wide", OfList, "more columns", "more columns, or fewer"},
	{Describe, Lists, "d", "d", "describe", OfList, "describe, YAML", "describe the live object"},
	{YAML, Lists, "y", "y", "YAML", OfList, "describe, YAML", "YAML of the live object"},
	{More, Lists, "a", "a", "more", OfList, "all actions", "every action on it; also annotate, scale, restart, remove gates, delete what no controller owns"},

	{Up, Lists | Text, "k up", "k ↑", "", Unlisted, "", "one row up"},
	{Down, Lists | Text, "j down", "j ↓", "", Unlisted, "", "one row down"},
	{Top, Lists | Text, "g home", "g home", "", Unlisted, "", "to the top"},
	{Bottom, Lists | Text, "G end", "G end", "", Unlisted, "", "to the bottom"},
	{HalfUp, Lists | Text, "ctrl+u", "ctrl-u", "", Unlisted, "", "half a page up"},
	{HalfDown, Lists | Text, "ctrl+d", "ctrl-d", "", Unlisted, "", "half a page down"},
	{PageUp, Lists | Text, "ctrl+b pgup", "ctrl-b pgup", "", Unlisted, "", "a page up"},
	{PageDown, Lists | Text, "ctrl+f pgdown", "ctrl-f pgdn", "", Unlisted, "", "a page down"},
	{Left, Lists | Text, "left", "←", "", OfList, "sideways, if cut", "sideways, if cut"},
	{Right, Lists | Text, "right", "→", "", OfList, "sideways, if cut", "sideways, if cut"},
	{NextPart, Lists, "tab", "tab", "", Unlisted, "", "the next part of the page"},
	{PrevPart, Lists, "shift+tab", "shift-tab", "", Unlisted, "", "the part before"},
	{NextMatch, Text, "ctrl+n", "ctrl-n", "next", OfList, "next, last match", "the next match"},
	{PrevMatch, Text, "ctrl+p", "ctrl-p", "", OfList, "next, last match", "the match before"},

	{Palette, Everywhere, ":", ":", "palette", OfAnywhere, "palette", "the palette: views, namespaces, contexts, themes"},
	{Pending, Everywhere, "1", "1", "Pending", OfAnywhere, "the views", "Pending"},
	{Pods, Everywhere, "2", "2", "Pods", OfAnywhere, "the views", "Pods"},
	{Nodes, Everywhere, "3", "3", "Nodes", OfAnywhere, "the views", "Nodes"},
	{AllNamespaces, Everywhere, "0", "0", "", OfAnywhere, "namespaces", "all namespaces"},
	{Namespaces, Lists, "n", "n", "namespaces", OfAnywhere, "namespaces", "choose a namespace; the recent ones as 1–9"},
	{Last, Everywhere, "-", "-", "", OfAnywhere, "last view, history", "the view before"},
	{Back, Everywhere, "[", "[", "", OfAnywhere, "last view, history", "back in history"},
	{Forward, Everywhere, "]", "]", "", OfAnywhere, "last view, history", "forward in history"},
	{Activity, Everywhere, "z", "z", "activity", OfAnywhere, "activity and undo", "what was done, the newest undo selected"},
	{Unread, Everywhere, "!", "!", "not read", OfAnywhere, "what was not read", "what could not be read, and what that leaves open"},
	{Retry, Everywhere, "ctrl+r", "ctrl-r", "", OfAnywhere, "ask again", "ask the server again, now"},
	{Redraw, Everywhere, "ctrl+l", "ctrl-l", "", Unlisted, "", "draw the screen anew"},
	{Suspend, Everywhere, "ctrl+z", "ctrl-z", "", Unlisted, "", "suspend; fg comes back"},
	{Kill, Everywhere, "ctrl+k", "ctrl-k", "", Unlisted, "", "nothing: it says so"},
	{StepBack, InRecording, ",", ",", "step", OfAnywhere, "step back, on", "one step back"},
	{StepOn, InRecording, ".", ".", "step", OfAnywhere, "step back, on", "one step on"},
	{Changes, InRecording, "D", "D", "changes", OfAnywhere, "what changed", "what changed since the step before"},
	{Past, OnRecorded, "H", "H", "since when", OfSelection, "since when", "since which step it waits, and who took the room that it had"},
	{Fault, Everywhere, "i", "i", "fault", OfDemo, "faults, reset, steps", "demo: put a fault into the cluster or take it back, reset, go to a step of the lesson"},
	{Lesson, Everywhere, "L", "L", "lesson", OfDemo, "the lesson's panel", "demo: enter the lesson's panel; its keys: 1–9 answer, s skip, h hint, enter next, n next lesson, l lessons, j k scroll, esc leave"},
	{Help, Everywhere, "?", "?", "help", Unlisted, "", "the keys of this place"},
	{Close, Everywhere, "esc q", "esc", "back", Unlisted, "", "close, else clear the filter, else back"},
	{Quit, Everywhere | InInput, "ctrl+c", "ctrl-c", "", Unlisted, "", "quit; while a drain runs it asks once"},
}

// At is what the key means in a place.
func At(key string, in Place) (Binding, bool) {
	for _, b := range Bindings {
		if b.Where&in != 0 && slices.Contains(strings.Fields(b.Keys), key) {
			return b, true
		}
	}
	return Binding{}, false
}

// Of is the row of the key map for an action in a place; where the place
// has none, the first of any place.
func Of(do Action, in Place) Binding {
	var first Binding
	for _, b := range Bindings {
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
