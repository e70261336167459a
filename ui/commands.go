package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// commands are what the palette offers.
type commands struct {
	app    *App
	recent []string // namespaces, newest first
}

// all are what the palette offers first.
func (c *commands) all() []entry {
	by := func(do keymap.Action) func() tea.Cmd {
		return func() tea.Cmd {
			return c.app.keyboard.do(keymap.Of(do, c.app.history.top().places()), c.app.history.top())
		}
	}
	list := func(head string) func() tea.Cmd {
		return func() tea.Cmd { c.app.prompt = openPalette(c.app, head); return nil }
	}
	entries := []entry{
		{"pending", "pods that wait, and why", "1", by(keymap.Pending)},
		{"pods", "all pods", "2", by(keymap.Pods)},
		{"nodes", "nodes, their room and their taints", "3", by(keymap.Nodes)},
		{"ns", "another namespace", "n", list("ns ")},
		{"all", "all namespaces", "0", by(keymap.AllNamespaces)},
		{"write", "allow changes where the settings keep a context read-only", "", c.app.acts.raise},
		{"drains", "drains, running and done", "", func() tea.Cmd { return c.app.history.open(newDrains(c.app)) }},
		{"activity", "what was done, and what undoes it", "z", by(keymap.Activity)},
		{"not-read", "what could not be read", "!", by(keymap.Unread)},
		{"theme", "another theme", "", list("theme ")},
		{"help", "the keys of this place", "?", by(keymap.Help)},
		{"quit", "leave fathom", "ctrl-c", by(keymap.Quit)},
	}
	if actor := c.app.actor(); actor == nil || actor.ReadOnly() == "" {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.name == "write" })
	}
	entries = slices.Insert(entries, 5, c.changeEntries()...)
	if c.app.Recording != nil {
		entries = slices.Insert(entries, 5, entry{"changes", "what changed since the step before", "D", by(keymap.Changes)})
	}
	if c.app.training.trainer() != nil {
		entries = slices.Insert(entries, 5, c.app.training.trainerEntries()...)
	}
	if c.app.Session != nil {
		where := "another context of the kubeconfig"
		if c.app.Demo {
			where = "another lesson, or this one again"
		}
		entries = slices.Insert(entries, 5, entry{c.app.contexts.contextWord(), where, "", list(c.app.contexts.contextWord() + " ")})
	}
	return entries
}

// trainerEntries are what a trainer does in a demo.
func (t *training) trainerEntries() []entry {
	entries := []entry{
		{"fault", "put a fault into the cluster, or take it back", "i", t.openTrainer},
		{"reset", "begin anew: the same cluster, as it was", "", t.askReset},
	}
	if t.app.lesson.taken != nil {
		entries = append(entries, entry{"step", "go to a step of the lesson", "", t.openSteps})
	}
	return append(entries, entry{"large", "large and plain, for a projector; or as before", "", t.enlarge})
}

// changeEntries are the actions on what is selected that can be done now.
func (c *commands) changeEntries() []entry {
	v := c.app.history.top()
	t := targetsOf(v)
	var entries []entry
	for _, do := range changersOf(t) {
		item := c.app.boxes.item(do, v)
		if item.key == "" || item.off != "" {
			continue
		}
		entries = append(entries, entry{
			item.word + " " + c.app.observed.nodeName(t.of(do).names()), changeWords[do] + " " + t.selectedWords(do), item.key,
			func() tea.Cmd { return c.app.keyboard.do(keymap.Of(do, v.places()), v) },
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
	return "the " + figures.Count(n, noun, noun+"s") + " that are marked"
}

// namespaceEntries are the recent namespaces, by number, then all others.
func (c *commands) namespaceEntries() []entry {
	var entries []entry
	to := func(name string) func() tea.Cmd { return func() tea.Cmd { return c.inNamespace(name) } }
	for i, name := range c.recent {
		entries = append(entries, entry{"ns " + name, "", strconv.Itoa(i + 1), to(name)})
	}
	entries = append(entries, entry{"ns all", "all namespaces", "0", to("")})
	for _, name := range c.app.observed.namespaces() {
		if !slices.Contains(c.recent, name) {
			entries = append(entries, entry{"ns " + name, "", "", to(name)})
		}
	}
	return entries
}

// recentMost is how many namespaces are remembered: one for each digit.
const recentMost = 9

// inNamespace shows one namespace; "" is all.
func (c *commands) inNamespace(name string) tea.Cmd {
	if only := c.app.observed.snapshot.Status.Namespace; only != "" && only != name {
		return c.app.said.say("Only " + only + " can be read: not allowed to list pods of all namespaces.")
	}
	c.app.Namespace = name
	if name != "" {
		c.recent = slices.DeleteFunc(c.recent, func(n string) bool { return n == name })
		c.recent = slices.Insert(c.recent, 0, name)
		c.recent = c.recent[:min(len(c.recent), recentMost)]
	}
	return c.app.history.show()
}

// themeEntries are the themes.
func (c *commands) themeEntries() []entry {
	var entries []entry
	for _, name := range themes.Names() {
		entries = append(entries, entry{"theme " + name, "", "", func() tea.Cmd {
			c.app.Theme = name
			c.app.dress()
			return nil
		}})
	}
	return entries
}
