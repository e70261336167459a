package snapshot

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Files with bytes changed, parts lost and parts doubled are read, or refused.
func TestDamagedFilesDoNotPanic(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for _, format := range []Format{YAML, JSON} {
		own := []byte(written(t, taken(t, sourceOf(withSecrets())), format))
		for range 300 {
			fuzzed(t, damaged(dice, own))
		}
	}
	list := []byte("apiVersion: v1\nitems:\n" + nodeItem + podItem + "kind: List\n")
	for range 2000 {
		fuzzed(t, damaged(dice, list))
	}
	for range 2000 {
		fuzzed(t, damaged(dice, fmt.Appendf(nil, `{"items":[%s,%s],"kind":"List","apiVersion":"v1"}`, nodeJSON, podJSON)))
	}
}

func damaged(dice *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + dice.IntN(8) {
		from := dice.IntN(len(text))
		to := from + dice.IntN(min(60, len(text)-from))
		switch dice.IntN(3) {
		case 0:
			text[from] = byte(dice.IntN(256))
		case 1:
			text = slices.Delete(text, from, to)
		case 2:
			text = slices.Insert(text, to, slices.Clone(text[from:to])...)
		}
	}
	return text
}
