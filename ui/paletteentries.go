package ui

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/devices"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/drains"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/evictions"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/resizes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/schedulers"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/volumes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/palette"
)

// commands are what the palette offers. They implement palette.Host.
type commands struct {
	app    *App
	recent []string // namespaces, newest first
}

// open opens the palette with a text that is typed already.
func (c *commands) open(typed string) { c.app.prompt = palette.New(c, typed) }

func (c *commands) Styles() *themes.Styles { return c.app.styles() }

func (c *commands) Room() int { return c.app.layout.bodyHeight() }

func (c *commands) Close() { c.app.prompt = nil }

func (c *commands) Entries(after string) (entries palette.List, listed bool) {
	switch after {
	case "":
		return palette.Entries(c.all()), true
	case "ns":
		return palette.Entries(c.namespaceEntries()), true
	case c.app.contexts.contextWord():
		return palette.Entries(c.app.contexts.contextEntries()), true
	case "theme":
		return palette.Entries(c.themeEntries()), true
	case "by":
		return palette.Entries(c.labelEntries()), true
	case "evictions", "cgroups":
		return palette.Entries(c.nodeEntries(after)), true
	}
	switch resourceOf[after] {
	case "nodes":
		return nodeNames{c, after, c.app.observed.Snapshot.Nodes}, true
	case "pods":
		return podNames{c, after, c.app.observed.Snapshot.Pods}, true
	}
	return nil, false
}

// resourceOf has kubectl's names of what the palette opens by its name.
var resourceOf = map[string]string{
	"no": "nodes", "node": "nodes", "nodes": "nodes",
	"po": "pods", "pod": "pods", "pods": "pods",
}

// Unknown implements palette.Host.
func (c *commands) Unknown(after string) string {
	switch resourceOf[after] {
	case "nodes":
		if _, reading := c.app.observed.Snapshot.Status.Reading["nodes"]; reading {
			return "nodes are being read"
		}
		return c.app.observed.NotRead("nodes")
	case "pods":
		return c.app.observed.PodsUnknown()
	}
	return ""
}

// Bare are the namespaces, which are found by their names alone.
func (c *commands) Bare() palette.Entries {
	var entries palette.Entries
	for _, name := range c.app.observed.Namespaces() {
		entries = append(entries, palette.Entry{Name: name, What: "namespace", Run: func() tea.Cmd { return c.inNamespace(name) }})
	}
	return entries
}

// nodeNames lists the nodes, to open one.
type nodeNames struct {
	c     *commands
	head  string // the word that was typed for nodes
	nodes []*model.Node
}

// Len implements palette.List.
func (n nodeNames) Len() int { return len(n.nodes) }

// String implements palette.List.
func (n nodeNames) String(i int) string { return model.Clean(n.nodes[i].Name) }

// Entry implements palette.List.
func (n nodeNames) Entry(i int) palette.Entry {
	node := n.nodes[i]
	return palette.Entry{Name: n.head + " " + n.String(i), Run: func() tea.Cmd { return n.c.app.host.OpenPods(node.Name) }}
}

// podNames lists the pods, to say why one is pending, or where it runs.
type podNames struct {
	c    *commands
	head string // the word that was typed for pods
	pods []*model.Pod
}

// Len implements palette.List.
func (p podNames) Len() int { return len(p.pods) }

// String implements palette.List.
func (p podNames) String(i int) string {
	return model.Clean(p.pods[i].FullName())
}

// Entry implements palette.List.
func (p podNames) Entry(i int) palette.Entry {
	pod := p.pods[i]
	return palette.Entry{Name: p.head + " " + p.String(i), Run: func() tea.Cmd {
		if why := page.OffPod(&p.c.app.observed, keymap.Open, false, page.SelectPod(pod)); why != "" {
			return p.c.app.said.say(p.String(i) + ": " + why)
		}
		return p.c.app.opener.actOnPod(keymap.Open, pod)
	}}
}

func (c *commands) Digit(n int) func() tea.Cmd {
	if n < 1 || n > len(c.recent) {
		return nil
	}
	return func() tea.Cmd { return c.inNamespace(c.recent[n-1]) }
}

