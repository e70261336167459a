// Package keymap is the table of keys: what each does, where, and its name in the
// footers, the help and the documentation.
package keymap

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
	InPools
	OnGroup    // a group of nodes is selected
	NodeFacts  // the node that a page is about
	AroundPods // the node whose pods a page has
	NamesNodes // a row is selected that names nodes
	OnPriority // a PriorityClass is selected
	OnFix      // a fix is selected
	OnJob      // a job that evicts pods is selected, or the page is about one
	OnEntry    // an entry of the activity is selected
	InRecording
	OnRecorded // a pod of a recording is selected
	OnCell     // a node is selected in the node map
	OnEvicted  // a pod of Evictions is selected
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
	ByLabel
	GoNode
	NodeMap
	Fixes
	FixesAgain
	Preempt
	Trace
	Words
	Fit
	Cordon
	Uncordon
	Drain
	Taint
	Label
	Evict
	More
	Annotate // only in the menu, as the following
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
	Preview
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
	Priorities
	Quotas
	Pools
	Evictions
	Taints
	Budgets
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
	History
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
	OfDemo   // the last line of the help, only on the embedded cluster
	Unlisted // well known, or shown elsewhere
)

// Binding is one row of the key map.
type Binding struct {
	Do    Action
	Where Place
	Keys  string // as the terminal names them, by spaces
	Label string // as the screen names them
	Foot  string // its name in the footer; "" leaves it out
	Group Group
	Help  string // its name in the help box; neighbours with the same share a line
	Docs  string // its description in the documentation
}

