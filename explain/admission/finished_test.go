package admission

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestTheWorkloadOfMostFinishedPodsIsNamed(t *testing.T) {
	render, gc, bare := Finished{"render", "Evicted"}, Finished{"gc", ""}, Finished{}
	for name, c := range map[string]struct {
		finished map[Finished]int
		n        int
		most     string
	}{
		"none":                    {nil, 0, ""},
		"one":                     {map[Finished]int{gc: 1}, 1, ""},
		"most are of one":         {map[Finished]int{render: 77, gc: 3}, 80, " (77 of render, Evicted)"},
		"all are of one":          {map[Finished]int{gc: 5}, 5, " (all of gc)"},
		"half are bare pods":      {map[Finished]int{bare: 2, gc: 2}, 4, " (2 of gc)"},
		"most are bare pods":      {map[Finished]int{bare: 5, gc: 2}, 7, ""},
		"none has half of them":   {map[Finished]int{render: 2, gc: 2, {"sync", "failed"}: 2}, 6, ""},
		"the first of two halves": {map[Finished]int{render: 3, gc: 3}, 6, " (3 of gc)"},
	} {
		if n, most := haveFinished(c.finished); n != c.n || most != c.most {
			t.Errorf("%s: %d%s, want %d%s", name, n, most, c.n, c.most)
		}
	}
}

func TestHowAPodHasFinishedIsToldByItsReason(t *testing.T) {
	for want, status := range map[Finished]corev1.PodStatus{
		{"", "Evicted"}: {Phase: corev1.PodFailed, Reason: "Evicted"},
		{"", "failed"}:  {Phase: corev1.PodFailed},
		{"", ""}:        {Phase: corev1.PodSucceeded, Reason: "Completed"},
	} {
		if got := FinishedOf(&corev1.Pod{Status: status}); got != want {
			t.Errorf("%+v: got %+v", status, got)
		}
	}
}
