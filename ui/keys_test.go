package ui

import (
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
	"a box":          inBox,
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

func TestKeysOfWhatIsNotThereAreNotInTheMap(t *testing.T) {
	for key := range strings.FieldsSeq("4 5 6 7 8 9") {
		for name, in := range grounds {
			if b, ok := bindingAt(key, in); ok {
				t.Errorf("%s in %s means %q", key, name, b.docs)
			}
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
