package cells

import (
	"slices"
	"testing"
)

func TestTextsTakeMoreLinesWhereRowsAreFree(t *testing.T) {
	texts := []string{"one", "two and three", "  four and five"}
	for rows, want := range map[int][]string{
		2: {"one", "two and …", "  four a…"},
		3: {"one", "two and …", "  four a…"},
		4: {"one", "two and", "three", "  four a…"},
		6: {"one", "two and", "three", "  four", "  and", "  five"},
		9: {"one", "two and", "three", "  four", "  and", "  five"},
	} {
		if got := slices.Concat(Fill(texts, 9, rows)...); !slices.Equal(got, want) {
			t.Errorf("in %d rows: %q, want %q", rows, got, want)
		}
	}
}
