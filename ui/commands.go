package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// commands are what the palette offers first.
func (a *App) commands() []entry {
	by := func(do keymap.Action) func() tea.Cmd {
		return func() tea.Cmd { return a.do(keymap.Of(do, a.top().places()), a.top()) }
	}
	list := func(head string) func() tea.Cmd {
		return func() tea.Cmd { a.prompt = openPalette(a, head); return nil }
	}
	entries := []entry{
		{"pending", "pods that wait, and why", "1", by(keymap.Pending)},
		{"pods", "all pods", "2", by(keymap.Pods)},
		{"nodes", "nodes, their room and their taints", "3", by(keymap.Nodes)},
		{"ns", "another namespace", "n", list("ns ")},
		{"all", "all namespaces", "0", by(keymap.AllNamespaces)},
		{"write", "allow changes where the settings keep a context read-only", "", a.raise},
		{"drains", "drains, running and done", "", func() tea.Cmd { return a.open(newDrains(a)) }},
		{"activity", "what was done, and what undoes it", "z", by(keymap.Activity)},
		{"not-read", "what could not be read", "!", by(keymap.Unread)},
		{"theme", "another theme", "", list("theme ")},
		{"help", "the keys of this place", "?", by(keymap.Help)},
		{"quit", "leave fathom", "ctrl-c", by(keymap.Quit)},
	}
	if actor := a.actor(); actor == nil || actor.ReadOnly() == "" {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.name == "write" })
	}
	entries = slices.Insert(entries, 5, a.changeEntries()...)
	if a.Recording != nil {
		entries = slices.Insert(entries, 5, entry{"changes", "what changed since the step before", "D", by(keymap.Changes)})
	}
	if a.trainer() != nil {
		entries = slices.Insert(entries, 5, a.trainerEntries()...)
	}
	if a.Session != nil {
		where := "another context of the kubeconfig"
		if a.Demo {
			where = "another lesson, or this one again"
		}
		entries = slices.Insert(entries, 5, entry{a.contextWord(), where, "", list(a.contextWord() + " ")})
	}
	return entries
}

// trainerEntries are what a trainer does in a demo.
func (a *App) trainerEntries() []entry {
	entries := []entry{
		{"fault", "put a fault into the cluster, or take it back", "i", a.openTrainer},
		{"reset", "begin anew: the same cluster, as it was", "", a.askReset},
	}
	if a.lesson.taken != nil {
		entries = append(entries, entry{"step", "go to a step of the lesson", "", a.openSteps})
	}
	return append(entries, entry{"large", "large and plain, for a projector; or as before", "", a.enlarge})
}

// changeEntries are the actions on what is selected that can be done now.
func (a *App) changeEntries() []entry {
	v := a.top()
	t := targetsOf(v)
	var entries []entry
	for _, do := range changersOf(t) {
		item := a.item(do, v)
		if item.key == "" || item.off != "" {
			continue
		}
		entries = append(entries, entry{
			item.word + " " + a.nodeName(t.of(do).names()), changeWords[do] + " " + t.selectedWords(do), item.key,
			func() tea.Cmd { return a.do(keymap.Of(do, v.places()), v) },
		})
	}
	return entries
}

// changeWords say what the palette's entries of changes begin.
var changeWords = map[keymap.Action]string{
	keymap.Cordon: "plan to cordon", keymap.Uncordon: "plan to uncordon", keymap.Drain: "plan a drain of",
	keymap.Taint: "taint", keymap.Label: "label", keymap.Evict: "plan an eviction of",
}

// selectedWords tell what a change is about: "the selected node".
func (t targets) selectedWords(do keymap.Action) string {
	n, noun := len(t.pods), "pod"
	if on := t.of(do); len(on.nodes) > 0 {
		n, noun = len(on.nodes), "node"
	}
	if n == 1 {
		return "the selected " + noun
	}
	return "the " + count(n, noun, noun+"s") + " that are marked"
}

// namespaceEntries are the recent namespaces, by number, then all others.
func (a *App) namespaceEntries() []entry {
	var entries []entry
	to := func(name string) func() tea.Cmd { return func() tea.Cmd { return a.inNamespace(name) } }
	for i, name := range a.recent {
		entries = append(entries, entry{"ns " + name, "", strconv.Itoa(i + 1), to(name)})
	}
	entries = append(entries, entry{"ns all", "all namespaces", "0", to("")})
	for _, name := range a.namespaces() {
		if !slices.Contains(a.recent, name) {
			entries = append(entries, entry{"ns " + name, "", "", to(name)})
		}
	}
	return entries
}

// namespaces are those that have pods or should have, by name.
func (a *App) namespaces() []string {
	var found []string
	for pods := a.snapshot.Pods; len(pods) > 0; {
		name := pods[0].Object.Namespace
		found = append(found, name)
		pods = pods[len(inNamespace(pods, name)):]
	}
	for _, kind := range a.snapshot.Pending { // one may have nothing but pods that were refused
		if at, known := slices.BinarySearch(found, kind.Namespace()); !known {
			found = slices.Insert(found, at, kind.Namespace())
		}
	}
	return found
}

// recentMost is how many namespaces are remembered: one for each digit.
const recentMost = 9

// inNamespace shows one namespace; "" is all.
func (a *App) inNamespace(name string) tea.Cmd {
	if only := a.snapshot.Status.Namespace; only != "" && only != name {
		return a.say("Only " + only + " can be read: not allowed to list pods of all namespaces.")
	}
	a.Namespace = name
	if name != "" {
		a.recent = slices.DeleteFunc(a.recent, func(n string) bool { return n == name })
		a.recent = slices.Insert(a.recent, 0, name)
		a.recent = a.recent[:min(len(a.recent), recentMost)]
	}
	return a.show()
}

// themeEntries are the themes.
func (a *App) themeEntries() []entry {
	var entries []entry
	for _, name := range themes.Names() {
		entries = append(entries, entry{"theme " + name, "", "", func() tea.Cmd {
			a.Theme = name
			a.dress()
			return nil
		}})
	}
	return entries
}