// all are what the palette offers first.
func (c *commands) all() []palette.Entry {
	by := func(do keymap.Action) func() tea.Cmd {
		return func() tea.Cmd {
			return c.app.keyboard.do(c.app.Keys.Of(do, c.app.history.top().Places()), c.app.history.top())
		}
	}
	list := func(head string) func() tea.Cmd {
		return func() tea.Cmd { c.open(head); return nil }
	}
	entries := c.viewEntries(by)
	ownFrom := len(entries) + 2 // what this cluster adds comes after the namespaces
	entries = append(entries,
		palette.Entry{Name: "ns", What: "choose a namespace", Key: c.key(keymap.Namespaces), Run: list("ns ")},
		palette.Entry{Name: "all", What: "all namespaces", Key: c.key(keymap.AllNamespaces), Run: by(keymap.AllNamespaces)},
		palette.Entry{Name: "write", What: "allow changes in this read-only context", Run: c.app.acts.allowWrites},
		palette.Entry{Name: "drains", What: "drains, evictions and deletions of this session", Run: func() tea.Cmd { return c.app.history.open(drains.NewList(&c.app.host, &c.app.jobs)) }},
		palette.Entry{Name: "activity", What: "activity and undo", Key: c.key(keymap.Activity), Run: by(keymap.Activity)},
		palette.Entry{Name: "not-read", What: "resources that could not be read", Key: c.key(keymap.Unread), Run: by(keymap.Unread)},
		palette.Entry{Name: "theme", What: "choose a theme", Run: list("theme ")},
		palette.Entry{Name: "help", What: "keys of this page", Key: c.key(keymap.Help), Run: by(keymap.Help)},
		palette.Entry{Name: "quit", What: "quit fathom", Key: "ctrl-c", Run: by(keymap.Quit)},
	)
	if actor := c.app.actor(); actor == nil || actor.ReadOnly() == "" {
		entries = slices.DeleteFunc(entries, func(e palette.Entry) bool { return e.Name == "write" })
	}
	entries = slices.Insert(entries, ownFrom, c.changeEntries()...)
	if c.app.history.top().Places()&keymap.PodFacts != 0 {
		last := slices.IndexFunc(entries, func(e palette.Entry) bool { return e.Name == "theme" })
		entries = slices.Insert(entries, last, palette.Entry{Name: "fit", What: "how many more pods like the selected one fit", Key: c.key(keymap.Fit), Run: by(keymap.Fit)})
	}
	if c.app.Recording != nil {
		entries = slices.Insert(entries, ownFrom, palette.Entry{Name: "changes", What: "changes since the previous step", Key: c.key(keymap.Changes), Run: by(keymap.Changes)})
	}
	if c.app.training.trainer() != nil {
		entries = slices.Insert(entries, ownFrom, c.app.training.trainerEntries()...)
	}
	if c.app.Session != nil {
		where := "choose a context of the kubeconfig"
		if c.app.Demo {
			where = "choose a lesson"
		}
		entries = slices.Insert(entries, ownFrom, palette.Entry{Name: c.app.contexts.contextWord(), What: where, Run: list(c.app.contexts.contextWord() + " ")})
	}
	return entries
}

// key is the first key of an action, as the screen names it.
func (c *commands) key(do keymap.Action) string { return c.app.Keys.Of(do, 0).First() }

