package cells

import "testing"

func TestATextThatIsCutEndsInOneEllipsis(t *testing.T) {
	for text, want := range map[string]string{
		"claim ledg…data is in use":   "claim ledg…",
		"claim ledger-data is in use": "claim ledge…",
		"claim led…":                  "claim led…",
	} {
		if got := Cut(text, 12); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
