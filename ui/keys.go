package ui

import (
	"slices"
	"strings"
)

// place is a set of where a key holds.
type place int

// The places of the key map. A page is in several at once.
const (
	everywhere place = 1 << iota // not in boxes and inputs
	lists
	text
	onPod    // a pod is selected
	onNode   // a node is selected
	podFacts // the pod that a page is about, or that is selected
	inPending
	onGroup   // a group of nodes is selected
	nodeFacts // the node that a page is about
	onFix     // a fix is selected
	onJob     // a job that ends pods is selected, or the page is about one
	onEntry   // something that was done is selected
	inRecording
	onRecorded // a pod of a recording is selected
	inInput
)

// action is what a key asks for.
type action int

// The actions, in the order of the key map.
const (
	doNothing action = iota
	doOpen
	doExplain
	doUnfold
	doGoNode
	doFixes
	doPreempt
	doTrace
	doWords
	doCordon
	doUncordon
	doDrain
	doTaint
	doLabel
	doEvict
	doMore
	doAnnotate // of the menu alone, as the following
	doUngate
	doScale
	doRestart
	doDelete
	doUndo
	doPause
	doStop
	doCopy
	doFilter
	doSort
	doReverse
	doMark
	doMarkTo
	doUnmark
	doDescribe
	doYAML
	doWide
	doUp
	doDown
	doTop
	doBottom
	doHalfUp
	doHalfDown
	doPageUp
	doPageDown
	doLeft
	doRight
	doNextPart
	doPrevPart
	doNextMatch
	doPrevMatch
	doPalette
	doPending
	doPods
	doNodes
	doAllNamespaces
	doNamespaces
	doLast
	doBack
	doForward
	doActivity
	doUnread
	doRetry
	doRedraw
	doSuspend
	doKill
	doStepBack
	doStepOn
	doChanges
	doPast
	doLesson
	doFault
	doHelp
	doClose
	doQuit
)

// group is the column of the help box that a key stands in.
type group int

const (
	ofSelection group = iota
	ofList
	ofAnywhere
	ofDemo   // the last line of the help, on the embedded cluster alone
	unlisted // known to everybody, or said elsewhere
)

// binding is one row of the key map.
type binding struct {
	do    action
	where place
	keys  string // as the terminal names them, by spaces
	label string // as the screen names them
	foot  string // its word in the footer; "" keeps it out
	group group
	help  string // its words in the help box; neighbours with the same share a line
	docs  string // its words in the documentation
}

