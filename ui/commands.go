package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// commands are what the palette offers first.
func (a *App) commands() []entry {
	by := func(do action) func() tea.Cmd {
		return func() tea.Cmd { return a.do(bindingOf(do, a.top().places()), a.top()) }
	}
	list := func(head string) func() tea.Cmd {
		return func() tea.Cmd { a.prompt = openPalette(a, head); return nil }
	}
	entries := []entry{
		{"pending", "pods that wait, and why", "1", by(doPending)},
		{"pods", "all pods", "2", by(doPods)},
		{"nodes", "nodes, their room and their taints", "3", by(doNodes)},
		{"ns", "another namespace", "n", list("ns ")},
		{"all", "all namespaces", "0", by(doAllNamespaces)},
		{"drains", "drains, running and done", "", func() tea.Cmd { return a.open(newDrains(a)) }},
		{"activity", "what was done, and what undoes it", "z", by(doActivity)},
		{"not-read", "what could not be read", "!", by(doUnread)},
		{"theme", "another theme", "", list("theme ")},
		{"help", "the keys of this place", "?", by(doHelp)},
		{"quit", "leave fathom", "ctrl-c", by(doQuit)},
	}
	if a.Session != nil {
		entries = slices.Insert(entries, 5, entry{"ctx", "another context of the kubeconfig", "", list("ctx ")})
	}
	return entries
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