// viewEntries are the views, in the order of their keys.
func (c *commands) viewEntries(by func(keymap.Action) func() tea.Cmd) []palette.Entry {
	return []palette.Entry{
		{Name: "pending", What: "pending pods and the reasons", Key: c.key(keymap.Pending), Run: by(keymap.Pending)},
		{Name: "pods", What: "all pods; po NAME: that pod", Key: c.key(keymap.Pods), Run: by(keymap.Pods)},
		{Name: "nodes", What: "nodes, free capacity, taints; no NAME: that node", Key: c.key(keymap.Nodes), Run: by(keymap.Nodes)},
		{Name: "map", What: "all nodes, one cell a node", Key: c.key(keymap.NodeMap), Run: func() tea.Cmd { return c.app.history.open(nodemap.New(&c.app.host, nodemap.Of(&c.app.host, ""))) }},
		{Name: "pools", What: "nodes by pool and zone, the largest free slot", Key: c.key(keymap.Pools), Run: by(keymap.Pools)},
		{Name: "taints", What: "taints, evictions by them, and reserved pools", Key: c.key(keymap.Taints), Run: by(keymap.Taints)},
		{Name: "priorities", What: "PriorityClasses, their pods and the queue", Key: c.key(keymap.Priorities), Run: by(keymap.Priorities)},
		{Name: "evictions", What: "eviction order and QoS of a node's pods", Key: c.key(keymap.Evictions), Run: by(keymap.Evictions)},
		{Name: "cgroups", What: "cgroups and files of a node's pods", Run: func() tea.Cmd { return c.openOfNode("cgroups") }},
		{Name: "quotas", What: "ResourceQuotas and what is left of them", Key: c.key(keymap.Quotas), Run: by(keymap.Quotas)},
		{Name: "budgets", What: "PodDisruptionBudgets and the drains they block", Key: c.key(keymap.Budgets), Run: by(keymap.Budgets)},
		{Name: "schedulers", What: "schedulers and controllers, running or not", Run: func() tea.Cmd { return c.app.history.open(schedulers.New(&c.app.host)) }},
		{Name: "volumes", What: "claims, volumes and attach limits of nodes", Run: func() tea.Cmd { return c.app.history.open(volumes.New(&c.app.host)) }},
		{Name: "devices", What: "devices of DRA drivers, and pending ResourceClaims", Run: func() tea.Cmd { return c.app.history.open(devices.New(&c.app.host)) }},
		{Name: "resizes", What: "in-place resizes of pods, and what stops them", Run: func() tea.Cmd { return c.app.history.open(resizes.New(&c.app.host)) }},
	}
}

// trainerEntries are the actions of a trainer in a demo.
func (t *training) trainerEntries() []palette.Entry {
	entries := []palette.Entry{
		{Name: "fault", What: "inject a fault into the cluster, or remove it", Key: "i", Run: t.openTrainer},
		{Name: "reset", What: "reset the cluster to its initial state", Run: t.askReset},
	}
	if t.app.lesson.Taken != nil {
		entries = append(entries, palette.Entry{Name: "step", What: "go to a step of the lesson", Run: t.openSteps})
	}
	return append(entries, palette.Entry{Name: "large", What: "large text for a projector, on or off", Run: t.enlarge})
}

// changeEntries are the actions on what is selected that can be done now.
func (c *commands) changeEntries() []palette.Entry {
	v := c.app.history.top()
	t := page.TargetsOf(v)
	var entries []palette.Entry
	for _, do := range change.For(t) {
		item := c.app.boxes.item(do, v)
		if item.Key == "" || item.Off != "" {
			continue
		}
		entries = append(entries, palette.Entry{
			Name: item.Word + " " + c.app.observed.NodeName(change.Of(do, t).Names()), What: changeWords[do] + " " + selectedWords(do, t), Key: item.Key,
			Run: func() tea.Cmd { return c.app.keyboard.do(c.app.Keys.Of(do, v.Places()), v) },
		})
	}
	return entries
}

// changeWords begin the palette's entries of changes.
var changeWords = map[keymap.Action]string{
	keymap.Cordon: "plan to cordon", keymap.Uncordon: "plan to uncordon", keymap.Drain: "plan a drain of",
	keymap.Taint: "taint", keymap.Label: "label", keymap.Evict: "plan an eviction of",
}

// selectedWords name what a change is about: "the selected node".
func selectedWords(do keymap.Action, t page.Targets) string {
	n, noun := len(t.Pods), "pod"
	if on := change.Of(do, t); len(on.Nodes) > 0 {
		n, noun = len(on.Nodes), "node"
	}
	if n == 1 {
		return "the selected " + noun
	}
	count := model.FormatCount(n)
	if t.Marked {
		return "the " + count + " marked " + noun + "s"
	}
	return "the " + count + " " + noun + "s of the selected row" // a group of nodes, or replicas
}

