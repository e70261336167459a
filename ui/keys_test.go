package ui

import (
	"slices"
	"strings"
	"testing"
)

// grounds are the places that pages are in, each a set.
var grounds = map[string]place{
	"Pending":        everywhere | lists | onPod | podFacts | inPending,
	"Pods":           everywhere | lists | onPod | podFacts,
	"Nodes":          everywhere | lists | onNode,
	"Why":            everywhere | lists | onGroup | onPod | podFacts,
	"Fixes":          everywhere | lists | onFix | podFacts,
	"why not here":   everywhere | lists | onPod | nodeFacts | podFacts,
	"a node of Why":  everywhere | lists | onNode | podFacts,
	"Drain":          everywhere | lists | onPod | onJob,
	"Drains":         everywhere | lists | onJob,
	"Activity":       everywhere | lists | onEntry,
	"a text":         everywhere | text,
	"a text of pods": everywhere | text | podFacts,
	"a recording":    everywhere | lists | onPod | podFacts | inPending | inRecording | onRecorded,
	"an input":       inInput,
}

func TestNoKeyHasTwoMeaningsInOnePlace(t *testing.T) {
	for name, in := range grounds {
		means := map[string]action{}
		for _, b := range keyMap {
			if b.where&in == 0 {
				continue
			}
			for key := range strings.FieldsSeq(b.keys) {
				if before, ok := means[key]; ok && before != b.do {
					t.Errorf("%s in %s means %q and %q", key, name, bindingOf(before, in).docs, b.docs)
				}
				means[key] = b.do
			}
		}
	}
}

// TestAKeyHasOneMeaningOnEveryPage holds what docs/keys.md says: a key asks for one
// action wherever it acts. Where its row is about several kinds of rows, they begin
// with the same words: "open it: ".
func TestAKeyHasOneMeaningOnEveryPage(t *testing.T) {
	means := map[string]binding{}
	for _, b := range keyMap {
		for key := range strings.FieldsSeq(b.keys) {
			first, known := means[key]
			if !known {
				means[key] = b
				continue
			}
			if first.do != b.do || meaning(first) != meaning(b) {
				t.Errorf("%s means %q and %q", key, first.docs, b.docs)
			}
		}
	}
}

// meaning is what the documentation says of a key whatever it is about.
func meaning(b binding) string {
	words, _, _ := strings.Cut(b.docs, ":")
	return words
}

func TestEveryPageIsInThePlacesThatAreTested(t *testing.T) {
	d, job := draining(t, 120, 40, nil)
	app := d.app
	pod, node := app.snapshot.Pending[0].First(), app.snapshot.Nodes[0].Name
	pages := []view{
		app.pages.pending, app.pages.pods, app.pages.nodes, newDrains(app), newDrainPage(app, job), newActivity(app), newUnread(app),
		newWhy(app, pod), newFixes(app, pod, fixing{}, 0), newPreemption(app, pod), newTrace(app, pod), newWords(app, pod, nil),
		newNotHere(app, node), newPodsOf(app, node), newPast(app, pod),
	}
	for _, page := range pages {
		known := false
		for _, in := range grounds {
			known = known || in == app.placesOf(page)
		}
		if !known {
			t.Errorf("no test has the keys of %v (%b)", page.crumbs(), app.placesOf(page))
		}
	}
}

func TestKeysThatAreToComeAreFree(t *testing.T) {
	for key := range strings.FieldsSeq("4 5 6 7 8 9 m v F b") {
		for _, b := range keyMap {
			if slices.Contains(strings.Fields(b.keys), key) {
				t.Errorf("%s means %q", key, b.docs)
			}
		}
	}
}

func TestEveryKeyIsDocumentedAndDrawn(t *testing.T) {
	for _, b := range keyMap {
		if b.docs == "" || b.label == "" || b.keys == "" {
			t.Errorf("%+v says too little", b)
		}
		if b.group != unlisted && b.help == "" {
			t.Errorf("%s is to be in the help, which has no words for it", b.label)
		}
	}
}

func TestEveryFooterAndHelpNamesOnlyKeysThatAct(t *testing.T) {
	app := newTestApp(t, 120, 40, newProdEU().snapshot())
	for _, key := range []string{"1", "2", "3"} {
		press(t, app, key)
		v := app.top()
		for _, k := range v.footer() {
			b := bindingOf(k.do, v.places())
			if got, ok := bindingAt(strings.Fields(b.keys)[0], v.places()); !ok || got.do != k.do {
				t.Errorf("the footer of %s names %s, which does nothing there", v.crumbs()[0], b.label)
			}
		}
	}
}
