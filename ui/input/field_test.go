package input

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestAWordOfOneCharacterIsDeletedForward(t *testing.T) {
	for _, text := range []string{"x", "cart x", "cart ", " "} {
		f := New(text)
		f.Edit(tea.KeyPressMsg{Code: tea.KeyLeft})
		f.Edit(tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt})
		if got, want := f.Text(), text[:len(text)-1]; got != want {
			t.Errorf("of %q it leaves %q, want %q", text, got, want)
		}
	}
}

func TestASearchTakesSoMuchAndNoMore(t *testing.T) {
	f := NewSearch("")
	f.Edit(tea.PasteMsg{Content: strings.Repeat("x", 10_000)})
	if got := len(f.Text()); got != LongestName {
		t.Errorf("it holds %d characters", got)
	}
}
