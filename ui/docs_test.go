package ui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// keyDocs is the key map as a page of the documentation.
func keyDocs() string {
	var page strings.Builder
	page.WriteString("# Keys\n\n`?` shows those of the place where you are. A key has one meaning everywhere.\n\n")
	page.WriteString("| key | where | what |\n|--|--|--|\n")
	for _, b := range keyMap {
		var labels []string
		for label := range strings.FieldsSeq(b.label) {
			labels = append(labels, "`"+label+"`")
		}
		if b.keys == "esc q" {
			labels = append(labels, "`q`")
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", strings.Join(labels, " "), whereWords(b.where), b.docs)
	}
	return page.String()
}

func whereWords(in place) string {
	var words []string
	for _, w := range []struct {
		place place
		word  string
	}{
		{everywhere, "everywhere"},
		{lists, "lists"},
		{text, "texts"},
		{onPod, "a pod"},
		{onNode, "a node"},
		{onGroup, "a group of nodes"},
		{nodeFacts, "a node's page"},
		{onFix, "a fix"},
		{onJob, "a drain"},
		{onEntry, "what was done"},
		{podFacts, "a pod's pages"},
		{inPending, "Pending"},
		{inRecording, "a recording"},
		{onRecorded, "a pod of a recording"},
		{inBox, "boxes"},
		{inInput, "inputs"},
	} {
		if in&w.place != 0 {
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