// Bindings is the one source of the footers, the help, the documentation and the tests.
var Bindings = []Binding{
	{Open, OnGroup, "enter", "enter", "nodes", OfSelection, "nodes", "open: the nodes of the group"},
	{Open, OnEvicted, "enter", "enter", "cgroups", OfSelection, "cgroups", "open: the cgroups of the pod"},
	{Open, OnPod, "enter", "enter", "why", OfSelection, "why", "open: why the pod is pending, or where it runs"},
	{Open, OnNode | OnCell, "enter", "enter", "pods", OfSelection, "pods", "open: the pods of the node"},
	{Open, NamesNodes, "enter", "enter", "nodes", OfSelection, "nodes", "open: the nodes that it names"},
	{Open, OnPriority, "enter", "enter", "queue", OfSelection, "queue", "open: the pods without a node, in the scheduler's order"},
	{Explain, OnPod, "x", "x", "why", OfSelection, "why", "explain: the same page as `enter`; works in Trace too"},
	{Explain, OnNode | OnCell, "x", "x", "why not", OfSelection, "why not here", "explain: why each pending pod does not fit the node"},
	{GoNode, OnPod, "o", "o", "node", OfSelection, "node", "go to the pod's node in Nodes"},
	{NodeMap, OnPod | OnNode | OnGroup | NamesNodes, "m", "m", "map", OfSelection, "map", "node map: one cell a node, by pool and zone; in Why by what rejects the pod"},
	{Unfold, InPending, "+", "+", "unfold", OfSelection, "unfold", "list the pods of a row, or fold them again"},
	{ByLabel, InPools, "b", "b", "by label", OfSelection, "by label", "group the nodes by a label, or by pool and zone again"},
	{Open, OnFix, "enter", "enter", "", OfSelection, "plan it", "open: the plan of the fix, with confirmation"},
	{Open, OnEntry, "enter", "enter", "undo", OfSelection, "undo", "open: the plan of the undo, with confirmation; for a running drain, its page"},
	{Undo, OnEntry | OnJob, "U", "U", "undo", OfSelection, "undo", "plan the undo, with confirmation; a running drain is stopped first"},
	{Pause, OnJob, "P", "P", "pause", OfSelection, "pause", "pause or resume the drain; evictions that were accepted continue"},
	{Stop, OnJob, "Q", "Q", "stop", OfSelection, "stop", "stop the drain: asks first"},
	{Open, OnJob, "enter", "enter", "open", OfSelection, "open", "open: the page of the drain"},
	{Fixes, PodFacts, "f", "f", "fixes", OfSelection, "fixes", "fixes that would let the pod be scheduled, simulated"},
	{FixesAgain, OnFix, "N", "N", "fixes again", OfSelection, "fixes again", "the fixes again, where a pod is still pending after a fix"},
	{FixesAgain, Everywhere, "N", "N", "fixes again", Unlisted, "", "the fixes again, where a pod is still pending after a fix"},
	{Preempt, PodFacts, "p", "p", "preemption", OfSelection, "preemption", "what preemption can do: candidate nodes, victims, and where victims are rescheduled"},
	{Trace, PodFacts, "T", "T", "trace", OfSelection, "trace", "the scheduling cycle, stage by stage; for a scheduled pod, why it is on its node"},
	{Words, PodFacts, "W", "W", "message", OfSelection, "message", "kube-scheduler's message, fathom's, events and versions"},
	{Fit, PodFacts, "F", "F", "fit", OfSelection, "fit", "how many more pods fit: like this one, on which nodes, and what stops the next"},
	{Fit, InPools, "F", "F", "fit", OfSelection, "fit", "how many more pods fit: like the first pending one that targets the pool"},
	{Cordon, OnNode | OnGroup | NodeFacts | OnCell, "c", "c", "cordon", OfSelection, "cordon, uncordon", "cordon the node, or all marked nodes: asks first"},
	{Uncordon, OnNode | OnGroup | NodeFacts | OnCell, "u", "u", "uncordon", OfSelection, "cordon, uncordon", "uncordon the node, or all marked nodes: asks first"},
	{Drain, OnNode | OnGroup | NodeFacts | OnCell, "r", "r", "drain", OfSelection, "drain, taint, label", "drain: cordon the node and evict its pods; asks first"},
	{Taint, OnNode | OnGroup | NodeFacts | OnCell, "t", "t", "taint", OfSelection, "drain, taint, label", "add or remove a taint: type it, then confirm"},
	{Cordon, AroundPods, "c", "c", "cordon", OfSelection, "cordon the node", "cordon the node, or all marked nodes: asks first"},
	{Uncordon, AroundPods, "u", "u", "uncordon", OfSelection, "cordon the node", "uncordon the node, or all marked nodes: asks first"},
	{Drain, AroundPods, "r", "r", "drain", OfSelection, "drain, taint it", "drain: cordon the node and evict its pods; asks first"},
	{Taint, AroundPods, "t", "t", "taint", OfSelection, "drain, taint it", "add or remove a taint: type it, then confirm"},
	{Label, OnNode | OnGroup | NodeFacts, "l", "l", "label", OfSelection, "drain, taint, label", "add or remove a label: type it, then confirm"},
	{Label, OnPod, "l", "l", "label", OfSelection, "label", "add or remove a label: type it, then confirm"},
	{Evict, OnPod, "e", "e", "evict", OfSelection, "evict", "evict the pod, or all marked pods: asks first"},
	{Copy, Everywhere, "C", "C", "copy", OfSelection, "copy", "copy the name of the row, its command, or the page (OSC 52)"},

	{Filter, Lists | Text, "/", "/", "filter", OfList, "filter, sort", "filter a list, find in a text or in the help"},
	{Sort, Lists, "s", "s", "sort", OfList, "filter, sort", "sort by a column: press its letter next"},
	{Reverse, Lists, "S", "S", "reverse", OfList, "filter, sort", "reverse the order"},
	{Mark, Lists, "space", "space", "mark", OfList, "mark, unmark", "mark or unmark the row"},
	{MarkTo, Lists, "ctrl+space", "ctrl-space", "", Unlisted, "", "mark all rows up to here"},
	{Unmark, Lists, "M", "M", "unmark", OfList, "mark, unmark", "unmark all"},
	{Wide, OnCell, "w", "w", "by", OfList, "rows by", "layout: rows of the node map by pool and zone, pool, zone or a label"},
	{Wide, Lists, "w", "w", "wide", OfList, "more columns", "layout: more columns, or fewer"},
	{Preview, Lists, "v", "v", "preview", OfList, "preview", "show or hide the preview of the selected row, or the node above its pods"},
	{Describe, Lists, "d", "d", "describe", OfList, "describe, YAML", "describe the live object"},
	{YAML, Lists, "y", "y", "YAML", OfList, "describe, YAML", "YAML of the live object"},
	{More, Lists, "a", "a", "more", OfList, "more actions", "all actions; also annotate, scale, restart, remove gates, delete pods without a controller"},

	{Up, Lists | Text, "k up", "k ↑", "", Unlisted, "", "one row up"},
	{Down, Lists | Text, "j down", "j ↓", "", Unlisted, "", "one row down"},
	{Top, Lists | Text, "g home", "g home", "", Unlisted, "", "to the top"},
	{Bottom, Lists | Text, "G end", "G end", "", Unlisted, "", "to the bottom"},
	{HalfUp, Lists | Text, "ctrl+u", "ctrl-u", "", Unlisted, "", "half a page up"},
	{HalfDown, Lists | Text, "ctrl+d", "ctrl-d", "", Unlisted, "", "half a page down"},
	{PageUp, Lists | Text, "ctrl+b pgup", "ctrl-b pgup", "", Unlisted, "", "a page up"},
	{PageDown, Lists | Text, "ctrl+f pgdown", "ctrl-f pgdn", "", Unlisted, "", "a page down"},
	{Left, OnCell, "h left", "h ←", "", OfList, "node before, after", "to the left: the node before"},
	{Right, OnCell, "l right", "l →", "", OfList, "node before, after", "to the right: the node after"},
	{Left, Lists | Text, "left", "←", "", OfList, "scroll sideways", "to the left: scroll, where text is cut off"},
	{Right, Lists | Text, "right", "→", "", OfList, "scroll sideways", "to the right: scroll, where text is cut off"},
	{NextPart, OnCell, "tab", "tab", "next", OfList, "what it shows", "the next part of the page: cpu, memory, other resources, usage, age or state"},
	{NextPart, Lists, "tab", "tab", "", Unlisted, "", "the next part of the page"},
	{PrevPart, Lists, "shift+tab", "shift-tab", "", Unlisted, "", "the previous part of the page"},
	{NextMatch, Text, "ctrl+n", "ctrl-n", "next", OfList, "next, previous match", "the next match"},
	{PrevMatch, Text, "ctrl+p", "ctrl-p", "", OfList, "next, previous match", "the previous match"},

	{Palette, Everywhere, ":", ":", "palette", OfAnywhere, "palette", "palette: views, actions, namespaces, nodes, pods, contexts, themes"},
	{Pending, Everywhere, "1", "1", "Pending", OfAnywhere, "views", "Pending"},
	{Pods, Everywhere, "2", "2", "Pods", OfAnywhere, "views", "Pods"},
	{Nodes, Everywhere, "3", "3", "Nodes", OfAnywhere, "views", "Nodes"},
	{Pools, Everywhere, "4", "4", "Pools", OfAnywhere, "views", "Pools"},
	{Taints, Everywhere, "5", "5", "Taints", OfAnywhere, "views", "Taints"},
	{Priorities, Everywhere, "6", "6", "Priorities", OfAnywhere, "views", "Priorities"},
	{Evictions, Everywhere, "7", "7", "Evictions", OfAnywhere, "views", "Evictions: of the selected node, or of a node that is chosen"},
	{Quotas, Everywhere, "8", "8", "Quotas", OfAnywhere, "views", "Quotas"},
	{Budgets, Everywhere, "9", "9", "Budgets", OfAnywhere, "views", "Budgets"},
	{AllNamespaces, Everywhere, "0", "0", "", OfAnywhere, "namespaces", "all namespaces"},
	{Namespaces, Lists, "n", "n", "namespaces", OfAnywhere, "namespaces", "choose a namespace; 1–9 are the recent ones"},
	{Last, Everywhere, "-", "-", "", OfAnywhere, "previous view", "the previous view"},
	{Back, Everywhere, "[", "[", "", OfAnywhere, "back", "back to the page before"},
	{Forward, Everywhere, "]", "]", "", OfAnywhere, "forward", "forward to the page after"},
	{Activity, Everywhere, "z", "z", "activity", OfAnywhere, "activity", "activity: changes made with fathom; the newest that can be undone is selected"},
	{Unread, Everywhere, "!", "!", "not read", OfAnywhere, "resources not read", "resources that could not be read, and what is unknown without them"},
	{Retry, Everywhere, "ctrl+r", "ctrl-r", "", OfAnywhere, "retry", "retry the connection now"},
	{Redraw, Everywhere, "ctrl+l", "ctrl-l", "", Unlisted, "", "redraw the screen"},
	{Suspend, Everywhere, "ctrl+z", "ctrl-z", "", Unlisted, "", "suspend; fg resumes"},
	{Kill, Everywhere, "ctrl+k", "ctrl-k", "", Unlisted, "", "deletes nothing here (kill in k9s): shows which key evicts"},
	{StepBack, InRecording, ",", ",", "step", OfAnywhere, "step", "one step back"},
	{StepOn, InRecording, ".", ".", "step", OfAnywhere, "step", "one step forward"},
	{Changes, InRecording, "D", "D", "changes", OfAnywhere, "changes", "changes since the previous step"},
	{History, OnRecorded, "H", "H", "history", OfSelection, "history", "history of the pod: since which step no node fits, and which pods took the capacity"},
	{Fault, Everywhere, "i", "i", "fault", OfDemo, "fault, reset, step", "demo: inject or remove a fault, reset the cluster, go to a step of the lesson"},
	{Lesson, Everywhere, "L", "L", "lesson", OfDemo, "lesson", "demo: enter the lesson panel; keys there: 1–9 answer, s skip, h hint, enter next, n next lesson, r again, l lessons, j k scroll, esc leave"},
	{Help, Everywhere, "?", "?", "help", Unlisted, "", "keys of this page"},
	{Close, Everywhere, "esc q", "esc", "back", Unlisted, "", "close a dialog; otherwise clear the filter; otherwise go back"},
	{Quit, Everywhere | InInput, "ctrl+c", "ctrl-c", "", Unlisted, "", "quit; asks first while a drain runs"},
}

// At is the built-in binding of a key in a place.
func At(key string, in Place) (Binding, bool) { return Default().At(key, in) }

// Of is the built-in binding of an action, see Map.Of.
func Of(do Action, in Place) Binding { return Default().Of(do, in) }