// keyMap is the one source of the footers, the help, the documentation and the tests.
var keyMap = []binding{
	{doOpen, onGroup, "enter", "enter", "open", ofSelection, "its nodes", "open it: the nodes of the group"},
	{doOpen, onPod, "enter", "enter", "why", ofSelection, "why it waits", "open it: why the pod is Pending, or where it runs"},
	{doOpen, onNode, "enter", "enter", "pods", ofSelection, "its pods", "open it: the node's pods"},
	{doExplain, onPod, "x", "x", "why", ofSelection, "why it waits", "explain it: why the pod is Pending, or where it runs"},
	{doExplain, onNode, "x", "x", "why not", ofSelection, "why not here", "explain it: why each pending pod does not fit the node"},
	{doGoNode, onPod, "o", "o", "its node", ofSelection, "its node", "its node, in Nodes"},
	{doUnfold, inPending, "+", "+", "unfold", ofSelection, "unfold a kind", "unfold a kind of pods, or fold it"},
	{doOpen, onFix, "enter", "enter", "", ofSelection, "plan it", "open it: the plan of the fix, which asks first"},
	{doOpen, onEntry, "enter", "enter", "undo", ofSelection, "undo it", "open it: the plan of what undoes it, which asks first; of a drain that runs, its page"},
	{doUndo, onEntry | onJob, "U", "U", "undo", ofSelection, "undo it", "plan what undoes it: asks first; a drain that runs is stopped before"},
	{doPause, onJob, "P", "P", "pause", ofSelection, "pause, go on", "pause the job, or let it go on: what was asked goes on"},
	{doStop, onJob, "Q", "Q", "stop", ofSelection, "stop it", "stop the job: asks first"},
	{doOpen, onJob, "enter", "enter", "open", ofSelection, "its pods", "open it: the pods of the job"},
	{doFixes, podFacts, "f", "f", "fixes", ofSelection, "fixes", "the fixes that work, tried on a copy of the cluster"},
	{doPreempt, podFacts, "p", "p", "preemption", ofSelection, "preemption", "what preemption could do: on which nodes, who would go, and where to"},
	{doTrace, podFacts, "T", "T", "trace", ofSelection, "scheduler's way", "the scheduler's way for it, stage by stage; of a pod that runs, why there"},
	{doWords, podFacts, "W", "W", "words", ofSelection, "scheduler's words", "the scheduler's words, and versions"},
	{doCordon, onNode | onGroup | nodeFacts, "c", "c", "cordon", ofSelection, "cordon, un-", "cordon it, or all that are marked: asks first"},
	{doUncordon, onNode | onGroup | nodeFacts, "u", "u", "uncordon", ofSelection, "cordon, un-", "uncordon it, or all that are marked: asks first"},
	{doDrain, onNode | onGroup | nodeFacts, "r", "r", "drain", ofSelection, "drain, taint, label", "drain it: cordon it and evict its pods; asks first"},
	{doTaint, onNode | onGroup | nodeFacts, "t", "t", "taint", ofSelection, "drain, taint, label", "taint it, or take a taint off: typed, then asked"},
	{doLabel, onNode | onGroup | nodeFacts, "l", "l", "label", ofSelection, "drain, taint, label", "label it, or take a label off: typed, then asked"},
	{doLabel, onPod, "l", "l", "label", ofSelection, "label", "label it, or take a label off: typed, then asked"},
	{doEvict, onPod, "e", "e", "evict", ofSelection, "evict", "evict it, or all that are marked: asks first"},
	{doCopy, everywhere, "C", "C", "copy", ofSelection, "copy", "copy the name of the row, its command, or the page (OSC 52)"},

	{doFilter, lists | text, "/", "/", "filter", ofList, "filter, sort", "filter a list, find in a text or in the help"},
	{doSort, lists, "s", "s", "sort", ofList, "filter, sort", "sort by the column whose letter comes next"},
	{doReverse, lists, "S", "S", "reverse", ofList, "filter, sort", "turn the order round"},
	{doMark, lists, "space", "space", "mark", ofList, "mark, unmark", "mark or unmark"},
	{doMarkTo, lists, "ctrl+space", "ctrl-space", "", unlisted, "", "mark up to here"},
	{doUnmark, lists, "M", "M", "unmark", ofList, "mark, unmark", "unmark all"},
	{doWide, lists, "w", "w", "wide", ofList, "more columns", "more columns, or fewer"},
	{doDescribe, lists, "d", "d", "describe", ofList, "describe, YAML", "describe the live object"},
	{doYAML, lists, "y", "y", "YAML", ofList, "describe, YAML", "YAML of the live object"},
	{doMore, lists, "a", "a", "more", ofList, "all actions", "every action on it; also annotate, scale, restart, remove gates, delete what no controller owns"},

	{doUp, lists | text, "k up", "k ↑", "", unlisted, "", "one row up"},
	{doDown, lists | text, "j down", "j ↓", "", unlisted, "", "one row down"},
	{doTop, lists | text, "g home", "g home", "", unlisted, "", "to the top"},
	{doBottom, lists | text, "G end", "G end", "", unlisted, "", "to the bottom"},
	{doHalfUp, lists | text, "ctrl+u", "ctrl-u", "", unlisted, "", "half a page up"},
	{doHalfDown, lists | text, "ctrl+d", "ctrl-d", "", unlisted, "", "half a page down"},
	{doPageUp, lists | text, "ctrl+b pgup", "ctrl-b pgup", "", unlisted, "", "a page up"},
	{doPageDown, lists | text, "ctrl+f pgdown", "ctrl-f pgdn", "", unlisted, "", "a page down"},
	{doLeft, lists | text, "left", "←", "", ofList, "sideways, if cut", "sideways, if cut"},
	{doRight, lists | text, "right", "→", "", ofList, "sideways, if cut", "sideways, if cut"},
	{doNextPart, lists, "tab", "tab", "", unlisted, "", "the next part of the page"},
	{doPrevPart, lists, "shift+tab", "shift-tab", "", unlisted, "", "the part before"},
	{doNextMatch, text, "ctrl+n", "ctrl-n", "next", ofList, "next, last match", "the next match"},
	{doPrevMatch, text, "ctrl+p", "ctrl-p", "", ofList, "next, last match", "the match before"},

	{doPalette, everywhere, ":", ":", "palette", ofAnywhere, "palette", "the palette: views, namespaces, contexts, themes"},
	{doPending, everywhere, "1", "1", "Pending", ofAnywhere, "the views", "Pending"},
	{doPods, everywhere, "2", "2", "Pods", ofAnywhere, "the views", "Pods"},
	{doNodes, everywhere, "3", "3", "Nodes", ofAnywhere, "the views", "Nodes"},
	{doAllNamespaces, everywhere, "0", "0", "", ofAnywhere, "namespaces", "all namespaces"},
	{doNamespaces, lists, "n", "n", "namespaces", ofAnywhere, "namespaces", "choose a namespace; the recent ones as 1–9"},
	{doLast, everywhere, "-", "-", "", ofAnywhere, "last view, history", "the view before"},
	{doBack, everywhere, "[", "[", "", ofAnywhere, "last view, history", "back in history"},
	{doForward, everywhere, "]", "]", "", ofAnywhere, "last view, history", "forward in history"},
	{doActivity, everywhere, "z", "z", "activity", ofAnywhere, "activity and undo", "what was done, the newest undo selected"},
	{doUnread, everywhere, "!", "!", "not read", ofAnywhere, "what was not read", "what could not be read, and what that leaves open"},
	{doRetry, everywhere, "ctrl+r", "ctrl-r", "", ofAnywhere, "ask again", "ask the server again, now"},
	{doRedraw, everywhere, "ctrl+l", "ctrl-l", "", unlisted, "", "draw the screen anew"},
	{doSuspend, everywhere, "ctrl+z", "ctrl-z", "", unlisted, "", "suspend; fg comes back"},
	{doKill, everywhere, "ctrl+k", "ctrl-k", "", unlisted, "", "nothing: it says so"},
	{doStepBack, inRecording, ",", ",", "step", ofAnywhere, "step back, on", "one step back"},
	{doStepOn, inRecording, ".", ".", "step", ofAnywhere, "step back, on", "one step on"},
	{doChanges, inRecording, "D", "D", "changes", ofAnywhere, "what changed", "what changed since the step before"},
	{doPast, onRecorded, "H", "H", "since when", ofSelection, "since when", "since which step it waits, and who took the room that it had"},
	{doFault, everywhere, "i", "i", "fault", ofDemo, "faults, reset, steps", "demo: put a fault into the cluster or take it back, reset, go to a step of the lesson"},
	{doLesson, everywhere, "L", "L", "lesson", ofDemo, "the lesson's panel", "demo: enter the lesson's panel; its keys: 1–9 answer, s skip, h hint, enter next, n next lesson, l lessons, j k scroll, esc leave"},
	{doHelp, everywhere, "?", "?", "help", unlisted, "", "the keys of this place"},
	{doClose, everywhere, "esc q", "esc", "back", unlisted, "", "close, else clear the filter, else back"},
	{doQuit, everywhere | inInput, "ctrl+c", "ctrl-c", "", unlisted, "", "quit; while a drain runs it asks once"},
}

// bindingAt is what the key means in a place.
func bindingAt(key string, in place) (binding, bool) {
	for _, b := range keyMap {
		if b.where&in != 0 && slices.Contains(strings.Fields(b.keys), key) {
			return b, true
		}
	}
	return binding{}, false
}

// bindingOf is the row of the key map for an action in a place; where the place
// has none, the first of any place.
func bindingOf(do action, in place) binding {
	var first binding
	for _, b := range keyMap {
		if b.do != do {
			continue
		}
		if b.where&in != 0 {
			return b
		}
		if first.do == doNothing {
			first = b
		}
	}
	return first
}
