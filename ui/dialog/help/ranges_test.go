package help

import (
	"strings"
	"testing"
)

func TestDigitsInARowAreARange(t *testing.T) {
	for labels, want := range map[string]string{
		"1 2 3 4 5": "1–5", "1 2 3 8 9": "1–3 8 9", "1 2": "1 2", "0 n": "0 n", "r t l": "r t l", "": "",
	} {
		if got := strings.Join(ranges(strings.Fields(labels)), " "); got != want {
			t.Errorf("%q: %q, want %q", labels, got, want)
		}
	}
}
