package admission

import "testing"

func TestTheWorkloadOfMostFinishedPodsIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		finished map[string]int
		n        int
		of       string
	}{
		"none":                    {nil, 0, ""},
		"one":                     {map[string]int{"report": 1}, 1, ""},
		"most are of one":         {map[string]int{"render": 77, "gc": 3}, 80, " (77 of render)"},
		"all are of one":          {map[string]int{"render": 5}, 5, " (all of render)"},
		"half are bare pods":      {map[string]int{"": 2, "gc": 2}, 4, " (2 of gc)"},
		"most are bare pods":      {map[string]int{"": 5, "gc": 2}, 7, ""},
		"none has half of them":   {map[string]int{"a": 2, "b": 2, "c": 2}, 6, ""},
		"the first of two halves": {map[string]int{"a": 3, "b": 3}, 6, " (3 of a)"},
	} {
		if n, of := (&Judgement{finished: c.finished}).haveFinished(); n != c.n || of != c.of {
			t.Errorf("%s: %d%s, want %d%s", name, n, of, c.n, c.of)
		}
	}
}