// namespaceEntries are the recent namespaces, by number, then all others.
func (c *commands) namespaceEntries() []palette.Entry {
	var entries []palette.Entry
	to := func(name string) func() tea.Cmd { return func() tea.Cmd { return c.inNamespace(name) } }
	for i, name := range c.recent {
		entries = append(entries, palette.Entry{Name: "ns " + name, Key: strconv.Itoa(i + 1), Run: to(name)})
	}
	entries = append(entries, palette.Entry{Name: "ns all", What: "all namespaces", Key: c.key(keymap.AllNamespaces), Run: to("")})
	for _, name := range c.app.observed.Namespaces() {
		if !slices.Contains(c.recent, name) {
			entries = append(entries, palette.Entry{Name: "ns " + name, Run: to(name)})
		}
	}
	return entries
}

// nodeEntries are the nodes, to choose one of whose evictions or cgroups are shown.
func (c *commands) nodeEntries(view string) []palette.Entry {
	var entries []palette.Entry
	for _, node := range c.app.observed.Snapshot.Nodes {
		entries = append(entries, palette.Entry{Name: view + " " + model.Clean(node.Name), Run: func() tea.Cmd {
			return c.app.history.open(c.viewOfNode(view, node.Name))
		}})
	}
	return entries
}

// viewOfNode is the page of a node's evictions or cgroups.
func (c *commands) viewOfNode(view, node string) page.View {
	if view == "cgroups" {
		return evictions.NewCgroups(&c.app.host, node)
	}
	return evictions.New(&c.app.host, node)
}

// openOfNode shows the evictions or cgroups of the node that the page on top is about or that is
// selected there, and asks which node where there is none, or they are shown already.
func (c *commands) openOfNode(view string) tea.Cmd {
	top := c.app.history.top()
	node := top.Selected().Node
	if on := page.TargetsOf(top).Nodes; node == nil && len(on) == 1 {
		node = on[0]
	}
	_, shown := top.(*evictions.Page)
	if shown = shown && view == "evictions"; shown || node == nil {
		c.open(view + " ")
		return nil
	}
	return c.app.history.open(c.viewOfNode(view, node.Name))
}

// recentMost is how many namespaces are remembered: one for each digit.
const recentMost = 9

// inNamespace shows one namespace; "" is all.
func (c *commands) inNamespace(name string) tea.Cmd {
	if only := c.app.observed.Snapshot.Status.Namespace; only != "" && only != name {
		return c.app.said.say("Only " + only + " can be read: not allowed to list pods in all namespaces.")
	}
	c.app.Namespace = name
	c.app.observed.Waiting.Take(&c.app.observed, c.app.namespace())
	if name != "" {
		c.recent = slices.DeleteFunc(c.recent, func(n string) bool { return n == name })
		c.recent = slices.Insert(c.recent, 0, name)
		c.recent = c.recent[:min(len(c.recent), recentMost)]
	}
	return c.app.history.show()
}

// labelEntries are what Pools groups nodes by: labels with more than one value first.
func (c *commands) labelEntries() []palette.Entry {
	nodes := c.app.observed.Snapshot.Nodes
	values := map[string]map[string]bool{}
	for _, n := range nodes {
		for name, value := range n.Object.Labels {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][value] = true
		}
	}
	groups := func(name string) int { // whether grouping by it says something
		if several := len(values[name]); several > 1 && several < len(nodes) {
			return 0
		}
		return 1
	}
	open := func(label string) func() tea.Cmd {
		return func() tea.Cmd { return tea.Batch(c.app.pages.pools.By(label), c.app.history.open(c.app.pages.pools)) }
	}
	entries := []palette.Entry{{Name: "by pool and zone", Run: open("")}}
	for _, name := range slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(groups(a)-groups(b), strings.Compare(a, b))
	}) {
		count := figures.Count(len(values[name]), "value", "values")
		entries = append(entries, palette.Entry{Name: "by " + name, What: count, Run: open(name)})
	}
	return entries
}

// themeEntries are the themes.
func (c *commands) themeEntries() []palette.Entry {
	var entries []palette.Entry
	for _, name := range c.app.Themes.Names() {
		entries = append(entries, palette.Entry{Name: "theme " + name, Run: func() tea.Cmd {
			c.app.Theme = name
			c.app.dress()
			return nil
		}})
	}
	return entries
}
