package ui

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// keyDocs is the key map as a page of the documentation.
func keyDocs() string {
	var page strings.Builder
	page.WriteString("# Keys\n\n`?` shows the keys of the current page. A key means the same on every page (only `l` moves in\n" +
		"the node map); a key that is not listed here does nothing. Dialogs and inputs have keys of their own,\nlisted below.\n\n")
	page.WriteString("| key | where | what |\n|--|--|--|\n")
	for i, b := range keymap.Bindings {
		saysSame := func(other keymap.Binding) bool {
			return other.Do == b.Do && other.Docs == b.Docs && other.Where&keymap.Everywhere != 0
		}
		if slices.ContainsFunc(keymap.Bindings[i+1:], saysSame) {
			continue // the row of all pages has it
		}
		var labels []string
		for label := range strings.FieldsSeq(b.Label) {
			labels = append(labels, "`"+label+"`")
		}
		if b.Keys == "esc q" {
			labels = append(labels, "`q`")
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", strings.Join(labels, " "), whereWords(b.Where), b.Docs)
	}
	page.WriteString("\n## In dialogs and inputs\n\n| where | key | what |\n|--|--|--|\n")
	for _, b := range boxKeys {
		var labels []string
		for label := range strings.FieldsSeq(b.label) {
			labels = append(labels, "`"+label+"`")
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", b.Box, strings.Join(labels, " "), b.docs)
	}
	return page.String()
}

// boxKeys are the keys of boxes and inputs, for the documentation.
var boxKeys = []struct{ Box, label, docs string }{
	{"a confirmation", "y", "confirm, if it asks for `y`"},
	{"a confirmation", "0–9 enter", "type the number that it asks for; in a production context type the name of the context"},
	{"a confirmation", "space", "check or clear a check box"},
	{"a confirmation", "↑ ↓ pgup pgdn", "scroll; at the end choose a check box"},
	{"a confirmation", "q esc ctrl-c", "cancel; where a name is typed, `q` is a letter"},
	{"all actions", "k ↑ j ↓ enter", "choose an action and plan it; its own key plans it too"},
	{"all actions", "a q esc ctrl-c", "close it"},
	{"a list to choose from", "k ↑ j ↓ g home G end enter", "choose"},
	{"a list to choose from", "i q esc ctrl-c", "close it"},
	{"the help", "k ↑ j ↓", "scroll"},
	{"the help", "/ ctrl-n ctrl-p", "find, next match, previous match"},
	{"the help", "? q enter esc ctrl-c", "close it; `esc` ends a search first"},
	{"inputs", "enter", "accept the typed or chosen text"},
	{"inputs", "tab ↑ ↓", "complete, choose a suggestion"},
	{"inputs", "esc", "cancel; in the input of a number `q` does too"},
	{"the lesson panel", "1–9 h enter", "answer, hint, continue"},
	{"the lesson panel", "k ↑ j ↓", "scroll"},
	{"the lesson panel", "L q esc", "leave it"},
}

// TestBoxesTakeTheKeysThatAreDocumented presses every key that can be printed in
// each kind of box: those that are not documented do nothing.
func TestBoxesTakeTheKeysThatAreDocumented(t *testing.T) {
	node := func(keys ...string) func(*testing.T) *acted {
		return func(t *testing.T) *acted {
			d := newActed(t, 80, 24, "staging-eu", nil)
			d.node("std-b-02")
			d.press(keys...)
			return d
		}
	}
	for name, box := range map[string]struct {
		open func(*testing.T) *acted
		keys string
	}{
		"a box that asks for a y": {node("c"), "y q"},
		"a box about a job": {func(t *testing.T) *acted {
			d, _ := draining(t, 80, 24, nil)
			d.toDrain()
			d.press("Q")
			return d
		}, "y q"},
		"a box that asks for a number": {func(t *testing.T) *acted {
			return evictOne(t, "staging-eu", "web/front-5d8f9c6b4-8sd2l", reportFates)
		}, "0 1 2 3 4 5 6 7 8 9 q"},
		"a box with consents": {func(t *testing.T) *acted { return drainBox(t, 80, 24, "staging-eu", nil) }, "space q"},
		"all actions":         {node("a", "j"), "j k a q c u r t l"},
		"a list to choose from": {func(t *testing.T) *acted {
			d := node()(t)
			menu := &dialog.Choice{Host: &d.app.boxes, Title: "Choose"}
			for _, word := range []string{"one", "two", "three"} {
				menu.Add(word, "", "", nil)
			}
			menu.At = 1
			_ = menu.Open()
			return d
		}, "j k g G i q"},
		"the help": {func(t *testing.T) *acted {
			d := newActed(t, 80, 24, "staging-eu", nil)
			send(t, d.app, tea.WindowSizeMsg{Width: 80, Height: 15})
			d.press("?", "j")
			return d
		}, "j k / ? q"},
	} {
		t.Run(name, func(t *testing.T) {
			listed := strings.Fields(box.keys)
			for r := ' '; r <= '~'; r++ {
				key := string(r)
				if r == ' ' {
					key = "space"
				}
				d := box.open(t)
				d.wait(time.Second)
				before, at := screen(d.app), d.at
				d.press(key)
				d.at = at
				send(t, d.app, dialog.ReadyMsg{})
				acts := screen(d.app) != before || len(d.actor.run)+len(d.actor.stopped) > 0
				if acts != slices.Contains(listed, key) {
					t.Errorf("%q acts: %v", key, acts)
				}
			}
		})
	}
}

func whereWords(in keymap.Place) string {
	var words []string
	for _, w := range []struct {
		Place keymap.Place
		word  string
	}{
		{keymap.Everywhere, "everywhere"},
		{keymap.Lists, "lists"},
		{keymap.Text, "texts"},
		{keymap.OnPod, "a pod"},
		{keymap.OnNode, "a node"},
		{keymap.OnGroup, "a group of nodes"},
		{keymap.NamesNodes, "a row that names nodes"},
		{keymap.OnPriority, "a PriorityClass"},
		{keymap.NodeFacts, "a node's page"},
		{keymap.AroundPods, "the pods of a node"},
		{keymap.OnFix, "a fix"},
		{keymap.OnJob, "a drain"},
		{keymap.OnEntry, "an entry of the activity"},
		{keymap.PodFacts, "a pod's pages"},
		{keymap.InPending, "Pending"},
		{keymap.InPools, "Pools"},
		{keymap.InRecording, "a recording"},
		{keymap.OnRecorded, "a pod of a recording"},
		{keymap.OnCell, "the node map"},
		{keymap.OnEvicted, "a pod of Evictions"},
		{keymap.InInput, "inputs"},
	} {
		if in&w.Place != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

func TestTheDocumentedKeysAreTheKeyMap(t *testing.T) {
	const path = "../docs/keys.md"
	want := keyDocs()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not the key map: go test ./ui -run DocumentedKeys -update writes it", path)
	}
}
