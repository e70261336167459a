package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestAWordOfOneCharacterIsDeletedForward(t *testing.T) {
	for _, text := range []string{"x", "cart x", "cart ", " "} {
		f := newField(text)
		f.edit(tea.KeyPressMsg{Code: tea.KeyLeft})
		f.edit(tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt})
		if got, want := f.text(), text[:len(text)-1]; got != want {
			t.Errorf("of %q it leaves %q, want %q", text, got, want)
		}
	}
}

func TestASearchTakesSoMuchAndNoMore(t *testing.T) {
	f := newSearch("")
	f.edit(tea.PasteMsg{Content: strings.Repeat("x", 10_000)})
	if got := len(f.text()); got != longestName {
		t.Errorf("it holds %d characters", got)
	}
}
