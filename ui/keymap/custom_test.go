package keymap

import (
	"slices"
	"strings"
	"testing"
)

func TestMoreKeysOfAnAction(t *testing.T) {
	keys := Default().With(map[Action]Own{Drain: {Keys: []string{"f5", "alt+e"}}})
	for _, key := range []string{"r", "f5", "alt+e"} {
		if b, ok := keys.At(key, OnNode); !ok || b.Do != Drain {
			t.Errorf("%s is %v %v", key, b, ok)
		}
	}
	if label := keys.Of(Drain, OnNode).Label; label != "r/f5/alt-e" {
		t.Errorf("on the screen it is %s", label)
	}
	if b, ok := keys.At("f5", OnPod); ok {
		t.Errorf("on a pod f5 is %v", b)
	}
	if _, ok := Default().At("f5", OnNode); ok {
		t.Error("the built-in keys have changed")
	}
}

func TestKeysInPlaceOfTheBuiltInOnes(t *testing.T) {
	keys := Default().With(map[Action]Own{Drain: {Keys: []string{"ctrl+e"}, Only: true}, Evict: {Keys: []string{"r"}}})
	if b, ok := keys.At("ctrl+e", OnNode); !ok || b.Do != Drain || b.Label != "ctrl-e" {
		t.Errorf("ctrl+e is %v %v", b, ok)
	}
	if b, ok := keys.At("r", OnNode); ok {
		t.Errorf("on a node r is still %v", b)
	}
	for _, key := range []string{"e", "r"} {
		if b, ok := keys.At(key, OnPod); !ok || b.Do != Evict || b.Label != "e/r" {
			t.Errorf("on a pod %s is %v %v", key, b, ok)
		}
	}
}

func TestTheFirstOfTheKeysOfAnAction(t *testing.T) {
	for label, want := range map[string]string{"r": "r", "r/f5": "r", "/": "/", "//f5": "/", "alt-/": "alt-/", "ctrl-e/f6": "ctrl-e"} {
		if got := (Binding{Label: label}).First(); got != want {
			t.Errorf("of %s: %s, want %s", label, got, want)
		}
	}
}

func TestEachActionOfTheKeysHasAName(t *testing.T) {
	named := map[Action]bool{}
	for _, action := range actions {
		if named[action] {
			t.Errorf("action %d has two names", action)
		}
		named[action] = true
	}
	for _, b := range Bindings {
		if own := b.Do == Quit || b.Do == Kill; named[b.Do] == own {
			t.Errorf("%s (%s): named %v", b.Label, b.Docs, named[b.Do])
		}
	}
	if !slices.IsSorted(Names()) || len(Names()) != len(actions) {
		t.Errorf("names %v", Names())
	}
}

func TestKeysThatAreNoneOrTaken(t *testing.T) {
	for _, good := range []string{"f5", "alt+e", "ctrl+alt+x", "ä", "shift+f5", "insert", "ctrl+home", "E"} {
		if err := Default().CheckKey(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for key, want := range map[string]string{
		"": "empty", "crtl+x": "not a key", "alt+ctrl+x": "not a key", "ab": "not a key", " ": "not a key", "f13": "not a key", "\x1b": "not a key",
		"shift+a": "the character that shift gives",
		"r":       "built-in", "enter": "built-in", "ctrl+c": "built-in", "1": "built-in", "space": "built-in",
	} {
		if err := Default().CheckKey(key); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
	free := Default().With(map[Action]Own{Drain: {Keys: []string{"f5"}, Only: true}})
	if err := free.CheckKey("r"); err != nil {
		t.Errorf("r was given up: %v", err)
	}
	if err := free.CheckKey("f5"); err == nil {
		t.Error("f5 is given away twice")
	}
}
